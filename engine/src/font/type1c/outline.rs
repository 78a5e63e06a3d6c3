//! Writes glyph outlines with their hints as Type 2 charstrings (Adobe Technical Note 5177).

use std::collections::BTreeSet;
use std::ops::{Add, Neg, Sub};

/// `endchar`.
pub(super) const END: u8 = 14;
const HSTEM: u8 = 1;
const VSTEM: u8 = 3;
const RLINETO: u8 = 5;
const HLINETO: u8 = 6;
const VLINETO: u8 = 7;
const RRCURVETO: u8 = 8;
const HSTEMHM: u8 = 18;
const HINTMASK: u8 = 19;
const RMOVETO: u8 = 21;
const HMOVETO: u8 = 22;
const VSTEMHM: u8 = 23;
const VMOVETO: u8 = 4;
const VHCURVETO: u8 = 30;
const HVCURVETO: u8 = 31;
const FLEX: [u8; 2] = [12, 35];

/// The number of operands that the stack of every interpreter holds.
const STACK: usize = 48;
/// The maximum number of stems in one glyph, and of stems of one direction. All stems of one direction must fit on the
/// stack.
const STEMS: usize = 96;
const STEMS_OF_ONE_DIRECTION: usize = 23;

/// A fixed-point number in units of 1/65536.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub(crate) struct Fixed(i64);

impl Fixed {
    pub(crate) const ZERO: Self = Self(0);

    pub(crate) fn as_f64(self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "far fewer than 52 bits")]
        let value = self.0 as f64;
        value / 65_536.0
    }
}

/// The fixed-point number nearest to a value. A value out of range is clamped.
pub(crate) fn fixed(value: f64) -> Fixed {
    #[expect(clippy::cast_possible_truncation, reason = "saturates")]
    Fixed((value * 65_536.0).round().clamp(-1e15, 1e15) as i64)
}

impl Add for Fixed {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl Sub for Fixed {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl Neg for Fixed {
    type Output = Self;
    fn neg(self) -> Self {
        Self(self.0.saturating_neg())
    }
}

/// A step of an outline. Each point is relative to the previous point.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Step {
    Move([Fixed; 2]),
    Line([Fixed; 2]),
    Curve([Fixed; 6]),
    /// Two curves, and the flex depth: the height below which the curves are drawn as a straight line.
    Flex([Fixed; 12], Fixed),
}

/// A stem hint: the start and the width of a stem.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Stem {
    /// Whether the stem is horizontal; otherwise it is vertical.
    pub(crate) horizontal: bool,
    pub(crate) start: Fixed,
    pub(crate) width: Fixed,
}

/// An outline with its hints.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Outline {
    pub(crate) steps: Vec<Step>,
    /// The sets of stems, each with the index of the first step to which the set applies.
    pub(crate) hints: Vec<(usize, BTreeSet<Stem>)>,
}

impl Outline {
    /// The charstring of the outline, without the width; `None` if a coordinate is out of range.
    pub(crate) fn code(&self) -> Option<Vec<u8>> {
        let mut out = Vec::new();
        let hints = Hints::of(self);
        hints.declare(&mut out)?;
        let mut at = 0;
        while at < self.steps.len() {
            hints.switch(&mut out, at);
            let end = hints.next_switch(at).min(self.steps.len());
            run(&mut out, self.steps.get(at..end)?)?;
            at = end;
        }
        out.push(END);
        Some(out)
    }
}

/// The stems of a glyph in the order in which they are declared, and the sets of stems. Each set replaces the previous
/// set.
struct Hints<'a> {
    stems: Vec<Stem>,
    sets: Vec<&'a (usize, BTreeSet<Stem>)>,
}

impl<'a> Hints<'a> {
    fn of(outline: &'a Outline) -> Self {
        // If several sets of stems begin at the same step, the last of these sets applies.
        let mut sets: Vec<&(usize, BTreeSet<Stem>)> = Vec::new();
        for set in outline.hints.iter().filter(|set| set.0 < outline.steps.len()) {
            sets.pop_if(|before| before.0 == set.0);
            if sets.last().is_none_or(|before| before.1 != set.1) {
                sets.push(set);
            }
        }
        let stems: BTreeSet<Stem> = sets.iter().flat_map(|set| set.1.iter().copied()).collect();
        let (horizontal, vertical): (Vec<Stem>, Vec<Stem>) =
            stems.into_iter().partition(|stem| stem.horizontal);
        if horizontal.len().max(vertical.len()) > STEMS_OF_ONE_DIRECTION
            || horizontal.len() + vertical.len() > STEMS
        {
            return Self { stems: Vec::new(), sets: Vec::new() };
        }
        Self { stems: horizontal.into_iter().chain(vertical).collect(), sets }
    }

    /// Whether hint masks are needed. They are needed if a set of stems does not apply to the whole glyph.
    fn masked(&self) -> bool {
        !self.stems.is_empty() && (self.sets.len() > 1 || self.sets.first().is_some_and(|set| set.0 > 0))
    }

