//! Text files that say what they expect: each `pass/NAME.hir` obeys the laws, and `pass/NAME.expected`
//! holds how it prints and what it unrolls to; each `fail/NAME.hir` begins with `# MESSAGE`, the error
//! of the parser or verifier; `canonical/NAME.expected` holds the lane forms of the functions of
//! `canonical/NAME.hir`. `HYDRIDE_BLESS=1` rewrites what is expected.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use hydride_ir::exact::{Dag, NodeId, Part, Raised, Replacements, Segment, raise, raise_with};
use hydride_ir::lane::{canonicalize, emit};
use hydride_ir::passes::{dead_code, instantiate, unroll};
use hydride_ir::{Function, Num, Random};

type Checked<T = ()> = Result<T, Box<dyn Error>>;

fn bless() -> bool {
    std::env::var_os("HYDRIDE_BLESS").is_some_and(|value| value == "1")
}

fn files(folder: &str, extension: &str) -> Checked<Vec<PathBuf>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(folder);
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|found| found == extension) {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// How a file's functions print, and what they unroll to.
fn expected_of(text: &str) -> Checked<String> {
    let mut expected = String::new();
    for function in Function::parse_all(text)? {
        function.verify()?;
        let printed = function.to_string();
        let again = Function::parse(&printed)?;
        again.verify()?;
        assert_eq!(again.to_string(), printed);
        let values: Vec<i64> = function.params.iter().map(|param| param.value).collect();
        let instance = instantiate(&function, &values)?;
        instance.verify()?;
        let flat = unroll(&instance)?;
        flat.verify()?;
        let compact = dead_code(&flat);
        compact.verify()?;
        assert_eq!(compact.to_string(), flat.to_string());
        expected += &format!("{printed}\n# unrolled\n{flat}\n");
    }
    Ok(expected)
}

/// Compares what `expected_of` makes of each file of `folder` with the file beside it.
fn check(folder: &str, expected_of: impl Fn(&str) -> Checked<String>) -> Checked {
    for path in files(folder, "hir")? {
        let golden = path.with_extension("expected");
        let expected = expected_of(&fs::read_to_string(&path)?)
            .map_err(|error| format!("{}: {error}", path.display()))?;
        if bless() {
            fs::write(&golden, expected)?;
        } else {
            assert_eq!(fs::read_to_string(&golden).unwrap_or_default(), expected, "{}", golden.display());
        }
    }
    for golden in files(folder, "expected")? {
        if !golden.with_extension("hir").exists() {
            assert!(bless(), "{} belongs to no test", golden.display());
            fs::remove_file(golden)?;
        }
    }
    Ok(())
}

#[test]
fn pass() -> Checked {
    check("pass", expected_of)
}

#[test]
fn canonical() -> Checked {
    check("canonical", |text| {
        let canonical = Function::parse_all(text)?.iter().map(canonical_of).collect::<Checked<Vec<_>>>()?;
        Ok(canonical.join("\n"))
    })
}

/// The lane form of a function, with its masking; it computes what the function does.
fn canonical_of(function: &Function) -> Checked<String> {
    function.verify()?;
    let (mut dag, raised) = raise(function)?;
    let may_mask = |arg: u32| !function.args[arg as usize].role.is_immediate();
    let Some(canonical) = canonicalize(&mut dag, &raised, may_mask) else {
        return Ok(format!("# @{} has no lane form\n", function.name));
    };
    let mut written = Function::new(function.name.clone());
    written.args.clone_from(&function.args);
    written.results.clone_from(&function.results);
    let form = canonical.form.map(&mut |_, number, _| Num::constant(*number), &|number| *number == 1);
    emit(&form, canonical.masking.as_ref(), &mut written);
    written.verify().map_err(|error| format!("{error}\n{written}"))?;
    let args: Vec<NodeId> = (0..function.args.len() as u32).map(|arg| dag.arg(arg)).collect();
    let again = raise_with(&mut dag, &written, &[], &args)?;
    for seed in 0..20 {
        let values = [&raised, &again].map(|raised| values(&mut dag, raised, seed));
        assert_eq!(values[0], values[1], "{function}\n{written}");
    }
    Ok(written.to_string())
}

/// The results at arguments drawn at random.
fn values(dag: &mut Dag, raised: &Raised, seed: u64) -> Vec<NodeId> {
    let mut random = Random::new(seed);
    let mut replacements = Replacements::default();
    for (arg, width) in dag.arg_widths().to_vec().into_iter().enumerate() {
        let words: Vec<Part> =
            (0..width.div_ceil(64)).map(|_| Part { node: dag.int(random.word()), width: 64 }).collect();
        let value = dag.concat(&words);
        let value = dag.slice(value, 0, width, false);
        replacements.insert(dag.arg(arg as u32), value);
    }
    let whole = |segments: &Vec<Segment>| {
        let parts: Vec<Part> = segments
            .iter()
            .map(|segment| Part { node: dag.replace(segment.value, &mut replacements), width: segment.width })
            .collect();
        dag.concat(&parts)
    };
    raised.results.iter().map(whole).collect()
}

fn first_error(text: &str) -> Option<String> {
    match Function::parse_all(text) {
        Err(error) => Some(error.to_string()),
        Ok(functions) => functions.iter().find_map(|function| function.verify().err()).map(|e| e.to_string()),
    }
}

#[test]
fn fail() -> Checked {
    for path in files("fail", "hir")? {
        let text = fs::read_to_string(&path)?;
        let (first, rest) = text.split_once('\n').ok_or("a test has a first line")?;
        let message = first_error(&text).ok_or_else(|| format!("{} is sound", path.display()))?;
        let expected = format!("# {message}");
        if bless() {
            fs::write(&path, format!("{expected}\n{rest}"))?;
        } else {
            assert_eq!(first, expected, "{}", path.display());
        }
    }
    Ok(())
}
