//! Generates `recto.h`: the output of cbindgen for this crate, with the macros of the version, a constant for each
//! operation of the table, and attributes from which compilers find mistakes of callers.

use recto::OperationKind;
use recto::interface::{Field, FieldKind, Need};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

pub fn header() -> String {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut config = cbindgen::Config::from_file(here.join("cbindgen.toml")).unwrap();
    config.after_includes = Some(version() + ATTRIBUTES + &operations());
    let mut text = Vec::new();
    cbindgen::generate_with_config(here, config).unwrap().write(&mut text);
    let header = with_attributes(&String::from_utf8(text).unwrap(), &required_arguments(&here.join("src")));
    crate::wrap::comments(&header)
}

fn version() -> String {
    let part = |name: &str| std::env::var(format!("CARGO_PKG_VERSION{name}")).unwrap();
    format!(
        "
/** The version of this header: 1 in 1.2.3. */
#define RECTO_VERSION_MAJOR {}
/** The version of this header: 2 in 1.2.3. */
#define RECTO_VERSION_MINOR {}
/** The version of this header: 3 in 1.2.3. */
#define RECTO_VERSION_PATCH {}
/** The whole version of this header. */
#define RECTO_VERSION_STRING \"{}\"

/** Whether this header has at least this version: `#if RECTO_VERSION_AT_LEAST(0, 1, 0)`. */
#define RECTO_VERSION_AT_LEAST(major, minor, patch) \\
    (RECTO_VERSION_NUMBER >= ((major) << 16 | (minor) << 8 | (patch)))
",
        part("_MAJOR"),
        part("_MINOR"),
        part("_PATCH"),
        part("")
    )
}

const ATTRIBUTES: &str = "
/*
 * With GCC and Clang, the compiler warns if a status is ignored, or if NULL is passed for an argument that must not be
 * NULL. Define RECTO_NO_ATTRIBUTES to switch this off.
 */
#if defined(__GNUC__) && !defined(RECTO_NO_ATTRIBUTES)
#define RECTO_CHECKED __attribute__((warn_unused_result))
#define RECTO_NONNULL(...) __attribute__((nonnull(__VA_ARGS__)))
#else
/** The status of the call must not be ignored. */
#define RECTO_CHECKED
/** The arguments with these numbers must not be NULL. */
#define RECTO_NONNULL(...)
#endif
";

fn operations() -> String {
    let mut text =
        "\n/*\n * The names of the operations, for recto_start(), recto_start_path() and so on. recto_call_set_unchecked() is for\n * operations of later services.\n */\n".to_owned();
    for kind in OperationKind::ALL {
        let constant = kind.name().to_uppercase().replace('-', "_");
        let takes: Vec<_> = kind.accepts().iter().map(|extension| format!(".{extension}")).collect();
        write!(text, "\n/**\n * {} It takes {}.\n", kind.about(), takes.join(", ")).unwrap();
        if kind.fields().is_empty() {
            text.push_str(" * It has no options.\n");
        } else {
            text.push_str(" *\n");
            for field in kind.fields() {
                wrap(&mut text, &option(field));
            }
            if let Some(example) = nested(kind.fields()) {
                writeln!(text, " *\n * As JSON: {example}").unwrap();
            }
        }
        writeln!(text, " */\n#define RECTO_{constant} \"{}\"", kind.name()).unwrap();
    }
    text
}

/// One option: its name as recto_options_set() takes it, its values and its meaning.
fn option(field: &Field) -> String {
    let values = match field.kind {
        FieldKind::Text | FieldKind::Secret => "a text".to_owned(),
        FieldKind::Bool => "true or false".to_owned(),
        FieldKind::Integer { min, max } => format!("{min} to {max}"),
        FieldKind::Number => "a number".to_owned(),
        FieldKind::Choice(set) => set.texts.join(", "),
    };
    let need = match (field.need, field.default) {
        (Need::Required, _) => " Required.".to_owned(),
        (Need::WithParent, _) => " Required in its object.".to_owned(),
        (Need::Optional, Some(default)) => format!(" Default: {default}."),
        (Need::Optional, None) => String::new(),
    };
    let mut about = field.about.replace('#', "\\#");
    about[..1].make_ascii_uppercase();
    format!("- `{}`: {values}. {about}.{need}", field.path)
}

/// The JSON of an option inside an object, for the first such option.
fn nested(fields: &[Field]) -> Option<String> {
    let (object, name) = fields.iter().find_map(|field| field.path.split_once('.'))?;
    Some(format!("`{object}.{name}` is {{\"{object}\": {{\"{name}\": ...}}}}."))
}

/// Writes a list item in lines of at most 120 characters.
fn wrap(text: &mut String, item: &str) {
    let mut line = " *".to_owned();
    for word in item.split(' ') {
        if line.len() + 1 + word.len() > 119 {
            writeln!(text, "{line}").unwrap();
            line = " *  ".to_owned();
        }
        line += " ";
        line += word;
    }
    writeln!(text, "{line}").unwrap();
}

/// For each function, the names of the arguments that must not be NULL: those whose reader in `entry!` refuses NULL.
fn required_arguments(sources: &Path) -> BTreeMap<String, Vec<String>> {
    const REFUSE_NULL: &[&str] = &["handle", "handle_mut", "out", "text", "path", "number"];
    let mut required = BTreeMap::new();
    for entry in std::fs::read_dir(sources).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "rs") {
            continue;
        }
        let source = std::fs::read_to_string(path).unwrap();
        for function in source.split("pub unsafe extern \"C\" fn ").skip(1) {
            let name = function.split('(').next().unwrap().to_owned();
            let body = function.split("\n}").next().unwrap();
            let Some((_, arguments)) = body.split_once("entry!(") else { continue };
            let arguments = arguments.split("=>").next().unwrap();
            let named = arguments.split(',').filter_map(|argument| argument.split_once(':'));
            let refusing = named.filter(|(_, reader)| REFUSE_NULL.contains(&reader.trim()));
            required.insert(name, refusing.map(|(name, _)| name.trim().to_owned()).collect());
        }
    }
    required
}

/// Puts the attributes before the declarations of functions that can fail.
fn with_attributes(header: &str, required: &BTreeMap<String, Vec<String>>) -> String {
    let mut text = String::new();
    let mut rest = header;
    while let Some(at) = rest.find("\nrecto_status recto_") {
        let (before, declaration) = rest.split_at(at + 1);
        let end = declaration.find(';').unwrap();
        let (name, parameters) = declaration["recto_status ".len()..end].split_once('(').unwrap();
        let parameters: Vec<_> = parameters.trim_end_matches(')').split(',').collect();
        let argument = |at: usize| parameters[at].trim().rsplit([' ', '*']).next().unwrap();
        let positions: Vec<_> = (0..parameters.len())
            .filter(|at| {
                required.get(name).is_some_and(|names| names.iter().any(|name| name == argument(*at)))
            })
            .map(|at| (at + 1).to_string())
            .collect();
        text += before;
        text += "RECTO_CHECKED";
        if !positions.is_empty() {
            write!(text, " RECTO_NONNULL({})", positions.join(", ")).unwrap();
        }
        text.push('\n');
        text += &declaration[..end];
        rest = &declaration[end..];
    }
    text + rest
}
