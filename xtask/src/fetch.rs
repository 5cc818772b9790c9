//! Brings vendor documents from Debian packages into `specs/vendor/`.
//!
//! The packages come through `apt-get`, from whatever mirror the system is set up for; nothing is
//! installed. What only the vendor's site has is listed with a note.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use anyhow::{Context, Result, bail, ensure};

use crate::packages::provide;
use crate::process::{have, output, run};
use crate::root;
use crate::specs::{Document, Origin, Source, manifest, vendor_folder};

/// How many documents a fetch brought and how many it could not bring.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Fetched {
    /// Documents in `specs/vendor/` with the hash of the manifest.
    pub known: usize,
    /// Documents of a revision that the manifest does not know.
    pub unknown: usize,
    /// Documents that a package should hold but that could not be had.
    pub missing: usize,
}

/// Brings every document that a package holds; says what is missing and why.
pub fn fetch() -> Result<Fetched> {
    let documents = manifest()?;
    let mut fetched = Fetched::default();
    let mut wanted: Vec<&Document> = Vec::new();
    for document in &documents {
        let path = vendor_folder().join(&document.file);
        let held = fs::read(&path).ok().map(|bytes| blake3::hash(&bytes).to_hex().to_string());
        match held {
            Some(hash) if document.known(&hash).is_some() || document.joined.as_ref() == Some(&hash) => {
                fetched.known += 1;
            }
            _ if !document.source.is_empty() => wanted.push(document),
            Some(_) => {
                println!("fetch: {} is a revision that specs/manifest.toml does not know", document.file);
                fetched.unknown += 1;
            }
            None if document.joined.is_some() => println!(
                "fetch: {} is joined from what packages hold; Arm's site has more: {}",
                document.file, document.note
            ),
            None => println!("fetch: {} is in no package: {}", document.file, document.note),
        }
    }
    // The first package of each document, then the second one of those that it lacks.
    for choice in 0.. {
        let mut packages: BTreeMap<(Origin, &str), Vec<(&Document, &Source)>> = BTreeMap::new();
        for document in &wanted {
            if let Some(source) = document.source.get(choice) {
                packages.entry((source.origin, &source.package)).or_default().push((document, source));
            }
        }
        if packages.is_empty() {
            break;
        }
        for ((origin, package), documents) in packages {
            let members: Vec<&str> =
                documents.iter().flat_map(|(_, source)| &source.members).map(String::as_str).collect();
            let unpacked = match origin {
                Origin::Deb => binary_package(package, &members),
                Origin::DebSrc => source_package(package, &members),
            };
            let unpacked = match unpacked {
                Ok(unpacked) => unpacked,
                Err(error) => {
                    eprintln!("fetch: {error:#}");
                    continue;
                }
            };
            for (document, source) in documents {
                match find_member(&unpacked.folder, &source.members)? {
                    Some(member) => {
                        keep(document, &member, &unpacked.version, &mut fetched)?;
                        wanted.retain(|other| other.file != document.file);
                    }
                    None => eprintln!("fetch: {package} {} holds no {}", unpacked.version, document.file),
                }
            }
        }
    }
    for document in &wanted {
        eprintln!(
            "fetch: without {}; a newer release of Debian, or its security or backports suite, may have it",
            document.file
        );
    }
    fetched.missing = wanted.len();
    println!(
        "fetch: {} known, {} of unknown revision, {} missing in {}",
        fetched.known,
        fetched.unknown,
        fetched.missing,
        vendor_folder().display()
    );
    Ok(fetched)
}

/// Whether Arm's page or newer data was fetched, and no two-file form is there that they can be joined into.
pub fn needs_join() -> bool {
    let folder = vendor_folder().join("arm");
    let fetched = ["arm-intrinsics.html", "intrinsics-no-operations.json"];
    fetched.iter().any(|name| folder.join(name).is_file()) && !folder.join("intrinsics.json").is_file()
}

/// Files of a package below a folder.
struct Unpacked {
    folder: PathBuf,
    version: String,
}

fn scratch(name: &str) -> Result<PathBuf> {
    let folder = root().join("target/fetch").join(name);
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
    Ok(folder)
}

