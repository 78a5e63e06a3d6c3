/**
 * @file recto.h
 * The C interface of Recto: a client for a PDF processing service, with an embedded service for use on one machine.
 *
 *     recto_client *client = NULL;
 *     recto_operation *operation = NULL;
 *     recto_error *error = NULL;
 *     if (recto_client_new(NULL, &client, &error) != RECTO_OK
 *         || recto_start_path(client, RECTO_OPTIMIZE, "report.pdf", NULL, NULL, &operation, &error) != RECTO_OK
 *         || recto_operation_save(operation, "small.pdf", NULL, NULL, &error) != RECTO_OK)
 *         fprintf(stderr, "%s\n", recto_error_message(error));
 *     recto_error_free(error);
 *     recto_operation_free(operation);
 *     recto_client_free(client);
 *
 * The rules for all functions are here. The comment of a function adds only what is specific to it.
 *
 * OWNERSHIP  The caller owns every object that a function returns through `recto_T **`, and frees it once with
 *            recto_T_free(). Memory that is returned through `char **` or `void **` is freed with recto_free(). Both
 *            are set to NULL if the function fails, and freeing NULL does nothing. Handles can be freed in any order:
 *            an operation keeps what it needs of its client. A returned `const char *` must not be freed; it is valid
 *            until the object it was read from is freed. Inputs are copied, or used only during the call, except for
 *            the userdata of callbacks that the library keeps.
 * ERRORS     A function that can fail returns a recto_status: 0 is success, a negative value is an error, a positive
 *            value is success with additional information. Callers must accept values that this header does not
 *            define. The last parameter, `err`, may be NULL. Otherwise it is set to NULL on success, and on failure to
 *            an error object, which the caller frees with recto_error_free(). There is no "last error" and no other
 *            hidden state. In addition to the errors that a function lists, every request can fail with
 *            RECTO_E_AUTH, _PERMISSION, _NOT_FOUND, _RATE_LIMITED, _TOO_LARGE, _SERVER, _TRANSPORT, _TIMEOUT,
 *            _PROTOCOL or _CANCELLED.
 * NULL       Arguments must not be NULL, unless the comment of the function allows it; NULL is then refused with
 *            RECTO_E_NULL. (NULL, 0) is an empty buffer. Accessors accept a NULL object, and return NULL, 0 or the
 *            value that their comment states.
 * TEXT       is UTF-8 that ends with a NUL; other text is refused with RECTO_E_INVALID. Paths are passed to the
 *            operating system as they are.
 * THREADS    The comment of each type states how many threads may use an object at the same time. This also applies to
 *            its accessors and its free function. A call blocks its thread, and needs no event loop; recto_task makes
 *            calls in the background, for hosts that have one.
 * CALLBACKS  run on the thread that made the call, during the call, and must return. A progress, read or write callback
 *            may make other calls, also with the same client. The log callback must not: such a call is refused with
 *            RECTO_E_INVALID. The log callback also runs on the threads of a batch, of a task and of the embedded
 *            service, and the progress callback of a task on a thread of the library.
 * STACK      A call needs at most 64 KiB of stack, and the callbacks need what they use themselves. The library's own
 *            threads have stacks of their own.
 * WORKERS    The embedded service processes documents in worker processes, in a sandbox, so that a malicious document
 *            can harm only its own operation. It starts them from a program: the setting `worker` of the configuration,
 *            or else the environment variable RECTO_WORKER, or else the program `recto` that is installed with the
 *            library (in libexec/recto or bin of its prefix, or next to it), or else the one that is installed with
 *            this program. A path that is set but cannot be started is refused. If no program is found, or with
 *            RECTO_WORKER=none, documents are processed in this process: then a document may decode to at most
 *            `in_process_bytes`, but a failed allocation ends the process. With isolation=workers, recto_client_new()
 *            fails instead.
 * FILES      The embedded service keeps its files in a private directory. When the last handle of an operation is
 *            freed, the service deletes the document if the operation uploaded it, and the result if it was downloaded
 *            completely with a handle of the operation. The service keeps files that the program uploaded itself, for
 *            example with recto_upload_path(), and results that were not downloaded. It keeps all files of an operation
 *            with the setting `keep_files`, after recto_operation_keep() and after recto_operation_token(). These files
 *            are deleted by recto_file_delete(), after the time of the setting `retention_ms`, or with the directory.
 *            The directory is deleted when the service ends and when the process exits. If a signal, _exit() or a crash
 *            ends the process, a watch process deletes the directory: a small process that runs the program of the
 *            workers. Without workers, or if the watch process is killed too, the next embedded service of the user
 *            deletes it.
 * FORK       Create clients after fork(). A client that was created before is refused in the child with
 *            RECTO_E_FORKED.
 * SIGNALS    The library uses no signals and changes no signal handlers. Its own threads block all signals, so that the
 *            signals of the process reach only the threads of the host. During a call it blocks SIGPIPE in the calling
 *            thread, so that a closed connection is an error and does not end the process.
 * EXIT       A process may exit or return from main() at any time; the threads of the library end with it, and the
 *            files of the embedded service are deleted. Operations of another service continue there. Calls from
 *            atexit() handlers and from destructors of thread-local values succeed or fail; they never hang.
 *            recto_shutdown() ends the threads earlier.
 * UNLOADING  The shared library stays in the process once it is loaded; dlclose() is allowed and does nothing.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 * Generated from ffi-c by cbindgen: do not edit.
 */


#ifndef RECTO_H
#define RECTO_H

#include <stddef.h>
#include <stdint.h>

/** The version of this header: 1 in 1.2.3. */
#define RECTO_VERSION_MAJOR 0
/** The version of this header: 2 in 1.2.3. */
#define RECTO_VERSION_MINOR 1
/** The version of this header: 3 in 1.2.3. */
#define RECTO_VERSION_PATCH 0
/** The whole version of this header. */
#define RECTO_VERSION_STRING "0.1.0"

/** Whether this header has at least this version: `#if RECTO_VERSION_AT_LEAST(0, 1, 0)`. */
#define RECTO_VERSION_AT_LEAST(major, minor, patch) \
    (RECTO_VERSION_NUMBER >= ((major) << 16 | (minor) << 8 | (patch)))

/*
 * With GCC and Clang, the compiler warns if a status is ignored, or if NULL is passed for an argument that must not be
 * NULL. Define RECTO_NO_ATTRIBUTES to switch this off.
 */
#if defined(__GNUC__) && !defined(RECTO_NO_ATTRIBUTES)
#define RECTO_CHECKED __attribute__((warn_unused_result))
#define RECTO_NONNULL(...) __attribute__((nonnull(__VA_ARGS__)))
#else
/** The status of the call must not be ignored. */
#define RECTO_CHECKED
/** The arguments with these numbers must not be NULL. */
#define RECTO_NONNULL(...)
#endif

/*
 * The names of the operations, for recto_start(), recto_start_path() and so on. recto_call_set_unchecked() is for
 * operations of later services.
 */

/**
 * Compresses a PDF according to a profile. It takes .pdf.
 *
 * - `profile`: web, archive, print, minimalFileSize. What the document is optimized for. Default: minimalFileSize.
 */
#define RECTO_OPTIMIZE "optimize"

/**
 * Converts a JPEG, PNG or TIFF image to PDF. It takes .jpg, .jpeg, .png, .tif, .tiff.
 *
 * - `pageSize`: a4, letter. The page's size. Default: a4.
 * - `pageMargin.margin`: a number. The width of the margin, in its unit. Required in its object.
 * - `pageMargin.unit`: cm, in. The unit of the margin. Required in its object.
 * - `strategy`: Auto, ShrinkToPage, ShrinkToPortrait. When the page is landscape; an image larger than the page is
 *   shrunk, a smaller image keeps its size. Default: Auto.
 *
 * As JSON: `pageMargin.margin` is {"pageMargin": {"margin": ...}}.
 */
#define RECTO_IMAGE_TO_PDF "image-to-pdf"

/**
 * Converts a PDF to PDF/A for long-term archiving. It takes .pdf.
 *
 * - `conformance`: pdf_a2_b, pdf_a3_b. The PDF/A level to convert to. Required.
 */
#define RECTO_ARCHIVE_PDFA "archive-pdfa"

/**
 * Renders each page as a JPEG image; several images are returned as one zip archive. It takes .pdf.
 *
 * - `colorSpace`: rgb, gray, cmyk. The image's colour space. Default: rgb.
 * - `jpegQuality`: 0 to 100. The quality of compression, 0 (smallest) to 100 (best). Default: 85.
 * - `maxSizeInPixels.width`: 1 to 4294967295. The maximum width in pixels. Required in its object.
 * - `maxSizeInPixels.height`: 1 to 4294967295. The maximum height in pixels. Required in its object.
 *
 * As JSON: `maxSizeInPixels.width` is {"maxSizeInPixels": {"width": ...}}.
 */
#define RECTO_PDF_TO_JPEG "pdf-to-jpeg"

/**
 * Renders each page as a PNG image; several images are returned as one zip archive. It takes .pdf.
 *
 * - `colorSpace`: rgb, gray. The image's colour space. Default: rgb.
 * - `transparentBackground`: true or false. Whether the image has an alpha channel instead of a white background.
 *   Default: false.
 * - `maxSizeInPixels.width`: 1 to 4294967295. The maximum width in pixels. Required in its object.
 * - `maxSizeInPixels.height`: 1 to 4294967295. The maximum height in pixels. Required in its object.
 *
 * As JSON: `maxSizeInPixels.width` is {"maxSizeInPixels": {"width": ...}}.
 */
#define RECTO_PDF_TO_PNG "pdf-to-png"

/**
 * Renders each page as a TIFF image in the colours of the page; several images are returned as one zip archive. It
 * takes .pdf.
 * It has no options.
 */
#define RECTO_PDF_TO_TIFF "pdf-to-tiff"

/**
 * Renders all pages into one TIFF-F file for fax. It takes .pdf.
 * It has no options.
 */
#define RECTO_PDF_TO_TIFF_FAX "pdf-to-tiff-fax"

/**
 * Converts a word-processing document to PDF. It takes .doc, .docx, .odt, .rtf, .wpd, .txt.
 * It has no options.
 */
#define RECTO_DOC_TO_PDF "doc-to-pdf"

