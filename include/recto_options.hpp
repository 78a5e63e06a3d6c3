/**
 * @file recto_options.hpp
 * The options of each operation, typed. Included by recto.hpp.
 *
 * An option that is not set is not sent, and the service uses its default.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 * Generated from the table of operations: do not edit.
 */
#ifndef RECTO_OPTIONS_HPP
#define RECTO_OPTIONS_HPP

#include <cstdint>
#include <cstdio>
#include <limits>
#include <locale>
#include <optional>
#include <sstream>
#include <string>
#include <type_traits>

namespace recto {

namespace detail {

/** Writes a JSON object, member by member. */
class json_object {
public:
    template <class T>
    void add(const char *name, const std::optional<T> &value) {
        if (value)
            add(name, *value);
    }

    void add(const char *name, const std::string &value) {
        begin(name);
        quote(value);
    }

    template <class T>
    void add(const char *name, const T &value) {
        begin(name);
        if constexpr (std::is_same_v<T, bool>) {
            text_ += value ? "true" : "false";
        } else if constexpr (std::is_enum_v<T>) {
            quote(to_string(value));
        } else if constexpr (std::is_arithmetic_v<T>) {
            std::ostringstream out;
            out.imbue(std::locale::classic());
            out.precision(std::numeric_limits<double>::max_digits10);
            out << value;
            // JSON cannot represent infinity and NaN. As a string, the library refuses them with a message.
            text_ += value == value && value - value == T{} ? out.str() : "\"" + out.str() + "\"";
        } else {
            text_ += value.to_json();
        }
    }

    std::string text() const { return "{" + text_ + "}"; }

private:
    void begin(const char *name) {
        if (!text_.empty())
            text_ += ',';
        quote(name);
        text_ += ':';
    }

    void quote(const std::string &value) {
        text_ += '"';
        for (char letter : value) {
            if (letter == '"' || letter == '\\') {
                text_ += '\\';
                text_ += letter;
            } else if (static_cast<unsigned char>(letter) < 0x20) {
                char escaped[8];
                std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned>(letter));
                text_ += escaped;
            } else {
                text_ += letter;
            }
        }
        text_ += '"';
    }

    std::string text_;
};

} // namespace detail

/** What a document is optimized for. */
enum class profile {
    /** `web`: For the screen: images downsampled, fonts subset, colours RGB, linearized. */
    web,
    /** `archive`: For archiving: lossless, and prepared for conversion to PDF/A. */
    archive,
    /** `print`: For printing: images downsampled less, colours CMYK. */
    print,
    /** `minimalFileSize`: The smallest file: metadata and output intents removed. */
    minimal_file_size,
};

/** The value as the interface spells it. */
inline const char *to_string(profile value) {
    switch (value) {
    case profile::web:
        return "web";
    case profile::archive:
        return "archive";
    case profile::print:
        return "print";
    case profile::minimal_file_size:
        return "minimalFileSize";
    }
    return "";
}

/** The size of a page made from an image. */
enum class page_size {
    /** `a4`: 210 x 297 mm (ISO 216). */
    a4,
    /** `letter`: 8.5 x 11 in. */
    letter,
};

/** The value as the interface spells it. */
inline const char *to_string(page_size value) {
    switch (value) {
    case page_size::a4:
        return "a4";
    case page_size::letter:
        return "letter";
    }
    return "";
}

/** The unit of a length: 1 in = 2.54 cm = 72 points of PDF user space. */
enum class unit {
    /** `cm`: Centimetres. */
    cm,
    /** `in`: Inches. */
    in,
};

/** The value as the interface spells it. */
inline const char *to_string(unit value) {
    switch (value) {
    case unit::cm:
        return "cm";
    case unit::in:
        return "in";
    }
    return "";
}

/** The orientation of the page. An image that is larger than the page is shrunk; a smaller image is not enlarged. The
 * specification is not consistent about upper and lower case: both are read, and the case below is written. */
