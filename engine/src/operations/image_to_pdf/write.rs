//! Writes pictures into a PDF. Each picture keeps its original coding, or is compressed by a lossless filter.

use super::layout::{DEFAULT_DENSITY, PageSetup, Placement};
use crate::raster::ccitt::{self, Coding, Scheme};
use crate::raster::{Color, Data, Density, Picture, Transparency, deflate_rows, is_plain_rgb_jpeg};
use crate::{EngineError, Job};
use pdf_writer::types::Predictor;
use pdf_writer::writers::ImageXObject;
use pdf_writer::{Content, Filter, Finish, Name, Pdf, Rect, Ref, Str, TextStr};

/// A PDF that is written page by page.
pub(super) struct Writer {
    pdf: Pdf,
    setup: PageSetup,
    last: Ref,
    pages: Vec<Ref>,
}

const CATALOG: Ref = Ref::new(1);
const PAGE_TREE: Ref = Ref::new(2);
const INFORMATION: Ref = Ref::new(3);

/// The encoded samples of an image.
struct EncodedImage {
    bytes: Vec<u8>,
    encoding: Encoding,
}

enum Encoding {
    PngRows,
    Jpeg { plain_rgb: bool },
    Ccitt(Coding),
}

impl Writer {
    pub fn new(setup: PageSetup) -> Self {
        let mut pdf = Pdf::new();
        pdf.set_version(1, 7);
        Self { pdf, setup, last: INFORMATION, pages: Vec::new() }
    }

    fn next(&mut self) -> Ref {
        self.last.bump();
        self.last
    }

    /// Adds a page that shows the picture.
    pub fn page(&mut self, picture: Picture<'_>, job: &Job) -> Result<(), EngineError> {
        let placement = self.placement(&picture);
        let [a, b, c, d, e, f] = picture.orientation.matrix();
        let (width, height) = (placement.width as f32, placement.height as f32);
        let mut content = Content::new();
        content.transform([width, 0.0, 0.0, height, placement.x as f32, placement.y as f32]);
        if [a, b, c, d, e, f] != [1.0, 0.0, 0.0, 1.0, 0.0, 0.0] {
            content.transform([a, b, c, d, e, f]);
        }
        content.x_object(Name(b"Im0"));
        let content = content.finish();
        let image = self.image(picture, job)?;
        let (page, stream) = (self.next(), self.next());
        self.pdf.stream(stream, &content);
        let mut writer = self.pdf.page(page);
        writer.parent(PAGE_TREE).contents(stream);
        writer.media_box(Rect::new(0.0, 0.0, placement.page_width as f32, placement.page_height as f32));
        writer.resources().x_objects().pair(Name(b"Im0"), image);
        writer.finish();
        self.pages.push(page);
        let limit = job.limits().output_bytes;
        if self.pdf.len() as u64 > limit {
            return Err(EngineError::limit("output size", format!("{limit} bytes")));
        }
        Ok(())
    }

    fn placement(&self, picture: &Picture<'_>) -> Placement {
        let density = picture.density.unwrap_or(Density { x: DEFAULT_DENSITY, y: DEFAULT_DENSITY });
        let (width, height) =
            (f64::from(picture.width) / density.x * 72.0, f64::from(picture.height) / density.y * 72.0);
        if picture.orientation.swaps_axes() {
            self.setup.place(height, width)
        } else {
            self.setup.place(width, height)
        }
    }

