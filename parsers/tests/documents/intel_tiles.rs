//! Tiles: each instruction of the vendor's document against plain loops, in several configurations.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use hydride_ir::Bits;
use parsers::{Instruction, Status, intel};

const ROWS: usize = 16;
const ROW_BYTES: usize = 64;
const BYTES: usize = ROWS * ROW_BYTES;

type Tile = [u8; BYTES];

/// Rows, bytes of a row of the result, and bytes of a row of the first factor.
const SHAPES: &[(usize, usize, usize)] =
    &[(16, 64, 64), (5, 28, 12), (3, 7, 9), (1, 4, 4), (7, 63, 21), (0, 8, 8)];

/// The instructions on tiles of the tested document, with errata; `None` where there is no document.
fn instructions() -> Option<&'static BTreeMap<String, Instruction>> {
    static INSTRUCTIONS: OnceLock<Option<BTreeMap<String, Instruction>>> = OnceLock::new();
    INSTRUCTIONS.get_or_init(read).as_ref()
}

fn read() -> Option<BTreeMap<String, Instruction>> {
    let folder = vendor_documents::tested(&["x86/x86-intel-3.6.9.xml"])?;
    let text = std::fs::read_to_string(folder.join("x86/x86-intel-3.6.9.xml")).expect("the document");
    let entries = text.split("<intrinsic ").skip(1).filter(|entry| entry.contains("<CPUID>AMX"));
    let mut document = "<intrinsics_list version=\"3.6.9\">\n".to_owned();
    for entry in entries {
        let end = entry.find("</intrinsic>").expect("a whole entry");
        document += &format!("<intrinsic {}</intrinsic>\n", &entry[..end]);
    }
    document += "</intrinsics_list>\n";
    let errata = crate::errata::checked_in();
    let options = intel::Options { errata: Some(&errata), tiles: true, ..Default::default() };
    let parsed = intel::parse("x86.xml", document.as_bytes(), &options);
    for line in &parsed.ledger {
        let named = format!("{} {:?}", line.id, line.status);
        match &line.status {
            Status::Modelled => {}
            Status::Excluded { reason, .. } => assert_eq!(reason, "state", "{named}"),
            Status::Failed { .. } => panic!("{named}"),
        }
    }
    Some(parsed.instructions.into_iter().map(|instruction| (instruction.id.clone(), instruction)).collect())
}

/// Bytes that look random, the same in every run.
fn bytes(seed: &mut u64) -> Tile {
    std::array::from_fn(|_| {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*seed >> 56) as u8
    })
}

/// The same with half precision numbers that are neither great nor NaNs in most places; `exponents` are the bits that
/// numbers of moderate size have in common.
fn numbers(seed: &mut u64, exponents: u8) -> Tile {
    let mut tile = bytes(seed);
    for pair in tile.chunks_exact_mut(2).enumerate().filter(|(place, _)| place % 7 != 0).map(|(_, pair)| pair)
    {
        pair[1] = pair[1] & 0x83 | exponents;
    }
    tile
}

fn bits(bytes: &[u8]) -> Bits {
    let words =
        bytes.chunks(8).map(|word| word.iter().rev().fold(0, |joined, byte| joined << 8 | u64::from(*byte)));
    Bits::from_words(bytes.len() as u32 * 8, words)
}

fn bytes_of(value: &Bits) -> Vec<u8> {
    let bytes = value.words().iter().flat_map(|word| word.to_le_bytes());
    bytes.take(value.width() as usize / 8).collect()
}

/// The results for arguments by name.
fn run(instruction: &Instruction, named: &[(&str, Bits)]) -> Vec<Vec<u8>> {
    let argument = |argument: &parsers::Argument| {
        let known = named.iter().find(|(name, _)| *name == argument.name);
        let (_, value) = known.unwrap_or_else(|| panic!("{}: {}", instruction.id, argument.name));
        assert_eq!(value.width(), argument.width, "{}: {}", instruction.id, argument.name);
        value.clone()
    };
    let args: Vec<Bits> = instruction.signature.args.iter().map(argument).collect();
    let results = interp::evaluate(&instruction.function, &args).expect("an evaluation");
    results.iter().map(bytes_of).collect()
}

/// The result of a product in a shape.
fn product(
    instruction: &Instruction,
    (rows, columns, depth): (usize, usize, usize),
    [c, a, b]: [&Tile; 3],
) -> Vec<u8> {
    let values = instruction.id.starts_with("__");
    let [left, right] = if values { ["src0", "src1"] } else { ["a", "b"] };
    let depth_name = format!("{left}_colsb");
    let small = |width: u32, value: usize| Bits::from_u64(width, value as u64);
    let mut results = run(
        instruction,
        &[
            ("dst", bits(c)),
            (left, bits(a)),
            (right, bits(b)),
            ("dst_rows", small(8, rows)),
            ("dst_colsb", small(16, columns)),
            (&depth_name, small(16, depth)),
        ],
    );
    assert_eq!(results.len(), 1);
    results.remove(0)
}