fn binary_package(package: &str, members: &[&str]) -> Result<Unpacked> {
    can_update().with_context(|| format!("{package} is not tried"))?;
    ensure!(have("apt-get") && have("dpkg-deb"), "{package} needs apt-get and dpkg-deb, as on Debian");
    let folder = scratch(package)?;
    if candidate(package)?.is_none() {
        update()?;
    }
    let Some(version) = candidate(package)? else {
        bail!("this release of Debian has no package {package}");
    };
    println!("fetch: downloading {package} {version}");
    let download = || {
        let mut download = Command::new("apt-get");
        // The file goes to our folder, which apt's user may not be able to enter.
        download.args(["-q", "-q", "-o", "APT::Sandbox::User=root", "download", package]);
        run(download.current_dir(&folder))
            .with_context(|| format!("cannot download {package}; is there a network?"))
    };
    // Stale lists name files that the mirror no longer has.
    if let Err(error) = download() {
        update().with_context(|| format!("{error:#}"))?;
        download()?;
    }
    let archive = only_file(&folder, |name| name.ends_with(".deb"))?;
    let mut unpack = Command::new("dpkg-deb");
    unpack.arg("--fsys-tarfile").arg(&archive);
    extract(&mut unpack, &folder, members)?;
    fs::remove_file(archive)?;
    Ok(Unpacked { folder, version })
}

/// Source packages need `deb-src` entries, which few systems have: the binary ones are copied into a
/// temporary configuration for this call.
fn source_package(package: &str, members: &[&str]) -> Result<Unpacked> {
    can_update().with_context(|| format!("the source of {package} is not tried"))?;
    ensure!(have("apt-get"), "{package} needs apt-get, as on Debian");
    provide(&[("xz", "xz-utils")]).with_context(|| format!("the source of {package} is compressed"))?;
    let folder = scratch(&format!("{package}-src"))?;
    let (parts, lists) = (folder.join("sources"), folder.join("lists"));
    fs::create_dir_all(&parts)?;
    fs::create_dir_all(lists.join("partial"))?;
    write_sources(Path::new("/etc/apt"), &parts)?;
    let apt = || {
        let mut apt = Command::new("apt-get");
        apt.args(["-q", "-q", "-o", "APT::Sandbox::User=root", "-o", "Dir::Etc::SourceList=/dev/null"]);
        apt.arg("-o").arg(format!("Dir::Etc::SourceParts={}", parts.display()));
        apt.arg("-o").arg(format!("Dir::State::Lists={}", lists.display()));
        apt.arg("-o").arg(format!("Dir::Cache={}", folder.join("cache").display()));
        apt.current_dir(&folder);
        apt
    };
    println!("fetch: downloading the source of {package}");
    fs::create_dir_all(folder.join("cache/archives/partial"))?;
    run(apt().args(["-o", "APT::Update::Error-Mode=any", "update"]))
        .context("cannot read the lists of source packages; is there a network?")?;
    run(apt().args(["source", "--download-only", "--only-source", package]))
        .with_context(|| format!("cannot download the source of {package}"))?;
    let archive = only_file(&folder, |name| name.contains(".orig.tar."))?;
    let name = archive.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let version =
        name.split(['_']).nth(1).and_then(|rest| rest.split(".orig").next()).unwrap_or("?").to_owned();
    let mut unpack = Command::new("cat");
    unpack.arg(&archive);
    extract(&mut unpack, &folder, members)?;
    fs::remove_file(archive)?;
    Ok(Unpacked { folder, version })
}

/// Unpacks the documents' files out of a tar stream, and nothing else.
fn extract(stream: &mut Command, into: &Path, members: &[&str]) -> Result<()> {
    let mut producer = stream.stdout(Stdio::piped()).spawn().context("cannot unpack")?;
    let pipe = producer.stdout.take().context("no output to unpack")?;
    let mut tar = Command::new("tar");
    // Source archives come compressed, and tar cannot seek in a pipe to find out how.
    let compressed = stream.get_args().last().is_some_and(|name| name.to_string_lossy().ends_with(".xz"));
    tar.arg(if compressed { "-xJf" } else { "-xf" }).arg("-").arg("-C").arg(into).arg("--wildcards");
    tar.args(members.iter().map(|member| format!("*/{member}")));
    // A missing member is reported by the caller that needs it.
    let status = tar.stdin(pipe).stderr(Stdio::null()).status().context("cannot start tar");
    // It holds our end of the pipe: a producer that nobody reads from would never end.
    drop(tar);
    let (produced, status) = (producer.wait()?, status?);
    ensure!(produced.success() || status.success(), "cannot unpack a package into {}", into.display());
    Ok(())
}

