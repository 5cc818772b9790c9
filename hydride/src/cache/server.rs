//! Answers on a Redis server, which many machines ask.
//!
//! Each answer is a value of the server from the moment when it is known: a run that is killed loses what it was searching,
//! and nothing else. Keys have the version of the program in them. What the server holds comes from outside: who reads an
//! answer must be able to tell that it is right.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

use anyhow::{Result, anyhow};
use memo::{Key, Store};
use redis::{Client, Connection, RedisResult};

use crate::usage;

/// How long the server may take for an answer.
const WAIT: Duration = Duration::from_secs(10);
/// Answers that are asked for at once.
const TOGETHER: usize = 512;

/// A server with answers.
pub struct Server {
    /// Host and port, without what may be a password.
    name: String,
    /// The beginning of this version's keys.
    prefix: String,
    connection: Mutex<Connection>,
    /// Answers that were asked for at the start; `None` where the server had none.
    fetched: HashMap<Key, Option<Vec<u8>>>,
    /// Why the server no longer answers.
    lost: OnceLock<String>,
}

impl Server {
    /// Connects to a server, and asks it for the answers under some keys.
    pub fn open(url: &str, wanted: &[Key]) -> Result<Self> {
        let client = Client::open(url)
            .map_err(|error| usage(format!("the server of a cache is redis://HOST[:PORT]: {error}")))?;
        let name = client.get_connection_info().addr().to_string();
        let unreachable = |error| anyhow!("cannot reach the cache at {name}: {error}");
        let mut connection = client.get_connection_with_timeout(WAIT).map_err(unreachable)?;
        connection.set_read_timeout(Some(WAIT)).map_err(unreachable)?;
        connection.set_write_timeout(Some(WAIT)).map_err(unreachable)?;
        let version = blake3::hash(super::version().as_bytes()).to_hex();
        let prefix = format!("hydride:{}:", &version[..16]);
        let mut fetched = HashMap::new();
        for keys in wanted.chunks(TOGETHER) {
            let names: Vec<String> = keys.iter().map(|key| named(&prefix, key)).collect();
            let values: Vec<Option<Vec<u8>>> =
                redis::cmd("MGET").arg(names).query(&mut connection).map_err(unreachable)?;
            fetched.extend(keys.iter().copied().zip(values));
        }
        Ok(Self { name, prefix, connection: Mutex::new(connection), fetched, lost: OnceLock::new() })
    }

    /// An error where the server stopped to answer: what was found since then is not kept.
    pub fn check(&self) -> Result<()> {
        match self.lost.get() {
            None => Ok(()),
            Some(why) => Err(anyhow!("the cache at {} no longer answers: {why}", self.name)),
        }
    }

    /// Asks, unless the server was lost before.
    fn ask<T>(&self, question: impl FnOnce(&mut Connection) -> RedisResult<T>) -> Option<T> {
        let mut connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        if self.lost.get().is_some() {
            return None;
        }
        match question(&mut connection) {
            Ok(answer) => Some(answer),
            Err(error) => {
                let _ = self.lost.set(error.to_string());
                None
            }
        }
    }
}

impl Store for Server {
    fn find(&self, key: &Key) -> Option<Vec<u8>> {
        if let Some(known) = self.fetched.get(key) {
            return known.clone();
        }
        let name = named(&self.prefix, key);
        self.ask(|connection| redis::cmd("GET").arg(&name).query(connection)).flatten()
    }

    fn store(&self, key: Key, answer: Vec<u8>) {
        let name = named(&self.prefix, &key);
        self.ask(|connection| redis::cmd("SET").arg(&name).arg(answer).query::<()>(connection));
    }
}

/// The server's key.
fn named(prefix: &str, key: &Key) -> String {
    let mut name = prefix.to_owned();
    for byte in key {
        let _ = write!(name, "{byte:02x}");
    }
    name
}