enum class strategy {
    /** `Auto`: The page is landscape for every image that is wider than high, even if the image would fit on a portrait
     * page. */
    auto_,
    /** `ShrinkToPage`: The page is landscape only if the image must be shrunk, and stays larger on a landscape page. */
    shrink_to_page,
    /** `ShrinkToPortrait`: The page is always portrait. */
    shrink_to_portrait,
};

/** The value as the interface spells it. */
inline const char *to_string(strategy value) {
    switch (value) {
    case strategy::auto_:
        return "Auto";
    case strategy::shrink_to_page:
        return "ShrinkToPage";
    case strategy::shrink_to_portrait:
        return "ShrinkToPortrait";
    }
    return "";
}

/** A PDF/A level. */
enum class conformance {
    /** `pdf_a2_b`: PDF/A-2b (ISO 19005-2): basic archival conformance. */
    pdf_a2_b,
    /** `pdf_a3_b`: PDF/A-3b (ISO 19005-3): the same, and files of any kind may be embedded. */
    pdf_a3_b,
};

/** The value as the interface spells it. */
inline const char *to_string(conformance value) {
    switch (value) {
    case conformance::pdf_a2_b:
        return "pdf_a2_b";
    case conformance::pdf_a3_b:
        return "pdf_a3_b";
    }
    return "";
}

/** The colour space of an image; a PNG cannot be CMYK. */
enum class color_space {
    /** `rgb`: Red, green, blue. */
    rgb,
    /** `gray`: Shades of gray. */
    gray,
    /** `cmyk`: Cyan, magenta, yellow, black. */
    cmyk,
};

/** The value as the interface spells it. */
inline const char *to_string(color_space value) {
    switch (value) {
    case color_space::rgb:
        return "rgb";
    case color_space::gray:
        return "gray";
    case color_space::cmyk:
        return "cmyk";
    }
    return "";
}

/** The colour space of a PNG image. */
enum class png_color_space {
    /** `rgb`: Red, green, blue. */
    rgb,
    /** `gray`: Shades of gray. */
    gray,
};

/** The value as the interface spells it. */
inline const char *to_string(png_color_space value) {
    switch (value) {
    case png_color_space::rgb:
        return "rgb";
    case png_color_space::gray:
        return "gray";
    }
    return "";
}

/** The typeface of a stamp's text. */
enum class font_family {
    /** `sans`: A sans-serif typeface. */
    sans,
    /** `serif`: A serif typeface. */
    serif,
};

/** The value as the interface spells it. */
inline const char *to_string(font_family value) {
    switch (value) {
    case font_family::sans:
        return "sans";
    case font_family::serif:
        return "serif";
    }
    return "";
}

/** The position of a barcode, Data Matrix or QR code: its distance from the left and the bottom edge. */
struct code_margin {
    /** The distance from the left edge, in the margin's unit; may be left out. */
    std::optional<double> left;

    /** The distance from the bottom edge, in the margin's unit; may be left out. */
    std::optional<double> bottom;

    /** The unit of the distances; may be left out. */
    std::optional<recto::unit> unit;

    /** The options as JSON. */
    std::string to_json() const {
        detail::json_object json;
        json.add("left", left);
        json.add("bottom", bottom);
        json.add("unit", unit);
        return json.text();
    }
};

/** The position of a stamp: its distances from edges of the page; centred on an axis without a distance. */
struct margin {
    /** The distance from the top edge, in the margin's unit; may be left out. */
    std::optional<double> top;

    /** The distance from the right edge, in the margin's unit; may be left out. */
    std::optional<double> right;

    /** The distance from the left edge, in the margin's unit; may be left out. */
    std::optional<double> left;

    /** The distance from the bottom edge, in the margin's unit; may be left out. */
    std::optional<double> bottom;

    /** The unit of the distances; may be left out. */
    std::optional<recto::unit> unit;

    /** The options as JSON. */
    std::string to_json() const {
        detail::json_object json;
        json.add("top", top);
        json.add("right", right);
        json.add("left", left);
        json.add("bottom", bottom);
        json.add("unit", unit);
        return json.text();
    }
};

/** A margin of the page, equal on all four sides. */
struct page_margin {
    /** The width of the margin, in its unit. */
    double margin{};

