//! The vendor's own HVX documents, where they are at hand: below `specs/vendor/hvx`, or the folder
//! that `HYDRIDE_SPECS` names. Without them this test passes without looking.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::hexagon_support::Sample;
use parsers::Status;
use parsers::hexagon::{Options, VectorLength, parse};

fn vendor() -> Option<Sample> {
    let named = std::env::var_os("HYDRIDE_SPECS").map(PathBuf::from);
    let folder = named.unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../specs/vendor"));
    Sample::read_from(folder.join("hvx"))
}

#[test]
fn every_entry_ends_in_one_line_and_none_fails() {
    let Some(vendor) = vendor() else { return };
    for vector_length in [VectorLength::Bytes64, VectorLength::Bytes128] {
        let parsed = parse(&vendor.documents(), &Options { vector_length });
        let mut lines: BTreeMap<&str, usize> = BTreeMap::new();
        let mut modelled = 0;
        for line in &parsed.ledger {
            *lines.entry(&line.id).or_default() += 1;
            match &line.status {
                Status::Modelled => modelled += 1,
                Status::Excluded { .. } => {}
                Status::Failed { reason, message } => panic!("{}: {reason}: {message}", line.id),
            }
        }
        assert!(lines.values().all(|count| *count == 1));
        assert_eq!(modelled, parsed.instructions.len());
        assert!(modelled >= 365, "{modelled} modelled");
        for instruction in &parsed.instructions {
            assert!(instruction.undefined.is_empty(), "{} leaves bits undefined", instruction.id);
            instruction.function.verify().expect("a lawful function");
        }
    }
}
