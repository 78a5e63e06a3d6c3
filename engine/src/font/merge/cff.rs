//! Merges subsets of one CFF font into one file. Glyphs are identified by their names or by their character
//! identifiers.

use super::constraints::Constraints;
use super::inline::{EMPTY_GLYPH, MAX_STEPS_OF_FONT, inlined};
use super::mergeable::Mergeable;
use super::private_dict::{Entries, FontDict, dictionary, entry, font_dict, numbers, text};
use super::used_codes::{UsedCode, is_symbolic, used_codes};
use crate::Job;
use crate::font::cff::{CHARSTRING_TYPE, Cff, FD_ARRAY, FD_SELECT, Private, ROS};
use crate::font::characters::character_of_known_name;
use crate::font::charstring::Subroutines;
use crate::font::files::FontUse;
use crate::font::glyphs::shown_cids;
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
/// Operators whose operands are string identifiers.
const TEXTS: [u16; 8] = [0, 1, 2, 3, 4, 12 << 8, 12 << 8 | 21, 12 << 8 | 22];
/// Operators that are not copied from a subset, because new values are written, or because they identify one subset.
const NOT_COPIED: [u16; 11] =
    [ROS, CHARSET, ENCODING, CHARSTRINGS, PRIVATE, FD_ARRAY, FD_SELECT, FONT_BBOX, 13, 14, 12 << 8 | 35];
/// Operators whose entries must be equal in fonts that are merged.
const MUST_AGREE: [u16; 4] = [FONT_MATRIX, PAINT_TYPE, STROKE_WIDTH, CHARSTRING_TYPE];

/// The maximum number of glyphs in a font.
const MAX_GLYPHS: usize = 65_535;

#[derive(Clone, PartialEq)]
struct Glyph {
    font_dict: Arc<FontDict>,
    outline: Outline,
}

/// A subset of a font, or several subsets merged.
pub(super) struct Font<'a> {
    source: Cff<'a>,
    registry: Option<[Vec<u8>; 2]>,
    bounds: Option<[f64; 4]>,
    /// The glyphs by their names, or by their character identifiers (two bytes).
    glyphs: Constraints<Vec<u8>, Glyph>,
    /// The glyph `.notdef`, which is shown for missing glyphs. In subsets its outline is often removed. If no text
    /// shows `.notdef`, the `.notdef` of any subset may be used.
    notdef: Option<Glyph>,
    /// The glyph names of characters, and the glyph names of codes in the font's own encoding.
    characters: Constraints<u32, Vec<u8>>,
    codes: Constraints<u8, Vec<u8>>,
}

impl<'a> Font<'a> {
    /// Parses a font file, and records the parts of the file that its fonts use. `None` if the file is damaged or
    /// unsupported.
    pub(super) fn parse(document: &Document, data: &'a [u8], uses: &[FontUse], job: &Job) -> Option<Self> {
        let source = Cff::parse(data)?;
        let composite = uses.iter().all(|font_use| font_use.descendant.is_some());
        if !composite && uses.iter().any(|font_use| font_use.descendant.is_some()) {
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
            glyphs: Constraints::default(),
            notdef: None,
            characters: Constraints::default(),
            codes: Constraints::default(),
            source,
        };
        let keys = font.keys()?;
        let mut used = BTreeSet::new();
        let by_key: HashMap<&[u8], u16> = keys.iter().map(Vec::as_slice).zip(0..).collect();
        if composite {
            for font_use in uses {
                job.proceed().ok()?;
                for cid in shown_cids(document, font_use)? {
                    if let Some(glyph) = by_key.get(&cid.to_be_bytes()[..]) {
                        used.insert(*glyph);
                    } else {
                        font.glyphs.keep_absent(cid.to_be_bytes().to_vec());
                        used.insert(0);
                    }
                }
            }
        } else {
            for name in &keys {
                if let Some(character) = character_of_known_name(name) {
                    font.characters.set(character, name.clone());
                }
            }
            for font_use in uses {
                job.proceed().ok()?;
                let symbolic = is_symbolic(document, font_use);
                for code in used_codes(document, font_use)? {
                    used.extend(font.record_code(&code, symbolic, &keys, &by_key)?);
                }
            }
        }
        font.record_glyphs(&keys, &used, job)?;
        Some(font)
    }

