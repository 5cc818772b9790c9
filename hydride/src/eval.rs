//! `hydride eval`: one instruction on given arguments, for checks from scripts.

use anyhow::{Context, Result, anyhow};
use clap::Args;
use hydride_ir::{Bits, Function, Role};
use parsers::{Instruction, Isa, Status};
use serde::{Deserialize, Serialize};

use crate::cache::{CacheArgs, question_key};
use crate::documents::{Document, Documents, isa_of_name, parse_one, read};
use crate::reuse::documents_key;
use crate::{SpecArgs, usage};

/// Arguments of `hydride eval`.
#[derive(Args)]
pub struct EvalArgs {
    #[command(flatten)]
    specs: SpecArgs,
    /// The instruction set: x86, arm or hvx.
    #[arg(long)]
    isa: String,
    /// The instruction's id: the vendor's intrinsic name.
    #[arg(long)]
    id: String,
    #[command(flatten)]
    cache: CacheArgs,
    /// Print the instruction's function instead of evaluating it.
    #[arg(long)]
    show: bool,
    /// One value for each argument in the intrinsic's own order: hexadecimal, most significant digit first,
    /// with or without 0x; immediates as plain decimal integers.
    #[arg(value_name = "HEX", allow_hyphen_values = true)]
    values: Vec<String>,
}

/// Prints each result in hexadecimal, one a line.
pub fn run(args: &EvalArgs) -> Result<u8> {
    let isa = isa_of_name(&args.isa).ok_or_else(|| usage(format!("unknown instruction set {}", args.isa)))?;
    let documents = read(args.specs.specs.as_deref(), &[isa])?;
    let Entry { instruction, status } = entry(isa, &documents, &args.id, &args.cache);
    let Some(instruction) = instruction else {
        return Err(match status {
            Some(Status::Excluded { reason, .. }) => usage(format!("{} is not modelled: {reason}", args.id)),
            Some(Status::Failed { reason, message }) => {
                usage(format!("{} is not modelled: {reason}: {message}", args.id))
            }
            Some(Status::Modelled) | None => usage(format!("{} has no instruction {}", args.isa, args.id)),
        });
    };
    if args.show {
        print!("{}", instruction.function);
        return Ok(0);
    }
    let values = arguments(&instruction.function, &args.values)?;
    for result in interp::evaluate(&instruction.function, &values).context("cannot evaluate")? {
        println!("{result:x}");
    }
    Ok(0)
}

/// What the documents say about an id.
#[derive(Serialize, Deserialize)]
struct Entry {
    instruction: Option<Instruction>,
    status: Option<Status>,
}

fn entry(isa: Isa, documents: &Documents, id: &str, cache: &CacheArgs) -> Entry {
    let read = || {
        let parsed = parse_one(isa, &documents.documents, id);
        Entry {
            instruction: parsed.instructions.into_iter().find(|instruction| instruction.id == id),
            status: parsed.ledger.into_iter().find(|entry| entry.id == id).map(|entry| entry.status),
        }
    };
    let own: Vec<&Document> = documents.documents.iter().filter(|document| document.isa == isa).collect();
    let question = [b"entry ".as_slice(), &documents_key(&own, isa), id.as_bytes()].concat();
    let Some(cache) = cache.open_at(&[question_key(&question)]) else { return read() };
    let mut made = None;
    let kept = cache.answer(&question, &mut || postcard::to_stdvec(made.insert(read())).unwrap_or_default());
    cache.save();
    made.or_else(|| postcard::from_bytes(&kept).ok()).unwrap_or_else(read)
}

fn arguments(function: &Function, values: &[String]) -> Result<Vec<Bits>> {
    if values.len() != function.args.len() {
        let expected: Vec<String> = function
            .args
            .iter()
            .map(|arg| match arg.role {
                Role::Immediate { low, high } => format!("{} ({low}..={high})", arg.name),
                Role::Register => format!("{} ({} bits)", arg.name, arg.width.as_constant().unwrap_or(0)),
            })
            .collect();
        return Err(usage(format!(
            "{} values given, {} takes {}: {}",
            values.len(),
            function.name,
            function.args.len(),
            expected.join(", ")
        )));
    }
    function
        .args
        .iter()
        .zip(values)
        .map(|(arg, value)| {
            let width = arg.width.as_constant().and_then(|width| u32::try_from(width).ok()).unwrap_or(1);
            let described =
                |error: anyhow::Error| usage(format!("argument {}: `{value}`: {error}", arg.name));
            match arg.role {
                Role::Immediate { .. } => {
                    let integer: i64 = value.parse().map_err(|error| described(anyhow!("{error}")))?;
                    let fits = width >= 64 || (-(1i64 << (width - 1))..1i64 << width).contains(&integer);
                    if !fits {
                        return Err(described(anyhow!("does not fit {width} bits")));
                    }
                    Ok(Bits::from_u64(width, integer as u64))
                }
                Role::Register => {
                    let digits = value.strip_prefix("0x").unwrap_or(value);
                    Bits::from_hex(width, digits).map_err(|error| described(error.into()))
                }
            }
        })
        .collect()
}
