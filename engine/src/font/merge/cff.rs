//! Subsets of one CFF font become one file: glyphs are known by their names or by their character identifiers.

use super::constraints::Claims;
use super::inline::{EMPTY, STEPS_OF_FONT, inlined};
use super::mergeable::Mergeable;
use super::private_dict::{Entries, Setting, dictionary, entry, numbers, setting, text};
use super::used_codes::{Asked, asked, is_symbolic};
use crate::Job;
use crate::font::cff::{CHARSTRING_TYPE, Cff, FD_ARRAY, FD_SELECT, Private, ROS};
use crate::font::characters::character_of_known_name;
use crate::font::charstring::Subroutines;
use crate::font::files::FontUse;
use crate::font::glyphs::identifiers;
use crate::font::type1c::{
    CHARSET, CHARSTRINGS, ENCODING, FONT_BBOX, FONT_MATRIX, Fixed, Glyph as Outline, NOTDEF, PRIVATE,
    Strings, charset, encoding, usual_width,
};
use lopdf::Document;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

// Operators of the top dictionary.
const PAINT_TYPE: u16 = 12 << 8 | 5;
const STROKE_WIDTH: u16 = 12 << 8 | 8;
const CID_COUNT: u16 = 12 << 8 | 34;
/// Those whose numbers stand for strings.
const TEXTS: [u16; 8] = [0, 1, 2, 3, 4, 12 << 8, 12 << 8 | 21, 12 << 8 | 22];
/// Those that are written anew, or that told one subset from others.
const OWN: [u16; 11] =
    [ROS, CHARSET, ENCODING, CHARSTRINGS, PRIVATE, FD_ARRAY, FD_SELECT, FONT_BBOX, 13, 14, 12 << 8 | 35];
/// What must be the same in fonts that become one.
const SHARED: [u16; 4] = [FONT_MATRIX, PAINT_TYPE, STROKE_WIDTH, CHARSTRING_TYPE];

/// The number of glyphs that a font can have.
const GLYPHS: usize = 65_535;

#[derive(Clone, PartialEq)]
struct Glyph {
    setting: Arc<Setting>,
    outline: Outline,
}

/// A subset, or several together.
pub(super) struct Font<'a> {
    source: Cff<'a>,
    registry: Option<[Vec<u8>; 2]>,
    bounds: Option<[f64; 4]>,
    /// Glyphs by their names, or by the two bytes of their identifiers.
    glyphs: Claims<Vec<u8>, Glyph>,
    /// What stands for missing glyphs. Subsets often lack it; unless it is shown, it may be any.
    missing: Option<Glyph>,
    /// The names that characters have, and those that the font itself gives to codes.
    characters: Claims<u32, Vec<u8>>,
    codes: Claims<u8, Vec<u8>>,
}

impl<'a> Font<'a> {
    /// Reads a font file and what its fonts ask of it; nothing for what is damaged or not understood.
    pub(super) fn parse(document: &Document, data: &'a [u8], faces: &[FontUse], job: &Job) -> Option<Self> {
        let source = Cff::parse(data)?;
        let composite = faces.iter().all(|face| face.descendant.is_some());
        if !composite && faces.iter().any(|face| face.descendant.is_some()) {
            return None;
        }
        let registry = match source.top.get(ROS) {
            None => composite.then(|| [b"Adobe".to_vec(), b"Identity".to_vec()]),
            Some([registry, ordering, _]) if composite => {
                Some([text(&source, *registry)?.to_vec(), text(&source, *ordering)?.to_vec()])
            }
            Some(_) => return None,
        };
        let bounds = match numbers(&source.top, FONT_BBOX) {
            Some(numbers) => Some(numbers?.try_into().ok()?),
            None => None,
        };
        let mut font = Self {
            registry,
            bounds,
            glyphs: Claims::default(),
            missing: None,
            characters: Claims::default(),
            codes: Claims::default(),
            source,
        };
        let keys = font.keys()?;
        let mut used = BTreeSet::new();
        let by_key: HashMap<&[u8], u16> = keys.iter().map(Vec::as_slice).zip(0..).collect();
        if composite {
            for face in faces {
                job.proceed().ok()?;
                for cid in identifiers(document, face)? {
                    if let Some(glyph) = by_key.get(&cid.to_be_bytes()[..]) {
                        used.insert(*glyph);
                    } else {
                        font.glyphs.reserve(cid.to_be_bytes().to_vec());
                        used.insert(0);
                    }
                }
            }
        } else {
            for name in &keys {
                if let Some(character) = character_of_known_name(name) {
                    font.characters.note(character, name.clone());
                }
            }
            for face in faces {
                job.proceed().ok()?;
                let symbolic = is_symbolic(document, face);
                for code in asked(document, face)? {
                    used.extend(font.ask(&code, symbolic, &keys, &by_key)?);
                }
            }
        }
        font.claim_glyphs(&keys, &used, job)?;
        Some(font)
    }

