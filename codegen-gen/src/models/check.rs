//! `models/check/`: a program that compares the models with recorded results and with `core::arch`.

use super::InstructionSet;
use crate::render::Renderer;
use crate::{GenerateError, GeneratedFile};

pub(super) fn files(_: &Renderer, _: &[InstructionSet]) -> Result<Vec<GeneratedFile>, GenerateError> {
    Ok(Vec::new())
}
