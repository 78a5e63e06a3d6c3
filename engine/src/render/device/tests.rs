//! The device draws the same pixels as hayro's own renderer, and makes each picture once.

use super::{Caches, draw_page};
use crate::Job;
use crate::render::document::{Document, open};
use hayro::hayro_interpret::InterpreterSettings;
use hayro::hayro_interpret::util::TransformExt;
use hayro::hayro_syntax::page::Page;
use hayro::kurbo::Affine;
use hayro::vello_cpu::color::palette::css::WHITE;
use hayro::vello_cpu::{Pixmap, RasterizerSettings, RenderContext, Resources, TargetInit};
use hayro::{RenderCache, RenderSettings, render_into};

const SIDE: u16 = 300;

/// The resources of all pages: a picture with a mask of another size, a stencil, a pattern, two shadings, a soft mask
/// and a graphics state with a transfer function.
const RESOURCES: &str = "<</Font<</F 9 0 R>>/XObject<</Im 5 0 R/St 7 0 R>>/Pattern<</P 8 0 R>>\
    /Shading<</Sf 10 0 R/Sa 11 0 R>>/ExtGState<</Mask<</SMask<</S/Luminosity/G 12 0 R>>>>/Half<</ca .5>>EXTRA>>>>";

/// A document with these contents of pages. `states` are more graphics states.
fn document(contents: &[&str], states: &str) -> Document {
    let stream =
        |dict: &str, data: &str| format!("<<{dict}/Length {}>>stream\n{data}\nendstream", data.len());
    let hex = |values: usize, value: &dyn Fn(usize) -> usize| {
        (0..values).map(|n| format!("{:02x}", value(n) % 256)).collect::<String>() + ">"
    };
    let kids: String = (0..contents.len()).map(|page| format!("{} 0 R ", 20 + 2 * page)).collect();
    let mut objects = vec![
        (1, "<</Type/Catalog/Pages 2 0 R>>".to_owned()),
        (2, format!("<</Type/Pages/Kids[{kids}]/Count {}/MediaBox[0 0 300 300]>>", contents.len())),
        (
            5,
            stream(
                "/Type/XObject/Subtype/Image/Width 40/Height 40/ColorSpace/DeviceRGB/BitsPerComponent 8\
                 /Filter/ASCIIHexDecode/SMask 6 0 R",
                &hex(4800, &|n| n * 7 + n / 120 * 3),
            ),
        ),
        (
            6,
            stream(
                "/Type/XObject/Subtype/Image/Width 20/Height 10/ColorSpace/DeviceGray/BitsPerComponent 8\
                 /Filter/ASCIIHexDecode",
                &hex(200, &|n| n),
            ),
        ),
        (
            7,
            stream(
                "/Type/XObject/Subtype/Image/Width 16/Height 16/ImageMask true/BitsPerComponent 1\
                 /Filter/ASCIIHexDecode",
                &hex(32, &|n| n * 37),
            ),
        ),
        (
            8,
            stream(
                "/PatternType 1/PaintType 1/TilingType 1/BBox[0 0 20 20]/XStep 20/YStep 20\
                 /Resources<</XObject<</Im 5 0 R>>>>",
                "1 0 0 rg 0 0 10 10 re f q 8 0 0 8 10 10 cm /Im Do Q",
            ),
        ),
        (9, "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>".to_owned()),
        (10, "<</ShadingType 1/ColorSpace/DeviceRGB/Domain[0 100 0 100]/Function 13 0 R>>".to_owned()),
        (
            11,
            "<</ShadingType 2/ColorSpace/DeviceRGB/Coords[0 0 100 100]/Extend[true true]\
             /Function<</FunctionType 2/Domain[0 1]/N 1/C0[1 0 0]/C1[0 0 1]>>>>"
                .to_owned(),
        ),
        (
            12,
            stream(
                "/Type/XObject/Subtype/Form/BBox[0 0 300 300]/Group<</S/Transparency/CS/DeviceGray>>",
                ".5 g 0 0 150 300 re f 1 g 150 0 150 300 re f",
            ),
        ),
        (
            13,
            stream(
                "/FunctionType 4/Domain[0 100 0 100]/Range[0 1 0 1 0 1]",
                "{ 100 div exch 100 div dup 2 index mul }",
            ),
        ),
    ];
    for (page, content) in contents.iter().enumerate() {
        let number = 20 + 2 * page;
        let resources = RESOURCES.replace("EXTRA", states);
        let dict = format!("<</Type/Page/Parent 2 0 R/Contents {} 0 R/Resources{resources}>>", number + 1);
        objects.push((number, dict));
        objects.push((number + 1, stream("", content)));
    }
    let mut file = "%PDF-1.7\n".to_owned();
    let mut table = String::new();
    for (number, object) in &objects {
        table += &format!("{number} 1\n{:010} 00000 n \n", file.len());
        file += &format!("{number} 0 obj\n{object}\nendobj\n");
    }
    let start = file.len();
    let end = 20 + 2 * contents.len();
    file += &format!(
        "xref\n0 1\n0000000000 65535 f \n{table}trailer\n<</Size {end}/Root 1 0 R>>\nstartxref\n{start}\n%%EOF\n"
    );
    open(file.as_bytes(), &Job::default()).unwrap()
}