/// The name of the Debian release that this is, as `bookworm`.
pub fn codename() -> String {
    let release = fs::read_to_string("/etc/os-release").unwrap_or_default();
    let named = release.lines().find_map(|line| line.strip_prefix("VERSION_CODENAME="));
    named.unwrap_or("stable").to_owned()
}

/// Copies the entries of Debian's suites from apt's configuration as `deb-src` entries.
fn write_sources(configuration: &Path, into: &Path) -> Result<()> {
    let mut files = vec![configuration.join("sources.list")];
    if let Ok(entries) = fs::read_dir(configuration.join("sources.list.d")) {
        files.extend(entries.flatten().map(|entry| entry.path()));
    }
    files.sort();
    let codename = &codename();
    let mut written = 0;
    for (number, file) in files.iter().enumerate() {
        let text = fs::read_to_string(file).unwrap_or_default();
        let extension = file.extension().and_then(|extension| extension.to_str());
        let (sources, suffix) = match extension {
            Some("sources") => (source_stanzas(&text, codename), "sources"),
            Some("list") => (source_lines(&text, codename), "list"),
            _ => continue,
        };
        if !sources.is_empty() {
            fs::write(into.join(format!("{number}.{suffix}")), sources)?;
            written += 1;
        }
    }
    ensure!(written > 0, "apt's configuration names no mirror of {codename} to read source packages from");
    Ok(())
}

/// Whether a suite is the release itself or one that goes with it.
fn belongs(suite: &str, codename: &str) -> bool {
    suite.strip_prefix(codename).is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '/']))
}

/// The stanzas of a `.sources` file for a release, as stanzas for source packages.
fn source_stanzas(text: &str, codename: &str) -> String {
    let mut sources = String::new();
    for stanza in text.split("\n\n") {
        let field = |name: &str| {
            stanza.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':')).unwrap_or_default()
        };
        let disabled = field("Enabled").trim() == "no";
        if disabled || !field("Suites").split_whitespace().any(|suite| belongs(suite, codename)) {
            continue;
        }
        for line in stanza.lines().filter(|line| !line.starts_with('#')) {
            sources.push_str(if line.starts_with("Types:") { "Types: deb-src" } else { line });
            sources.push('\n');
        }
        sources.push('\n');
    }
    sources
}

/// The lines of a `.list` file for a release, as lines for source packages.
fn source_lines(text: &str, codename: &str) -> String {
    let mut sources = String::new();
    for line in text.lines() {
        let Some(rest) = line.trim().strip_prefix("deb ") else { continue };
        let address = match rest.split_once(']') {
            Some((_, address)) if rest.trim_start().starts_with('[') => address,
            _ => rest,
        };
        if address.split_whitespace().nth(1).is_some_and(|suite| belongs(suite, codename)) {
            sources.push_str(&format!("deb-src {rest}\n"));
        }
    }
    sources
}

/// The version that apt would take, if any.
fn candidate(package: &str) -> Result<Option<String>> {
    let policy = output(Command::new("apt-cache").args(["policy", package]).env("LC_ALL", "C"))?;
    let candidate = policy.lines().find_map(|line| line.trim().strip_prefix("Candidate: "));
    Ok(candidate.filter(|version| *version != "(none)").map(str::to_owned))
}

/// Whether the lists of packages could be read anew, if that was tried. Without a network each try takes a minute: one
/// is enough, and no other package is tried after it.
static UPDATED: OnceLock<bool> = OnceLock::new();

fn update() -> Result<()> {
    let update = || {
        println!("fetch: reading the lists of packages");
        run(Command::new("apt-get").args(["-q", "-q", "-o", "APT::Update::Error-Mode=any", "update"])).is_ok()
    };
    UPDATED.get_or_init(update);
    can_update()
}

/// An error if reading the lists of packages failed before.
fn can_update() -> Result<()> {
    ensure!(UPDATED.get() != Some(&false), "apt-get update failed; is there a network, and are you root?");
    Ok(())
}

