//! Subsets of one TrueType font with the same glyph numbers become one file.

use super::constraints::Claims;
use super::mergeable::Mergeable;
use super::used_codes::{Asked, asked, is_symbolic};
use crate::Job;
use crate::font::bytes::{i16_at, u16_at, u32_at};
use crate::font::characters::{character_of_known_name, macintosh_codes};
use crate::font::cmap;
use crate::font::files::FontUse;
use crate::font::glyphs::truetype_glyphs;
use crate::font::truetype::{TrueType, assemble, offsets};
use lopdf::{Document, Object};
use skrifa::raw::tables::post::DEFAULT_GLYPH_NAMES;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Programs for hinting, and what they work on: glyphs rely on them.
const PROGRAMS: [&[u8; 4]; 3] = [b"cvt ", b"fpgm", b"prep"];

/// A glyph: its outline, its advance and its left side bearing.
#[derive(Clone, Copy)]
struct Glyph<'a> {
    outline: &'a [u8],
    metric: (u16, i16),
}

impl PartialEq for Glyph<'_> {
    /// Outlines may be padded differently.
    fn eq(&self, other: &Self) -> bool {
        let bare = |outline: &'_ [u8]| outline.iter().rposition(|byte| *byte != 0).map_or(0, |at| at + 1);
        self.metric == other.metric
            && self.outline.len().abs_diff(other.outline.len()) < 4
            && self.outline.is_empty() == other.outline.is_empty()
            && self.outline.get(..bare(self.outline)) == other.outline.get(..bare(other.outline))
    }
}

/// A subset, or several together.
pub(super) struct Font<'a> {
    source: TrueType<'a>,
    head: Vec<u8>,
    hhea: Vec<u8>,
    maxp: Vec<u8>,
    os2: Option<Vec<u8>>,
    glyphs: Claims<u16, Glyph<'a>>,
    /// What stands for missing glyphs. Subsets often lack it; unless it is shown, it may be any.
    missing: Glyph<'a>,
    simple: Option<Lookup<'a>>,
}

/// How fonts with codes of one byte find their glyphs.
struct Lookup<'a> {
    /// The platforms and encodings of the character maps.
    kinds: BTreeSet<(u16, u16)>,
    maps: Claims<(u16, u16, u32), u16>,
    names: Claims<Name, u16>,
    post: Option<&'a [u8]>,
}

/// What a glyph can be found by in the `post` table.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Name {
    Itself(Vec<u8>),
    Character(u32),
}

impl<'a> Font<'a> {
    /// Reads a font file and what its fonts ask of it; nothing for what is damaged or not understood.
    pub(super) fn parse(document: &Document, data: &'a [u8], faces: &[FontUse], job: &Job) -> Option<Self> {
        let source = TrueType::parse(data)?;
        let (head, hhea, maxp) = (source.table(b"head")?, source.table(b"hhea")?, source.table(b"maxp")?);
        if head.len() < 54 || hhea.len() < 36 || maxp.len() < 32 {
            return None;
        }
        let mut simple = None;
        let mut used = BTreeSet::new();
        for face in faces {
            job.proceed().ok()?;
            if let Some(descendant) = face.descendant {
                used.extend(truetype_glyphs(document, face, &source)?);
                // Identifiers beyond the end of a map have no glyph.
                let descendant = document.get_dictionary(descendant).ok()?;
                let map = descendant.get_deref(b"CIDToGIDMap", document);
                let has_map = map.and_then(Object::as_stream).is_ok();
                used.extend(has_map.then_some(0));
            } else {
                let symbolic = is_symbolic(document, face);
                let lookup = match &mut simple {
                    Some(lookup) => lookup,
                    slot => slot.insert(Lookup::parse(&source)?),
                };
                for code in asked(document, face)? {
                    used.extend(lookup.ask(&code, symbolic)?);
                }
            }
        }
        if used.iter().any(|glyph| usize::from(*glyph) >= source.glyphs) {
            used.insert(0);
        }
        source.close(&mut used);
        let mut font = Self {
            head: head.to_vec(),
            hhea: hhea.to_vec(),
            maxp: maxp.to_vec(),
            os2: source.table(b"OS/2").map(<[u8]>::to_vec),
            glyphs: Claims::default(),
            missing: Glyph { outline: source.outline(0)?, metric: source.metric(0)? },
            simple,
            source,
        };
        font.claim_glyphs(&used)?;
        Some(font)
    }

    /// A glyph without an outline may be one that was cut away; that it is empty means something only where it is shown.
    fn claim_glyphs(&mut self, used: &BTreeSet<u16>) -> Option<()> {
        for glyph in 0..u16::try_from(self.source.glyphs).ok()? {
            let outline = self.source.outline(glyph)?;
            if used.contains(&glyph) || !outline.is_empty() && glyph != 0 {
                let metric = self.source.metric(glyph)?;
                self.glyphs.note(glyph, Glyph { outline, metric });
            }
        }
        // Those beyond the last glyph show nothing.
        used.iter().for_each(|glyph| self.glyphs.reserve(*glyph));
        Some(())
    }

