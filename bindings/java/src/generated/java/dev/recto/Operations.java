// Generated from bindings/operations.json by bindings/generate/java.py: do not edit.
package dev.recto;

import dev.recto.options.ArchivePdfAOptions;
import dev.recto.options.DecryptOptions;
import dev.recto.options.DocToPdfOptions;
import dev.recto.options.EncryptOptions;
import dev.recto.options.ImageToPdfOptions;
import dev.recto.options.OperationOptions;
import dev.recto.options.OptimizeOptions;
import dev.recto.options.PdfToJpegOptions;
import dev.recto.options.PdfToPngOptions;
import dev.recto.options.PdfToTiffFaxOptions;
import dev.recto.options.PdfToTiffOptions;
import dev.recto.options.PowerArchiveOptions;
import dev.recto.options.PresentationToPdfOptions;
import dev.recto.options.SpreadsheetToPdfOptions;
import dev.recto.options.StampBarcodeOptions;
import dev.recto.options.StampDataMatrixOptions;
import dev.recto.options.StampQrOptions;
import dev.recto.options.StampTextOptions;
import dev.recto.options.StampWatermarkOptions;
import dev.recto.options.ValidateOptions;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;

/** The operations of the service: each method starts one, and first uploads the document if necessary. */
public interface Operations {
    /**
     * Starts an operation.
     *
     * @param source the document
     * @param options the options, whose class determines the operation
     * @param settings settings of this call
     * @return the started operation
     */
    Operation start(Source source, OperationOptions options, CallOption... settings);

    /**
     * {@link #start} in the background.
     *
     * @param source the document
     * @param options the options, whose class determines the operation
     * @param settings settings of this call
     * @return a future of the started operation
     */
    CompletableFuture<Operation> startAsync(Source source, OperationOptions options, CallOption... settings);

    /**
     * Compresses a PDF according to a profile. Takes .pdf. The result is a file: .pdf.
     *
     * @param source a local file
     * @param options the options
     * @param settings settings of this call
     * @return the started operation
     */
    default Operation optimize(Path source, OptimizeOptions options, CallOption... settings) {
        return start(Source.of(source), options, settings);
    }

    /**
     * Compresses a PDF according to a profile. Takes .pdf. The result is a file: .pdf.
     *
     * @param source the document
     * @param options the options
     * @param settings settings of this call
     * @return the started operation
     */
    default Operation optimize(Source source, OptimizeOptions options, CallOption... settings) {
        return start(source, options, settings);
    }

    /**
     * Compresses a PDF according to a profile. Takes .pdf. The result is a file: .pdf.
     *
     * @param source a local file
     * @param settings settings of this call
     * @return the started operation
     */
    default Operation optimize(Path source, CallOption... settings) {
        return start(Source.of(source), OptimizeOptions.builder().build(), settings);
    }

    /**
     * Compresses a PDF according to a profile. Takes .pdf. The result is a file: .pdf.
     *
     * @param source the document
     * @param settings settings of this call
     * @return the started operation
     */
    default Operation optimize(Source source, CallOption... settings) {
        return start(source, OptimizeOptions.builder().build(), settings);
    }

    /**
     * Starts optimize in the background. Compresses a PDF according to a profile. Takes .pdf. The result is a file:
     * .pdf.
     *
     * @param source a local file
     * @param options the options
     * @param settings settings of this call
     * @return a future of the operation
     */
    default CompletableFuture<Operation> optimizeAsync(Path source, OptimizeOptions options, CallOption... settings) {
        return startAsync(Source.of(source), options, settings);
    }

    /**
     * Starts optimize in the background. Compresses a PDF according to a profile. Takes .pdf. The result is a file:
     * .pdf.
     *
     * @param source the document
     * @param options the options
     * @param settings settings of this call
     * @return a future of the operation
     */
    default CompletableFuture<Operation> optimizeAsync(Source source, OptimizeOptions options, CallOption... settings) {
        return startAsync(source, options, settings);
    }

    /**
     * Starts optimize in the background. Compresses a PDF according to a profile. Takes .pdf. The result is a file:
     * .pdf.
     *
     * @param source a local file
     * @param settings settings of this call
     * @return a future of the operation
     */
    default CompletableFuture<Operation> optimizeAsync(Path source, CallOption... settings) {
        return startAsync(Source.of(source), OptimizeOptions.builder().build(), settings);
    }

    /**
     * Starts optimize in the background. Compresses a PDF according to a profile. Takes .pdf. The result is a file:
     * .pdf.
     *
     * @param source the document
     * @param settings settings of this call
     * @return a future of the operation
     */
    default CompletableFuture<Operation> optimizeAsync(Source source, CallOption... settings) {
        return startAsync(source, OptimizeOptions.builder().build(), settings);
    }

    /**
     * Converts a JPEG, PNG or TIFF image to PDF. Takes .jpg, .jpeg, .png, .tif, .tiff. The result is a file: .pdf.
     *
     * @param source a local file
     * @param options the options
     * @param settings settings of this call
     * @return the started operation
     */
    default Operation imageToPdf(Path source, ImageToPdfOptions options, CallOption... settings) {
        return start(Source.of(source), options, settings);
    }

    /**
     * Converts a JPEG, PNG or TIFF image to PDF. Takes .jpg, .jpeg, .png, .tif, .tiff. The result is a file: .pdf.
     *
     * @param source the document
     * @param options the options
     * @param settings settings of this call
     * @return the started operation
     */
    default Operation imageToPdf(Source source, ImageToPdfOptions options, CallOption... settings) {
        return start(source, options, settings);
    }

