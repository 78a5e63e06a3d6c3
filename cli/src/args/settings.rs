//! The settings of `recto serve` and `recto worker`: each is a flag, an environment variable, and a key in the table
//! `[serve]` of the config file. Some are also settings of the embedded service, with variables and a table of their
//! own.
//!
//! `--file-bytes 2GiB`, `RECTO_SERVE_FILE_BYTES=2GiB` and `file_bytes = "2GiB"` are the same setting. The flag takes
//! precedence over the variable, and the variable over the file. For the embedded service, the variables begin with
//! `RECTO_LOCAL_`, and the table is `[local]`.

use super::values::{number, seconds, size, switch, time};
use clap::builder::NonEmptyStringValueParser;
use clap::{Arg, ArgMatches};
use recto_interface::Secret;
use recto_service::{Config, Store, WorkerProgram};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// One setting.
struct Setting {
    /// The flag, without its dashes.
    name: &'static str,
    /// The placeholder of its value in the help; none for a switch.
    value: Option<&'static str>,
    help: &'static str,
    /// Parses the value and stores it.
    set: fn(&mut Settings, &str) -> Result<(), String>,
}

/// The values of the settings.
#[derive(Debug, Default)]
pub struct Settings {
    pub service: Config,
    /// How long running operations may continue after the service was requested to stop.
    pub drain: Option<std::time::Duration>,
    pub api_key_file: Option<PathBuf>,
    /// The database and bucket that several machines share. A service or worker that shares needs the first three.
    pub database: Option<Secret>,
    pub bucket: Option<String>,
    pub secret_key_file: Option<PathBuf>,
    pub bucket_endpoint: Option<String>,
    pub bucket_public_endpoint: Option<String>,
    pub allow_insecure_database: bool,
    pub allow_insecure_bucket: bool,
    /// Whether log lines are JSON.
    pub log_json: bool,
}

macro_rules! settings {
    ($($name:literal $($value:literal)? => |$to:ident, $text:ident| $set:expr, $help:literal;)+) => {
        const SETTINGS: &[Setting] = &[$(Setting {
            name: $name,
            value: [$(Some($value),)? None][0],
            help: $help,
            set: |$to, $text| { $set; Ok(()) },
        }),+];
    };
}

