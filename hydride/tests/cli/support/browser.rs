//! A headless Chromium, driven through chromedriver on a local port.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// How long to wait for what a page does by itself.
const PATIENCE: Duration = Duration::from_secs(20);

/// The key under which WebDriver identifies an element.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// A browser with one window; it ends with the value.
pub struct Browser {
    driver: Child,
    session: String,
    agent: ureq::Agent,
    _profile: tempfile::TempDir,
}

impl Browser {
    /// Starts it; `None` without chromedriver or Chromium.
    pub fn start() -> Option<Browser> {
        let there = |name: &str| {
            let version =
                Command::new(name).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
            version.is_ok_and(|status| status.success())
        };
        if !there("chromium") || !there("chromedriver") {
            return None;
        }
        let mut driver = Command::new("chromedriver")
            .arg("--port=0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("chromedriver starts");
        let lines = BufReader::new(driver.stdout.take().expect("its output")).lines();
        let port = lines
            .map_while(Result::ok)
            .find_map(|line| line.strip_suffix('.')?.rsplit_once("on port ")?.1.parse::<u16>().ok())
            .expect("chromedriver names its port");
        let agent: ureq::Agent = ureq::Agent::config_builder().http_status_as_error(false).build().into();
        let profile = tempfile::tempdir().expect("a temporary folder");
        let own = format!("--user-data-dir={}", profile.path().display());
        let args = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--disable-dev-shm-usage",
            "--window-size=1400,900",
            &own,
        ];
        let mut browser =
            Browser { driver, session: format!("http://127.0.0.1:{port}/session"), agent, _profile: profile };
        let wanted = json!({"capabilities": {"alwaysMatch": {
            "browserName": "chrome",
            "goog:chromeOptions": {"args": args},
            "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
        }}});
        let session = browser.post("", &wanted);
        let id = session["sessionId"].as_str().unwrap_or_else(|| panic!("no session: {session}"));
        browser.session = format!("{}/{id}", browser.session);
        Some(browser)
    }

    #[track_caller]
    fn post(&self, command: &str, body: &Value) -> Value {
        let sent = self.agent.post(format!("{}{command}", self.session)).send(body.to_string());
        let mut answer = sent.unwrap_or_else(|error| panic!("{command}: {error}"));
        let text = answer.body_mut().read_to_string().expect("an answer");
        let value: Value = serde_json::from_str(&text).expect("JSON");
        assert!(value["value"]["error"].is_null(), "{command} {body}: {}", value["value"]["message"]);
        value["value"].clone()
    }

    /// Opens a file with a hash, anew.
    #[track_caller]
    pub fn open(&self, file: &Path, hash: &str) {
        let path = file.canonicalize().expect("the file is there");
        self.post("/url", &json!({"url": "about:blank"}));
        self.post("/url", &json!({"url": format!("file://{}{hash}", path.display())}));
    }

    /// The value of a script's `return`.
    #[track_caller]
    pub fn run(&self, script: &str) -> Value {
        self.post("/execute/sync", &json!({"script": script, "args": []}))
    }

    /// The value that a script hands to `done`.
    #[track_caller]
    pub fn run_async(&self, script: &str) -> Value {
        let script = format!("const done = arguments[arguments.length - 1];\n{script}");
        self.post("/execute/async", &json!({"script": script, "args": []}))
    }

    /// The value of an expression as soon as it is true.
    #[track_caller]
    pub fn wait(&self, expression: &str) -> Value {
        let start = Instant::now();
        loop {
            let value = self.run(&format!("return {expression}"));
            if !matches!(value, Value::Null | Value::Bool(false)) && value != json!("") && value != json!(0) {
                return value;
            }
            assert!(start.elapsed() < PATIENCE, "never true: {expression}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Types into an element; special keys are WebDriver's code points.
    #[track_caller]
    pub fn keys(&self, selector: &str, text: &str) {
        let found = self.post("/element", &json!({"using": "css selector", "value": selector}));
        let id = found[ELEMENT].as_str().expect("an element");
        self.post(&format!("/element/{id}/value"), &json!({"text": text}));
    }

    /// Types into what has the focus.
    #[track_caller]
    pub fn press(&self, key: &str) {
        let keys = [json!({"type": "keyDown", "value": key}), json!({"type": "keyUp", "value": key})];
        self.post("/actions", &json!({"actions": [{"type": "key", "id": "keyboard", "actions": keys}]}));
    }

    #[track_caller]
    pub fn click(&self, selector: &str) {
        let found = self.post("/element", &json!({"using": "css selector", "value": selector}));
        let id = found[ELEMENT].as_str().expect("an element");
        self.post(&format!("/element/{id}/click"), &json!({}));
    }

    /// A command of Chromium's DevTools protocol.
    #[track_caller]
    pub fn run_cdp(&self, command: &str, params: Value) {
        self.post("/goog/cdp/execute", &json!({"cmd": command, "params": params}));
    }

    /// Tells pages which theme the system has.
    #[track_caller]
    pub fn system_theme(&self, theme: &str) {
        let features = json!([{"name": "prefers-color-scheme", "value": theme}]);
        self.run_cdp("Emulation.setEmulatedMedia", json!({"features": features}));
    }

    /// The messages of a log since it was last asked.
    #[track_caller]
    pub fn log(&self, kind: &str) -> Vec<Value> {
        self.post("/se/log", &json!({"type": kind})).as_array().cloned().unwrap_or_default()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.agent.delete(&self.session).call();
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}