    /**
     * Converts a JPEG, PNG or TIFF image to PDF. Takes .jpg, .jpeg, .png, .tif, .tiff. The result is a file: .pdf.
     *
     * @param source a local file
     * @param settings settings of this call
     * @return the started operation
     */
    default Operation imageToPdf(Path source, CallOption... settings) {
        return start(Source.of(source), ImageToPdfOptions.builder().build(), settings);
    }

    /**
     * Converts a JPEG, PNG or TIFF image to PDF. Takes .jpg, .jpeg, .png, .tif, .tiff. The result is a file: .pdf.
     *
     * @param source the document
     * @param settings settings of this call
     * @return the started operation
     */
    default Operation imageToPdf(Source source, CallOption... settings) {
        return start(source, ImageToPdfOptions.builder().build(), settings);
    }

    /**
     * Starts image-to-pdf in the background. Converts a JPEG, PNG or TIFF image to PDF. Takes .jpg, .jpeg, .png, .tif,
     * .tiff. The result is a file: .pdf.
     *
     * @param source a local file
     * @param options the options
     * @param settings settings of this call
     * @return a future of the operation
     */
    default CompletableFuture<Operation> imageToPdfAsync(
            Path source, ImageToPdfOptions options, CallOption... settings) {
        return startAsync(Source.of(source), options, settings);
    }

    /**
     * Starts image-to-pdf in the background. Converts a JPEG, PNG or TIFF image to PDF. Takes .jpg, .jpeg, .png, .tif,
     * .tiff. The result is a file: .pdf.
     *
     * @param source the document
     * @param options the options
     * @param settings settings of this call
     * @return a future of the operation
     */
    default CompletableFuture<Operation> imageToPdfAsync(
            Source source, ImageToPdfOptions options, CallOption... settings) {
        return startAsync(source, options, settings);
    }

    /**
     * Starts image-to-pdf in the background. Converts a JPEG, PNG or TIFF image to PDF. Takes .jpg, .jpeg, .png, .tif,
     * .tiff. The result is a file: .pdf.
     *
     * @param source a local file
     * @param settings settings of this call
     * @return a future of the operation
     */
    default CompletableFuture<Operation> imageToPdfAsync(Path source, CallOption... settings) {
        return startAsync(Source.of(source), ImageToPdfOptions.builder().build(), settings);
    }

    /**
     * Starts image-to-pdf in the background. Converts a JPEG, PNG or TIFF image to PDF. Takes .jpg, .jpeg, .png, .tif,
     * .tiff. The result is a file: .pdf.
     *
     * @param source the document
     * @param settings settings of this call
     * @return a future of the operation
     */
    default CompletableFuture<Operation> imageToPdfAsync(Source source, CallOption... settings) {
        return startAsync(source, ImageToPdfOptions.builder().build(), settings);
    }

    /**
     * Converts a PDF to PDF/A for long-term archiving. Takes .pdf. The result is a file: .pdf.
     *
     * @param source a local file
     * @param options the options
     * @param settings settings of this call
     * @return the started operation
     */
    default Operation archivePdfa(Path source, ArchivePdfAOptions options, CallOption... settings) {
        return start(Source.of(source), options, settings);
    }

    /**
     * Converts a PDF to PDF/A for long-term archiving. Takes .pdf. The result is a file: .pdf.
     *
     * @param source the document
     * @param options the options
     * @param settings settings of this call
     * @return the started operation
     */
    default Operation archivePdfa(Source source, ArchivePdfAOptions options, CallOption... settings) {
        return start(source, options, settings);
    }

    /**
     * Starts archive-pdfa in the background. Converts a PDF to PDF/A for long-term archiving. Takes .pdf. The result is
     * a file: .pdf.
     *
     * @param source a local file
     * @param options the options
     * @param settings settings of this call
     * @return a future of the operation
     */
    default CompletableFuture<Operation> archivePdfaAsync(
            Path source, ArchivePdfAOptions options, CallOption... settings) {
        return startAsync(Source.of(source), options, settings);
    }

    /**
     * Starts archive-pdfa in the background. Converts a PDF to PDF/A for long-term archiving. Takes .pdf. The result is
     * a file: .pdf.
     *
     * @param source the document
     * @param options the options
     * @param settings settings of this call
     * @return a future of the operation
     */
    default CompletableFuture<Operation> archivePdfaAsync(
            Source source, ArchivePdfAOptions options, CallOption... settings) {
        return startAsync(source, options, settings);
    }

    /**
     * Renders each page as a JPEG image; several images are returned as one zip archive. Takes .pdf. The result is a
     * file: .jpg or .zip.
     *
     * @param source a local file
     * @param options the options
     * @param settings settings of this call
     * @return the started operation
     */
    default Operation pdfToJpeg(Path source, PdfToJpegOptions options, CallOption... settings) {
        return start(Source.of(source), options, settings);
    }

    /**
     * Renders each page as a JPEG image; several images are returned as one zip archive. Takes .pdf. The result is a
     * file: .jpg or .zip.
     *
     * @param source the document
     * @param options the options
     * @param settings settings of this call
     * @return the started operation
     */
    default Operation pdfToJpeg(Source source, PdfToJpegOptions options, CallOption... settings) {
        return start(source, options, settings);
    }

    /**
     * Renders each page as a JPEG image; several images are returned as one zip archive. Takes .pdf. The result is a
     * file: .jpg or .zip.
     *
     * @param source a local file
     * @param settings settings of this call
     * @return the started operation
     */
    default Operation pdfToJpeg(Path source, CallOption... settings) {
        return start(Source.of(source), PdfToJpegOptions.builder().build(), settings);
    }

