//! The front ends over documents: cases by file, the samples, malformed input, and the vendors' documents if available.
//! One program, so that it is linked once.

mod arm_bad_input;
mod arm_cases;
mod arm_documents;
mod arm_samples;
mod arm_support;
mod errata;
mod fuzz_inputs;
mod golden_cases;
mod hexagon_bad_input;
mod hexagon_cases;
mod hexagon_samples;
mod hexagon_support;
mod hexagon_vendor;
mod intel_cases;
mod intel_documents;
mod intel_tiles;
