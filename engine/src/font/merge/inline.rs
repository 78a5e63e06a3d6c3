//! Inlines the subroutines of Type 2 charstrings, so that charstrings of different fonts can be compared.

use crate::font::charstring::{Subroutines, Token, token};
use crate::font::type1c::{Fixed, fixed, write_fixed};

/// The maximum nesting of subroutine calls, the maximum number of operands on the stack, and the maximum number of
/// stems in a glyph (Technical Note 5177, Appendix B).
const MAX_DEPTH: usize = 10;
const MAX_STACK: usize = 48;
const MAX_STEMS: usize = 96;
/// The maximum number of numbers and operators in one glyph, and in all glyphs of a font together.
const MAX_STEPS: usize = 100_000;
pub(super) const MAX_STEPS_OF_FONT: usize = 10_000_000;

/// `endchar` alone: a glyph without an outline.
pub(super) const EMPTY_GLYPH: &[u8] = &[14];

/// Inlines the subroutines of a charstring, and removes the width. Returns the difference of the width from the nominal
/// width (`None` if the charstring has no width), and the new charstring. The whole result is `None` if the charstring
/// is invalid, is composed of other glyphs, or takes more than `left` steps. The number of steps is subtracted from
/// `left`.
pub(super) fn inlined(
    charstring: &[u8],
    subroutines: &Subroutines<'_>,
    left: &mut usize,
) -> Option<(Option<Fixed>, Vec<u8>)> {
    let steps = MAX_STEPS.min(*left);
    let mut run = Run { subroutines, out: Vec::new(), stack: Vec::new(), stems: 0, width: None, left: steps };
    let ended = run.run(charstring, 0);
    *left -= steps - run.left;
    // A charstring without `endchar` is damaged.
    ended?.then_some((run.width?, run.out))
}

struct Run<'a> {
    subroutines: &'a Subroutines<'a>,
    out: Vec<u8>,
    /// The operands so far, in units of 1/65536.
    stack: Vec<i32>,
    stems: usize,
    /// The width; `None` before the first operator, `Some(None)` if the charstring has no width.
    width: Option<Option<Fixed>>,
    left: usize,
}

impl Run<'_> {
    /// Runs a charstring or a subroutine. Returns whether the glyph has ended.
    fn run(&mut self, code: &[u8], depth: usize) -> Option<bool> {
        if depth > MAX_DEPTH {
            return None;
        }
        let mut at = 0;
        while at < code.len() {
            self.left = self.left.checked_sub(1)?;
            match token(code, &mut at)? {
                Token::Number(number) if self.stack.len() < MAX_STACK => self.stack.push(number),
                Token::Number(_) => return None,
                Token::Operator(operator @ (10 | 29)) => {
                    let (_, body) = self.subroutines.find(operator == 29, self.stack.pop()?)?;
                    if self.run(body, depth + 1)? {
                        return Some(true);
                    }
                }
                Token::Operator(11) => return Some(false),
                Token::Operator(14) => {
                    self.begin(self.stack.len() == 1);
                    // With four operands, `endchar` would compose an accented letter of other glyphs.
                    self.stack.is_empty().then_some(())?;
                    self.emit(&[14])?;
                    return Some(true);
                }
                Token::Operator(operator @ (1 | 3 | 18 | 23)) => self.stem(operator)?,
                Token::Operator(operator @ (19 | 20)) => {
                    self.stem(operator)?;
                    let end = at + self.stems.div_ceil(8);
                    self.out.extend_from_slice(code.get(at..end)?);
                    at = end;
                }
                Token::Operator(21) => self.moved(21, 2)?,
                Token::Operator(operator @ (4 | 22)) => self.moved(operator, 1)?,
                Token::Operator(operator @ (5..=8 | 24..=27 | 30 | 31)) => self.draw(&[operator])?,
                Token::Escape(operator @ (0 | 34..=37)) => self.draw(&[12, operator])?,
                // Arithmetic and undefined operators are not supported.
                Token::Operator(_) | Token::Escape(_) => return None,
            }
        }
        Some(false)
    }

    /// Takes the width from the operands of the first operator.
    fn begin(&mut self, has_width: bool) {
        if self.width.is_none() {
            let width = (has_width && !self.stack.is_empty()).then(|| self.stack.remove(0));
            self.width = Some(width.map(fixed_of));
        }
    }

    fn stem(&mut self, operator: u8) -> Option<()> {
        self.begin(self.stack.len() % 2 == 1);
        self.stems += self.stack.len() / 2;
        (self.stems <= MAX_STEMS).then_some(())?;
        self.emit(&[operator])
    }

    fn moved(&mut self, operator: u8, numbers: usize) -> Option<()> {
        self.begin(self.stack.len() == numbers + 1);
        (self.stack.len() == numbers).then_some(())?;
        self.emit(&[operator])
    }

    fn draw(&mut self, operator: &[u8]) -> Option<()> {
        // A charstring must not draw before the first move.
        self.width?;
        self.emit(operator)
    }

    fn emit(&mut self, operator: &[u8]) -> Option<()> {
        for number in self.stack.drain(..) {
            write_fixed(&mut self.out, fixed_of(number))?;
        }
        self.out.extend_from_slice(operator);
        Some(())
    }
}