    /**
     * Renders each page as a JPEG image; several images are returned as one zip archive. Takes .pdf. The result is a
     * file: .jpg or .zip.
     *
     * @param source the document
     * @param settings settings of this call
     * @return the started operation
     */
    default Operation pdfToJpeg(Source source, CallOption... settings) {
        return start(source, PdfToJpegOptions.builder().build(), settings);
    }

    /**
     * Starts pdf-to-jpeg in the background. Renders each page as a JPEG image; several images are returned as one zip
     * archive. Takes .pdf. The result is a file: .jpg or .zip.
     *
     * @param source a local file
     * @param options the options
     * @param settings settings of this call
     * @return a future of the operation
     */
    default CompletableFuture<Operation> pdfToJpegAsync(Path source, PdfToJpegOptions options, CallOption... settings) {
        return startAsync(Source.of(source), options, settings);
    }

    /**
     * Starts pdf-to-jpeg in the background. Renders each page as a JPEG image; several images are returned as one zip
     * archive. Takes .pdf. The result is a file: .jpg or .zip.
     *
     * @param source the document
     * @param options the options
     * @param settings settings of this call
     * @return a future of the operation
     */
    default CompletableFuture<Operation> pdfToJpegAsync(
            Source source, PdfToJpegOptions options, CallOption... settings) {
        return startAsync(source, options, settings);
    }

    /**
     * Starts pdf-to-jpeg in the background. Renders each page as a JPEG image; several images are returned as one zip
     * archive. Takes .pdf. The result is a file: .jpg or .zip.
     *
     * @param source a local file
     * @param settings settings of this call
     * @return a future of the operation
     */
    default CompletableFuture<Operation> pdfToJpegAsync(Path source, CallOption... settings) {
        return startAsync(Source.of(source), PdfToJpegOptions.builder().build(), settings);
    }

    /**
     * Starts pdf-to-jpeg in the background. Renders each page as a JPEG image; several images are returned as one zip
     * archive. Takes .pdf. The result is a file: .jpg or .zip.
     *
     * @param source the document
     * @param settings settings of this call
     * @return a future of the operation
     */
    default CompletableFuture<Operation> pdfToJpegAsync(Source source, CallOption... settings) {
        return startAsync(source, PdfToJpegOptions.builder().build(), settings);
    }

    /**
     * Renders each page as a PNG image; several images are returned as one zip archive. Takes .pdf. The result is a
     * file: .png or .zip.
     *
     * @param source a local file
     * @param options the options
     * @param settings settings of this call
     * @return the started operation
     */
    default Operation pdfToPng(Path source, PdfToPngOptions options, CallOption... settings) {
        return start(Source.of(source), options, settings);
    }

    /**
     * Renders each page as a PNG image; several images are returned as one zip archive. Takes .pdf. The result is a
     * file: .png or .zip.
     *
     * @param source the document
     * @param options the options
     * @param settings settings of this call
     * @return the started operation
     */
    default Operation pdfToPng(Source source, PdfToPngOptions options, CallOption... settings) {
        return start(source, options, settings);
    }

    /**
     * Renders each page as a PNG image; several images are returned as one zip archive. Takes .pdf. The result is a
     * file: .png or .zip.
     *
     * @param source a local file
     * @param settings settings of this call
     * @return the started operation
     */
    default Operation pdfToPng(Path source, CallOption... settings) {
        return start(Source.of(source), PdfToPngOptions.builder().build(), settings);
    }

    /**
     * Renders each page as a PNG image; several images are returned as one zip archive. Takes .pdf. The result is a
     * file: .png or .zip.
     *
     * @param source the document
     * @param settings settings of this call
     * @return the started operation
     */
    default Operation pdfToPng(Source source, CallOption... settings) {
        return start(source, PdfToPngOptions.builder().build(), settings);
    }

    /**
     * Starts pdf-to-png in the background. Renders each page as a PNG image; several images are returned as one zip
     * archive. Takes .pdf. The result is a file: .png or .zip.
     *
     * @param source a local file
     * @param options the options
     * @param settings settings of this call
     * @return a future of the operation
     */
    default CompletableFuture<Operation> pdfToPngAsync(Path source, PdfToPngOptions options, CallOption... settings) {
        return startAsync(Source.of(source), options, settings);
    }

    /**
     * Starts pdf-to-png in the background. Renders each page as a PNG image; several images are returned as one zip
     * archive. Takes .pdf. The result is a file: .png or .zip.
     *
     * @param source the document
     * @param options the options
     * @param settings settings of this call
     * @return a future of the operation
     */
    default CompletableFuture<Operation> pdfToPngAsync(Source source, PdfToPngOptions options, CallOption... settings) {
        return startAsync(source, options, settings);
    }

    /**
     * Starts pdf-to-png in the background. Renders each page as a PNG image; several images are returned as one zip
     * archive. Takes .pdf. The result is a file: .png or .zip.
     *
     * @param source a local file
     * @param settings settings of this call
     * @return a future of the operation
     */
    default CompletableFuture<Operation> pdfToPngAsync(Path source, CallOption... settings) {
        return startAsync(Source.of(source), PdfToPngOptions.builder().build(), settings);
    }

    /**
     * Starts pdf-to-png in the background. Renders each page as a PNG image; several images are returned as one zip
     * archive. Takes .pdf. The result is a file: .png or .zip.
     *
     * @param source the document
     * @param settings settings of this call
     * @return a future of the operation
     */
    default CompletableFuture<Operation> pdfToPngAsync(Source source, CallOption... settings) {
        return startAsync(source, PdfToPngOptions.builder().build(), settings);
    }