settings! {
    "host" "ADDRESS" => |to, text| to.service.host = text.to_owned(),
        "The address to listen on [default: 127.0.0.1]";
    "port" "PORT" => |to, text| to.service.port = number(text)?,
        "The port to listen on; 0 takes a free one [default: 0]";
    "public-url" "URL" => |to, text| to.service.public_url = Some(text.to_owned()),
        "The address under which clients reach the service; upload and download links start with it";
    "api-key-file" "FILE" => |to, text| to.api_key_file = Some(text.into()),
        "The file whose first line is the key that clients must send; RECTO_API_KEY takes precedence";
    "data-dir" "DIR" => |to, text| to.service.store = directory(text)?,
        "Keep files, results and pending operations in this directory, so that they survive a restart [default: deleted when the service ends]";
    "database" "URL" => |to, text| to.database = Some(text.into()),
        "Share the work with other machines through this PostgreSQL database: postgres://user:password@host/name. RECTO_SERVE_DATABASE is safer, since other users of this machine can see command lines";
    "allow-insecure-database" => |to, text| to.allow_insecure_database = switch(text)?,
        "Allow a connection without TLS to a database on another machine. The password of the database and file names are then sent unencrypted; passwords of documents are always encrypted";
    "bucket" "URL" => |to, text| to.bucket = Some(text.to_owned()),
        "With --database: keep files in this bucket of an S3-compatible store: s3://name/prefix. The credentials are AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or those of the machine";
    "bucket-endpoint" "URL" => |to, text| to.bucket_endpoint = Some(text.to_owned()),
        "The address of the store [default: Amazon S3 in AWS_REGION]";
    "bucket-public-endpoint" "URL" => |to, text| to.bucket_public_endpoint = Some(text.to_owned()),
        "The address at which clients reach the store, if it differs from --bucket-endpoint";
    "allow-insecure-bucket" => |to, text| to.allow_insecure_bucket = switch(text)?,
        "Allow plain http to a store on another machine. Anyone on the network path can then read the documents";
    "secret-key-file" "FILE" => |to, text| to.secret_key_file = Some(text.into()),
        "With --database: the file whose first line, at least 32 random characters, is the key that encrypts stored options; it must be the same on every machine";
    "lease" "TIME" => |to, text| to.service.lease = time(text)?,
        "The time after which another worker takes over the operation of a worker that no longer responds [default: 30s]";
    "workers" "N" => |to, text| to.service.workers = Some(number::<u16>(text)?.into()),
        "How many documents to process at once; with --database, 0 leaves the work to `recto worker` [default: one for each core]";
    "drain" "TIME" => |to, text| to.drain = Some(time(text)?),
        "How long running operations may continue after SIGTERM or Ctrl-C; with --data-dir, unfinished ones run after the next start [default: 10s with --data-dir or --database, else 0s]";
    "isolation" "MODE" => |to, text| to.service.isolation.mode = text.parse()?,
        "How documents are isolated: `none` processes them in the service itself, `best` in worker processes that are sandboxed as far as the system allows, `workers` the same, but never in the service itself, `strict` refuses to start if any part of the sandbox is missing [default: best]";
    "worker" "PROGRAM" => |to, text| to.service.isolation.program = Some(WorkerProgram::recto(absolute(text))),
        "The recto program that runs as worker process; RECTO_WORKER sets it too [default: this program]";
    "in-process-bytes" "SIZE" => |to, text| to.service.in_process_bytes = size(text)?,
        "What a document may decode to, if it is processed in the service itself instead of in a worker process [default: 256MiB]";
    "worker-memory" "SIZE" => |to, text| to.service.isolation.memory = size(text)?,
        "The memory limit of a worker process [default: 4GiB]";
    "worker-cpu" "TIME" => |to, text| to.service.isolation.cpu = time(text)?,
        "The processor time limit of an operation [default: 20m]";
    "worker-operations" "N" => |to, text| to.service.isolation.operations_per_worker = number::<std::num::NonZeroU32>(text)?.get(),
        "After how many operations a worker process is replaced; 1 starts a new one for each operation [default: 200]";
    "worker-start-time" "TIME" => |to, text| to.service.isolation.start_time = time(text)?,
        "How long an operation waits if no worker process can be started, for example because memory is short; then it fails [default: 30s]";
    "log-format" "FORMAT" => |to, text| to.log_json = log_json(text)?,
        "The format of log lines on standard error, `text` or `json`; RECTO_LOG sets the level [default: text, at level warn]";
    "retention" "TIME" => |to, text| to.service.retention = time(text)?,
        "How long files and results are kept [default: 24h]";
    "link-lifetime" "TIME" => |to, text| to.service.link_lifetime = time(text)?,
        "How long an upload or download link is valid [default: 1h]";
    "allow-private-urls" => |to, text| to.service.allow_private_urls = switch(text)?,
        "Allow files to be fetched by URL from private and loopback addresses, and from addresses of this machine";
    "fetch-ports" "PORTS" => |to, text| to.service.fetch_ports = Some(ports(text)?),
        "The ports from which files may be fetched by URL, separated by commas [default: 80,443; with --allow-private-urls every port]";
    "strict-fields" => |to, text| to.service.strict_fields = switch(text)?,
        "Refuse requests with fields or options that the service does not know, instead of ignoring these";
    "json-bytes" "SIZE" => |to, text| to.service.limits.json_bytes = size(text)?,
        "The largest JSON body [default: 1MiB]";
    "options-bytes" "SIZE" => |to, text| to.service.limits.options_bytes = size(text)?,
        "The largest options of an operation, as JSON [default: 256KiB]";
    "text-bytes" "SIZE" => |to, text| to.service.limits.text_bytes = size(text)?,
        "The longest text in the options of an operation, as UTF-8 [default: 64KiB]";
    "queued-bytes" "SIZE" => |to, text| to.service.limits.queued_bytes = size(text)?,
        "The total size limit of the options of operations that wait or run [default: 64MiB]";
    "file-bytes" "SIZE" => |to, text| to.service.limits.file_bytes = size(text)?,
        "The largest file that can be uploaded or fetched [default: 1GiB]";
    "stored-bytes" "SIZE" => |to, text| to.service.limits.stored_bytes = size(text)?,
        "The total size limit of all files [default: 64GiB]";
    "max-files" "N" => |to, text| to.service.limits.files = number(text)?,
        "The maximum number of files, including those that are still to be uploaded [default: 100000]";
    "max-operations" "N" => |to, text| to.service.limits.operations = number(text)?,
        "The maximum number of operations that wait or run [default: 10000]";
    "max-results" "N" => |to, text| to.service.limits.results = number(text)?,
        "The maximum number of finished operations whose results are kept [default: 100000]";
    "results-bytes" "SIZE" => |to, text| to.service.limits.results_bytes = size(text)?,
        "The total size limit of kept results, without their files; the oldest are removed first [default: 256MiB]";
    "max-connections" "N" => |to, text| to.service.limits.connections = number(text)?,
        "The maximum number of connections at the same time; the oldest idle one is closed for a new one [default: 1024, or fewer if the process may not open enough files]";
    "max-connections-per-peer" "N" => |to, text| to.service.limits.connections_per_peer = Some(number(text)?),
        "The maximum number of connections from one address, or one IPv6 network of 64 bits; all clients behind a proxy have its address [default: three quarters of --max-connections]";
    "max-fetches" "N" => |to, text| to.service.limits.fetches = number(text)?,
        "The maximum number of files that are fetched by URL at the same time [default: 16]";
    "header-time" "TIME" => |to, text| to.service.limits.header_time = time(text)?,
        "How long a connection may be idle between requests, or take to send the headers of a request [default: 60s]";
    "first-header-time" "TIME" => |to, text| to.service.limits.first_header_time = time(text)?,
        "How long a new connection may take to send the headers of its first request [default: 5s]";
    "stall-time" "TIME" => |to, text| to.service.limits.stall_time = time(text)?,
        "How long a transfer may stall [default: 30s]";
    "upload-rate" "SIZE" => |to, text| to.service.limits.upload_rate = size(text)?,
        "The fewest bytes of an upload that must arrive in a second, averaged over --stall-time; 0 allows any rate [default: 1KiB]";
    "upload-time" "TIME" => |to, text| to.service.limits.upload_time = time(text)?,
        "How long one upload may take [default: 6h]";
    "fetch-time" "TIME" => |to, text| to.service.limits.fetch_time = time(text)?,
        "How long fetching a file by URL may take [default: 120s]";
    "wait-time" "TIME" => |to, text| to.service.limits.wait_time = seconds(text)?,
        "The longest time by which a request with Prefer: wait may delay its response [default: 30s]";
    "input-bytes" "SIZE" => |to, text| to.service.engine_limits.input_bytes = size(text)?,
        "The largest input of an operation";
    "decoded-bytes" "SIZE" => |to, text| to.service.engine_limits.decoded_bytes = size(text)?,
        "The maximum total size of a document's streams after decompression";
    "output-bytes" "SIZE" => |to, text| to.service.engine_limits.output_bytes = size(text)?,
        "The largest result of an operation";
    "max-pages" "N" => |to, text| to.service.engine_limits.pages = number(text)?,
        "The maximum number of pages of a document";
    "max-pixels" "N" => |to, text| to.service.engine_limits.pixels = number(text)?,
        "The maximum number of pixels of an image or a rendered page";
    "operation-time" "TIME" => |to, text| to.service.engine_limits.time = time(text)?,
        "The time limit of an operation";
}