    fn declare(&self, out: &mut Vec<u8>) -> Option<()> {
        for (horizontal, plain, masked) in [(true, HSTEM, HSTEMHM), (false, VSTEM, VSTEMHM)] {
            let mut before = Fixed::ZERO;
            let mut any = false;
            for stem in self.stems.iter().filter(|stem| stem.horizontal == horizontal) {
                write_number(out, stem.start - before)?;
                write_number(out, stem.width)?;
                before = stem.start + stem.width;
                any = true;
            }
            if any {
                out.push(if self.masked() { masked } else { plain });
            }
        }
        if self.masked() && self.sets.first().is_some_and(|set| set.0 > 0) {
            self.mask(out, &BTreeSet::new());
        }
        Some(())
    }

    fn switch(&self, out: &mut Vec<u8>, at: usize) {
        if let Some(set) = self.sets.iter().find(|set| set.0 == at)
            && self.masked()
        {
            self.mask(out, &set.1);
        }
    }

    fn next_switch(&self, at: usize) -> usize {
        self.sets.iter().map(|set| set.0).find(|start| *start > at).unwrap_or(usize::MAX)
    }

    fn mask(&self, out: &mut Vec<u8>, set: &BTreeSet<Stem>) {
        out.push(HINTMASK);
        out.extend(self.stems.chunks(8).map(|group| {
            group
                .iter()
                .zip([0x80_u8, 0x40, 0x20, 0x10, 8, 4, 2, 1])
                .fold(0, |byte, (stem, bit)| if set.contains(stem) { byte | bit } else { byte })
        }));
    }
}

/// Writes steps. Each operator takes as many steps as possible.
fn run(out: &mut Vec<u8>, mut steps: &[Step]) -> Option<()> {
    while let Some(first) = steps.first() {
        let taken = match first {
            Step::Move(by) => {
                write_move(out, *by)?;
                1
            }
            Step::Flex(points, height) => {
                points.iter().chain([height]).try_for_each(|number| write_number(out, *number))?;
                out.extend(FLEX);
                1
            }
            Step::Line(by) if by.contains(&Fixed::ZERO) => alternating_lines(out, steps)?,
            Step::Line(_) => {
                let is_oblique = |step: &Step| matches!(step, Step::Line(by) if !by.contains(&Fixed::ZERO));
                let count = steps.iter().take(STACK / 2 - 1).take_while(|step| is_oblique(step)).count();
                write_operands(out, steps.get(..count)?)?;
                out.push(RLINETO);
                count
            }
            Step::Curve(by) if begins_horizontally(by).is_some() => alternating_curves(out, steps)?,
            Step::Curve(_) => {
                let is_free =
                    |step: &Step| matches!(step, Step::Curve(by) if begins_horizontally(by).is_none());
                let count = steps.iter().take(STACK / 6 - 1).take_while(|step| is_free(step)).count();
                write_operands(out, steps.get(..count)?)?;
                out.push(RRCURVETO);
                count
            }
        };
        steps = steps.get(taken.max(1)..)?;
    }
    Some(())
}

fn write_move(out: &mut Vec<u8>, [x, y]: [Fixed; 2]) -> Option<()> {
    let operator = match (x, y) {
        (_, Fixed::ZERO) => {
            write_number(out, x)?;
            HMOVETO
        }
        (Fixed::ZERO, _) => {
            write_number(out, y)?;
            VMOVETO
        }
        _ => {
            write_number(out, x)?;
            write_number(out, y)?;
            RMOVETO
        }
    };
    out.push(operator);
    Some(())
}

fn write_operands(out: &mut Vec<u8>, steps: &[Step]) -> Option<()> {
    for step in steps {
        match step {
            Step::Line(by) => by.iter().try_for_each(|number| write_number(out, *number))?,
            Step::Curve(by) => by.iter().try_for_each(|number| write_number(out, *number))?,
            Step::Move(_) | Step::Flex(..) => {}
        }
    }
    Some(())
}

/// Writes the lines at the start of `steps` that are alternately horizontal and vertical. Returns their number.
fn alternating_lines(out: &mut Vec<u8>, steps: &[Step]) -> Option<usize> {
    let mut count = 0;
    let mut first_is_horizontal = None;
    for step in steps.iter().take(STACK - 2) {
        let Step::Line([x, y]) = *step else { break };
        let is_horizontal = y == Fixed::ZERO;
        if !is_horizontal && x != Fixed::ZERO
            || first_is_horizontal.is_some_and(|first: bool| (first == is_horizontal) != (count % 2 == 0))
        {
            break;
        }
        first_is_horizontal.get_or_insert(is_horizontal);
        write_number(out, if is_horizontal { x } else { y })?;
        count += 1;
    }
    out.push(if first_is_horizontal? { HLINETO } else { VLINETO });
    Some(count)
}

