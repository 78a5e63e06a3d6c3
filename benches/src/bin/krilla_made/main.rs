//! Writes documents with krilla, as test files for validators: each content once for every level of PDF/A-1 to PDF/A-3
//! that krilla supports, and once without PDF/A.
//!
//!     cargo run --release -p recto-benches --bin krilla_made -- FOLDER [FONT | PROFILE.icc]...
//!
//! The name of a file contains its level and its content: `krilla2b-images.pdf`, `krilla-plain-images.pdf`. The same
//! command always writes the same files. If krilla refuses to write a content at a level (transparency in PDF/A-1,
//! attachments in PDF/A-2), the file is left out and the reason is printed to standard error. Text is set in DejaVu and
//! in the fonts of the command line. An ICC profile of the command line defines the CMYK colours.
#![forbid(unsafe_code)]
#![allow(clippy::print_stderr)]

mod book;
mod graphics;
mod words;

use book::{Book, Face};
use krilla::SerializeSettings;
use krilla::configure::{Accessibility, Archival, Configuration, ConfigurationBuilder};
use krilla::icc::ICCProfile;
use std::error::Error;
use std::path::PathBuf;

type Outcome<T> = Result<T, Box<dyn Error>>;

/// The levels, and the beginning of the file names for each level.
const LEVELS: [(&str, Option<Archival>); 9] = [
    ("krilla-plain", None),
    ("krilla1a", Some(Archival::A1_A)),
    ("krilla1b", Some(Archival::A1_B)),
    ("krilla2a", Some(Archival::A2_A)),
    ("krilla2b", Some(Archival::A2_B)),
    ("krilla2u", Some(Archival::A2_U)),
    ("krilla3a", Some(Archival::A3_A)),
    ("krilla3b", Some(Archival::A3_B)),
    ("krilla3u", Some(Archival::A3_U)),
];

/// A function that adds the pages of one content to a document.
type Fill = fn(&mut Book) -> Outcome<()>;

/// The contents: the name of each content in the file names, and its function.
const CONTENTS: [(&str, Fill); 20] = [
    ("empty", words::empty),
    ("text", words::text),
    ("pages", words::pages),
    ("ligatures", words::ligatures),
    ("notdef", words::notdef),
    ("private", words::private_use),
    ("links", words::links),
    ("tagged", words::tagged),
    ("attachments", words::attachments),
    ("metadata", words::metadata),
    ("images", graphics::images),
    ("interpolated", graphics::interpolated),
    ("alpha", graphics::alpha),
    ("gradients", graphics::gradients),
    ("sweep", graphics::sweep),
    ("blending", graphics::blending),
    ("paths", graphics::paths),
    ("patterns", graphics::patterns),
    ("spots", graphics::spots),
    ("cmyk", graphics::cmyk),
];

fn main() -> Outcome<()> {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let folder = arguments.next().ok_or("a folder to write to is wanted")?;
    std::fs::create_dir_all(&folder)?;
    let mut faces = Face::dejavu()?;
    let mut profile = None;
    for path in arguments {
        let data = std::fs::read(&path)?;
        let refused = || format!("{} is neither a font nor a profile of CMYK", path.display());
        if path.extension().is_some_and(|extension| extension == "icc") {
            profile = Some(ICCProfile::<4>::new(&data).ok_or_else(refused)?);
        } else {
            faces.push(Face::new(data).ok_or_else(refused)?);
        }
    }
    for (row, (content, fill)) in CONTENTS.into_iter().enumerate() {
        for (column, (name, level)) in LEVELS.into_iter().enumerate() {
            let settings = settings(level, row + column, profile.clone())?;
            let mut book = Book::new(settings, &faces, content);
            fill(&mut book)?;
            match book.finish() {
                Ok(bytes) => std::fs::write(folder.join(format!("{name}-{content}.pdf")), bytes)?,
                Err(error) => eprintln!("{name}-{content}: {error}"),
            }
        }
    }
    Ok(())
}

/// krilla's settings for a level. `turn` selects a different combination of the other settings for each file.
fn settings(
    level: Option<Archival>,
    turn: usize,
    cmyk_profile: Option<ICCProfile<4>>,
) -> Outcome<SerializeSettings> {
    let tagged = matches!(level, Some(Archival::A1_A | Archival::A2_A | Archival::A3_A));
    Ok(SerializeSettings {
        compress_content_streams: turn % 4 != 1,
        ascii_compatible: turn % 5 == 2,
        pretty: turn % 7 == 3,
        no_device_cs: turn.is_multiple_of(2),
        enable_tagging: tagged || turn.is_multiple_of(3),
        cmyk_profile,
        configuration: configuration(level, tagged && turn.is_multiple_of(2))?,
        ..SerializeSettings::default()
    })
}

fn configuration(level: Option<Archival>, accessible: bool) -> Outcome<Configuration> {
    let mut builder = ConfigurationBuilder::new();
    if let Some(level) = level {
        builder = builder.with_archival_validator(level);
    }
    // Only some files request PDF/UA, because not every content meets its stricter requirements.
    if accessible {
        builder = builder.with_accessibility_validator(Accessibility::UA1);
    }
    builder.finish().map_err(|error| format!("{error:?}").into())
}