/// Reads ports separated by commas, such as `80,443`.
fn ports(text: &str) -> Result<Vec<u16>, String> {
    let port = |text: &str| number::<std::num::NonZeroU16>(text.trim()).map(std::num::NonZeroU16::get);
    text.split(',').map(port).collect()
}

fn log_json(text: &str) -> Result<bool, String> {
    match text {
        "json" => Ok(true),
        "text" => Ok(false),
        other => Err(format!("unknown log format {other:?}; give text or json")),
    }
}

#[cfg(feature = "durable")]
fn directory(text: &str) -> Result<Store, String> {
    Ok(Store::Directory(text.into()))
}

#[cfg(not(feature = "durable"))]
fn directory(_: &str) -> Result<Store, String> {
    Err("built without the feature `durable`, which --data-dir needs; install recto with this feature"
        .to_owned())
}

/// A worker is started in another folder, so a relative path would mean another file there.
fn absolute(text: &str) -> PathBuf {
    std::path::absolute(text).unwrap_or_else(|_| text.into())
}

/// A service that has settings.
pub struct Scope {
    /// The table of the config file.
    table: &'static str,
    /// The names of the settings; `None` for all.
    names: Option<&'static [&'static str]>,
}

/// The services of `recto serve` and `recto worker`.
pub const SERVE: Scope = Scope { table: "serve", names: None };

