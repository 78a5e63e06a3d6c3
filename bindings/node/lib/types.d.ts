// The types that follow from the table of operations. Generated from bindings/operations.json by bindings/generate/node.py: do not edit.

import { type CallSettings, RectoError, type Source, type StartedOperation } from './index';

/**
 * What a document is optimized for.
 *
 * `web`: For the screen: images downsampled, fonts subset, colours RGB, linearized.
 *
 * `archive`: For archiving: lossless, and prepared for conversion to PDF/A.
 *
 * `print`: For printing: images downsampled less, colours CMYK.
 *
 * `minimalFileSize`: The smallest file: metadata and output intents removed.
 */
export type Profile = 'web' | 'archive' | 'print' | 'minimalFileSize';

/**
 * The size of a page made from an image.
 *
 * `a4`: 210 x 297 mm (ISO 216).
 *
 * `letter`: 8.5 x 11 in.
 */
export type PageSize = 'a4' | 'letter';

/**
 * The unit of a length: 1 in = 2.54 cm = 72 points of PDF user space.
 *
 * `cm`: Centimetres.
 *
 * `in`: Inches.
 */
export type Unit = 'cm' | 'in';

/**
 * The orientation of the page. An image that is larger than the page is shrunk; a smaller image is not enlarged.
 * The specification is not consistent about upper and lower case: both are read, and the case below is written.
 *
 * `Auto`: The page is landscape for every image that is wider than high, even if the image would fit on a
 * portrait page.
 *
 * `ShrinkToPage`: The page is landscape only if the image must be shrunk, and stays larger on a landscape page.
 *
 * `ShrinkToPortrait`: The page is always portrait.
 */
export type Strategy = 'Auto' | 'ShrinkToPage' | 'ShrinkToPortrait';

/**
 * A PDF/A level.
 *
 * `pdf_a2_b`: PDF/A-2b (ISO 19005-2): basic archival conformance.
 *
 * `pdf_a3_b`: PDF/A-3b (ISO 19005-3): the same, and files of any kind may be embedded.
 */
export type Conformance = 'pdf_a2_b' | 'pdf_a3_b';

/**
 * The colour space of an image; a PNG cannot be CMYK.
 *
 * `rgb`: Red, green, blue.
 *
 * `gray`: Shades of gray.
 *
 * `cmyk`: Cyan, magenta, yellow, black.
 */
export type ColorSpace = 'rgb' | 'gray' | 'cmyk';

/**
 * The colour space of a PNG image.
 *
 * `rgb`: Red, green, blue.
 *
 * `gray`: Shades of gray.
 */
export type PngColorSpace = 'rgb' | 'gray';

/**
 * The typeface of a stamp's text.
 *
 * `sans`: A sans-serif typeface.
 *
 * `serif`: A serif typeface.
 */
export type FontFamily = 'sans' | 'serif';

/** A margin of the page, equal on all four sides. */
export interface PageMargin {
  /** The width of the margin, in its unit. Also a text with a unit, such as "1.5cm". */
  margin: number | string;
  /** The unit of the margin. */
  unit: Unit;
}

/** The maximum size of an image in pixels; its aspect ratio is kept. */
export interface PixelSize {
  /** The maximum width in pixels. From 1 to 4294967295. */
  width: number;
  /** The maximum height in pixels. From 1 to 4294967295. */
  height: number;
}

/** The position of a stamp: its distances from edges of the page; centred on an axis without a distance. */
export interface Margin {
  /** The distance from the top edge, in the margin's unit. Also a text with a unit, such as "1.5cm". */
  top?: number | string;
  /** The distance from the right edge, in the margin's unit. Also a text with a unit, such as "1.5cm". */
  right?: number | string;
  /** The distance from the left edge, in the margin's unit. Also a text with a unit, such as "1.5cm". */
  left?: number | string;
  /** The distance from the bottom edge, in the margin's unit. Also a text with a unit, such as "1.5cm". */
  bottom?: number | string;
  /** The unit of the distances. */
  unit?: Unit;
}

/** The style of a stamp's text. */
export interface TextStyle {
  /** The colour, such as #c00000 or red. */
  textColor?: string;
  /** The typeface. */
  fontFamily?: FontFamily;
  /** Bold. */
  isBold?: boolean;
  /** Italic. */
  isItalic?: boolean;
  /** The font size; the local service reads it in points. */
  fontSize?: number;
}

