//! Interprets Type 1 charstrings. The result is the outline of a glyph with its hints. Subroutines are inlined, flexes
//! are kept, and accented letters are composed of their components.

use crate::font::type1c::{Fixed, Outline, Stem, Step, fixed};
use skrifa::raw::ps::encoding::PredefinedEncoding;
use std::collections::{BTreeMap, BTreeSet};

/// The maximum nesting of subroutine calls.
const MAX_DEPTH: usize = 16;
/// The maximum number of numbers and operators in one glyph, and in all glyphs of a font together.
const MAX_STEPS: usize = 100_000;
pub(super) const MAX_STEPS_OF_FONT: usize = 10_000_000;
/// The maximum numbers of active stem hints and of hint replacements in a glyph. Real fonts use far fewer.
const MAX_STEMS: usize = 96;
const MAX_STEM_SETS: usize = 256;
/// The maximum number of numbers on the stack. The format allows 24.
const MAX_STACK: usize = 64;

type Point = [Fixed; 2];

/// The decrypted charstrings of a font: the glyphs by their names, and the subroutines that the glyphs may call.
#[derive(Clone, Copy)]
pub(super) struct Charstrings<'a> {
    pub(super) glyphs: &'a BTreeMap<Vec<u8>, Vec<u8>>,
    pub(super) subroutines: &'a [Vec<u8>],
}

/// The width and the outline of a glyph. `None` if the charstring is invalid or takes more than `left` steps. The
/// number of steps that the glyph takes is subtracted from `left`.
pub(super) fn outline(font: Charstrings<'_>, code: &[u8], left: &mut usize) -> Option<(Fixed, Outline)> {
    let mut interpreter = Interpreter {
        font,
        outline: Outline::default(),
        stack: Vec::new(),
        results: Vec::new(),
        at: [Fixed::ZERO; 2],
        drawn: [Fixed::ZERO; 2],
        open: false,
        bearing: [Fixed::ZERO; 2],
        shift: [Fixed::ZERO; 2],
        width: None,
        stems: BTreeSet::new(),
        flex: None,
        left: MAX_STEPS.min(*left),
        is_composing: false,
    };
    let before = interpreter.left;
    interpreter.run(code, 0)?;
    *left -= before - interpreter.left;
    Some((interpreter.width?, interpreter.outline))
}

struct Interpreter<'a> {
    font: Charstrings<'a>,
    outline: Outline,
    stack: Vec<f64>,
    /// The results of `callothersubr`, which `pop` moves to the stack.
    results: Vec<f64>,
    at: Point,
    /// The point at which the outline ends so far.
    drawn: Point,
    open: bool,
    /// The left side bearing point. The positions of stems are relative to this point.
    bearing: Point,
    /// While an accented letter is composed, the offset of the current component.
    shift: Point,
    width: Option<Fixed>,
    stems: BTreeSet<Stem>,
    /// The points of the flex that is being read; `None` outside a flex.
    flex: Option<Vec<Point>>,
    /// The number of steps that the glyph may still take.
    left: usize,
    is_composing: bool,
}

