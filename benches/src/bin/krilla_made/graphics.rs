//! Documents of images, colours, gradients, transparency and paths.

use super::Outcome;
use super::book::Book;
use krilla::Data;
use krilla::blend::BlendMode;
use krilla::color::{cmyk, luma, rgb, separation};
use krilla::geom::{Path, PathBuilder, Point, Rect, Size, Transform};
use krilla::image::Image;
use krilla::mask::{Mask, MaskType};
use krilla::num::NormalizedF32;
use krilla::paint::{
    Fill, FillRule, LineCap, LineJoin, LinearGradient, Paint, Pattern, RadialGradient, SpreadMethod, Stop,
    Stroke, StrokeDash, SweepGradient,
};
use krilla::surface::Surface;

/// The width and height of the images, in pixels.
const SIDE: u8 = 32;

fn square(x: f32, y: f32, side: f32) -> Outcome<Path> {
    let mut builder = PathBuilder::new();
    builder.push_rect(Rect::from_xywh(x, y, side, side).ok_or("no rectangle")?);
    Ok(builder.finish().ok_or("no path")?)
}

fn star() -> Outcome<Path> {
    let mut builder = PathBuilder::new();
    builder.move_to(200.0, 60.0);
    [(260.0, 240.0), (110.0, 130.0), (290.0, 130.0), (140.0, 240.0)]
        .into_iter()
        .for_each(|(x, y)| builder.line_to(x, y));
    builder.close();
    builder.move_to(100.0, 300.0);
    builder.cubic_to(150.0, 250.0, 250.0, 350.0, 300.0, 300.0);
    Ok(builder.finish().ok_or("no path")?)
}

fn opaque(paint: impl Into<Paint>) -> Fill {
    Fill { paint: paint.into(), ..Fill::default() }
}

fn share(part: f32) -> NormalizedF32 {
    NormalizedF32::new(part).unwrap_or(NormalizedF32::ONE)
}

/// A PNG image with a gradient in each channel.
fn png(color: png::ColorType, depth: png::BitDepth) -> Outcome<Image> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, SIDE.into(), SIDE.into());
    encoder.set_color(color);
    encoder.set_depth(depth);
    if color == png::ColorType::Indexed {
        encoder.set_palette((0..=255).flat_map(|step| [step, 255 - step, step / 2]).collect::<Vec<u8>>());
    }
    let samples = color.samples();
    let mut data = Vec::new();
    for y in 0..SIDE {
        for x in 0..SIDE {
            for sample in 0..samples {
                let value = match sample {
                    0 => x.wrapping_mul(8),
                    1 => y.wrapping_mul(8),
                    _ => x.wrapping_add(y).wrapping_mul(4),
                };
                data.push(value);
                data.extend((depth == png::BitDepth::Sixteen).then_some(value));
            }
        }
    }
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&data)?;
    writer.finish()?;
    Ok(Image::from_png(Data::from(file), false)?)
}

/// A JPEG image.
fn jpeg(color: jpeg_encoder::ColorType, channels: usize) -> Outcome<Image> {
    let mut file = Vec::new();
    let data: Vec<u8> = (0..usize::from(SIDE) * usize::from(SIDE) * channels)
        .map(|at| u8::try_from(at / 7 % 256).unwrap_or_default())
        .collect();
    jpeg_encoder::Encoder::new(&mut file, 90).encode(&data, SIDE.into(), SIDE.into(), color)?;
    Ok(Image::from_jpeg(Data::from(file), false)?)
}

fn show(book: &mut Book, images: Vec<Image>) -> Outcome<()> {
    let size = Size::from_wh(80.0, 80.0).ok_or("no size")?;
    book.page(|leaf| {
        let mut y = 20.0;
        for image in images {
            leaf.figure("A slope of colours", |surface| {
                surface.push_transform(&Transform::from_translate(30.0, y));
                surface.draw_image(image, size);
                surface.pop();
            });
            y += 90.0;
        }
    })
}

pub(crate) fn images(book: &mut Book) -> Outcome<()> {
    let images = vec![
        png(png::ColorType::Grayscale, png::BitDepth::Eight)?,
        png(png::ColorType::Rgb, png::BitDepth::Eight)?,
        png(png::ColorType::Indexed, png::BitDepth::Eight)?,
        jpeg(jpeg_encoder::ColorType::Rgb, 3)?,
        jpeg(jpeg_encoder::ColorType::Luma, 1)?,
    ];
    show(book, images)
}

