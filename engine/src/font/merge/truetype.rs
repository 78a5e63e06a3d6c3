//! Merges subsets of one TrueType font into one file. The subsets have the same glyph numbers.

use super::constraints::Constraints;
use super::mergeable::Mergeable;
use super::used_codes::{UsedCode, is_symbolic, used_codes};
use crate::Job;
use crate::font::bytes::read;
use crate::font::characters::{character_of_known_name, macintosh_codes};
use crate::font::cmap;
use crate::font::files::FontUse;
use crate::font::glyphs::truetype_glyphs;
use crate::font::truetype::{TrueType, assemble, loca_table};
use lopdf::{Document, Object};
use skrifa::raw::tables::post::DEFAULT_GLYPH_NAMES;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The tables for hinting, which affect how glyphs are drawn.
const HINTING_TABLES: [&[u8; 4]; 3] = [b"cvt ", b"fpgm", b"prep"];

/// A glyph: its outline, its advance and its left side bearing.
#[derive(Clone, Copy)]
struct Glyph<'a> {
    outline: &'a [u8],
    metric: (u16, i16),
}

impl PartialEq for Glyph<'_> {
    /// Compares the metrics, and the outlines without their padding.
    fn eq(&self, other: &Self) -> bool {
        let bare = |outline: &'_ [u8]| outline.iter().rposition(|byte| *byte != 0).map_or(0, |at| at + 1);
        self.metric == other.metric
            && self.outline.len().abs_diff(other.outline.len()) < 4
            && self.outline.is_empty() == other.outline.is_empty()
            && self.outline.get(..bare(self.outline)) == other.outline.get(..bare(other.outline))
    }
}

/// A subset of a font, or several subsets merged.
pub(super) struct Font<'a> {
    source: TrueType<'a>,
    head: Vec<u8>,
    hhea: Vec<u8>,
    maxp: Vec<u8>,
    os2: Option<Vec<u8>>,
    glyphs: Constraints<u16, Glyph<'a>>,
    /// The glyph `.notdef`, which is shown for missing glyphs. In subsets its outline is often removed. If no text
    /// shows `.notdef`, the `.notdef` of any subset may be used.
    notdef: Glyph<'a>,
    simple: Option<Lookup<'a>>,
}

/// The data in which readers find the glyphs of one-byte codes.
struct Lookup<'a> {
    /// The platforms and encodings of the cmap subtables.
    kinds: BTreeSet<(u16, u16)>,
    maps: Constraints<(u16, u16, u32), u16>,
    names: Constraints<Name, u16>,
    post: Option<&'a [u8]>,
}

/// A key of a glyph in the `post` table: the glyph name itself, or the character that the glyph name means.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Name {
    Itself(Vec<u8>),
    Character(u32),
}

impl<'a> Font<'a> {
    /// Parses a font file, and records the parts of the file that its fonts use. `None` if the file is damaged or
    /// unsupported.
    pub(super) fn parse(document: &Document, data: &'a [u8], uses: &[FontUse], job: &Job) -> Option<Self> {
        let source = TrueType::parse(data)?;
        let (head, hhea, maxp) = (source.table(b"head")?, source.table(b"hhea")?, source.table(b"maxp")?);
        if head.len() < 54 || hhea.len() < 36 || maxp.len() < 32 {
            return None;
        }
        let mut simple = None;
        let mut used = BTreeSet::new();
        for font_use in uses {
            job.proceed().ok()?;
            if let Some(descendant) = font_use.descendant {
                used.extend(truetype_glyphs(document, font_use, &source)?);
                // Character identifiers beyond the end of a CIDToGIDMap show glyph 0.
                let descendant = document.get_dictionary(descendant).ok()?;
                let map = descendant.get_deref(b"CIDToGIDMap", document);
                let has_map = map.and_then(Object::as_stream).is_ok();
                used.extend(has_map.then_some(0));
            } else {
                let symbolic = is_symbolic(document, font_use);
                let lookup = match &mut simple {
                    Some(lookup) => lookup,
                    slot => slot.insert(Lookup::parse(&source)?),
                };
                for code in used_codes(document, font_use)? {
                    used.extend(lookup.record_code(&code, symbolic)?);
                }
            }
        }
        if used.iter().any(|glyph| usize::from(*glyph) >= source.glyphs) {
            used.insert(0);
        }
        source.add_components(&mut used);
        let mut font = Self {
            head: head.to_vec(),
            hhea: hhea.to_vec(),
            maxp: maxp.to_vec(),
            os2: source.table(b"OS/2").map(<[u8]>::to_vec),
            glyphs: Constraints::default(),
            notdef: Glyph { outline: source.outline(0)?, metric: source.metric(0)? },
            simple,
            source,
        };
        font.record_glyphs(&used)?;
        Some(font)
    }

