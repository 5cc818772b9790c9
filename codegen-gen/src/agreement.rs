//! An invariant across generated files: a function `@autollvm.…` has the same type wherever it is defined or declared.
//! No tool diagnoses a violation: since pointers are opaque, LLVM links a call with a function of another type, and the
//! behaviour is then undefined.
//!
//! The generated texts are compared, not their inputs.

use std::collections::BTreeMap;

use llvm_text::{Type, split_list};
use rayon::prelude::*;

use crate::GeneratedFile;
use crate::check::CheckError;

/// Compares the types of all functions of all files; the first difference is the error.
pub(crate) fn check(files: &[GeneratedFile]) -> Result<(), CheckError> {
    let functions: Vec<Vec<(&str, String)>> =
        files.par_iter().map(|file| file.contents.lines().filter_map(function).collect()).collect();
    let mut known: BTreeMap<&str, (String, &str)> = BTreeMap::new();
    for (file, functions) in files.iter().zip(functions) {
        for (name, ty) in functions {
            let (first, place) = known.entry(name).or_insert_with(|| (ty.clone(), &file.path));
            if *first != ty {
                return Err(CheckError::Disagreement {
                    name: name.to_owned(),
                    types: [(*place).to_owned(), first.clone(), file.path.clone(), ty],
                });
            }
        }
    }
    Ok(())
}

/// The name and the type, as MLIR writes it, of the function that a line of LLVM assembly or MLIR begins.
fn function(line: &str) -> Option<(&str, String)> {
    if let Some(rest) = line.strip_prefix("func.func private @") {
        let (rest, _) = rest.split_once(" //").unwrap_or((rest, ""));
        let (name, ty) = rest.split_at(rest.find('(')?);
        return Some((name.trim_matches('"'), ty.to_owned()));
    }
    let line = line.strip_prefix("define ").or_else(|| line.strip_prefix("declare "))?;
    let (result, rest) = line.split_once(" @autollvm.")?;
    let (_, rest) = line.split_at(line.len() - rest.len() - "autollvm.".len());
    let (name, args) = rest.split_once('(')?;
    let mlir = |ty: &str| ty.parse::<Type>().ok()?.mlir_llvm();
    let args = split_list(args.split_once(')')?.0).into_iter();
    // An argument with a name ends with that.
    let args = args.map(|arg| mlir(arg.rsplit_once(" %").map_or(arg, |(ty, _)| ty)));
    let args: Vec<String> = args.collect::<Option<_>>()?;
    let result: Type = result.strip_prefix("linkonce_odr ").unwrap_or(result).parse().ok()?;
    if result == Type::Void {
        return Some((name, format!("({}) -> ()", args.join(", "))));
    }
    let results: Vec<String> = result.parts().iter().map(Type::mlir).collect::<Option<_>>()?;
    let results = match &result {
        Type::Structure(_) => format!("({})", results.join(", ")),
        _ => results.join(", "),
    };
    Some((name, format!("({}) -> {results}", args.join(", "))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, contents: &str) -> GeneratedFile {
        GeneratedFile { path: path.to_owned(), contents: contents.to_owned() }
    }

    #[test]
    fn types_of_definitions_and_declarations() {
        let several =
            "define linkonce_odr { <2 x i8>, i1 } @autollvm.f.1_-2(<4 x i32> %a, i5 %.mask) alwaysinline {";
        let expected = Some(("autollvm.f.1_-2", "(vector<4xi32>, i5) -> (vector<2xi8>, i1)".to_owned()));
        assert_eq!(function(several), expected);
        let private = "func.func private @\"autollvm.f.1_-2\"(vector<4xi32>, i5) -> (vector<2xi8>, i1)";
        assert_eq!(function(private), expected);
        let stored = Some(("autollvm.f.store_memory0", "(i8, !llvm.ptr) -> ()".to_owned()));
        assert_eq!(function("define linkonce_odr void @autollvm.f.store_memory0(i8 %a, ptr %.to) {"), stored);
        assert_eq!(
            function("func.func private @autollvm.f.store_memory0(i8, !llvm.ptr) -> () // autollvm.f.store"),
            stored
        );
        assert_eq!(function("declare i8 @autollvm.g()"), Some(("autollvm.g", "() -> i8".to_owned())));
        assert_eq!(function("define internal i8 @x86.f(i8 %a0) alwaysinline {"), None);
    }

    #[test]
    fn a_function_of_two_types_is_refused() {
        let mlir = file("mlir/f.mlir", "func.func private @autollvm.f(i4) -> vector<2xi1>\n");
        let same = file("llvm/west.ll", "define linkonce_odr <2 x i1> @autollvm.f(i4 %a) alwaysinline {\n");
        check(&[mlir.clone(), same.clone()]).unwrap();
        for (from, to) in [("<2 x i1>", "<8 x i1>"), ("i4 %a", "i32 %a"), ("(i4 %a)", "()")] {
            let other = file("llvm/east.ll", &same.contents.replace(from, to));
            let error = check(&[mlir.clone(), same.clone(), other]).unwrap_err().to_string();
            assert!(error.starts_with("`autollvm.f` is (i4) -> vector<2xi1> in mlir/f.mlir and "), "{error}");
            assert!(error.ends_with(" in llvm/east.ll"), "{error}");
        }
    }
}
