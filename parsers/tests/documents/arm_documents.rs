//! Arm's documents, if they are available.

use std::collections::BTreeMap;
use std::process::Command;

use crate::arm_support::{self, Files, repository};
use parsers::arm::{Bodies, Facts, Lines, add_decodes, assembly_lines, expand, join, parse};
use parsers::{Parsed, Status};

/// Everything that Arm publishes, as tested: the two JSON files, the ASL, the reference page and the newer data.
fn vendor() -> Option<Files> {
    let own = ["arm/intrinsics.json", "arm/operations.json", "arm/arch_instrs.asl", "arm/arch.asl"];
    let packaged = ["arm/arm-intrinsics.html", "arm/intrinsics-no-operations.json"];
    let folder = vendor_documents::tested(&[&own[..], &packaged].concat())?;
    let mut files = Files::read(&folder.join("arm"))?;
    let text = std::fs::read_to_string(repository("specs/errata/arm.toml")).ok()?;
    files.errata = Some(arm_support::errata(&text));
    Some(files)
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

#[test]
fn every_entry_ends_in_one_line() {
    let Some(vendor) = vendor() else { return };
    let parsed = vendor.parse();
    let mut lines: BTreeMap<&str, usize> = BTreeMap::new();
    let mut failed = Vec::new();
    for line in &parsed.ledger {
        *lines.entry(&line.id).or_default() += 1;
        if let Status::Failed { reason, .. } = &line.status {
            failed.push((line.id.as_str(), reason.as_str()));
        }
    }
    assert!(lines.values().all(|count| *count == 1));
    assert_eq!(parsed.ledger.len(), 4344);
    assert!(failed.is_empty(), "{failed:?}");
    assert!(parsed.diagnostics.is_empty(), "{:?}", parsed.diagnostics);
    assert_eq!(parsed.instructions.len(), 3562);
    for instruction in &parsed.instructions {
        instruction.function.verify().unwrap_or_else(|error| panic!("{}: {error:?}", instruction.id));
        assert!(instruction.undefined.is_empty(), "{}", instruction.id);
    }
}

#[test]
fn without_errata_some_operands_do_not_assemble() {
    let Some(mut vendor) = vendor() else { return };
    vendor.errata = None;
    let parsed = vendor.parse();
    let failed = parsed.ledger.iter().filter(|line| matches!(line.status, Status::Failed { .. })).count();
    assert_eq!(failed, 26);
}

#[test]
fn the_decode_facts_are_what_the_assembler_says() {
    let Some(vendor) = vendor() else { return };
    let assembler = ["llvm-mc-19", "llvm-mc"].into_iter().find(|name| {
        Command::new(name).arg("--version").output().is_ok_and(|output| output.status.success())
    });
    let Some(assembler) = assembler else {
        vendor_documents::skip("llvm-mc is not here");
        return;
    };
    let forms = [vendor.documents(), vendor.joined()];
    let errata = vendor.errata.as_ref();
    let lines: Lines = forms.iter().flat_map(|documents| assembly_lines(documents, errata)).collect();
    let all: Vec<String> = lines.iter().flat_map(|(line, ranges)| expand(line, ranges)).collect();
    let source = std::env::temp_dir().join(format!("hydride-arm-{}.s", std::process::id()));
    std::fs::write(&source, all.join("\n") + "\n").unwrap();
    let output = Command::new(assembler)
        .args(["-triple=aarch64", "-mattr=+all", "-show-encoding"])
        .arg(&source)
        .output();
    std::fs::remove_file(&source).unwrap();
    let output = output.unwrap();
    let (listing, errors) =
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    let mut facts = Facts::from_assembler(&lines, &listing, &errors).unwrap();
    add_decodes(&mut facts, &lines, text(&vendor.instructions), text(&vendor.library));
    assert_eq!(facts, Facts::parse(text(&vendor.decode)).unwrap());
    assert_eq!(facts.print().as_bytes(), vendor.decode);
}

/// What our library and the recorded decode values are for: running without any ASL. Whether two functions
/// are one expression, or agree on examples.
fn alike(one: &hydride_ir::Function, other: &hydride_ir::Function) -> bool {
    use hydride_ir::exact::{raise, raise_with};
    let (Ok((mut dag, first)), true) = (raise(one), one.args.len() == other.args.len()) else { return false };
    let args: Vec<_> = (0..one.args.len() as u32).map(|arg| dag.arg(arg)).collect();
    if raise_with(&mut dag, other, &[], &args).is_ok_and(|second| second == first) {
        return true;
    }
    (0..100u64).all(|sample| {
        let args: Vec<hydride_ir::Bits> = one
            .args
            .iter()
            .zip(1u64..)
            .map(|(arg, place)| {
                let width = arg.width.as_constant().unwrap() as u32;
                let word = |part: u64| {
                    let seed = (sample << 32) + (place << 16) + part + 1;
                    seed.wrapping_mul(0x9e37_79b9_7f4a_7c15)
                        .rotate_left(29)
                        .wrapping_mul(0xbf58_476d_1ce4_e5b9)
                };
                hydride_ir::Bits::from_words(width, (0..u64::from(width.div_ceil(64))).map(word))
            })
            .collect();
        interp::evaluate(one, &args).ok() == interp::evaluate(other, &args).ok()
    })
}

#[test]
fn the_two_json_files_alone_give_the_same_functions() {
    let Some(mut vendor) = vendor() else { return };
    let whole = vendor.parse();
    let texts: BTreeMap<&str, String> =
        whole.instructions.iter().map(|i| (i.id.as_str(), i.function.to_string())).collect();
    let differ = |mut other: Parsed| -> Vec<String> {
        // Most are the same text.
        other.instructions.retain(|i| texts.get(i.id.as_str()) != Some(&i.function.to_string()));
        let known: BTreeMap<&str, &hydride_ir::Function> =
            whole.instructions.iter().map(|i| (i.id.as_str(), &i.function)).collect();
        let differs = |id: &str, function| !known.get(id).is_some_and(|known| alike(known, function));
        other.instructions.iter().filter(|i| differs(&i.id, &i.function)).map(|i| i.id.clone()).collect()
    };
    let same = |other: Parsed| {
        let differ = differ(other);
        assert!(differ.is_empty(), "{differ:?}");
    };
    // As the entries name them some are another instruction's.
    let named = parse(&vendor.documents(), &vendor.options(Bodies::Named));
    let wrong = differ(named).len();
    assert!(wrong >= 100, "{wrong}");
    eprintln!("{wrong} entries name an operation that differs from the ASL");

    vendor.instructions.clear();
    vendor.library = std::fs::read(repository("specs/arm/library.asl")).unwrap();
    let alone = vendor.parse();
    assert!(alone.instructions.len() >= 2399);
    same(alone);

    // The documents from packages, read directly and as the two joined files.
    let fetched = parse(&vendor.joined(), &vendor.options(Bodies::Any));
    assert!(fetched.instructions.len() >= 2119);
    assert_eq!(fetched.version, "reference page");
    let (page, newer) = (vendor.joined().page, vendor.joined().newer);
    let mut diagnostics = Vec::new();
    let (intrinsics, operations) = join(page, newer, &mut diagnostics);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    let newer = std::mem::take(&mut vendor.newer);
    (vendor.intrinsics, vendor.operations) = (intrinsics.into_bytes(), operations.into_bytes());
    let joined = vendor.parse();
    let statuses = |parsed: &Parsed| -> Vec<(String, Status)> {
        parsed.ledger.iter().map(|line| (line.id.clone(), line.status.clone())).collect()
    };
    assert_eq!(statuses(&joined), statuses(&fetched));
    same(fetched);

    // The newer data by itself has a reason for every exclusion.
    vendor.newer = newer;
    vendor.page.clear();
    let newer = parse(&vendor.joined(), &vendor.options(Bodies::Any));
    assert_eq!((newer.ledger.len(), newer.instructions.len()), (4270, 0));
    assert!(newer.ledger.iter().all(|line| matches!(line.status, Status::Excluded { .. })));
}