/// The embedded service of the other commands.
pub const LOCAL: Scope = Scope {
    table: "local",
    names: Some(&[
        "isolation",
        "worker",
        "workers",
        "worker-memory",
        "in-process-bytes",
        "stored-bytes",
        "retention",
    ]),
};

impl Scope {
    fn settings(&self) -> impl Iterator<Item = &'static Setting> {
        SETTINGS.iter().filter(|setting| self.names.is_none_or(|names| names.contains(&setting.name)))
    }

    fn variable(&self, setting: &Setting) -> String {
        format!("RECTO_{}_{}", self.table, setting.name).to_ascii_uppercase().replace('-', "_")
    }
}

impl Setting {
    fn key(&self) -> String {
        self.name.replace('-', "_")
    }
}

/// The flags of all settings of a service.
pub fn flags(of: &'static Scope) -> impl Iterator<Item = Arg> {
    of.settings().map(|setting| {
        let flag = Arg::new(setting.name)
            .long(setting.name)
            .env(of.variable(setting))
            .hide_env(true)
            .value_parser(NonEmptyStringValueParser::new())
            .help(setting.help);
        match setting.value {
            // A negative number is passed to the parser of the setting, whose message lists what is valid. Otherwise
            // clap would report an unknown flag.
            Some(value) => flag.value_name(value).allow_negative_numbers(true),
            None => flag
                .value_name("BOOL")
                .num_args(0..=1)
                .require_equals(true)
                .default_missing_value("true")
                .hide_possible_values(true),
        }
    })
}

/// Reads the settings of a service: flags take precedence over the environment, and the environment over the file. A
/// command need not have the flags. An error names the flag, variable or key it is in.
pub fn read(
    matches: &ArgMatches,
    of: &Scope,
    file: &BTreeMap<String, toml::Value>,
) -> Result<Settings, String> {
    let table = of.table;
    let known: Vec<String> = of.settings().map(Setting::key).collect();
    if let Some(unknown) = file.keys().find(|key| !known.contains(key)) {
        return Err(format!(
            "unknown setting {unknown:?} in [{table}] of the config file; the settings are {}",
            known.join(", ")
        ));
    }
    let mut settings = Settings::default();
    for setting in of.settings() {
        // An error means that the command does not have the flag.
        let given = matches.try_get_one::<String>(setting.name).ok().flatten();
        let from_variable =
            || matches.value_source(setting.name) == Some(clap::parser::ValueSource::EnvVariable);
        let (text, place) = match (given, file.get(&setting.key())) {
            (Some(text), _) if from_variable() => (text.clone(), of.variable(setting)),
            (Some(text), _) => (text.clone(), format!("--{}", setting.name)),
            (None, Some(value)) => {
                let place = format!("{} in [{table}] of the config file", setting.key());
                (
                    scalar(value)
                        .ok_or_else(|| format!("{place}: give a string, a number, true or false"))?,
                    place,
                )
            }
            (None, None) => continue,
        };
        (setting.set)(&mut settings, &text).map_err(|why| format!("{place}: {why}"))?;
    }
    Ok(settings)
}