/**
 * Converts a presentation to PDF. It takes .ppt, .pptx, .odp.
 * It has no options.
 */
#define RECTO_PRESENTATION_TO_PDF "presentation-to-pdf"

/**
 * Converts a spreadsheet to PDF. It takes .xls, .xlsx, .ods, .csv.
 * It has no options.
 */
#define RECTO_SPREADSHEET_TO_PDF "spreadsheet-to-pdf"

/**
 * Protects a PDF with a password. It takes .pdf.
 *
 * - `password`: a text. The password that will open the document.
 */
#define RECTO_ENCRYPT "encrypt"

/**
 * Removes the password of a PDF. It takes .pdf.
 *
 * - `password`: a text. The document's user or owner password.
 */
#define RECTO_DECRYPT "decrypt"

/**
 * Stamps a text on every page. It takes .pdf.
 *
 * - `text`: a text. The text. Required.
 * - `margin.top`: a number. The distance from the top edge, in the margin's unit.
 * - `margin.right`: a number. The distance from the right edge, in the margin's unit.
 * - `margin.left`: a number. The distance from the left edge, in the margin's unit.
 * - `margin.bottom`: a number. The distance from the bottom edge, in the margin's unit.
 * - `margin.unit`: cm, in. The unit of the distances.
 * - `textStyle.textColor`: a text. The colour, such as \#c00000 or red.
 * - `textStyle.fontFamily`: sans, serif. The typeface.
 * - `textStyle.isBold`: true or false. Bold.
 * - `textStyle.isItalic`: true or false. Italic.
 * - `textStyle.fontSize`: a number. The font size; the local service reads it in points.
 *
 * As JSON: `margin.top` is {"margin": {"top": ...}}.
 */
#define RECTO_STAMP_TEXT "stamp-text"

/**
 * Stamps a text across every page at 45 degrees, half transparent. It takes .pdf.
 *
 * - `text`: a text. The text. Required.
 * - `margin.top`: a number. The distance from the top edge, in the margin's unit.
 * - `margin.right`: a number. The distance from the right edge, in the margin's unit.
 * - `margin.left`: a number. The distance from the left edge, in the margin's unit.
 * - `margin.bottom`: a number. The distance from the bottom edge, in the margin's unit.
 * - `margin.unit`: cm, in. The unit of the distances.
 * - `textStyle.textColor`: a text. The colour, such as \#c00000 or red.
 * - `textStyle.fontFamily`: sans, serif. The typeface.
 * - `textStyle.isBold`: true or false. Bold.
 * - `textStyle.isItalic`: true or false. Italic.
 * - `textStyle.fontSize`: a number. The font size; the local service reads it in points.
 *
 * As JSON: `margin.top` is {"margin": {"top": ...}}.
 */
#define RECTO_STAMP_WATERMARK "stamp-watermark"

/**
 * Stamps a barcode on every page. It takes .pdf.
 *
 * - `margin.left`: a number. The distance from the left edge, in the margin's unit.
 * - `margin.bottom`: a number. The distance from the bottom edge, in the margin's unit.
 * - `margin.unit`: cm, in. The unit of the distances.
 * - `type`: a text. The type of barcode, such as code128. Required.
 * - `value`: a text. The value to encode. Required.
 * - `stampSize.width`: a number. The width, in the size's unit.
 * - `stampSize.height`: a number. The height, in the size's unit.
 * - `stampSize.unit`: a text. The unit of the size, such as cm or in.
 *
 * As JSON: `margin.left` is {"margin": {"left": ...}}.
 */
#define RECTO_STAMP_BARCODE "stamp-barcode"

/**
 * Stamps a Data Matrix symbol on every page. It takes .pdf.
 *
 * - `margin.left`: a number. The distance from the left edge, in the margin's unit.
 * - `margin.bottom`: a number. The distance from the bottom edge, in the margin's unit.
 * - `margin.unit`: cm, in. The unit of the distances.
 * - `value`: a text. The value to encode. Required.
 * - `stampSize.side`: a number. The length of a side, in the size's unit.
 * - `stampSize.unit`: a text. The unit of the size, such as cm or in.
 *
 * As JSON: `margin.left` is {"margin": {"left": ...}}.
 */
#define RECTO_STAMP_DATA_MATRIX "stamp-data-matrix"

/**
 * Stamps a QR code on every page. It takes .pdf.
 *
 * - `margin.left`: a number. The distance from the left edge, in the margin's unit.
 * - `margin.bottom`: a number. The distance from the bottom edge, in the margin's unit.
 * - `margin.unit`: cm, in. The unit of the distances.
 * - `value`: a text. The value to encode. Required.
 * - `stampSize.side`: a number. The length of a side, in the size's unit.
 * - `stampSize.unit`: a text. The unit of the size, such as cm or in.
 *
 * As JSON: `margin.left` is {"margin": {"left": ...}}.
 */
#define RECTO_STAMP_QR "stamp-qr"

/**
 * Checks a PDF against a version of the standard or a PDF/A level. It takes .pdf.
 *
 * - `conformance`: a text. The standard and level to check against, such as pdf13 or pdf_a2_b.
 */
#define RECTO_VALIDATE "validate"

/**
 * Compresses a PDF and converts it to PDF/A in one operation. It takes .pdf.
 *
 * - `conformance`: a text. The PDF/A level to convert to, such as pdf_a2_b.
 */
#define RECTO_POWER_ARCHIVE "power-archive"


/**
 * A failure that remained after all retries.
 */
#define RECTO_LOG_ERROR 1

/**
 * An unexpected condition.
 */
#define RECTO_LOG_WARN 2

/**
 * An event that can explain a delay: a request is retried, a presigned URL renewed.
 */
#define RECTO_LOG_INFO 3

/**
 * Every request and its response.
 */
#define RECTO_LOG_DEBUG 4

/**
 * Everything.
 */
#define RECTO_LOG_TRACE 5

/**
 * Creating the client, or reading a resume token.
 */
#define RECTO_PHASE_CONFIGURE 1

/**
 * Uploading a document.
 */
#define RECTO_PHASE_UPLOAD 2

/**
 * Starting an operation.
 */
#define RECTO_PHASE_START 3

/**
 * Waiting for an operation to end.
 */
#define RECTO_PHASE_WAIT 4

/**
 * Downloading a result.
 */
#define RECTO_PHASE_DOWNLOAD 5

/**
 * Listing, looking up or deleting files.
 */
#define RECTO_PHASE_FILES 6

/**
 * A time in milliseconds without a limit.
 */
#define RECTO_FOREVER -1

/**
 * The version of this header: 0xMMmmpp (major, minor, patch).
 */
#define RECTO_VERSION_NUMBER 256

/**
 * A batch runs one operation on many documents, several at the same time, and returns each document when it is done.
 *
 * Create it, set its settings, add the documents, and call recto_batch_next() until there are no more. The client may
 * be freed before it.
 *
 * Threads: one at a time. The batch processes documents in its own threads, which also call the log callback of the
 * client.
 */
typedef struct recto_batch recto_batch;

/**
 * One document of a batch, with its outcome. What the accessors return is valid until the item is
 * freed.
 *
 * Threads: one at a time.
 */
typedef struct recto_batch_item recto_batch_item;

/**
 * The settings of a call. Every function that sends a request takes one, or NULL for the defaults. It can be used for
 * any number of calls, one after the other.
 *
 * Threads: one at a time.
 */
typedef struct recto_call recto_call;

/**
 * A switch that cancels calls: it ends the calls it was set for with RECTO_E_CANCELLED, within 50 ms. It cannot be
 * reset.
 *
 * It can be freed at any time, even while calls use it.
 *
 * Threads: any number at the same time; recto_cancel_trigger() is also safe in a signal handler.
 */
typedef struct recto_cancel recto_cancel;

/**
 * A client of the service. It can be freed before its operations, which keep what they need of it.
 *
 * A client belongs to the process that created it. In a forked child its calls, and those of its operations, are
 * refused with RECTO_E_FORKED. The child may free these handles, and must create its own client.
 *
 * Threads: any number at the same time, except for recto_client_free().
 */
typedef struct recto_client recto_client;

/**
 * The settings of a client, each a name and a value. Settings that are not set are taken from the environment:
 * RECTO_BASE_URL, RECTO_API_KEY, RECTO_TIMEOUT (in seconds).
 *
 * Threads: one at a time.
 */
typedef struct recto_config recto_config;

/**
 * The details of an error: the status, a message for people, and further fields for programs. An error never contains
 * the API key, a password, or the query of a presigned URL.
 *
 * A function that fails returns one through `err`; the caller frees it with recto_error_free(). What the accessors
 * return is valid until the error is freed.
 *
 * Threads: one at a time.
 */
typedef struct recto_error recto_error;

/**
 * The record of a file in the service. What the accessors return is valid until the record is freed. They return NULL
 * for a field that the response does not have, and for NULL.
 *
 * Threads: one at a time.
 */
typedef struct recto_file recto_file;

/**
 * A list of file records.
 *
 * Threads: one at a time.
 */
typedef struct recto_file_list recto_file_list;

/**
 * An embedded service that is started explicitly, for other programs or for clients with their own settings. A client
 * without a base URL starts one automatically.
 *
 * It does not run in a forked child; the child may free the handle.
 *
 * Threads: one at a time.
 */
typedef struct recto_local recto_local;

/**
 * A started operation. The client may be freed before it. Freeing the handle does not stop the operation in the
 * service.
 *
 * Threads: any number at the same time, except for recto_operation_free().
 */
typedef struct recto_operation recto_operation;

/**
 * The options of one operation. Set each option by its name, and pass recto_options_json() to the function that starts
 * the operation:
 *
 *     recto_options *options = NULL;
 *     recto_options_new(RECTO_STAMP_TEXT, &options, &error);
 *     recto_options_set(options, "text", "DRAFT", &error);
 *     recto_options_set_int(options, "textStyle.fontSize", 12, &error);
 *     recto_start_path(client, RECTO_STAMP_TEXT, path, recto_options_json(options), NULL, &operation, &error);
 *     recto_options_free(options);
 *
 * The comment of each operation at the top lists its options. An option inside an object has the name of the object, a
 * dot, and its own name.
 *
 * Threads: one at a time.
 */