impl Interpreter<'_> {
    /// Runs a charstring or a subroutine. Returns whether the glyph has ended.
    fn run(&mut self, code: &[u8], depth: usize) -> Option<bool> {
        if depth > MAX_DEPTH {
            return None;
        }
        let mut bytes = code.iter().copied();
        while let Some(first) = bytes.next() {
            self.left = self.left.checked_sub(1)?;
            if self.stack.len() > MAX_STACK
                || self.stems.len() > MAX_STEMS
                || self.outline.hints.len() > MAX_STEM_SETS
            {
                return None;
            }
            match first {
                32..=246 => self.stack.push(f64::from(first) - 139.0),
                247..=250 => {
                    self.stack.push((f64::from(first) - 247.0) * 256.0 + f64::from(bytes.next()?) + 108.0);
                }
                251..=254 => {
                    self.stack.push(-(f64::from(first) - 251.0) * 256.0 - f64::from(bytes.next()?) - 108.0);
                }
                255 => {
                    let number = [bytes.next()?, bytes.next()?, bytes.next()?, bytes.next()?];
                    self.stack.push(i32::from_be_bytes(number).into());
                }
                10 => {
                    let index = self.index()?;
                    let code = self.font.subroutines.get(index)?;
                    if self.run(code, depth + 1)? {
                        return Some(true);
                    }
                }
                11 => return Some(false),
                14 => {
                    self.open = false;
                    return Some(true);
                }
                12 => {
                    let second = bytes.next()?;
                    if self.two_byte_operator(second, depth)? {
                        return Some(true);
                    }
                }
                _ => {
                    self.one_byte_operator(first)?;
                    self.stack.clear();
                }
            }
        }
        Some(false)
    }

    fn index(&mut self) -> Option<usize> {
        let number = self.stack.pop()?;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked just before")]
        (number.fract() == 0.0 && (0.0..65_536.0).contains(&number)).then_some(number as usize)
    }

    /// Runs a one-byte operator. The caller then clears the stack.
    fn one_byte_operator(&mut self, operator: u8) -> Option<()> {
        let stack: Vec<Fixed> = self.stack.iter().map(|number| fixed(*number)).collect();
        match (operator, stack.as_slice()) {
            (13, &[bearing, width]) => self.begin([bearing, Fixed::ZERO], width),
            (1, &[start, width]) => self.stem(true, start, width),
            (3, &[start, width]) => self.stem(false, start, width),
            (4, &[y]) => self.move_by([Fixed::ZERO, y]),
            (22, &[x]) => self.move_by([x, Fixed::ZERO]),
            (21, &[x, y]) => self.move_by([x, y]),
            (5, &[x, y]) => self.line([x, y]),
            (6, &[x]) => self.line([x, Fixed::ZERO]),
            (7, &[y]) => self.line([Fixed::ZERO, y]),
            (8, &[x1, y1, x2, y2, x3, y3]) => self.curve([x1, y1, x2, y2, x3, y3]),
            (30, &[y1, x2, y2, x3]) => self.curve([Fixed::ZERO, y1, x2, y2, x3, Fixed::ZERO]),
            (31, &[x1, x2, y2, y3]) => self.curve([x1, Fixed::ZERO, x2, y2, Fixed::ZERO, y3]),
            (9, _) => self.open = false,
            _ => return None,
        }
        Some(())
    }

    /// Runs a two-byte operator. Returns whether the glyph has ended.
    fn two_byte_operator(&mut self, operator: u8, depth: usize) -> Option<bool> {
        match operator {
            // div
            12 => {
                let (by, number) = (self.stack.pop()?, self.stack.pop()?);
                self.stack.push(Some(number / by).filter(|quotient| quotient.is_finite())?);
                return Some(false);
            }
            // callothersubr
            16 => {
                self.call_other_subroutine()?;
                return Some(false);
            }
            // pop
            17 => {
                self.stack.push(self.results.pop()?);
                return Some(false);
            }
            _ => {}
        }
        let stack: Vec<Fixed> = self.stack.drain(..).map(fixed).collect();
        match (operator, stack.as_slice()) {
            // dotsection
            (0, _) => {}
            // vstem3, hstem3
            (1 | 2, stems @ &[_, _, _, _, _, _]) => {
                for pair in stems.as_chunks::<2>().0 {
                    self.stem(operator == 2, pair[0], pair[1]);
                }
            }
            // seac
            (6, &[accent_bearing, x, y, letter, accent]) => {
                self.compose(accent_bearing, [x, y], letter, accent, depth)?;
                return Some(true);
            }
            // sbw
            (7, &[x, y, width, Fixed::ZERO]) => self.begin([x, y], width),
            // setcurrentpoint follows a flex. The end of the flex has already set the current point.
            (33, _) => {}
            _ => return None,
        }
        Some(false)
    }

    fn begin(&mut self, bearing: Point, width: Fixed) {
        self.width.get_or_insert(width);
        self.bearing = sum(self.shift, bearing);
        self.at = self.bearing;
        self.open = false;
    }

    fn stem(&mut self, horizontal: bool, start: Fixed, width: Fixed) {
        let [x, y] = self.bearing;
        let start = start + if horizontal { y } else { x };
        self.stems.insert(Stem { horizontal, start, width });
        self.record_stems();
    }

    /// Records that the current set of stems applies from the next step on.
    fn record_stems(&mut self) {
        let at = self.outline.steps.len();
        self.outline.hints.pop_if(|(step, _)| *step == at);
        self.outline.hints.push((at, self.stems.clone()));
    }

    fn move_by(&mut self, by: Point) {
        self.at = sum(self.at, by);
        match &mut self.flex {
            Some(points) => points.push(self.at),
            None => self.open = false,
        }
    }

    /// Begins a contour at the current point, unless a contour is already open.
    fn open_contour(&mut self) {
        if !self.open {
            self.outline.steps.push(Step::Move(difference(self.at, self.drawn)));
            self.drawn = self.at;
            self.open = true;
        }
    }

    fn line(&mut self, by: Point) {
        self.open_contour();
        self.at = sum(self.at, by);
        self.outline.steps.push(Step::Line(by));
        self.drawn = self.at;
    }

    fn curve(&mut self, by: [Fixed; 6]) {
        self.open_contour();
        let [x1, y1, x2, y2, x3, y3] = by;
        self.at = sum(sum(sum(self.at, [x1, y1]), [x2, y2]), [x3, y3]);
        self.outline.steps.push(Step::Curve(by));
        self.drawn = self.at;
    }

    /// Runs `callothersubr`, which calls a PostScript subroutine. The format defines the subroutines 0 to 3.
    fn call_other_subroutine(&mut self) -> Option<()> {
        let number = self.index()?;
        let count = self.index()?;
        let start = self.stack.len().checked_sub(count)?;
        let arguments = self.stack.split_off(start);
        match (number, arguments.as_slice()) {
            (0, &[height, x, y]) => {
                self.end_flex(fixed(height))?;
                self.results = vec![y, x];
            }
            (1, []) => {
                // The moves that follow give points of a curve. They do not begin new contours.
                self.open_contour();
                self.flex = Some(Vec::new());
            }
            (2, []) => self.flex.is_some().then_some(())?,
            (3, &[subroutine]) => {
                self.stems.clear();
                self.record_stems();
                self.results = vec![subroutine];
            }
            // Counter control hints are dropped.
            (12 | 13, _) => {}
            _ => return None,
        }
        Some(())
    }

    /// Ends a flex. A flex has seven points, and the first one is only a reference point.
    fn end_flex(&mut self, height: Fixed) -> Option<()> {
        let points = self.flex.take()?;
        let [_, rest @ ..] = points.as_slice() else { return None };
        let rest: &[Point; 6] = rest.try_into().ok()?;
        let mut by = [Fixed::ZERO; 12];
        let mut before = self.drawn;
        for (slot, point) in by.as_chunks_mut::<2>().0.iter_mut().zip(rest) {
            *slot = difference(*point, before);
            before = *point;
        }
        self.outline.steps.push(Step::Flex(by, height));
        self.drawn = before;
        self.at = before;
        Some(())
    }

    /// Runs `seac`, which composes a glyph of a letter and an accent. The codes of both are codes in the standard
    /// encoding.
    fn compose(
        &mut self,
        accent_bearing: Fixed,
        [x, y]: Point,
        letter: Fixed,
        accent: Fixed,
        depth: usize,
    ) -> Option<()> {
        if std::mem::replace(&mut self.is_composing, true) {
            return None;
        }
        let [own_bearing, _] = self.bearing;
        let shift = [own_bearing + x - accent_bearing, y];
        for (code, shift) in [(letter, [Fixed::ZERO; 2]), (accent, shift)] {
            let glyphs = self.font.glyphs;
            let glyph = glyphs.get(standard_name(code)?)?;
            self.shift = shift;
            self.stems.clear();
            self.record_stems();
            self.stack.clear();
            self.run(glyph, depth + 1)?;
        }
        Some(())
    }
}