    /// Records the glyphs of the font. An empty glyph is recorded only if text shows it, because subsetting may have
    /// removed its outline.
    fn record_glyphs(&mut self, used: &BTreeSet<u16>) -> Option<()> {
        for glyph in 0..u16::try_from(self.source.glyphs).ok()? {
            let outline = self.source.outline(glyph)?;
            if used.contains(&glyph) || !outline.is_empty() && glyph != 0 {
                let metric = self.source.metric(glyph)?;
                self.glyphs.set(glyph, Glyph { outline, metric });
            }
        }
        // Glyph numbers that text uses beyond the last glyph must stay without a glyph.
        used.iter().for_each(|glyph| self.glyphs.keep_absent(*glyph));
        Some(())
    }

    /// The `post` table of the merged font: version 2 if there are glyph names, otherwise version 3, which has no
    /// names.
    fn post(&self, lookup: &Lookup<'a>, glyphs: usize) -> Option<Vec<u8>> {
        let mut header = lookup.post?.get(..32)?.to_vec();
        let names: HashMap<u16, &[u8]> = lookup
            .names
            .values()
            .filter_map(|(name, glyph)| match name {
                Name::Itself(name) => Some((*glyph, name.as_slice())),
                Name::Character(_) => None,
            })
            .collect();
        if names.is_empty() {
            header.get_mut(..4)?.copy_from_slice(&[0, 3, 0, 0]);
            return Some(header);
        }
        header.get_mut(..4)?.copy_from_slice(&[0, 2, 0, 0]);
        let macintosh: HashMap<&[u8], u16> =
            DEFAULT_GLYPH_NAMES.iter().map(|name| name.as_bytes()).zip(0..).collect();
        let mut own = Vec::new();
        let mut next = u16::try_from(DEFAULT_GLYPH_NAMES.len()).ok()?;
        header.extend(u16::try_from(glyphs).ok()?.to_be_bytes());
        for glyph in 0..u16::try_from(glyphs).ok()? {
            let name = names.get(&glyph).copied().unwrap_or(b".notdef");
            let index = match macintosh.get(name) {
                Some(index) => *index,
                None => {
                    own.push(u8::try_from(name.len()).ok()?);
                    own.extend_from_slice(name);
                    next = next.checked_add(1)?;
                    next - 1
                }
            };
            header.extend(index.to_be_bytes());
        }
        header.extend(own);
        Some(header)
    }
}

