//! Type 2 charstrings (Adobe Technical Note 5177): splits them into tokens, and finds the subroutines that they call.
//!
//! skrifa converts charstrings to outlines, but does not report which subroutines a glyph uses.

use std::collections::BTreeSet;

/// The subroutines that a glyph may call.
pub(super) struct Subroutines<'a> {
    pub(super) global: &'a [&'a [u8]],
    pub(super) local: &'a [&'a [u8]],
}

impl<'a> Subroutines<'a> {
    /// The subroutine that is called with this operand (in units of 1/65536), and the index of the subroutine.
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
    /// A number in units of 1/65536.
    Number(i32),
    Operator(u8),
    /// A two-byte operator, given by its second byte.
    Escape(u8),
}

/// Reads the token at `at`, and advances `at` to the next token; `None` if the token is truncated.
pub(super) fn token(code: &[u8], at: &mut usize) -> Option<Token> {
    let mut next = || {
        let byte = code.get(*at).copied();
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

/// The maximum nesting of subroutine calls.
const MAX_DEPTH: usize = 12;
/// The maximum number of numbers and operators in one glyph.
const MAX_STEPS: usize = 200_000;

struct SubroutineFinder<'a> {
    subroutines: &'a Subroutines<'a>,
    global: &'a mut BTreeSet<usize>,
    local: &'a mut BTreeSet<usize>,
    stack: Vec<i32>,
    stems: usize,
    steps: usize,
}

/// Adds the indices of the subroutines that a charstring calls to `global` and `local`. `None` if the charstring is
/// invalid, unsupported, or composed of other glyphs.
pub(super) fn used_subroutines(
    charstring: &[u8],
    subroutines: &Subroutines<'_>,
    global: &mut BTreeSet<usize>,
    local: &mut BTreeSet<usize>,
) -> Option<()> {
    let mut finder = SubroutineFinder { subroutines, global, local, stack: Vec::new(), stems: 0, steps: 0 };
    finder.run(charstring, 0).map(|_| ())
}

impl SubroutineFinder<'_> {
    /// Runs a charstring or a subroutine. Returns whether the glyph has ended.
    fn run(&mut self, code: &[u8], depth: usize) -> Option<bool> {
        if depth > MAX_DEPTH {
            return None;
        }
        let mut at = 0;
        while at < code.len() {
            self.steps += 1;
            if self.steps > MAX_STEPS {
                return None;
            }
            match token(code, &mut at)? {
                Token::Number(number) => self.stack.push(number),
                Token::Operator(operator) => match operator {
                    // Stem hints, including the vertical stem hints that a mask implies.
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
                        // With four operands, `endchar` would compose an accented letter of other glyphs.
                        return (self.stack.len() < 4).then_some(true);
                    }
                    4..=8 | 21 | 22 | 24..=27 | 30 | 31 => self.stack.clear(),
                    _ => return None,
                },
                // Flex operators, and the deprecated operator dotsection.
                Token::Escape(0 | 34..=37) => self.stack.clear(),
                // Arithmetic operators are not supported, because this code does not compute their results.
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