    /** The unit of the margin. */
    recto::unit unit{};

    /** The options as JSON. */
    std::string to_json() const {
        detail::json_object json;
        json.add("margin", margin);
        json.add("unit", unit);
        return json.text();
    }
};

/** The maximum size of an image in pixels; its aspect ratio is kept. */
struct pixel_size {
    /** The maximum width in pixels. */
    std::uint32_t width{};

    /** The maximum height in pixels. */
    std::uint32_t height{};

    /** The options as JSON. */
    std::string to_json() const {
        detail::json_object json;
        json.add("width", width);
        json.add("height", height);
        return json.text();
    }
};

/** The size of a Data Matrix or QR code. */
struct square_size {
    /** The length of a side, in the size's unit; may be left out. */
    std::optional<double> side;

    /** The unit of the size, such as cm or in; may be left out. */
    std::optional<std::string> unit;

    /** The options as JSON. */
    std::string to_json() const {
        detail::json_object json;
        json.add("side", side);
        json.add("unit", unit);
        return json.text();
    }
};

/** The size of a barcode. */
struct stamp_size {
    /** The width, in the size's unit; may be left out. */
    std::optional<double> width;

    /** The height, in the size's unit; may be left out. */
    std::optional<double> height;

    /** The unit of the size, such as cm or in; may be left out. */
    std::optional<std::string> unit;

    /** The options as JSON. */
    std::string to_json() const {
        detail::json_object json;
        json.add("width", width);
        json.add("height", height);
        json.add("unit", unit);
        return json.text();
    }
};

/** The style of a stamp's text. */
struct text_style {
    /** The colour, such as \#c00000 or red; may be left out. */
    std::optional<std::string> text_color;

    /** The typeface; may be left out. */
    std::optional<recto::font_family> font_family;

    /** Bold; may be left out. */
    std::optional<bool> is_bold;

    /** Italic; may be left out. */
    std::optional<bool> is_italic;

    /** The font size; the local service reads it in points; may be left out. */
    std::optional<double> font_size;

    /** The options as JSON. */
    std::string to_json() const {
        detail::json_object json;
        json.add("textColor", text_color);
        json.add("fontFamily", font_family);
        json.add("isBold", is_bold);
        json.add("isItalic", is_italic);
        json.add("fontSize", font_size);
        return json.text();
    }
};

/** Compresses a PDF according to a profile. */
struct optimize_options {
    /** The operation that takes these options. */
    static constexpr const char *operation = "optimize";

    /** What the document is optimized for; the service's default is minimalFileSize. */
    std::optional<recto::profile> profile;

    /** The options as JSON. */
    std::string to_json() const {
        detail::json_object json;
        json.add("profile", profile);
        return json.text();
    }
};

/** Converts a JPEG, PNG or TIFF image to PDF. */
struct image_to_pdf_options {
    /** The operation that takes these options. */
    static constexpr const char *operation = "image-to-pdf";

    /** The page's size; the service's default is a4. */
    std::optional<recto::page_size> page_size;

    /** A margin of the page, equal on all four sides. May be left out. */
    std::optional<recto::page_margin> page_margin;

    /** When the page is landscape; an image larger than the page is shrunk, a smaller image keeps its size; the
     * service's default is Auto. */
    std::optional<recto::strategy> strategy;

    /** The options as JSON. */
    std::string to_json() const {
        detail::json_object json;
        json.add("pageSize", page_size);
        json.add("pageMargin", page_margin);
        json.add("strategy", strategy);
        return json.text();
    }
};

/** Converts a PDF to PDF/A for long-term archiving. */
struct archive_pdfa_options {
    /** The operation that takes these options. */
    static constexpr const char *operation = "archive-pdfa";

    /** The PDF/A level to convert to. */
    recto::conformance conformance{};

    /** The options as JSON. */
    std::string to_json() const {
        detail::json_object json;
        json.add("conformance", conformance);
        return json.text();
    }
};

/** Renders each page as a JPEG image; several images are returned as one zip archive. */
struct pdf_to_jpeg_options {
    /** The operation that takes these options. */
    static constexpr const char *operation = "pdf-to-jpeg";