fn fixed_of(number: i32) -> Fixed {
    fixed(f64::from(number) / 65_536.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A number as it is encoded in a charstring.
    fn n(number: i16) -> Vec<u8> {
        [&[28][..], &number.to_be_bytes()].concat()
    }

    fn run(code: &[u8], local: &[&[u8]]) -> Option<(Option<Fixed>, Vec<u8>)> {
        inlined(code, &Subroutines { global: &[], local }, &mut MAX_STEPS_OF_FONT.clone())
    }

    #[test]
    fn subroutines_are_inlined_and_take_operands_of_their_caller() {
        // `5 10 rmoveto 7 hlineto endchar`, in which `7 hlineto` is a subroutine.
        let body = [n(7), vec![6, 11]].concat();
        let shared = [n(5), n(10), vec![21], n(-107), vec![10, 14]].concat();
        let plain = [n(5), n(10), vec![21], n(7), vec![6, 14]].concat();
        assert_eq!(run(&shared, &[&body]), run(&plain, &[]));
        assert!(run(&plain, &[]).is_some());
        // An operand of `rmoveto` is in the subroutine, and the operator follows the call.
        let split = [n(5), n(-107), vec![10, 21], n(7), vec![6, 14]].concat();
        assert_eq!(run(&split, &[&[&n(10)[..], &[11]].concat()]), run(&plain, &[]));
    }

    #[test]
    fn widths_are_extra_operands_of_the_first_operator() {
        let width = |code: &[u8]| run(code, &[]).unwrap().0;
        assert_eq!(width(&[14]), None);
        assert_eq!(width(&[n(9), vec![14]].concat()), Some(fixed(9.0)));
        assert_eq!(width(&[n(9), n(1), n(2), vec![21, 14]].concat()), Some(fixed(9.0)));
        assert_eq!(width(&[n(1), vec![22], n(1), n(2), vec![21, 14]].concat()), None);
        assert_eq!(width(&[n(9), n(1), n(2), vec![1], n(1), vec![4, 14]].concat()), Some(fixed(9.0)));
    }

    #[test]
    fn the_length_of_masks_follows_from_the_number_of_stems() {
        // The glyph has nine stems: five are declared, and the mask implies four. The mask therefore has two bytes,
        // both of which look like operators.
        let five = [(0..10).flat_map(|_| n(1)).collect(), vec![18]].concat();
        let four: Vec<u8> = (0..8).flat_map(|_| n(1)).collect();
        let code = [five, four, vec![19, 14, 10], n(3), vec![22, 14]].concat();
        let (_, out) = run(&code, &[]).unwrap();
        assert!(out.windows(3).any(|bytes| bytes == [19, 14, 10]));
        assert!(run(&code[..code.len() - 5], &[]).is_none());
    }

    #[test]
    fn dotsection_is_kept() {
        let code = [n(1), vec![22, 12, 0], n(3), vec![6, 14]].concat();
        assert!(run(&code, &[]).unwrap().1.windows(2).any(|bytes| bytes == [12, 0]));
    }

    #[test]
    fn invalid_charstrings_are_refused() {
        let accented = [n(0), n(0), n(65), n(194), vec![14]].concat();
        let arithmetic = [n(1), n(2), vec![12, 10, 22, 14]].concat();
        for code in
            [&b""[..], &[10], &[28, 1], &[5, 14], &[21, 14], &[12], &[0], &[255, 1], &accented, &arithmetic]
        {
            assert!(run(code, &[]).is_none(), "{code:?}");
        }
        assert!(run(&[n(1).repeat(49), vec![14]].concat(), &[]).is_none());
    }

    #[test]
    fn endless_calls_are_refused_within_the_step_limit() {
        let call = |number: i16| [n(number - 107), vec![10]].concat();
        let endless = call(0);
        assert!(run(&call(0), &[&endless]).is_none());
        // Each subroutine calls the next subroutine thirty times.
        let levels: Vec<Vec<u8>> = (1..9).map(|next| call(next).repeat(30)).chain([vec![11]]).collect();
        let levels: Vec<&[u8]> = levels.iter().map(Vec::as_slice).collect();
        let mut left = 3 * MAX_STEPS / 2;
        let subroutines = Subroutines { global: &[], local: &levels };
        assert!(inlined(&call(0), &subroutines, &mut left).is_none());
        assert_eq!(left, MAX_STEPS / 2);
        assert!(inlined(&call(0), &subroutines, &mut left).is_none());
        assert_eq!(left, 0);
    }
}