    /// What each glyph is known by; nothing when two are known by the same.
    fn keys(&self) -> Option<Vec<Vec<u8>>> {
        let bytes = |number: u16| number.to_be_bytes().to_vec();
        let keys: Vec<Vec<u8>> = match (&self.registry, self.source.is_cid()) {
            (Some(_), true) => self.source.charset.iter().copied().map(bytes).collect(),
            // Without identifiers of their own, glyphs go by their numbers.
            (Some(_), false) => (0..u16::try_from(self.source.glyphs()).ok()?).map(bytes).collect(),
            (None, _) => self.source.names().map(<[u8]>::to_vec).collect(),
        };
        let different: BTreeSet<&[u8]> = keys.iter().map(Vec::as_slice).collect();
        (different.len() == keys.len() && !different.contains(&b""[..])).then_some(keys)
    }

    /// The glyphs that readers may find for a code. Wherever they would look without finding one, none may appear.
    fn ask(
        &mut self,
        asked: &Asked,
        symbolic: bool,
        keys: &[Vec<u8>],
        by_key: &HashMap<&[u8], u16>,
    ) -> Option<BTreeSet<u16>> {
        let glyph = |name: &Vec<u8>| by_key.get(name.as_slice()).copied();
        let mut found = BTreeSet::new();
        let encoded = self.source.glyphs_of_codes(&BTreeSet::from([asked.code]))?;
        match encoded.into_iter().filter(|glyph| *glyph != 0).collect::<Vec<_>>().as_slice() {
            [] => {}
            [glyph] => {
                self.codes.note(asked.code, keys.get(usize::from(*glyph))?.clone());
                found.insert(*glyph);
            }
            _ => return None,
        }
        let named = match &asked.name {
            Some(name) => glyph(name),
            None => asked.character.and_then(|character| self.characters.get(&character)).and_then(glyph),
        };
        found.extend(named);
        // Readers go by the encoding, or, leaving it aside, by the code; where either way ends at once, nobody looks
        // further.
        if named.is_some() && (!symbolic || found.len() == 1 && self.codes.get(&asked.code).is_some()) {
            return Some(found);
        }
        if named.is_none() && asked.is_riddle() {
            return None;
        }
        self.codes.reserve(asked.code);
        if let Some(name) = asked.name.clone().filter(|_| named.is_none()) {
            self.glyphs.reserve(name);
        }
        found.extend(
            asked.characters.iter().filter_map(|character| self.characters.ask(*character).and_then(glyph)),
        );
        found.insert(0);
        Some(found)
    }

    /// A glyph that draws nothing may be one that was cut away; that it is empty means something only where it is shown.
    fn claim_glyphs(&mut self, keys: &[Vec<u8>], used: &BTreeSet<u16>, job: &Job) -> Option<()> {
        let settings: Vec<(Arc<Setting>, Fixed, Fixed)> = self
            .source
            .fonts
            .iter()
            .map(|(font, private)| setting(&self.source, font, private))
            .collect::<Option<_>>()?;
        let mut left = STEPS_OF_FONT;
        for (glyph, (charstring, key)) in (0_u16..).zip(self.source.charstrings.iter().zip(keys)) {
            job.proceed().ok()?;
            let own = usize::from(*self.source.select.get(usize::from(glyph))?);
            let (setting, usual, nominal) = settings.get(own)?;
            let local = &self.source.fonts.get(own)?.1.subrs;
            let subroutines = Subroutines { global: &self.source.globals, local };
            let (width, code) = inlined(charstring, &subroutines, &mut left)?;
            let draws = code != EMPTY;
            let width = width.map_or(*usual, |width| *nominal + width);
            let own = Glyph { setting: setting.clone(), outline: Outline { width, code } };
            if glyph == 0 {
                self.missing = Some(own.clone());
            }
            if used.contains(&glyph) || draws && glyph != 0 {
                self.glyphs.note(key.clone(), own);
            }
        }
        Some(())
    }

