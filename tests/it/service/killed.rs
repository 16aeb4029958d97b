//! What a file contains after the program was killed while writing. The gate repeats this more often.

#![cfg(unix)]

use std::collections::HashSet;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use reqwest::Client;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use super::stores::assert_whole;
use super::support::{TOKEN, client};
use crate::support::tried;

/// Rounds of killing in a usual run; the gate asks for 200.
const KILLS: usize = 5;
/// In the gate.
const ALL_KILLS: usize = 200;

/// Writers at once, and how many tags they are told to be there before the program is killed.
const WRITERS: usize = 24;
const ACKNOWLEDGED: usize = 60;

/// `countersign serve` in a process of its own.
struct Program {
    child: Child,
    base: String,
    client: Client,
}

impl Program {
    /// Starts it and waits until it says where it listens.
    fn start(store: &Path) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_countersign"))
            .args(["serve", "--listen", "127.0.0.1:0", "--store"])
            .arg(format!("sqlite:{}", store.display()))
            .env("COUNTERSIGN_TOKEN", TOKEN)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        let address = line.split_whitespace().nth(1).unwrap();
        Program {
            base: format!("{address}/organization/v1"),
            child,
            client: client(),
        }
    }

    /// Sends it the signal that no program can handle.
    fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    async fn page(&self, number: u64) -> Value {
        let request = self.client.get(format!("{}/tags?page={number}", self.base));
        let response = request.bearer_auth(TOKEN).send().await.unwrap();
        response.json::<Value>().await.unwrap()["data"].take()
    }
}

/// Creates tags one after the other until the program is gone, and returns the ids of those that were acknowledged.
async fn write(client: Client, base: String, acknowledged: tokio::sync::mpsc::UnboundedSender<()>) -> Vec<Value> {
    let mut ids = Vec::new();
    loop {
        let request = client.post(format!("{base}/tags")).bearer_auth(TOKEN);
        let Ok(response) = request.json(&json!({"name": "written"})).send().await else {
            return ids;
        };
        assert_eq!(response.status(), 201);
        let Ok(mut body) = response.json::<Value>().await else {
            return ids;
        };
        ids.push(body["data"]["id"].take());
        let _ = acknowledged.send(());
    }
}

/// Kills the program while it writes, and returns what it acknowledged until then.
async fn kill_while_writing(program: Program) -> Vec<Value> {
    let (sender, mut acknowledged) = tokio::sync::mpsc::unbounded_channel();
    let mut writers = JoinSet::new();
    for _ in 0..WRITERS {
        writers.spawn(write(program.client.clone(), program.base.clone(), sender.clone()));
    }
    for _ in 0..ACKNOWLEDGED {
        acknowledged.recv().await.unwrap();
    }
    program.kill();
    writers.join_all().await.concat()
}

/// Walks from a page to the last one and returns the ids there. `page` stays at the first that is not full: nothing is
/// ever added before it, and none of the ids there comes again.
async fn walk_on(program: &Program, page: &mut u64, passed: &mut HashSet<Value>) -> Vec<Value> {
    let mut ids = Vec::new();
    loop {
        let data = program.page(*page).await;
        assert_whole(&data);
        let items = data["items"].as_array().unwrap();
        ids.extend(items.iter().map(|item| item["id"].clone()));
        if items.len() < 10 {
            return ids;
        }
        *page += 1;
        assert!(items.iter().all(|item| passed.insert(item["id"].clone())));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_acknowledged_is_there_once_after_each_of_many_kills() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("contacts.db");
    let (mut page, mut passed) = (1, HashSet::new());
    for round in 0..tried(KILLS, ALL_KILLS) {
        let acknowledged = kill_while_writing(Program::start(&store)).await;
        let program = Program::start(&store);
        let ids = walk_on(&program, &mut page, &mut passed).await;
        program.kill();
        for id in acknowledged {
            let times = ids.iter().filter(|listed| **listed == id).count();
            assert_eq!(times, 1, "round {round}: an acknowledged tag is listed {times} times");
        }
    }
}
