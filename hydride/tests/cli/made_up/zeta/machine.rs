//! What runs Zeta's instructions: for want of a CPU, C functions of their names on this machine.

use difftest::{Dialect, Several, Target, native};

use super::document::ISA;

// ANCHOR: target
pub const TARGET: Target = Target {
    isa: ISA,
    prepare: |instructions, wrappers, work| {
        native(ISA, &DIALECT, &[], instructions.iter().copied(), &wrappers, work)
    },
    emulator: None,
    // No backend of LLVM's has these instructions.
    lowering: None,
};

/// What a vendor's compiler would have in a header.
const DIALECT: Dialect = Dialect {
    preamble: &[
        "typedef unsigned char zeta_v __attribute__((vector_size(16)));",
        "typedef signed char zeta_s __attribute__((vector_size(16)));",
        "typedef unsigned short zeta_h __attribute__((vector_size(16)));",
        "#define ZETA static inline zeta_v",
        "ZETA zaddb(zeta_v a, zeta_v b) { return a + b; }",
        "ZETA zaddh(zeta_v a, zeta_v b) { return (zeta_v)((zeta_h)a + (zeta_h)b); }",
        "ZETA zsubb(zeta_v a, zeta_v b) { return a - b; }",
        "ZETA zsubh(zeta_v a, zeta_v b) { return (zeta_v)((zeta_h)a - (zeta_h)b); }",
        "ZETA zand(zeta_v a, zeta_v b) { return a & b; }",
        "ZETA zxor(zeta_v a, zeta_v b) { return a ^ b; }",
        "ZETA zeta_either(zeta_v m, zeta_v a, zeta_v b) { return (m & a) | (~m & b); }",
        "ZETA zmaxub(zeta_v a, zeta_v b) { return zeta_either((zeta_v)(a > b), a, b); }",
        "ZETA zmaxb(zeta_v a, zeta_v b) { return zeta_either((zeta_v)((zeta_s)a > (zeta_s)b), a, b); }",
        "ZETA zavgub(zeta_v a, zeta_v b) { return (a | b) - ((a ^ b) >> 1); }",
        "ZETA zshlh(zeta_v a, int n) { return (zeta_v)((zeta_h)a << n); }",
    ],
    comment: "#",
    types: &[],
    functions: &[],
    inline: None,
    slot_bytes: 64,
    several: Several::Pointers,
    mask: None,
};
// ANCHOR_END: target