    /// The top dictionary for these strings, without places.
    fn top(&self, strings: &mut Strings, glyphs: usize) -> Option<Entries> {
        let mut top = Entries::new();
        if let Some([registry, ordering]) = &self.registry {
            let supplement =
                self.source.top.get(ROS).and_then(|numbers| numbers.get(2)).copied().unwrap_or(0);
            let texts = [strings.sid(registry)?, strings.sid(ordering)?].map(f64::from);
            top.push((ROS, entry(ROS, &[texts[0], texts[1], f64::from(i16::try_from(supplement).ok()?)])?));
        }
        for (operator, numbers, bytes) in &self.source.top.0 {
            let bytes = match (operator, numbers.as_slice()) {
                (own, _) if OWN.contains(own) => continue,
                (&CID_COUNT, _) => entry(CID_COUNT, &[f64::from(u32::try_from(glyphs).ok()?)])?,
                (text_operator, [sid]) if TEXTS.contains(text_operator) => {
                    let sid = strings.sid(text(&self.source, *sid)?)?;
                    entry(*text_operator, &[sid.into()])?
                }
                _ => bytes.to_vec(),
            };
            top.push((*operator, bytes));
        }
        if let Some(bounds) = self.bounds {
            top.push((FONT_BBOX, entry(FONT_BBOX, &bounds)?));
        }
        Some(top)
    }

    /// The keys in the order of glyphs: what stands for missing ones, those with codes, the others.
    fn order(&self) -> Vec<&[u8]> {
        let missing = if self.registry.is_some() { &[0, 0][..] } else { NOTDEF };
        let coded = self.codes.values().map(|(_, name)| name.as_slice());
        let others = self.glyphs.values().map(|(key, _)| key.as_slice());
        let mut seen = BTreeSet::new();
        [missing].into_iter().chain(coded).chain(others).filter(|key| seen.insert(*key)).collect()
    }
}

