//! A Redis server for a test, which keeps nothing.

use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use redis::{Client, Connection};

use super::{scratch, skip};

/// A server that ends with the value.
pub struct Server {
    process: Child,
    /// `HOST:PORT`.
    pub address: String,
    _folder: tempfile::TempDir,
}

impl Server {
    /// Starts a server on a free port; without the program, a visible word that the test does without.
    pub fn start() -> Option<Server> {
        let found = Command::new("redis-server").arg("--version").stdout(Stdio::null()).status();
        if !found.is_ok_and(|status| status.success()) {
            skip("redis-server is not installed (Debian: apt-get install redis-server)");
            return None;
        }
        let folder = scratch();
        let port =
            TcpListener::bind("127.0.0.1:0").and_then(|socket| socket.local_addr()).expect("a port").port();
        let port = port.to_string();
        let process = Command::new("redis-server")
            .args(["--port", &port, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir"])
            .arg(folder.path())
            .stdout(Stdio::null())
            .spawn()
            .expect("it starts");
        let server = Server { process, address: format!("127.0.0.1:{port}"), _folder: folder };
        let client = Client::open(server.url()).expect("an address");
        for _ in 0..600 {
            if client.get_connection().is_ok() {
                return Some(server);
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        panic!("redis-server does not answer at {}", server.address);
    }

    /// Its address for `--cache`.
    pub fn url(&self) -> String {
        format!("redis://{}", self.address)
    }

    fn connection(&self) -> Connection {
        Client::open(self.url()).and_then(|client| client.get_connection()).expect("a connection")
    }

    /// All that it has, in the order of the keys.
    pub fn contents(&self) -> Vec<(String, Vec<u8>)> {
        let mut connection = self.connection();
        let mut keys: Vec<String> = redis::cmd("KEYS").arg("*").query(&mut connection).expect("keys");
        keys.sort();
        let value = |key: String| {
            let value = redis::cmd("GET").arg(&key).query(&mut connection).expect("a value");
            (key, value)
        };
        keys.into_iter().map(value).collect()
    }

    /// Puts a value in.
    pub fn put(&self, key: &str, value: &[u8]) {
        redis::cmd("SET").arg(key).arg(value).query::<()>(&mut self.connection()).expect("it is kept");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
