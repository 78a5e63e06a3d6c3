//! Known failures: the scenarios that a client does not pass yet, in a file that its authors keep.

use crate::load::Suite;
use std::collections::{BTreeMap, BTreeSet};

/// The identifiers of scenarios that are expected to fail.
#[derive(Clone, Debug, Default)]
pub struct KnownFailures(BTreeSet<String>);

/// How a run compares with the known failures.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Compared {
    /// The reports of scenarios that failed and are not known failures.
    pub new: Vec<String>,
    /// The known failures that failed again.
    pub known: Vec<String>,
    /// The known failures that passed: they are to be removed from the file.
    pub passed: Vec<String>,
}

impl KnownFailures {
    /// Reads one identifier from each line. Empty lines are ignored, and so is everything after a `#`.
    ///
    /// # Errors
    /// For an identifier that is not a scenario of the suite.
    pub fn parse(text: &str, suite: &Suite) -> Result<Self, String> {
        let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
        let ids: BTreeSet<String> = lines.filter(|id| !id.is_empty()).map(str::to_owned).collect();
        let unknown = ids.iter().find(|id| suite.scenarios.iter().all(|scenario| scenario.id != **id));
        match unknown {
            Some(id) => Err(format!("known failures: there is no scenario {id}")),
            None => Ok(Self(ids)),
        }
    }

    /// Compares the scenarios that were not passed, each with its report, with the known failures.
    pub fn compare(&self, open: BTreeMap<String, String>) -> Compared {
        let passed = self.0.iter().filter(|id| !open.contains_key(*id)).cloned().collect();
        let mut compared = Compared { passed, ..Compared::default() };
        for (id, report) in open {
            if self.0.contains(&id) {
                compared.known.push(id);
            } else {
                compared.new.push(report);
            }
        }
        compared
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn suite() -> Suite {
        Suite::load(&Suite::default_folder()).unwrap()
    }

    #[test]
    fn a_known_failure_is_no_failure_and_one_that_passes_is_reported() {
        let text = "# not yet\nfiles.get\n\nupload.ticket_stall # no stall time-out\n";
        let known = KnownFailures::parse(text, &suite()).unwrap();
        let open = ["files.get", "files.list"].map(|id| (id.to_owned(), format!("{id} failed")));
        let compared = known.compare(open.into());
        assert_eq!(compared.new, ["files.list failed"]);
        assert_eq!(compared.known, ["files.get"]);
        assert_eq!(compared.passed, ["upload.ticket_stall"]);
    }

    #[test]
    fn an_unknown_scenario_is_refused() {
        assert!(KnownFailures::parse("files.gte\n", &suite()).unwrap_err().contains("files.gte"));
        assert_eq!(KnownFailures::default().compare(BTreeMap::new()), Compared::default());
    }
}
