//! Type 2 charstrings (Adobe Technical Note 5177): their tokens, and which subroutines they call.

use super::bytes::u8_at;
use std::collections::BTreeSet;

/// The subroutines that a glyph may call.
pub(super) struct Subroutines<'a> {
    pub(super) global: &'a [&'a [u8]],
    pub(super) local: &'a [&'a [u8]],
}

impl<'a> Subroutines<'a> {
    /// The subroutine that a call means by a number in 65536ths, with its place among its kind.
    pub(super) fn find(&self, is_global: bool, number: i32) -> Option<(usize, &'a [u8])> {
        let all = if is_global { self.global } else { self.local };
        let bias = match all.len() {
            0..1240 => 107,
            1240..33900 => 1131,
            _ => 32768,
        };
        let place = usize::try_from((number >> 16).checked_add(bias)?).ok()?;
        Some((place, *all.get(place)?))
    }
}

/// A number or an operator.
pub(super) enum Token {
    /// In 65536ths.
    Number(i32),
    Operator(u8),
    /// An operator of two bytes: the second one.
    Escape(u8),
}

/// Reads the token at a place, which moves on behind it; nothing for one that is cut off or not defined.
pub(super) fn token(code: &[u8], at: &mut usize) -> Option<Token> {
    let mut next = || {
        let byte = u8_at(code, *at);
        *at += 1;
        byte
    };
    let first = next()?;
    let whole = match first {
        28 => i16::from_be_bytes([next()?, next()?]).into(),
        32..=246 => i32::from(first) - 139,
        247..=250 => (i32::from(first) - 247) * 256 + i32::from(next()?) + 108,
        251..=254 => -(i32::from(first) - 251) * 256 - i32::from(next()?) - 108,
        255 => return Some(Token::Number(i32::from_be_bytes([next()?, next()?, next()?, next()?]))),
        12 => return Some(Token::Escape(next()?)),
        _ => return Some(Token::Operator(first)),
    };
    Some(Token::Number(whole << 16))
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
        while at < code.len() {
            self.steps += 1;
            if self.steps > STEPS {
                return None;
            }
            match token(code, &mut at)? {
                Token::Number(number) => self.stack.push(number),
                Token::Operator(operator) => match operator {
                    // Stems, with the vertical ones that a mask implies.
                    1 | 3 | 18 | 23 => self.stem(),
                    19 | 20 => {
                        self.stem();
                        at += self.stems.div_ceil(8);
                    }
                    10 | 29 => {
                        let is_global = operator == 29;
                        let (number, body) = self.subroutines.find(is_global, self.stack.pop()?)?;
                        let all = if is_global { &mut *self.global } else { &mut *self.local };
                        all.insert(number);
                        if self.run(body, depth + 1)? {
                            return Some(true);
                        }
                    }
                    11 => return Some(false),
                    14 => {
                        // With four numbers more it would be an accented letter made of two others.
                        return (self.stack.len() < 4).then_some(true);
                    }
                    4..=8 | 21 | 22 | 24..=27 | 30 | 31 => self.stack.clear(),
                    _ => return None,
                },
                // Flexes, and what Type 1 had for dots.
                Token::Escape(0 | 34..=37) => self.stack.clear(),
                // Arithmetic makes numbers that are not followed here.
                Token::Escape(_) => return None,
            }
        }
        Some(false)
    }

    fn stem(&mut self) {
        self.stems += self.stack.len() / 2;
        self.stack.clear();
    }
}