/// Whether a curve begins horizontally and ends vertically (`true`), or begins vertically and ends horizontally
/// (`false`). `None` for other curves.
fn begins_horizontally(by: &[Fixed; 6]) -> Option<bool> {
    let [x1, y1, _, _, x3, y3] = *by;
    if y1 == Fixed::ZERO && x3 == Fixed::ZERO {
        Some(true)
    } else if x1 == Fixed::ZERO && y3 == Fixed::ZERO {
        Some(false)
    } else {
        None
    }
}

/// Writes the curves at the start of `steps` that begin and end alternately horizontally and vertically. Returns their
/// number.
fn alternating_curves(out: &mut Vec<u8>, steps: &[Step]) -> Option<usize> {
    let mut count = 0;
    let mut first_is_horizontal = None;
    for step in steps.iter().take(STACK / 4 - 1) {
        let Step::Curve(by) = step else { break };
        // If both forms can represent a curve, it gets the form that continues the alternation.
        let wanted = match first_is_horizontal {
            None => begins_horizontally(by),
            Some(first) => {
                let wanted = first == (count % 2 == 0);
                let [x1, y1, _, _, x3, y3] = *by;
                let fits = if wanted { (y1, x3) } else { (x1, y3) } == (Fixed::ZERO, Fixed::ZERO);
                fits.then_some(wanted)
            }
        };
        let Some(is_horizontal) = wanted else { break };
        first_is_horizontal.get_or_insert(is_horizontal);
        let [x1, y1, x2, y2, x3, y3] = *by;
        let (first, last) = if is_horizontal { (x1, y3) } else { (y1, x3) };
        [first, x2, y2, last].iter().try_for_each(|number| write_number(out, *number))?;
        count += 1;
    }
    out.push(if first_is_horizontal? { HVCURVETO } else { VHCURVETO });
    Some(count)
}

/// Writes a number of a charstring; `None` if the number is out of range.
pub(crate) fn write_number(out: &mut Vec<u8>, value: Fixed) -> Option<()> {
    if value.0 % 65_536 == 0 {
        write_integer(out, i16::try_from(value.0 / 65_536).ok()?);
    } else {
        out.push(255);
        out.extend(i32::try_from(value.0).ok()?.to_be_bytes());
    }
    Some(())
}

/// Writes an integer in the encoding that charstrings and dictionaries share.
pub(super) fn write_integer(out: &mut Vec<u8>, value: i16) {
    let byte = |value: i32| u8::try_from(value & 0xff).unwrap_or(0);
    match i32::from(value) {
        small @ -107..=107 => out.push(byte(small + 139)),
        up @ 108..=1131 => out.extend([byte(247 + ((up - 108) >> 8)), byte(up - 108)]),
        down @ -1131..=-108 => out.extend([byte(251 + ((-down - 108) >> 8)), byte(-down - 108)]),
        _ => {
            out.push(28);
            out.extend(value.to_be_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(x: i16, y: i16) -> Step {
        Step::Line([fixed(x.into()), fixed(y.into())])
    }

    #[test]
    fn alternating_lines_are_written_with_one_operator() {
        let outline = Outline {
            steps: vec![
                Step::Move([fixed(10.0), Fixed::ZERO]),
                line(5, 0),
                line(0, 6),
                line(-5, 0),
                line(3, 3),
            ],
            hints: Vec::new(),
        };
        let number = |value: i16| u8::try_from(value + 139).unwrap();
        assert_eq!(
            outline.code().unwrap(),
            [
                number(10),
                HMOVETO,
                number(5),
                number(6),
                number(-5),
                HLINETO,
                number(3),
                number(3),
                RLINETO,
                END
            ]
        );
    }

    #[test]
    fn hints_that_change_are_masked() {
        let stem = |start: i16| Stem { horizontal: true, start: fixed(start.into()), width: fixed(20.0) };
        let outline = Outline {
            steps: vec![Step::Move([Fixed::ZERO; 2]), line(9, 9), line(8, 7)],
            hints: vec![(0, BTreeSet::from([stem(0)])), (2, BTreeSet::from([stem(10), stem(50)]))],
        };
        let code = outline.code().unwrap();
        let masks: Vec<u8> = code.windows(2).filter(|pair| pair[0] == HINTMASK).map(|pair| pair[1]).collect();
        assert_eq!(masks, [0x80, 0x60]);
        assert!(code.contains(&HSTEMHM));
    }

    #[test]
    fn numbers_are_written_in_the_shortest_form() {
        for (value, length) in [(0, 1), (107, 1), (-107, 1), (108, 2), (-1131, 2), (1132, 3), (i16::MIN, 3)] {
            let mut out = Vec::new();
            write_integer(&mut out, value);
            assert_eq!(out.len(), length, "{value}");
        }
        let mut out = Vec::new();
        write_number(&mut out, fixed(1.5)).unwrap();
        assert_eq!(out, [255, 0, 1, 0x80, 0]);
        assert!(write_number(&mut out, fixed(40_000.0)).is_none());
    }
}