/// A row of a tile as numbers of 32 bits.
fn dwords(tile: &Tile, row: usize) -> [u32; 16] {
    std::array::from_fn(|place| {
        let at = row * ROW_BYTES + 4 * place;
        u32::from_le_bytes([tile[at], tile[at + 1], tile[at + 2], tile[at + 3]])
    })
}

/// The rows that a product leaves: the bytes that the tile has, and zeros.
fn kept(rows: usize, columns: usize, row: impl Fn(usize) -> [u32; 16]) -> Vec<u8> {
    let mut tile = vec![0; BYTES];
    for number in 0..rows {
        let bytes = row(number).into_iter().flat_map(u32::to_le_bytes);
        for (place, byte) in bytes.enumerate().filter(|(place, _)| *place < columns) {
            tile[number * ROW_BYTES + place] = byte;
        }
    }
    tile
}

#[test]
fn products_of_bytes_are_those_of_plain_loops() {
    let Some(instructions) = instructions() else { return };
    let mut seed = 1;
    for (signs, [left_signed, right_signed]) in
        [("ss", [true, true]), ("su", [true, false]), ("us", [false, true]), ("uu", [false, false])]
    {
        for shape @ (rows, columns, depth) in SHAPES.iter().copied() {
            let [c, a, b] = std::array::from_fn(|_| bytes(&mut seed));
            let expected = kept(rows, columns, |m| {
                let mut sums = dwords(&c, m);
                for k in 0..depth / 4 {
                    for (n, sum) in sums.iter_mut().enumerate().take(columns / 4) {
                        for j in 0..4 {
                            let number = |byte: u8, signed: bool| {
                                if signed { i32::from(byte as i8) } else { i32::from(byte) }
                            };
                            let left = number(a[m * ROW_BYTES + 4 * k + j], left_signed);
                            let right = number(b[k * ROW_BYTES + 4 * n + j], right_signed);
                            *sum = sum.wrapping_add((left * right) as u32);
                        }
                    }
                }
                sums
            });
            for id in [format!("_tile_dpb{signs}d"), format!("__tile_dpb{signs}d")] {
                assert_eq!(product(&instructions[&id], shape, [&c, &a, &b]), expected, "{id} {shape:?}");
            }
        }
    }
}

/// A number with subnormal ones taken for zeros.
fn flushed(x: f32) -> f32 {
    if x.is_subnormal() { 0f32.copysign(x) } else { x }
}

fn from_bfloat(bits: u16) -> f32 {
    flushed(f32::from_bits(u32::from(bits) << 16))
}

fn from_half(bits: u16) -> f32 {
    let (exponent, fraction) = (bits >> 10 & 31, bits & 0x3FF);
    let magnitude = match exponent {
        0 => f32::from(fraction) * 2f32.powi(-24),
        31 if fraction == 0 => f32::INFINITY,
        31 => f32::NAN,
        _ => f32::from(fraction | 0x400) * 2f32.powi(i32::from(exponent) - 25),
    };
    if bits >> 15 == 1 { -magnitude } else { magnitude }
}

