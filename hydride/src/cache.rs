//! The file behind a [`Memo`]: results of earlier runs, from verdicts of proofs to parsed documents.
//!
//! Everything is keyed by the version of the program's sources and of the solver: entries of another version are
//! dropped on the next write. The file is read at the start (as a whole, unless only a few answers are needed) and
//! written at the end, and in long searches now and then; in between it is closed, so that several runs can share it. It
//! can be deleted at any time, and it can be read-only.

mod server;
mod shared;

pub use shared::{Shared, SharedCacheArgs};

use std::collections::{HashMap, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use clap::Args;
use redb::{
    Database, DatabaseError, ReadOnlyDatabase, ReadableDatabase, ReadableTable, ReadableTableMetadata,
    TableDefinition,
};
use smt::{Key, Memo, Store};

/// Where to keep what is found out.
#[derive(Args, Clone, Default)]
pub struct CacheArgs {
    /// File that keeps proofs from run to run; else HYDRIDE_CACHE, else hydride/cache.redb in the user's
    /// folder for caches.
    #[arg(long, value_name = "FILE", conflicts_with = "no_cache", value_parser = file)]
    cache: Option<PathBuf>,
    /// Prove everything anew, and keep nothing.
    #[arg(long)]
    no_cache: bool,
}

impl CacheArgs {
    /// Opens the cache that is asked for, if one is.
    pub fn open(&self) -> Cache {
        Cache(self.path().map(|path| Arc::new(File::open(path, None))))
    }

    /// The same, but only the answers under these keys are read, not the rest of the file, which can be long.
    pub fn open_at(&self, keys: &[Key]) -> Cache {
        Cache(self.path().map(|path| Arc::new(File::open(path, Some(keys)))))
    }

    fn path(&self) -> Option<PathBuf> {
        if self.no_cache {
            return None;
        }
        self.cache.clone().or_else(standard_path)
    }
}

/// A file's path: servers keep answers only where many machines search.
fn file(text: &str) -> Result<PathBuf, String> {
    match shared::is_server(text) {
        true => Err("a server keeps the answers of `hydride optimize` and `hydride cc` alone".to_owned()),
        false => Ok(PathBuf::from(text)),
    }
}

fn standard_path() -> Option<PathBuf> {
    // A server there is for what machines share; a machine's own answers are in the user's folder then.
    if let Some(path) = std::env::var_os("HYDRIDE_CACHE").filter(|_| shared::standard_server().is_none()) {
        return (!path.is_empty()).then(|| PathBuf::from(path));
    }
    Some(user_folder("XDG_CACHE_HOME", ".cache")?.join("cache.redb"))
}

/// This program's folder among those of the user that `variable` names, else `below` their home.
pub fn user_folder(variable: &str, below: &str) -> Option<PathBuf> {
    let folder = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let folders = folder(variable).or_else(|| Some(folder("HOME")?.join(below)))?;
    Some(folders.join("hydride"))
}

const VERSION: TableDefinition<'_, &str, &str> = TableDefinition::new("version");
const ANSWERS: TableDefinition<'_, &[u8; 32], &[u8]> = TableDefinition::new("answers");

/// Answers beyond which a file is begun anew.
const MAX_ANSWERS: usize = 1_000_000;
/// The same for the file's bytes, which a run reads as a whole.
const MAX_BYTES: u64 = 1 << 28;
/// How often, and how long each time, to wait for another process that has the file open.
const WAITS: u32 = 20;
const WAIT: Duration = Duration::from_millis(50);

/// How long a search goes on before what it found is written.
const BETWEEN_SAVES: Duration = Duration::from_secs(10);

/// A cache, or none.
#[derive(Default)]
pub struct Cache(Option<Arc<File>>);

impl Cache {
    /// The answers in it.
    pub fn memo(&self) -> Memo {
        self.0.as_ref().map_or_else(Memo::default, |file| Memo::new(file.clone()))
    }

    /// How many answers were read.
    pub fn known(&self) -> usize {
        self.0.as_ref().map_or(0, |file| file.known.len())
    }

    /// Writes what this run added since the last time. A file that cannot be written is left unchanged.
    pub fn save(&self) {
        if let Some(file) = &self.0 {
            file.save();
        }
    }

    /// Writes what was added if the last time was [`BETWEEN_SAVES`] ago and no other thread is at it, so that a search that is
    /// killed keeps what it found.
    pub fn save_now_and_then(&self) {
        if let Some(file) = &self.0
            && let Ok(mut saved) = file.saved.try_lock()
            && saved.elapsed() >= BETWEEN_SAVES
        {
            file.save();
            *saved = Instant::now();
        }
    }
}

/// What is in the file, and what this run adds.
struct File {
    path: PathBuf,
    /// Answers of earlier runs.
    known: Answers,
    /// Answers of this one.
    added: Mutex<Answers>,
    /// Those of them that are not in the file yet.
    unwritten: Mutex<HashSet<Key>>,
    /// The file is unusable and must be rewritten.
    damaged: AtomicBool,
    /// When it was last written in the course of a search, or opened.
    saved: Mutex<Instant>,
}

/// Answers by key, compressed.
type Answers = HashMap<Key, Vec<u8>>;

/// Why a file was not read.
enum Trouble {
    /// There is none, or it is another version's.
    Empty,
    /// It cannot be read now; nothing is wrong with it.
    Busy(String),
    /// It is not a cache, or is incomplete.
    Damaged(String),
}

/// The version under which everything is kept.
fn version() -> String {
    format!("{} {} {}", env!("CARGO_PKG_VERSION"), env!("HYDRIDE_SOURCES"), smt::SOLVER_VERSION)
}

impl File {
    fn open(path: PathBuf, wanted: Option<&[Key]>) -> Self {
        let mut damaged = false;
        let known = match guarded(|| read(&path, wanted)) {
            Ok(contents) => contents,
            Err(Trouble::Empty) => Answers::default(),
            Err(Trouble::Busy(why)) => {
                tracing::info!("the cache {} is not used: {why}", path.display());
                Answers::default()
            }
            Err(Trouble::Damaged(why)) => {
                eprintln!("warning: the cache {} is damaged and is made anew: {why}", path.display());
                damaged = true;
                Answers::default()
            }
        };
        Self {
            path,
            known,
            added: Mutex::default(),
            unwritten: Mutex::default(),
            damaged: AtomicBool::new(damaged),
            saved: Mutex::new(Instant::now()),
        }
    }

    fn added(&self) -> std::sync::MutexGuard<'_, Answers> {
        self.added.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn unwritten(&self) -> std::sync::MutexGuard<'_, HashSet<Key>> {
        self.unwritten.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn save(&self) {
        let keys = std::mem::take(&mut *self.unwritten());
        let is_damaged = self.damaged.load(Ordering::Relaxed);
        if keys.is_empty() && !is_damaged {
            return;
        }
        if is_damaged && std::fs::remove_file(&self.path).is_err() {
            return;
        }
        self.damaged.store(false, Ordering::Relaxed);
        let own: Answers = {
            let added = self.added();
            keys.iter().filter_map(|key| Some((*key, added.get(key)?.clone()))).collect()
        };
        if let Err(Trouble::Busy(why) | Trouble::Damaged(why)) = guarded(|| write(&self.path, &own)) {
            tracing::info!("the cache {} is not written: {why}", self.path.display());
            self.unwritten().extend(keys);
        }
    }
}

impl Store for File {
    fn find(&self, key: &Key) -> Option<Vec<u8>> {
        if let Some(value) = self.known.get(key) {
            return lz4_flex::decompress_size_prepended(value).ok();
        }
        let value = self.added().get(key).cloned()?;
        lz4_flex::decompress_size_prepended(&value).ok()
    }

    fn store(&self, key: Key, answer: Vec<u8>) {
        let value = lz4_flex::compress_prepend_size(&answer);
        self.added().insert(key, value);
        self.unwritten().insert(key);
    }
}

/// An incomplete database can cause a panic inside the library.
fn guarded<T>(run: impl FnOnce() -> Result<T, Trouble>) -> Result<T, Trouble> {
    crate::console::without_panic_messages(|| {
        catch_unwind(AssertUnwindSafe(run))
            .unwrap_or_else(|_| Err(Trouble::Damaged("its contents contradict each other".into())))
    })
}

impl From<DatabaseError> for Trouble {
    fn from(error: DatabaseError) -> Self {
        match error {
            DatabaseError::DatabaseAlreadyOpen => Trouble::Busy("another process has it open".into()),
            DatabaseError::Storage(redb::StorageError::Io(io)) => match io.kind() {
                std::io::ErrorKind::NotFound => Trouble::Empty,
                std::io::ErrorKind::InvalidData | std::io::ErrorKind::UnexpectedEof => {
                    Trouble::Damaged(io.to_string())
                }
                _ => Trouble::Busy(io.to_string()),
            },
            other => Trouble::Damaged(other.to_string()),
        }
    }
}

fn damaged(error: impl Into<redb::Error>) -> Trouble {
    Trouble::Damaged(error.into().to_string())
}

fn wait<T>(mut open: impl FnMut() -> Result<T, DatabaseError>) -> Result<T, DatabaseError> {
    for _ in 0..WAITS {
        match open() {
            Err(DatabaseError::DatabaseAlreadyOpen) => std::thread::sleep(WAIT),
            other => return other,
        }
    }
    open()
}

/// Opens a file to read it; one that a killed run left open is repaired first.
fn open_to_read(path: &Path) -> Result<ReadOnlyDatabase, DatabaseError> {
    match wait(|| ReadOnlyDatabase::open(path)) {
        Err(DatabaseError::RepairAborted) => {
            drop(wait(|| Database::open(path))?);
            wait(|| ReadOnlyDatabase::open(path))
        }
        other => other,
    }
}

/// Hash of a key and its value: the database does not look at every bit when it is opened.
fn seal(key: &Key, value: &[u8]) -> blake3::Hash {
    blake3::Hasher::new().update(key).update(value).finalize()
}

/// A value after its checksum.
fn sealed(key: &Key, value: &[u8]) -> Vec<u8> {
    [seal(key, value).as_bytes().as_slice(), value].concat()
}

/// The value, if its checksum is right.
fn unsealed(key: &Key, sealed: &[u8]) -> Result<Vec<u8>, Trouble> {
    let whole =
        sealed.split_first_chunk::<32>().filter(|(held, value)| **held == *seal(key, value).as_bytes());
    whole
        .map(|(_, value)| value.to_vec())
        .ok_or_else(|| Trouble::Damaged("a value is not what was written".into()))
}

/// Everything in a file, or the entries of the requested keys.
fn read(path: &Path, wanted: Option<&[Key]>) -> Result<Answers, Trouble> {
    let length = std::fs::metadata(path).map_err(|_| Trouble::Empty)?.len();
    if length == 0 {
        return Err(Trouble::Empty);
    }
    let database = open_to_read(path)?;
    let transaction = database.begin_read().map_err(damaged)?;
    let table = match transaction.open_table(VERSION) {
        // A run was killed before it wrote anything.
        Err(redb::TableError::TableDoesNotExist(_)) => return Err(Trouble::Empty),
        other => other.map_err(damaged)?,
    };
    let held = table.get("version").map_err(damaged)?.map(|held| held.value().to_owned());
    if held != Some(version()) {
        return Err(Trouble::Empty);
    }
    let mut answers = Answers::default();
    let table = transaction.open_table(ANSWERS).map_err(damaged)?;
    if let Some(wanted) = wanted {
        for key in wanted {
            if let Some(value) = table.get(key).map_err(damaged)? {
                answers.insert(*key, unsealed(key, value.value())?);
            }
        }
        return Ok(answers);
    }
    for row in table.iter().map_err(damaged)? {
        let (key, value) = row.map_err(damaged)?;
        answers.insert(*key.value(), unsealed(key.value(), value.value())?);
    }
    Ok(answers)
}

/// Puts an empty database where there is no file. The library fills a new file in several steps, and a run that is
/// killed between them would leave an invalid database: it is created under another name and renamed.
fn begin(path: &Path) -> Result<(), Trouble> {
    if std::fs::metadata(path).is_ok_and(|file| file.len() > 0) {
        return Ok(());
    }
    let aside = path.with_extension(format!("{}.new", std::process::id()));
    let _ = std::fs::remove_file(&aside);
    drop(Database::create(&aside)?);
    std::fs::rename(&aside, path).map_err(|error| Trouble::Busy(error.to_string()))
}

fn write(path: &Path, added: &Answers) -> Result<(), Trouble> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(|error| Trouble::Busy(error.to_string()))?;
    }
    begin(path)?;
    let is_large = std::fs::metadata(path).is_ok_and(|file| file.len() > MAX_BYTES);
    let database = wait(|| Database::create(path))?;
    let transaction = database.begin_write().map_err(damaged)?;
    {
        let mut table = transaction.open_table(VERSION).map_err(damaged)?;
        let held = table.get("version").map_err(damaged)?.map(|held| held.value().to_owned());
        let mut answers = transaction.open_table(ANSWERS).map_err(damaged)?;
        if held != Some(version()) || is_large || answers.len().map_err(damaged)? as usize > MAX_ANSWERS {
            answers.retain(|_, _| false).map_err(damaged)?;
            table.insert("version", version().as_str()).map_err(damaged)?;
        }
        let mut sorted: Vec<(&Key, &Vec<u8>)> = added.iter().collect();
        sorted.sort_unstable();
        for (key, value) in sorted {
            answers.insert(key, sealed(key, value).as_slice()).map_err(damaged)?;
        }
    }
    transaction.commit().map_err(damaged)
}