/** The position of a barcode, Data Matrix or QR code: its distance from the left and the bottom edge. */
export interface CodeMargin {
  /** The distance from the left edge, in the margin's unit. Also a text with a unit, such as "1.5cm". */
  left?: number | string;
  /** The distance from the bottom edge, in the margin's unit. Also a text with a unit, such as "1.5cm". */
  bottom?: number | string;
  /** The unit of the distances. */
  unit?: Unit;
}

/** The size of a barcode. */
export interface StampSize {
  /** The width, in the size's unit. Also a text with a unit, such as "1.5cm". */
  width?: number | string;
  /** The height, in the size's unit. Also a text with a unit, such as "1.5cm". */
  height?: number | string;
  /** The unit of the size, such as cm or in. */
  unit?: string;
}

/** The size of a Data Matrix or QR code. */
export interface SquareSize {
  /** The length of a side, in the size's unit. Also a text with a unit, such as "1.5cm". */
  side?: number | string;
  /** The unit of the size, such as cm or in. */
  unit?: string;
}

/** The options of `optimize`. Compresses a PDF according to a profile. */
export interface OptimizeOptions {
  /** What the document is optimized for. The default of the service is minimalFileSize. */
  profile?: Profile;
}

/** The options of `imageToPdf`. Converts a JPEG, PNG or TIFF image to PDF. */
export interface ImageToPdfOptions {
  /** The page's size. The default of the service is a4. */
  pageSize?: PageSize;
  /** A margin of the page, equal on all four sides. Also a text with a unit, such as "1.5cm". */
  pageMargin?: PageMargin | string;
  /**
   * When the page is landscape; an image larger than the page is shrunk, a smaller image keeps its size. The
   * default of the service is Auto.
   */
  strategy?: Strategy;
}

/** The options of `archivePdfa`. Converts a PDF to PDF/A for long-term archiving. */
export interface ArchivePdfAOptions {
  /** The PDF/A level to convert to. */
  conformance: Conformance;
}

/** The options of `pdfToJpeg`. Renders each page as a JPEG image; several images are returned as one zip archive. */
export interface PdfToJpegOptions {
  /** The image's colour space. The default of the service is rgb. */
  colorSpace?: ColorSpace;
  /** The quality of compression, 0 (smallest) to 100 (best). From 0 to 100. The default of the service is 85. */
  jpegQuality?: number;
  /** The maximum size of an image in pixels; its aspect ratio is kept. */
  maxSizeInPixels?: PixelSize;
}

/** The options of `pdfToPng`. Renders each page as a PNG image; several images are returned as one zip archive. */
export interface PdfToPngOptions {
  /** The image's colour space. The default of the service is rgb. */
  colorSpace?: PngColorSpace;
  /** Whether the image has an alpha channel instead of a white background. The default of the service is false. */
  transparentBackground?: boolean;
  /** The maximum size of an image in pixels; its aspect ratio is kept. */
  maxSizeInPixels?: PixelSize;
}

/**
 * The options of `pdfToTiff`. Renders each page as a TIFF image in the colours of the page; several images are
 * returned as one zip archive.
 */
export type PdfToTiffOptions = Record<string, never>;

/** The options of `pdfToTiffFax`. Renders all pages into one TIFF-F file for fax. */
export type PdfToTiffFaxOptions = Record<string, never>;

/** The options of `docToPdf`. Converts a word-processing document to PDF. */
export type DocToPdfOptions = Record<string, never>;

/** The options of `presentationToPdf`. Converts a presentation to PDF. */
export type PresentationToPdfOptions = Record<string, never>;

/** The options of `spreadsheetToPdf`. Converts a spreadsheet to PDF. */
export type SpreadsheetToPdfOptions = Record<string, never>;

/** The options of `encrypt`. Protects a PDF with a password. */
export interface EncryptOptions {
  /** The password that will open the document. */
  password?: string;
}

/** The options of `decrypt`. Removes the password of a PDF. */
export interface DecryptOptions {
  /** The document's user or owner password. */
  password?: string;
}

/** The options of `stampText`. Stamps a text on every page. */
export interface StampTextOptions {
  /** The text. */
  text: string;
  /** The position of a stamp: its distances from edges of the page; centred on an axis without a distance. */
  margin?: Margin;
  /** The style of a stamp's text. */
  textStyle?: TextStyle;
}

