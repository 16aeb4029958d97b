//! The certificates of connections: whom `--cacert` lets the checker trust, and whom `--cert` shows it as.

use std::io::{self, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig, ServerConnection};

use super::stub::json;
use super::support::{Call, Ended, TOKEN, countersign};

/// Made for these tests, with their keys, for a hundred years; each vouches for itself.
const OWN: &str = include_str!("self_signed.pem");
const OWN_KEY: &[u8] = include_bytes!("self_signed_key.der");
const OTHER: &str = include_str!("other.pem");
const OTHER_KEY: &str = include_str!("other_key.pem");

const SPEC: &str = "\
openapi: 3.0.3
info: {title: Things, version: '1'}
components: {securitySchemes: {it: {type: http, scheme: bearer}}}
security: [{it: []}]
paths:
  /things:
    get:
      operationId: listThings
      responses:
        '200': {description: Things, content: {application/json: {schema: {type: array, items: {}}}}}
";

/// A service that is reached over TLS.
struct TlsStub {
    port: u16,
    /// The heads of the requests.
    received: Arc<Mutex<Vec<String>>>,
}

impl TlsStub {
    /// Listens on this address. If `asks`, only who shows the certificate that vouches for itself is let in.
    fn start(address: &str, asks: bool) -> Self {
        let listener = TcpListener::bind(address).unwrap();
        let port = listener.local_addr().unwrap().port();
        let (config, received) = (config(asks), Arc::<Mutex<Vec<String>>>::default());
        let heads = Arc::clone(&received);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (config, heads) = (Arc::clone(&config), Arc::clone(&heads));
                // A client that trusts nobody here hangs up, which is its own affair.
                std::thread::spawn(move || {
                    let served = serve(&stream, config, &heads);
                    // Closing before everything is read would be a reset, which overtakes the alert.
                    served
                        .or_else(|_| io::copy(&mut &stream, &mut io::sink()).map(drop))
                        .ok()
                });
            }
        });
        Self { port, received }
    }

    fn url(&self) -> String {
        format!("https://localhost:{}", self.port)
    }

    fn count(&self) -> usize {
        self.received.lock().unwrap().len()
    }
}

fn config(asks: bool) -> Arc<ServerConfig> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let certificate = CertificateDer::from_pem_slice(OWN.as_bytes()).unwrap();
    let builder = ServerConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .unwrap();
    let builder = if asks {
        let mut roots = RootCertStore::empty();
        roots.add(certificate.clone()).unwrap();
        let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider).build();
        builder.with_client_cert_verifier(verifier.unwrap())
    } else {
        builder.with_no_client_auth()
    };
    let config = builder.with_single_cert(vec![certificate], PrivatePkcs8KeyDer::from(OWN_KEY).into());
    Arc::new(config.unwrap())
}

/// Responds to one request as the contract says.
fn serve(mut stream: &TcpStream, config: Arc<ServerConfig>, heads: &Mutex<Vec<String>>) -> io::Result<()> {
    let mut connection = ServerConnection::new(config).unwrap();
    let mut tls = rustls::Stream::new(&mut connection, &mut stream);
    let (mut head, mut byte) = (Vec::new(), [0]);
    while !head.ends_with(b"\r\n\r\n") {
        tls.read_exact(&mut byte)?;
        head.push(byte[0]);
    }
    let head = String::from_utf8_lossy(&head).into_owned();
    let is_authorized = head.contains(&format!("earer {TOKEN}\r\n"));
    heads.lock().unwrap().push(head);
    let response = if is_authorized {
        json("200 OK", "[]")
    } else {
        json("401 No", "{}")
    };
    tls.write_all(response.as_bytes())?;
    connection.send_close_notify();
    connection.complete_io(&mut stream).map(drop)
}

/// Makes a key as PEM.
fn own_key() -> String {
    format!(
        "-----BEGIN PRIVATE KEY-----\n{}\n-----END PRIVATE KEY-----\n",
        STANDARD.encode(OWN_KEY)
    )
}

