//! The vendor's HVX documents, if they are available.

use std::collections::BTreeMap;

use crate::hexagon_support::Sample;
use parsers::Status;
use parsers::hexagon::{Options, VectorLength, parse};

#[test]
fn every_entry_ends_in_one_line_and_none_fails() {
    // The manual is only available by hand.
    let needed = ["hvx/ext.idef", "hvx/macros.def", "hvx/hvx-prm.json", "hvx/hvx_hexagon_protos.h"];
    let Some(folder) = vendor_documents::tested(&needed) else { return };
    let vendor = Sample::read_from(folder.join("hvx")).expect("the documents");
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
        assert!(modelled >= 505, "{modelled} modelled");
        for instruction in &parsed.instructions {
            assert!(instruction.undefined.is_empty(), "{} leaves bits undefined", instruction.id);
            instruction.function.verify().expect("a lawful function");
        }
    }
}