/** The options of `stampWatermark`. Stamps a text across every page at 45 degrees, half transparent. */
export interface StampWatermarkOptions {
  /** The text. */
  text: string;
  /** The position of a stamp: its distances from edges of the page; centred on an axis without a distance. */
  margin?: Margin;
  /** The style of a stamp's text. */
  textStyle?: TextStyle;
}

/** The options of `stampBarcode`. Stamps a barcode on every page. */
export interface StampBarcodeOptions {
  /** The position of a barcode, Data Matrix or QR code: its distance from the left and the bottom edge. */
  margin?: CodeMargin;
  /** The type of barcode, such as code128. */
  type: string;
  /** The value to encode. */
  value: string;
  /** The size of a barcode. Also a text with a unit, such as "1.5cm". */
  stampSize?: StampSize | string;
}

/** The options of `stampDataMatrix`. Stamps a Data Matrix symbol on every page. */
export interface StampDataMatrixOptions {
  /** The position of a barcode, Data Matrix or QR code: its distance from the left and the bottom edge. */
  margin?: CodeMargin;
  /** The value to encode. */
  value: string;
  /** The size of a Data Matrix or QR code. Also a text with a unit, such as "1.5cm". */
  stampSize?: SquareSize | string;
}

/** The options of `stampQr`. Stamps a QR code on every page. */
export interface StampQrOptions {
  /** The position of a barcode, Data Matrix or QR code: its distance from the left and the bottom edge. */
  margin?: CodeMargin;
  /** The value to encode. */
  value: string;
  /** The size of a Data Matrix or QR code. Also a text with a unit, such as "1.5cm". */
  stampSize?: SquareSize | string;
}

/** The options of `validate`. Checks a PDF against a version of the standard or a PDF/A level. */
export interface ValidateOptions {
  /** The standard and level to check against, such as pdf13 or pdf_a2_b. */
  conformance?: string;
}

/** The options of `powerArchive`. Compresses a PDF and converts it to PDF/A in one operation. */
export interface PowerArchiveOptions {
  /** The PDF/A level to convert to, such as pdf_a2_b. */
  conformance?: string;
}

/** The options of each operation, by the name of the operation. */
export interface OptionsOf {
  'optimize': OptimizeOptions;
  'image-to-pdf': ImageToPdfOptions;
  'archive-pdfa': ArchivePdfAOptions;
  'pdf-to-jpeg': PdfToJpegOptions;
  'pdf-to-png': PdfToPngOptions;
  'pdf-to-tiff': PdfToTiffOptions;
  'pdf-to-tiff-fax': PdfToTiffFaxOptions;
  'doc-to-pdf': DocToPdfOptions;
  'presentation-to-pdf': PresentationToPdfOptions;
  'spreadsheet-to-pdf': SpreadsheetToPdfOptions;
  'encrypt': EncryptOptions;
  'decrypt': DecryptOptions;
  'stamp-text': StampTextOptions;
  'stamp-watermark': StampWatermarkOptions;
  'stamp-barcode': StampBarcodeOptions;
  'stamp-data-matrix': StampDataMatrixOptions;
  'stamp-qr': StampQrOptions;
  'validate': ValidateOptions;
  'power-archive': PowerArchiveOptions;
}

