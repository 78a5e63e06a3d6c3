//! Builds PDF files from text and bytes, without a PDF library.

#![allow(dead_code)]

/// A file with these objects. Their numbers start at 1; object 1 is the catalog. `trailer` contains additional entries
/// of the trailer.
pub fn file(objects: &[Vec<u8>], trailer: &str) -> Vec<u8> {
    let mut file = b"%PDF-1.7\n".to_vec();
    let mut offsets = Vec::new();
    for (object, number) in objects.iter().zip(1..) {
        offsets.push(file.len());
        file.extend(format!("{number} 0 obj\n").bytes());
        file.extend(object);
        file.extend(b"\nendobj\n");
    }
    let (start, size) = (file.len(), objects.len() + 1);
    file.extend(format!("xref\n0 {size}\n0000000000 65535 f \n").bytes());
    offsets.iter().for_each(|offset| file.extend(format!("{offset:010} 00000 n \n").bytes()));
    let trailer = format!("trailer\n<</Size {size}/Root 1 0 R{trailer}>>\nstartxref\n{start}\n%%EOF\n");
    file.extend(trailer.bytes());
    file
}

/// A stream object with these bytes and with these additional entries in its dictionary.
pub fn stream(entries: &str, bytes: &[u8]) -> Vec<u8> {
    let head = format!("<</Length {}{entries}>>stream\n", bytes.len());
    [head.as_bytes(), bytes, b"\nendstream"].concat()
}

/// A document with these pages. Each page is a pair: the entries of the page dictionary, and the content. In the
/// content, `/F` is the font Helvetica.
pub fn document(pages: &[(&str, &str)]) -> Vec<u8> {
    let kids: Vec<String> = (0..pages.len()).map(|index| format!("{} 0 R", 4 + index * 2)).collect();
    let mut objects = vec![
        b"<</Type/Catalog/Pages 2 0 R>>".to_vec(),
        format!("<</Type/Pages/Kids[{}]/Count {}>>", kids.join(" "), pages.len()).into_bytes(),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>".to_vec(),
    ];
    for (index, (attributes, content)) in pages.iter().enumerate() {
        let contents = 5 + index * 2;
        let page = format!(
            "<</Type/Page/Parent 2 0 R/Contents {contents} 0 R/Resources<</Font<</F 3 0 R>>>>{attributes}>>"
        );
        objects.push(page.into_bytes());
        objects.push(stream("", content.as_bytes()));
    }
    file(&objects, "")
}
