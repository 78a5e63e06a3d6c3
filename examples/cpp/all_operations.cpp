// Every operation with typed options: all_operations FOLDER. The folder has the sample documents; results go there,
// too.
//
//     c++ -std=c++17 all_operations.cpp $(pkg-config --cflags --libs recto) -o all_operations
#include <iostream>
#include <recto.hpp>

static int failures = 0;

template <class Options>
static void run(const recto::client &client, const std::filesystem::path &document, const Options &options) {
    std::string name = Options::operation;
    try {
        recto::operation operation = client.start(document, options);
        recto::result result = operation.wait();
        if (result.validation)
            std::cout << name << ": " << (result.validation->is_conforming.value_or(false) ? "conforms\n" : "does not conform\n");
        else {
            // The service's name is not trusted: only its extension is used.
            std::filesystem::path extension = std::filesystem::path(result.output->name.value()).extension();
            std::filesystem::path target = document.parent_path() / (name + extension.string());
            std::cout << name << ": " << operation.save(target).string() << "\n";
        }
    } catch (const recto::error &error) {
        std::cout << name << ": FAILED, " << error.what() << "\n";
        failures++;
    }
}

int main(int count, char **arguments) {
    std::filesystem::path folder = count > 1 ? arguments[1] : ".", report = folder / "report.pdf";
    recto::client client;
    recto::code_margin corner{1, 1, recto::unit::cm};
    recto::text_style style{"#c00000", recto::font_family::serif, true, false, 24.0};
    recto::square_size square{2.5, "cm"};

    run(client, report, recto::optimize_options{recto::profile::web});
    run(client, folder / "scan.png",
        recto::image_to_pdf_options{recto::page_size::a4, recto::page_margin{1.5, recto::unit::cm}, recto::strategy::auto_});
    run(client, report, recto::archive_pdfa_options{recto::conformance::pdf_a2_b});
    run(client, report, recto::pdf_to_jpeg_options{recto::color_space::gray, 70, recto::pixel_size{400, 400}});
    run(client, report, recto::pdf_to_png_options{recto::png_color_space::rgb, true, recto::pixel_size{400, 400}});
    run(client, report, recto::pdf_to_tiff_options{});
    run(client, report, recto::pdf_to_tiff_fax_options{});
    run(client, folder / "letter.txt", recto::doc_to_pdf_options{});
    run(client, folder / "slides.odp", recto::presentation_to_pdf_options{});
    run(client, folder / "table.csv", recto::spreadsheet_to_pdf_options{});
    run(client, report, recto::encrypt_options{"correct horse"});
    run(client, folder / "encrypt.pdf", recto::decrypt_options{"correct horse"});
    run(client, report, recto::stamp_text_options{"DRAFT", recto::margin{1, {}, 1, {}, recto::unit::cm}, style});
    run(client, report, recto::stamp_watermark_options{"CONFIDENTIAL", {}, style});
    run(client, report, recto::stamp_barcode_options{corner, "code128", "4711", recto::stamp_size{5, 1.5, "cm"}});
    run(client, report, recto::stamp_data_matrix_options{corner, "4711", square});
    run(client, report, recto::stamp_qr_options{corner, "https://example.com", square});
    run(client, report, recto::validate_options{"pdf17"});
    run(client, report, recto::power_archive_options{"pdf_a2_b"});
    return failures > 0;
}