/** A method for each operation: it uploads the document and starts the operation. */
export interface Operations {
  /**
   * Compresses a PDF according to a profile.
   *
   * Takes .pdf. The result is a file: .pdf.
   */
  optimize(source: Source, options?: OptimizeOptions, call?: CallSettings): StartedOperation;
  /**
   * Converts a JPEG, PNG or TIFF image to PDF.
   *
   * Takes .jpg, .jpeg, .png, .tif, .tiff. The result is a file: .pdf.
   */
  imageToPdf(source: Source, options?: ImageToPdfOptions, call?: CallSettings): StartedOperation;
  /**
   * Converts a PDF to PDF/A for long-term archiving.
   *
   * Takes .pdf. The result is a file: .pdf.
   */
  archivePdfa(source: Source, options: ArchivePdfAOptions, call?: CallSettings): StartedOperation;
  /**
   * Renders each page as a JPEG image; several images are returned as one zip archive.
   *
   * Takes .pdf. The result is a file: .jpg or .zip.
   */
  pdfToJpeg(source: Source, options?: PdfToJpegOptions, call?: CallSettings): StartedOperation;
  /**
   * Renders each page as a PNG image; several images are returned as one zip archive.
   *
   * Takes .pdf. The result is a file: .png or .zip.
   */
  pdfToPng(source: Source, options?: PdfToPngOptions, call?: CallSettings): StartedOperation;
  /**
   * Renders each page as a TIFF image in the colours of the page; several images are returned as one zip
   * archive.
   *
   * Takes .pdf. The result is a file: .tif or .zip.
   */
  pdfToTiff(source: Source, options?: PdfToTiffOptions, call?: CallSettings): StartedOperation;
  /**
   * Renders all pages into one TIFF-F file for fax.
   *
   * Takes .pdf. The result is a file: .tif.
   */
  pdfToTiffFax(source: Source, options?: PdfToTiffFaxOptions, call?: CallSettings): StartedOperation;
  /**
   * Converts a word-processing document to PDF.
   *
   * Takes .doc, .docx, .odt, .rtf, .wpd, .txt. The result is a file: .pdf.
   */
  docToPdf(source: Source, options?: DocToPdfOptions, call?: CallSettings): StartedOperation;
  /**
   * Converts a presentation to PDF.
   *
   * Takes .ppt, .pptx, .odp. The result is a file: .pdf.
   */
  presentationToPdf(source: Source, options?: PresentationToPdfOptions, call?: CallSettings): StartedOperation;
  /**
   * Converts a spreadsheet to PDF.
   *
   * Takes .xls, .xlsx, .ods, .csv. The result is a file: .pdf.
   */
  spreadsheetToPdf(source: Source, options?: SpreadsheetToPdfOptions, call?: CallSettings): StartedOperation;
  /**
   * Protects a PDF with a password.
   *
   * Takes .pdf. The result is a file: .pdf.
   */
  encrypt(source: Source, options?: EncryptOptions, call?: CallSettings): StartedOperation;
  /**
   * Removes the password of a PDF.
   *
   * Takes .pdf. The result is a file: .pdf.
   */
  decrypt(source: Source, options?: DecryptOptions, call?: CallSettings): StartedOperation;
  /**
   * Stamps a text on every page.
   *
   * Takes .pdf. The result is a file: .pdf.
   */
  stampText(source: Source, options: StampTextOptions, call?: CallSettings): StartedOperation;
  /**
   * Stamps a text across every page at 45 degrees, half transparent.
   *
   * Takes .pdf. The result is a file: .pdf.
   */
  stampWatermark(source: Source, options: StampWatermarkOptions, call?: CallSettings): StartedOperation;
  /**
   * Stamps a barcode on every page.
   *
   * Takes .pdf. The result is a file: .pdf.
   */
  stampBarcode(source: Source, options: StampBarcodeOptions, call?: CallSettings): StartedOperation;
  /**
   * Stamps a Data Matrix symbol on every page.
   *
   * Takes .pdf. The result is a file: .pdf.
   */
  stampDataMatrix(source: Source, options: StampDataMatrixOptions, call?: CallSettings): StartedOperation;
  /**
   * Stamps a QR code on every page.
   *
   * Takes .pdf. The result is a file: .pdf.
   */
  stampQr(source: Source, options: StampQrOptions, call?: CallSettings): StartedOperation;
  /**
   * Checks a PDF against a version of the standard or a PDF/A level.
   *
   * Takes .pdf. The result is a validation report.
   */
  validate(source: Source, options?: ValidateOptions, call?: CallSettings): StartedOperation;
  /**
   * Compresses a PDF and converts it to PDF/A in one operation.
   *
   * Takes .pdf. The result is a file: .pdf.
   */
  powerArchive(source: Source, options?: PowerArchiveOptions, call?: CallSettings): StartedOperation;
}

/** The settings that a copy of a client can have otherwise. */
export interface CopySettings {
  /**
   * The time limit of the whole call: upload, start, wait, download and retries; `Infinity` for no limit.
   * Default: no limit. An API request with its retries is then limited to 5 minutes.
   */
  timeoutMs?: number;
  /** How long to wait for the response to a request, or for the next byte of a transfer. Default: 30000. */
  stallTimeoutMs?: number;
  /**
   * The time limit for waiting for the operation, within the time limit of the whole call; `Infinity` for no
   * limit. When it expires, the call ends with WaitTimeoutError, and the operation continues. Default: no limit
   * if `timeoutMs` is set, otherwise 15 minutes.
   */
  waitTimeoutMs?: number;
  /** How many times a failed request is repeated. Default: 3. */
  retries?: number;
  /**
   * Whether the start of an operation is also repeated if it is unknown whether it started. The operation may
   * then run, and be charged, twice. Default: false.
   */
  retryUnknown?: boolean;
}