    /**
     * Renders each page as a TIFF image in the colours of the page; several images are returned as one zip archive.
     * Takes .pdf. The result is a file: .tif or .zip.
     *
     * @param source a local file
     * @param settings settings of this call
     * @return the started operation
     */
    default Operation pdfToTiff(Path source, CallOption... settings) {
        return start(Source.of(source), PdfToTiffOptions.builder().build(), settings);
    }

    /**
     * Renders each page as a TIFF image in the colours of the page; several images are returned as one zip archive.
     * Takes .pdf. The result is a file: .tif or .zip.
     *
     * @param source the document
     * @param settings settings of this call
     * @return the started operation
     */
    default Operation pdfToTiff(Source source, CallOption... settings) {
        return start(source, PdfToTiffOptions.builder().build(), settings);
    }

    /**
     * Starts pdf-to-tiff in the background. Renders each page as a TIFF image in the colours of the page; several
     * images are returned as one zip archive. Takes .pdf. The result is a file: .tif or .zip.
     *
     * @param source a local file
     * @param settings settings of this call
     * @return a future of the operation
     */
    default CompletableFuture<Operation> pdfToTiffAsync(Path source, CallOption... settings) {
        return startAsync(Source.of(source), PdfToTiffOptions.builder().build(), settings);
    }

    /**
     * Starts pdf-to-tiff in the background. Renders each page as a TIFF image in the colours of the page; several
     * images are returned as one zip archive. Takes .pdf. The result is a file: .tif or .zip.
     *
     * @param source the document
     * @param settings settings of this call
     * @return a future of the operation
     */
    default CompletableFuture<Operation> pdfToTiffAsync(Source source, CallOption... settings) {
        return startAsync(source, PdfToTiffOptions.builder().build(), settings);
    }

    /**
     * Renders all pages into one TIFF-F file for fax. Takes .pdf. The result is a file: .tif.
     *
     * @param source a local file
     * @param settings settings of this call
     * @return the started operation
     */
    default Operation pdfToTiffFax(Path source, CallOption... settings) {
        return start(Source.of(source), PdfToTiffFaxOptions.builder().build(), settings);
    }

    /**
     * Renders all pages into one TIFF-F file for fax. Takes .pdf. The result is a file: .tif.
     *
     * @param source the document
     * @param settings settings of this call
     * @return the started operation
     */
    default Operation pdfToTiffFax(Source source, CallOption... settings) {
        return start(source, PdfToTiffFaxOptions.builder().build(), settings);
    }

    /**
     * Starts pdf-to-tiff-fax in the background. Renders all pages into one TIFF-F file for fax. Takes .pdf. The result
     * is a file: .tif.
     *
     * @param source a local file
     * @param settings settings of this call
     * @return a future of the operation
     */
    default CompletableFuture<Operation> pdfToTiffFaxAsync(Path source, CallOption... settings) {
        return startAsync(Source.of(source), PdfToTiffFaxOptions.builder().build(), settings);
    }

    /**
     * Starts pdf-to-tiff-fax in the background. Renders all pages into one TIFF-F file for fax. Takes .pdf. The result
     * is a file: .tif.
     *
     * @param source the document
     * @param settings settings of this call
     * @return a future of the operation
     */
    default CompletableFuture<Operation> pdfToTiffFaxAsync(Source source, CallOption... settings) {
        return startAsync(source, PdfToTiffFaxOptions.builder().build(), settings);
    }

    /**
     * Converts a word-processing document to PDF. Takes .doc, .docx, .odt, .rtf, .wpd, .txt. The result is a file:
     * .pdf.
     *
     * @param source a local file
     * @param settings settings of this call
     * @return the started operation
     */
    default Operation docToPdf(Path source, CallOption... settings) {
        return start(Source.of(source), DocToPdfOptions.builder().build(), settings);
    }

    /**
     * Converts a word-processing document to PDF. Takes .doc, .docx, .odt, .rtf, .wpd, .txt. The result is a file:
     * .pdf.
     *
     * @param source the document
     * @param settings settings of this call
     * @return the started operation
     */
    default Operation docToPdf(Source source, CallOption... settings) {
        return start(source, DocToPdfOptions.builder().build(), settings);
    }

    /**
     * Starts doc-to-pdf in the background. Converts a word-processing document to PDF. Takes .doc, .docx, .odt, .rtf,
     * .wpd, .txt. The result is a file: .pdf.
     *
     * @param source a local file
     * @param settings settings of this call
     * @return a future of the operation
     */
    default CompletableFuture<Operation> docToPdfAsync(Path source, CallOption... settings) {
        return startAsync(Source.of(source), DocToPdfOptions.builder().build(), settings);
    }

    /**
     * Starts doc-to-pdf in the background. Converts a word-processing document to PDF. Takes .doc, .docx, .odt, .rtf,
     * .wpd, .txt. The result is a file: .pdf.
     *
     * @param source the document
     * @param settings settings of this call
     * @return a future of the operation
     */
    default CompletableFuture<Operation> docToPdfAsync(Source source, CallOption... settings) {
        return startAsync(source, DocToPdfOptions.builder().build(), settings);
    }

    /**
     * Converts a presentation to PDF. Takes .ppt, .pptx, .odp. The result is a file: .pdf.
     *
     * @param source a local file
     * @param settings settings of this call
     * @return the started operation
     */
    default Operation presentationToPdf(Path source, CallOption... settings) {
        return start(Source.of(source), PresentationToPdfOptions.builder().build(), settings);
    }

    /**
     * Converts a presentation to PDF. Takes .ppt, .pptx, .odp. The result is a file: .pdf.
     *
     * @param source the document
     * @param settings settings of this call
     * @return the started operation
     */
    default Operation presentationToPdf(Source source, CallOption... settings) {
        return start(source, PresentationToPdfOptions.builder().build(), settings);
    }

