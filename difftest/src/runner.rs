//! The job stream between this crate and a runner process (`runner.c` describes it byte by byte).
//!
//! A runner is any command that understands the stream: the native program, or an emulator with the program
//! as its argument. `freestanding.c` is the runner for machines that only an emulator of their system calls
//! has: it needs no library and no start files, and relies on the system to end it with a signal.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// A multiple of the page sizes of all machines, as C.
macro_rules! page {
    () => {
        "#define HYDRIDE_PAGE 65536\n"
    };
}

/// The C source of the runner's `main`; it calls the wrappers that are linked with it.
pub const RUNNER_SOURCE: &str = concat!(page!(), include_str!("runner.c"), include_str!("memory.c"));

/// The C source of a runner without a library, for 64-bit Arm and Hexagon under Linux.
pub const FREESTANDING_SOURCE: &str =
    concat!(page!(), include_str!("freestanding.c"), include_str!("memory.c"));

/// The most arguments of a wrapper: one for each byte of 512 bits.
pub const MAX_ARGS: usize = 64;

/// The most results of a wrapper.
pub const MAX_RESULTS: usize = 8;

/// How a runner is started.
#[derive(Clone, Debug)]
pub struct RunnerCommand {
    /// The program: the runner, or an emulator.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<OsString>,
}

/// Where a runner finds a wrapper.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WrapperId {
    /// The compiled file.
    pub chunk: u32,
    /// The position in its table.
    pub index: u32,
}

/// Calls of one wrapper on many inputs.
#[derive(Clone, Copy, Debug)]
pub struct Job<'a> {
    /// The wrapper.
    pub wrapper: WrapperId,
    /// Sizes of the arguments in 64-bit words.
    pub arg_words: &'a [u32],
    /// Sizes of the results in 64-bit words.
    pub result_words: &'a [u32],
    /// For each input the selector of its immediates, then the arguments' words.
    pub records: &'a [u64],
}

/// What a runner answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// For each input the results' words.
    Results(Vec<u64>),
    /// A call ended in a signal.
    Signal {
        /// The signal's number.
        number: u32,
        /// The position of the input, from 0.
        input: usize,
    },
    /// The runner itself was ended by a signal, and cannot be used any more.
    Ended {
        /// The signal's number.
        number: u32,
    },
}

/// A running runner; it ends when dropped.
#[derive(Debug)]
pub struct Runner {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: ChildStdout,
    buffer: Vec<u8>,
}

impl Runner {
    /// Starts a runner.
    pub fn start(command: &RunnerCommand) -> io::Result<Self> {
        let mut child = Command::new(&command.program)
            .args(&command.args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
        let stdout = stdout.ok_or(io::ErrorKind::BrokenPipe)?;
        Ok(Self { child, stdin, stdout, buffer: Vec::new() })
    }

    /// Runs a job. After an error the runner cannot be used any more.
    pub fn run(&mut self, job: &Job<'_>) -> io::Result<Reply> {
        self.exchange(job).or_else(|error| {
            self.stdin = None;
            // An emulator ends with the signal that ends its program.
            match self.child.wait()?.signal() {
                Some(number) => Ok(Reply::Ended { number: number.unsigned_abs() }),
                None => Err(error),
            }
        })
    }

    fn exchange(&mut self, job: &Job<'_>) -> io::Result<Reply> {
        let record = 1 + job.arg_words.iter().sum::<u32>() as usize;
        let inputs = job.records.len() / record;
        let reply = job.result_words.iter().sum::<u32>() as usize;
        let number = |size: usize| u32::try_from(size).map_err(|_| io::ErrorKind::InvalidInput);
        let header = [
            job.wrapper.chunk,
            job.wrapper.index,
            number(inputs)?,
            number(job.arg_words.len())?,
            number(job.result_words.len())?,
            0,
        ];
        self.buffer.clear();
        for word in header.iter().chain(job.arg_words).chain(job.result_words) {
            self.buffer.extend(word.to_le_bytes());
        }
        for word in &job.records[..inputs * record] {
            self.buffer.extend(word.to_le_bytes());
        }
        let stdin = self.stdin.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
        stdin.write_all(&self.buffer)?;
        stdin.flush()?;

        let mut answer = [[0; 4]; 2];
        for word in &mut answer {
            self.stdout.read_exact(word)?;
        }
        let [status, input] = answer.map(u32::from_le_bytes);
        if status != 0 {
            return Ok(Reply::Signal { number: status, input: input as usize });
        }
        self.buffer.resize(8 * inputs * reply, 0);
        self.stdout.read_exact(&mut self.buffer)?;
        let words = self.buffer.as_chunks::<8>().0.iter().map(|bytes| u64::from_le_bytes(*bytes));
        Ok(Reply::Results(words.collect()))
    }
}

impl Drop for Runner {
    fn drop(&mut self) {
        // It has nothing to save, and may be inside a call that does not return.
        self.stdin = None;
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A signal's name.
pub fn signal_name(number: u32) -> String {
    match number {
        4 => "SIGILL".into(),
        5 => "SIGTRAP".into(),
        7 => "SIGBUS".into(),
        8 => "SIGFPE".into(),
        11 => "SIGSEGV".into(),
        14 => "SIGALRM".into(),
        254 => "no such wrapper".into(),
        number => format!("signal {number}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_runner_that_is_ended_by_a_signal_names_it() {
        let job = Job {
            wrapper: WrapperId { chunk: 0, index: 0 },
            arg_words: &[1],
            result_words: &[1],
            records: &[0, 1],
        };
        let reply = |script: &str| {
            let args = ["-c", script].map(OsString::from).to_vec();
            Runner::start(&RunnerCommand { program: "sh".into(), args }).unwrap().run(&job)
        };
        assert_eq!(reply("head -c 1 >/dev/null; kill -ILL $$").unwrap(), Reply::Ended { number: 4 });
        assert!(reply("exit 2").is_err());
    }
}