/** The settings that a client and its copies share. */
export interface OwnSettings {
  /**
   * The address of the service, such as `https://pdf.example.com`; it may have a path. If it is set neither here
   * nor in the environment, the client uses the embedded service: documents are processed on this machine.
   */
  baseUrl?: string;
  /** The API key, which is sent only to the origin of the base URL; empty for none. */
  apiKey?: string;
  /** How long to wait for a connection, including TLS. Default: 10000. */
  connectTimeoutMs?: number;
  /** Whether the base URL may be unencrypted http to another machine. Default: false. */
  allowHttp?: boolean;
  /**
   * `http://[user:password@]host:port`; empty for none. Default: the proxy of the environment (HTTPS_PROXY,
   * HTTP_PROXY, ALL_PROXY, NO_PROXY), which is never used for this machine itself.
   */
  proxy?: string;
  /** A PEM file of certificate authorities to trust in addition to those of the system. */
  caBundle?: string;
  /** A PEM file with the TLS certificate of the client and its unencrypted private key. */
  clientCertificate?: string;
  /** The User-Agent header. Default: "recto/" and the version. */
  userAgent?: string;
  /** The largest JSON response, in bytes. Default: 16777216. */
  jsonLimit?: number;
  /** Whether settings that are not set are taken from the environment. Default: true. */
  environment?: boolean;
  /**
   * How the embedded service isolates documents from this process. `best` processes them in worker processes
   * that are sandboxed as far as the system allows, or in this process if no program for them is known.
   * `workers` requires workers, `strict` workers with a complete sandbox: otherwise no client is created. `none`
   * processes documents in this process. Default: best.
   */
  isolation?: string;
  /**
   * The path of the `recto` program from which the embedded service starts its workers. Default: the program of
   * the environment variable RECTO_WORKER, or else the one that is installed with the library or with this
   * program.
   */
  worker?: string;
  /** How many operations the embedded service runs at the same time. Default: one for each core. */
  workers?: number;
  /** The memory limit of a worker process, in bytes. Default: 4294967296. */
  workerMemory?: number;
  /** How many bytes a document may decode to, if it is processed in this process. Default: 268435456. */
  inProcessBytes?: number;
  /** The size limit of all files and results in the embedded service, in bytes. Default: 68719476736. */
  storedBytes?: number;
  /**
   * After which time the embedded service deletes files and results that were not deleted earlier. Default:
   * 86400000 (24 hours).
   */
  retentionMs?: number;
  /**
   * An existing directory, in which the embedded service creates a private directory for its files. Default: the
   * temporary directory of the system.
   */
  dataDir?: string;
  /** Whether the embedded service keeps the files of an operation when its handle is freed. Default: false. */
  keepFiles?: boolean;
}

/** The settings of a batch. */
export interface BatchSettings {
  /**
   * The directory of the result files, which is created if it does not exist. A result has the name of its
   * source, with the extension of the result's format. If another source of the batch has the same name, "-2",
   * "-3" and so on is appended. An existing file of that name is replaced. Default: result files stay in the
   * service.
   */
  to?: string;
  /**
   * Whether a result may replace a file that existed before the batch. If not, the document fails. Default:
   * true.
   */
  overwrite?: boolean;
  /**
   * A directory that contains the sources. The results are saved in the same subdirectories below `to`. Default:
   * all results are in one directory.
   */
  relativeTo?: string;
  /** How many documents are processed at the same time, 1 to 256. Default: 8. */
  concurrency?: number;
  /**
   * A file in which each step is recorded before the next one starts, without secrets. A batch with the journal
   * of an earlier run resumes it: finished documents are skipped, failed ones are tried again. Default: none.
   */
  journal?: string;
  /** Whether no further documents are started after the first one that fails. Default: false. */
  stopOnError?: boolean;
  /** Whether a document and its result are deleted from the service once the result is saved. Default: false. */
  deleteAfter?: boolean;
  /** Whether an input is sent even if the operation does not take its extension. Default: false. */
  force?: boolean;
  /** Options that this version does not know. Default: none. */
  extraOptions?: object;
}

