//! Lines and columns of byte offsets in a document.

/// Maximum number of bytes scanned for a column: a document may be one line, with a place for every few bytes.
const STEP: usize = 4096;

/// Where the lines of a document begin.
pub(crate) struct Lines {
    starts: Vec<usize>,
    /// Characters of the line before each multiple of [`STEP`].
    before: Vec<usize>,
}

impl Lines {
    /// Indexes a document.
    pub fn new(bytes: &[u8]) -> Self {
        let mut starts = vec![0];
        let mut before = Vec::with_capacity(bytes.len() / STEP + 1);
        let mut characters = 0;
        for (position, chunk) in bytes.chunks(STEP).enumerate() {
            before.push(characters);
            let newlines = chunk.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
            starts.extend(newlines.map(|(at, _)| position * STEP + at + 1));
            let line = starts[starts.len() - 1];
            characters = match line.checked_sub(position * STEP) {
                Some(start) => count(&chunk[start..]),
                None => characters + count(chunk),
            };
        }
        before.push(characters);
        Self { starts, before }
    }

    /// Where a line begins, counted from 1.
    pub fn start(&self, line: usize) -> Option<usize> {
        self.starts.get(line.saturating_sub(1)).copied()
    }

    /// The offset of a line and column in the document that was indexed, both counted from 1, columns in bytes.
    pub fn offset(&self, bytes: &[u8], line: usize, column: usize) -> usize {
        let start = self.start(line).unwrap_or(bytes.len());
        (start + column.saturating_sub(1)).min(bytes.len())
    }

    /// Line and column, in characters, of an offset in the document that was indexed, both counted from 1.
    pub fn place(&self, bytes: &[u8], offset: usize) -> (u32, u32) {
        let offset = offset.min(bytes.len());
        let line = self.starts.partition_point(|start| *start <= offset).max(1);
        let start = self.starts[line - 1];
        let step = offset / STEP;
        let column = match self.before.get(step) {
            Some(before) if start < step * STEP => before + count(&bytes[step * STEP..offset]),
            _ => count(&bytes[start..offset]),
        };
        let clamp = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        (clamp(line), clamp(column + 1))
    }
}

/// The number of characters: every byte that does not continue one starts one.
fn count(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| **byte & 0xC0 != 0x80).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_those_of_plain_counting() {
        let long = "aé→".repeat(1400);
        for text in
            ["", "\n", "a\n\nbé\nc", &long, &format!("x\n{long}\n{long}{long}\ny"), &"\n".repeat(9000)]
        {
            let lines = Lines::new(text.as_bytes());
            for (offset, _) in text.char_indices().chain([(text.len(), ' '), (text.len() + 5, ' ')]) {
                let before = &text[..offset.min(text.len())];
                let line = before.matches('\n').count();
                let start = before.rfind('\n').map_or(0, |newline| newline + 1);
                let column = before[start..].chars().count();
                let place = lines.place(text.as_bytes(), offset);
                assert_eq!(place, (line as u32 + 1, column as u32 + 1), "{offset}");
                assert_eq!(lines.start(line + 1), Some(start));
                assert_eq!(lines.offset(text.as_bytes(), line + 1, before.len() - start + 1), before.len());
            }
        }
    }
}