fn standard_name(code: Fixed) -> Option<&'static [u8]> {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked just before")]
    let code = Some(code.as_f64()).filter(|code| code.fract() == 0.0 && (0.0..256.0).contains(code))? as u8;
    Some(PredefinedEncoding::Standard.name(code).as_bytes())
}

fn sum([x, y]: Point, [dx, dy]: Point) -> Point {
    [x + dx, y + dy]
}

fn difference([x, y]: Point, [from_x, from_y]: Point) -> Point {
    [x - from_x, y - from_y]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::font::type1c::NOTDEF;

    /// A font for tests, with the charstrings of its glyphs and its subroutines.
    #[derive(Default)]
    struct Font {
        glyphs: BTreeMap<Vec<u8>, Vec<u8>>,
        subroutines: Vec<Vec<u8>>,
    }

    impl Font {
        fn outline(&self, code: &[u8], left: &mut usize) -> Option<(Fixed, Outline)> {
            let font = Charstrings { glyphs: &self.glyphs, subroutines: &self.subroutines };
            super::outline(font, code, left)
        }
    }

    /// A charstring: `0 500 hsbw`, then `code`, then `endchar`.
    fn glyph(code: &[u8]) -> Vec<u8> {
        [&[139, 248, 136, 13], code, &[14]].concat()
    }

    #[test]
    fn a_font_whose_glyphs_take_too_many_steps_is_refused() {
        let mut program = Font::default();
        // Each subroutine calls the next subroutine sixteen times.
        for next in 1..=4_u8 {
            program.subroutines.push([[139 + next, 10].repeat(16), vec![11]].concat());
        }
        program.subroutines.push(vec![11]);
        let code = glyph(&[139, 10]);
        program.glyphs.insert(NOTDEF.to_vec(), code.clone());
        let mut left = MAX_STEPS_OF_FONT;
        assert!(program.outline(&code, &mut left).is_none(), "one glyph alone takes too long");
        // With one level of subroutines less, a glyph stays within the limit. The remaining steps of the font then
        // suffice for three glyphs.
        program.subroutines.remove(0);
        program
            .subroutines
            .iter_mut()
            .for_each(|code| code.iter_mut().step_by(2).for_each(|byte| *byte -= u8::from(*byte > 139)));
        assert!(program.outline(&code, &mut left).is_some());
        let one = MAX_STEPS_OF_FONT - left;
        left = one * 3;
        let drawn = (0..4).filter(|_| program.outline(&code, &mut left).is_some()).count();
        assert_eq!((drawn, left), (3, 0));
    }

    #[test]
    fn too_many_stems_are_refused() {
        // Several times `n 1 hstem`, each followed by a line, so that every stem begins a new set of stems.
        let stems = |count: u8| -> Vec<u8> { (0..count).flat_map(|at| [32 + at, 140, 1, 140, 6]).collect() };
        let program = Font::default();
        assert!(program.outline(&glyph(&stems(90)), &mut MAX_STEPS_OF_FONT.clone()).is_some());
        assert!(program.outline(&glyph(&stems(110)), &mut MAX_STEPS_OF_FONT.clone()).is_none());
        // `3 1 3 callothersubr pop callsubr 0 1 hstem 1 hlineto`: a hint replacement with the same stem.
        let replaced = |count| [142, 140, 142, 12, 16, 12, 17, 10, 139, 140, 1, 140, 6].repeat(count);
        let program = Font { subroutines: vec![vec![11]; 4], ..Font::default() };
        assert!(program.outline(&glyph(&replaced(200)), &mut MAX_STEPS_OF_FONT.clone()).is_some());
        assert!(program.outline(&glyph(&replaced(300)), &mut MAX_STEPS_OF_FONT.clone()).is_none());
    }
}