    /**
     * Starts presentation-to-pdf in the background. Converts a presentation to PDF. Takes .ppt, .pptx, .odp. The result
     * is a file: .pdf.
     *
     * @param source a local file
     * @param settings settings of this call
     * @return a future of the operation
     */
    default CompletableFuture<Operation> presentationToPdfAsync(Path source, CallOption... settings) {
        return startAsync(Source.of(source), PresentationToPdfOptions.builder().build(), settings);
    }

    /**
     * Starts presentation-to-pdf in the background. Converts a presentation to PDF. Takes .ppt, .pptx, .odp. The result
     * is a file: .pdf.
     *
     * @param source the document
     * @param settings settings of this call
     * @return a future of the operation
     */
    default CompletableFuture<Operation> presentationToPdfAsync(Source source, CallOption... settings) {
        return startAsync(source, PresentationToPdfOptions.builder().build(), settings);
    }

    /**
     * Converts a spreadsheet to PDF. Takes .xls, .xlsx, .ods, .csv. The result is a file: .pdf.
     *
     * @param source a local file
     * @param settings settings of this call
     * @return the started operation
     */
    default Operation spreadsheetToPdf(Path source, CallOption... settings) {
        return start(Source.of(source), SpreadsheetToPdfOptions.builder().build(), settings);
    }

    /**
     * Converts a spreadsheet to PDF. Takes .xls, .xlsx, .ods, .csv. The result is a file: .pdf.
     *
     * @param source the document
     * @param settings settings of this call
     * @return the started operation
     */
    default Operation spreadsheetToPdf(Source source, CallOption... settings) {
        return start(source, SpreadsheetToPdfOptions.builder().build(), settings);
    }

    /**
     * Starts spreadsheet-to-pdf in the background. Converts a spreadsheet to PDF. Takes .xls, .xlsx, .ods, .csv. The
     * result is a file: .pdf.
     *
     * @param source a local file
     * @param settings settings of this call
     * @return a future of the operation
     */
    default CompletableFuture<Operation> spreadsheetToPdfAsync(Path source, CallOption... settings) {
        return startAsync(Source.of(source), SpreadsheetToPdfOptions.builder().build(), settings);
    }

    /**
     * Starts spreadsheet-to-pdf in the background. Converts a spreadsheet to PDF. Takes .xls, .xlsx, .ods, .csv. The
     * result is a file: .pdf.
     *
     * @param source the document
     * @param settings settings of this call
     * @return a future of the operation
     */
    default CompletableFuture<Operation> spreadsheetToPdfAsync(Source source, CallOption... settings) {
        return startAsync(source, SpreadsheetToPdfOptions.builder().build(), settings);
    }

    /**
     * Protects a PDF with a password. Takes .pdf. The result is a file: .pdf.
     *
     * @param source a local file
     * @param options the options
     * @param settings settings of this call
     * @return the started operation
     */
    default Operation encrypt(Path source, EncryptOptions options, CallOption... settings) {
        return start(Source.of(source), options, settings);
    }

    /**
     * Protects a PDF with a password. Takes .pdf. The result is a file: .pdf.
     *
     * @param source the document
     * @param options the options
     * @param settings settings of this call
     * @return the started operation
     */
    default Operation encrypt(Source source, EncryptOptions options, CallOption... settings) {
        return start(source, options, settings);
    }

    /**
     * Protects a PDF with a password. Takes .pdf. The result is a file: .pdf.
     *
     * @param source a local file
     * @param settings settings of this call
     * @return the started operation
     */
    default Operation encrypt(Path source, CallOption... settings) {
        return start(Source.of(source), EncryptOptions.builder().build(), settings);
    }

    /**
     * Protects a PDF with a password. Takes .pdf. The result is a file: .pdf.
     *
     * @param source the document
     * @param settings settings of this call
     * @return the started operation
     */
    default Operation encrypt(Source source, CallOption... settings) {
        return start(source, EncryptOptions.builder().build(), settings);
    }

    /**
     * Starts encrypt in the background. Protects a PDF with a password. Takes .pdf. The result is a file: .pdf.
     *
     * @param source a local file
     * @param options the options
     * @param settings settings of this call
     * @return a future of the operation
     */
    default CompletableFuture<Operation> encryptAsync(Path source, EncryptOptions options, CallOption... settings) {
        return startAsync(Source.of(source), options, settings);
    }

    /**
     * Starts encrypt in the background. Protects a PDF with a password. Takes .pdf. The result is a file: .pdf.
     *
     * @param source the document
     * @param options the options
     * @param settings settings of this call
     * @return a future of the operation
     */
    default CompletableFuture<Operation> encryptAsync(Source source, EncryptOptions options, CallOption... settings) {
        return startAsync(source, options, settings);
    }

    /**
     * Starts encrypt in the background. Protects a PDF with a password. Takes .pdf. The result is a file: .pdf.
     *
     * @param source a local file
     * @param settings settings of this call
     * @return a future of the operation
     */
    default CompletableFuture<Operation> encryptAsync(Path source, CallOption... settings) {
        return startAsync(Source.of(source), EncryptOptions.builder().build(), settings);
    }

    /**
     * Starts encrypt in the background. Protects a PDF with a password. Takes .pdf. The result is a file: .pdf.
     *
     * @param source the document
     * @param settings settings of this call
     * @return a future of the operation
     */
    default CompletableFuture<Operation> encryptAsync(Source source, CallOption... settings) {
        return startAsync(source, EncryptOptions.builder().build(), settings);
    }