pub(crate) fn interpolated(book: &mut Book) -> Outcome<()> {
    let pixels = (0..=255).flat_map(|value| [value, 0, 255 - value, 255]).collect::<Vec<u8>>();
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, 16, 16);
    encoder.set_color(png::ColorType::Rgba);
    encoder.write_header()?.write_image_data(&pixels)?;
    show(book, vec![Image::from_png(Data::from(file), true)?])
}

pub(crate) fn alpha(book: &mut Book) -> Outcome<()> {
    let images = vec![
        png(png::ColorType::GrayscaleAlpha, png::BitDepth::Eight)?,
        png(png::ColorType::Rgba, png::BitDepth::Eight)?,
        png(png::ColorType::Rgba, png::BitDepth::Sixteen)?,
        png(png::ColorType::Rgb, png::BitDepth::Sixteen)?,
    ];
    show(book, images)
}

fn stops(translucent: bool) -> Vec<Stop> {
    let colors = [
        (0.1, rgb::Color::new(220, 20, 60)),
        (0.5, rgb::Color::new(250, 250, 210)),
        (0.9, rgb::Color::new(0, 90, 160)),
    ];
    colors
        .into_iter()
        .map(|(offset, color)| Stop {
            offset: share(offset),
            color: color.into(),
            opacity: share(if translucent { offset } else { 1.0 }),
        })
        .collect()
}

pub(crate) fn gradients(book: &mut Book) -> Outcome<()> {
    let linear = LinearGradient {
        x1: 20.0,
        y1: 20.0,
        x2: 180.0,
        y2: 120.0,
        transform: Transform::from_rotate_at(20.0, 100.0, 70.0),
        spread_method: SpreadMethod::Pad,
        stops: stops(false),
        anti_alias: true,
    };
    let radial = RadialGradient {
        fx: 90.0,
        fy: 260.0,
        fr: 4.0,
        cx: 100.0,
        cy: 280.0,
        cr: 70.0,
        transform: Transform::identity(),
        spread_method: SpreadMethod::Pad,
        stops: stops(false),
        anti_alias: false,
    };
    let (first, second) = (square(20.0, 20.0, 160.0)?, square(20.0, 200.0, 160.0)?);
    let face = book.face(0);
    book.page(|leaf| {
        leaf.figure("Gradients", |surface| {
            surface.set_fill(Some(opaque(linear.clone())));
            surface.draw_path(&first);
            surface.set_fill(Some(opaque(radial)));
            surface.draw_path(&second);
            surface.set_fill(Some(opaque(linear)));
            face.set(surface, 48.0, (20.0, 430.0), "Gradient");
        });
    })
}

/// A repeated sweep gradient, for which krilla writes a PostScript function.
pub(crate) fn sweep(book: &mut Book) -> Outcome<()> {
    let sweep = SweepGradient {
        cx: 100.0,
        cy: 100.0,
        start_angle: 10.0,
        end_angle: 200.0,
        transform: Transform::identity(),
        spread_method: SpreadMethod::Repeat,
        stops: stops(false),
        anti_alias: false,
    };
    let path = square(20.0, 20.0, 160.0)?;
    book.page(|leaf| {
        leaf.figure("A swept gradient", |surface| {
            surface.set_fill(Some(opaque(sweep)));
            surface.draw_path(&path);
        });
    })
}

pub(crate) fn blending(book: &mut Book) -> Outcome<()> {
    let (large, small) = (square(20.0, 20.0, 200.0)?, square(120.0, 120.0, 200.0)?);
    let translucent = LinearGradient {
        x1: 120.0,
        y1: 0.0,
        x2: 320.0,
        y2: 0.0,
        transform: Transform::identity(),
        spread_method: SpreadMethod::Pad,
        stops: stops(true),
        anti_alias: false,
    };
    book.page(|leaf| {
        leaf.figure("Translucent squares", |surface| {
            surface.set_fill(Some(Fill { opacity: share(0.4), ..opaque(rgb::Color::new(255, 0, 0)) }));
            surface.draw_path(&large);
            for mode in [BlendMode::Multiply, BlendMode::Luminosity, BlendMode::ColorDodge] {
                surface.push_blend_mode(mode);
                surface.set_fill(Some(opaque(luma::Color::new(120))));
                surface.draw_path(&small);
                surface.pop();
            }
            surface.push_isolated();
            surface.push_opacity(share(0.5));
            surface.set_fill(Some(opaque(translucent)));
            surface.draw_path(&small);
            surface.pop();
            surface.pop();
        });
        leaf.figure("Masked squares", |surface| {
            for kind in [MaskType::Alpha, MaskType::Luminosity] {
                let mask = Mask::new(stream(surface, &small), kind);
                surface.push_mask(mask);
                surface.set_fill(Some(opaque(rgb::Color::new(0, 0, 200))));
                surface.draw_path(&large);
                surface.pop();
            }
        });
    })
}

