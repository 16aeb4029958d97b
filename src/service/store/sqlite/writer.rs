//! The one thread that writes: [`Writer`], with a queue of jobs that share commits.
//!
//! # Design
//!
//! A commit to a file waits milliseconds for the disk, and SQLite has one writer at a time. So the writer runs all
//! waiting jobs in one transaction and reports each of them as done once it is on the disk: while one batch is being
//! synced, the next one gathers, and the more creates arrive at once, the less each of them costs. A savepoint around
//! each job lets a rejected or panicking one be undone without the others.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread::{self, JoinHandle};

use rusqlite::{Connection, Transaction, TransactionBehavior};
use tokio::sync::{mpsc, oneshot};

use crate::service::store::interface::StoreError;

/// How many jobs share a commit at most, and how many may wait for the next one.
const BATCH: usize = 512;

/// A handle to the thread. Dropping it finishes the waiting jobs and closes the database.
pub(crate) struct Writer {
    /// Absent only while the writer is dropped.
    jobs: Option<mpsc::Sender<Box<dyn Job>>>,
    thread: Option<JoinHandle<()>>,
}

impl Writer {
    pub(super) fn start(connection: Connection) -> Self {
        let (jobs, queue) = mpsc::channel(BATCH);
        let thread = thread::spawn(move || work(connection, queue));
        Writer {
            jobs: Some(jobs),
            thread: Some(thread),
        }
    }

    /// Runs a job in a transaction that other jobs may share: all of what it wrote is kept, durably, or nothing.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (job, response) = queued(work);
        let jobs = self.jobs.as_ref().ok_or(StoreError::Crashed)?;
        jobs.send(job).await.map_err(|_| StoreError::Crashed)?;
        response.await.unwrap_or(Err(StoreError::Crashed))
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.jobs = None;
        // Waits, so that the file is closed before anything opens it again.
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Runs a job on this thread, in a transaction of its own: all of what it wrote is kept, or nothing.
pub(super) fn run_here<T: Send + 'static>(
    connection: &mut Connection,
    work: impl FnOnce(&Transaction<'_>) -> Result<T, StoreError> + Send + 'static,
) -> Result<T, StoreError> {
    let (job, mut response) = queued(work);
    let mut batch: [Box<dyn Job>; 1] = [job];
    let committed = commit_together(connection, &mut batch).map_err(StoreError::from);
    let [job] = batch;
    job.respond(&committed);
    response.try_recv().unwrap_or(Err(StoreError::Crashed))
}

/// Receives the outcome of a job.
type OutcomeReceiver<T> = oneshot::Receiver<Result<T, StoreError>>;

/// Makes a job and the receiver of its outcome.
fn queued<W, T>(work: W) -> (Box<QueuedJob<W, T>>, OutcomeReceiver<T>) {
    let (caller, response) = oneshot::channel();
    let job = QueuedJob {
        work: Some(work),
        outcome: Err(StoreError::Crashed),
        caller,
    };
    (Box::new(job), response)
}

fn work(mut connection: Connection, mut queue: mpsc::Receiver<Box<dyn Job>>) {
    let mut batch = Vec::with_capacity(BATCH);
    while queue.blocking_recv_many(&mut batch, BATCH) > 0 {
        let committed = commit_together(&mut connection, &mut batch).map_err(StoreError::from);
        for job in batch.drain(..) {
            job.respond(&committed);
        }
    }
}

fn commit_together(connection: &mut Connection, batch: &mut [Box<dyn Job>]) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    for job in batch {
        run_alone(&transaction, job.as_mut())?;
    }
    transaction.commit()
}

/// Runs a job, and undoes all of it when it fails.
fn run_alone(transaction: &Transaction<'_>, job: &mut dyn Job) -> rusqlite::Result<()> {
    let execute = |command| transaction.prepare_cached(command)?.execute([]);
    execute("SAVEPOINT job")?;
    let succeeded = catch_unwind(AssertUnwindSafe(|| job.run(transaction))).unwrap_or(false);
    if !succeeded {
        // After some failures, a full disk among them, SQLite has undone the whole transaction and the savepoint with
        // it: then this fails, and so does the batch.
        execute("ROLLBACK TO job")?;
    }
    execute("RELEASE job")?;
    Ok(())
}

