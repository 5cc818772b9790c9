//! Caches that many runs fill at the same time, on one machine or on several: a file, or a server.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Result;
use clap::Args;
use memo::{Key, Memo};

use super::server::Server;
use super::{Cache, CacheArgs};

/// Where to keep answers that machines share.
#[derive(Args, Clone, Default)]
pub struct SharedCacheArgs {
    /// File that keeps answers from run to run, or a Redis server that machines share (redis://HOST[:PORT]); else
    /// HYDRIDE_CACHE, which may be either, else hydride/cache.redb in the user's folder for caches.
    #[arg(long, value_name = "FILE|URL", conflicts_with = "no_cache")]
    cache: Option<PathBuf>,
    /// Search everything anew, and keep nothing.
    #[arg(long)]
    no_cache: bool,
}

impl SharedCacheArgs {
    /// Whether nothing is to be kept.
    pub fn is_off(&self) -> bool {
        self.no_cache
    }

    /// Whether answers are on a server.
    pub fn is_shared(&self) -> bool {
        self.server().is_some()
    }

    /// The cache of what documents say, which is always the machine's own.
    pub fn of_documents(&self) -> CacheArgs {
        let cache = self.cache.clone().filter(|_| self.server().is_none());
        CacheArgs { cache, no_cache: self.no_cache }
    }

    /// Opens the cache. `keys` are read at once, and `own`, which are never on a server; of a file only these if `no_others`.
    pub fn open(&self, keys: &[Key], own: &[Key], no_others: bool) -> Result<Shared> {
        Ok(match self.server() {
            Some(url) => {
                Shared::Server(Arc::new(Server::open(&url, keys)?), self.of_documents().open_at(own))
            }
            None if no_others => Shared::File(self.of_documents().open_at(&[keys, own].concat())),
            None => Shared::File(self.of_documents().open()),
        })
    }

    fn server(&self) -> Option<String> {
        match &self.cache {
            _ if self.no_cache => None,
            Some(given) => given.to_str().filter(|text| is_server(text)).map(str::to_owned),
            None => standard_server(),
        }
    }
}

/// The server that the environment names, if it names one.
pub fn standard_server() -> Option<String> {
    std::env::var("HYDRIDE_CACHE").ok().filter(|text| is_server(text))
}

/// Whether a text is no file but a server's URL.
pub fn is_server(text: &str) -> bool {
    text.split_once("://").is_some_and(|(scheme, _)| {
        !scheme.is_empty() && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'+')
    })
}

/// An open cache that may be shared.
pub enum Shared {
    /// A file, or none.
    File(Cache),
    /// A server, and the machine's own file.
    Server(Arc<Server>, Cache),
}

impl Shared {
    /// The answers in it.
    pub fn memo(&self) -> Memo {
        match self {
            Self::File(cache) => cache.memo(),
            Self::Server(server, _) => Memo::new(server.clone()),
        }
    }

    /// The answers that are this machine's alone.
    pub fn own(&self) -> Memo {
        match self {
            Self::File(cache) | Self::Server(_, cache) => cache.memo(),
        }
    }

    /// Makes what was found so far safe: writes it to the file, or says that the server did not take it.
    pub fn save(&self) -> Result<()> {
        match self {
            Self::File(cache) => {
                cache.save();
                Ok(())
            }
            Self::Server(server, own) => {
                own.save();
                server.check()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::is_server;

    #[test]
    fn servers_are_told_from_files() {
        for server in ["redis://host", "redis://:secret@host:1/2", "redis+unix:///run/redis", "other://x"] {
            assert!(is_server(server), "{server}");
        }
        for file in ["kept.redb", "folder/kept", "./redis://host", "a b://x", "://x"] {
            assert!(!is_server(file), "{file}");
        }
    }
}
