//! Puts the pinned Z3 below `target/z3`, where `.cargo/config.toml` makes the build look.
//!
//! The library comes from a Python wheel, a zip archive that holds `libz3.so`. Three files result:
//! `wheel/` keeps the download, `lib/libz3.so` is the library itself, and `link/libz3.a` is an import
//! library: it defines Z3's functions, and loads the real ones when the first is called (`z3/load.c`), since a program
//! that asks nothing should not take the time. Whatever links against it finds Z3 without an rpath or an environment
//! variable: the command line, test binaries and documentation tests, in any target folder, next to whatever other
//! libz3 the system has; in a package, the one beside it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use crate::packages::{provide_cxx_library, provide_pip};
use crate::process::{have, run};
use crate::root;

/// The package's version; `Z3_SYS_Z3_VERSION` in `.cargo/config.toml` goes with it.
const VERSION: &str = "5.4.0.0";

/// A prebuilt library for one kind of host.
struct Wheel {
    arch: &'static str,
    platform: &'static str,
    blake3: &'static str,
}

const WHEELS: &[Wheel] = &[
    Wheel {
        arch: "x86_64",
        platform: "manylinux_2_27_x86_64",
        blake3: "94788155348b854bfea769ffe5d2d3a5f988c8fb540ec589e401fba251006dbd",
    },
    Wheel {
        arch: "aarch64",
        platform: "manylinux_2_38_aarch64",
        blake3: "16cd550f1434b85b163d2931b7afee76a52328334cbe99dd87b4d7c2595c3069",
    },
];

/// What the import library is made of, beside a header.
const IMPORT: [(&str, &str); 2] =
    [("load.c", include_str!("z3/load.c")), ("jump.S", include_str!("z3/jump.S"))];

impl Wheel {
    fn file(&self) -> String {
        format!("z3_solver-{VERSION}-py3-none-{}.whl", self.platform)
    }
}

/// The folder that holds Z3.
pub fn folder() -> PathBuf {
    root().join("target/z3")
}

/// The library that programs load.
pub fn library() -> PathBuf {
    folder().join("lib/libz3.so")
}

/// Makes sure that the pinned Z3 is in place; does nothing when it is.
pub fn run_setup() -> Result<()> {
    let other = std::env::var_os("Z3_LIBRARY_PATH_OVERRIDE").map(PathBuf::from);
    if let Some(other) = other.filter(|other| *other != folder().join("link") && other.is_dir()) {
        println!("setup: Z3_LIBRARY_PATH_OVERRIDE is set, the Z3 in {} is used as it is", other.display());
        return Ok(());
    }
    let host = (std::env::consts::OS, std::env::consts::ARCH);
    let wheel = WHEELS.iter().find(|wheel| host == ("linux", wheel.arch));
    let Some(wheel) = wheel else {
        bail!(
            "no Z3 is pinned for {}-{}: install Z3 {VERSION} and set Z3_LIBRARY_PATH_OVERRIDE to its folder",
            host.0,
            host.1
        );
    };
    provide_cxx_library().context("Z3's bindings link with C++'s standard library")?;
    let library = library();
    let link = folder().join("link");
    let stamp = folder().join("stamp");
    let import = blake3::hash(IMPORT.map(|(_, text)| text).concat().as_bytes()).to_hex();
    let meant = format!("{}\n{import}\n{}\n", wheel.blake3, library.display());
    if library.exists()
        && link.join("libz3.a").exists()
        && fs::read_to_string(&stamp).is_ok_and(|held| held == meant)
    {
        return Ok(());
    }
    let archive = download(wheel)?;
    unpack(&archive, &library)?;
    write_import_library(&library, &link)?;
    fs::write(&stamp, meant).with_context(|| format!("cannot write {}", stamp.display()))?;
    println!("setup: Z3 {VERSION} is in {}", folder().display());
    Ok(())
}