    /// The key of each glyph: its name or its character identifier. `None` if two glyphs have the same key, or if a key
    /// is empty.
    fn keys(&self) -> Option<Vec<Vec<u8>>> {
        let bytes = |number: u16| number.to_be_bytes().to_vec();
        let keys: Vec<Vec<u8>> = match (&self.registry, self.source.is_cid()) {
            (Some(_), true) => self.source.charset.iter().copied().map(bytes).collect(),
            // If the font has no character identifiers, glyph numbers are used as character identifiers.
            (Some(_), false) => (0..u16::try_from(self.source.glyphs()).ok()?).map(bytes).collect(),
            (None, _) => self.source.names().map(<[u8]>::to_vec).collect(),
        };
        let different: BTreeSet<&[u8]> = keys.iter().map(Vec::as_slice).collect();
        (different.len() == keys.len() && !different.contains(&b""[..])).then_some(keys)
    }

    /// The glyphs that readers may find for a code; `None` if this is not known. If readers would look for a glyph in a
    /// place and find none, this place is recorded: it must stay empty in the merged font.
    fn record_code(
        &mut self,
        used: &UsedCode,
        symbolic: bool,
        keys: &[Vec<u8>],
        by_key: &HashMap<&[u8], u16>,
    ) -> Option<BTreeSet<u16>> {
        let glyph = |name: &Vec<u8>| by_key.get(name.as_slice()).copied();
        let mut found = BTreeSet::new();
        let encoded = self.source.glyphs_of_codes(&BTreeSet::from([used.code]))?;
        match encoded.into_iter().filter(|glyph| *glyph != 0).collect::<Vec<_>>().as_slice() {
            [] => {}
            [glyph] => {
                self.codes.set(used.code, keys.get(usize::from(*glyph))?.clone());
                found.insert(*glyph);
            }
            _ => return None,
        }
        let named = match &used.name {
            Some(name) => glyph(name),
            None => used.character.and_then(|character| self.characters.get(&character)).and_then(glyph),
        };
        found.extend(named);
        // Some readers use the encoding, others ignore the encoding and use the code. If the first lookup succeeds in
        // both cases, no reader looks further.
        if named.is_some() && (!symbolic || found.len() == 1 && self.codes.get(&used.code).is_some()) {
            return Some(found);
        }
        if named.is_none() && used.has_unknown_name() {
            return None;
        }
        self.codes.keep_absent(used.code);
        if let Some(name) = used.name.clone().filter(|_| named.is_none()) {
            self.glyphs.keep_absent(name);
        }
        found.extend(
            used.characters
                .iter()
                .filter_map(|character| self.characters.require(*character).and_then(glyph)),
        );
        found.insert(0);
        Some(found)
    }

    /// Records the glyphs of the font. An empty glyph is recorded only if text shows it, because subsetting may have
    /// removed its outline.
    fn record_glyphs(&mut self, keys: &[Vec<u8>], used: &BTreeSet<u16>, job: &Job) -> Option<()> {
        let font_dicts: Vec<(Arc<FontDict>, Fixed, Fixed)> = self
            .source
            .fonts
            .iter()
            .map(|(font, private)| font_dict(&self.source, font, private))
            .collect::<Option<_>>()?;
        let mut left = MAX_STEPS_OF_FONT;
        for (glyph, (charstring, key)) in (0_u16..).zip(self.source.charstrings.iter().zip(keys)) {
            job.proceed().ok()?;
            let own = usize::from(*self.source.select.get(usize::from(glyph))?);
            let (font_dict, nominal_width, nominal) = font_dicts.get(own)?;
            let local = &self.source.fonts.get(own)?.1.subrs;
            let subroutines = Subroutines { global: &self.source.globals, local };
            let (width, code) = inlined(charstring, &subroutines, &mut left)?;
            let draws = code != EMPTY_GLYPH;
            let width = width.map_or(*nominal_width, |width| *nominal + width);
            let own = Glyph { font_dict: font_dict.clone(), outline: Outline { width, code } };
            if glyph == 0 {
                self.notdef = Some(own.clone());
            }
            if used.contains(&glyph) || draws && glyph != 0 {
                self.glyphs.set(key.clone(), own);
            }
        }
        Some(())
    }

    /// The entries of the Top DICT, without offsets. Their strings are added to `strings`.
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
                (own, _) if NOT_COPIED.contains(own) => continue,
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