    /**
     * Removes the password of a PDF. Takes .pdf. The result is a file: .pdf.
     *
     * @param source a local file
     * @param options the options
     * @param settings settings of this call
     * @return the started operation
     */
    default Operation decrypt(Path source, DecryptOptions options, CallOption... settings) {
        return start(Source.of(source), options, settings);
    }

    /**
     * Removes the password of a PDF. Takes .pdf. The result is a file: .pdf.
     *
     * @param source the document
     * @param options the options
     * @param settings settings of this call
     * @return the started operation
     */
    default Operation decrypt(Source source, DecryptOptions options, CallOption... settings) {
        return start(source, options, settings);
    }

    /**
     * Removes the password of a PDF. Takes .pdf. The result is a file: .pdf.
     *
     * @param source a local file
     * @param settings settings of this call
     * @return the started operation
     */
    default Operation decrypt(Path source, CallOption... settings) {
        return start(Source.of(source), DecryptOptions.builder().build(), settings);
    }

    /**
     * Removes the password of a PDF. Takes .pdf. The result is a file: .pdf.
     *
     * @param source the document
     * @param settings settings of this call
     * @return the started operation
     */
    default Operation decrypt(Source source, CallOption... settings) {
        return start(source, DecryptOptions.builder().build(), settings);
    }

    /**
     * Starts decrypt in the background. Removes the password of a PDF. Takes .pdf. The result is a file: .pdf.
     *
     * @param source a local file
     * @param options the options
     * @param settings settings of this call
     * @return a future of the operation
     */
    default CompletableFuture<Operation> decryptAsync(Path source, DecryptOptions options, CallOption... settings) {
        return startAsync(Source.of(source), options, settings);
    }

    /**
     * Starts decrypt in the background. Removes the password of a PDF. Takes .pdf. The result is a file: .pdf.
     *
     * @param source the document
     * @param options the options
     * @param settings settings of this call
     * @return a future of the operation
     */
    default CompletableFuture<Operation> decryptAsync(Source source, DecryptOptions options, CallOption... settings) {
        return startAsync(source, options, settings);
    }

    /**
     * Starts decrypt in the background. Removes the password of a PDF. Takes .pdf. The result is a file: .pdf.
     *
     * @param source a local file
     * @param settings settings of this call
     * @return a future of the operation
     */
    default CompletableFuture<Operation> decryptAsync(Path source, CallOption... settings) {
        return startAsync(Source.of(source), DecryptOptions.builder().build(), settings);
    }

    /**
     * Starts decrypt in the background. Removes the password of a PDF. Takes .pdf. The result is a file: .pdf.
     *
     * @param source the document
     * @param settings settings of this call
     * @return a future of the operation
     */
    default CompletableFuture<Operation> decryptAsync(Source source, CallOption... settings) {
        return startAsync(source, DecryptOptions.builder().build(), settings);
    }

    /**
     * Stamps a text on every page. Takes .pdf. The result is a file: .pdf.
     *
     * @param source a local file
     * @param options the options
     * @param settings settings of this call
     * @return the started operation
     */
    default Operation stampText(Path source, StampTextOptions options, CallOption... settings) {
        return start(Source.of(source), options, settings);
    }

    /**
     * Stamps a text on every page. Takes .pdf. The result is a file: .pdf.
     *
     * @param source the document
     * @param options the options
     * @param settings settings of this call
     * @return the started operation
     */
    default Operation stampText(Source source, StampTextOptions options, CallOption... settings) {
        return start(source, options, settings);
    }

    /**
     * Starts stamp-text in the background. Stamps a text on every page. Takes .pdf. The result is a file: .pdf.
     *
     * @param source a local file
     * @param options the options
     * @param settings settings of this call
     * @return a future of the operation
     */
    default CompletableFuture<Operation> stampTextAsync(Path source, StampTextOptions options, CallOption... settings) {
        return startAsync(Source.of(source), options, settings);
    }

    /**
     * Starts stamp-text in the background. Stamps a text on every page. Takes .pdf. The result is a file: .pdf.
     *
     * @param source the document
     * @param options the options
     * @param settings settings of this call
     * @return a future of the operation
     */
    default CompletableFuture<Operation> stampTextAsync(
            Source source, StampTextOptions options, CallOption... settings) {
        return startAsync(source, options, settings);
    }

    /**
     * Stamps a text across every page at 45 degrees, half transparent. Takes .pdf. The result is a file: .pdf.
     *
     * @param source a local file
     * @param options the options
     * @param settings settings of this call
     * @return the started operation
     */
    default Operation stampWatermark(Path source, StampWatermarkOptions options, CallOption... settings) {
        return start(Source.of(source), options, settings);
    }

    /**
     * Stamps a text across every page at 45 degrees, half transparent. Takes .pdf. The result is a file: .pdf.
     *
     * @param source the document
     * @param options the options
     * @param settings settings of this call
     * @return the started operation
     */
    default Operation stampWatermark(Source source, StampWatermarkOptions options, CallOption... settings) {
        return start(source, options, settings);
    }

    /**
     * Starts stamp-watermark in the background. Stamps a text across every page at 45 degrees, half transparent. Takes
     * .pdf. The result is a file: .pdf.
     *
     * @param source a local file
     * @param options the options
     * @param settings settings of this call
     * @return a future of the operation
     */
    default CompletableFuture<Operation> stampWatermarkAsync(
            Path source, StampWatermarkOptions options, CallOption... settings) {
        return startAsync(Source.of(source), options, settings);
    }