typedef struct recto_options recto_options;

/**
 * The result of an operation: a result file or a validation report. What the accessors return is valid until the
 * result is freed.
 *
 * Threads: one at a time.
 */
typedef struct recto_result recto_result;

/**
 * A call that runs in the background. Its descriptor becomes readable when the call has ended, so that an event loop
 * can wait for it. Then recto_task_take_operation(), _result(), _path(), _data(), _file_id() or _item() returns what
 * the call has returned:
 *
 *     recto_background_run(client, RECTO_OPTIMIZE, "report.pdf", NULL, "small.pdf", NULL, &task, &error);
 *     ... add recto_task_descriptor(task) to the loop, and when it is readable: ...
 *     recto_task_take_path(task, &path, &error);
 *     recto_task_free(task);
 *
 * Nothing blocks: neither the functions that start a task, nor recto_task_free(). The calls run on threads of the
 * library, at most 64 at the same time; further tasks wait for a thread. The settings of the call are copied. Its
 * progress callback runs on such a thread, and never after recto_task_free() has returned. A
 * document that a read callback provides is uploaded with recto_upload_stream(), which blocks.
 *
 * Threads: one at a time; recto_task_cancel() on any thread.
 */
typedef struct recto_task recto_task;

/**
 * The outcome of a call: 0 is success, a negative value is an error. Later versions may return values that this header
 * does not define: treat any negative value as an error, and any positive value as success.
 */
typedef int32_t recto_status;

/**
 * A log callback: it receives a RECTO_LOG_ level and one line of text, which is valid until it returns. The text
 * contains no API key, no password and no query of a presigned URL.
 *
 * It runs on the thread that made the call, during the call, and also on the threads of a batch and of the embedded
 * service, so it can be called on several threads at the same time. It must return, like a recto_progress_fn. It must
 * not make calls of this library, which are refused with RECTO_E_INVALID. NULL means no function.
 */
typedef void (*recto_log_fn)(int32_t level, const char *message, void *userdata);

/**
 * Frees `userdata`. NULL means no function.
 */
typedef void (*recto_drop_fn)(void *userdata);

/**
 * A read callback, which provides the bytes of a document: it writes at most `size` bytes to `buffer` and returns how
 * many, 0 at the end of the document. A negative value ends the call with RECTO_E_CANCELLED.
 *
 * It runs on the thread that made the call, during the call, and must return, like a recto_progress_fn. NULL means no
 * function.
 */
typedef int64_t (*recto_read_fn)(void *buffer, size_t size, void *userdata);

/**
 * A write callback, which receives the bytes of a result in pieces. Return 0 to continue; any other value ends the
 * call with RECTO_E_CANCELLED.
 *
 * It runs on the thread that made the call, during the call, and must return, like a recto_progress_fn. NULL means no
 * function.
 */
typedef int32_t (*recto_write_fn)(const void *data, size_t length, void *userdata);

/**
 * A progress callback: called at the beginning and the end of each phase, and at most every 50 ms in between.
 *
 * `phase` is RECTO_PHASE_UPLOAD, _WAIT or _DOWNLOAD. `done` and `total` count the bytes of the phase; a byte that is
 * sent again is not counted again. `total` is -1 if it is not known, as always in RECTO_PHASE_WAIT. `userdata`
 * is the pointer that was set together with the function.
 *
 * Return 0 to continue; any other value ends the call with RECTO_E_CANCELLED. The function runs on the thread that
 * made the call, during the call. It must return: no longjmp, and no C++ exception, which would end the process
 * (recto.hpp passes exceptions on to the caller). NULL means no function.
 */
typedef int32_t (*recto_progress_fn)(int32_t phase, int64_t done, int64_t total, void *userdata);

/**
 * Success.
 */
#define RECTO_OK 0

/**
 * Success, and there are no more items: the end of an iteration.
 */
#define RECTO_DONE 1

/**
 * No error: the call in the background still runs.
 */
#define RECTO_PENDING 2

/**
 * A required argument is NULL.
 */
#define RECTO_E_NULL -1

/**
 * An argument or an option is invalid, or a text is not valid UTF-8.
 */
#define RECTO_E_INVALID -2

/**
 * The configuration is wrong or incomplete.
 */
#define RECTO_E_CONFIG -3

/**
 * The service did not accept the key (401).
 */
#define RECTO_E_AUTH -4

/**
 * The key does not permit the request (403).
 */
#define RECTO_E_PERMISSION -5

/**
 * The file or operation does not exist (404, 410).
 */
#define RECTO_E_NOT_FOUND -6

/**
 * Too many requests (429).
 */
#define RECTO_E_RATE_LIMITED -7

/**
 * The document is larger than the service accepts (413).
 */
#define RECTO_E_TOO_LARGE -8

/**
 * The service failed (5xx).
 */
#define RECTO_E_SERVER -9

/**
 * The service could not be reached, the connection broke, or the certificate is not trusted.
 */
#define RECTO_E_TRANSPORT -10

/**
 * A request took longer than its time limit.
 */
#define RECTO_E_TIMEOUT -11

/**
 * The operation did not end within the wait timeout. It continues in the service, and recto_resume() resumes it by its
 * token.
 */
#define RECTO_E_WAIT_TIMEOUT -12

/**
 * The operation failed.
 */
#define RECTO_E_OPERATION_FAILED -13

/**
 * It is unknown whether the operation started.
 */
#define RECTO_E_OUTCOME_UNKNOWN -14

/**
 * The response of the service is invalid.
 */
#define RECTO_E_PROTOCOL -15

/**
 * The call was cancelled.
 */
#define RECTO_E_CANCELLED -16

/**
 * A local file cannot be read or written.
 */
#define RECTO_E_IO -17

/**
 * The client was created before fork() and is used in the child.
 */
#define RECTO_E_FORKED -18

/**
 * An internal error in the library. The process can continue.
 */
#define RECTO_E_PANIC -19

/**
 * An error that this version does not define.
 */
#define RECTO_E_UNKNOWN -99

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * The name of a status, such as "RECTO_E_TIMEOUT"; "RECTO_E_UNKNOWN" for a value that this version does not define.
 * Static: never freed, never NULL.
 *
 * Threads: any.
 */
const char *recto_status_name(recto_status status);

/**
 * Frees an error. NULL is allowed and does nothing.
 *
 * Threads: any, once.
 */
void recto_error_free(recto_error *error);

/**
 * The status that the function returned; RECTO_OK for NULL.
 */
RECTO_CHECKED
recto_status recto_error_status(const recto_error *error);

/**
 * A message of one line: what happened, to which document or operation, and what to do next. Never NULL; empty for
 * NULL.
 */
const char *recto_error_message(const recto_error *error);

/**
 * What to do next, which is also part of the message; NULL if there is no advice.
 */
const char *recto_error_advice(const recto_error *error);

/**
 * The phase of the call in which the error happened, a RECTO_PHASE_ value; 0 if the phase is not known.
 */
int32_t recto_error_phase(const recto_error *error);

/**
 * The HTTP status of the response; 0 if there was no response.
 */
int32_t recto_error_http_status(const recto_error *error);

/**
 * The HTTP method of the request; NULL if there was no request.
 */
const char *recto_error_method(const recto_error *error);

/**
 * The URL of the request, without its query; NULL if there was no request.
 */
const char *recto_error_url(const recto_error *error);

/**
 * The error code of the service, such as "file_not_found"; NULL if the response has none.
 */
const char *recto_error_code(const recto_error *error);

/**
 * The title that the service gives to this kind of error; NULL if the response has none.
 */
const char *recto_error_title(const recto_error *error);

/**
 * The service's explanation of this error; NULL if the response has none.
 */
const char *recto_error_detail(const recto_error *error);

/**
 * The request identifier, under which the service logged the request; NULL if the response has none.
 */
const char *recto_error_request_id(const recto_error *error);

/**
 * The identifier of the operation concerned; NULL if there is none.
 */
const char *recto_error_operation_id(const recto_error *error);

/**
 * The document that the call was about, as the caller named it: its path, its name, or "file" and its identifier; NULL
 * if there is none.
 */
const char *recto_error_document(const recto_error *error);

/**
 * With RECTO_E_WAIT_TIMEOUT: the token with which recto_resume() resumes the operation. Otherwise NULL.
 */
const char *recto_error_token(const recto_error *error);

/**
 * The beginning of the response body, or the raw result of a failed operation; NULL if there is none.
 */
const char *recto_error_body(const recto_error *error);

/**
 * How many requests were made, including the last one; 0 if there were none.
 */
uint32_t recto_error_attempts(const recto_error *error);

/**
 * How long the client should wait before the next request, as requested by the service (Retry-After), in milliseconds;
 * -1 if the service did not request a delay.
 */
int64_t recto_error_retry_after_ms(const recto_error *error);

/**
 * 1 if the same call can succeed later without a change; otherwise 0.
 */
int32_t recto_error_is_retryable(const recto_error *error);

/**
 * Creates a configuration in which nothing is set, freed with recto_config_free().
 */
RECTO_CHECKED RECTO_NONNULL(1)
recto_status recto_config_new(recto_config **out, recto_error **err);

