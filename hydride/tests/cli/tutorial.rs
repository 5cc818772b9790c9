//! The commands of the tutorials, in order, with their output.
//!
//! A `console` block has commands after `$ ` (continuation lines after `> `), each followed by its standard output.
//! `HYDRIDE_BLESS=1 cargo test -p hydride --test tutorial` rewrites the outputs.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::support::*;

/// The tools without which nothing of it works.
const TOOLS: [&str; 7] = [
    "mlir-opt-19",
    "mlir-translate-19",
    "mlir-tblgen-19",
    "llvm-tblgen-19",
    "llvm-link-19",
    "opt-19",
    "llc-19",
];

/// What a command prints.
fn output(command: &str, folder: &Path) -> String {
    let mut shell = Command::new("sh");
    shell.args(["-c", command]).current_dir(folder).stdin(Stdio::null());
    shell.env("PATH", path_with_hydride()).env("HYDRIDE", repository());
    let output = shell.env_remove("HYDRIDE_LOG").output().expect("a shell");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && errors.is_empty(), "{command}\n{errors}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The page with the outputs that its commands have now.
fn played(page: &str, folder: &Path) -> String {
    let mut text = String::new();
    let mut lines = page.lines().peekable();
    let mut inside = false;
    while let Some(line) = lines.next() {
        if line.starts_with("```") {
            inside = line == "```console";
        }
        let Some(first) = line.strip_prefix("$ ").filter(|_| inside) else {
            // Within a block all else is output, which is written anew.
            if !inside || line.starts_with("```") {
                text.push_str(line);
                text.push('\n');
            }
            continue;
        };
        let mut command = first.to_owned();
        text.push_str(&format!("$ {first}\n"));
        while let Some(more) = lines.next_if(|line| line.starts_with("> ")) {
            command.push_str(&format!("\n{}", &more[2..]));
            text.push_str(&format!("{more}\n"));
        }
        text.push_str(&output(&command, folder));
    }
    text
}

#[test]
fn the_tutorial_does_what_it_says() {
    does_what_it_says("tutorial.md", &TOOLS);
}

#[test]
fn the_page_on_c_does_what_it_says() {
    does_what_it_says("c.md", &["clang-19"]);
}

/// Plays a page of the guide, which needs these tools.
fn does_what_it_says(page: &str, tools: &[&str]) {
    let missing = tools.iter().find(|tool| Command::new(tool).arg("--version").output().is_err());
    if let Some(tool) = missing {
        return skip(&format!("{tool} is not there"));
    }
    let path = repository().join("docs/src").join(page);
    let page = std::fs::read_to_string(&path).unwrap();
    let folder = scratch();
    let now = played(&page, folder.path());
    if std::env::var_os("HYDRIDE_BLESS").is_some_and(|value| value == "1") {
        std::fs::write(&path, &now).unwrap();
        return;
    }
    let differs = (1..).zip(page.lines().zip(now.lines())).find(|(_, (old, new))| old != new);
    if let Some((line, (old, new))) = differs {
        panic!(
            "{}:{line}: the page says `{old}`, it is `{new}` (HYDRIDE_BLESS=1 accepts it)",
            path.display()
        );
    }
    assert_eq!(page, now);
}
