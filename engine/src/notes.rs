//! Text for the notes of a result, which report to the user what an operation had to change.

use crate::document::is_signed;
use lopdf::Document;

/// The note that an operation made the signatures of a document invalid; `None` if the document is not signed. For
/// operations that change the document.
pub(crate) fn invalid_signatures(document: &Document) -> Option<String> {
    is_signed(document).then(|| {
        "the document was signed; its signatures are no longer valid, because the document has changed"
            .to_owned()
    })
}

/// Page numbers in a sentence: `page 3`, `pages 1, 2, 3, 4, 5 and 20 more`.
pub(crate) fn listed_pages(pages: &[usize]) -> String {
    let shown: Vec<String> = pages.iter().take(5).map(usize::to_string).collect();
    let more = pages.len() - shown.len();
    let word = if pages.len() == 1 { "page" } else { "pages" };
    if more == 0 {
        format!("{word} {}", shown.join(", "))
    } else {
        format!("{word} {} and {more} more", shown.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_listed_briefly() {
        assert_eq!(listed_pages(&[3]), "page 3");
        assert_eq!(listed_pages(&[1, 2]), "pages 1, 2");
        assert_eq!(listed_pages(&[1, 2, 3, 4, 5, 6, 7]), "pages 1, 2, 3, 4, 5 and 2 more");
    }
}