    /**
     * Starts stamp-watermark in the background. Stamps a text across every page at 45 degrees, half transparent. Takes
     * .pdf. The result is a file: .pdf.
     *
     * @param source the document
     * @param options the options
     * @param settings settings of this call
     * @return a future of the operation
     */
    default CompletableFuture<Operation> stampWatermarkAsync(
            Source source, StampWatermarkOptions options, CallOption... settings) {
        return startAsync(source, options, settings);
    }

    /**
     * Stamps a barcode on every page. Takes .pdf. The result is a file: .pdf.
     *
     * @param source a local file
     * @param options the options
     * @param settings settings of this call
     * @return the started operation
     */
    default Operation stampBarcode(Path source, StampBarcodeOptions options, CallOption... settings) {
        return start(Source.of(source), options, settings);
    }

    /**
     * Stamps a barcode on every page. Takes .pdf. The result is a file: .pdf.
     *
     * @param source the document
     * @param options the options
     * @param settings settings of this call
     * @return the started operation
     */
    default Operation stampBarcode(Source source, StampBarcodeOptions options, CallOption... settings) {
        return start(source, options, settings);
    }

    /**
     * Starts stamp-barcode in the background. Stamps a barcode on every page. Takes .pdf. The result is a file: .pdf.
     *
     * @param source a local file
     * @param options the options
     * @param settings settings of this call
     * @return a future of the operation
     */
    default CompletableFuture<Operation> stampBarcodeAsync(
            Path source, StampBarcodeOptions options, CallOption... settings) {
        return startAsync(Source.of(source), options, settings);
    }

    /**
     * Starts stamp-barcode in the background. Stamps a barcode on every page. Takes .pdf. The result is a file: .pdf.
     *
     * @param source the document
     * @param options the options
     * @param settings settings of this call
     * @return a future of the operation
     */
    default CompletableFuture<Operation> stampBarcodeAsync(
            Source source, StampBarcodeOptions options, CallOption... settings) {
        return startAsync(source, options, settings);
    }

    /**
     * Stamps a Data Matrix symbol on every page. Takes .pdf. The result is a file: .pdf.
     *
     * @param source a local file
     * @param options the options
     * @param settings settings of this call
     * @return the started operation
     */
    default Operation stampDataMatrix(Path source, StampDataMatrixOptions options, CallOption... settings) {
        return start(Source.of(source), options, settings);
    }

    /**
     * Stamps a Data Matrix symbol on every page. Takes .pdf. The result is a file: .pdf.
     *
     * @param source the document
     * @param options the options
     * @param settings settings of this call
     * @return the started operation
     */
    default Operation stampDataMatrix(Source source, StampDataMatrixOptions options, CallOption... settings) {
        return start(source, options, settings);
    }

    /**
     * Starts stamp-data-matrix in the background. Stamps a Data Matrix symbol on every page. Takes .pdf. The result is
     * a file: .pdf.
     *
     * @param source a local file
     * @param options the options
     * @param settings settings of this call
     * @return a future of the operation
     */
    default CompletableFuture<Operation> stampDataMatrixAsync(
            Path source, StampDataMatrixOptions options, CallOption... settings) {
        return startAsync(Source.of(source), options, settings);
    }

    /**
     * Starts stamp-data-matrix in the background. Stamps a Data Matrix symbol on every page. Takes .pdf. The result is
     * a file: .pdf.
     *
     * @param source the document
     * @param options the options
     * @param settings settings of this call
     * @return a future of the operation
     */
    default CompletableFuture<Operation> stampDataMatrixAsync(
            Source source, StampDataMatrixOptions options, CallOption... settings) {
        return startAsync(source, options, settings);
    }

    /**
     * Stamps a QR code on every page. Takes .pdf. The result is a file: .pdf.
     *
     * @param source a local file
     * @param options the options
     * @param settings settings of this call
     * @return the started operation
     */
    default Operation stampQr(Path source, StampQrOptions options, CallOption... settings) {
        return start(Source.of(source), options, settings);
    }

    /**
     * Stamps a QR code on every page. Takes .pdf. The result is a file: .pdf.
     *
     * @param source the document
     * @param options the options
     * @param settings settings of this call
     * @return the started operation
     */
    default Operation stampQr(Source source, StampQrOptions options, CallOption... settings) {
        return start(source, options, settings);
    }

    /**
     * Starts stamp-qr in the background. Stamps a QR code on every page. Takes .pdf. The result is a file: .pdf.
     *
     * @param source a local file
     * @param options the options
     * @param settings settings of this call
     * @return a future of the operation
     */
    default CompletableFuture<Operation> stampQrAsync(Path source, StampQrOptions options, CallOption... settings) {
        return startAsync(Source.of(source), options, settings);
    }

    /**
     * Starts stamp-qr in the background. Stamps a QR code on every page. Takes .pdf. The result is a file: .pdf.
     *
     * @param source the document
     * @param options the options
     * @param settings settings of this call
     * @return a future of the operation
     */
    default CompletableFuture<Operation> stampQrAsync(Source source, StampQrOptions options, CallOption... settings) {
        return startAsync(source, options, settings);
    }

    /**
     * Checks a PDF against a version of the standard or a PDF/A level. Takes .pdf. The result is a validation report.
     *
     * @param source a local file
     * @param options the options
     * @param settings settings of this call
     * @return the started operation
     */
    default Operation validate(Path source, ValidateOptions options, CallOption... settings) {
        return start(Source.of(source), options, settings);
    }

    /**
     * Checks a PDF against a version of the standard or a PDF/A level. Takes .pdf. The result is a validation report.
     *
     * @param source the document
     * @param options the options
     * @param settings settings of this call
     * @return the started operation
     */
    default Operation validate(Source source, ValidateOptions options, CallOption... settings) {
        return start(source, options, settings);
    }