/// The wheel's path; downloads it unless it is there with the pinned hash.
fn download(wheel: &Wheel) -> Result<PathBuf> {
    let into = folder().join("wheel");
    let path = into.join(wheel.file());
    if path.exists() {
        if hash(&path)? == wheel.blake3 {
            return Ok(path);
        }
        fs::remove_file(&path)?;
    }
    fs::create_dir_all(&into)?;
    provide_pip().context("pip brings the pinned Z3")?;
    println!("setup: downloading {}", wheel.file());
    let mut pip = Command::new("python3");
    pip.args(["-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]);
    pip.args(["--disable-pip-version-check", "--dest"]).arg(&into).arg(format!("z3-solver=={VERSION}"));
    run(&mut pip).with_context(|| {
        format!(
            "cannot download z3-solver {VERSION} with pip; without network, put {} into {}",
            wheel.file(),
            into.display()
        )
    })?;
    ensure!(path.exists(), "pip brought another file than {}; is this pip too old?", wheel.file());
    let found = hash(&path)?;
    ensure!(
        found == wheel.blake3,
        "{} has the BLAKE3 hash {found}, expected {}",
        path.display(),
        wheel.blake3
    );
    Ok(path)
}

fn hash(path: &Path) -> Result<String> {
    let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    Ok(blake3::hash(&bytes).to_hex().to_string())
}

/// Takes `libz3.so` out of the wheel.
fn unpack(archive: &Path, library: &Path) -> Result<()> {
    let scratch = folder().join("unpacked");
    if scratch.exists() {
        fs::remove_dir_all(&scratch)?;
    }
    run(Command::new("python3").args(["-m", "zipfile", "-e"]).arg(archive).arg(&scratch))?;
    let found = scratch.join("z3/lib/libz3.so");
    ensure!(found.exists(), "{} holds no z3/lib/libz3.so", archive.display());
    fs::create_dir_all(folder().join("lib"))?;
    // Renaming keeps a build that is running at the moment on the old file.
    fs::rename(&found, library)?;
    fs::remove_dir_all(&scratch)?;
    Ok(())
}

/// Makes a static library that has the real one's functions and loads it.
fn write_import_library(library: &Path, link: &Path) -> Result<()> {
    let symbols = symbols(&fs::read(library)?);
    ensure!(symbols.len() > 500, "{} has no Z3 symbols", library.display());
    if link.exists() {
        fs::remove_dir_all(link)?;
    }
    let scratch = folder().join("import");
    fs::create_dir_all(&scratch)?;
    // Rust writes the characters of a path in a string as C does.
    let path = library.to_str().context("the repository's path is not UTF-8")?;
    let functions = symbols.iter().enumerate().map(|(number, name)| format!(" F({number}, {name})"));
    let header = format!("#define LIBRARY {path:?}\n#define FUNCTIONS(F){}\n", functions.collect::<String>());
    fs::write(scratch.join("functions.h"), header)?;
    for (name, text) in IMPORT {
        fs::write(scratch.join(name), text)?;
    }
    // rustc needs a C compiler anyway.
    let compiler = ["cc", "clang-19", "clang", "gcc"].into_iter().find(|name| have(name));
    let Some(compiler) = compiler else { bail!("no C compiler (Debian: apt-get install gcc)") };
    run(Command::new(compiler).args(["-c", "-O2", "-fPIC", "load.c", "jump.S"]).current_dir(&scratch))?;
    run(Command::new("ar").args(["rcs", "libz3.a", "load.o", "jump.o"]).current_dir(&scratch))?;
    fs::create_dir_all(link)?;
    fs::rename(scratch.join("libz3.a"), link.join("libz3.a"))?;
    fs::remove_dir_all(&scratch)?;
    Ok(())
}

/// The names of Z3's functions: the zero-terminated identifiers of the library's string tables.
fn symbols(library: &[u8]) -> Vec<String> {
    let is_name = |text: &&[u8]| {
        text.len() < 200
            && text.starts_with(b"Z3_")
            && text.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
    };
    let names = library.split(|byte| *byte == 0).filter(is_name);
    let mut names: Vec<String> = names.map(|name| String::from_utf8_lossy(name).into_owned()).collect();
    names.sort();
    names.dedup();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_are_whole_zero_terminated_identifiers() {
        let bytes = b"\x7fELF\0Z3_mk_solver\0xZ3_no\0Z3_a b\0Z3_mk_solver\0Z3_check\0";
        assert_eq!(symbols(bytes), ["Z3_check", "Z3_mk_solver"]);
    }
}
