//! Text files that say what they expect: each `pass/NAME.hir` obeys the laws, and `pass/NAME.expected`
//! holds how it prints and what it unrolls to; each `fail/NAME.hir` begins with `# MESSAGE`, the error
//! of the parser or verifier. `HYDRIDE_BLESS=1` rewrites what is expected.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use hydride_ir::Function;
use hydride_ir::passes::{dead_code, instantiate, unroll};

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

#[test]
fn pass() -> Checked {
    for path in files("pass", "hir")? {
        let golden = path.with_extension("expected");
        let expected = expected_of(&fs::read_to_string(&path)?)
            .map_err(|error| format!("{}: {error}", path.display()))?;
        if bless() {
            fs::write(&golden, expected)?;
        } else {
            assert_eq!(fs::read_to_string(&golden).unwrap_or_default(), expected, "{}", golden.display());
        }
    }
    for golden in files("pass", "expected")? {
        if !golden.with_extension("hir").exists() {
            assert!(bless(), "{} belongs to no test", golden.display());
            fs::remove_file(golden)?;
        }
    }
    Ok(())
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
