//! Surveys the content that pages show. The survey walks content streams, forms, patterns, masks, annotations and Type
//! 3 glyphs with the current transformation and clip rectangle, and records the images, fonts and resources in use.

use super::encoding::differences;
use super::forms::default_resources;
use super::geometry::{EVERYWHERE, NOWHERE, UNIT, extent, inverse, is_empty, mapped};
use super::lexer::{Lexer, Operand, Operation};
use super::resources::CATEGORIES;
use super::usage::{CategoryDict, ImageUse, Usage};
use crate::document::{Budget, decode, number, page_contents, pages, rectangle, resolved};
use crate::{EngineError, Job};
use kurbo::{Affine, Point, Rect};
use lopdf::{Dictionary, Document, Object, ObjectId};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;

/// The maximum number of operations in a survey. The operations of a form count each time the form is walked.
const MAX_OPERATIONS: u64 = 40_000_000;
/// The maximum nesting of content streams. This bound limits the use of the stack.
const MAX_DEPTH: usize = 48;
/// The number of operations after which the survey checks again whether the job may continue.
const CHECK_INTERVAL: u64 = 4096;

/// Surveys a document.
///
/// # Errors
/// A limit was exceeded, or the job was cancelled.
pub(crate) fn survey(document: &Document, budget: &Budget, job: &Job) -> Result<Usage, EngineError> {
    let mut walk = Walk {
        document,
        budget,
        job,
        usage: Usage::default(),
        page: Resources { dict: None, location: None },
        form: Resources { dict: default_resources(document), location: None },
        callers: Vec::new(),
        contents: HashMap::new(),
        seen: HashSet::new(),
        operations: 0,
    };
    let pages = pages(document, job.limits())?;
    for (done, page) in pages.iter().enumerate() {
        walk.page(*page)?;
        job.progress(done, pages.len());
    }
    Ok(walk.usage)
}

/// The resources of a content stream, and the place where the resources are stored.
#[derive(Clone, Copy)]
struct Resources<'a> {
    dict: Option<&'a Dictionary>,
    location: Option<ResourceLocation>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum ResourceLocation {
    /// The resources are this indirect object.
    Object(ObjectId),
    /// The resources are a direct entry of this page, form, pattern or font.
    InOwner(ObjectId),
}

/// The parts of the graphics state that the survey needs, which `q` saves.
#[derive(Clone)]
struct State {
    ctm: Affine,
    clip: Rect,
    font: Option<ObjectId>,
    font_size: f64,
    horizontal: f64,
    /// Whether text is invisible (rendering mode 3).
    invisible_text: bool,
}

impl State {
    fn at(ctm: Affine, clip: Rect) -> Self {
        Self { ctm, clip, font: None, font_size: 1.0, horizontal: 1.0, invisible_text: false }
    }
}

/// A content stream, and the state in which it was walked. Walking the same stream again in the same state would find
/// nothing new.
#[derive(PartialEq, Eq, Hash)]
struct Visit {
    content: ObjectId,
    location: Option<ResourceLocation>,
    place: [i64; 10],
    font: Option<ObjectId>,
    invisible_text: bool,
}

struct Walk<'a> {
    document: &'a Document,
    budget: &'a Budget,
    job: &'a Job,
    usage: Usage,
    /// The resources of the current page.
    page: Resources<'a>,
    /// The default resources of the document's interactive form.
    form: Resources<'a>,
    /// The resources of the calling content streams, the outermost first.
    callers: Vec<Resources<'a>>,
    contents: HashMap<ObjectId, Rc<[u8]>>,
    seen: HashSet<Visit>,
    operations: u64,
}

