//! Targets that behave badly for every request, or before any request.

use std::io::Write as _;

use super::case::Expected::{CouldNotJudge, Findings, NothingSucceeded, Several};
use super::case::{Behaviour, page};
use crate::cli::stub::{flood, json as response, reset, stall};

pub(super) fn behaviours() -> Vec<Behaviour> {
    [whatever_is_asked(), before_anything_is()]
        .into_iter()
        .flatten()
        .collect()
}

fn whatever_is_asked() -> Vec<Behaviour> {
    let unfinished = NothingSucceeded("unfinished-answer", "no complete response came");
    vec![
        Behaviour::everywhere("silence everywhere", unfinished, |_, stream| stall(stream)),
        Behaviour::everywhere("resets everywhere", unfinished, |_, stream| reset(stream)),
        Behaviour::everywhere("another protocol everywhere", unfinished, |_, stream| {
            stream.write_all(b"SSH-2.0-OpenSSH_9.7\r\n")
        }),
        Behaviour::everywhere(
            "429 everywhere",
            CouldNotJudge("every response was 429"),
            |_, stream| stream.write_all(response("429 Slow Down\r\nRetry-After: 0", "{}").as_bytes()),
        ),
        Behaviour::everywhere("401 everywhere", CouldNotJudge("rejected with 401"), |case, stream| {
            let body = format!("{{\"error\":\"{} is not known\"}}", case.canary.token);
            stream.write_all(response("401 Unauthorized", &body).as_bytes())
        }),
        Behaviour::everywhere(
            "a login page everywhere",
            NothingSucceeded("auth", "every successful response is something other than JSON"),
            |_, stream| {
                let page = response("200 OK", "<html>Who are you?</html>");
                stream.write_all(page.replace("application/json", "text/html").as_bytes())
            },
        ),
        Behaviour::everywhere(
            "a redirect to a login page everywhere",
            NothingSucceeded("status", "every response is a redirect"),
            |case, stream| {
                let status = format!(
                    "302 Found\r\nLocation: {}/login?token={}",
                    case.elsewhere, case.canary.token
                );
                stream.write_all(response(&status, "").as_bytes())
            },
        ),
        Behaviour::everywhere("nothing that can be read everywhere", Several("auth"), |_, stream| {
            stream.write_all(response("200 OK", &"[".repeat(1000)).as_bytes())
        }),
        Behaviour::everywhere("pages without end everywhere", Several("auth"), |_, stream| {
            let numbers = r#""per_page":1,"page":1,"total":1000000000000000000,"last_page":1000000000000000000"#;
            let body = format!(r#"{{"data":{{{numbers},"items":[{{"id":"a"}}]}}}}"#);
            stream.write_all(response("200 OK", &body).as_bytes())
        }),
    ]
}

fn before_anything_is() -> Vec<Behaviour> {
    let unfinished = NothingSucceeded("unfinished-answer", "no complete response came");
    vec![
        Behaviour::before_the_request("a response before the request", Findings, |_, stream| {
            stream.write_all(response("200 OK", &page(&[]).to_string()).as_bytes())
        }),
        Behaviour::before_the_request("a greeting before the request", unfinished, |_, stream| {
            stream.write_all(b"220 mail.example.com ESMTP\r\n")?;
            stall(stream)
        }),
        Behaviour::before_the_request("bytes without end before the request", unfinished, |_, stream| {
            flood(stream, &[b'a'; 4096])
        }),
    ]
}
