//! The CPU features that the ASL's decode asks for, as compilers name them.

/// What every intrinsic needs; those of another part of the architecture name only that.
const BASE: &str = "neon";

/// Features that are not additions to Neon.
const OTHERS: &[&str] = &["crc"];

/// `Have<NAME>Ext` of the ASL and the compiler's feature: `-march=armv8-a+…`, or `-march=armv8.1-a` of a version.
const FEATURES: &[(&str, &str)] = &[
    ("AES", "aes"),
    ("BF16", "bf16"),
    ("Bit128PMULL", "aes"),
    ("CRC", "crc"),
    ("DOTP", "dotprod"),
    ("FCADD", "fcma"),
    ("FP16", "fp16"),
    ("FP16MulNoRoundingToFP32", "fp16fml"),
    ("Int8MatMul", "i8mm"),
    // Compilers provide the C functions only with the whole architecture version.
    ("Frint", "v8.5a"),
    ("QRDMLAH", "v8.1a"),
    ("SHA1", "sha2"),
    ("SHA256", "sha2"),
    ("SHA3", "sha3"),
    ("SHA512", "sha3"),
    ("SM3", "sm4"),
    ("SM4", "sm4"),
];

/// Types that exist only with a feature.
const TYPES: &[(&str, &str)] = &[("bfloat16", "bf16")];

/// The features of an intrinsic of these C types whose instructions' decode asks for `asked`; a name that is
/// not known stays as it is.
pub fn features<'a>(asked: impl Iterator<Item = &'a str>, types: &[&str]) -> Vec<String> {
    let mut features: Vec<String> = Vec::new();
    let of_types = TYPES.iter().filter(|(part, _)| types.iter().any(|c_type| c_type.contains(part)));
    for name in asked.chain(of_types.map(|(_, feature)| *feature)) {
        let feature = FEATURES.iter().find(|(known, _)| *known == name).map_or(name, |(_, feature)| feature);
        if !features.iter().any(|known| known == feature) {
            features.push(feature.to_owned());
        }
    }
    if features.is_empty() || features.iter().any(|feature| !OTHERS.contains(&feature.as_str())) {
        features.insert(0, BASE.to_owned());
    }
    features
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_become_features() {
        let of = |asked: &[&str]| features(asked.iter().copied(), &["int8x8_t"]);
        assert_eq!(of(&[]), ["neon"]);
        assert_eq!(of(&["SHA512", "SHA3"]), ["neon", "sha3"]);
        assert_eq!(of(&["CRC"]), ["crc"]);
        assert_eq!(of(&["Later"]), ["neon", "Later"]);
        assert_eq!(features([].into_iter(), &["bfloat16x4_t"]), ["neon", "bf16"]);
    }
}
