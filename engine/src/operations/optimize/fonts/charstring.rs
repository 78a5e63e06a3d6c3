//! Following Type 2 charstrings far enough to know which subroutines they call.

use super::bytes::u8_at;
use std::collections::BTreeSet;

/// The subroutines that a glyph may call.
pub(super) struct Subroutines<'a> {
    pub(super) global: &'a [&'a [u8]],
    pub(super) local: &'a [&'a [u8]],
}

/// The deepest that subroutines may call each other.
const DEPTH: usize = 12;
/// The most operators of one glyph.
const STEPS: usize = 200_000;

struct Follow<'a> {
    subroutines: &'a Subroutines<'a>,
    global: &'a mut BTreeSet<usize>,
    local: &'a mut BTreeSet<usize>,
    stack: Vec<i32>,
    stems: usize,
    steps: usize,
}

/// Notes the subroutines that a charstring calls. Nothing comes back for one that cannot be followed, or that is
/// composed of other glyphs.
pub(super) fn used_subroutines(
    charstring: &[u8],
    subroutines: &Subroutines<'_>,
    global: &mut BTreeSet<usize>,
    local: &mut BTreeSet<usize>,
) -> Option<()> {
    let mut follow = Follow { subroutines, global, local, stack: Vec::new(), stems: 0, steps: 0 };
    follow.run(charstring, 0).map(|_| ())
}

impl Follow<'_> {
    /// Runs a piece; says whether the glyph has ended.
    fn run(&mut self, code: &[u8], depth: usize) -> Option<bool> {
        if depth > DEPTH {
            return None;
        }
        let mut at = 0;
        while let Some(&first) = code.get(at) {
            at += 1;
            self.steps += 1;
            if self.steps > STEPS {
                return None;
            }
            match first {
                // Stems, with the vertical ones that a mask implies.
                1 | 3 | 18 | 23 => self.stem(),
                19 | 20 => {
                    self.stem();
                    at += self.stems.div_ceil(8);
                }
                10 | 29 => {
                    let is_global = first == 29;
                    let all = if is_global { self.subroutines.global } else { self.subroutines.local };
                    let bias = match all.len() {
                        0..1240 => 107,
                        1240..33900 => 1131,
                        _ => 32768,
                    };
                    let number = usize::try_from(self.stack.pop()?.checked_add(bias)?).ok()?;
                    let body = *all.get(number)?;
                    if is_global {
                        self.global.insert(number)
                    } else {
                        self.local.insert(number)
                    };
                    if self.run(body, depth + 1)? {
                        return Some(true);
                    }
                }
                11 => return Some(false),
                14 => {
                    // With four numbers more it would be an accented letter made of two others.
                    return (self.stack.len() < 4).then_some(true);
                }
                12 => {
                    let second = u8_at(code, at)?;
                    at += 1;
                    match second {
                        // Flexes clear the stack.
                        34..=37 => self.stack.clear(),
                        // Arithmetic makes numbers that are not followed here.
                        _ => return None,
                    }
                }
                4..=8 | 21 | 22 | 24..=27 | 30 | 31 => self.stack.clear(),
                28 => {
                    let value = i16::from_be_bytes([u8_at(code, at)?, u8_at(code, at + 1)?]);
                    at += 2;
                    self.push(value.into());
                }
                32..=246 => self.push(i32::from(first) - 139),
                247..=250 => {
                    self.push((i32::from(first) - 247) * 256 + i32::from(u8_at(code, at)?) + 108);
                    at += 1;
                }
                251..=254 => {
                    self.push(-(i32::from(first) - 251) * 256 - i32::from(u8_at(code, at)?) - 108);
                    at += 1;
                }
                255 => {
                    let whole = i16::from_be_bytes([u8_at(code, at)?, u8_at(code, at + 1)?]);
                    at += 4;
                    self.push(whole.into());
                }
                _ => return None,
            }
        }
        Some(false)
    }

    fn push(&mut self, value: i32) {
        self.stack.push(value);
    }

    fn stem(&mut self) {
        self.stems += self.stack.len() / 2;
        self.stack.clear();
    }
}
