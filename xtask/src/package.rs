//! Packages: of the command line an archive to unpack anywhere and a Debian package, and a wheel for Python.
//!
//! The first two hold the tree that `cargo install` and `hydride man` make: `bin/hydride`, `lib/hydride/libz3.so`, manual pages,
//! completions. The program finds the Z3 of the package relative to itself, and without one that of the checkout
//! (`z3/load.c`).

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::packages::{Tool, provide, provide_cargo_tool};
use crate::process::{cargo, output, run};
use crate::{root, setup, specs, wheel};

/// The crate that makes a Debian package of a crate's metadata.
const CARGO_DEB: &str = "3.8.0";

/// What the tree lacks and the archive needs to say: the licenses of the program and of Z3.
const LICENSES: [(&str, &str); 2] = [("LICENSE", "LICENSE"), ("xtask/package/LICENSE-Z3", "LICENSE-Z3")];

/// Makes the packages below `target/package`; with `check`, installs those of the command line in a new Debian system
/// each and runs them there, and the wheel in a folder of its own.
pub fn package(check: bool) -> Result<()> {
    setup::run_setup()?;
    let folder = root().join("target/package");
    let tree = folder.join("tree");
    if tree.exists() {
        fs::remove_dir_all(&tree)?;
    }
    fill(&tree)?;
    let packages = [archive(&folder, &tree)?, debian(&folder)?];
    let wheel = wheel::wheel(&folder)?;
    for package in packages.iter().chain([&wheel]) {
        println!("{}: {} KB", package.display(), fs::metadata(package)?.len() / 1000);
    }
    if check {
        wheel::try_wheel(&folder, &wheel)?;
        try_packages(&folder, &packages)?;
    }
    Ok(())
}

/// The version that the program says it has.
fn version(binary: &Path) -> Result<String> {
    let text = output(Command::new(binary).arg("--version"))?;
    Ok(text.split_whitespace().nth(1).context("`hydride --version` names no version")?.to_owned())
}

/// Makes the tree of files that all packages hold.
fn fill(tree: &Path) -> Result<()> {
    let mut install = cargo();
    install.args(["install", "--locked", "--no-track", "--profile", "dev", "--path", "hydride", "--root"]);
    run(install.arg(tree).current_dir(root()))?;
    let binary = tree.join("bin/hydride");
    let library = tree.join("lib/hydride/libz3.so");
    make_parent(&library)?;
    fs::copy(setup::library(), &library).context("cannot copy Z3")?;
    run(Command::new("strip").args([&binary, &library]))?;

    let manual = tree.join("share/man/man1");
    run(Command::new(&binary).arg("man").arg(&manual))?;
    for (shell, file) in [
        ("bash", "share/bash-completion/completions/hydride"),
        ("fish", "share/fish/vendor_completions.d/hydride.fish"),
        ("zsh", "share/zsh/vendor-completions/_hydride"),
    ] {
        let path = tree.join(file);
        make_parent(&path)?;
        fs::write(path, output(Command::new(&binary).args(["completions", shell]))?)?;
    }
    for (source, name) in LICENSES {
        let path = tree.join("share/doc/hydride").join(name);
        make_parent(&path)?;
        fs::copy(root().join(source), &path).with_context(|| format!("cannot copy {source}"))?;
    }
    Ok(())
}

fn make_parent(path: &Path) -> Result<()> {
    let parent = path.parent().context("a file is in a folder")?;
    fs::create_dir_all(parent).with_context(|| format!("cannot make {}", parent.display()))
}

/// Packs the tree in an archive that unpacks into one folder.
fn archive(folder: &Path, tree: &Path) -> Result<PathBuf> {
    let version = version(&tree.join("bin/hydride"))?;
    let name = format!("hydride-{version}-{}-{}", std::env::consts::ARCH, std::env::consts::OS);
    let path = folder.join(format!("{name}.tar.gz"));
    let mut tar = Command::new("tar");
    tar.args(["--owner=0", "--group=0", "--numeric-owner", "--sort=name"]);
    run(tar.arg(format!("--transform=s,^\\.,{name},")).arg("-czf").arg(&path).arg("-C").arg(tree).arg("."))?;
    Ok(path)
}

/// Makes the Debian package that `hydride/Cargo.toml` describes.
fn debian(folder: &Path) -> Result<PathBuf> {
    let tool = provide_cargo_tool("cargo-deb", CARGO_DEB)?;
    let path = folder.join("hydride.deb");
    let mut deb = Command::new(tool);
    deb.args(["--quiet", "--package", "hydride", "--no-build", "--no-strip", "--output"]).arg(&path);
    run(deb.current_dir(root()))?;
    Ok(path)
}

/// What a new Debian system is made with.
const DEBOOTSTRAP: &[Tool] = &[("/usr/sbin/debootstrap", "debootstrap")];

/// What must work where a package is installed: the operations of the samples are found, and a proof needs Z3.
const TRIAL: &str = "set -e
hydride --version
hydride generate-ir --specs /samples --no-cache --out /tmp/out >/dev/null
test -s /tmp/out/classes.json
hydride prove --specs /samples";

/// Installs each package in a Debian system of its own and runs the program there.
fn try_packages(folder: &Path, packages: &[PathBuf]) -> Result<()> {
    provide(DEBOOTSTRAP)?;
    let base = folder.join("base");
    if !base.join("etc/debian_version").is_file() {
        let mut bootstrap = Command::new("/usr/sbin/debootstrap");
        bootstrap.args(["--variant=minbase", "--include=libstdc++6", &crate::fetch::codename()]);
        run(bootstrap.arg(&base)).context("cannot make a Debian system; this needs root and a network")?;
    }
    for package in packages {
        println!("== {}", package.display());
        let system = folder.join("system");
        if system.exists() {
            fs::remove_dir_all(&system)?;
        }
        run(Command::new("cp").arg("-a").arg(&base).arg(&system))?;
        run(Command::new("cp").arg("-r").arg(specs::sample_folder()).arg(system.join("samples")))?;
        let install = match package.extension().is_some_and(|extension| extension == "deb") {
            true => "dpkg -i /package",
            false => "tar -xf /package -C /usr/local --strip-components=1",
        };
        fs::copy(package, system.join("package"))?;
        let script = format!("{install} && {TRIAL}");
        // The loader asks /proc where the program is.
        let mut shell = Command::new("unshare");
        shell.args(["--mount", "--pid", "--fork", "sh", "-c"]);
        shell.arg("mount -t proc proc \"$0/proc\" && exec chroot \"$0\" /bin/sh -c \"$1\"");
        run(shell.arg(&system).arg(&script))?;
        fs::remove_dir_all(&system)?;
    }
    println!("both packages of the command line work in a system that has nothing else");
    Ok(())
}
