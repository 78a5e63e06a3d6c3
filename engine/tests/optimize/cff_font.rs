//! Builds small CFF fonts. The same letters can be encoded in several ways, as different programs encode subsets.

/// How the font identifies glyphs: by standard names (`Names`), or by character identifiers (`Identifiers`).
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Keys {
    Names,
    Identifiers,
}

/// A letter, drawn as a box. `key` is the string identifier of its name, or its character identifier.
#[derive(Clone, Copy)]
pub(crate) struct Letter {
    pub(crate) key: u16,
    pub(crate) advance: i16,
    pub(crate) height: i16,
}

/// How a subset is encoded. The encoding does not change the outlines or advances of the letters.
#[derive(Clone, Copy)]
pub(crate) struct Manner {
    pub(crate) nominal: i16,
    /// Whether the end of each letter is in a local subroutine (`local`) or a global subroutine (`global`).
    pub(crate) local: bool,
    pub(crate) global: bool,
    /// The number of unused subroutines before the first subroutine that is used.
    pub(crate) spare: usize,
    /// The code of the first letter. `None` if the font file contains no encoding.
    pub(crate) first_code: Option<u8>,
}

pub(crate) const PLAIN: Manner =
    Manner { nominal: 0, local: false, global: false, spare: 0, first_code: None };

fn number(value: i16) -> Vec<u8> {
    [&[28][..], &value.to_be_bytes()].concat()
}

fn entry(numbers: &[i32], operator: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    for number in numbers {
        out.push(29);
        out.extend(number.to_be_bytes());
    }
    out.extend(operator);
    out
}

fn index(items: &[Vec<u8>]) -> Vec<u8> {
    let mut out = u16::try_from(items.len()).unwrap().to_be_bytes().to_vec();
    if items.is_empty() {
        return out;
    }
    out.push(4);
    let mut offset = 1_u32;
    out.extend(offset.to_be_bytes());
    for item in items {
        offset += u32::try_from(item.len()).unwrap();
        out.extend(offset.to_be_bytes());
    }
    out.extend(items.concat());
    out
}

/// The charstring of a letter, and the end of this charstring. The charstring starts with the width, the hints and the
/// lower side of the box. The end draws the remaining sides, followed by `endchar`. The charstring contains either the
/// end itself, or a call of the subroutine that contains the end.
fn charstring(letter: Letter, manner: Manner, number_of_subroutine: usize) -> (Vec<u8>, Vec<u8>) {
    let mut start = Vec::new();
    if letter.advance != 500 {
        start.extend(number(letter.advance - manner.nominal));
    }
    start.extend([number(0), number(40), vec![18], number(60), number(30), vec![19, 0xc0]].concat());
    start.extend([number(50), number(0), vec![21], number(letter.advance - 100), vec![6]].concat());
    let end = [number(letter.height), vec![7], number(100 - letter.advance), vec![6], vec![14]].concat();
    let biased = number(i16::try_from(number_of_subroutine).unwrap() - 107);
    match (manner.local, manner.global) {
        (true, _) => start.extend([biased, vec![10]].concat()),
        (_, true) => start.extend([biased, vec![29]].concat()),
        _ => start.extend(&end),
    }
    (start, end)
}

/// The font file with these letters, encoded as `manner` defines.
pub(crate) fn program(keys: Keys, letters: &[Letter], manner: Manner) -> Vec<u8> {
    let mut charstrings = vec![[number(50), number(0), vec![21], number(300), vec![6, 14]].concat()];
    let mut subroutines = vec![vec![11]; manner.spare];
    for letter in letters {
        let (start, end) = charstring(*letter, manner, subroutines.len());
        charstrings.push(start);
        subroutines.push(end);
    }
    let globals = if manner.global && !manner.local { subroutines.clone() } else { Vec::new() };
    let locals = if manner.local { subroutines } else { Vec::new() };
    let strings: &[Vec<u8>] = match keys {
        Keys::Names => &[],
        Keys::Identifiers => &[b"Adobe".to_vec(), b"Identity".to_vec()],
    };
    let mut charset = vec![0];
    letters.iter().for_each(|letter| charset.extend(letter.key.to_be_bytes()));
    let select = [&[3, 0, 1, 0, 0, 0][..], &u16::try_from(charstrings.len()).unwrap().to_be_bytes()].concat();
    // The private dictionary: blue values, default width, nominal width, and the offset of the local subroutines.
    let mut private =
        [entry(&[-10, 10, 690, 10], &[6]), entry(&[500], &[20]), entry(&[manner.nominal.into()], &[21])]
            .concat();
    if !locals.is_empty() {
        let size = i32::try_from(private.len() + 6).unwrap();
        private.extend(entry(&[size], &[19]));
    }
    let private_size = i32::try_from(private.len()).unwrap();
    private.extend(index(&locals));

    let count = u8::try_from(letters.len()).unwrap();
    let codes = manner
        .first_code
        .map_or_else(Vec::new, |first| [vec![0, count], (first..first + count).collect()].concat());
    let assembled = |places: [i32; 6]| -> (Vec<u8>, [i32; 6]) {
        let mut top = Vec::new();
        if keys == Keys::Identifiers {
            top.extend(entry(&[391, 392, 0], &[12, 30]));
        }
        top.extend(entry(&[0, 0, 700, 700], &[5]));
        top.extend(entry(&[places[0]], &[15]));
        top.extend(entry(&[places[1]], &[17]));
        if manner.first_code.is_some() {
            top.extend(entry(&[places[5]], &[16]));
        }
        match keys {
            Keys::Names => top.extend(entry(&[private_size, places[2]], &[18])),
            Keys::Identifiers => {
                top.extend(entry(&[places[3]], &[12, 37]));
                top.extend(entry(&[places[4]], &[12, 36]));
            }
        }
        let mut out = vec![1, 0, 4, 4];
        out.extend(index(&[b"Drawn".to_vec()]));
        out.extend(index(&[top]));
        out.extend(index(strings));
        out.extend(index(&globals));
        let fonts = index(&[entry(&[private_size, places[2]], &[18])]);
        let mut found = [0; 6];
        for (place, part) in
            found.iter_mut().zip([&charset, &index(&charstrings), &private, &select, &fonts, &codes])
        {
            *place = i32::try_from(out.len()).unwrap();
            out.extend(part);
        }
        (out, found)
    };
    // The first pass only finds the offsets. All offsets have the same length, so the offsets are still correct in the
    // second pass.
    let (_, places) = assembled([0; 6]);
    assembled(places).0
}