fn stream(surface: &mut Surface<'_>, path: &Path) -> krilla::stream::Stream {
    let mut builder = surface.stream_builder();
    let mut inner = builder.surface();
    inner.set_fill(Some(opaque(rgb::Color::new(230, 180, 10))));
    inner.draw_path(path);
    inner.finish();
    builder.finish()
}

pub(crate) fn paths(book: &mut Book) -> Outcome<()> {
    let (path, clip) = (star()?, square(120.0, 80.0, 150.0)?);
    book.page(|leaf| {
        leaf.figure("Stars", |surface| {
            let dash = StrokeDash { array: vec![7.0, 3.0, 0.5], offset: 2.0 };
            let ends = [
                (LineCap::Butt, LineJoin::Miter, None),
                (LineCap::Round, LineJoin::Round, Some(dash.clone())),
                (LineCap::Square, LineJoin::Bevel, Some(dash)),
            ];
            for (turn, (line_cap, line_join, dash)) in (0_u8..).zip(ends) {
                surface.push_transform(&Transform::from_rotate_at(f32::from(turn) * 15.0, 200.0, 200.0));
                surface.set_fill(Some(Fill { rule: FillRule::EvenOdd, ..opaque(luma::Color::new(200)) }));
                surface.set_stroke(Some(Stroke {
                    paint: rgb::Color::new(10, 100, 10 + turn).into(),
                    width: 0.3 + 4.0 * f32::from(turn),
                    line_cap,
                    line_join,
                    dash,
                    ..Stroke::default()
                }));
                surface.draw_path(&path);
                surface.pop();
            }
            // Many nested clips: PDF/A allows at most 28 nested graphics states.
            for _ in 0..24 {
                surface.push_clip_path(&clip, &FillRule::NonZero);
            }
            surface.draw_path(&path);
            for _ in 0..24 {
                surface.pop();
            }
        });
    })
}

pub(crate) fn patterns(book: &mut Book) -> Outcome<()> {
    let (tile, area) = (square(2.0, 3.0, 9.0)?, square(30.0, 30.0, 300.0)?);
    book.page(|leaf| {
        leaf.figure("A pattern", |surface| {
            let pattern = Pattern {
                stream: stream(surface, &tile),
                transform: Transform::from_rotate_at(30.0, 7.0, 8.0),
                width: 15.0,
                height: 14.0,
            };
            surface.set_fill(Some(opaque(pattern)));
            surface.draw_path(&area);
        });
    })
}

pub(crate) fn spots(book: &mut Book) -> Outcome<()> {
    use separation::{Color, SeparationColorant, SeparationSpace};
    let spaces = [
        (SeparationColorant::Custom("Grün (matt) #7".to_owned()), rgb::Color::new(0, 160, 80)),
        (SeparationColorant::AllColorants, rgb::Color::new(0, 0, 0)),
        (SeparationColorant::NoColorant, rgb::Color::new(255, 255, 255)),
    ];
    let squares = [square(20.0, 20.0, 90.0)?, square(120.0, 20.0, 90.0)?, square(220.0, 20.0, 90.0)?];
    book.page(|leaf| {
        leaf.figure("Spot colours", |surface| {
            for ((colorant, color), path) in spaces.into_iter().zip(&squares) {
                let space = SeparationSpace::new(colorant, color.into());
                for tint in [255, 120] {
                    surface
                        .set_fill(Some(opaque(krilla::color::Color::from(Color::new(tint, space.clone())))));
                    surface.draw_path(path);
                }
            }
        });
    })
}

pub(crate) fn cmyk(book: &mut Book) -> Outcome<()> {
    let (path, image) = (square(20.0, 20.0, 90.0)?, jpeg(jpeg_encoder::ColorType::Cmyk, 4)?);
    let size = Size::from_wh(80.0, 80.0).ok_or("no size")?;
    let face = book.face(1);
    book.page(|leaf| {
        leaf.figure("Process colours", |surface| {
            surface.set_fill(Some(opaque(cmyk::Color::new(200, 30, 0, 10))));
            surface.draw_path(&path);
            surface.push_transform(&Transform::from_translate(20.0, 130.0));
            surface.draw_image(image, size);
            surface.pop();
            surface.set_fill(Some(opaque(cmyk::Color::new(0, 0, 0, 255))));
            let text = "Black";
            let at = Point::from_xy(20.0, 260.0);
            surface.draw_glyphs(at, &face.glyphs(text), face.font.clone(), text, 30.0, false);
        });
    })
}
