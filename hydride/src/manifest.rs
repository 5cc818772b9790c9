//! What `specs/manifest.toml` knows of the vendors' documents: the version of a file that does not declare one.

use serde::Deserialize;

/// The manifest, as checked in.
const MANIFEST: &str = include_str!("../../specs/manifest.toml");

#[derive(Deserialize)]
struct Manifest {
    document: Vec<Known>,
}

#[derive(Deserialize)]
struct Known {
    joined: Option<String>,
    revision: Vec<Revision>,
}

#[derive(Deserialize)]
struct Revision {
    version: String,
    blake3: String,
}

/// The version of the document with this hash, where it is a known one.
pub fn version(blake3: &str) -> Option<String> {
    // The manifest is part of the program; a test reads it.
    let manifest: Manifest = toml::from_str(MANIFEST).ok()?;
    manifest.document.into_iter().find_map(|known| {
        // A file joined from other documents takes the place of the first revision.
        let joined = known.joined.as_deref() == Some(blake3);
        known
            .revision
            .into_iter()
            .find(|revision| joined || revision.blake3 == blake3)
            .map(|found| found.version)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_documents_have_their_own_versions() {
        let manifest: Manifest = toml::from_str(MANIFEST).expect("it can be read");
        for known in &manifest.document {
            for revision in &known.revision {
                assert_eq!(version(&revision.blake3).as_deref(), Some(revision.version.as_str()));
            }
            if let Some(joined) = &known.joined {
                assert_eq!(version(joined).as_deref(), Some(known.revision[0].version.as_str()));
            }
        }
        assert_eq!(version(""), None);
    }
}