impl<'a> Walk<'a> {
    fn page(&mut self, page: ObjectId) -> Result<(), EngineError> {
        let document = self.document;
        let Ok(dict) = document.get_dictionary(page) else { return Ok(()) };
        let (resources, location) = inherited_resources(document, page);
        let unit = dict
            .get(b"UserUnit")
            .ok()
            .and_then(|value| number(document, value))
            .filter(|unit| *unit > 0.0)
            .unwrap_or(1.0);
        let base = Affine::scale(unit);
        let boxed = |key| {
            crate::document::inherited(document, page, key).and_then(|value| rectangle(document, value))
        };
        let media = boxed(b"MediaBox").unwrap_or(EVERYWHERE);
        let seen = boxed(b"CropBox").map_or(media, |crop| crop.intersect(media));
        let clip = if is_empty(seen) { EVERYWHERE } else { mapped(seen, base) };

        let mut content = Vec::new();
        for id in page_contents(document, page) {
            content.extend_from_slice(&self.content(id)?);
            content.push(b'\n');
        }
        let resources = Resources { dict: resources, location };
        self.page = resources;
        self.run(&content, resources, State::at(base, clip), 0)?;
        self.annotations(dict, base)
    }

    fn annotations(&mut self, page: &'a Dictionary, base: Affine) -> Result<(), EngineError> {
        let document = self.document;
        let Ok(list) = page.get_deref(b"Annots", document).and_then(Object::as_array) else { return Ok(()) };
        for annotation in list {
            let Some(dict) = resolved(document, annotation).and_then(|object| object.as_dict().ok()) else {
                continue;
            };
            let rect = dict.get(b"Rect").ok().and_then(|value| rectangle(document, value));
            let Ok(appearances) = dict.get_deref(b"AP", document).and_then(Object::as_dict) else { continue };
            let mut forms = Vec::new();
            for (_, value) in appearances {
                match resolved(document, value) {
                    Some(Object::Stream(_)) => forms.extend(stream_id(document, value)),
                    Some(Object::Dictionary(states)) => {
                        forms.extend(states.iter().filter_map(|(_, value)| stream_id(document, value)));
                    }
                    _ => {}
                }
            }
            for form in forms {
                let fit = rect.and_then(|rect| self.fit(form, rect)).unwrap_or(Affine::IDENTITY);
                self.form(
                    form,
                    Resources { dict: None, location: None },
                    State::at(base * fit, EVERYWHERE),
                    1,
                )?;
            }
        }
        Ok(())
    }

    /// The transformation that fits an appearance into the rectangle of its annotation (ISO 32000-1, 12.5.5). `None` if
    /// the appearance or the rectangle is empty.
    fn fit(&self, form: ObjectId, rect: Rect) -> Option<Affine> {
        let dict = &self.document.get_object(form).ok()?.as_stream().ok()?.dict;
        let bounds = rectangle(self.document, dict.get(b"BBox").ok()?)?;
        let bounds = mapped(bounds, matrix_of(self.document, dict, b"Matrix"));
        if is_empty(bounds) || is_empty(rect) {
            return None;
        }
        let (x, y) = (rect.width() / bounds.width(), rect.height() / bounds.height());
        Some(Affine::new([x, 0.0, 0.0, y, rect.x0 - bounds.x0 * x, rect.y0 - bounds.y0 * y]))
    }

    /// The decoded content of a stream. If the stream cannot be decoded, the content is empty, and the survey is marked
    /// as incomplete.
    fn content(&mut self, id: ObjectId) -> Result<Rc<[u8]>, EngineError> {
        if let Some(content) = self.contents.get(&id) {
            return Ok(Rc::clone(content));
        }
        let mut plain = Vec::new();
        match self.document.get_object(id).and_then(Object::as_stream) {
            Ok(stream) => match decode(self.document, stream, self.budget)? {
                Some(decoded) if decoded.codec.is_none() => {
                    plain = decoded.data;
                    self.usage.contents.insert(id);
                }
                _ => self.usage.incomplete = true,
            },
            Err(_) => self.usage.incomplete = true,
        }
        let content: Rc<[u8]> = plain.into();
        self.contents.insert(id, Rc::clone(&content));
        Ok(content)
    }

    /// Walks a form XObject in the graphics state of the content stream that draws the form. `outer` are the resources
    /// of this content stream.
    fn form(
        &mut self,
        id: ObjectId,
        outer: Resources<'a>,
        mut state: State,
        depth: usize,
    ) -> Result<(), EngineError> {
        let document = self.document;
        let Ok(stream) = document.get_object(id).and_then(Object::as_stream) else { return Ok(()) };
        state.ctm *= matrix_of(document, &stream.dict, b"Matrix");
        if let Some(bounds) = stream.dict.get(b"BBox").ok().and_then(|value| rectangle(document, value)) {
            state.clip = state.clip.intersect(mapped(bounds, state.ctm));
        }
        let resources = own_resources(document, id, &stream.dict).unwrap_or(outer);
        self.callers.push(outer);
        let walked = self.visit(id, resources, state, depth);
        self.callers.pop();
        walked
    }

