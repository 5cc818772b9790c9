//! Programs that evaluate cases: each reads a case's number and words of arguments until the input ends, and
//! writes words of results.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use super::cases::{Case, offsets};
use crate::support::skip;

/// The runner's main program in C, around `case_N(in, out)` for each case.
pub fn main_in_c(cases: &[Case], declarations: &str) -> String {
    let mut table = String::new();
    for (number, case) in cases.iter().enumerate() {
        let (args, results) = (offsets(&case.arg_widths).1, offsets(&case.result_widths).1);
        table += &format!("  {{ case_{number}, {args}, {results} }},\n");
    }
    format!(
        "#include <stdint.h>\n#include <stdio.h>\n#include <stdlib.h>\n{declarations}\n\
         typedef struct {{ void (*run)(const uint64_t *, uint64_t *); size_t args, results; }} autotest_case;\n\
         static const autotest_case cases[] = {{\n{table}}};\n\
         static uint64_t in[4096], out[4096];\n\
         int main(void) {{\n\
         \x20 uint64_t number;\n\
         \x20 while (fread(&number, 8, 1, stdin) == 1) {{\n\
         \x20   const autotest_case *one = &cases[number];\n\
         \x20   if (fread(in, 8, one->args, stdin) != one->args) return 2;\n\
         \x20   one->run(in, out);\n\
         \x20   if (fwrite(out, 8, one->results, stdout) != one->results) return 3;\n\
         \x20 }}\n\
         \x20 return 0;\n\
         }}\n"
    )
}

/// Runs a tool in a folder; `false`, with a word about it, when it is not there. It must succeed and say
/// nothing.
pub fn tool(name: &str, folder: &Path, args: &[&str]) -> bool {
    let Ok(output) = Command::new(name).args(args).current_dir(folder).output() else {
        skip(&format!("{name} is not there"));
        return false;
    };
    let errors = String::from_utf8_lossy(&output.stderr);
    let start: String = errors.chars().take(4000).collect();
    assert!(output.status.success() && errors.is_empty(), "{name} {args:?}:\n{start}");
    true
}

/// Sends every input to a program and compares what comes back.
pub fn compare(program: &Path, cases: &[Case]) {
    let mut child = Command::new(program)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("{}: {error}", program.display()));
    let mut request = Vec::new();
    for (number, case) in (0u64..).zip(cases) {
        for input in &case.inputs {
            request.extend(number.to_le_bytes());
            request.extend(input.iter().flat_map(|word| word.to_le_bytes()));
        }
    }
    let mut stdin = child.stdin.take().expect("a pipe");
    let writer = std::thread::spawn(move || stdin.write_all(&request));
    let output = child.wait_with_output().expect("an end");
    let sent = writer.join().expect("a writer");
    assert!(output.status.success(), "{}: {}", program.display(), output.status);
    sent.expect("every input was read");

    let words: Vec<u64> =
        output.stdout.as_chunks::<8>().0.iter().map(|bytes| u64::from_le_bytes(*bytes)).collect();
    let mut rest = words.as_slice();
    let mut wrong: Vec<String> = Vec::new();
    for case in cases {
        let mut first = None;
        for ((input, expected), open) in case.inputs.iter().zip(&case.expected).zip(&case.open) {
            let (found, left) = rest.split_at_checked(expected.len()).expect("a result for every input");
            rest = left;
            let differs = |((found, expected), open): ((&u64, &u64), &u64)| (found ^ expected) & !open != 0;
            if found.iter().zip(expected).zip(open).any(differs) {
                first = first.or(Some((input, found.to_vec(), expected)));
            }
        }
        if let Some((input, found, expected)) = first {
            wrong.push(format!("{}: {input:x?} gives {found:x?}, not {expected:x?}", case.symbol));
        }
    }
    assert!(rest.is_empty());
    assert!(
        wrong.is_empty(),
        "{} of {} instances are wrong:\n{}",
        wrong.len(),
        cases.len(),
        wrong.join("\n")
    );
}
