//! CPU features: the documents' names, the kernel's and the compiler's, as data.

use std::collections::BTreeSet;
use std::path::Path;

use parsers::Instruction;

use crate::error::OracleError;

/// A feature: the document's name in the form of [`key`], the flag in `/proc/cpuinfo`, and the
/// compiler's option.
const FEATURES: &[(&str, &str, &str)] = &[
    ("MMX", "mmx", "-mmmx"),
    ("SSE", "sse", "-msse"),
    ("SSE2", "sse2", "-msse2"),
    ("SSE3", "pni", "-msse3"),
    ("SSSE3", "ssse3", "-mssse3"),
    ("SSE41", "sse4_1", "-msse4.1"),
    ("SSE42", "sse4_2", "-msse4.2"),
    ("CRC32", "sse4_2", "-mcrc32"),
    ("SSE4A", "sse4a", "-msse4a"),
    ("AVX", "avx", "-mavx"),
    ("AVX2", "avx2", "-mavx2"),
    ("FMA", "fma", "-mfma"),
    ("F16C", "f16c", "-mf16c"),
    ("FP16C", "f16c", "-mf16c"),
    ("AES", "aes", "-maes"),
    ("PCLMULQDQ", "pclmulqdq", "-mpclmul"),
    ("VAES", "vaes", "-mvaes"),
    ("VPCLMULQDQ", "vpclmulqdq", "-mvpclmulqdq"),
    ("GFNI", "gfni", "-mgfni"),
    ("SHA", "sha_ni", "-msha"),
    ("SHA512", "sha512", "-msha512"),
    ("SM3", "sm3", "-msm3"),
    ("SM4", "sm4", "-msm4"),
    ("BMI1", "bmi1", "-mbmi"),
    ("BMI2", "bmi2", "-mbmi2"),
    ("LZCNT", "abm", "-mlzcnt"),
    ("POPCNT", "popcnt", "-mpopcnt"),
    ("ADX", "adx", "-madx"),
    ("MOVDIRI", "movdiri", "-mmovdiri"),
    ("MOVDIR64B", "movdir64b", "-mmovdir64b"),
    ("RAOINT", "raoint", "-mraoint"),
    ("XSAVE", "xsave", "-mxsave"),
    ("MOVBE", "movbe", "-mmovbe"),
    ("RDRAND", "rdrand", "-mrdrnd"),
    ("RDSEED", "rdseed", "-mrdseed"),
    ("AVXVNNI", "avx_vnni", "-mavxvnni"),
    ("AVXVNNIINT8", "avx_vnni_int8", "-mavxvnniint8"),
    ("AVXVNNIINT16", "avx_vnni_int16", "-mavxvnniint16"),
    ("AVXIFMA", "avx_ifma", "-mavxifma"),
    ("AVXNECONVERT", "avx_ne_convert", "-mavxneconvert"),
    ("AVX512F", "avx512f", "-mavx512f"),
    ("AVX512VL", "avx512vl", "-mavx512vl"),
    ("AVX512BW", "avx512bw", "-mavx512bw"),
    ("AVX512DQ", "avx512dq", "-mavx512dq"),
    ("AVX512CD", "avx512cd", "-mavx512cd"),
    ("AVX512IFMA", "avx512ifma", "-mavx512ifma"),
    ("AVX512IFMA52", "avx512ifma", "-mavx512ifma"),
    ("AVX512VBMI", "avx512vbmi", "-mavx512vbmi"),
    ("AVX512VBMI2", "avx512_vbmi2", "-mavx512vbmi2"),
    ("AVX512VNNI", "avx512_vnni", "-mavx512vnni"),
    ("AVX512BITALG", "avx512_bitalg", "-mavx512bitalg"),
    ("AVX512VPOPCNTDQ", "avx512_vpopcntdq", "-mavx512vpopcntdq"),
    ("AVX512BF16", "avx512_bf16", "-mavx512bf16"),
    ("AVX512FP16", "avx512_fp16", "-mavx512fp16"),
    ("AVX512VP2INTERSECT", "avx512_vp2intersect", "-mavx512vp2intersect"),
    // Of Xeon Phi: no kernel flag of today's CPUs, so that they count as missing.
    ("AVX512ER", "avx512er", ""),
    ("AVX512PF", "avx512pf", ""),
    ("AVX5124FMAPS", "avx512_4fmaps", ""),
    ("AVX5124VNNIW", "avx512_4vnniw", ""),
    ("KNCNI", "kncni", ""),
    ("AMXTILE", "amx_tile", "-mamx-tile"),
    ("AMXINT8", "amx_int8", "-mamx-int8"),
    ("AMXBF16", "amx_bf16", "-mamx-bf16"),
    ("AMXFP16", "amx_fp16", "-mamx-fp16"),
    ("AMXCOMPLEX", "amx_complex", "-mamx-complex"),
];

