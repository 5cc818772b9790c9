//! Completions and manual pages.

use std::process::Command;

use crate::support::*;

/// The commands that `hydride --help` lists.
fn commands() -> Vec<String> {
    let help = hydride(scratch().path(), &["--help"]).exits(0).stdout;
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let names = listed.take_while(|line| !line.is_empty()).filter_map(|line| line.split_whitespace().next());
    let names: Vec<String> = names.filter(|name| *name != "help").map(str::to_owned).collect();
    assert!(names.iter().any(|name| name == "generate-ir"), "{help}");
    names
}

#[test]
fn completions_know_the_commands() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let text = hydride(scratch().path(), &["completions", shell]).exits(0).stdout;
        for command in commands() {
            assert!(text.contains(&command), "{command} in the completions of {shell}");
        }
    }
    hydride(scratch().path(), &["completions", "dos"]).exits(2);
}

#[test]
fn bash_accepts_its_completions() {
    let folder = scratch();
    let text = hydride(folder.path(), &["completions", "bash"]).exits(0).stdout;
    std::fs::write(folder.path().join("hydride.bash"), text).unwrap();
    let script = "source ./hydride.bash && COMP_WORDS=(hydride gener) COMP_CWORD=1 && \
                  _hydride hydride gener hydride && echo \"${COMPREPLY[@]}\"";
    let Ok(output) = Command::new("bash").current_dir(folder.path()).args(["-c", script]).output() else {
        return skip("bash is not there");
    };
    assert_eq!(String::from_utf8_lossy(&output.stdout), "generate-ir\n");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

#[test]
fn every_command_has_a_manual_page() {
    let folder = scratch();
    hydride(folder.path(), &["man", "pages"]).exits(0);
    let pages = files(&folder.path().join("pages"));
    for command in commands() {
        let page = &pages[&format!("hydride-{command}.1")];
        assert!(page.contains(".TH") && page.contains("DESCRIPTION"), "{command}: {page}");
    }
    assert!(pages["hydride.1"].contains("generate"));
    hydride(folder.path(), &["man", "pages/hydride.1"]).exits(3);
}
