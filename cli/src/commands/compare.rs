//! `recto compare`: compares the pages of two documents as pictures.

use crate::connect;
use crate::exit::{self, Failure};
use crate::inputs::{self, is_standard_stream};
use crate::interrupt;
use crate::output;
use crate::report::progress::DocumentBar;
use crate::report::{json, line};
use crate::secret_file::first_line;
use clap::ArgMatches;
use recto::{Secret, Source};
use recto_compare::html::{conclusion, verdict};
use recto_compare::report::{Report, Rules, Target};
use recto_compare::{ComparedPage, Comparison, Settings, Summary, compare};
use serde_json::{Value, json as value};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

pub fn run(matches: &ArgMatches) -> Result<u8, Failure> {
    let deadline = Deadline::start(matches)?;
    let documents = [document("first", matches)?, document("second", matches)?];
    let settings = settings(matches)?;
    let target = matches.get_one::<PathBuf>("output").map(|path| checked(path)).transpose()?;
    let call = connect::call(matches)?;
    let client = connect::client(matches)?;
    let label = documents[0].label();
    let bar = DocumentBar::new(&label, matches);
    let call = bar.watch(call);
    let compared = compare(&client, documents, &settings, &call);
    bar.finish();
    let mut comparison = compared?;
    let rules = Rules {
        only_differing: matches.get_flag("only-differing"),
        keep_existing: !output::may_overwrite(matches),
    };
    let report = target.map(|target| Report::new(target, &comparison, rules)).transpose()?;
    let pages = pages(&mut comparison, report, &deadline, matches)?;
    let summary = comparison.summary();
    print(&comparison, &summary, &settings, pages, matches);
    Ok(if summary.is_same() { exit::OK } else { exit::FAILED })
}

/// Compares the pages. Returns the records of the pages and the path of the report.
fn pages(
    comparison: &mut Comparison,
    mut report: Option<Report>,
    deadline: &Deadline,
    matches: &ArgMatches,
) -> Result<(Vec<Value>, Option<PathBuf>), Failure> {
    let labels = comparison.labels().map(str::to_owned);
    let is_text = !matches.get_flag("json") && !matches.get_flag("quiet");
    let mut records = Vec::new();
    for page in comparison.by_ref() {
        let page = page?;
        deadline.check()?;
        let picture = report.as_mut().map(|report| report.add(&page)).transpose()?.flatten();
        if is_text && (page.differs || page.share() > 0.0) {
            line(&format!("page {}: {}", page.number, verdict(&page, [&labels[0], &labels[1]])));
        }
        records.push(record(&page, picture.as_deref()));
    }
    let path = report.map(|report| report.finish(&comparison.summary())).transpose()?;
    Ok((records, path))
}

fn record(page: &ComparedPage, picture: Option<&Path>) -> Value {
    let [first, second] = page.is_in();
    value!({
        "page": page.number, "share": page.share(), "differs": page.differs,
        "sizeDiffers": page.difference.size_differs(), "inFirst": first, "inSecond": second,
        "picture": picture.map(|path| path.display().to_string()),
    })
}

fn print(
    comparison: &Comparison,
    summary: &Summary,
    settings: &Settings,
    (pages, output): (Vec<Value>, Option<PathBuf>),
    matches: &ArgMatches,
) {
    let labels = comparison.labels();
    if matches.get_flag("json") {
        json(&value!({
            "operation": "compare", "first": labels[0], "second": labels[1], "same": summary.is_same(),
            "share": summary.share(), "differingPages": summary.differing_pages,
            "threshold": settings.threshold, "tolerance": settings.tolerance, "pages": pages,
            "output": output.map(|path| path.display().to_string()),
        }));
    } else if !matches.get_flag("quiet") {
        line(&conclusion(summary, labels));
    }
}

fn document(id: &str, matches: &ArgMatches) -> Result<Source, Failure> {
    let path = matches.get_one::<PathBuf>(id).cloned().unwrap_or_default();
    if is_standard_stream(&path) {
        return Err(Failure::usage("standard input cannot be compared; give two files"));
    }
    if !inputs::is_address(&path) {
        let label = inputs::label(&path);
        let found = std::fs::metadata(&path)
            .map_err(|error| Failure::file(format!("{label}: {}", exit::io_reason(&error))))?;
        if found.is_dir() {
            return Err(Failure::file(format!("{label} is a directory; give a document in it")));
        }
    }
    Ok(Source::path(path))
}

fn settings(matches: &ArgMatches) -> Result<Settings, Failure> {
    let mut settings = Settings::default();
    if let Some(percent) = matches.get_one::<f64>("threshold") {
        settings.threshold = percent / 100.0;
    }
    if let Some(tolerance) = matches.get_one::<f32>("tolerance") {
        settings.tolerance = *tolerance;
    }
    if let Some(pages) = matches.get_one::<u32>("max-pages") {
        settings.max_pages = usize::try_from(*pages).unwrap_or(usize::MAX);
    }
    if let Some(file) = matches.get_one::<PathBuf>("password-file") {
        settings.password = Some(Secret::from(first_line(file, "the password")?));
    }
    settings.delete_after = output::deletes(matches);
    Ok(settings)
}

fn checked(path: &Path) -> Result<Target, Failure> {
    if is_standard_stream(path) {
        return Err(Failure::usage("a report is not written to standard output; give a file or a folder"));
    }
    let target = Target::of(path);
    // A folder is created later.
    if !matches!(target, Target::Folder(_)) || path.exists() {
        output::check_writable(path)?;
    }
    Ok(target)
}

/// When the command must end. It is checked between pages; the calls to the service have the same limit.
struct Deadline {
    end: Option<Instant>,
    timeout: Option<Duration>,
}

impl Deadline {
    fn start(matches: &ArgMatches) -> Result<Self, Failure> {
        let timeout = connect::timeout(matches)?;
        Ok(Self { end: timeout.and_then(|timeout| Instant::now().checked_add(timeout)), timeout })
    }

    fn check(&self) -> Result<(), Failure> {
        if interrupt::cancel().is_triggered() {
            return Err(Failure { code: exit::INTERRUPTED, message: "interrupted".to_owned() });
        }
        match (self.end, self.timeout) {
            (Some(end), Some(timeout)) if Instant::now() >= end => {
                let seconds = timeout.as_secs_f64();
                Err(Failure::timeout(format!("the pages could not be compared within {seconds} s")))
            }
            _ => Ok(()),
        }
    }
}
