//! What the HVX tests share: the sample documents, and values of vectors.

use std::path::PathBuf;

use hydride_ir::exact::{Dag, Int, NodeId, Part, Segment, raise_with};
use hydride_ir::{Bits, Function};
use parsers::hexagon::{Document, Documents};

/// The four documents of a folder.
pub struct Sample {
    pub manual: Vec<u8>,
    pub semantics: Vec<u8>,
    pub macros: Vec<u8>,
    pub prototypes: Vec<u8>,
}

impl Sample {
    /// The samples of this repository.
    pub fn read() -> Self {
        let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../specs/sample/hvx");
        Self::read_from(folder).expect("the sample documents")
    }

    /// The documents of a folder, if all are there.
    pub fn read_from(folder: PathBuf) -> Option<Self> {
        let read = |file: &str| std::fs::read(folder.join(file)).ok();
        Some(Self {
            manual: read("hvx-prm.json")?,
            semantics: read("ext.idef")?,
            macros: read("macros.def")?,
            prototypes: read("hvx_hexagon_protos.h")?,
        })
    }

    pub fn documents(&self) -> Documents<'_> {
        Documents {
            manual: Some(Document { name: "hvx-prm.json", bytes: &self.manual }),
            semantics: Some(Document { name: "ext.idef", bytes: &self.semantics }),
            macros: Some(Document { name: "macros.def", bytes: &self.macros }),
            prototypes: Some(Document { name: "hvx_hexagon_protos.h", bytes: &self.prototypes }),
            errata: None,
        }
    }
}

/// The results of a function, by the interpreter; raised with literal arguments it must fold to the
/// same.
pub fn evaluate(function: &Function, args: &[Int]) -> Vec<Int> {
    let bits: Vec<Bits> =
        function.args.iter().zip(args).map(|(arg, value)| to_bits(value, arg.width.as_constant())).collect();
    let results: Vec<Int> = evaluate_bits(function, &bits).iter().map(from_bits).collect();
    assert_eq!(results, folded(function, args), "{}", function.name);
    results
}

/// The results of a function, by the interpreter.
pub fn evaluate_bits(function: &Function, args: &[Bits]) -> Vec<Bits> {
    interp::evaluate(function, args).expect("a function that can be run")
}

fn folded(function: &Function, args: &[Int]) -> Vec<Int> {
    let mut dag = Dag::new(Vec::new());
    let args: Vec<NodeId> = args.iter().map(|value| dag.int(value.clone())).collect();
    let raised = raise_with(&mut dag, function, &[], &args).expect("a function that can be raised");
    let value = |segments: &Vec<Segment>| {
        let parts: Vec<Part> =
            segments.iter().map(|segment| Part { node: segment.value, width: segment.width }).collect();
        let node = dag.concat(&parts);
        dag.as_int(node).unwrap_or_else(|| panic!("{} does not fold", function.name)).clone()
    };
    raised.results.iter().map(value).collect()
}

fn to_bits(value: &Int, width: Option<i64>) -> Bits {
    let width = width.and_then(|width| u32::try_from(width).ok()).expect("a width");
    let words = (0..width.div_ceil(64) as usize).map(|word| {
        let low: Int = (value.clone() >> (64 * word)) & Int::from(u64::MAX);
        u64::try_from(&low).expect("64 bits")
    });
    Bits::from_words(width, words)
}

fn from_bits(bits: &Bits) -> Int {
    bytes(&bits.words().iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<_>>())
}

/// A scalar or predicate.
pub fn int(value: u128) -> Int {
    Int::from(value)
}

/// A vector from bytes, lowest first.
pub fn bytes(bytes: &[u8]) -> Int {
    bytes.iter().rev().fold(Int::ZERO, |value, byte| (value << 8) + Int::from(*byte))
}

/// A vector from halves, lowest first.
pub fn halves(lanes: &[u16]) -> Int {
    bytes(&lanes.iter().flat_map(|lane| lane.to_le_bytes()).collect::<Vec<_>>())
}

/// A vector from words, lowest first.
pub fn words(lanes: &[u32]) -> Int {
    bytes(&lanes.iter().flat_map(|lane| lane.to_le_bytes()).collect::<Vec<_>>())
}

/// A pattern repeated up to a length.
pub fn repeat(pattern: &[u8], length: usize) -> Vec<u8> {
    pattern.iter().copied().cycle().take(length).collect()
}