    /**
     * Checks a PDF against a version of the standard or a PDF/A level. Takes .pdf. The result is a validation report.
     *
     * @param source a local file
     * @param settings settings of this call
     * @return the started operation
     */
    default Operation validate(Path source, CallOption... settings) {
        return start(Source.of(source), ValidateOptions.builder().build(), settings);
    }

    /**
     * Checks a PDF against a version of the standard or a PDF/A level. Takes .pdf. The result is a validation report.
     *
     * @param source the document
     * @param settings settings of this call
     * @return the started operation
     */
    default Operation validate(Source source, CallOption... settings) {
        return start(source, ValidateOptions.builder().build(), settings);
    }

    /**
     * Starts validate in the background. Checks a PDF against a version of the standard or a PDF/A level. Takes .pdf.
     * The result is a validation report.
     *
     * @param source a local file
     * @param options the options
     * @param settings settings of this call
     * @return a future of the operation
     */
    default CompletableFuture<Operation> validateAsync(Path source, ValidateOptions options, CallOption... settings) {
        return startAsync(Source.of(source), options, settings);
    }

    /**
     * Starts validate in the background. Checks a PDF against a version of the standard or a PDF/A level. Takes .pdf.
     * The result is a validation report.
     *
     * @param source the document
     * @param options the options
     * @param settings settings of this call
     * @return a future of the operation
     */
    default CompletableFuture<Operation> validateAsync(Source source, ValidateOptions options, CallOption... settings) {
        return startAsync(source, options, settings);
    }

    /**
     * Starts validate in the background. Checks a PDF against a version of the standard or a PDF/A level. Takes .pdf.
     * The result is a validation report.
     *
     * @param source a local file
     * @param settings settings of this call
     * @return a future of the operation
     */
    default CompletableFuture<Operation> validateAsync(Path source, CallOption... settings) {
        return startAsync(Source.of(source), ValidateOptions.builder().build(), settings);
    }

    /**
     * Starts validate in the background. Checks a PDF against a version of the standard or a PDF/A level. Takes .pdf.
     * The result is a validation report.
     *
     * @param source the document
     * @param settings settings of this call
     * @return a future of the operation
     */
    default CompletableFuture<Operation> validateAsync(Source source, CallOption... settings) {
        return startAsync(source, ValidateOptions.builder().build(), settings);
    }

    /**
     * Compresses a PDF and converts it to PDF/A in one operation. Takes .pdf. The result is a file: .pdf.
     *
     * @param source a local file
     * @param options the options
     * @param settings settings of this call
     * @return the started operation
     */
    default Operation powerArchive(Path source, PowerArchiveOptions options, CallOption... settings) {
        return start(Source.of(source), options, settings);
    }

    /**
     * Compresses a PDF and converts it to PDF/A in one operation. Takes .pdf. The result is a file: .pdf.
     *
     * @param source the document
     * @param options the options
     * @param settings settings of this call
     * @return the started operation
     */
    default Operation powerArchive(Source source, PowerArchiveOptions options, CallOption... settings) {
        return start(source, options, settings);
    }

    /**
     * Compresses a PDF and converts it to PDF/A in one operation. Takes .pdf. The result is a file: .pdf.
     *
     * @param source a local file
     * @param settings settings of this call
     * @return the started operation
     */
    default Operation powerArchive(Path source, CallOption... settings) {
        return start(Source.of(source), PowerArchiveOptions.builder().build(), settings);
    }

    /**
     * Compresses a PDF and converts it to PDF/A in one operation. Takes .pdf. The result is a file: .pdf.
     *
     * @param source the document
     * @param settings settings of this call
     * @return the started operation
     */
    default Operation powerArchive(Source source, CallOption... settings) {
        return start(source, PowerArchiveOptions.builder().build(), settings);
    }

    /**
     * Starts power-archive in the background. Compresses a PDF and converts it to PDF/A in one operation. Takes .pdf.
     * The result is a file: .pdf.
     *
     * @param source a local file
     * @param options the options
     * @param settings settings of this call
     * @return a future of the operation
     */
    default CompletableFuture<Operation> powerArchiveAsync(
            Path source, PowerArchiveOptions options, CallOption... settings) {
        return startAsync(Source.of(source), options, settings);
    }

    /**
     * Starts power-archive in the background. Compresses a PDF and converts it to PDF/A in one operation. Takes .pdf.
     * The result is a file: .pdf.
     *
     * @param source the document
     * @param options the options
     * @param settings settings of this call
     * @return a future of the operation
     */
    default CompletableFuture<Operation> powerArchiveAsync(
            Source source, PowerArchiveOptions options, CallOption... settings) {
        return startAsync(source, options, settings);
    }

    /**
     * Starts power-archive in the background. Compresses a PDF and converts it to PDF/A in one operation. Takes .pdf.
     * The result is a file: .pdf.
     *
     * @param source a local file
     * @param settings settings of this call
     * @return a future of the operation
     */
    default CompletableFuture<Operation> powerArchiveAsync(Path source, CallOption... settings) {
        return startAsync(Source.of(source), PowerArchiveOptions.builder().build(), settings);
    }

    /**
     * Starts power-archive in the background. Compresses a PDF and converts it to PDF/A in one operation. Takes .pdf.
     * The result is a file: .pdf.
     *
     * @param source the document
     * @param settings settings of this call
     * @return a future of the operation
     */
    default CompletableFuture<Operation> powerArchiveAsync(Source source, CallOption... settings) {
        return startAsync(source, PowerArchiveOptions.builder().build(), settings);
    }
}