/**
 * Sets a setting. Numbers are decimal, switches are "true" or "false", times are milliseconds above 0. The settings:
 *
 * - `base_url`: the address of the service, such as `https://pdf.example.com`; it may have a path. If it is set
 *   neither here nor in the environment, the client uses the embedded service: documents are processed on this
 *   machine.
 * - `api_key`: the API key, which is sent only to the origin of the base URL; empty for none.
 * - `timeout_ms`: the time limit of the whole call: upload, start, wait, download and retries; -1 for no limit.
 *   Default: no limit. An API request with its retries is then limited to 5 minutes.
 * - `connect_timeout_ms`: how long to wait for a connection, including TLS. Default: 10000.
 * - `stall_timeout_ms`: how long to wait for the response to a request, or for the next byte of a transfer. Default:
 *   30000.
 * - `wait_timeout_ms`: the time limit for waiting for the operation, within the time limit of the whole call; -1 for
 *   no limit. When it expires, the call ends with RECTO_E_WAIT_TIMEOUT, and the operation continues. Default: no limit
 *   if `timeout_ms` is set, otherwise 15 minutes.
 * - `retries`: how many times a failed request is repeated. Default: 3.
 * - `retry_unknown`: whether the start of an operation is also repeated if it is unknown whether it started. The
 *   operation may then run, and be charged, twice. Default: false.
 * - `allow_http`: whether the base URL may be unencrypted http to another machine. Default: false.
 * - `proxy`: `http://[user:password@]host:port`; empty for none. Default: the proxy of the environment (HTTPS_PROXY,
 *   HTTP_PROXY, ALL_PROXY, NO_PROXY), which is never used for this machine itself.
 * - `ca_bundle`: a PEM file of certificate authorities to trust in addition to those of the system.
 * - `client_certificate`: a PEM file with the TLS certificate of the client and its unencrypted private key.
 * - `user_agent`: the User-Agent header. Default: "recto/" and the version.
 * - `json_limit`: the largest JSON response, in bytes. Default: 16777216.
 * - `environment`: whether settings that are not set are taken from the environment. Default: true.
 * - `isolation`: how the embedded service isolates documents from this process. `best` processes them in worker
 *   processes that are sandboxed as far as the system allows, or in this process if no program for them is known.
 *   `workers` requires workers, `strict` workers with a complete sandbox: otherwise recto_client_new() fails. `none`
 *   processes documents in this process. Default: best.
 * - `worker`: the path of the `recto` program from which the embedded service starts its workers. Default: see WORKERS
 *   at the top.
 * - `workers`: how many operations the embedded service runs at the same time. Default: one for each core.
 * - `worker_memory`: the memory limit of a worker process, in bytes. Default: 4294967296.
 * - `in_process_bytes`: how many bytes a document may decode to, if it is processed in this process. Default:
 *   268435456.
 * - `stored_bytes`: the size limit of all files and results in the embedded service, in bytes. Default: 68719476736.
 * - `retention_ms`: after which time the embedded service deletes files and results that were not deleted earlier.
 *   Default: 86400000 (24 hours).
 * - `data_dir`: an existing directory, in which the embedded service creates a private directory for its files.
 *   Default: the temporary directory of the system.
 * - `keep_files`: whether the embedded service keeps the files of an operation when its handle is freed: see FILES at
 *   the top. Default: false.
 *
 * Errors: RECTO_E_CONFIG for an unknown setting or an invalid value. Errors that only appear when the setting is used,
 * such as a missing file, are returned by recto_client_new().
 */
RECTO_CHECKED RECTO_NONNULL(1, 2, 3)
recto_status recto_config_set(recto_config *config,
                              const char *name,
                              const char *value,
                              recto_error **err);

/**
 * Sets a header of every request to the service, such as "traceparent" or a header that a gateway requires. It is sent
 * only to the origin of the base URL. A later header with the same name replaces it, and so does
 * recto_call_set_header(). If the name of a header suggests a secret, as "Authorization" does, its value is removed
 * from messages and logs.
 *
 * Errors: RECTO_E_CONFIG for an invalid header, and for one that the library sets itself, such as "X-Api-Key".
 */
RECTO_CHECKED RECTO_NONNULL(1, 2, 3)
recto_status recto_config_set_header(recto_config *config,
                                     const char *name,
                                     const char *value,
                                     recto_error **err);

/**
 * Sets the log callback: `log` is called for events up to `level`, a RECTO_LOG_ value, in the calls of all clients
 * that are created with this configuration. `drop`, which may be NULL, is called exactly once with `userdata`: when
 * the configuration, its clients and their operations are all freed, or when another log has replaced this one. It is
 * not called if this function fails.
 *
 * Errors: RECTO_E_INVALID for an invalid level.
 */
RECTO_CHECKED RECTO_NONNULL(1)
recto_status recto_config_set_log(recto_config *config,
                                  int32_t level,
                                  recto_log_fn log,
                                  void *userdata,
                                  recto_drop_fn drop,
                                  recto_error **err);

/**
 * Frees a configuration. Clients that were created with it stay valid. NULL is allowed and does nothing.
 */
void recto_config_free(recto_config *config);

/**
 * Creates a client, freed with recto_client_free(). `config` may be NULL: all settings are then taken from the
 * environment.
 *
 * If neither the configuration nor the environment has a base URL, the client uses the embedded service. The first
 * such client of a process starts it, on the loopback interface, with its own key and a private temporary directory.
 * It ends when the last such client and its operations are freed; see FILES at the top. No document leaves the
 * machine. All such clients of a process must have the same settings of the embedded service.
 *
 * No request is sent.
 *
 * Errors: RECTO_E_CONFIG for an invalid address, key, proxy or certificate, or if the embedded service could not
 * start, has other settings, or is not part of this build.
 */
RECTO_CHECKED RECTO_NONNULL(2)
recto_status recto_client_new(const recto_config *config,
                              recto_client **out,
                              recto_error **err);

/**
 * Creates a copy of a client with changed settings, freed with recto_client_free(). The copy takes from `config` the
 * headers, the log callback and the settings `timeout_ms`, `wait_timeout_ms`, `stall_timeout_ms`, `retries`,
 * `retry_unknown` and `keep_files`; everything else is as in `client`. Both clients share the connections and the retry
 * budget. Closing one of the two closes both; the client may be freed before the copy. The environment is not read.
 *
 * Errors: RECTO_E_CONFIG if `config` has another setting, which only recto_client_new() accepts.
 */
RECTO_CHECKED RECTO_NONNULL(1, 2, 3)
recto_status recto_client_with(const recto_client *client,
                               const recto_config *config,
                               recto_client **out,
                               recto_error **err);

/**
 * The address of the service, without user name and password. Valid until the client is freed; NULL for NULL.
 */
const char *recto_client_base_url(const recto_client *client);

/**
 * Closes a client: ends the running calls of all threads with RECTO_E_CANCELLED, within 50 ms, and refuses later calls
 * with RECTO_E_CONFIG. Operations continue in the service. NULL is allowed and does nothing.
 */
void recto_client_close(const recto_client *client);

/**
 * Frees a client, while none of its calls is running. Its operation handles stay valid. NULL is allowed and does
 * nothing.
 *
 * It returns at once, except when it ends the embedded service: that takes some milliseconds, or up to two seconds if
 * operations are running in it, which are then aborted.
 *
 * Threads: any, once.
 */
void recto_client_free(recto_client *client);

/**
 * Creates options in which nothing is set, freed with recto_options_free().
 *
 * Errors: RECTO_E_INVALID for an unknown operation.
 */
RECTO_CHECKED RECTO_NONNULL(1, 2)
recto_status recto_options_new(const char *operation, recto_options **out, recto_error **err);

/**
 * Sets an option. Its type determines what `value` is: any text, an allowed value, a decimal number, "true" or
 * "false".
 *
 * Errors: RECTO_E_INVALID for an unknown name, a value that the option does not take, and an option that is already
 * set. The message lists the names or the values that are allowed.
 */
RECTO_CHECKED RECTO_NONNULL(1, 2, 3)
recto_status recto_options_set(recto_options *options,
                               const char *name,
                               const char *value,
                               recto_error **err);

/**
 * Sets an option that takes text or one of a list of values.
 *
 * Errors: as recto_options_set(), and RECTO_E_INVALID for an option of another type.
 */
RECTO_CHECKED RECTO_NONNULL(1, 2, 3)
recto_status recto_options_set_text(recto_options *options,
                                    const char *name,
                                    const char *value,
                                    recto_error **err);

/**
 * Sets an option that takes a number.
 *
 * Errors: as recto_options_set(), and RECTO_E_INVALID for an option of another type.
 */
RECTO_CHECKED RECTO_NONNULL(1, 2)
recto_status recto_options_set_int(recto_options *options,
                                   const char *name,
                                   int64_t value,
                                   recto_error **err);

/**
 * Sets an option that takes a number with a fraction.
 *
 * Errors: as recto_options_set(), and RECTO_E_INVALID for an option of another type, infinity and NaN.
 */
RECTO_CHECKED RECTO_NONNULL(1, 2)
recto_status recto_options_set_double(recto_options *options,
                                      const char *name,
                                      double value,
                                      recto_error **err);

/**
 * Sets an option that is true or false: `value` is 0 for false.
 *
 * Errors: as recto_options_set(), and RECTO_E_INVALID for an option of another type.
 */
RECTO_CHECKED RECTO_NONNULL(1, 2)
recto_status recto_options_set_bool(recto_options *options,
                                    const char *name,
                                    int32_t value,
                                    recto_error **err);

/**
 * The options as JSON, for recto_start() and the other functions with `options`. Valid until the next option is set,
 * or the options are freed; NULL for NULL.
 */
const char *recto_options_json(const recto_options *options);

/**
 * Frees the options, and overwrites them in memory. NULL is allowed and does nothing.
 */
void recto_options_free(recto_options *options);

/**
 * Starts an operation on a file that is in the service, and returns its handle, freed with recto_operation_free().
 *
 * `operation` is one of the names above, such as RECTO_OPTIMIZE. `options` is the object `options` of the interface
 * specification as JSON, such as "{\"profile\": \"web\"}", or NULL for none; recto_options_json() writes it. `call`
 * may be NULL.
 *
 * Errors: RECTO_E_INVALID for invalid options, before anything is sent; RECTO_E_OUTCOME_UNKNOWN if it is unknown
 * whether the operation started; and the errors that any request can have.
 */
RECTO_CHECKED RECTO_NONNULL(1, 2, 3, 6)
recto_status recto_start(const recto_client *client,
                         const char *operation,
                         const char *file_id,
                         const char *options,
                         const recto_call *call,
                         recto_operation **out,
                         recto_error **err);

/**
 * Uploads a local file and starts an operation on it: recto_upload_path() and recto_start() in one call. Invalid
 * arguments are refused before the upload.
 *
 * Errors: those of the two functions, and RECTO_E_INVALID for a file whose extension the operation does not take,
 * unless recto_call_set_force() is set for the call.
 */
RECTO_CHECKED RECTO_NONNULL(1, 2, 3, 6)
recto_status recto_start_path(const recto_client *client,
                              const char *operation,
                              const char *path,
                              const char *options,
                              const recto_call *call,
                              recto_operation **out,
                              recto_error **err);

/**
 * Uploads `length` bytes as a file `name` and starts an operation on it: recto_upload_data() and recto_start() in one
 * call.
 *
 * Errors: as recto_start_path().
 */
