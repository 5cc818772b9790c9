//! The command line as its users start it. One program for all of these tests: it is linked once, and what one run of
//! `hydride` wrote serves every test that only reads it.

mod architecture;
mod bad_input;
mod cache;
mod contracts;
mod determinism;
mod diff;
mod diff_cache;
mod diff_mutations;
mod diff_sources;
mod emit;
mod eval;
mod evaluators;
mod explain;
mod families;
mod generated_code;
mod golden;
mod interruption;
mod legality;
mod lowering;
mod made_up;
mod manual;
mod mlir_to_assembly;
mod modules;
mod mutation;
mod newer_llvm;
mod report;
mod rules;
mod schemas;
mod search;
mod search_code;
mod second_solver;
mod support;
mod tutorial;
mod validate;
mod vendor_document;