    /** The image's colour space; the service's default is rgb. */
    std::optional<recto::color_space> color_space;

    /** The quality of compression, 0 (smallest) to 100 (best); the service's default is 85. */
    std::optional<int> jpeg_quality;

    /** The maximum size of an image in pixels; its aspect ratio is kept. May be left out. */
    std::optional<recto::pixel_size> max_size_in_pixels;

    /** The options as JSON. */
    std::string to_json() const {
        detail::json_object json;
        json.add("colorSpace", color_space);
        json.add("jpegQuality", jpeg_quality);
        json.add("maxSizeInPixels", max_size_in_pixels);
        return json.text();
    }
};

/** Renders each page as a PNG image; several images are returned as one zip archive. */
struct pdf_to_png_options {
    /** The operation that takes these options. */
    static constexpr const char *operation = "pdf-to-png";

    /** The image's colour space; the service's default is rgb. */
    std::optional<recto::png_color_space> color_space;

    /** Whether the image has an alpha channel instead of a white background; the service's default is false. */
    std::optional<bool> transparent_background;

    /** The maximum size of an image in pixels; its aspect ratio is kept. May be left out. */
    std::optional<recto::pixel_size> max_size_in_pixels;

    /** The options as JSON. */
    std::string to_json() const {
        detail::json_object json;
        json.add("colorSpace", color_space);
        json.add("transparentBackground", transparent_background);
        json.add("maxSizeInPixels", max_size_in_pixels);
        return json.text();
    }
};

/** Renders each page as a TIFF image in the colours of the page; several images are returned as one zip archive. */
struct pdf_to_tiff_options {
    /** The operation that takes these options. */
    static constexpr const char *operation = "pdf-to-tiff";

    /** The options as JSON. */
    std::string to_json() const {
        detail::json_object json;
        return json.text();
    }
};

/** Renders all pages into one TIFF-F file for fax. */
struct pdf_to_tiff_fax_options {
    /** The operation that takes these options. */
    static constexpr const char *operation = "pdf-to-tiff-fax";

    /** The options as JSON. */
    std::string to_json() const {
        detail::json_object json;
        return json.text();
    }
};

/** Converts a word-processing document to PDF. */
struct doc_to_pdf_options {
    /** The operation that takes these options. */
    static constexpr const char *operation = "doc-to-pdf";

    /** The options as JSON. */
    std::string to_json() const {
        detail::json_object json;
        return json.text();
    }
};

/** Converts a presentation to PDF. */
struct presentation_to_pdf_options {
    /** The operation that takes these options. */
    static constexpr const char *operation = "presentation-to-pdf";

    /** The options as JSON. */
    std::string to_json() const {
        detail::json_object json;
        return json.text();
    }
};

/** Converts a spreadsheet to PDF. */
struct spreadsheet_to_pdf_options {
    /** The operation that takes these options. */
    static constexpr const char *operation = "spreadsheet-to-pdf";

    /** The options as JSON. */
    std::string to_json() const {
        detail::json_object json;
        return json.text();
    }
};

/** Protects a PDF with a password. */
struct encrypt_options {
    /** The operation that takes these options. */
    static constexpr const char *operation = "encrypt";

    /** The password that will open the document; may be left out. */
    std::optional<std::string> password;

    /** The options as JSON. */
    std::string to_json() const {
        detail::json_object json;
        json.add("password", password);
        return json.text();
    }
};

/** Removes the password of a PDF. */
struct decrypt_options {
    /** The operation that takes these options. */
    static constexpr const char *operation = "decrypt";

    /** The document's user or owner password; may be left out. */
    std::optional<std::string> password;

    /** The options as JSON. */
    std::string to_json() const {
        detail::json_object json;
        json.add("password", password);
        return json.text();
    }
};

/** Stamps a text on every page. */
struct stamp_text_options {
    /** The operation that takes these options. */
    static constexpr const char *operation = "stamp-text";

    /** The text. */
    std::string text;

    /** The position of a stamp: its distances from edges of the page; centred on an axis without a distance. May be
     * left out. */
    std::optional<recto::margin> margin;

