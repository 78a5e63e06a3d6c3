//! `recto files`: lists, shows, uploads and deletes the files of a service.

use crate::exit::{self, Failure};
use crate::{connect, report};
use clap::ArgMatches;
use recto::{FileId, FileRecord, Source};
use std::ffi::OsString;

pub fn run(matches: &ArgMatches) -> Result<u8, Failure> {
    let Some((command, matches)) = matches.subcommand() else { return Ok(exit::OK) };
    if !connect::is_external(matches)? {
        return Err(Failure::usage(
            "only a service that keeps running has files: give --base-url or set RECTO_BASE_URL (`recto serve` starts a service)",
        ));
    }
    let client = connect::client(matches)?;
    let call = connect::call(matches)?;
    let files = client.files();
    let id = || FileId::new(matches.get_one::<String>("id").cloned().unwrap_or_default());
    match command {
        "get" => print(&[files.get(&id(), &call)?], matches),
        "delete" => print(&files.delete(&id(), &call)?, matches),
        "upload" => {
            let source = matches.get_one::<OsString>("source").cloned().unwrap_or_default();
            let file_id = files.upload(Source::path(source), &call)?;
            report::line(file_id.as_str());
        }
        _ => print(&files.list(matches.get_flag("only-result-files"), &call)?, matches),
    }
    Ok(exit::OK)
}

fn print(records: &[FileRecord], matches: &ArgMatches) {
    for record in records {
        if matches.get_flag("json") {
            report::json(&serde_json::to_value(record).unwrap_or_default());
        } else {
            let [created, origin, name] = [&record.created_at, &record.origin, &record.name]
                .map(|field| field.as_deref().unwrap_or("-"));
            report::columns([&record.id, created, origin, name]);
        }
    }
}