RECTO_CHECKED RECTO_NONNULL(1, 2, 5, 8)
recto_status recto_start_data(const recto_client *client,
                              const char *operation,
                              const void *data,
                              size_t length,
                              const char *name,
                              const char *options,
                              const recto_call *call,
                              recto_operation **out,
                              recto_error **err);

/**
 * Uploads the bytes that `read` returns as a file `name` and starts an operation on it: recto_upload_stream() and
 * recto_start() in one call.
 *
 * Errors: as recto_start_path() and recto_upload_stream().
 */
RECTO_CHECKED RECTO_NONNULL(1, 2, 6, 9)
recto_status recto_start_stream(const recto_client *client,
                                const char *operation,
                                recto_read_fn read,
                                void *userdata,
                                int64_t length,
                                const char *name,
                                const char *options,
                                const recto_call *call,
                                recto_operation **out,
                                recto_error **err);

/**
 * Starts an operation on the result of another operation, `previous`, and waits for that result first. If both belong
 * to the same service, the result file is used there; otherwise it is downloaded and sent. `previous` may be freed
 * afterwards.
 *
 * Errors: those of recto_operation_wait() and recto_start(); RECTO_E_INVALID if `previous` has no result file.
 */
RECTO_CHECKED RECTO_NONNULL(1, 2, 3, 6)
recto_status recto_start_chained(const recto_client *client,
                                 const char *operation,
                                 const recto_operation *previous,
                                 const char *options,
                                 const recto_call *call,
                                 recto_operation **out,
                                 recto_error **err);

/**
 * Returns a handle of an operation that was started before, possibly by another process. `token` is the return value
 * of recto_operation_token() or recto_error_token(). No request is sent. The handle is freed with
 * recto_operation_free().
 *
 * Errors: RECTO_E_INVALID for an invalid token, RECTO_E_CONFIG for a token of another service.
 */
RECTO_CHECKED RECTO_NONNULL(1, 2, 3)
recto_status recto_resume(const recto_client *client,
                          const char *token,
                          recto_operation **out,
                          recto_error **err);

/**
 * The identifier of the operation in the service. Valid until the handle is freed; NULL for NULL.
 */
const char *recto_operation_id(const recto_operation *operation);

/**
 * The name of the operation, such as "stamp-qr". Valid until the handle is freed; NULL for NULL.
 */
const char *recto_operation_name(const recto_operation *operation);

/**
 * `operationType`, as in the response to the start of the operation, such as "stampQR". Valid until the handle is
 * freed; NULL for NULL.
 */
const char *recto_operation_type(const recto_operation *operation);

/**
 * The token with which recto_resume() resumes the operation, also in another process. It contains the identifier, the
 * operation and the base URL, but no API key and no presigned URL. An embedded service keeps the files of the
 * operation from now on, as after recto_operation_keep(). Valid until the handle is freed; NULL for NULL.
 */
const char *recto_operation_token(const recto_operation *operation);

/**
 * The request identifier, under which the service logged the request that started the operation; NULL if the service
 * sent none, for a resumed operation, and for NULL. Valid until the handle is freed.
 */
const char *recto_operation_request_id(const recto_operation *operation);

/**
 * Requests the status once, and returns it as the service spells it, such as "inProgress" or "finished", freed with
 * recto_free(). For a failed operation this function returns the failed status, not an error. `call` may be NULL.
 *
 * Errors: those that any request can have.
 */
RECTO_CHECKED RECTO_NONNULL(1, 3)
recto_status recto_operation_status(const recto_operation *operation,
                                    const recto_call *call,
                                    char **out,
                                    recto_error **err);

/**
 * Waits until the operation has ended, and returns its result, freed with recto_result_free(). A document that does
 * not conform is a result, not an error. `call` may be NULL.
 *
 * Errors: RECTO_E_WAIT_TIMEOUT if the operation has not ended in time; it continues in the service, and recto_resume()
 * resumes it with recto_error_token(). RECTO_E_OPERATION_FAILED if the operation failed. And the errors that
 * any request can have.
 */
RECTO_CHECKED RECTO_NONNULL(1, 3)
recto_status recto_operation_wait(const recto_operation *operation,
                                  const recto_call *call,
                                  recto_result **out,
                                  recto_error **err);

/**
 * Waits, and saves the result file to `path`. The file is written atomically: an existing file is replaced only when
 * the new one is complete, and keeps its mode. `call` may be NULL.
 *
 * If `path` is a directory, the file is named after the source, with the extension of the operation's result. There it
 * never replaces the source, nor a result that the client wrote for another source or operation. If the source has no
 * name on this machine (a file in the service, a resumed operation), the stem of the service's name for the result is
 * used, and no file is replaced.
 *
 * If `saved` is not NULL, it receives the path of the file, freed with recto_free().
 *
 * Errors: those of recto_operation_wait() and of the download; RECTO_E_IO if the file cannot be written, or exists and
 * may not be replaced; RECTO_E_INVALID for an operation without a result file, or if the source or another result
 * would be replaced.
 */
RECTO_CHECKED RECTO_NONNULL(1, 2)
recto_status recto_operation_save(const recto_operation *operation,
                                  const char *path,
                                  const recto_call *call,
                                  char **saved,
                                  recto_error **err);

/**
 * Waits, and returns the bytes of the result file in memory, freed with recto_free(). `call` may be NULL.
 *
 * Errors: those of recto_operation_wait() and of the download; RECTO_E_INVALID for an operation without a result file.
 */
RECTO_CHECKED RECTO_NONNULL(1, 3, 4)
recto_status recto_operation_read(const recto_operation *operation,
                                  const recto_call *call,
                                  void **data,
                                  size_t *length,
                                  recto_error **err);

/**
 * Waits, and passes the bytes of the result file to `write`, in pieces. `call` may be NULL. If `length` is not NULL,
 * it receives the number of bytes.
 *
 * Errors: RECTO_E_CANCELLED if `write` ends the call; and those of recto_operation_read().
 */
RECTO_CHECKED RECTO_NONNULL(1)
recto_status recto_operation_stream(const recto_operation *operation,
                                    recto_write_fn write,
                                    void *userdata,
                                    const recto_call *call,
                                    uint64_t *length,
                                    recto_error **err);

/**
 * Deletes from the service the result file of the operation, and its document if it was uploaded by the call that
 * started the operation. A document that was in the service before stays there. A file that was already deleted is not
 * an error. `call` may be NULL.
 *
 * Errors: RECTO_E_INVALID if the operation has not ended; and the errors that any request can have.
 */
RECTO_CHECKED RECTO_NONNULL(1)
recto_status recto_operation_delete(const recto_operation *operation,
                                    const recto_call *call,
                                    recto_error **err);

/**
 * Keeps the document and the result of the operation in the embedded service until they expire, even if the handle is
 * freed: see FILES at the top. Other services keep them in any case. NULL is allowed and does nothing.
 */
void recto_operation_keep(const recto_operation *operation);

/**
 * Frees the handle. None of its calls may be running. The operation continues in the service. The embedded service
 * deletes the files of the operation that are no longer needed: see FILES at the top. NULL is allowed and does
 * nothing.
 *
 * Threads: any, once. If it is the last handle that uses the embedded service, it can take as long as
 * recto_client_free().
 */
void recto_operation_free(recto_operation *operation);

/**
 * `operationType`, as in the response to the start of the operation, such as "optimize". NULL for NULL.
 */
const char *recto_result_operation_type(const recto_result *result);

/**
 * The status as the service spells it, such as "finished". NULL for NULL.
 */
const char *recto_result_status(const recto_result *result);

/**
 * 1 if there is a result file; otherwise 0.
 */
int32_t recto_result_has_output(const recto_result *result);

/**
 * The identifier of the result file; NULL if there is none.
 */
const char *recto_result_output_file_id(const recto_result *result);

/**
 * The name of the result file; NULL if there is none. It is not sanitised: make it safe before you use it as a file
 * name, as recto_operation_save() does.
 */
const char *recto_result_output_name(const recto_result *result);

/**
 * The URL to download the result file from; NULL if there is none. Its query is a secret: it gives access to the file.
 */
const char *recto_result_output_url(const recto_result *result);

/**
 * 1 if there is a validation report; otherwise 0.
 */
int32_t recto_result_has_validation(const recto_result *result);

/**
 * 1 if the document conforms, 0 if it does not, -1 if there is no report or it does not state this.
 */
int32_t recto_result_is_conforming(const recto_result *result);

/**
 * The conformance level that the document declares, such as "pdf15"; NULL if there is none.
 */
const char *recto_result_conformance(const recto_result *result);

/**
 * The number of findings in the validation report.
 */
size_t recto_result_error_count(const recto_result *result);

/**
 * The finding at `index`, counted from 0, as a text for people; NULL after the last finding.
 */
const char *recto_result_error_at(const recto_result *result, size_t index);

/**
 * The request identifier, under which the service logged the request for this result; NULL if the service sent none.
 */
const char *recto_result_request_id(const recto_result *result);

/**
 * The whole response of the service as JSON, including fields that this version does not know. It may contain the URL
 * of the result file, which is a secret. NULL for NULL.
 */
const char *recto_result_json(const recto_result *result);

/**
 * Frees a result. NULL is allowed and does nothing.
 */
void recto_result_free(recto_result *result);

/**
 * Uploads a local file and starts an operation on it, in the background: recto_start_path(). The task returns the
 * operation. The task is freed with recto_task_free().
 *
 * Errors: RECTO_E_INVALID for invalid options; RECTO_E_IO if no thread can be started. Errors of the call itself are
 * returned by recto_task_take_operation().
 */
RECTO_CHECKED RECTO_NONNULL(1, 2, 3, 6)
recto_status recto_background_start_path(const recto_client *client,
                                         const char *operation,
                                         const char *path,
                                         const char *options,
                                         const recto_call *call,
                                         recto_task **out,
                                         recto_error **err);

/**
 * Starts an operation on a file that is in the service, in the background: recto_start(). The task returns the
 * operation. The task is freed with recto_task_free().
 *
 * Errors: as recto_background_start_path().
 */