/// Work to be done in a transaction, and a caller who waits for it.
trait Job: Send {
    /// Does the work, and returns whether what was written is to be kept.
    fn run(&mut self, transaction: &Transaction<'_>) -> bool;

    /// Reports the outcome to the caller, once it is known whether the transaction was committed.
    fn respond(self: Box<Self>, committed: &Result<(), StoreError>);
}

struct QueuedJob<W, T> {
    work: Option<W>,
    outcome: Result<T, StoreError>,
    caller: oneshot::Sender<Result<T, StoreError>>,
}

impl<W, T> Job for QueuedJob<W, T>
where
    W: FnOnce(&Transaction<'_>) -> Result<T, StoreError> + Send,
    T: Send,
{
    fn run(&mut self, transaction: &Transaction<'_>) -> bool {
        if let Some(work) = self.work.take() {
            self.outcome = work(transaction);
        }
        self.outcome.is_ok()
    }

    fn respond(self: Box<Self>, committed: &Result<(), StoreError>) {
        // A job that failed by itself reports that, whatever happened to the other jobs. Work that a failed transaction
        // did not get to is not done either.
        let undone = self.outcome.is_ok() || self.work.is_some();
        let response = match committed {
            Err(failed) if undone => Err(failed.clone()),
            _ => self.outcome,
        };
        // The caller may have gone.
        let _ = self.caller.send(response);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn writer(prepare: &str) -> Writer {
        let connection = Connection::open_in_memory().unwrap();
        connection
            .execute_batch(&format!("CREATE TABLE note (text TEXT); {prepare}"))
            .unwrap();
        Writer::start(connection)
    }

    fn note(transaction: &Transaction<'_>, text: &str) -> Result<(), StoreError> {
        transaction.execute("INSERT INTO note VALUES (?1)", [text])?;
        Ok(())
    }

    fn notes(transaction: &Transaction<'_>) -> Result<i64, StoreError> {
        Ok(transaction.query_row("SELECT count(*) FROM note", [], |row| row.get(0))?)
    }

    #[tokio::test]
    async fn jobs_of_one_batch_fail_and_panic_alone() {
        let writer = writer("");
        // All four are in the queue before this thread waits for the response to any of them.
        let (kept, rejected, crashed, after) = tokio::join!(
            writer.run(|transaction| note(transaction, "kept")),
            writer.run(|transaction| {
                note(transaction, "rejected")?;
                Err::<(), _>(StoreError::UnknownContact)
            }),
            writer.run(|transaction| -> Result<(), StoreError> {
                note(transaction, "crashed")?;
                panic!("as the test asks");
            }),
            writer.run(|transaction| note(transaction, "kept as well")),
        );
        assert!(kept.is_ok() && after.is_ok());
        assert!(matches!(rejected, Err(StoreError::UnknownContact)));
        assert!(matches!(crashed, Err(StoreError::Crashed)));
        assert_eq!(writer.run(notes).await.unwrap(), 2);
    }

    #[tokio::test]
    async fn what_does_not_fit_is_an_error_and_the_writer_goes_on() {
        let writer = writer("PRAGMA max_page_count = 4");
        let large = "x".repeat(20_000);
        let rejected = writer.run(move |transaction| note(transaction, &large)).await;
        assert!(matches!(rejected, Err(StoreError::Database(_))), "{rejected:?}");
        assert!(writer.run(|transaction| note(transaction, "small")).await.is_ok());
        assert_eq!(writer.run(notes).await.unwrap(), 1);
    }

    #[tokio::test]
    async fn what_could_not_be_committed_is_not_answered_as_done() {
        let writer = writer(
            "PRAGMA foreign_keys = ON;
            CREATE TABLE owner (id INTEGER PRIMARY KEY);
            CREATE TABLE owned (owner INTEGER REFERENCES owner (id) DEFERRABLE INITIALLY DEFERRED)",
        );
        // The foreign key is checked when the transaction commits, after the job has returned.
        let lost = writer.run(|transaction| Ok(transaction.execute("INSERT INTO owned VALUES (1)", [])?));
        assert!(matches!(lost.await, Err(StoreError::Database(_))));
        assert_eq!(writer.run(notes).await.unwrap(), 0);
    }

    #[tokio::test]
    async fn a_caller_that_has_gone_disturbs_nobody() {
        let writer = writer("");
        let asked = tokio::time::timeout(
            std::time::Duration::ZERO,
            writer.run(|transaction| note(transaction, "kept")),
        );
        let _ = asked.await;
        assert!(writer.run(notes).await.is_ok());
    }
}