#[test]
fn products_of_floating_point_numbers_are_those_of_plain_loops() {
    let Some(instructions) = instructions() else { return };
    let mut seed = 2;
    // Which elements of a pair of the second factor meet the even and the odd one of the first, and whether the odd one
    // is negated.
    type Pairs = (&'static str, fn(u16) -> f32, u8, [(usize, usize, bool); 2]);
    let products: [Pairs; 4] = [
        ("dpbf16ps", from_bfloat, 0x3C, [(0, 0, false), (1, 1, false)]),
        ("dpfp16ps", from_half, 0x38, [(0, 0, false), (1, 1, false)]),
        ("cmmimfp16ps", from_half, 0x38, [(1, 0, false), (0, 1, false)]),
        ("cmmrlfp16ps", from_half, 0x38, [(0, 0, false), (1, 1, true)]),
    ];
    for (name, number, exponents, pairs) in products {
        for shape @ (rows, columns, depth) in SHAPES.iter().copied() {
            let [a, b] = std::array::from_fn(|_| numbers(&mut seed, exponents));
            let c = numbers(&mut seed, 0x3C);
            let element = |tile: &Tile, row: usize, place: usize| {
                let at = row * ROW_BYTES + 2 * place;
                number(u16::from_le_bytes([tile[at], tile[at + 1]]))
            };
            let expected = kept(rows, columns, |m| {
                let mut row = dwords(&c, m);
                for (n, slot) in row.iter_mut().enumerate().take(columns / 4) {
                    let mut sums = [0f32; 2];
                    for k in 0..depth / 4 {
                        for (sum, (left, right, negated)) in sums.iter_mut().zip(pairs) {
                            let left = element(&a, m, 2 * k + left);
                            let left = if negated { -left } else { left };
                            *sum = flushed(left.mul_add(element(&b, k, 2 * n + right), *sum));
                        }
                    }
                    let both = flushed(sums[0] + sums[1]);
                    *slot = flushed(flushed(f32::from_bits(*slot)) + both).to_bits();
                }
                row
            });
            for id in [format!("_tile_{name}"), format!("__tile_{name}")] {
                let found = product(&instructions[&id], shape, [&c, &a, &b]);
                for (place, (found, expected)) in found.chunks(4).zip(expected.chunks(4)).enumerate() {
                    let value = |bytes: &[u8]| f32::from_le_bytes(bytes.try_into().expect("four bytes"));
                    let both_nan = value(found).is_nan() && value(expected).is_nan();
                    assert!(found == expected || both_nan, "{id} {shape:?} {place}: {found:?} {expected:?}");
                }
            }
        }
    }
}

#[test]
fn loads_and_stores_move_the_rows_that_a_tile_has() {
    let Some(instructions) = instructions() else { return };
    let mut seed = 3;
    for id in ["_tile_loadd", "_tile_stream_loadd", "__tile_loadd", "__tile_stream_loadd"] {
        for (rows, columns, _) in SHAPES.iter().copied() {
            let [before, memory] = std::array::from_fn(|_| bytes(&mut seed));
            let args = access(&before, &memory, "dst", rows, columns, 100);
            let mut expected = vec![0; BYTES];
            for row in 0..rows {
                let at = row * ROW_BYTES;
                expected[at..at + columns].copy_from_slice(&memory[at..at + columns]);
            }
            assert_eq!(run(&instructions[id], &args), [expected], "{id} {rows} {columns}");
            check_access(&instructions[id], &args, rows, columns, 100);
        }
    }
    for id in ["_tile_stored", "__tile_stored"] {
        for (rows, columns, _) in SHAPES.iter().copied() {
            let [tile, memory] = std::array::from_fn(|_| bytes(&mut seed));
            let args = access(&tile, &memory, "src", rows, columns, 0x1_0000_0040);
            let mut expected = memory.to_vec();
            for row in 0..rows {
                let at = row * ROW_BYTES;
                expected[at..at + columns].copy_from_slice(&tile[at..at + columns]);
            }
            assert_eq!(run(&instructions[id], &args), [expected], "{id} {rows} {columns}");
            check_access(&instructions[id], &args, rows, columns, 0x1_0000_0040);
        }
    }
}

/// The arguments of a load or store; `name` is the tile.
fn access(
    tile: &Tile,
    memory: &Tile,
    name: &str,
    rows: usize,
    columns: usize,
    stride: u64,
) -> Vec<(&'static str, Bits)> {
    let small = |width: u32, value: usize| Bits::from_u64(width, value as u64);
    let [own, rows_name, columns_name] =
        if name == "dst" { ["dst", "dst_rows", "dst_colsb"] } else { ["src", "src_rows", "src_colsb"] };
    vec![
        (own, bits(tile)),
        ("base", bits(memory)),
        ("stride", Bits::from_u64(64, stride)),
        (rows_name, small(8, rows)),
        (columns_name, small(16, columns)),
    ]
}

/// The bytes that are accessed are those of the tile, each row at its multiple of the stride.
fn check_access(instruction: &Instruction, named: &[(&str, Bits)], rows: usize, columns: usize, stride: u64) {
    let args: Vec<Bits> = instruction
        .signature
        .args
        .iter()
        .map(|argument| named.iter().find(|(name, _)| *name == argument.name).expect("an argument").1.clone())
        .collect();
    let accessed = instruction.accessed.as_ref().expect("not all bytes are always accessed");
    let accessed = interp::evaluate(accessed, &args).expect("an evaluation").remove(0);
    for byte in 0..BYTES {
        let has = byte / ROW_BYTES < rows && byte % ROW_BYTES < columns;
        assert_eq!(accessed.bit(byte as u32), has, "{}: byte {byte}", instruction.id);
    }
    let addresses = instruction.addresses.as_ref().expect("rows are apart");
    let addresses = bytes_of(&interp::evaluate(addresses, &args).expect("an evaluation")[0]);
    for (row, address) in (0..).zip(addresses.chunks(8)) {
        let address = u64::from_le_bytes(address.try_into().expect("eight bytes"));
        assert_eq!(address, stride.wrapping_mul(row), "{}: row {row}", instruction.id);
    }
}

#[test]
fn zeroing_clears_all_rows() {
    let Some(instructions) = instructions() else { return };
    for (id, name) in [("_tile_zero", "tdest"), ("__tile_zero", "dst")] {
        let before = bits(&[0xA5; BYTES]);
        assert_eq!(run(&instructions[id], &[(name, before)]), [vec![0; BYTES]], "{id}");
    }
}