RECTO_CHECKED RECTO_NONNULL(1, 2, 3, 6)
recto_status recto_background_start(const recto_client *client,
                                    const char *operation,
                                    const char *file_id,
                                    const char *options,
                                    const recto_call *call,
                                    recto_task **out,
                                    recto_error **err);

/**
 * Uploads `length` bytes, which are copied, as a file `name` and starts an operation on it, in the background:
 * recto_start_data(). The task returns the operation. The task is freed with recto_task_free().
 *
 * Errors: as recto_background_start_path().
 */
RECTO_CHECKED RECTO_NONNULL(1, 2, 5, 8)
recto_status recto_background_start_data(const recto_client *client,
                                         const char *operation,
                                         const void *data,
                                         size_t length,
                                         const char *name,
                                         const char *options,
                                         const recto_call *call,
                                         recto_task **out,
                                         recto_error **err);

/**
 * Does a whole job in the background: uploads the file `path`, starts an operation on it, waits, and saves the result
 * to `save_to`, as recto_operation_save() does. The task returns the operation and the path of the saved file. The
 * task is freed with recto_task_free().
 *
 * Errors: as recto_background_start_path().
 */
RECTO_CHECKED RECTO_NONNULL(1, 2, 3, 5, 7)
recto_status recto_background_run(const recto_client *client,
                                  const char *operation,
                                  const char *path,
                                  const char *options,
                                  const char *save_to,
                                  const recto_call *call,
                                  recto_task **out,
                                  recto_error **err);

/**
 * Waits in the background until the operation has ended: recto_operation_wait(). The task returns the result. The task
 * is freed with recto_task_free(). The operation may be freed before the task.
 *
 * Errors: RECTO_E_IO if no thread can be started. Errors of the call itself are returned by recto_task_take_result().
 */
RECTO_CHECKED RECTO_NONNULL(1, 3)
recto_status recto_background_wait(const recto_operation *operation,
                                   const recto_call *call,
                                   recto_task **out,
                                   recto_error **err);

/**
 * Waits, and saves the result file to `path`, in the background: recto_operation_save(). The task returns the path of
 * the file. The task is freed with recto_task_free(). The operation may be freed before the task.
 *
 * Errors: as recto_background_wait().
 */
RECTO_CHECKED RECTO_NONNULL(1, 2, 4)
recto_status recto_background_save(const recto_operation *operation,
                                   const char *path,
                                   const recto_call *call,
                                   recto_task **out,
                                   recto_error **err);

/**
 * Waits, and reads the result file into memory, in the background: recto_operation_read(). The task returns the bytes.
 * The task is freed with recto_task_free(). The operation may be freed before the task.
 *
 * Errors: as recto_background_wait().
 */
RECTO_CHECKED RECTO_NONNULL(1, 3)
recto_status recto_background_read(const recto_operation *operation,
                                   const recto_call *call,
                                   recto_task **out,
                                   recto_error **err);

/**
 * Uploads a local file in the background: recto_upload_path(). The task returns the identifier of the file. The task
 * is freed with recto_task_free().
 *
 * Errors: as recto_background_wait().
 */
RECTO_CHECKED RECTO_NONNULL(1, 2, 4)
recto_status recto_background_upload_path(const recto_client *client,
                                          const char *path,
                                          const recto_call *call,
                                          recto_task **out,
                                          recto_error **err);

/**
 * Uploads `length` bytes, which are copied, as a file `name`, in the background: recto_upload_data(). The task
 * returns the identifier of the file. The task is freed with recto_task_free().
 *
 * Errors: as recto_background_wait().
 */
RECTO_CHECKED RECTO_NONNULL(1, 4, 6)
recto_status recto_background_upload_data(const recto_client *client,
                                          const void *data,
                                          size_t length,
                                          const char *name,
                                          const recto_call *call,
                                          recto_task **out,
                                          recto_error **err);

/**
 * Starts an operation on the result of another operation, in the background: recto_start_chained(). The task returns
 * the operation. The task is freed with recto_task_free(). `previous` may be freed before the task.
 *
 * Errors: as recto_background_start_path().
 */
RECTO_CHECKED RECTO_NONNULL(1, 2, 3, 6)
recto_status recto_background_start_chained(const recto_client *client,
                                            const char *operation,
                                            const recto_operation *previous,
                                            const char *options,
                                            const recto_call *call,
                                            recto_task **out,
                                            recto_error **err);

/**
 * Waits in the background for the next document of a batch that succeeds or fails: recto_batch_next(). The task
 * returns the item. The task is freed with recto_task_free(). Until the call ends, no other call can use the batch.
 *
 * Errors: as recto_background_wait().
 */
RECTO_CHECKED RECTO_NONNULL(1, 3)
recto_status recto_background_batch_next(recto_batch *batch,
                                         const recto_call *call,
                                         recto_task **out,
                                         recto_error **err);

/**
 * The descriptor of a task: it becomes readable when the call has ended, and stays so. Wait for it with poll(), epoll
 * or an event loop; do not read from it and do not close it. On Windows it is the HANDLE of an event, for
 * WaitForSingleObject(). It belongs to the task. -1 for NULL.
 */
ptrdiff_t recto_task_descriptor(const recto_task *task);

/**
 * Whether the call has ended: RECTO_OK if it has, also with an error; RECTO_PENDING if it still runs after
 * `timeout_ms` milliseconds. With 0 it returns at once, with RECTO_FOREVER it waits without a limit.
 *
 * Errors: RECTO_E_INVALID for an invalid time.
 */
RECTO_CHECKED RECTO_NONNULL(1)
recto_status recto_task_poll(const recto_task *task, int64_t timeout_ms, recto_error **err);

/**
 * Returns the operation that the task has started, freed with recto_operation_free(). It can be taken once.
 * RECTO_PENDING if the call still runs.
 *
 * Errors: those of the call; RECTO_E_INVALID if the task returns no operation, or it was already taken.
 */
RECTO_CHECKED RECTO_NONNULL(1, 2)
recto_status recto_task_take_operation(const recto_task *task, recto_operation **out, recto_error **err);

/**
 * Returns the result that the task has waited for, freed with recto_result_free(). It can be taken once. RECTO_PENDING
 * if the call still runs.
 *
 * Errors: those of the call; RECTO_E_INVALID if the task returns no result, or it was already taken.
 */
RECTO_CHECKED RECTO_NONNULL(1, 2)
recto_status recto_task_take_result(const recto_task *task,
                                    recto_result **out,
                                    recto_error **err);

/**
 * Returns the path of the file that the task has saved, freed with recto_free(). It can be taken once. RECTO_PENDING
 * if the call still runs.
 *
 * Errors: those of the call; RECTO_E_INVALID if the task saves no file, or its path was already taken.
 */
RECTO_CHECKED RECTO_NONNULL(1, 2)
recto_status recto_task_take_path(const recto_task *task,
                                  char **out,
                                  recto_error **err);

/**
 * Returns the bytes that the task has read, freed with recto_free(). They can be taken once. RECTO_PENDING if the call
 * still runs.
 *
 * Errors: those of the call; RECTO_E_INVALID if the task reads no file, or its bytes were already taken.
 */
RECTO_CHECKED RECTO_NONNULL(1, 2, 3)
recto_status recto_task_take_data(const recto_task *task,
                                  void **data,
                                  size_t *length,
                                  recto_error **err);

/**
 * Returns the identifier of the file that the task has uploaded, freed with recto_free(). It can be taken once.
 * RECTO_PENDING if the call still runs.
 *
 * Errors: those of the call; RECTO_E_INVALID if the task uploads no file, or its identifier was already taken.
 */
RECTO_CHECKED RECTO_NONNULL(1, 2)
recto_status recto_task_take_file_id(const recto_task *task,
                                     char **out,
                                     recto_error **err);

/**
 * Returns the item of a batch that the task has waited for, freed with recto_batch_item_free(). It can be taken once.
 * RECTO_PENDING if the call still runs; RECTO_DONE, with `out` set to NULL, when the batch has no more documents.
 *
 * Errors: those of the call; RECTO_E_INVALID if the task returns no item, or it was already taken.
 */
RECTO_CHECKED RECTO_NONNULL(1, 2)
recto_status recto_task_take_item(const recto_task *task,
                                  recto_batch_item **out,
                                  recto_error **err);

/**
 * Cancels the call within 50 ms: it ends with RECTO_E_CANCELLED, unless it ends otherwise before. NULL is allowed and
 * does nothing.
 */
void recto_task_cancel(const recto_task *task);

/**
 * Frees a task and closes its descriptor. A call that still runs is cancelled. NULL is allowed and does nothing.
 */
void recto_task_free(recto_task *task);

/**
 * Uploads a local file of any size, and returns its identifier in the service, freed with recto_free(). `call` may be
 * NULL. A path that begins with `http://` or `https://` is an address: the service downloads it, as with
 * recto_upload_url().
 *
 * Errors: RECTO_E_IO for a file that cannot be read, and the errors that any request can have.
 */
RECTO_CHECKED RECTO_NONNULL(1, 2, 4)
recto_status recto_upload_path(const recto_client *client,
                               const char *path,
                               const recto_call *call,
                               char **file_id,
                               recto_error **err);

/**
 * Uploads `length` bytes, which are copied, as a file `name`, whose extension determines the format. Returns the
 * identifier of the file, freed with recto_free(). (NULL, 0) is an empty document. `call` may be NULL.
 *
 * Errors: those that any request can have.
 */
RECTO_CHECKED RECTO_NONNULL(1, 4, 6)
recto_status recto_upload_data(const recto_client *client,
                               const void *data,
                               size_t length,
                               const char *name,
                               const recto_call *call,
                               char **file_id,
                               recto_error **err);

/**
 * Uploads the bytes that `read` returns as a file `name`, and returns the identifier of the file, freed with
 * recto_free(). If `length` is known, the bytes are sent as they are read. If it is -1, for unknown, all bytes are
 * first written to a temporary file. `call` may be NULL.
 *
 * Errors: RECTO_E_CANCELLED if `read` ends the call; RECTO_E_IO if it returns more or fewer bytes than `length`; and
 * the errors that any request can have.
 */
RECTO_CHECKED RECTO_NONNULL(1, 5, 7)
recto_status recto_upload_stream(const recto_client *client,
                                 recto_read_fn read,
                                 void *userdata,
                                 int64_t length,
                                 const char *name,
                                 const recto_call *call,
                                 char **file_id,
                                 recto_error **err);