/// The documents write one feature in several ways: `SSE4.1`, `AVX512_VNNI`, `AMX-INT8`.
fn key(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).map(|letter| letter.to_ascii_uppercase()).collect()
}

/// The compiler's options for every feature that it knows, in the table's order.
pub(crate) fn all_options() -> Vec<&'static str> {
    let mut options: Vec<&str> = Vec::new();
    for (_, _, option) in FEATURES {
        if !option.is_empty() && !options.contains(option) {
            options.push(option);
        }
    }
    options
}

/// The features that an instruction needs in LLVM's words. Of a name like `A/B` the first that the compiler
/// knows is taken. Requirements that only the operands show are added: MMX registers, those of 512 bits, and
/// long masks.
pub(crate) fn target_features(instruction: &Instruction) -> Vec<String> {
    let option = |name: &str| {
        let key = key(name);
        let row = FEATURES.iter().find(|(name, _, option)| *name == key && !option.is_empty());
        row.and_then(|(_, _, option)| option.strip_prefix("-m"))
    };
    let operands = || instruction.signature.args.iter().chain(&instruction.signature.results);
    let mmx = operands().any(|operand| operand.c_type.contains("__m64")).then_some("mmx");
    let wide = operands().any(|operand| operand.width == 512).then_some("avx512f");
    let long_mask = operands().any(|operand| matches!(operand.c_type.as_str(), "__mmask32" | "__mmask64"));
    let long_mask = long_mask.then_some("avx512bw");
    // A separate feature since LLVM 14; the document has it with SSE 4.2.
    let crc = instruction.extensions.iter().any(|name| key(name) == "SSE42").then_some("crc32");
    let named = instruction.extensions.iter().filter_map(|name| name.split('/').find_map(option));
    let mut features: Vec<String> = Vec::new();
    for feature in named.chain(mmx).chain(wide).chain(long_mask).chain(crc) {
        if !features.iter().any(|known| known == feature) {
            features.push(feature.to_owned());
        }
    }
    features
}

/// Whether an instruction needs a CPU with mask registers.
pub(crate) fn has_masks(instruction: &Instruction) -> bool {
    target_features(instruction).iter().any(|feature| feature.starts_with("avx512"))
}

/// What a CPU has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CpuFeatures {
    flags: BTreeSet<String>,
}

impl CpuFeatures {
    /// The features of this machine.
    pub fn of_this_machine() -> Result<Self, OracleError> {
        let path = Path::new("/proc/cpuinfo");
        let text = std::fs::read_to_string(path).map_err(OracleError::file(path))?;
        Ok(Self::from_cpuinfo(&text))
    }

    /// The features in the `flags` line of a `/proc/cpuinfo`.
    pub fn from_cpuinfo(text: &str) -> Self {
        let flags = text.lines().find_map(|line| line.strip_prefix("flags")?.split_once(':'));
        let flags = flags.map_or("", |(_, flags)| flags).split_whitespace().map(str::to_owned);
        Self { flags: flags.collect() }
    }

    /// Which of a document's feature names the CPU lacks. A name like `A/B` requires either; unknown names
    /// are not counted as missing, since the CPU itself rejects what it does not support.
    pub fn missing(&self, names: &[String]) -> Vec<String> {
        names.iter().filter(|name| !name.split('/').any(|name| self.has(name))).cloned().collect()
    }

    fn has(&self, name: &str) -> bool {
        let key = key(name);
        let mut rows = FEATURES.iter().filter(|(name, ..)| *name == key);
        rows.next().is_none_or(|(_, flag, _)| self.flags.contains(*flag))
    }

    /// The compiler's options for all features that the CPU has, in the table's order.
    pub fn compiler_options(&self) -> Vec<&'static str> {
        let mut options: Vec<&str> = Vec::new();
        for (_, flag, option) in FEATURES {
            if self.flags.contains(*flag) && !option.is_empty() && !options.contains(option) {
                options.push(option);
            }
        }
        options
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_looked_up_in_any_spelling() {
        let cpu = CpuFeatures::from_cpuinfo("processor\t: 0\nflags\t\t: sse4_1 avx512_vnni avx512f\n");
        let missing =
            |names: &[&str]| cpu.missing(&names.iter().map(|name| name.to_string()).collect::<Vec<_>>());
        assert_eq!(missing(&["SSE4.1", "AVX512_VNNI", "AVX512F/KNCNI"]), Vec::<String>::new());
        assert_eq!(missing(&["SSE4.1", "AVX512_VBMI2", "KNCNI"]), ["AVX512_VBMI2", "KNCNI"]);
        assert_eq!(missing(&["NEVER_HEARD_OF"]), Vec::<String>::new());
        assert_eq!(cpu.compiler_options(), ["-msse4.1", "-mavx512f", "-mavx512vnni"]);
    }
}