/// A call with every file that the flags may name.
fn call(arguments: &[&str]) -> Call {
    let der = CertificateDer::from_pem_slice(OWN.as_bytes()).unwrap();
    countersign(arguments)
        .env("COUNTERSIGN_TOKEN", TOKEN)
        .file("things.yaml", SPEC)
        .file("own.pem", OWN)
        .file("other.pem", OTHER)
        .file("both.pem", format!("An authority\n{OTHER}and another\n{OWN}"))
        .file("own.key", own_key())
        .file("other.key", OTHER_KEY)
        .file("own_with_key.pem", format!("{}{OWN}", own_key()))
        .file("own.der", der)
        .file("cut.pem", OWN.replace("-----END", "END"))
        .file(
            "none.pem",
            "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
        )
        .file(
            "second.pem",
            format!("{OWN}-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"),
        )
}

fn check(stub: &TlsStub, flags: &[&str]) -> Ended {
    let url = stub.url();
    call(&[&["check", "--spec", "things.yaml", "--base-url", &url], flags].concat()).run()
}

#[test]
fn an_authority_is_trusted_where_it_is_named_and_nowhere_else() {
    for (flags, is_trusted) in [
        (&[][..], false),
        (&["--cacert", "other.pem"], false),
        (&["--cacert", "own.pem"], true),
        (&["--cacert", "both.pem"], true),
    ] {
        let stub = TlsStub::start("127.0.0.1:0", false);
        let ended = check(&stub, flags);
        assert_eq!(
            (ended.code, stub.count() > 0),
            (if is_trusted { 0 } else { 3 }, is_trusted),
            "{flags:?}: {ended:?}"
        );
        let unknown = ended.stdout.contains("its issuer is not known here");
        assert_eq!(unknown, !is_trusted, "{flags:?}: {ended:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn an_authority_that_is_trusted_does_not_vouch_for_another_name() {
    let stub = TlsStub::start("127.0.0.2:0", false);
    let url = format!("https://127.0.0.2:{}", stub.port);
    let arguments = [
        "check", "--spec", "things.yaml", "--base-url", &url, "--cacert", "own.pem",
    ];
    let ended = call(&arguments).run();
    assert_eq!((ended.code, stub.count()), (3, 0), "{ended:?}");
    assert!(ended.stdout.contains("it is for another name"), "{ended:?}");
}

#[test]
fn a_target_of_the_configuration_names_its_authority_beside_the_file() {
    let stub = TlsStub::start("127.0.0.1:0", false);
    let config = format!(
        "default_target = \"staging\"\n[check]\nspec = \"things.yaml\"\n[targets.staging]\nbase_url = \"{}\"\ncacert = \
         \"own.pem\"\n",
        stub.url()
    );
    let ended = call(&["check"])
        .file("countersign.toml", &config)
        .folder("below")
        .within("below")
        .run();
    assert_eq!(ended.code, 0, "{ended:?}");
    let shown = call(&["config"]).file("countersign.toml", &config).run();
    assert!(
        shown.stdout.contains("cacert") && shown.stdout.contains("own.pem"),
        "{shown:?}"
    );
}

#[test]
fn a_certificate_is_shown_to_a_target_that_asks_for_one() {
    const TRUSTED: [&str; 2] = ["--cacert", "own.pem"];
    for (flags, is_let_in) in [
        (&[][..], false),
        (&["--cert", "other.pem", "--key", "other.key"], false),
        (&["--cert", "own.pem", "--key", "own.key"], true),
        (&["--cert", "own_with_key.pem"], true),
    ] {
        let stub = TlsStub::start("127.0.0.1:0", true);
        let ended = check(&stub, &[&TRUSTED, flags].concat());
        assert_eq!(
            (ended.code, stub.count() > 0),
            (if is_let_in { 0 } else { 3 }, is_let_in),
            "{flags:?}: {ended:?}"
        );
        let rejected = ended.stdout.contains("rejected the handshake with the alert");
        assert_eq!(rejected, !is_let_in, "{flags:?}: {ended:?}");
    }
    // Who does not ask is not shown it, and does not mind.
    let ended = check(
        &TlsStub::start("127.0.0.1:0", false),
        &[&TRUSTED[..], &["--cert", "own_with_key.pem"]].concat(),
    );
    assert_eq!(ended.code, 0, "{ended:?}");
}

#[test]
fn a_proxy_connects_with_the_same_certificates() {
    const LINE: &str = "COUNTERSIGN check --spec things.yaml --base-url \"$COUNTERSIGN_PROXY_URL\"";
    let line = LINE.replace(
        "COUNTERSIGN check",
        concat!(env!("CARGO_BIN_EXE_countersign"), " check"),
    );
    for (flags, is_let_in) in [
        (&["--cacert", "own.pem"][..], false),
        (&["--cacert", "own.pem", "--cert", "own.pem", "--key", "own.key"], true),
    ] {
        let stub = TlsStub::start("127.0.0.1:0", true);
        let url = stub.url();
        let fixed = [
            "proxy", "--spec", "things.yaml", "--listen", "127.0.0.1:0", "--to", &url,
        ];
        let arguments = [&fixed, flags, &["--", "sh", "-c", &line]].concat();
        let ended = call(&arguments).env("PATH", "/usr/local/bin:/usr/bin:/bin").run();
        assert_eq!(
            (ended.code == 0, stub.count() > 0),
            (is_let_in, is_let_in),
            "{flags:?}: {ended:?}"
        );
    }
}

/// Flags, and parts of the message that they get.
const MISTAKES: [(&[&str], &[&str]); 10] = [
    (
        &["--cacert", "absent.pem"],
        &["failed to read the certificates from `absent.pem`"],
    ),
    (
        &["--cacert", "things.yaml"],
        &["`things.yaml`", "no certificate in it", "BEGIN CERTIFICATE"],
    ),
    (
        &["--cacert", "own.der"],
        &["`own.der`", "no certificate in it", "openssl x509"],
    ),
    (&["--cacert", "own.key"], &["`own.key`", "no certificate in it"]),
    (
        &["--cacert", "cut.pem"],
        &["`cut.pem`", "certificate 1 in it cannot be read"],
    ),
    (
        &["--cacert", "none.pem"],
        &["`none.pem`", "certificate 1 in it cannot be read"],
    ),
    (
        &["--cacert", "second.pem"],
        &["`second.pem`", "certificate 2 in it cannot be read"],
    ),
    (
        &["--cert", "own.pem"],
        &["`own.pem`", "no private key in it", "openssl pkey"],
    ),
    (
        &["--cert", "own.pem", "--key", "absent.key"],
        &["failed to read the key from `absent.key`"],
    ),
    (
        &["--cert", "own.pem", "--key", "other.key"],
        &["`own.pem`", "cannot be used together"],
    ),
];

#[test]
fn a_file_that_cannot_be_used_is_named_with_what_to_do() {
    for (flags, parts) in MISTAKES {
        let stub = TlsStub::start("127.0.0.1:0", false);
        let ended = check(&stub, flags);
        let message = ended.is_one_error(2);
        for part in parts {
            assert!(message.contains(part), "{flags:?}: {message}");
        }
        assert_eq!(stub.count(), 0);
    }
    let ended = check(&TlsStub::start("127.0.0.1:0", false), &["--key", "own.key"]);
    assert!(ended.code == 2 && ended.stderr.contains("--cert <FILE>"), "{ended:?}");
}

#[test]
fn a_file_that_is_larger_than_what_is_read_is_rejected() {
    let huge = format!("{OWN}{}", "# a comment\n".repeat((1 << 20) / 12 + 1));
    for flag in ["--cacert", "--cert"] {
        let stub = TlsStub::start("127.0.0.1:0", false);
        let arguments = [
            "check",
            "--spec",
            "things.yaml",
            "--base-url",
            &stub.url(),
            flag,
            "huge.pem",
        ];
        let ended = call(&arguments).file("huge.pem", &huge).run();
        let message = ended.is_one_error(2);
        assert!(
            message.contains("`huge.pem`") && message.contains("larger than 1 MiB"),
            "{flag}: {message}"
        );
    }
}

#[test]
fn certificates_for_no_connection_are_rejected() {
    for arguments in [
        &["check", "--cacert", "own.pem"][..],
        &["check", "--cert", "own_with_key.pem"],
        &["judge", "things.har", "--cacert", "own.pem"],
        &["judge", "things.har", "--cert", "own_with_key.pem"],
    ] {
        let ended = call(arguments).run();
        let message = ended.is_one_error(2);
        assert!(
            message.contains("--ca") || message.contains("--cert"),
            "{arguments:?}: {message}"
        );
    }
}
