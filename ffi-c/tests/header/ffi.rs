//! Generates `recto_ffi.h` from `recto.h`: the same declarations without directives, comments and attributes, for the
//! parsers of foreign function interfaces, such as cffi and LuaJIT.

use std::fmt::Write;

const TOP: &str = "\
/* The declarations of recto.h without directives, for parsers such as those of cffi and LuaJIT. Generated: do not edit.
   The types size_t, intptr_t, int32_t, int64_t, uint32_t and uint64_t must be known. The names of the operations, such as
   \"optimize\", are in recto.h. */

";

pub fn declarations(header: &str) -> String {
    let (mut constants, mut code) = (String::new(), String::new());
    for line in without_comments(header).lines() {
        let line = line.trim_end();
        let words: Vec<_> = line.split_whitespace().collect();
        match words.as_slice() {
            ["#define", name, value] if value.parse::<i64>().is_ok() => {
                writeln!(constants, "    {name} = {value},").unwrap();
            }
            [first, ..] if first.starts_with('#') => {}
            // The second line of a macro, the brackets of `extern "C"`, and the attributes of a function.
            ["(RECTO_VERSION_NUMBER", ..] | ["extern", "\"C\"", "{"] | ["}"] => {}
            ["RECTO_CHECKED", ..] | [] => {}
            _ => writeln!(code, "{line}").unwrap(),
        }
    }
    format!("{TOP}enum {{\n{}\n}};\n\n{code}", constants.trim_end().trim_end_matches(','))
}

fn without_comments(text: &str) -> String {
    let mut kept = String::new();
    let mut rest = text;
    while let Some((before, comment)) = rest.split_once("/*") {
        kept += before;
        rest = comment.split_once("*/").unwrap().1;
    }
    kept += rest;
    kept.lines().map(|line| line.split("//").next().unwrap().to_owned() + "\n").collect()
}