    /// Walks a content stream, unless the same stream was already walked in the same state.
    fn visit(
        &mut self,
        id: ObjectId,
        resources: Resources<'a>,
        state: State,
        depth: usize,
    ) -> Result<(), EngineError> {
        if depth > MAX_DEPTH {
            self.usage.incomplete = true;
            return Ok(());
        }
        #[expect(clippy::cast_possible_truncation, reason = "saturates as intended")]
        let round = |value: f64| (value * 1024.0) as i64;
        let [a, b, c, d, e, f] = state.ctm.as_coeffs().map(round);
        let Rect { x0, y0, x1, y1 } = state.clip;
        let [x0, y0, x1, y1] = [x0, y0, x1, y1].map(round);
        let place = [a, b, c, d, e, f, x0, y0, x1, y1];
        if self.seen.insert(Visit {
            content: id,
            location: resources.location,
            place,
            font: state.font,
            invisible_text: state.invisible_text,
        }) {
            let content = self.content(id)?;
            self.run(&content, resources, state, depth)?;
        }
        Ok(())
    }

    /// Walks the operations of a content stream.
    fn run(
        &mut self,
        content: &[u8],
        resources: Resources<'a>,
        state: State,
        depth: usize,
    ) -> Result<(), EngineError> {
        self.record_categories(resources);
        let mut run = Run {
            base: state.ctm,
            state,
            saved: Vec::new(),
            path: NOWHERE,
            clipping: false,
            text: Affine::IDENTITY,
        };
        for operation in Lexer::new(content) {
            self.operations += 1;
            if self.operations.is_multiple_of(CHECK_INTERVAL) {
                self.job.proceed()?;
            }
            if self.operations > MAX_OPERATIONS {
                self.usage.incomplete = true;
                return Ok(());
            }
            self.execute(&operation, resources, &mut run, depth)?;
        }
        Ok(())
    }