fn painted(scene: &mut RenderContext) -> Vec<u8> {
    scene.flush();
    let mut pixmap = Pixmap::new(SIDE, SIDE);
    let settings = RasterizerSettings { target_init: TargetInit::Clear(WHITE), ..Default::default() };
    scene.render_with(&mut pixmap, &mut Resources::default(), settings);
    pixmap.data_as_u8_slice().to_vec()
}

fn ours<'a>(page: &'a Page<'a>, caches: &Caches<'a>) -> Vec<u8> {
    let mut scene = RenderContext::new(SIDE, SIDE);
    draw_page(page, caches, None, &mut scene, page.initial_transform(true).to_kurbo());
    painted(&mut scene)
}

fn by_hayro(page: &Page<'_>, transform: Affine) -> Vec<u8> {
    let mut scene = RenderContext::new(SIDE, SIDE);
    let (interpreter, settings) = (InterpreterSettings::default(), RenderSettings::default());
    render_into(page, &RenderCache::new(), &interpreter, &settings, &mut scene, transform);
    painted(&mut scene)
}

const EVERYTHING: &str = "q 120 0 0 120 10 10 cm /Im Do Q q 15 0 0 15 140 10 cm /Im Do Q \
    0 0 1 rg q 60 0 0 60 160 10 cm /St Do Q q 5 0 0 5 230 10 cm /St Do Q \
    q /Half gs 60 0 0 60 180 30 cm /St Do Q \
    /Pattern cs /P scn 10 140 130 60 re f 145 140 12 12 re f \
    q 160 140 100 60 re W n 1 0 0 1 160 120 cm /Sf sh Q q 20 220 m 70 290 l 120 220 l W n /Sa sh Q \
    0 g BT /F 24 Tf 130 230 Td (Recto) Tj 1 Tr 0 30 Td (verso) Tj ET \
    q /Mask gs 1 0 0 rg 100 205 100 20 re f 40 0 0 40 220 240 cm /Im Do Q \
    2 w [4 2] 0 d 10 205 m 90 215 l S .1 w [] 0 d 5 5 290 290 re S";

#[test]
fn a_page_is_drawn_as_hayro_draws_it() {
    let document = document(&[EVERYTHING, EVERYTHING], "");
    let caches = Caches::new(document.pixmaps());
    for page in document.pages() {
        let (ours, theirs) = (ours(page, &caches), by_hayro(page, page.initial_transform(true).to_kurbo()));
        let colored = theirs.as_chunks::<4>().0.iter().filter(|pixel| **pixel != [255; 4]).count();
        assert!(colored > 20_000, "{colored} pixels are painted");
        let off = ours.iter().zip(&theirs).filter(|(a, b)| a.abs_diff(**b) > 2).count();
        assert_eq!(off, 0, "values differ");
    }
}

#[test]
fn what_pages_repeat_is_made_once() {
    let repeated = "q 20 0 0 20 0 0 cm /Im Do Q q 20 0 0 20 200 0 cm /Im Do Q \
        /Pattern cs /P scn 0 100 100 60 re f 120 100 100 60 re f \
        q 100 0 100 100 re W n 1 0 0 1 100 0 cm /Sf sh Q q 100 0 100 100 re W n 1 0 0 1 100 0 cm /Sf sh Q";
    let document = document(&[repeated; 5], "");
    let of_first = {
        let caches = Caches::new(document.pixmaps());
        ours(&document.pages()[0], &caches);
        document.pixmaps().made()
    };
    // The picture on the page, the pattern cell, the picture in the cell, the shading.
    assert_eq!(of_first, 4);
    // Caches of other threads share the pictures.
    let caches = Caches::new(document.pixmaps());
    document.pages().iter().for_each(|page| drop(ours(page, &caches)));
    assert_eq!(document.pixmaps().made(), of_first);
}

#[test]
fn a_picture_that_the_clip_hides_is_not_decoded() {
    let document = document(&["q 0 0 50 50 re W n q 100 0 0 100 150 150 cm /Im Do Q Q"], "");
    let caches = Caches::new(document.pixmaps());
    ours(&document.pages()[0], &caches);
    assert_eq!(document.pixmaps().made(), 0);
}

#[test]
fn a_transfer_function_applies_to_a_picture_that_was_drawn_without_it() {
    let states = "/Dark<</TR<</FunctionType 2/Domain[0 1]/N 1/C0[0]/C1[.2]>>>>";
    let content = "q 100 0 0 100 0 0 cm /Im Do Q q /Dark gs 100 0 0 100 150 0 cm /Im Do Q";
    let document = document(&[content], states);
    let caches = Caches::new(document.pixmaps());
    let page = &document.pages()[0];
    let (ours, theirs) = (ours(page, &caches), by_hayro(page, page.initial_transform(true).to_kurbo()));
    assert!(ours.iter().zip(&theirs).all(|(a, b)| a.abs_diff(*b) <= 2), "the pages differ");
}
