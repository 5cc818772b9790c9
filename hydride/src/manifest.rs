//! What `specs/manifest.toml` knows of the vendors' documents: the version of a file that does not say it itself.

use serde::Deserialize;

/// The manifest, as checked in.
const MANIFEST: &str = include_str!("../../specs/manifest.toml");

#[derive(Deserialize)]
struct Manifest {
    document: Vec<Known>,
}

#[derive(Deserialize)]
struct Known {
    version: String,
    blake3: String,
    joined: Option<String>,
}

/// The version of the document with this hash, where it is a known one.
pub fn version(blake3: &str) -> Option<String> {
    // The manifest is part of the program; a test reads it.
    let manifest: Manifest = toml::from_str(MANIFEST).ok()?;
    let known = |known: &Known| known.blake3 == blake3 || known.joined.as_deref() == Some(blake3);
    manifest.document.into_iter().find(known).map(|known| known.version)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_documents_have_their_own_versions() {
        let manifest: Manifest = toml::from_str(MANIFEST).expect("it can be read");
        for known in &manifest.document {
            assert_eq!(version(&known.blake3).as_deref(), Some(known.version.as_str()));
            if let Some(joined) = &known.joined {
                assert_eq!(version(joined).as_deref(), Some(known.version.as_str()));
            }
        }
        assert_eq!(version(""), None);
    }
}
