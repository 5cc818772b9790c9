//! `hydride eval`: one instruction on given arguments, for checks from scripts.

use std::path::PathBuf;

use anyhow::{Context, Result, anyhow};
use clap::Args;
use hydride_ir::{Bits, Function, Role};

use crate::cache::CacheArgs;
use crate::commands::diff;
use crate::{Session, usage};

/// Arguments of `hydride eval`.
#[derive(Args)]
pub struct EvalArgs {
    /// Folder with one folder of documents for each instruction set, one document, or a folder that generate-ir wrote;
    /// else specs/vendor, else specs/sample.
    #[arg(long, value_name = "PATH")]
    specs: Option<PathBuf>,
    /// Read one source of the documents alone: of hvx manual or semantics; of arm operations, asl or page.
    #[arg(long, value_name = "NAME")]
    source: Option<String>,
    /// The instruction set.
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
pub fn run(session: &Session, args: &EvalArgs) -> Result<u8> {
    let isa = session.asked(&args.isa)?;
    let side = diff::side(session, isa, args.specs.as_deref(), args.source.as_deref())?;
    let function = match side.function(session, isa, &args.id, &args.cache)? {
        Some(Ok(function)) => function,
        Some(Err(reason)) => return Err(usage(format!("{} is not modelled: {reason}", args.id))),
        None => {
            return Err(usage(format!(
                "{} has no instruction {} in {}",
                args.isa,
                args.id,
                side.description()
            )));
        }
    };
    if args.show {
        print!("{function}");
        return Ok(0);
    }
    let values = arguments(&function, &args.values)?;
    for result in interp::evaluate(&function, &values).context("cannot evaluate")? {
        println!("{result:x}");
    }
    Ok(0)
}

fn arguments(function: &Function, values: &[String]) -> Result<Vec<Bits>> {
    if values.len() != function.args.len() {
        let expected: Vec<String> = function
            .args
            .iter()
            .map(|arg| match arg.role {
                Role::Immediate { low, high } => format!("{} ({low}..={high})", arg.name),
                Role::Register => format!("{} ({} bits)", arg.name, arg.width.as_constant().unwrap_or(0)),
                Role::Memory { .. } => {
                    format!("{} ({} bits of memory)", arg.name, arg.width.as_constant().unwrap_or(0))
                }
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
                Role::Register | Role::Memory { .. } => {
                    let digits = value.strip_prefix("0x").unwrap_or(value);
                    Bits::from_hex(width, digits).map_err(|error| described(error.into()))
                }
            }
        })
        .collect()
}