impl Mergeable for Font<'_> {
    fn agrees(&self, other: &Self) -> bool {
        let same = |tag| self.source.table(tag) == other.source.table(tag);
        let alike = |one: &[u8], two: &[u8], places: &[std::ops::Range<usize>]| {
            places.iter().all(|place| one.get(place.clone()) == two.get(place.clone()))
        };
        HINTING_TABLES.into_iter().all(same)
            // In the `OS/2` table, all fields must be equal except averages and the ranges of characters.
            && match (&self.os2, &other.os2) {
                (Some(one), Some(two)) => {
                    one.len() == two.len() && alike(one, two, &[0..2, 4..42, 58..64, 68..78])
                }
                _ => true,
            }
            // In the `head` table, all fields must be equal except revisions, dates, checksums, bounding boxes and the
            // offset format.
            && alike(&self.head, &other.head, &[0..4, 12..20, 44..50, 52..54])
            // In the `hhea` table, all fields must be equal except extremes and counts.
            && alike(&self.hhea, &other.hhea, &[0..10, 18..34])
            && self.maxp.get(..4) == other.maxp.get(..4)
            && self.glyphs.agrees(&other.glyphs)
            && match (&self.simple, &other.simple) {
                (Some(one), Some(other)) => one.agrees(other),
                _ => true,
            }
    }

    fn absorb(&mut self, other: Self) {
        extend(&mut self.head, &other.head, &[36, 38], i16::min);
        extend(&mut self.head, &other.head, &[40, 42], i16::max);
        extend(&mut self.hhea, &other.hhea, &[12, 14], i16::min);
        extend(&mut self.hhea, &other.hhea, &[16], i16::max);
        extend(&mut self.hhea, &other.hhea, &[10], unsigned(u16::max));
        match (&mut self.os2, other.os2) {
            (Some(own), Some(other)) => {
                let characters: Vec<usize> = (42..58).chain(78..86).step_by(2).collect();
                extend(own, &other, &characters, |one, two| one | two);
                extend(own, &other, &[64], unsigned(u16::min));
                extend(own, &other, &[66], unsigned(u16::max));
            }
            (own, other) => *own = own.take().or(other),
        }
        let limits: Vec<usize> = (4..32).step_by(2).collect();
        extend(&mut self.maxp, &other.maxp, &limits, unsigned(u16::max));
        self.glyphs.absorb(other.glyphs);
        if self.notdef.outline.is_empty() {
            self.notdef = other.notdef;
        }
        match (&mut self.simple, other.simple) {
            (Some(own), Some(other)) => own.absorb(other),
            (own, other) => *own = own.take().or(other),
        }
    }

    fn size(&self) -> usize {
        let lookup = self.simple.as_ref().map_or(0, |lookup| lookup.maps.len() + lookup.names.len());
        64 * (self.glyphs.len() + lookup)
    }

    fn write(&self) -> Option<Vec<u8>> {
        let glyphs = usize::from(read::<u16>(&self.maxp, 4)?);
        let mut glyf = Vec::new();
        let mut places = Vec::with_capacity(glyphs + 1);
        let mut metrics = Vec::new();
        let long = self.glyphs.values().next_back().map_or(1, |(glyph, _)| usize::from(*glyph) + 1);
        for number in 0..u16::try_from(glyphs).ok()? {
            places.push(glyf.len());
            let glyph = self.glyphs.get(&number).or((number == 0).then_some(&self.notdef));
            if let Some(glyph) = glyph {
                glyf.extend_from_slice(glyph.outline);
                glyf.resize(glyf.len().next_multiple_of(4), 0);
            }
            let (advance, bearing) = glyph.map_or((0, 0), |glyph| glyph.metric);
            if usize::from(number) < long {
                metrics.extend(advance.to_be_bytes());
            }
            metrics.extend(bearing.to_be_bytes());
        }
        places.push(glyf.len());
        let (loca, short) = loca_table(&places);
        let (mut head, mut hhea) = (self.head.clone(), self.hhea.clone());
        head.get_mut(8..12)?.fill(0);
        head.get_mut(50..52)?.copy_from_slice(&u16::from(!short).to_be_bytes());
        hhea.get_mut(34..36)?.copy_from_slice(&u16::try_from(long).ok()?.to_be_bytes());
        let mut tables: Vec<([u8; 4], Vec<u8>)> = vec![
            (*b"glyf", glyf),
            (*b"loca", loca),
            (*b"head", head),
            (*b"hhea", hhea),
            (*b"hmtx", metrics),
            (*b"maxp", self.maxp.clone()),
        ];
        tables.extend(self.os2.clone().map(|table| (*b"OS/2", table)));
        tables.extend(
            HINTING_TABLES.into_iter().filter_map(|tag| Some((*tag, self.source.table(tag)?.to_vec()))),
        );
        if let Some(lookup) = &self.simple {
            if !lookup.kinds.is_empty() {
                tables.push((*b"cmap", lookup.cmap()?));
            }
            if lookup.post.is_some() {
                tables.push((*b"post", self.post(lookup, glyphs)?));
            }
        }
        Some(assemble(tables))
    }
}

/// Turns a function that chooses from two unsigned numbers into a function on signed numbers with the same bits.
fn unsigned(choose: impl Fn(u16, u16) -> u16) -> impl Fn(i16, i16) -> i16 {
    move |one, two| choose(one.cast_unsigned(), two.cast_unsigned()).cast_signed()
}

/// Combines the 16-bit numbers at these offsets of two tables with `choose`, and writes the results to `own`.
fn extend(own: &mut [u8], other: &[u8], places: &[usize], choose: impl Fn(i16, i16) -> i16) {
    for &at in places {
        if let (Some(one), Some(two)) = (read::<i16>(own, at), read::<i16>(other, at))
            && let Some(slot) = own.get_mut(at..at + 2)
        {
            slot.copy_from_slice(&choose(one, two).to_be_bytes());
        }
    }
}

