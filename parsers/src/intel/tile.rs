//! Tiles of AMX: operands of 16 rows of 64 bytes, and what a configuration says of them.
//!
//! A tile is an argument of 8192 bits, row after row; row `r` is bits `512·r .. 512·r + 512`. How many rows and bytes of
//! a row it has is set by `LDTILECFG` for the number of the tile, so that it is state to the processor; here the fields
//! that a text reads are arguments after the others, named like the text's `dst.rows` with an underscore (`dst_rows`).
//! Palette 1, the only one that can be configured, has these greatest numbers. No load or store is being restarted: the
//! start row is 0, as every instruction on tiles leaves it.

use super::document::{Entry, Operand};
use crate::signature::{Argument, Kind, Signature};

/// Rows that a tile has at most.
pub(super) const ROWS: u32 = 16;

/// Bytes of a row that a tile has at most.
pub(super) const ROW_BYTES: u32 = 64;

/// Bits of a row.
pub(super) const ROW_BITS: u32 = 8 * ROW_BYTES;

/// Bits of a tile.
pub(super) const BITS: u32 = ROWS * ROW_BITS;

/// A field of a tile's configuration: what a text calls it, its width in bits in the memory operand of `LDTILECFG`, and
/// its greatest value.
struct Field {
    name: &'static str,
    width: u32,
    greatest: u32,
}

const FIELDS: [Field; 2] = [
    Field { name: "rows", width: 8, greatest: ROWS },
    Field { name: "colsb", width: 16, greatest: ROW_BYTES },
];

/// Functions that texts on tiles call without defining them; the Software Developer's Manual does.
pub(super) const FUNCTIONS: &[&str] = &[
    "tilezero",
    "write_row_and_zero",
    "zero_upper_rows",
    "zero_tileconfig_start",
    "read_memory",
    "write_memory",
];

/// Whether an entry's instruction is one on tiles.
pub(super) fn is_of_tiles(entry: &Entry) -> bool {
    entry.extensions.iter().any(|extension| extension.starts_with("AMX"))
}

/// Whether an operand is a tile, as a value (`__tile1024i`) or as the number of one (`constexpr int`).
pub(super) fn is_tile(entry: &Entry, operand: &Operand) -> bool {
    let c_type = operand.c_type.trim();
    c_type.contains("__tile1024i") || (is_of_tiles(entry) && c_type == "constexpr int")
}

/// Whether an operand is a tile.
pub(super) fn has_tiles(signature: &Signature) -> bool {
    signature.args.iter().any(is_tile_argument)
}

fn is_tile_argument(argument: &Argument) -> bool {
    argument.width == BITS && argument.kind == Kind::Vector
}

/// Arguments for fields of tiles' configurations, each given as the tile and the field that a text reads.
pub(super) fn configuration<'t>(
    fields: impl Iterator<Item = (&'t str, &'t str)>,
    signature: &Signature,
) -> Vec<Argument> {
    let tile = |name: &str| signature.args.iter().any(|arg| arg.name == name && is_tile_argument(arg));
    let argument = |(name, field)| {
        let field = FIELDS.iter().find(|known| known.name == field)?;
        tile(name).then(|| Argument {
            name: argument_name(name, field.name),
            c_type: format!("uint{}_t", field.width),
            width: field.width,
            kind: Kind::Scalar,
            element: None,
        })
    };
    fields.filter_map(argument).collect()
}

/// The name of the argument that is a field of a tile.
pub(super) fn argument_name(tile: &str, field: &str) -> String {
    format!("{tile}_{field}")
}

/// The greatest value of an argument of [`configuration`]; `None` for other arguments.
pub(super) fn greatest(signature: &Signature, argument: &Argument) -> Option<u32> {
    let is_of = |tile: &Argument, field: &&Field| {
        is_tile_argument(tile) && argument.name == argument_name(&tile.name, field.name)
    };
    let mut tiles = signature.args.iter();
    tiles.find_map(|tile| FIELDS.iter().find(|field| is_of(tile, field)).map(|field| field.greatest))
}

/// What a text reads of the configuration as a whole: the start row, or a number of palette 1.
pub(super) fn constant(name: &str, field: &str) -> Option<u32> {
    match (name, field) {
        ("tileconfig", "startRow") => Some(0),
        ("palette_table", "max_rows") => Some(ROWS),
        ("palette_table", "bytes_per_row") => Some(ROW_BYTES),
        _ => None,
    }
}
