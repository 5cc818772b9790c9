//! `hydride optimize` in several runs that share a cache.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::optimize::MODULE;
use crate::support::redis::Server;
use crate::support::{Run, command, hydride, path_with_hydride, repository, samples, scratch, skip};

/// Another module, so that a run has more than one batch of slices.
const ROTATIONS: &str = "define i64 @g(i64 %x, i32 %y, i16 %z) {
  %a = shl i64 %x, 24
  %b = lshr i64 %x, 40
  %c = or i64 %a, %b
  %d = shl i32 %y, 9
  %e = lshr i32 %y, 23
  %f = or i32 %d, %e
  %g = zext i32 %f to i64
  %h = xor i64 %c, %g
  %i = shl i16 %z, 8
  %j = lshr i16 %z, 8
  %k = or i16 %i, %j
  %l = zext i16 %k to i64
  %m = sub i64 %h, %l
  ret i64 %m
}
";

const MODULES: [&str; 2] = ["x", "y"];

/// What a slice's answer looks like: nothing, or a function.
fn is_answer(value: &[u8]) -> bool {
    value == [0] || value.windows(7).any(|part| part == b"define ")
}

fn answers(server: &Server) -> Vec<(String, Vec<u8>)> {
    server.contents().into_iter().filter(|(_, value)| is_answer(value)).collect()
}

/// The changed modules, which are removed.
fn taken(folder: &Path) -> Vec<String> {
    let take = |name: &str| {
        let path = folder.join(format!("{name}.opt.ll"));
        let text = std::fs::read_to_string(&path).expect("a module");
        std::fs::remove_file(&path).expect("a file");
        text
    };
    MODULES.map(take).to_vec()
}

#[test]
fn shards_that_share_a_server_do_what_one_run_does() {
    let Some(server) = Server::start() else { return };
    let folder = scratch();
    let folder = folder.path();
    for (name, text) in MODULES.iter().zip([MODULE, ROTATIONS]) {
        std::fs::write(folder.join(format!("{name}.ll")), text).expect("a file");
    }
    let (specs, url) = (samples().display().to_string(), server.url());
    let line = ["optimize", "--isa", "sse42", "--specs", &specs, "x.ll", "y.ll"];
    let run = |args: &[&str]| hydride(folder, &[&line, args].concat());
    let shared = |args: &[&str]| run(&[&["--cache", &url], args].concat());
    let read = |line: &str| serde_json::from_str::<Value>(line).expect("a line of JSON");
    run(&["--no-cache"]).exits(0);
    let expected = taken(folder);
    assert!(expected[0].contains("@llvm.ctpop.i32"), "{expected:?}");

    // A run is killed once it has found out something; the next one goes on from there.
    let mut killed = command(folder, &[&line, ["--cache", &url, "--shard", "1/2"].as_slice()].concat());
    let mut killed = killed.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
    while answers(&server).is_empty() && killed.try_wait().expect("a state").is_none() {
        std::thread::sleep(Duration::from_millis(20));
    }
    let _ = killed.kill();
    killed.wait().expect("it ends");
    let before = answers(&server);
    assert!(!before.is_empty(), "the first run found nothing out");
    let first = read(&shared(&["--shard", "1/2"]).exits(0).stdout);
    assert_eq!(first["cached"], before.len(), "{first}");
    let second = read(&shared(&["--shard", "2/2"]).exits(0).stdout);
    let after = server.contents();
    assert!(before.iter().all(|answer| after.contains(answer)));
    assert!(!folder.join("x.opt.ll").exists(), "shards write no modules");
    let whole = read(shared(&["--offline"]).exits(0).stdout.lines().next().expect("a line"));
    assert_eq!(taken(folder), expected);
    let slices = |line: &Value, name: &str| line[name].as_u64().expect("a number");
    assert_eq!(slices(&first, "slices") + slices(&second, "slices"), slices(&whole, "searched_in_all"));
    assert_eq!(whole["cached_in_all"], whole["searched_in_all"]);

    // What is not right is not used, and is replaced by the next search.
    let mut changed = 0;
    for (key, value) in &after {
        let name = value.windows(10).position(|part| part == b"llvm.ctpop");
        if let Some(at) = name {
            let mut other = value.clone();
            other[at..at + 10].copy_from_slice(b"llvm.bswap");
            server.put(key, &other);
            changed += 1;
        }
    }
    assert!(changed > 0);
    server.put(&before[0].0, b"nothing that can be read");
    let refused = shared(&["--offline"]).exits(0).complains(&["answers of the cache are not used"]);
    assert_eq!(read(refused.stdout.lines().next().expect("a line"))["refused_in_all"], changed);
    assert!(taken(folder).iter().all(|text| !text.contains("bswap.i32")));
    shared(&[]).exits(0);
    assert_eq!(taken(folder), expected);

    on_workers(folder, &specs, &url);
    assert_eq!(taken(folder), expected);

    // A server that is not there is said, and so is one that is none.
    drop(server);
    shared(&["--offline"]).exits(3).complains(&["cannot reach the cache at 127.0.0.1:"]);
    let named = command(folder, &line).env("HYDRIDE_CACHE", &url).output().expect("it starts");
    Run::new(named).exits(3).complains(&["cannot reach the cache at 127.0.0.1:"]);
    run(&["--cache", "other://x"]).exits(2).complains(&["redis://"]);
    hydride(folder, &["generate-ir", "--cache", &url]).exits(2);
    for bad in [["--shard", "3/2"], ["--shard", "0/1"]] {
        shared(&bad).exits(2);
    }
    shared(&["--shard", "1/2", "--offline"]).exits(2);
    assert!(!folder.join("x.opt.ll").exists());
}

/// The modules on two workers, of which the first one is killed.
fn on_workers(folder: &Path, specs: &str, url: &str) {
    let worker = folder.join("worker");
    std::fs::write(&worker, "mkdir once 2>/dev/null && kill -9 $$\nexec hydride \"$@\"\n").expect("a file");
    let script = repository().join("python/tools/optimize_modules.py");
    let mut run = Command::new("python3");
    run.arg(script).args([
        "--engine",
        "processes",
        "--workers",
        "2",
        "--hydride",
        "sh worker",
        "--isa",
        "sse42",
    ]);
    run.args(["--cache", url, "x.ll", "y.ll", "--", "--specs", specs]).current_dir(folder);
    let Ok(output) = run.env("PATH", path_with_hydride()).output() else {
        skip("modules on workers: python3 is not installed");
        hydride(folder, &["optimize", "--isa", "sse42", "--specs", specs, "--cache", url, "x.ll", "y.ll"])
            .exits(0);
        return;
    };
    let said = Run::new(output).exits(0).complains(&["was ended by signal 9; it is tried again"]);
    assert_eq!(said.stdout.lines().count(), 2);
}