    /// Writes an image with its ICC profile and its alpha channel.
    fn image(&mut self, picture: Picture<'_>, job: &Job) -> Result<Ref, EngineError> {
        let Picture { width, height, data, color, profile, bits, inverted, transparency, .. } = picture;
        // The profile of an indexed image describes its colour table, which is RGB.
        let components = if matches!(color, Color::Indexed(_)) { 3 } else { color.channels() };
        let profile = profile.map(|profile| self.profile(&profile, components)).transpose()?;
        let alpha = match &transparency {
            Transparency::Alpha { bits, rows } => Some(self.alpha(width, height, *bits, rows, job)?),
            _ => None,
        };
        let encoded = encode(data, width, &color, bits, inverted, job)?;
        let id = self.next();
        let mut image = self.pdf.image_xobject(id, &encoded.bytes);
        image.width(pixels(width)).height(pixels(height)).bits_per_component(bits.into());
        write_color(&mut image, &color, bits, profile);
        if inverted && !matches!(encoded.encoding, Encoding::Ccitt(_)) {
            image.decode((0..color.channels()).flat_map(|_| [1.0, 0.0]));
        }
        match transparency {
            Transparency::Key(key) => {
                image.color_mask(key.into_iter().flat_map(|sample| [i32::from(sample), i32::from(sample)]));
            }
            _ => {
                if let Some(alpha) = alpha {
                    image.s_mask(alpha);
                }
            }
        }
        encoded.encoding.write(&mut image, width, height, color.channels(), bits);
        image.finish();
        Ok(id)
    }

    fn alpha(
        &mut self,
        width: u32,
        height: u32,
        bits: u8,
        rows: &[u8],
        job: &Job,
    ) -> Result<Ref, EngineError> {
        let bytes = deflate_rows(rows, width, 1, bits, job)?;
        let id = self.next();
        let mut mask = self.pdf.image_xobject(id, &bytes);
        mask.width(pixels(width)).height(pixels(height)).bits_per_component(bits.into());
        mask.color_space().device_gray();
        Encoding::PngRows.write(&mut mask, width, height, 1, bits);
        mask.finish();
        Ok(id)
    }

    fn profile(&mut self, profile: &[u8], channels: u8) -> Result<Ref, EngineError> {
        use std::io::Write;
        let mut deflated = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
        let written = deflated.write_all(profile).and_then(|()| deflated.finish());
        let bytes = written.map_err(|error| EngineError::Internal(error.to_string()))?;
        let id = self.next();
        self.pdf.icc_profile(id, &bytes).n(channels.into()).filter(Filter::FlateDecode);
        Ok(id)
    }

    /// The finished document.
    pub fn finish(mut self) -> Vec<u8> {
        self.pdf.catalog(CATALOG).pages(PAGE_TREE);
        let count = i32::try_from(self.pages.len()).unwrap_or(i32::MAX);
        self.pdf.pages(PAGE_TREE).kids(self.pages.iter().copied()).count(count);
        self.pdf.document_info(INFORMATION).producer(TextStr(concat!("Recto ", env!("CARGO_PKG_VERSION"))));
        self.pdf.finish()
    }
}

/// A number of pixels as an integer of a PDF. Images with too many pixels for such an integer have been refused before.
fn pixels(count: u32) -> i32 {
    i32::try_from(count).unwrap_or(i32::MAX)
}

fn encode(
    data: Data<'_>,
    width: u32,
    color: &Color,
    bits: u8,
    inverted: bool,
    job: &Job,
) -> Result<EncodedImage, EngineError> {
    Ok(match data {
        Data::PngRows(bytes) => EncodedImage { bytes, encoding: Encoding::PngRows },
        Data::Jpeg(file) => {
            let plain_rgb = is_plain_rgb_jpeg(&file);
            EncodedImage { bytes: file.into_owned(), encoding: Encoding::Jpeg { plain_rgb } }
        }
        Data::Ccitt(bytes, coding) => {
            EncodedImage { bytes: bytes.into_owned(), encoding: Encoding::Ccitt(coding) }
        }
        Data::Rows(rows) => {
            let deflated = deflate_rows(&rows, width, color.channels(), bits, job)?;
            if bits == 1 && *color == Color::Gray {
                group4_if_smaller(rows, width, inverted, deflated)
            } else {
                EncodedImage { bytes: deflated, encoding: Encoding::PngRows }
            }
        }
    })
}

