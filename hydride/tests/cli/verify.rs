//! `hydride verify` as a user sees it.

use crate::support::{hydride, repository, scratch, vendor_documents};

#[test]
fn outcomes_are_lines_and_exit_codes() {
    let folder = scratch();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("a file");
    write("a.ll", "define i8 @f(i8 %x) {\n  %y = add nsw i8 %x, %x\n  ret i8 %y\n}\n");
    write("b.ll", "define i8 @f(i8 %x) {\n  %y = shl i8 %x, 1\n  ret i8 %y\n}\n");
    write("c.ll", "define i8 @f(i8 %x) {\n  %y = load i8, ptr @g\n  ret i8 %y\n}\n");
    let inverted = |more: &str| {
        let store = format!("  %y = xor i16 %x, -1\n  store i16 %y, ptr %p, align {more}\n  ret void\n}}\n");
        format!("define void @f(ptr %p, ptr %q) {{\n  %x = load i16, ptr %q, align 1\n{store}")
    };
    write("d.ll", &inverted("1"));
    write("e.ll", &inverted("2"));
    let run = |args: &[&str], code| hydride(folder.path(), &[&["verify"], args].concat()).exits(code);
    assert!(run(&["a.ll", "b.ll"], 0).stdout.contains(r#""status":"proved""#));
    let refuted = run(&["b.ll", "a.ll"], 1).stdout;
    assert!(refuted.contains(r#""status":"counterexample""#) && refuted.contains("poison"), "{refuted}");
    let open = run(&["a.ll", "c.ll"], 1).stdout;
    assert!(open.contains(r#""status":"unknown""#) && open.contains("c.ll:2:"), "{open}");
    assert!(run(&["e.ll", "d.ll"], 0).stdout.contains(r#""separate":true"#));
    let aligned = run(&["d.ll", "e.ll"], 1).stdout;
    assert!(aligned.contains(r#""name":"p modulo 256""#) && aligned.contains("p[0..] = "), "{aligned}");
    assert!(aligned.contains("undefined behavior: an address at 4:3 is no multiple of 2 bytes"), "{aligned}");
    run(&["--function", "g", "a.ll", "b.ll"], 2);
    run(&["a.ll", "missing.ll"], 3);
    write("cut.ll", "\ndefine i8 @f(i8 %x) {\n");
    assert!(run(&["a.ll", "cut.ll"], 3).stderr.contains("cut.ll:2:1"));
}

#[test]
fn pairs_with_intrinsics_of_targets_are_what_their_names_say() {
    let Some(specs) = vendor_documents() else { return };
    let (folder, specs) = (scratch(), specs.display().to_string());
    for name in ["average", "products", "memory", "sums"] {
        let path = repository().join("specs/refinements/targets").join(name).with_extension("ll");
        let text = std::fs::read_to_string(&path).expect("a text");
        let names = text.lines().filter_map(|line| line.strip_prefix("define ")?.split(['@', '(']).nth(1));
        let pairs: Vec<(&str, &str)> = names.filter_map(|name| name.split_once('.')).collect();
        let path = path.display().to_string();
        let mut args = vec!["verify".to_owned(), "--specs".to_owned(), specs.clone()];
        for (base, rest) in &pairs {
            args.extend(["--function".to_owned(), format!("{base}={base}.{rest}")]);
        }
        args.extend([path.clone(), path]);
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let lines = hydride(folder.path(), &args).exits(1).stdout;
        assert_eq!(lines.lines().count(), pairs.len());
        for (line, (base, expected)) in lines.lines().zip(&pairs) {
            let status = if expected.starts_with("proved") { "proved" } else { "counterexample" };
            assert!(line.contains(&format!(r#""status":"{status}""#)), "@{base}.{expected}: {line}");
        }
    }
}