fn only_file(folder: &Path, wanted: impl Fn(&str) -> bool) -> Result<PathBuf> {
    let entries = fs::read_dir(folder)?.flatten().map(|entry| entry.path());
    let mut found: Vec<PathBuf> = entries
        .filter(|path| path.file_name().is_some_and(|name| wanted(&name.to_string_lossy())))
        .filter(|path| path.is_file())
        .collect();
    found.sort();
    found.into_iter().next().with_context(|| format!("nothing was downloaded into {}", folder.display()))
}

/// The first of the members that was unpacked, wherever the package's top folder is.
fn find_member(folder: &Path, members: &[String]) -> Result<Option<PathBuf>> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder)?.flatten() {
            let path = entry.path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    files.sort();
    Ok(members.iter().find_map(|member| files.iter().find(|file| file.ends_with(member)).cloned()))
}

/// Copies a document into `specs/vendor/`, under a separate revision if it is unknown.
fn keep(document: &Document, member: &Path, package: &str, fetched: &mut Fetched) -> Result<()> {
    let bytes = fs::read(member)?;
    let hash = blake3::hash(&bytes).to_hex().to_string();
    let mut file = document.file.clone();
    match document.known(&hash) {
        Some(revision) => {
            fetched.known += 1;
            println!("fetch: {} {file}, {}: {}", document.isa, revision.version, document.note);
        }
        None => {
            if let (Some(version), Some(tested)) = (guide_version(&bytes), document.revision.first()) {
                file = file.replace(&tested.version, &version);
            }
            println!(
                "fetch: {file} of {package} is a revision that specs/manifest.toml does not know (BLAKE3 {hash}); \
                 it is kept, but was never tested"
            );
            fetched.unknown += 1;
        }
    }
    let path = vendor_folder().join(&file);
    fs::create_dir_all(path.parent().context("a document lies in a folder")?)?;
    fs::write(&path, bytes).with_context(|| format!("cannot write {}", path.display()))?;
    Ok(())
}

/// The version attribute of Intel's guide data.
fn guide_version(bytes: &[u8]) -> Option<String> {
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(400)]).into_owned();
    let start = head.split_once("<intrinsics_list")?.1.split_once("version=\"")?.1;
    let version = start.split_once('"')?.0;
    let plain = version.chars().all(|c| c.is_ascii_alphanumeric() || c == '.');
    (plain && !version.is_empty()).then(|| version.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tar that gives up (it lacked xz) left its producer writing into a pipe that we held open, for ever.
    #[test]
    fn a_stream_that_tar_refuses_is_an_error() {
        let folder = tempfile::tempdir().expect("a folder");
        // More than a pipe holds, and no archive.
        let mut stream = Command::new("cat");
        stream.arg(std::env::current_exe().expect("a test program"));
        let error = extract(&mut stream, folder.path(), &["intrinsics.xml"]).expect_err("no archive");
        assert!(error.to_string().starts_with("cannot unpack"), "{error:#}");
    }

    #[test]
    fn stanzas_of_the_release_become_source_stanzas() {
        let text = "Types: deb\n# a comment\nURIs: m:/debian\nSuites: trixie trixie-updates\nComponents: main\n\n\
                    Types: deb\nURIs: m:/other\nSuites: cloud-trixie\nComponents: main\n";
        let sources = source_stanzas(text, "trixie");
        assert_eq!(
            sources,
            "Types: deb-src\nURIs: m:/debian\nSuites: trixie trixie-updates\nComponents: main\n\n"
        );
    }

    #[test]
    fn lines_of_the_release_become_source_lines() {
        let text = "# deb m:/debian trixie main\ndeb m:/debian trixie main\n\
                    deb [signed-by=k arch=amd64] m:/debian trixie-security main\ndeb m:/other nodistro main\n";
        assert_eq!(
            source_lines(text, "trixie"),
            "deb-src m:/debian trixie main\ndeb-src [signed-by=k arch=amd64] m:/debian trixie-security main\n"
        );
    }

    #[test]
    fn the_version_of_a_guide_is_read() {
        assert_eq!(
            guide_version(b"<intrinsics_list version=\"3.6.9\" date=\"x\">").as_deref(),
            Some("3.6.9")
        );
        assert_eq!(guide_version(b"<intrinsics_list version=\"../x\">"), None);
        assert_eq!(guide_version(b"// a header"), None);
    }
}
