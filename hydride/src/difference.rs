//! What differs between a file and what would be written, for people: the hunks of a unified diff, cut to a
//! readable length.

use std::fmt::Write as _;

use similar::{ChangeTag, TextDiff};

/// Lines of each text that are compared; what follows is counted.
const COMPARED: usize = 2000;
/// Changed lines that are shown of a file.
const SHOWN: usize = 20;
/// Characters that are shown of a line.
const WIDTH: usize = 200;
/// Lines around a change.
const CONTEXT: usize = 2;

/// The difference of two texts that are not equal. `path` is named in the head.
pub fn difference(path: &str, present: &str, wanted: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (present.lines().collect(), wanted.lines().collect());
    let same = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let ends = old[same..].iter().rev().zip(new[same..].iter().rev());
    let same_end = ends.take_while(|(old, new)| old == new).count();
    let start = same.saturating_sub(CONTEXT);
    let window = |lines: &[&str]| -> Vec<String> {
        let end = (lines.len() - same_end + CONTEXT).min(lines.len()).min(start + COMPARED);
        lines[start..end].iter().map(|line| format!("{line}\n")).collect()
    };
    let (old_window, new_window) = (window(&old), window(&new));
    let (old_refs, new_refs): (Vec<&str>, Vec<&str>) =
        (old_window.iter().map(String::as_str).collect(), new_window.iter().map(String::as_str).collect());
    let diff = TextDiff::from_slices(&old_refs, &new_refs);

    let mut text = format!("{path}: differs\n--- {path} (present)\n+++ {path} (generated)\n");
    let (mut shown, mut left_out) = (0, 0);
    for group in diff.grouped_ops(CONTEXT) {
        let (Some(first), Some(last)) = (group.first(), group.last()) else { continue };
        if shown < SHOWN {
            let head =
                |range: std::ops::Range<usize>, count: usize| format!("{},{count}", start + range.start + 1);
            let (old_count, new_count) = (
                last.old_range().end - first.old_range().start,
                last.new_range().end - first.new_range().start,
            );
            let old_head = head(first.old_range(), old_count);
            let _ = writeln!(text, "@@ -{old_head} +{} @@", head(first.new_range(), new_count));
        }
        for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
            let sign = match change.tag() {
                ChangeTag::Equal => ' ',
                ChangeTag::Delete => '-',
                ChangeTag::Insert => '+',
            };
            let changed = sign != ' ';
            if shown < SHOWN {
                let _ = writeln!(text, "{sign}{}", cut(change.value().trim_end_matches('\n')));
                shown += usize::from(changed);
            } else {
                left_out += usize::from(changed);
            }
        }
    }
    if shown == 0 {
        // Equal line by line: the end of the last line, or line endings.
        let _ = writeln!(text, "the lines are the same, their ends are not");
    }
    if left_out > 0 {
        let _ = writeln!(text, "… {left_out} more changed lines");
    }
    let beyond = |lines: &[&str]| lines.len().saturating_sub(same_end).saturating_sub(start + COMPARED);
    if beyond(&old) + beyond(&new) > 0 {
        let _ = writeln!(text, "… {} present and {} generated lines after that", beyond(&old), beyond(&new));
    }
    text
}

fn cut(line: &str) -> String {
    match line.char_indices().nth(WIDTH) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbered(count: usize, change: &[(usize, &str)]) -> String {
        let line = |index: usize| {
            change.iter().find(|(at, _)| *at == index).map_or(index.to_string(), |c| c.1.into())
        };
        (1..=count).map(line).collect::<Vec<_>>().join("\n") + "\n"
    }

    #[test]
    fn a_changed_line_with_its_surroundings() {
        let text = difference("a/b", &numbered(9, &[(5, "five")]), &numbered(9, &[]));
        let expected = "a/b: differs\n--- a/b (present)\n+++ a/b (generated)\n\
                        @@ -3,5 +3,5 @@\n 3\n 4\n-five\n+5\n 6\n 7\n";
        assert_eq!(text, expected);
    }

    #[test]
    fn much_is_counted_and_not_shown() {
        let text = difference("f", &numbered(100, &[]), &numbered(3, &[]));
        assert!(text.contains("@@ -2,99 +2,2 @@\n 2\n 3\n-4\n"), "{text}");
        assert!(text.ends_with("-23\n… 77 more changed lines\n"), "{text}");
        let text = difference("f", "x\n", &numbered(5000, &[]));
        assert!(text.ends_with("… 0 present and 3000 generated lines after that\n"), "{text}");
    }

    #[test]
    fn long_lines_and_ends_of_lines() {
        let text = difference("f", &"ä".repeat(300), "b\n");
        assert!(text.contains(&format!("-{}…\n+b\n", "ä".repeat(200))), "{text}");
        assert!(difference("f", "a", "a\n").ends_with("the lines are the same, their ends are not\n"));
        assert!(difference("f", "a\r\n", "a\n").ends_with("the lines are the same, their ends are not\n"));
    }
}
