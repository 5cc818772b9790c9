//! Evaluation of a function on many inputs at once.
//!
//! A value is `width.div_ceil(8)` bytes, least significant first; bits above its width are zero in results and ignored
//! in arguments. A column is the values of one argument, one after the other.

use std::ops::Range;

use anyhow::{Result, ensure};
use interp::{Machine, Program, inputs};
use parsers::Instruction;
use rayon::prelude::*;

/// Rows that one thread evaluates at a time.
const CHUNK: usize = 1024;

/// The results of a program for each row of arguments: for each result slot the bytes of its values.
///
/// Each of `columns` has one value for each row, or a single one for all rows.
///
/// ```
/// use hydride_ir::Function;
/// use interp::Program;
///
/// let text = "func @f(%a: 8, %b: 8) -> (%d: 8) {\n  %d[0 +: 8] = add(%a, %b)\n}\n";
/// let program = Program::new(&Function::parse(text).unwrap()).unwrap();
/// let results = hydride::evaluate_rows(&program, &[&[1, 2, 255], &[1]], 3).unwrap();
/// assert_eq!(results, [vec![2, 3, 0]]);
/// assert!(hydride::evaluate_rows(&program, &[&[1, 2], &[1]], 3).is_err());
/// ```
pub fn evaluate_rows(program: &Program, columns: &[&[u8]], rows: usize) -> Result<Vec<Vec<u8>>> {
    let widths: Vec<u32> = program.arg_widths().collect();
    ensure!(columns.len() == widths.len(), "{} arguments expected, not {}", widths.len(), columns.len());
    let columns = widths.into_iter().zip(columns).map(|(width, values)| Column::new(width, values, rows));
    let columns = columns.collect::<Result<Vec<_>>>()?;
    let chunks: Vec<usize> = (0..rows).step_by(CHUNK).collect();
    let chunks = chunks
        .into_par_iter()
        .map(|first| evaluate(program, &columns, first..rows.min(first + CHUNK)))
        .collect::<Result<Vec<_>>>()?;
    let whole = |result: usize| chunks.iter().flat_map(|chunk| &chunk[result]).copied().collect();
    Ok((0..program.result_widths().len()).map(whole).collect())
}

/// At least `count` inputs of an instruction, as columns for [`evaluate_rows`]. They are the ones on which validation
/// compares it with a machine: extremes in every element, small numbers, and random ones; the same for the same seed.
pub fn input_rows(instruction: &Instruction, count: usize, seed: u64) -> Vec<Vec<u8>> {
    let args = &instruction.signature.args;
    let numbers = inputs::computes_with_floats(&instruction.function);
    let inputs = inputs::generate(args, numbers, &inputs::immediates(args), count, seed, &instruction.id);
    let mut columns = vec![Vec::new(); args.len()];
    for record in inputs.records.chunks_exact(inputs.record) {
        // Which immediates were chosen comes first; they are among the arguments, too.
        let mut words = &record[1..];
        for (arg, column) in args.iter().zip(&mut columns) {
            let (own, others) = words.split_at(arg.width.max(1).div_ceil(64) as usize);
            push_value(column, own, arg.width);
            words = others;
        }
    }
    columns
}

/// The values of an argument.
struct Column<'a> {
    values: &'a [u8],
    /// Bytes of a value.
    size: usize,
    /// Distance of the values of two rows in bytes; 0 if all rows have the same.
    stride: usize,
}

impl<'a> Column<'a> {
    fn new(width: u32, values: &'a [u8], rows: usize) -> Result<Self> {
        let size = width.div_ceil(8) as usize;
        let stride = if values.len() == size { 0 } else { size };
        ensure!(
            stride == 0 || values.len() == rows * size,
            "a column of {} bytes does not hold {rows} values of {width} bits",
            values.len()
        );
        Ok(Self { values, size, stride })
    }

    /// The value of a row.
    fn value(&self, row: usize) -> &'a [u8] {
        &self.values[row * self.stride..][..self.size]
    }
}

fn evaluate(program: &Program, columns: &[Column<'_>], rows: Range<usize>) -> Result<Vec<Vec<u8>>> {
    let widths: Vec<u32> = program.result_widths().collect();
    let mut results = vec![Vec::new(); widths.len()];
    let mut machine = Machine::new();
    let mut words = Vec::new();
    for row in rows {
        words.clear();
        for column in columns {
            words.extend(column.value(row).chunks(8).map(word));
        }
        program.run_words(&mut machine, &words)?;
        for (position, (width, values)) in widths.iter().zip(&mut results).enumerate() {
            push_value(values, program.result_words(&machine, position), *width);
        }
    }
    Ok(results)
}

/// Appends the bytes of a value.
fn push_value(column: &mut Vec<u8>, words: &[u64], width: u32) {
    let end = column.len() + width.div_ceil(8) as usize;
    for word in words {
        column.extend_from_slice(&word.to_le_bytes());
    }
    column.truncate(end);
}

/// The word whose low bytes these are, at most eight.
fn word(bytes: &[u8]) -> u64 {
    let mut whole = [0; 8];
    whole[..bytes.len()].copy_from_slice(bytes);
    u64::from_le_bytes(whole)
}