    /// Glyph numbers with their names, where any have one.
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
        PROGRAMS.into_iter().all(same)
            // All but averages, and what tells which characters there are.
            && match (&self.os2, &other.os2) {
                (Some(one), Some(two)) => {
                    one.len() == two.len() && alike(one, two, &[0..2, 4..42, 58..64, 68..78])
                }
                _ => true,
            }
            // All but revisions, dates, checksums, boxes and the width of offsets.
            && alike(&self.head, &other.head, &[0..4, 12..20, 44..50, 52..54])
            // All but extremes and counts.
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
        if self.missing.outline.is_empty() {
            self.missing = other.missing;
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
        let glyphs = usize::from(u16_at(&self.maxp, 4)?);
        let mut glyf = Vec::new();
        let mut places = Vec::with_capacity(glyphs + 1);
        let mut metrics = Vec::new();
        let long = self.glyphs.values().next_back().map_or(1, |(glyph, _)| usize::from(*glyph) + 1);
        for number in 0..u16::try_from(glyphs).ok()? {
            places.push(glyf.len());
            let glyph = self.glyphs.get(&number).or((number == 0).then_some(&self.missing));
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
        let (loca, short) = offsets(&places);
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
        tables.extend(PROGRAMS.into_iter().filter_map(|tag| Some((*tag, self.source.table(tag)?.to_vec()))));
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

/// A choice among numbers without a sign.
fn unsigned(choose: impl Fn(u16, u16) -> u16) -> impl Fn(i16, i16) -> i16 {
    move |one, two| choose(one.cast_unsigned(), two.cast_unsigned()).cast_signed()
}

/// Makes the numbers at these places hold for both tables.
fn extend(own: &mut [u8], other: &[u8], places: &[usize], choose: impl Fn(i16, i16) -> i16) {
    for &at in places {
        if let (Some(one), Some(two)) = (i16_at(own, at), i16_at(other, at))
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
            maps: Claims::default(),
            names: Claims::default(),
            post: font.table(b"post"),
        };
        for map in font.table(b"cmap").map(cmap::read).unwrap_or_else(|| Some(Vec::new()))? {
            let kind = (map.platform, map.encoding);
            if !lookup.kinds.insert(kind) {
                return None;
            }
            for (character, glyph) in map.glyphs {
                lookup.maps.note((map.platform, map.encoding, character), glyph);
            }
        }
        for (glyph, name) in (0_u16..).zip(lookup.post.map_or(Some(Vec::new()), post_names)?) {
            if let Some(character) = character_of_known_name(name) {
                // Of several glyphs for a character, the first one counts.
                lookup.names.note(Name::Character(character), glyph);
            }
            lookup.names.note(Name::Itself(name.to_vec()), glyph);
        }
        Some(lookup)
    }

    /// The glyphs that readers may find for a code. Wherever they would look without finding one, none may appear.
    fn ask(&mut self, asked: &Asked, symbolic: bool) -> Option<BTreeSet<u16>> {
        if asked.is_riddle() {
            return None;
        }
        let certain: BTreeSet<u32> = asked.character.into_iter().collect();
        let direct = [0, 0xf000, 0xf100, 0xf200].map(|base| base + u32::from(asked.code));
        let mut found = BTreeSet::new();
        let mut everywhere = !self.kinds.is_empty();
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
            // Readers go by the encoding or by the code; where either way ends at once, nobody looks further.
            let here: Vec<u16> = if by_character.is_empty() || symbolic && by_code.is_empty() {
                let all = keys(&asked.characters).into_iter().chain(direct);
                all.filter_map(|key| self.maps.ask(key).copied()).collect()
            } else {
                by_character.into_iter().chain(by_code.into_iter().filter(|_| symbolic)).collect()
            };
            everywhere &= !here.is_empty();
            found.extend(here);
        }
        if !everywhere {
            let characters = asked.characters.iter().copied().map(Name::Character);
            for name in characters.chain(asked.name.clone().map(Name::Itself)) {
                found.extend(self.names.ask(name).copied());
            }
        }
        // What has neither is a glyph number to some readers.
        if found.is_empty() || self.kinds.is_empty() {
            found.insert(asked.code.into());
        }
        if !everywhere {
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

/// The names of all glyphs, in order; nothing for a table of a form that is not known.
fn post_names(post: &[u8]) -> Option<Vec<&[u8]>> {
    match u32_at(post, 0)? {
        0x1_0000 => Some(DEFAULT_GLYPH_NAMES.iter().map(|name| name.as_bytes()).collect()),
        0x2_0000 => {
            let count = usize::from(u16_at(post, 32)?);
            let mut own = Vec::new();
            let mut rest = post.get(34 + count * 2..)?;
            while let Some((length, after)) = rest.split_first() {
                let Some((name, after)) = after.split_at_checked(usize::from(*length)) else { break };
                own.push(name);
                rest = after;
            }
            let name = |glyph: usize| {
                let index = usize::from(u16_at(post, 34 + glyph * 2)?);
                match index.checked_sub(DEFAULT_GLYPH_NAMES.len()) {
                    Some(at) => own.get(at).copied(),
                    None => DEFAULT_GLYPH_NAMES.get(index).map(|name| name.as_bytes()),
                }
            };
            (0..count).map(name).collect()
        }
        0x3_0000 => Some(Vec::new()),
        _ => None,
    }
}
