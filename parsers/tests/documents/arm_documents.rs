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
    assert_eq!(parsed.instructions.len(), 4344);
    for instruction in &parsed.instructions {
        instruction.function.verify().unwrap_or_else(|error| panic!("{}: {error:?}", instruction.id));
        assert!(instruction.undefined.is_empty(), "{}", instruction.id);
    }
}

/// The bytes of vectors and of memory after `name`, whose elements have `element` bytes, told from the name alone.
fn moved(name: &str, element: usize, vectors: &mut [Vec<u8>], memory: &mut [u8], lane: usize) {
    let count = vectors.len();
    let store = name.starts_with("vst");
    let apart = name.rsplit_once("_x").is_some_and(|(_, count)| count.len() == 1);
    for (number, vector) in vectors.iter_mut().enumerate() {
        let lanes = vector.len() / element;
        for own in 0..lanes {
            let there = match name {
                _ if name.contains("_dup_") => number,
                _ if name.contains("_lane_") && own != lane => continue,
                _ if name.contains("_lane_") => number,
                _ if apart => number * lanes + own,
                _ => own * count + number,
            };
            let (register, memory) =
                (&mut vector[own * element..][..element], &mut memory[there * element..][..element]);
            if store { memory.copy_from_slice(register) } else { register.copy_from_slice(memory) }
        }
    }
}

#[test]
fn loads_and_stores_move_the_bytes_that_their_names_say() {
    let Some(vendor) = vendor() else { return };
    let parsed = vendor.parse();
    let in_memory = parsed.instructions.iter().filter(|i| i.signature.args.iter().any(|arg| arg.is_memory()));
    let mut total = 0;
    for instruction in in_memory {
        let (id, args) = (instruction.id.as_str(), &instruction.signature.args);
        assert!(instruction.accessed.is_none() && instruction.addresses.is_none(), "{id}");
        let element = args[0].element.expect("elements").width as usize / 8;
        let count = id[3..4].parse().unwrap_or(1);
        let count = id.rsplit_once("_x").and_then(|(_, count)| count.parse().ok()).unwrap_or(count);
        let store = id.starts_with("vst");
        let size = match (store, &args[..]) {
            (true, [_, value, ..]) => value.width as usize / 8 / count,
            _ => instruction.signature.results[0].width as usize / 8,
        };
        let lanes = match args.last().map(|arg| &arg.kind) {
            Some(parsers::Kind::Immediate(range)) => range.low..=range.high,
            _ => 0..=0,
        };
        assert!(!id.contains("_lane_") || *lanes.end() as usize == size / element - 1, "{id}");
        for lane in lanes {
            let mut memory: Vec<u8> = (0..(args[0].width / 8) as u8).collect();
            let mut vectors: Vec<Vec<u8>> = (0..count)
                .map(|number| (0..size).map(|byte| (128 + number * size + byte) as u8).collect())
                .collect();
            let bits = |bytes: &[u8]| {
                let digits: String = bytes.iter().rev().map(|byte| format!("{byte:02x}")).collect();
                hydride_ir::Bits::from_hex(8 * bytes.len() as u32, &digits).unwrap()
            };
            let values = args.iter().skip(1).map(|arg| match arg.kind {
                parsers::Kind::Immediate(_) => hydride_ir::Bits::from_u64(arg.width, lane as u64),
                _ => bits(&vectors.concat()),
            });
            let values: Vec<_> = [bits(&memory)].into_iter().chain(values).collect();
            moved(id, element, &mut vectors, &mut memory, lane as usize);
            let expected: Vec<_> = match store {
                true => vec![bits(&memory)],
                false => vectors.iter().map(|vector| bits(vector)).collect(),
            };
            assert_eq!(
                interp::evaluate(&instruction.function, &values).unwrap(),
                expected,
                "{id} lane {lane}"
            );
        }
        total += 1;
    }
    assert_eq!(total, 782);
}

#[test]
fn without_errata_some_operands_do_not_assemble() {
    let Some(mut vendor) = vendor() else { return };
    vendor.errata = None;
    let parsed = vendor.parse();
    let failed = parsed.ledger.iter().filter(|line| matches!(line.status, Status::Failed { .. })).count();
    assert_eq!(failed, 27);
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
