//! A headless Chromium that a test drives by the W3C WebDriver protocol. The main type is [`Browser`].
//!
//! # Design
//!
//! The protocol is a dozen JSON calls, and reqwest is a dependency already. A client crate would add more to every cold
//! test build than these lines.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::runtime::Runtime;

/// The name under which the protocol hides an element's reference.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// A browser that says nothing for so long is hung. No test waits for it to pass, however loaded the machine.
const HUNG: Duration = Duration::from_secs(300);

/// How a page is looked at.
#[derive(Clone, Copy)]
pub(super) struct Looked {
    pub(super) width: u32,
    pub(super) height: u32,
    /// Whether the page's script runs.
    pub(super) script: bool,
    /// Whether the reader asked for dark pages.
    pub(super) dark: bool,
}

impl Default for Looked {
    fn default() -> Self {
        Self {
            width: 1280,
            height: 900,
            script: true,
            dark: false,
        }
    }
}

/// A browser with one window. It ends with the test.
pub(super) struct Browser {
    driver: Child,
    runtime: Runtime,
    client: reqwest::Client,
    /// The URL below which the session's commands are.
    session: String,
    _profile: TempDir,
}

impl Browser {
    /// A fresh browser.
    pub(super) fn start(looked: Looked) -> Self {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let (driver, address) = driver();
        let profile = tempfile::tempdir().unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        let client = reqwest::Client::builder().no_proxy().timeout(HUNG);
        let mut browser = Self {
            driver,
            runtime,
            client: client.build().unwrap(),
            session: format!("{address}/session"),
            _profile: profile,
        };
        let wanted = capabilities(looked, browser._profile.path());
        let begun = browser.call(Method::POST, "", Some(&wanted));
        browser.session = format!("{}/{}", browser.session, begun["sessionId"].as_str().unwrap());
        browser
    }

    /// Opens a page, and waits until it is loaded.
    pub(super) fn open(&self, url: &str) {
        self.call(Method::POST, "/url", Some(&json!({"url": url})));
    }

    /// What a function body returns in the page.
    pub(super) fn run(&self, script: &str) -> Value {
        let call = json!({"script": script, "args": []});
        self.call(Method::POST, "/execute/sync", Some(&call))
    }

    /// Whether an expression is true in the page.
    pub(super) fn is(&self, expression: &str) -> bool {
        self.run(&format!("return Boolean({expression});")) == true
    }

    /// The number that an expression has in the page.
    pub(super) fn number(&self, expression: &str) -> u64 {
        let number = self.run(&format!("return Math.round({expression});"));
        number.as_u64().unwrap_or_else(|| panic!("{expression} is {number}"))
    }

    /// The text that an expression has in the page.
    pub(super) fn text(&self, expression: &str) -> String {
        let text = self.run(&format!("return String({expression});"));
        text.as_str().unwrap().to_owned()
    }

    /// Clicks in the middle of an element, as a mouse does: what is hidden or covered cannot be clicked.
    pub(super) fn click(&self, selector: &str) {
        let element = self.element(selector);
        // Not beneath the bar that stays at the top.
        let middle = "{block: 'center', behavior: 'instant'}";
        self.run(&format!(
            "document.querySelector({}).scrollIntoView({middle});",
            Value::from(selector)
        ));
        self.call(Method::POST, &format!("/element/{element}/click"), Some(&json!({})));
    }

    /// Presses keys, one after the other, wherever the focus is.
    pub(super) fn press(&self, keys: &str) {
        let presses = keys.chars().flat_map(|key| {
            let key = key.to_string();
            [
                json!({"type": "keyDown", "value": key}),
                json!({"type": "keyUp", "value": key}),
            ]
        });
        let actions = json!({"actions": [{"type": "key", "id": "keys", "actions": presses.collect::<Vec<_>>()}]});
        self.call(Method::POST, "/actions", Some(&actions));
    }

    /// What the browser says of an element to a screen reader: its role and its name.
    pub(super) fn accessible(&self, selector: &str) -> (String, String) {
        let element = self.element(selector);
        let ask = |what: &str| {
            let reported = self.call(Method::GET, &format!("/element/{element}/{what}"), None);
            reported.as_str().unwrap_or_default().to_owned()
        };
        (ask("computedrole"), ask("computedlabel"))
    }

    /// A picture of the window, as PNG.
    pub(super) fn picture(&self) -> Vec<u8> {
        decoded(&self.call(Method::GET, "/screenshot", None))
    }

