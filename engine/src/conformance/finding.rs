//! A finding of a conformance check: what is wrong, where, and which clause requires it.

use std::fmt;

/// The maximum number of places that one finding keeps.
const MOST_PLACES: usize = 1000;

/// One thing that is wrong with a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Finding {
    /// A sentence that states what is wrong.
    text: String,
    /// The places where the fault is: pages, objects or names.
    places: Vec<String>,
    /// The clause that states the requirement, such as `ISO 19005-2, 6.1.9`.
    clause: Option<String>,
    /// The number of the rule, in the form that validators use: the clause and the number of the test, such as
    /// `6.1.9-1`.
    pub(crate) rule: Option<String>,
}

impl Finding {
    /// A finding about the whole document.
    pub(crate) fn of(text: impl Into<String>) -> Self {
        Self { text: text.into(), places: Vec::new(), clause: None, rule: None }
    }

    /// Adds a place where the fault is.
    pub(crate) fn at(mut self, place: impl Into<String>) -> Self {
        self.places.push(place.into());
        self
    }

    /// Sets the clause that states the requirement.
    pub(crate) fn clause(mut self, clause: impl Into<String>) -> Self {
        self.clause = Some(clause.into());
        self
    }

    /// Sets the number of the rule. Two checks that find the same fault set the same number.
    pub(crate) fn rule(mut self, rule: impl Into<String>) -> Self {
        self.rule = Some(rule.into());
        self
    }
}

/// The finding as a sentence: `The font is not embedded: page 3, object 12 (ISO 19005-2, 6.2.11.4.1).`
impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 8;
        f.write_str(self.text.trim_end_matches('.'))?;
        if !self.places.is_empty() {
            let shown: Vec<&str> = self.places.iter().take(SHOWN).map(String::as_str).collect();
            write!(f, ": {}", shown.join(", "))?;
            let more = self.places.len().saturating_sub(SHOWN);
            if more > 0 {
                write!(f, " and {more} more")?;
            }
        }
        if let Some(clause) = &self.clause {
            write!(f, " ({clause})")?;
        }
        f.write_str(".")
    }
}

/// Merges the findings of the same rule into one finding that keeps the places of all of them (at most
/// [`MOST_PLACES`]). Keeps the first `most` findings.
pub(crate) fn merge(findings: &mut Vec<Finding>, most: usize) {
    let mut kept: Vec<Finding> = Vec::new();
    for finding in findings.drain(..) {
        let same = kept.iter().position(|known| match (&known.rule, &finding.rule) {
            (Some(known), Some(rule)) => known == rule,
            _ => known.text == finding.text && known.clause == finding.clause,
        });
        if let Some(known) = same.and_then(|at| kept.get_mut(at)) {
            for place in finding.places {
                if !known.places.contains(&place) && known.places.len() < MOST_PLACES {
                    known.places.push(place);
                }
            }
        } else if kept.len() < most {
            kept.push(finding);
        }
    }
    *findings = kept;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_of_the_same_rule_are_merged_with_all_their_places() {
        let mut findings = vec![
            Finding::of("A font is not embedded.").at("page 1").rule("6.2-1").clause("ISO 19005-2, 6.2"),
            Finding::of("The header is wrong."),
            Finding::of("A font is not embedded.").at("object 7").rule("6.2-1").clause("ISO 19005-2, 6.2"),
        ];
        merge(&mut findings, 9);
        let texts: Vec<String> = findings.iter().map(Finding::to_string).collect();
        assert_eq!(
            texts,
            ["A font is not embedded: page 1, object 7 (ISO 19005-2, 6.2).", "The header is wrong."]
        );
    }
}