    fn execute(
        &mut self,
        operation: &Operation<'_>,
        resources: Resources<'a>,
        run: &mut Run,
        depth: usize,
    ) -> Result<(), EngineError> {
        let operands = &operation.operands;
        if run.apply_graphics_operator(operation.operator, operands) {
            return Ok(());
        }
        let last_name = operands.last().and_then(Operand::name);
        match operation.operator {
            b"Do" => {
                if let Some((id, object)) = self.find_resource(resources, b"XObject", last_name) {
                    self.xobject(id, object, resources, run, depth)?;
                }
            }
            b"gs" => {
                if let Some((_, object)) = self.find_resource(resources, b"ExtGState", last_name) {
                    self.graphics_state(object, resources, run, depth)?;
                }
            }
            b"Tf" => {
                let name = operands.first().and_then(Operand::name);
                let size = operands.last().and_then(Operand::number).unwrap_or(1.0);
                run.state.font_size = size;
                run.state.font = None;
                if let Some((id, _)) = self.find_resource(resources, b"Font", name) {
                    run.state.font = id;
                    self.usage.has_direct_font |= id.is_none();
                }
            }
            b"Tj" | b"'" | b"\"" => {
                if let Some(Operand::String(text)) = operands.last() {
                    self.show_text(text, resources, run, depth)?;
                }
            }
            b"TJ" => {
                if let Some(Operand::Array(items)) = operands.first() {
                    // `TJ` uses the font even if its array contains no string.
                    self.show_text(&[], resources, run, depth)?;
                    for item in items {
                        if let Operand::String(text) = item {
                            self.show_text(text, resources, run, depth)?;
                        }
                    }
                }
            }
            b"cs" | b"CS" => {
                self.find_resource(resources, b"ColorSpace", last_name);
            }
            b"scn" | b"SCN" => self.pattern(last_name, resources, run, depth)?,
            b"sh" => {
                self.find_resource(resources, b"Shading", last_name);
            }
            b"BDC" | b"DP" => {
                self.find_resource(resources, b"Properties", operands.get(1).and_then(Operand::name));
            }
            b"BI" => {
                if let Some(Operand::Dictionary(entries)) = operands.first() {
                    let space =
                        entries.iter().find(|(key, _)| matches!(key.as_slice(), b"CS" | b"ColorSpace"));
                    self.find_resource(resources, b"ColorSpace", space.and_then(|(_, value)| value.name()));
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn pattern(
        &mut self,
        name: Option<&[u8]>,
        resources: Resources<'a>,
        run: &Run,
        depth: usize,
    ) -> Result<(), EngineError> {
        let Some((Some(id), Object::Stream(pattern))) = self.find_resource(resources, b"Pattern", name)
        else {
            return Ok(());
        };
        let matrix = run.base * matrix_of(self.document, &pattern.dict, b"Matrix");
        let own = own_resources(self.document, id, &pattern.dict).unwrap_or(resources);
        self.visit(id, own, State::at(matrix, EVERYWHERE), depth + 1)
    }

    fn xobject(
        &mut self,
        id: Option<ObjectId>,
        object: &'a Object,
        resources: Resources<'a>,
        run: &Run,
        depth: usize,
    ) -> Result<(), EngineError> {
        let (Some(id), Object::Stream(stream)) = (id, object) else { return Ok(()) };
        match stream.dict.get(b"Subtype").and_then(Object::as_name) {
            Ok(b"Image") => self.image(id, run.state.ctm, run.state.clip),
            _ => self.form(id, resources, run.state.clone(), depth + 1)?,
        }
        Ok(())
    }

    fn image(&mut self, id: ObjectId, ctm: Affine, clip: Rect) {
        if !ctm.is_finite() {
            return;
        }
        let (width, height) = extent(ctm);
        let unclipped = clip.intersect(mapped(UNIT, ctm));
        let visible = match inverse(ctm) {
            Some(_) if is_empty(unclipped) => NOWHERE,
            Some(back) => UNIT.intersect(mapped(unclipped, back)),
            None => UNIT,
        };
        let shown =
            self.usage.images.entry(id).or_insert(ImageUse { width: 0.0, height: 0.0, visible: NOWHERE });
        shown.width = shown.width.max(width);
        shown.height = shown.height.max(height);
        shown.visible = shown.visible.union(visible);
    }

    fn graphics_state(
        &mut self,
        object: &'a Object,
        resources: Resources<'a>,
        run: &mut Run,
        depth: usize,
    ) -> Result<(), EngineError> {
        let document = self.document;
        let Ok(dict) = object.as_dict() else { return Ok(()) };
        if let Ok([font, size]) =
            dict.get_deref(b"Font", document).and_then(Object::as_array).map(Vec::as_slice)
        {
            run.state.font = font.as_reference().ok();
            run.state.font_size = number(document, size).unwrap_or(1.0);
        }
        let group = dict
            .get_deref(b"SMask", document)
            .and_then(Object::as_dict)
            .ok()
            .and_then(|mask| stream_id(document, mask.get(b"G").ok()?));
        if let Some(group) = group {
            let state = State { clip: EVERYWHERE, ..run.state.clone() };
            self.form(group, resources, state, depth + 1)?;
        }
        Ok(())
    }

    fn show_text(
        &mut self,
        text: &[u8],
        resources: Resources<'a>,
        run: &Run,
        depth: usize,
    ) -> Result<(), EngineError> {
        let Some(font) = run.state.font else { return Ok(()) };
        self.usage.fonts.entry(font).or_default().add_text(text);
        if !run.state.invisible_text {
            self.usage.painted_fonts.insert(font);
        }
        let Ok(dict) = self.document.get_dictionary(font) else { return Ok(()) };
        if dict.get(b"Subtype").and_then(Object::as_name).is_ok_and(|kind| kind == b"Type3") {
            self.type3_glyphs(font, dict, text, resources, run, depth)?;
        }
        Ok(())
    }

    /// Walks the glyphs of a Type 3 font that a string shows, at the size at which they appear on the page.
    fn type3_glyphs(
        &mut self,
        font: ObjectId,
        dict: &'a Dictionary,
        text: &[u8],
        outer: Resources<'a>,
        run: &Run,
        depth: usize,
    ) -> Result<(), EngineError> {
        let document = self.document;
        let Ok(glyphs) = dict.get_deref(b"CharProcs", document).and_then(Object::as_dict) else {
            return Ok(());
        };
        let resources = own_resources(document, font, dict).unwrap_or(outer);
        let size = run.state.font_size;
        let scale = Affine::scale_non_uniform(size * run.state.horizontal, size);
        let place = run.state.ctm * run.text * scale * matrix_of(document, dict, b"FontMatrix");
        let state = State::at(place.with_translation((0.0, 0.0).into()), EVERYWHERE);
        let encoding = dict.get_deref(b"Encoding", document).and_then(Object::as_dict).ok();
        let Some(names) = encoding.map_or_else(|| Some(BTreeMap::new()), |dict| differences(document, dict))
        else {
            // It is not known which glyphs the codes show.
            self.usage.incomplete = true;
            return Ok(());
        };
        let codes: HashSet<u8> = text.iter().copied().collect();
        for code in codes {
            let glyph = names
                .get(&code)
                .and_then(|name| glyphs.get(name).ok())
                .and_then(|value| stream_id(document, value));
            if let Some(glyph) = glyph {
                self.visit(glyph, resources, state.clone(), depth + 1)?;
            }
        }
        Ok(())
    }

    /// Finds a named resource, and records its use. If a form XObject lacks a resource, readers look for the resource
    /// in the calling content streams. If the appearance of a field lacks a resource, readers look for the resource in
    /// the default resources of the interactive form.
    fn find_resource(
        &mut self,
        resources: Resources<'a>,
        category: &[u8],
        name: Option<&[u8]>,
    ) -> Option<(Option<ObjectId>, &'a Object)> {
        let name = name?;
        if let Some(found) = self.find_in(resources, category, name) {
            return Some(found);
        }
        let others: Vec<Resources<'a>> =
            self.callers.iter().rev().copied().chain([self.page, self.form]).collect();
        others.into_iter().find_map(|place| self.find_in(place, category, name))
    }

    fn find_in(
        &mut self,
        resources: Resources<'a>,
        category: &[u8],
        name: &[u8],
    ) -> Option<(Option<ObjectId>, &'a Object)> {
        let value = resources.dict?.get(category).ok()?;
        if let Some(category_dict) = category_dict_of(resources, category, value) {
            self.usage.names.entry(category_dict).or_default().insert(name.to_vec());
        }
        let entry = resolved(self.document, value)?.as_dict().ok()?.get(name).ok()?;
        let (id, object) = self.document.dereference(entry).ok()?;
        Some((id, object))
    }

    /// Records all categories of a resource dictionary. Resources without a recorded use are then known to be unused.
    fn record_categories(&mut self, resources: Resources<'a>) {
        for category in CATEGORIES {
            if let Some(value) = resources.dict.and_then(|dict| dict.get(category).ok())
                && let Some(category_dict) = category_dict_of(resources, category, value)
            {
                self.usage.names.entry(category_dict).or_default();
            }
        }
    }
}

/// The state during the walk through a content stream.
struct Run {
    state: State,
    saved: Vec<State>,
    /// The transformation at the start of the content stream. The matrices of patterns are relative to this
    /// transformation.
    base: Affine,
    /// The bounds of the path under construction.
    path: Rect,
    clipping: bool,
    text: Affine,
}

/// The maximum number of saved graphics states. Further states are not saved.
const MAX_SAVED: usize = 512;

impl Run {
    /// Applies an operator that changes the graphics state or the path. Returns `false` for other operators.
    fn apply_graphics_operator(&mut self, operator: &[u8], operands: &[Operand]) -> bool {
        match operator {
            b"q" => {
                if self.saved.len() < MAX_SAVED {
                    self.saved.push(self.state.clone());
                }
            }
            b"Q" => {
                if let Some(state) = self.saved.pop() {
                    self.state = state;
                }
            }
            b"cm" => {
                if let Some(matrix) = matrix(operands) {
                    self.state.ctm *= matrix;
                }
            }
            b"m" | b"l" | b"c" | b"v" | b"y" => {
                let numbers: Vec<f64> = operands.iter().filter_map(Operand::number).collect();
                for pair in numbers.chunks_exact(2) {
                    if let [x, y] = *pair {
                        self.path = self.path.union_pt(self.state.ctm * Point::new(x, y));
                    }
                }
            }
            b"re" => {
                let numbers: Vec<f64> = operands.iter().filter_map(Operand::number).collect();
                if let [x, y, width, height] = *numbers.as_slice() {
                    for corner in [(x, y), (x + width, y), (x, y + height), (x + width, y + height)] {
                        self.path = self.path.union_pt(self.state.ctm * Point::from(corner));
                    }
                }
            }
            b"W" | b"W*" => self.clipping = true,
            b"n" | b"f" | b"F" | b"f*" | b"S" | b"s" | b"B" | b"B*" | b"b" | b"b*" => {
                if self.clipping {
                    self.state.clip = self.state.clip.intersect(self.path);
                }
                self.clipping = false;
                self.path = NOWHERE;
            }
            b"BT" => self.text = Affine::IDENTITY,
            b"Tr" => {
                let mode = operands.last().and_then(Operand::number);
                self.state.invisible_text = mode.is_some_and(|mode| mode == 3.0);
            }
            b"Tm" => {
                if let Some(matrix) = matrix(operands) {
                    self.text = matrix;
                }
            }
            b"Tz" => {
                if let Some(percent) = operands.last().and_then(Operand::number) {
                    self.state.horizontal = percent / 100.0;
                }
            }
            _ => return false,
        }
        true
    }
}

fn matrix(operands: &[Operand]) -> Option<Affine> {
    let numbers: Vec<f64> = operands.iter().filter_map(Operand::number).collect();
    Some(Affine::new(numbers.try_into().ok()?)).filter(Affine::is_finite)
}

fn matrix_of(document: &Document, dict: &Dictionary, key: &[u8]) -> Affine {
    let numbers = || -> Option<Affine> {
        let items = dict.get_deref(key, document).and_then(Object::as_array).ok()?;
        let numbers: Vec<f64> = items.iter().map(|item| number(document, item)).collect::<Option<_>>()?;
        Some(Affine::new(numbers.try_into().ok()?))
    };
    numbers().unwrap_or(Affine::IDENTITY)
}

/// The identifier of the stream that an object refers to; `None` if the object is not a reference to a stream.
fn stream_id(document: &Document, object: &Object) -> Option<ObjectId> {
    let (id, object) = document.dereference(object).ok()?;
    matches!(object, Object::Stream(_)).then_some(id).flatten()
}

/// The resources of a page tree node, form, pattern or font itself; `None` if it has no valid entry `Resources`.
fn own_resources<'a>(document: &'a Document, owner: ObjectId, dict: &'a Dictionary) -> Option<Resources<'a>> {
    let value = dict.get(b"Resources").ok()?;
    let (id, object) = document.dereference(value).ok()?;
    let location = id.map_or(ResourceLocation::InOwner(owner), ResourceLocation::Object);
    Some(Resources { dict: Some(object.as_dict().ok()?), location: Some(location) })
}

/// The resources of a page, and the place where they are stored: the page's own resources, or else the resources that
/// the page inherits.
fn inherited_resources(
    document: &Document,
    page: ObjectId,
) -> (Option<&Dictionary>, Option<ResourceLocation>) {
    let mut id = page;
    for _ in 0..256 {
        let Ok(node) = document.get_dictionary(id) else { break };
        if let Some(found) = own_resources(document, id, node) {
            return (found.dict, found.location);
        }
        match node.get(b"Parent").and_then(Object::as_reference) {
            Ok(parent) => id = parent,
            Err(_) => break,
        }
    }
    (None, None)
}

/// The place where the dictionary of a resource category is stored; `None` if the place of the resources is not known.
fn category_dict_of(resources: Resources<'_>, category: &[u8], value: &Object) -> Option<CategoryDict> {
    if let Object::Reference(id) = value {
        return Some(CategoryDict::Object(*id));
    }
    Some(match resources.location? {
        ResourceLocation::Object(id) => CategoryDict::InResources(id, category.to_vec()),
        ResourceLocation::InOwner(id) => CategoryDict::InOwner(id, category.to_vec()),
    })
}