impl Mergeable for Font<'_> {
    fn agrees(&self, other: &Self) -> bool {
        let entry = |font: &Self, operator: u16| -> Option<Vec<u8>> {
            font.source.top.0.iter().find(|(own, _, _)| *own == operator).map(|(_, _, bytes)| bytes.to_vec())
        };
        let alone = |font: &Self| {
            font.missing.as_ref().filter(|_| font.registry.is_none()).map(|glyph| glyph.setting.clone())
        };
        self.registry == other.registry
            // A named font has one dictionary for all glyphs.
            && alone(self) == alone(other)
            && SHARED.iter().all(|operator| entry(self, *operator) == entry(other, *operator))
            && self.glyphs.agrees(&other.glyphs)
            && self.characters.agrees(&other.characters)
            && self.codes.agrees(&other.codes)
    }

    fn absorb(&mut self, other: Self) {
        self.bounds = match (self.bounds, other.bounds) {
            (Some([a, b, c, d]), Some([e, f, g, h])) => Some([a.min(e), b.min(f), c.max(g), d.max(h)]),
            (own, other) => own.or(other),
        };
        self.glyphs.absorb(other.glyphs);
        if self.missing.as_ref().is_none_or(|glyph| glyph.outline.code == EMPTY) {
            self.missing = other.missing;
        }
        self.characters.absorb(other.characters);
        self.codes.absorb(other.codes);
    }

    fn size(&self) -> usize {
        let outlines: usize = self.glyphs.values().map(|(_, glyph)| glyph.outline.code.len()).sum();
        outlines + 96 * (self.glyphs.len() + self.characters.len() + self.codes.len())
    }

    fn write(&self) -> Option<Vec<u8>> {
        let order = self.order();
        let glyphs: Vec<&Glyph> = order
            .iter()
            .map(|key| self.glyphs.get(&key.to_vec()).or(self.missing.as_ref()))
            .collect::<Option<_>>()?;
        if glyphs.len() > GLYPHS {
            return None;
        }
        let mut settings: BTreeMap<&Setting, usize> = BTreeMap::new();
        for glyph in &glyphs {
            let next = settings.len();
            settings.entry(&glyph.setting).or_insert(next);
        }
        let is_cid = self.registry.is_some();
        if settings.len() > if is_cid { 255 } else { 1 } {
            return None;
        }
        let select: Vec<u8> = glyphs
            .iter()
            .map(|glyph| u8::try_from(*settings.get(&*glyph.setting)?).ok())
            .collect::<Option<_>>()?;
        let mut by_number: Vec<(&Setting, usize)> = settings.into_iter().collect();
        by_number.sort_by_key(|(_, number)| *number);

        let mut strings = Strings::default();
        let mut top = self.top(&mut strings, glyphs.len())?;
        let mut fonts = Vec::new();
        let mut widths = Vec::new();
        for (setting, number) in by_number {
            let here = glyphs.iter().zip(&select).filter(|(_, own)| usize::from(**own) == number);
            let usual = usual_width(here.map(|(glyph, _)| glyph.outline.width));
            fonts.push(setting.dictionaries(usual, &mut strings)?);
            widths.push(usual);
        }
        let charstrings: Vec<Vec<u8>> = glyphs
            .iter()
            .zip(&select)
            .map(|(glyph, own)| glyph.outline.charstring(*widths.get(usize::from(*own))?))
            .collect::<Option<_>>()?;
        let charset_data = if is_cid { identifiers_in_order(&order) } else { charset(&order, &mut strings)? };
        let has_codes = self.codes.values().next().is_some();
        let encoding_data =
            if has_codes { Some(encoding(&order, &self.codes_of(&order), &mut strings)?) } else { None };
        let select_data = ranges(&select)?;
        let places: &[u16] = if is_cid { &[FD_ARRAY, FD_SELECT] } else { &[PRIVATE] };
        top.extend([CHARSET, CHARSTRINGS].iter().chain(places).map(|operator| (*operator, Vec::new())));
        top.extend(has_codes.then(|| (ENCODING, Vec::new())));

        let merged = Cff {
            name: self.source.name,
            top: dictionary(&top),
            strings: strings.own.iter().map(Vec::as_slice).collect(),
            globals: Vec::new(),
            charstrings: Vec::new(),
            charset: Vec::new(),
            charset_data: Some(&charset_data),
            encoding_data: encoding_data.as_deref(),
            select: Vec::new(),
            select_data: is_cid.then_some(select_data.as_slice()),
            fonts: fonts
                .iter()
                .map(|(font, private)| {
                    (dictionary(font), Private { dict: dictionary(private), subrs: Vec::new() })
                })
                .collect(),
        };
        let charstrings: Vec<&[u8]> = charstrings.iter().map(Vec::as_slice).collect();
        merged.assembled(&charstrings, &[], &vec![Vec::new(); fonts.len()])
    }
}

impl Font<'_> {
    /// The codes of each of these names.
    fn codes_of(&self, order: &[&[u8]]) -> Vec<Vec<u8>> {
        let mut codes: HashMap<&[u8], Vec<u8>> = HashMap::new();
        for (code, name) in self.codes.values() {
            codes.entry(name).or_default().push(*code);
        }
        order.iter().map(|name| codes.remove(name).unwrap_or_default()).collect()
    }
}

/// A charset of identifiers, each as it is.
fn identifiers_in_order(order: &[&[u8]]) -> Vec<u8> {
    let mut data = vec![0];
    order.iter().skip(1).for_each(|cid| data.extend_from_slice(cid));
    data
}

/// The font dictionaries of all glyphs, as ranges.
fn ranges(select: &[u8]) -> Option<Vec<u8>> {
    let mut data = vec![3, 0, 0];
    let mut count = 0_u16;
    let mut before = None;
    for (glyph, own) in (0_u16..).zip(select) {
        if before.replace(own) != Some(own) {
            count = count.checked_add(1)?;
            data.extend(glyph.to_be_bytes());
            data.push(*own);
        }
    }
    data.extend(u16::try_from(select.len()).ok()?.to_be_bytes());
    data.get_mut(1..3)?.copy_from_slice(&count.to_be_bytes());
    Some(data)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn font_dictionaries_are_given_in_ranges() {
        assert_eq!(ranges(&[0, 0, 1, 0]), Some(vec![3, 0, 3, 0, 0, 0, 0, 2, 1, 0, 3, 0, 0, 4]));
    }
}