fn scalar(value: &toml::Value) -> Option<String> {
    match value {
        toml::Value::String(text) => Some(text.clone()),
        toml::Value::Integer(number) => Some(number.to_string()),
        toml::Value::Boolean(switch) => Some(switch.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Command;
    use std::time::Duration;

    fn read_from(flags: &[&str], file: &str) -> Result<Settings, String> {
        let command = Command::new("serve").args(super::flags(&SERVE));
        let matches = command.try_get_matches_from([&["serve"], flags].concat()).unwrap();
        read(&matches, &SERVE, &toml::from_str(file).unwrap())
    }

    #[test]
    fn the_embedded_service_has_some_of_the_settings() {
        let read_from = |flags: &[&str], file: &str| {
            let command = Command::new("optimize").args(super::flags(&LOCAL));
            let matches = command.try_get_matches_from([&["optimize"], flags].concat()).unwrap();
            read(&matches, &LOCAL, &toml::from_str(file).unwrap())
        };
        assert_eq!(super::flags(&LOCAL).count(), LOCAL.names.unwrap().len());
        let file = "isolation = \"workers\"\nretention = \"10m\"";
        let service = read_from(&["--worker-memory", "1GiB", "--isolation", "strict"], file).unwrap().service;
        assert_eq!(service.isolation.mode, recto_service::IsolationMode::Strict);
        assert_eq!((service.isolation.memory, service.retention), (1 << 30, Duration::from_secs(600)));
        assert!(read_from(&[], "port = 1").unwrap_err().contains("[local]"));
        let none = Command::new("wait").try_get_matches_from(["wait"]).unwrap();
        let limit = toml::from_str("stored_bytes = \"1GiB\"").unwrap();
        assert_eq!(read(&none, &LOCAL, &limit).unwrap().service.limits.stored_bytes, 1 << 30);
    }

    #[test]
    fn a_flag_takes_precedence_over_the_file() {
        let file = "port = 8000\nfile_bytes = \"2GiB\"\nretention = \"7d\"\nallow_private_urls = true";
        let settings = read_from(&["--port", "9000"], file).unwrap();
        let service = settings.service;
        assert_eq!((service.port, service.limits.file_bytes), (9000, 2 << 30));
        assert_eq!(service.retention, Duration::from_secs(7 * 86_400));
        assert!(service.allow_private_urls);
        let denied = read_from(&["--allow-private-urls=false"], file).unwrap();
        assert!(!denied.service.allow_private_urls);
        assert!(read_from(&["--allow-private-urls"], "").unwrap().service.allow_private_urls);
    }

    #[test]
    fn fetch_ports_are_a_list() {
        let ports = |flags: &[&str], file| read_from(flags, file).unwrap().service.fetch_ports;
        assert_eq!(ports(&["--fetch-ports", "80, 8443"], ""), Some(vec![80, 8443]));
        assert_eq!(ports(&[], "fetch_ports = 8443"), Some(vec![8443]));
        assert_eq!(ports(&[], ""), None);
    }

    #[test]
    fn a_missing_setting_has_the_default_of_the_service() {
        let (ours, theirs) = (read_from(&[], "").unwrap().service, Config::default());
        assert_eq!((ours.limits, ours.port, ours.host), (theirs.limits, theirs.port, theirs.host));
    }

    #[test]
    fn an_error_names_the_flag_or_key_it_is_in() {
        for (flags, file, place) in [
            (&["--file-bytes", "much"][..], "", "--file-bytes: "),
            (&["--workers", "-1"], "", "--workers: "),
            (&["--wait-time", "500ms"], "", "--wait-time: "),
            (&["--fetch-ports", "80,"], "", "--fetch-ports: "),
            (&["--fetch-ports", "0"], "", "--fetch-ports: "),
            (&["--fetch-ports", "70000"], "", "--fetch-ports: "),
            (&[], "retention = \"soon\"", "retention in [serve]"),
            (&[], "retention = [1]", "retention in [serve]"),
            (&[], "retentoin = 1", "retentoin"),
        ] {
            let why = read_from(flags, file).unwrap_err();
            assert!(why.contains(place), "{why}");
        }
    }

    #[test]
    fn every_limit_of_the_service_is_a_setting() {
        let mut settings = Settings::default();
        for setting in SETTINGS {
            for text in ["7", "7s", "true"] {
                let _ = (setting.set)(&mut settings, text);
            }
        }
        let seven = Duration::from_secs(7);
        let all = recto_service::Limits {
            json_bytes: 7,
            options_bytes: 7,
            text_bytes: 7,
            queued_bytes: 7,
            file_bytes: 7,
            stored_bytes: 7,
            files: 7,
            operations: 7,
            results: 7,
            results_bytes: 7,
            connections: 7,
            connections_per_peer: Some(7),
            fetches: 7,
            first_header_time: seven,
            header_time: seven,
            stall_time: seven,
            upload_rate: 7,
            upload_time: seven,
            fetch_time: seven,
            wait_time: seven,
        };
        assert_eq!(settings.service.limits, all);
    }
}