    /// The keys of the glyphs in the order of the file: `.notdef`, then the glyphs with codes, then the other glyphs.
    fn order(&self) -> Vec<&[u8]> {
        let notdef = if self.registry.is_some() { &[0, 0][..] } else { NOTDEF };
        let coded = self.codes.values().map(|(_, name)| name.as_slice());
        let others = self.glyphs.values().map(|(key, _)| key.as_slice());
        let mut seen = BTreeSet::new();
        [notdef].into_iter().chain(coded).chain(others).filter(|key| seen.insert(*key)).collect()
    }
}

impl Mergeable for Font<'_> {
    fn agrees(&self, other: &Self) -> bool {
        let entry = |font: &Self, operator: u16| -> Option<Vec<u8>> {
            font.source.top.0.iter().find(|(own, _, _)| *own == operator).map(|(_, _, bytes)| bytes.to_vec())
        };
        let single_font_dict = |font: &Self| {
            font.notdef.as_ref().filter(|_| font.registry.is_none()).map(|glyph| glyph.font_dict.clone())
        };
        self.registry == other.registry
            // A font with glyph names has one Private DICT for all glyphs.
            && single_font_dict(self) == single_font_dict(other)
            && MUST_AGREE.iter().all(|operator| entry(self, *operator) == entry(other, *operator))
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
        if self.notdef.as_ref().is_none_or(|glyph| glyph.outline.code == EMPTY_GLYPH) {
            self.notdef = other.notdef;
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
            .map(|key| self.glyphs.get(&key.to_vec()).or(self.notdef.as_ref()))
            .collect::<Option<_>>()?;
        if glyphs.len() > MAX_GLYPHS {
            return None;
        }
        let mut font_dicts: BTreeMap<&FontDict, usize> = BTreeMap::new();
        for glyph in &glyphs {
            let next = font_dicts.len();
            font_dicts.entry(&glyph.font_dict).or_insert(next);
        }
        let is_cid = self.registry.is_some();
        if font_dicts.len() > if is_cid { 255 } else { 1 } {
            return None;
        }
        let select: Vec<u8> = glyphs
            .iter()
            .map(|glyph| u8::try_from(*font_dicts.get(&*glyph.font_dict)?).ok())
            .collect::<Option<_>>()?;
        let mut by_number: Vec<(&FontDict, usize)> = font_dicts.into_iter().collect();
        by_number.sort_by_key(|(_, number)| *number);

        let mut strings = Strings::default();
        let mut top = self.top(&mut strings, glyphs.len())?;
        let mut fonts = Vec::new();
        let mut widths = Vec::new();
        for (font_dict, number) in by_number {
            let here = glyphs.iter().zip(&select).filter(|(_, own)| usize::from(**own) == number);
            let nominal_width = usual_width(here.map(|(glyph, _)| glyph.outline.width));
            fonts.push(font_dict.dictionaries(nominal_width, &mut strings)?);
            widths.push(nominal_width);
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
        let select_data = fd_select_ranges(&select)?;
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
        merged.write(&charstrings, &[], &vec![Vec::new(); fonts.len()])
    }
}

impl Font<'_> {
    /// The codes of each glyph name, in the order of the names in `order`.
    fn codes_of(&self, order: &[&[u8]]) -> Vec<Vec<u8>> {
        let mut codes: HashMap<&[u8], Vec<u8>> = HashMap::new();
        for (code, name) in self.codes.values() {
            codes.entry(name).or_default().push(*code);
        }
        order.iter().map(|name| codes.remove(name).unwrap_or_default()).collect()
    }
}

/// The data of a charset of format 0 with these character identifiers.
fn identifiers_in_order(order: &[&[u8]]) -> Vec<u8> {
    let mut data = vec![0];
    order.iter().skip(1).for_each(|cid| data.extend_from_slice(cid));
    data
}

/// The number of the Font DICT of each glyph, as a table of ranges (FDSelect format 3).
fn fd_select_ranges(select: &[u8]) -> Option<Vec<u8>> {
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
    fn font_dicts_are_written_as_ranges() {
        assert_eq!(fd_select_ranges(&[0, 0, 1, 0]), Some(vec![3, 0, 3, 0, 0, 0, 0, 2, 1, 0, 3, 0, 0, 4]));
    }
}
