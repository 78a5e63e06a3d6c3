//! Tests of the suite with the local service: the service conforms to the interface in the recordings, and new
//! recordings of the service pass.
//!
//! `RECORD=1 cargo test -p recto-replay --test service` replaces the recordings of origin `recorded` by new ones.

#![allow(clippy::panic, clippy::print_stdout, clippy::unwrap_used)] // Tests state what they expect.

use recto_replay::check::{Report, check};
use recto_replay::scenario::OriginKind;
use recto_replay::server::Certificates;
use recto_replay::upstream::Upstream;
use recto_replay::{Run, Scenario, Suite, format, interpret, load, record, secrets};
use recto_service::LocalService;
use std::collections::BTreeMap;
use std::path::Path;
use tokio::runtime::Runtime;

fn suite() -> Suite {
    Suite::load(&Suite::default_folder()).unwrap_or_else(|faults| panic!("{faults}"))
}

fn local() -> (LocalService, Upstream) {
    let service = LocalService::start().unwrap();
    let upstream = Upstream::new(service.base_url(), service.api_key().expose()).unwrap();
    (service, upstream)
}

/// Reasons for which the engine may refuse examples of the specification. A failure for any other reason is an error.
const REFUSALS: &[&str] = &[
    "give the password that will open the document",
    "Code 128 cannot encode this value",
    "no font has a glyph for",
];

#[test]
fn the_local_service_conforms_to_the_interface() {
    let (_service, upstream) = local();
    let (suite, runtime) = (suite(), Runtime::new().unwrap());
    let mut differences = Vec::new();
    let (mut conforming, mut refused) = (0, Vec::new());
    for scenario in suite.scenarios.iter().filter(|scenario| scenario.origin.service) {
        match runtime.block_on(check(scenario, &suite.folder, &upstream)).unwrap() {
            Report::Conforms => conforming += 1,
            Report::Failed(why) => refused.push(format!("{}: {why}", scenario.id)),
            Report::Differs(found) => {
                differences
                    .extend(found.into_iter().map(|difference| format!("{}: {difference}", scenario.id)));
            }
        }
    }
    println!("{conforming} scenarios conform");
    let unknown = refused.iter().filter(|refusal| !REFUSALS.iter().any(|known| refusal.contains(known)));
    assert_eq!(unknown.collect::<Vec<_>>(), Vec::<&String>::new());
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    assert!(conforming >= 10, "only {conforming} scenarios conform");
}

#[test]
fn a_service_that_does_not_conform_is_detected() {
    let (service, _) = local();
    let upstream = Upstream::new(service.base_url(), "another key").unwrap();
    let suite = suite();
    let scenario = suite.get("upload.path").unwrap();
    let report = Runtime::new().unwrap().block_on(check(scenario, &suite.folder, &upstream)).unwrap();
    let Report::Differs(differences) = report else { panic!("{report:?}") };
    assert!(differences[0].starts_with("exchange 0: expected status 200, got 401"), "{differences:?}");
}

#[test]
fn a_recording_of_the_local_service_contains_no_secret_and_passes() {
    let (service, upstream) = local();
    let runtime = Runtime::new().unwrap();
    let folder = Suite::default_folder().canonicalize().unwrap();
    let mut recorded = 0;
    for path in load::files(&folder).unwrap() {
        let scenario = load::parse(&std::fs::read_to_string(&path).unwrap()).unwrap();
        if scenario.origin.kind != OriginKind::Recorded {
            continue;
        }
        let (made, documents) = record::record(&scenario, &folder, &upstream, &runtime).unwrap();
        let text = format::format(&serde_json::to_string(&made).unwrap()).unwrap();
        assert_eq!(secrets::faults_of(&text), Vec::<String>::new(), "{text}");
        assert!(!text.contains(service.api_key().expose()) && !text.contains("127.0.0.1"), "{text}");
        assert!(!made.exchanges.is_empty());
        plays_again(&made, &documents, &folder, &runtime);
        if std::env::var_os("RECORD").is_some() {
            documents
                .iter()
                .for_each(|(document, bytes)| std::fs::write(folder.join(document), bytes).unwrap());
            std::fs::write(&path, text).unwrap();
        }
        recorded += 1;
    }
    assert!(recorded > 0);
}

/// Plays a recording that is not written to the repository yet, with copies of the body files.
fn plays_again(made: &Scenario, documents: &BTreeMap<String, Vec<u8>>, folder: &Path, runtime: &Runtime) {
    let copy = tempfile::tempdir().unwrap();
    std::fs::create_dir(copy.path().join("bodies")).unwrap();
    for body in std::fs::read_dir(folder.join("bodies")).unwrap().flatten() {
        std::fs::copy(body.path(), copy.path().join("bodies").join(body.file_name())).unwrap();
    }
    documents.iter().for_each(|(document, bytes)| std::fs::write(copy.path().join(document), bytes).unwrap());
    let suite = Suite { folder: copy.path().to_owned(), scenarios: Vec::new() };
    let run = {
        let _context = runtime.enter();
        Run::start(&suite, made, &Certificates::make().unwrap()).unwrap()
    };
    let outcome = interpret::interpret(run.prepared());
    let verdict = run.finish(&outcome);
    assert!(verdict.is_pass(), "{}", verdict.report());
}