    /// The page as it is printed, as PDF.
    pub(super) fn print(&self) -> Vec<u8> {
        // Not the driver's own `/print`: it gives a browser that prints for the first time ten seconds, whatever the
        // session's timeouts say, and a loaded machine needs more.
        decoded(&self.chromium("Page.printToPDF", &json!({}))["data"])
    }

    /// A command of Chromium's own protocol.
    pub(super) fn chromium(&self, command: &str, parameters: &Value) -> Value {
        let call = json!({"cmd": command, "params": parameters});
        self.call(Method::POST, "/goog/cdp/execute", Some(&call))
    }

    /// What the console has said since the last time.
    pub(super) fn console(&self) -> Vec<String> {
        let log = self.call(Method::POST, "/se/log", Some(&json!({"type": "browser"})));
        let entries = log.as_array().unwrap().iter();
        entries.map(|entry| entry["message"].to_string()).collect()
    }

    fn element(&self, selector: &str) -> String {
        let wanted = json!({"using": "css selector", "value": selector});
        let found = self.call(Method::POST, "/element", Some(&wanted));
        found[ELEMENT].as_str().unwrap().to_owned()
    }

    /// Sends a command and takes its value.
    #[track_caller]
    fn call(&self, method: Method, command: &str, body: Option<&Value>) -> Value {
        let request = self.client.request(method, format!("{}{command}", self.session));
        let request = match body {
            Some(body) => request.json(body),
            None => request,
        };
        let response = async { request.send().await?.json::<Value>().await };
        let mut response = self.runtime.block_on(response).unwrap();
        let error = &response["value"]["error"];
        assert!(
            error.is_null(),
            "{command} {body:?}: {error}: {}",
            response["value"]["message"]
        );
        response["value"].take()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // The driver ends the browser with the session; a failure here would hide the test's own.
        let ended = async { self.client.delete(&self.session).send().await };
        let _ = self.runtime.block_on(ended);
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

/// The bytes that an answer holds in Base64.
fn decoded(encoded: &Value) -> Vec<u8> {
    use base64::Engine as _;
    base64::prelude::BASE64_STANDARD
        .decode(encoded.as_str().unwrap())
        .unwrap()
}

/// Starts the driver on a port of its own choice. It chooses one of IPv4 and ends if another program has the same one
/// of IPv6, so it may choose a few times.
fn driver() -> (Child, String) {
    let program = std::env::var("COUNTERSIGN_TEST_CHROMEDRIVER").unwrap_or_else(|_| "chromedriver".to_owned());
    let start = || {
        let mut command = Command::new(&program);
        let started = command
            .arg("--port=0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn();
        let mut driver =
            started.unwrap_or_else(|error| panic!("`{program}` does not start: {error}; see .ci/with-chromium"));
        let lines = BufReader::new(driver.stdout.take().unwrap()).lines();
        let mut ports = lines.map_while(Result::ok).filter_map(|line| {
            let (_, port) = line.split_once("started successfully on port ")?;
            port.trim_end_matches('.').parse::<u16>().ok()
        });
        let port = ports.next();
        if port.is_none() {
            driver.wait().unwrap();
        }
        port.map(|port| (driver, format!("http://127.0.0.1:{port}")))
    };
    let mut attempts = std::iter::repeat_with(start).take(5).flatten();
    attempts.next().unwrap_or_else(|| panic!("`{program}` finds no port"))
}

fn capabilities(looked: Looked, profile: &std::path::Path) -> Value {
    let Looked { width, height, .. } = looked;
    let mut arguments = vec![
        format!("--user-data-dir={}", profile.display()),
        format!("--window-size={width},{height}"),
    ];
    let fixed = "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking \
                 --disable-component-update --disable-sync --disable-dev-shm-usage --hide-scrollbars \
                 --font-render-hinting=none";
    arguments.extend(fixed.split_whitespace().map(ToOwned::to_owned));
    if looked.dark {
        arguments.push("--blink-settings=preferredColorScheme=0".to_owned());
    }
    let script = if looked.script { 1 } else { 2 };
    let mut options = json!({
        "args": arguments,
        "prefs": {"profile.managed_default_content_settings.javascript": script},
    });
    if let Ok(program) = std::env::var("COUNTERSIGN_TEST_CHROMIUM") {
        options["binary"] = program.into();
    }
    json!({"capabilities": {"alwaysMatch": {
        "browserName": "chrome",
        "goog:chromeOptions": options,
        "goog:loggingPrefs": {"browser": "ALL"},
        "timeouts": {"script": HUNG.as_millis(), "pageLoad": HUNG.as_millis()},
    }}})
}