    /** The style of a stamp's text. May be left out. */
    std::optional<recto::text_style> text_style;

    /** The options as JSON. */
    std::string to_json() const {
        detail::json_object json;
        json.add("text", text);
        json.add("margin", margin);
        json.add("textStyle", text_style);
        return json.text();
    }
};

/** Stamps a text across every page at 45 degrees, half transparent. */
struct stamp_watermark_options {
    /** The operation that takes these options. */
    static constexpr const char *operation = "stamp-watermark";

    /** The text. */
    std::string text;

    /** The position of a stamp: its distances from edges of the page; centred on an axis without a distance. May be
     * left out. */
    std::optional<recto::margin> margin;

    /** The style of a stamp's text. May be left out. */
    std::optional<recto::text_style> text_style;

    /** The options as JSON. */
    std::string to_json() const {
        detail::json_object json;
        json.add("text", text);
        json.add("margin", margin);
        json.add("textStyle", text_style);
        return json.text();
    }
};

/** Stamps a barcode on every page. */
struct stamp_barcode_options {
    /** The operation that takes these options. */
    static constexpr const char *operation = "stamp-barcode";

    /** The position of a barcode, Data Matrix or QR code: its distance from the left and the bottom edge. May be left
     * out. */
    std::optional<recto::code_margin> margin;

    /** The type of barcode, such as code128. */
    std::string type;

    /** The value to encode. */
    std::string value;

    /** The size of a barcode. May be left out. */
    std::optional<recto::stamp_size> stamp_size;

    /** The options as JSON. */
    std::string to_json() const {
        detail::json_object json;
        json.add("margin", margin);
        json.add("type", type);
        json.add("value", value);
        json.add("stampSize", stamp_size);
        return json.text();
    }
};

/** Stamps a Data Matrix symbol on every page. */
struct stamp_data_matrix_options {
    /** The operation that takes these options. */
    static constexpr const char *operation = "stamp-data-matrix";

    /** The position of a barcode, Data Matrix or QR code: its distance from the left and the bottom edge. May be left
     * out. */
    std::optional<recto::code_margin> margin;

    /** The value to encode. */
    std::string value;

    /** The size of a Data Matrix or QR code. May be left out. */
    std::optional<recto::square_size> stamp_size;

    /** The options as JSON. */
    std::string to_json() const {
        detail::json_object json;
        json.add("margin", margin);
        json.add("value", value);
        json.add("stampSize", stamp_size);
        return json.text();
    }
};

/** Stamps a QR code on every page. */
struct stamp_qr_options {
    /** The operation that takes these options. */
    static constexpr const char *operation = "stamp-qr";

    /** The position of a barcode, Data Matrix or QR code: its distance from the left and the bottom edge. May be left
     * out. */
    std::optional<recto::code_margin> margin;

    /** The value to encode. */
    std::string value;

    /** The size of a Data Matrix or QR code. May be left out. */
    std::optional<recto::square_size> stamp_size;

    /** The options as JSON. */
    std::string to_json() const {
        detail::json_object json;
        json.add("margin", margin);
        json.add("value", value);
        json.add("stampSize", stamp_size);
        return json.text();
    }
};

/** Checks a PDF against a version of the standard or a PDF/A level. */
struct validate_options {
    /** The operation that takes these options. */
    static constexpr const char *operation = "validate";

    /** The standard and level to check against, such as pdf13 or pdf_a2_b; may be left out. */
    std::optional<std::string> conformance;

    /** The options as JSON. */
    std::string to_json() const {
        detail::json_object json;
        json.add("conformance", conformance);
        return json.text();
    }
};

/** Compresses a PDF and converts it to PDF/A in one operation. */
struct power_archive_options {
    /** The operation that takes these options. */
    static constexpr const char *operation = "power-archive";

    /** The PDF/A level to convert to, such as pdf_a2_b; may be left out. */
    std::optional<std::string> conformance;

    /** The options as JSON. */
    std::string to_json() const {
        detail::json_object json;
        json.add("conformance", conformance);
        return json.text();
    }
};

} // namespace recto

#endif