/** The settings of a local service. */
export interface LocalSettings {
  /** The port to listen on. Default: a free port. */
  port?: number;
  /** The key that clients must send. Default: a random one. */
  apiKey?: string;
  /**
   * The ports from which the service may download documents, such as [80, 443, 8443]. Default: 80 and 443, or
   * every port with `allowPrivateUrls`.
   */
  fetchPorts?: number[];
  /**
   * How the embedded service isolates documents from this process. `best` processes them in worker processes
   * that are sandboxed as far as the system allows, or in this process if no program for them is known.
   * `workers` requires workers, `strict` workers with a complete sandbox: otherwise no client is created. `none`
   * processes documents in this process. Default: best.
   */
  isolation?: string;
  /**
   * The path of the `recto` program from which the embedded service starts its workers. Default: the program of
   * the environment variable RECTO_WORKER, or else the one that is installed with the library or with this
   * program.
   */
  worker?: string;
  /** How many operations the embedded service runs at the same time. Default: one for each core. */
  workers?: number;
  /** The memory limit of a worker process, in bytes. Default: 4294967296. */
  workerMemory?: number;
  /** How many bytes a document may decode to, if it is processed in this process. Default: 268435456. */
  inProcessBytes?: number;
  /** The size limit of all files and results in the embedded service, in bytes. Default: 68719476736. */
  storedBytes?: number;
  /**
   * After which time the embedded service deletes files and results that were not deleted earlier. Default:
   * 86400000 (24 hours).
   */
  retentionMs?: number;
  /**
   * An existing directory, in which the embedded service creates a private directory for its files. Default: the
   * temporary directory of the system.
   */
  dataDir?: string;
  /** Whether the service may download documents from addresses of private networks. Default: false. */
  allowPrivateUrls?: boolean;
}

/**
 * How much is logged.
 *
 * `error`: A failure that remained after all retries.
 *
 * `warn`: An unexpected condition.
 *
 * `info`: An event that can explain a delay: a request is retried, a presigned URL renewed.
 *
 * `debug`: Every request and its response.
 *
 * `trace`: Everything.
 */
export type LogLevel = 'error' | 'warn' | 'info' | 'debug' | 'trace';

/**
 * A phase of a call.
 *
 * `configure`: Creating the client, or reading a resume token.
 *
 * `upload`: Uploading a document.
 *
 * `start`: Starting an operation.
 *
 * `wait`: Waiting for an operation to end.
 *
 * `download`: Downloading a result.
 *
 * `files`: Listing, looking up or deleting files.
 */
export type Phase = 'configure' | 'upload' | 'start' | 'wait' | 'download' | 'files';

/** The kinds of errors. `Other` is an error of the library itself. */
export type ErrorKind = 'ConfigError' | 'InvalidRequest' | 'AuthError' | 'PermissionDenied' | 'NotFound' | 'RateLimited' | 'PayloadTooLarge' | 'ServerError' | 'TransportError' | 'RequestTimeout' | 'WaitTimeout' | 'OperationFailed' | 'OutcomeUnknown' | 'ProtocolError' | 'Cancelled' | 'IoError' | 'Other';

/** The configuration is wrong or incomplete. */
export class ConfigError extends RectoError {}

/** An argument or an option is invalid, or a text is not valid UTF-8. */
export class InvalidRequestError extends RectoError {}

/** The service did not accept the key (401). */
export class AuthError extends RectoError {}

/** The key does not permit the request (403). */
export class PermissionDeniedError extends RectoError {}

/** The file or operation does not exist (404, 410). */
export class NotFoundError extends RectoError {}

/** Too many requests (429). */
export class RateLimitedError extends RectoError {}

/** The document is larger than the service accepts (413). */
export class PayloadTooLargeError extends RectoError {}

/** The service failed (5xx). */
export class ServerError extends RectoError {}

/** The service could not be reached, the connection broke, or the certificate is not trusted. */
export class TransportError extends RectoError {}

/** A request took longer than its time limit. */
export class RequestTimeoutError extends RectoError {}

/**
 * The operation did not end within the wait timeout. It continues in the service; the token of the error resumes
 * it.
 */
export class WaitTimeoutError extends RectoError {}

/** The operation failed. */
export class OperationFailedError extends RectoError {}

/** It is unknown whether the operation started. */
export class OutcomeUnknownError extends RectoError {}

/** The response of the service is invalid. */
export class ProtocolError extends RectoError {}

/** The call was cancelled. */
export class CancelledError extends RectoError {}

/** A local file cannot be read or written. */
export class IoError extends RectoError {}