/**
 * Makes the service download a document from `url`, and returns the identifier of the file, freed with recto_free().
 * `call` may be NULL.
 *
 * Errors: those that any request can have. They do not contain the query of the URL.
 */
RECTO_CHECKED RECTO_NONNULL(1, 2, 4)
recto_status recto_upload_url(const recto_client *client,
                              const char *url,
                              const recto_call *call,
                              char **file_id,
                              recto_error **err);

/**
 * Creates a batch, freed with recto_batch_free(). `operation` and `options` are those of recto_start(). Nothing is
 * read or sent before the first recto_batch_next().
 *
 * Errors: RECTO_E_INVALID for invalid options.
 */
RECTO_CHECKED RECTO_NONNULL(1, 2, 4)
recto_status recto_batch_new(const recto_client *client,
                             const char *operation,
                             const char *options,
                             recto_batch **out,
                             recto_error **err);

/**
 * Sets a setting, before the first recto_batch_next(). Switches are "true" or "false". The settings:
 *
 * - `to`: the directory of the result files, which is created if it does not exist. A result has the name of its
 *   source, with the extension of the result's format. If another source of the batch has the same name, "-2", "-3"
 *   and so on is appended. An existing file of that name is replaced. Default: result files stay in the service.
 * - `overwrite`: whether a result may replace a file that existed before the batch. If not, the document fails.
 *   Default: true.
 * - `relative_to`: a directory that contains the sources. The results are saved in the same subdirectories below `to`.
 *   Default: all results are in one directory.
 * - `concurrency`: how many documents are processed at the same time, 1 to 256. Default: 8.
 * - `journal`: a file in which each step is recorded before the next one starts, without secrets. A batch with the
 *   journal of an earlier run resumes it: finished documents are skipped, failed ones are tried again. Default: none.
 * - `stop_on_error`: whether no further documents are started after the first one that fails. Default: false.
 * - `delete_after`: whether a document and its result are deleted from the service once the result is saved. Default:
 *   false.
 * - `force`: whether an input is sent even if the operation does not take its extension. Default: false.
 * - `extra_options`: options that this version does not know, as in recto_call_set_extra_options(). Default: none.
 * - `watch`: a folder whose files are processed as they arrive, in place of documents that are added. The batch ends
 *   only when it is stopped with recto_batch_stop_on() or cancelled, or with an error that every other document would
 *   have too. A result replaces no file. The default of `journal` is a hidden file in the folder: a watch that was
 *   killed processes nothing twice. Default: none.
 * - `recursive`: whether files in subfolders of the watched folder count. Default: false.
 * - `settle_ms`: a file is complete when it has not changed for so many milliseconds; a file that was renamed to its
 *   path is complete at once. Default: 2000.
 * - `move_originals`: the folder to which a file of the watched folder is moved when it is done. Default: it stays.
 * - `delete_originals`: whether a file of the watched folder is deleted when it is done. Default: false.
 * - `failed`: the folder to which a file that cannot be processed is moved, with a text that contains the reason.
 *   After any other failure the file stays, and is tried again. Default: `failed` in the watched folder.
 *
 * Errors: RECTO_E_CONFIG for an unknown setting or an invalid value, and after the first recto_batch_next().
 */
RECTO_CHECKED RECTO_NONNULL(1, 2, 3)
recto_status recto_batch_set(recto_batch *batch,
                             const char *name,
                             const char *value,
                             recto_error **err);

/**
 * Sets a header of the requests of the batch, before the first recto_batch_next(), as recto_call_set_header() does.
 *
 * Errors: RECTO_E_CONFIG for an invalid header, and after the first recto_batch_next().
 */
RECTO_CHECKED RECTO_NONNULL(1, 2, 3)
recto_status recto_batch_set_header(recto_batch *batch,
                                    const char *name,
                                    const char *value,
                                    recto_error **err);

/**
 * Ends the batch when `stop` is triggered, before the first recto_batch_next(): it takes no further documents, and
 * recto_batch_next() returns those in progress, and then RECTO_DONE. By contrast, the cancel switch of a call also
 * cancels the documents in progress. The switch may be freed before the batch.
 *
 * Errors: RECTO_E_CONFIG after the first recto_batch_next().
 */
RECTO_CHECKED RECTO_NONNULL(1, 2)
recto_status recto_batch_stop_on(recto_batch *batch,
                                 const recto_cancel *stop,
                                 recto_error **err);

/**
 * Adds a document before the first recto_batch_next(): a local file, or an `http(s)://` address from which the service
 * downloads the document.
 *
 * Errors: RECTO_E_CONFIG after the first recto_batch_next().
 */
RECTO_CHECKED RECTO_NONNULL(1, 2)
recto_status recto_batch_add(recto_batch *batch,
                             const char *path,
                             recto_error **err);

/**
 * Adds a document that consists of `length` bytes and is called `name`, before the first recto_batch_next(). The bytes
 * are copied. In a batch with a journal, this document fails, because the journal cannot identify it.
 *
 * Errors: RECTO_E_CONFIG after the first recto_batch_next().
 */
RECTO_CHECKED RECTO_NONNULL(1, 4)
recto_status recto_batch_add_data(recto_batch *batch,
                                  const void *data,
                                  size_t length,
                                  const char *name,
                                  recto_error **err);

/**
 * Adds a file that is in the service, before the first recto_batch_next(). `delete_after` does not delete it.
 *
 * Errors: RECTO_E_CONFIG after the first recto_batch_next().
 */
RECTO_CHECKED RECTO_NONNULL(1, 2)
recto_status recto_batch_add_file(recto_batch *batch, const char *file_id, recto_error **err);

/**
 * Adds the result of an operation as a document, before the first recto_batch_next(). The batch waits for this result.
 * The operation may be freed afterwards. `delete_after` does not delete its result.
 *
 * Errors: RECTO_E_CONFIG after the first recto_batch_next().
 */
RECTO_CHECKED RECTO_NONNULL(1, 2)
recto_status recto_batch_add_operation(recto_batch *batch,
                                       const recto_operation *operation,
                                       recto_error **err);

/**
 * Waits for the next document that succeeds or fails, and returns it, freed with recto_batch_item_free(). `call` may
 * be NULL; its cancel switch and its time limit end the batch.
 *
 * Returns RECTO_DONE, with `out` set to NULL, when there are no more documents.
 *
 * Errors: from the first call, RECTO_E_CONFIG for contradictory settings and for a journal that is damaged, in use, or
 * of another batch, and RECTO_E_IO for a directory that cannot be created. From any call, RECTO_E_CANCELLED if the
 * call or the client was cancelled. An error ends the batch. A document that fails is not an error of this function:
 * see recto_batch_item_error().
 */
RECTO_CHECKED RECTO_NONNULL(1, 3)
recto_status recto_batch_next(recto_batch *batch,
                              const recto_call *call,
                              recto_batch_item **out,
                              recto_error **err);

/**
 * Ends a batch and frees it. Documents in progress are cancelled within about 50 ms, and the journal is complete. If a
 * background call uses the batch, the batch ends only when that call ends: free the task first. NULL is allowed and
 * does nothing.
 *
 * Threads: any, once.
 */
void recto_batch_free(recto_batch *batch);

/**
 * The position of the document among those that were added, counted from 0.
 */
size_t recto_batch_item_index(const recto_batch_item *item);

/**
 * The document as it was added: its path, its address without the query, its name, or a text that contains its
 * identifier. NULL for NULL.
 */
const char *recto_batch_item_source(const recto_batch_item *item);

/**
 * Why the document failed; NULL if it succeeded. It belongs to the item and must not be freed.
 */
const recto_error *recto_batch_item_error(const recto_batch_item *item);

/**
 * The path of the result file; NULL if the document failed, the operation has no result file, or `to` is not set.
 */
const char *recto_batch_item_path(const recto_batch_item *item);

/**
 * The identifier of the operation; NULL if the document failed.
 */
const char *recto_batch_item_operation_id(const recto_batch_item *item);

/**
 * The result; NULL if the document failed, or was finished in an earlier run. It belongs to the item and must not be
 * freed.
 */
const recto_result *recto_batch_item_result(const recto_batch_item *item);

/**
 * 1 if the document was finished in an earlier run with the same journal; otherwise 0.
 */
int32_t recto_batch_item_is_resumed(const recto_batch_item *item);

/**
 * With `delete_after`: why files of the document could not be deleted from the service. With `watch`: why its file
 * could not be moved or deleted. Otherwise NULL. It belongs to the item and must not be freed.
 */
const recto_error *recto_batch_item_left_behind(const recto_batch_item *item);

/**
 * The path to which a batch that watches a folder has moved the file; otherwise NULL.
 */
const char *recto_batch_item_moved_to(const recto_batch_item *item);

/**
 * Frees an item. NULL is allowed and does nothing.
 */
void recto_batch_item_free(recto_batch_item *item);

/**
 * Gets the record of a file, freed with recto_file_free(). `call` may be NULL.
 *
 * Errors: RECTO_E_NOT_FOUND, and the errors that any request can have.
 */
RECTO_CHECKED RECTO_NONNULL(1, 2, 4)
recto_status recto_file_get(const recto_client *client,
                            const char *file_id,
                            const recto_call *call,
                            recto_file **out,
                            recto_error **err);

/**
 * Deletes a file. `call` may be NULL. If `out` is not NULL, it receives the files that the response lists, freed with
 * recto_file_list_free(); the interface specification does not define which files these are.
 *
 * Errors: RECTO_E_NOT_FOUND, except after an earlier attempt of the same call that may have deleted the file; and the
 * errors that any request can have.
 */
RECTO_CHECKED RECTO_NONNULL(1, 2)
recto_status recto_file_delete(const recto_client *client,
                               const char *file_id,
                               const recto_call *call,
                               recto_file_list **out,
                               recto_error **err);

/**
 * The identifier of the file.
 */
const char *recto_file_id(const recto_file *file);

/**
 * When the file was created in the service: ISO 8601, UTC, with fractional seconds.
 */
const char *recto_file_created_at(const recto_file *file);

/**
 * How the file was created in the service, such as "fromUrl". Later services may have further values.
 */