/// Encodes bilevel rows as Group 4. Returns the deflated rows instead if these are smaller. Group 4 is usually smaller
/// for scans, but not for halftones.
fn group4_if_smaller(mut rows: Vec<u8>, width: u32, inverted: bool, deflated: Vec<u8>) -> EncodedImage {
    // The encoder expects 1 for black. Inverted rows have 1 for black already.
    if !inverted {
        rows.iter_mut().for_each(|byte| *byte = !*byte);
    }
    let group4 = ccitt::encode_group4(&rows, width);
    if group4.len() >= deflated.len() {
        return EncodedImage { bytes: deflated, encoding: Encoding::PngRows };
    }
    let coding =
        Coding { scheme: Scheme::Group4, end_of_line: false, byte_aligned: false, black_is_1: false };
    EncodedImage { bytes: group4, encoding: Encoding::Ccitt(coding) }
}

impl Encoding {
    /// Writes the filter of an image and the parameters of the filter.
    fn write(&self, image: &mut ImageXObject<'_>, width: u32, height: u32, channels: u8, bits: u8) {
        match self {
            Self::PngRows => {
                image.filter(Filter::FlateDecode);
                let mut parameters = image.decode_parms();
                parameters.predictor(Predictor::PngOptimum).columns(pixels(width));
                parameters.colors(channels.into()).bits_per_component(bits.into());
            }
            Self::Jpeg { plain_rgb } => {
                image.filter(Filter::DctDecode);
                if *plain_rgb {
                    image.decode_parms().color_transform(false);
                }
            }
            Self::Ccitt(coding) => {
                image.filter(Filter::CcittFaxDecode);
                let mut parameters = image.decode_parms();
                parameters.k(match coding.scheme {
                    Scheme::Group3 => 0,
                    Scheme::Group3TwoDimensional => 1,
                    Scheme::Group4 => -1,
                });
                parameters.columns(pixels(width)).rows(pixels(height)).black_is_1(coding.black_is_1);
                if coding.end_of_line {
                    parameters.end_of_line(true);
                }
                if coding.byte_aligned {
                    parameters.encoded_byte_align(true);
                }
                if coding.scheme != Scheme::Group4 {
                    parameters.end_of_block(false);
                }
            }
        }
    }
}

fn write_color(image: &mut ImageXObject<'_>, color: &Color, bits: u8, profile: Option<Ref>) {
    const D50: [f32; 3] = [0.9642, 1.0, 0.8249];
    const D65: [f32; 3] = [0.9505, 1.0, 1.089];
    match (color, profile) {
        (Color::Indexed(table), profile) => write_indexed(image, bits, table, profile),
        (_, Some(profile)) => image.color_space().icc_based(profile),
        (Color::Gray, None) => image.color_space().device_gray(),
        (Color::Rgb, None) => image.color_space().device_rgb(),
        (Color::Cmyk, None) => image.color_space().device_cmyk(),
        (Color::Lab, None) => image.color_space().lab(D50, None, Some([-128.0, 127.0, -128.0, 127.0])),
        (Color::CalGray { gamma }, None) => image.color_space().cal_gray(D65, None, Some(*gamma)),
        (Color::CalRgb { gamma, white, matrix }, None) => {
            image.color_space().cal_rgb(*white, None, Some([*gamma; 3]), Some(*matrix));
        }
    }
}

fn write_indexed(image: &mut ImageXObject<'_>, bits: u8, table: &[u8], profile: Option<Ref>) {
    let colors = (1_usize << bits).min(table.len() / 3).max(1);
    let mut space = image.insert(Name(b"ColorSpace")).array();
    space.item(Name(b"Indexed"));
    match profile {
        Some(profile) => space.push().array().item(Name(b"ICCBased")).item(profile).finish(),
        None => {
            space.item(Name(b"DeviceRGB"));
        }
    }
    space.item(i32::try_from(colors - 1).unwrap_or(u8::MAX.into()));
    space.item(Str(table.get(..colors * 3).unwrap_or(table)));
}
