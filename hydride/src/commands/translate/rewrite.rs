//! The file with some of its calls replaced; all other bytes stay.

use std::ops::Range;

/// A call that is replaced.
pub struct Replaced {
    /// Where it is.
    pub whole: Range<usize>,
    /// Where its arguments are.
    pub arguments: Vec<Range<usize>>,
    /// What it becomes.
    pub pieces: Vec<Piece>,
}

/// A piece of what a call becomes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// C.
    Text(String),
    /// The argument at a position, as the file has it.
    Argument(usize),
}

/// The bytes with calls replaced; those inside of arguments too. Calls are in the order of their beginnings.
pub fn rewrite(bytes: &[u8], calls: &[Replaced]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    part(bytes, 0..bytes.len(), calls, &mut out);
    out
}

fn part(bytes: &[u8], range: Range<usize>, calls: &[Replaced], out: &mut Vec<u8>) {
    let mut at = range.start;
    let first = calls.partition_point(|call| call.whole.start < range.start);
    for call in &calls[first..] {
        if call.whole.start >= range.end {
            break;
        }
        // Those inside of another call are written with its arguments.
        if call.whole.start < at {
            continue;
        }
        out.extend_from_slice(&bytes[at..call.whole.start]);
        for piece in &call.pieces {
            match piece {
                Piece::Text(text) => out.extend_from_slice(text.as_bytes()),
                Piece::Argument(number) => {
                    if let Some(argument) = call.arguments.get(*number) {
                        part(bytes, argument.clone(), calls, out);
                    }
                }
            }
        }
        at = call.whole.end;
    }
    out.extend_from_slice(&bytes[at..range.end]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_inside_of_arguments_are_replaced_too() {
        let text = b"x = f(g(a), /* b */ b) + g(c);";
        let call = |whole: Range<usize>, arguments: Vec<Range<usize>>, pieces: Vec<Piece>| Replaced {
            whole,
            arguments,
            pieces,
        };
        let word = |text: &str| Piece::Text(text.to_owned());
        let (first, second) = (8..9, 27..28);
        let calls = [
            call(4..22, vec![6..10, 20..21], vec![Piece::Argument(1), word("-"), Piece::Argument(0)]),
            call(6..10, vec![first], vec![word("G "), Piece::Argument(0)]),
            call(25..29, vec![second], vec![word("G "), Piece::Argument(0)]),
        ];
        assert_eq!(rewrite(text, &calls), b"x = b-G a + G c;");
        assert_eq!(rewrite(text, &[]), text);
    }
}