const char *recto_file_origin(const recto_file *file);

/**
 * The name of the file.
 */
const char *recto_file_name(const recto_file *file);

/**
 * The extension of the file, without the dot.
 */
const char *recto_file_extension(const recto_file *file);

/**
 * Frees a record that recto_file_get() returned. NULL is allowed and does nothing.
 */
void recto_file_free(recto_file *file);

/**
 * Lists the active files: uploads and results, or only results if `only_result_files` is not 0. The list is freed with
 * recto_file_list_free(). `call` may be NULL.
 *
 * Errors: those that any request can have.
 */
RECTO_CHECKED RECTO_NONNULL(1, 4)
recto_status recto_file_list_get(const recto_client *client,
                                 int32_t only_result_files,
                                 const recto_call *call,
                                 recto_file_list **out,
                                 recto_error **err);

/**
 * The number of files in the list; 0 for NULL.
 */
size_t recto_file_list_count(const recto_file_list *list);

/**
 * The file at `index`, counted from 0. It belongs to the list and must not be freed. NULL after the last file.
 */
const recto_file *recto_file_list_at(const recto_file_list *list,
                                     size_t index);

/**
 * Frees a list and its files. NULL is allowed and does nothing.
 */
void recto_file_list_free(recto_file_list *list);

/**
 * The name of a phase, such as "upload"; "unknown" for a value that this version does not define. Static: never freed,
 * never NULL.
 *
 * Threads: any.
 */
const char *recto_phase_name(int32_t phase);

/**
 * Creates settings with all defaults, freed with recto_call_free().
 */
RECTO_CHECKED RECTO_NONNULL(1)
recto_status recto_call_new(recto_call **out, recto_error **err);

/**
 * Sets the time limit of the whole call, in milliseconds above 0: upload, start, wait, download and retries. Default:
 * the client's `timeout_ms`.
 *
 * Errors: RECTO_E_INVALID for an invalid time.
 */
RECTO_CHECKED RECTO_NONNULL(1)
recto_status recto_call_set_timeout(recto_call *call,
                                    int64_t milliseconds,
                                    recto_error **err);

/**
 * Sets the time limit for waiting for the operation, within the time limit of the whole call, in milliseconds: 0
 * checks once, RECTO_FOREVER waits without a limit. When the time limit expires, the call ends with
 * RECTO_E_WAIT_TIMEOUT, and the operation continues. Default: the client's `wait_timeout_ms`. If the client has none:
 * no limit if the whole call has a time limit, otherwise 15 minutes.
 *
 * Errors: RECTO_E_INVALID for an invalid time.
 */
RECTO_CHECKED RECTO_NONNULL(1)
recto_status recto_call_set_wait_timeout(recto_call *call,
                                         int64_t milliseconds,
                                         recto_error **err);

/**
 * If `force` is not 0, an input is sent even if the operation does not take its extension.
 */
RECTO_CHECKED RECTO_NONNULL(1)
recto_status recto_call_set_force(recto_call *call, int32_t force, recto_error **err);

/**
 * Sets whether a result may replace an existing file. If 0, an existing file is the error RECTO_E_IO. Default: 1. In a
 * directory, a result never replaces its own document: see recto_operation_save().
 */
RECTO_CHECKED RECTO_NONNULL(1)
recto_status recto_call_set_overwrite(recto_call *call,
                                      int32_t overwrite,
                                      recto_error **err);

/**
 * If `delete_after` is not 0, a call that saves or reads a result file deletes the files of the operation from the
 * service afterwards, as recto_operation_delete() does. Default: 0.
 */
RECTO_CHECKED RECTO_NONNULL(1)
recto_status recto_call_set_delete_after(recto_call *call,
                                         int32_t delete_after,
                                         recto_error **err);

/**
 * Sets a header of the requests of this call to the service, such as "traceparent". It is sent only to the origin of
 * the base URL, and replaces a header of the client with the same name. If `value` is NULL, the header is removed.
 *
 * Errors: RECTO_E_CONFIG for an invalid header, and for one that the library sets itself, such as "X-Api-Key".
 */
RECTO_CHECKED RECTO_NONNULL(1, 2)
recto_status recto_call_set_header(recto_call *call,
                                   const char *name,
                                   const char *value,
                                   recto_error **err);

/**
 * Sets options that this version does not know, for calls that start an operation: a JSON object. It is sent together
 * with the options of the operation, without a check. If both contain the same option, the value that is set here is
 * sent. NULL removes these options.
 *
 * Errors: RECTO_E_INVALID for a text that is not a JSON object.
 */
RECTO_CHECKED RECTO_NONNULL(1)
recto_status recto_call_set_extra_options(recto_call *call,
                                          const char *options,
                                          recto_error **err);

/**
 * If `unchecked` is not 0, calls can also start operations that this version does not know. The name of such an
 * operation is the end of its endpoint: "convert/pdf-to-webp" for `POST /v1/operations/convert/pdf-to-webp`. Options
 * are then sent without a check, and the input of such an operation may have any extension. Default: 0.
 */
RECTO_CHECKED RECTO_NONNULL(1)
recto_status recto_call_set_unchecked(recto_call *call,
                                      int32_t unchecked,
                                      recto_error **err);

/**
 * Sets the switch that can cancel the call from any thread. NULL removes it.
 */
RECTO_CHECKED RECTO_NONNULL(1)
recto_status recto_call_set_cancel(recto_call *call, const recto_cancel *cancel, recto_error **err);

/**
 * Sets the progress callback and its `userdata`, which must stay valid as long as calls are made with these settings.
 * NULL removes the callback.
 */
RECTO_CHECKED RECTO_NONNULL(1)
recto_status recto_call_set_progress(recto_call *call,
                                     recto_progress_fn progress,
                                     void *userdata,
                                     recto_error **err);

/**
 * Frees the settings. NULL is allowed and does nothing.
 */
void recto_call_free(recto_call *call);

/**
 * Creates a switch, freed with recto_cancel_free().
 */
RECTO_CHECKED RECTO_NONNULL(1)
recto_status recto_cancel_new(recto_cancel **out, recto_error **err);

/**
 * Cancels every call that this switch is set for. NULL is allowed and does nothing.
 */
void recto_cancel_trigger(const recto_cancel *cancel);

/**
 * 1 if the switch was triggered; otherwise 0, also for NULL.
 */
int32_t recto_cancel_is_triggered(const recto_cancel *cancel);

/**
 * Frees a switch. NULL is allowed and does nothing.
 */
void recto_cancel_free(recto_cancel *cancel);

/**
 * Starts a service on the loopback interface. recto_local_free() stops it and frees the handle.
 *
 * Its clients use it like any service with a base URL: files stay until they are deleted or expire, or the service
 * ends.
 *
 * `options` is a JSON object, or NULL for none:
 *
 * - `port`: the port to listen on. Default: a free port.
 * - `api_key`: the key that clients must send. Default: a random one.
 * - `fetch_ports`: the ports that recto_upload_url() may use, such as [80, 443, 8443]. Default: 80 and 443, or every
 *   port with `allow_private_urls`.
 * - `isolation`, `worker`, `workers`, `worker_memory`, `in_process_bytes`, `stored_bytes`, `retention_ms`, `data_dir`:
 *   as in recto_config_set(). The sizes, the time and the number of `workers` are JSON numbers.
 * - `allow_private_urls`: whether recto_upload_url() may use addresses of private networks. Default: false.
 *
 * Errors: RECTO_E_INVALID for invalid options; RECTO_E_CONFIG if the service could not start or is not part of this
 * build.
 */
RECTO_CHECKED RECTO_NONNULL(2)
recto_status recto_local_start(const char *options,
                               recto_local **out,
                               recto_error **err);

/**
 * Starts a service like recto_local_start(), with the log callback of `config`: it receives the events of the service,
 * on the threads of the service. The other settings of `config` have no effect. The callback's `userdata` is dropped
 * when the configuration, its clients and this service are all freed.
 *
 * Errors: as recto_local_start().
 */
RECTO_CHECKED RECTO_NONNULL(2, 3)
recto_status recto_local_start_logged(const char *options,
                                      const recto_config *config,
                                      recto_local **out,
                                      recto_error **err);

/**
 * The base URL for clients. Valid until the handle is freed; NULL for NULL.
 */
const char *recto_local_base_url(const recto_local *local);

/**
 * The API key for clients. Valid until the handle is freed; NULL for NULL.
 */
const char *recto_local_api_key(const recto_local *local);

/**
 * Stops the service: aborts its operations, closes the port and removes its files. This takes some milliseconds, or up
 * to two seconds if operations are running. NULL is allowed and does nothing.
 *
 * Threads: any, once.
 */
void recto_local_free(recto_local *local);

/**
 * Frees a text or a buffer that a function of this library returned (`char **`, `void **`). NULL is allowed and does
 * nothing. It must not be used for handles, which have their own functions, nor for what an accessor returned as
 * `const`.
 *
 * Threads: any.
 */
void recto_free(void *memory);

/**
 * Ends the threads of the library and closes its descriptors, before it returns. Free the tasks, batches, operations,
 * clients and local services first; a client of another service may remain, and loses only its idle connections. The
 * library can be used again afterwards: the next call starts what it needs.
 *
 * A program does not have to call this before it exits. It is for hosts that count threads and descriptors, or that
 * fork.
 *
 * Threads: any.
 *
 * Errors: RECTO_E_CONFIG, with nothing done, if calls are running, or if clients or operations still use the embedded
 * service.
 */
RECTO_CHECKED
recto_status recto_shutdown(recto_error **err);

/**
 * The version of the loaded library, as 0xMMmmpp. Compare it with `RECTO_VERSION_NUMBER`, the version of the header.
 *
 * Threads: any.
 */
uint32_t recto_version_number(void);

/**
 * The version of the loaded library, such as "0.1.0". Static: never freed, never NULL.
 *
 * Threads: any.
 */
const char *recto_version_string(void);

/**
 * 1 if the loaded library has a feature; otherwise 0, also for names that this version does not know. The features are
 * `local` (the embedded service), `tasks` (calls in the background), `http2`, and `descriptor` (a descriptor of a task
 * is one of the system, not the handle of an event).
 *
 * Threads: any.
 */
int32_t recto_has_feature(const char *name);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* RECTO_H */