impl<'a> Lookup<'a> {
    fn parse(font: &TrueType<'a>) -> Option<Self> {
        let mut lookup = Self {
            kinds: BTreeSet::new(),
            maps: Constraints::default(),
            names: Constraints::default(),
            post: font.table(b"post"),
        };
        for map in font.table(b"cmap").map(cmap::read).unwrap_or_else(|| Some(Vec::new()))? {
            let kind = (map.platform, map.encoding);
            if !lookup.kinds.insert(kind) {
                return None;
            }
            for (character, glyph) in map.glyphs {
                lookup.maps.set((map.platform, map.encoding, character), glyph);
            }
        }
        for (glyph, name) in (0_u16..).zip(font.names()?) {
            let name = name?;
            if let Some(character) = character_of_known_name(name) {
                // If several glyphs have a name for the same character, readers use the first of these glyphs.
                lookup.names.set(Name::Character(character), glyph);
            }
            lookup.names.set(Name::Itself(name.to_vec()), glyph);
        }
        Some(lookup)
    }

    /// The glyphs that readers may find for a code; `None` if this is not known. If readers would look for a glyph in a
    /// place and find none, this place is recorded: it must stay empty in the merged font.
    fn record_code(&mut self, used: &UsedCode, symbolic: bool) -> Option<BTreeSet<u16>> {
        if used.has_unknown_name() {
            return None;
        }
        let certain: BTreeSet<u32> = used.character.into_iter().collect();
        let direct = [0, 0xf000, 0xf100, 0xf200].map(|base| base + u32::from(used.code));
        let mut found = BTreeSet::new();
        let mut found_in_all_maps = !self.kinds.is_empty();
        for &(platform, encoding) in &self.kinds {
            let keys = |characters: &BTreeSet<u32>| -> Vec<(u16, u16, u32)> {
                let characters: Vec<u32> = match (platform, encoding) {
                    (1, _) => macintosh_codes(characters).into_iter().map(u32::from).collect(),
                    (3, 0) => Vec::new(),
                    _ => characters.iter().copied().collect(),
                };
                characters.into_iter().map(|character| (platform, encoding, character)).collect()
            };
            let direct = direct.map(|character| (platform, encoding, character));
            let by_character = self.found(&keys(&certain));
            let by_code = self.found(&direct);
            // Some readers use the encoding, others use the code. If the first lookup succeeds in both cases, no reader
            // looks further.
            let here: Vec<u16> = if by_character.is_empty() || symbolic && by_code.is_empty() {
                let all = keys(&used.characters).into_iter().chain(direct);
                all.filter_map(|key| self.maps.require(key).copied()).collect()
            } else {
                by_character.into_iter().chain(by_code.into_iter().filter(|_| symbolic)).collect()
            };
            found_in_all_maps &= !here.is_empty();
            found.extend(here);
        }
        if !found_in_all_maps {
            let characters = used.characters.iter().copied().map(Name::Character);
            for name in characters.chain(used.name.clone().map(Name::Itself)) {
                found.extend(self.names.require(name).copied());
            }
        }
        // If a font has neither a cmap nor glyph names, some readers use the code as a glyph number.
        if found.is_empty() || self.kinds.is_empty() {
            found.insert(used.code.into());
        }
        if !found_in_all_maps {
            found.insert(0);
        }
        Some(found)
    }

    fn found(&self, keys: &[(u16, u16, u32)]) -> Vec<u16> {
        keys.iter().filter_map(|key| self.maps.get(key).copied()).collect()
    }

    fn agrees(&self, other: &Self) -> bool {
        self.kinds == other.kinds && self.maps.agrees(&other.maps) && self.names.agrees(&other.names)
    }

    fn absorb(&mut self, other: Self) {
        self.maps.absorb(other.maps);
        self.names.absorb(other.names);
        self.post = self.post.or(other.post);
    }

    fn cmap(&self) -> Option<Vec<u8>> {
        let mut maps: BTreeMap<(u16, u16), BTreeMap<u32, u16>> =
            self.kinds.iter().map(|kind| (*kind, BTreeMap::new())).collect();
        for (&(platform, encoding, character), &glyph) in self.maps.values() {
            maps.entry((platform, encoding)).or_default().insert(character, glyph);
        }
        let map = |((platform, encoding), glyphs)| cmap::Map { platform, encoding, glyphs };
        cmap::write(maps.into_iter().map(map))
    }
}
