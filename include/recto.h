/**
 * @file recto.h
 * The C interface of Recto, a client for a PDF processing service that brings the service along.
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
 * What holds for every function is said here, and only what a function has of its own is said above it.
 *
 * OWNERSHIP  What a function gives through `recto_T **` is the caller's, who calls recto_T_free() on it once; what it
 *            gives through `char **` or `void **` is freed with recto_free(). Both are NULL where the function failed,
 *            and freeing NULL is a no-op. Handles may be freed in any order: an operation keeps what it needs of its
 *            client. A returned `const char *` is freed by nobody and lives as long as what it was read off. Inputs
 *            are copied or used up during the call, except for the userdata of functions that are kept.
 * ERRORS     A function that can fail returns a recto_status: 0 is success, a negative value an error, a positive one
 *            success with something to say. Values that this header does not know must be accepted. The last argument
 *            may be NULL; else it is set to NULL, and where the function fails to an error object that says more,
 *            which the caller frees with recto_error_free(). There is no "last error" and no other hidden state.
 *            Beside the errors that a function names, every request can fail with RECTO_E_AUTH, _PERMISSION,
 *            _NOT_FOUND, _RATE_LIMITED, _TOO_LARGE, _SERVER, _TRANSPORT, _TIMEOUT, _PROTOCOL or _CANCELLED.
 * NULL       An argument that must not be NULL is refused with RECTO_E_NULL; which may be is said. (NULL, 0) is an
 *            empty buffer. Accessors answer NULL with NULL, 0, or what is said.
 * TEXT       is UTF-8 that ends with a NUL; other text is refused with RECTO_E_INVALID. A path is what the system's
 *            own functions take.
 * THREADS    Each type says who may use it at the same time. Accessors and functions that free follow their type. A call
 *            blocks the thread it is made on, and needs no event loop.
 * CALLBACKS  run on the thread that made the call, inside the call, and must return. Only the log of a client that runs a
 *            batch is also called by the threads of the batch.
 * FORK       Make clients after fork(): those of before are refused in the child with RECTO_E_FORKED.
 * SIGNALS    No signal is used, and no handler changed. SIGPIPE is blocked in the calling thread during a call, and in
 *            the library's own threads always, so that a service that goes away is an error and not the process's end.
 * UNLOADING  The shared library stays in the process once it was loaded; dlclose() is allowed and does nothing.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 * Generated from ffi-c by cbindgen: do not edit.
 */


#ifndef RECTO_H
#define RECTO_H

#include <stddef.h>
#include <stdint.h>

/* The operations: their names, as recto_start() and its kin take them. */

/**
 * Compresses a PDF by a profile. It takes .pdf.
 * Options: profile.
 */
#define RECTO_OPTIMIZE "optimize"

/**
 * Converts a JPEG, PNG or TIFF image to PDF. It takes .jpg, .jpeg, .png, .tif, .tiff.
 * Options: pageSize, pageMargin.margin, pageMargin.unit, strategy.
 */
#define RECTO_IMAGE_TO_PDF "image-to-pdf"

/**
 * Converts a PDF to PDF/A for long-term archiving. It takes .pdf.
 * Options: conformance.
 */
#define RECTO_ARCHIVE_PDFA "archive-pdfa"

/**
 * Renders each page as a JPEG image; several pages come as one zip archive. It takes .pdf.
 * Options: colorSpace, jpegQuality, maxSizeInPixels.width, maxSizeInPixels.height.
 */
#define RECTO_PDF_TO_JPEG "pdf-to-jpeg"

/**
 * Renders each page as a PNG image; several pages come as one zip archive. It takes .pdf.
 * Options: colorSpace, transparentBackground, maxSizeInPixels.width, maxSizeInPixels.height.
 */
#define RECTO_PDF_TO_PNG "pdf-to-png"

/**
 * Renders each page as a TIFF image in its own colour space; several pages come as one zip archive. It takes .pdf.
 * It has no options.
 */
#define RECTO_PDF_TO_TIFF "pdf-to-tiff"

/**
 * Renders all pages into one TIFF-F file for facsimile. It takes .pdf.
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
 * Options: password.
 */
#define RECTO_ENCRYPT "encrypt"

/**
 * Removes the password of a PDF. It takes .pdf.
 * Options: password.
 */
#define RECTO_DECRYPT "decrypt"

/**
 * Stamps a text on every page. It takes .pdf.
 * Options: text, margin.top, margin.right, margin.left, margin.bottom, margin.unit, textStyle.textColor,
 *   textStyle.fontFamily, textStyle.isBold, textStyle.isItalic, textStyle.fontSize.
 */
#define RECTO_STAMP_TEXT "stamp-text"

/**
 * Stamps a text across every page at 45 degrees, half transparent. It takes .pdf.
 * Options: text, margin.top, margin.right, margin.left, margin.bottom, margin.unit, textStyle.textColor,
 *   textStyle.fontFamily, textStyle.isBold, textStyle.isItalic, textStyle.fontSize.
 */
#define RECTO_STAMP_WATERMARK "stamp-watermark"

/**
 * Stamps a barcode on every page. It takes .pdf.
 * Options: margin.left, margin.bottom, margin.unit, type, value, stampSize.width, stampSize.height,
 *   stampSize.unit.
 */
#define RECTO_STAMP_BARCODE "stamp-barcode"

/**
 * Stamps a Data Matrix symbol on every page. It takes .pdf.
 * Options: margin.left, margin.bottom, margin.unit, value, stampSize.side, stampSize.unit.
 */
#define RECTO_STAMP_DATA_MATRIX "stamp-data-matrix"

/**
 * Stamps a QR code on every page. It takes .pdf.
 * Options: margin.left, margin.bottom, margin.unit, value, stampSize.side, stampSize.unit.
 */
#define RECTO_STAMP_QR "stamp-qr"

/**
 * Checks a PDF against a version of the standard or a PDF/A level. It takes .pdf.
 * Options: conformance.
 */
#define RECTO_VALIDATE "validate"

/**
 * Compresses a PDF and converts it to PDF/A in one call. It takes .pdf.
 * Options: conformance.
 */
#define RECTO_POWER_ARCHIVE "power-archive"


/**
 * Something failed for good.
 */
#define RECTO_LOG_ERROR 1

/**
 * Something is not as it should be.
 */
#define RECTO_LOG_WARN 2

/**
 * Something a user may wonder about: a request is repeated, an address renewed.
 */
#define RECTO_LOG_INFO 3

/**
 * Every request and its answer.
 */
#define RECTO_LOG_DEBUG 4

/**
 * Everything.
 */
#define RECTO_LOG_TRACE 5

/**
 * Making the client, or reading a resume token.
 */
#define RECTO_PHASE_CONFIGURE 1

/**
 * Sending a document to the service.
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
 * Fetching a result.
 */
#define RECTO_PHASE_DOWNLOAD 5

/**
 * Listing, looking up or deleting files.
 */
#define RECTO_PHASE_FILES 6

/**
 * As a time in milliseconds: no limit.
 */
#define RECTO_FOREVER -1

/**
 * The version of this header: 0xMMmmpp (major, minor, patch).
 */
#define RECTO_VERSION_NUMBER 256

/**
 * Many documents through one operation: so many at once, each handed out as it is done.
 *
 * It is made, told what to do, given documents, and then asked for one after the other. It outlives its client's
 * handle.
 *
 * Threads: one at a time. The documents are worked on in threads of its own, where a log of the client is called too.
 */
typedef struct recto_batch recto_batch;

/**
 * One document of a batch, and what became of it. What the accessors return lives as long as it.
 *
 * Threads: one at a time.
 */
typedef struct recto_batch_item recto_batch_item;

/**
 * Settings of a call. Every function that talks to the service takes one, or NULL for none; one may serve any number
 * of calls, one after the other.
 *
 * Threads: one at a time.
 */
typedef struct recto_call recto_call;

/**
 * A switch that ends the calls it was given to with RECTO_E_CANCELLED, within 50 ms. It cannot be switched back.
 *
 * It may be freed at any time: calls that have it keep it.
 *
 * Threads: any number at once; recto_cancel_trigger() is also safe in a signal handler.
 */
typedef struct recto_cancel recto_cancel;

/**
 * A client of the service. It may be freed while its operations live: they keep what they need.
 *
 * A client belongs to the process it was made in. In a forked child its calls, and those of its operations, are refused
 * with RECTO_E_FORKED; the child may free them, and makes a client of its own.
 *
 * Threads: any number at once, but for recto_client_free().
 */
typedef struct recto_client recto_client;

/**
 * What a client is told, by name and value. What it is not told it takes from the environment: RECTO_BASE_URL,
 * RECTO_API_KEY, RECTO_TIMEOUT (seconds).
 *
 * Threads: one at a time.
 */
typedef struct recto_config recto_config;

/**
 * What went wrong: the status again, a message for people, and whatever is known for programs. No error holds the
 * key, a password, or the query of a presigned address.
 *
 * A function that fails gives one to a caller who passes `&err`; the caller frees it with recto_error_free(). What
 * the accessors return lives as long as the error.
 *
 * Threads: one at a time.
 */
typedef struct recto_error recto_error;

/**
 * What the service knows of a file. What the accessors return lives as long as it; they return NULL for what the
 * service did not say, and for NULL.
 *
 * Threads: one at a time.
 */
typedef struct recto_file recto_file;

/**
 * What the service knows of several files.
 *
 * Threads: one at a time.
 */
typedef struct recto_file_list recto_file_list;

/**
 * The service, on this machine, for other programs or clients with settings of their own. A client without a base URL
 * starts one by itself.
 *
 * In a forked child it does not run; the child may free it.
 *
 * Threads: one at a time.
 */
typedef struct recto_local recto_local;

/**
 * A started operation. It outlives its client's handle; freeing it does not stop it in the service.
 *
 * Threads: one at a time.
 */
typedef struct recto_operation recto_operation;

/**
 * What came of an operation: a result file or a validation report. What the accessors return lives as long as it.
 *
 * Threads: one at a time.
 */
typedef struct recto_result recto_result;

/**
 * The outcome of a call: 0 is success, negative an error. Later versions may return values that this header does
 * not know: treat any negative one as an error, and any positive one as success.
 */
typedef int32_t recto_status;

/**
 * Is told what happens: a RECTO_LOG_ level and one line of text, which lives as long as this call. No key, no password
 * and no query of a presigned address is in it.
 *
 * It runs on the thread whose call it is about, inside the call; with calls on several threads, on several threads
 * at once. It must return, as a recto_progress_fn must. NULL is no function.
 */
typedef void (*recto_log_fn)(int32_t level, const char *message, void *userdata);

/**
 * Frees what was given as `userdata`. NULL is no function.
 */
typedef void (*recto_drop_fn)(void *userdata);

/**
 * Gives the next bytes of a document: writes at most `size` of them to `buffer`, and returns how many; 0 at the
 * document's end; a negative value ends the call with RECTO_E_CANCELLED.
 *
 * It runs on the thread that made the call, inside the call, and must return, as a recto_progress_fn must. NULL is no
 * function.
 */
typedef int64_t (*recto_read_fn)(void *buffer, size_t size, void *userdata);

/**
 * Takes what a call writes, piece by piece: returns 0 to go on; any other value ends the call with RECTO_E_CANCELLED.
 *
 * It runs on the thread that made the call, inside the call, and must return, as a recto_progress_fn must. NULL is no
 * function.
 */
typedef int32_t (*recto_write_fn)(const void *data, size_t length, void *userdata);

/**
 * Is told how far a call is: at the beginning and the end of each phase, and at most every 50 ms in between.
 *
 * `phase` is RECTO_PHASE_UPLOAD, _WAIT or _DOWNLOAD; `done` and `total` count its bytes, each once however often it
 * was sent; `total` is -1 where it is not known, as always while waiting. `userdata` is what was given with the
 * function.
 *
 * Returns 0 to go on; any other value ends the call with RECTO_E_CANCELLED. It runs on the thread that made the call,
 * inside the call. It must return: no longjmp, and no C++ exception (which would end the process; recto.hpp carries
 * exceptions across). NULL is no function.
 */
typedef int32_t (*recto_progress_fn)(int32_t phase, int64_t done, int64_t total, void *userdata);

/**
 * Success.
 */
#define RECTO_OK 0

/**
 * Success, and there is no more: the end of what is handed out one by one.
 */
#define RECTO_DONE 1

/**
 * A required argument is NULL.
 */
#define RECTO_E_NULL -1

/**
 * An argument or an option that the library or the service could only refuse; bad UTF-8.
 */
#define RECTO_E_INVALID -2

/**
 * The configuration is wrong or incomplete.
 */
#define RECTO_E_CONFIG -3

/**
 * The service does not know the key (401).
 */
#define RECTO_E_AUTH -4

/**
 * The key does not permit this (403).
 */
#define RECTO_E_PERMISSION -5

/**
 * There is no such file or operation (404, 410).
 */
#define RECTO_E_NOT_FOUND -6

/**
 * Too many requests (429).
 */
#define RECTO_E_RATE_LIMITED -7

/**
 * The document is larger than the service takes (413).
 */
#define RECTO_E_TOO_LARGE -8

/**
 * The service failed (5xx).
 */
#define RECTO_E_SERVER -9

/**
 * The service could not be reached, or the connection broke; also a certificate that is not trusted.
 */
#define RECTO_E_TRANSPORT -10

/**
 * A request took longer than allowed.
 */
#define RECTO_E_TIMEOUT -11

/**
 * The operation took longer than the wait allowed; it goes on and can be resumed by its token.
 */
#define RECTO_E_WAIT_TIMEOUT -12

/**
 * The operation failed.
 */
#define RECTO_E_OPERATION_FAILED -13

/**
 * Whether the operation was started is not known.
 */
#define RECTO_E_OUTCOME_UNKNOWN -14

/**
 * The service answered what the interface does not allow.
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
 * The client was made before fork() and is used in the child.
 */
#define RECTO_E_FORKED -18

/**
 * A fault of the library; the process goes on.
 */
#define RECTO_E_PANIC -19

/**
 * An error that has no name in this version.
 */
#define RECTO_E_UNKNOWN -99

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * The name of a status, such as "RECTO_E_TIMEOUT"; "RECTO_E_UNKNOWN" for a value this version does not know.
 * Static: never freed, never NULL.
 *
 * Threads: any.
 */
const char *recto_status_name(recto_status status);

/**
 * Frees an error. NULL is a no-op.
 *
 * Threads: any, once.
 */
void recto_error_free(recto_error *error);

/**
 * The status that the function returned with it; RECTO_OK for NULL.
 */
recto_status recto_error_status(const recto_error *error);

/**
 * One line for people: what happened, to which document or operation, and what to do next. Empty for NULL, and never
 * NULL itself.
 */
const char *recto_error_message(const recto_error *error);

/**
 * What to do next, which the message says too; NULL where there is nothing to advise.
 */
const char *recto_error_advice(const recto_error *error);

/**
 * The step in which it happened, a RECTO_PHASE_ value; 0 where none is known.
 */
int32_t recto_error_phase(const recto_error *error);

/**
 * The HTTP status of the service's answer; 0 where there was no answer.
 */
int32_t recto_error_http_status(const recto_error *error);

/**
 * The HTTP method of the request; NULL where there was none.
 */
const char *recto_error_method(const recto_error *error);

/**
 * The address of the request, its query left out; NULL where there was none.
 */
const char *recto_error_url(const recto_error *error);

/**
 * The service's own word for the error, such as "file_not_found"; NULL where it gave none.
 */
const char *recto_error_code(const recto_error *error);

/**
 * The service's title for this kind of error; NULL where it gave none.
 */
const char *recto_error_title(const recto_error *error);

/**
 * The service's account of what happened; NULL where it gave none.
 */
const char *recto_error_detail(const recto_error *error);

/**
 * The identifier under which the service logged the request; NULL where it gave none.
 */
const char *recto_error_request_id(const recto_error *error);

/**
 * The operation concerned; NULL where there is none.
 */
const char *recto_error_operation_id(const recto_error *error);

/**
 * The document that the call was about, as the caller calls it: its path, its name, "file" and its identifier; NULL where
 * there is none.
 */
const char *recto_error_document(const recto_error *error);

/**
 * With RECTO_E_WAIT_TIMEOUT: what recto_resume() takes to go on waiting. Else NULL.
 */
const char *recto_error_token(const recto_error *error);

/**
 * The beginning of the service's answer, or the raw result of a failed operation; NULL where there is none.
 */
const char *recto_error_body(const recto_error *error);

/**
 * How many requests were made, the last one included; 0 when none was.
 */
uint32_t recto_error_attempts(const recto_error *error);

/**
 * How long the service asked to wait before the next request, in milliseconds; -1 where it did not.
 */
int64_t recto_error_retry_after_ms(const recto_error *error);

/**
 * 1 when the same call may succeed later, without a change; else 0.
 */
int32_t recto_error_is_retryable(const recto_error *error);

/**
 * Makes a configuration that tells nothing, freed with recto_config_free().
 */
recto_status recto_config_new(recto_config **out, recto_error **err);

/**
 * Tells a setting. Numbers are decimal, switches "true" or "false", times milliseconds above 0. The settings:
 *
 * - `base_url`: the service's address, such as `https://pdf.example.com`; it may carry a path. Without one, here and
 *   in the environment, the client brings a service along: documents are processed on this machine.
 * - `api_key`: the key, sent to the base URL's origin and nowhere else; empty for none.
 * - `timeout_ms`: the longest a call may take, retries and transfers included, waiting for an operation not. Default:
 *   5 minutes for small requests; none for transfers, which may take as long as they move.
 * - `connect_timeout_ms`: the longest to wait for a connection, TLS included. Default: 10000.
 * - `stall_timeout_ms`: the longest a request may go unanswered, or a transfer move no byte. Default: 30000.
 * - `wait_timeout_ms`: the longest to wait for an operation to end; -1 for ever. Default: 900000, 15 minutes.
 * - `retries`: how many times a failed request is repeated. Default: 3.
 * - `retry_unknown`: whether starting an operation is repeated also when nobody knows whether it was started; the
 *   work may then be done, and paid for, twice. Default: false.
 * - `allow_http`: allows a base URL that is plain http to another machine. Default: false.
 * - `proxy`: `http://[user:password@]host:port`; empty for none. Default: what the environment says (HTTPS_PROXY,
 *   HTTP_PROXY, ALL_PROXY, NO_PROXY), never for this machine itself.
 * - `ca_bundle`: a PEM file of certificate authorities to trust besides the system's.
 * - `client_certificate`: a PEM file with the certificate, and its unencrypted key, that the client shows.
 * - `user_agent`: the User-Agent. Default: "recto/" and the version.
 * - `json_limit`: the most bytes that a JSON answer may have. Default: 16777216.
 * - `environment`: whether what is not told is taken from the environment. Default: true.
 *
 * Errors: RECTO_E_CONFIG for an unknown setting or a value that cannot be read. What only a client can find wrong,
 * such as a missing file, recto_client_new() says.
 */
recto_status recto_config_set(recto_config *config,
                              const char *name,
                              const char *value,
                              recto_error **err);

/**
 * Frees a configuration. Clients that were made with it are not concerned. NULL is a no-op.
 */
void recto_config_free(recto_config *config);

/**
 * Has `log` told what happens in the calls of the clients that are made with this configuration, up to `level`, a
 * RECTO_LOG_ value. `drop`, which may be NULL, is given `userdata` exactly once: when the configuration, its clients
 * and their operations are all freed, or when another log has taken this one's place. It is not called when this
 * function fails.
 *
 * Errors: RECTO_E_INVALID for a level that is none.
 */
recto_status recto_config_set_log(recto_config *config,
                                  int32_t level,
                                  recto_log_fn log,
                                  void *userdata,
                                  recto_drop_fn drop,
                                  recto_error **err);

/**
 * Makes a client, freed with recto_client_free(). `config` may be NULL: then all is taken from the environment.
 *
 * Where neither the configuration nor the environment has a base URL, the client uses the embedded service: the first
 * such client of a process starts it, on loopback with a key of its own and a private temporary directory, and it
 * ends when the last such client and its operations are freed. Nothing leaves the machine.
 *
 * Nothing is sent.
 *
 * Errors: RECTO_E_CONFIG for whatever cannot be used: an address, a key, a proxy, a certificate; or when the embedded
 * service could not be started, or was not built into this library.
 */
recto_status recto_client_new(const recto_config *config,
                              recto_client **out,
                              recto_error **err);

/**
 * The service's address, without user name or password. Lives as long as the client; NULL for NULL.
 */
const char *recto_client_base_url(const recto_client *client);

/**
 * Ends the running calls of all threads with RECTO_E_CANCELLED, within 50 ms. Later calls are refused with
 * RECTO_E_CONFIG. Operations in the service go on. NULL is a no-op.
 */
void recto_client_close(const recto_client *client);

/**
 * Frees a client. No call of it may be running; its operations live on. NULL is a no-op.
 *
 * It waits for nothing, except where it ends the embedded service: that takes some milliseconds, and up to two seconds
 * when operations are running in it, which are given up.
 *
 * Threads: any, once.
 */
void recto_client_free(recto_client *client);

/**
 * Starts an operation on a file that is in the service, and gives its handle, freed with recto_operation_free().
 *
 * `operation` is one of the names above, such as RECTO_OPTIMIZE. `options` is the `options` object of the interface
 * specification as JSON, such as "{\"profile\": \"web\"}", or NULL for none. `call` may be NULL.
 *
 * Errors: RECTO_E_INVALID, before anything is sent, for options that the service could only refuse;
 * RECTO_E_OUTCOME_UNKNOWN where nobody knows whether the operation was started; and those of any request.
 */
recto_status recto_start(const recto_client *client,
                         const char *operation,
                         const char *file_id,
                         const char *options,
                         const recto_call *call,
                         recto_operation **out,
                         recto_error **err);

/**
 * Uploads a file of this machine and starts an operation on it: recto_upload_path() and recto_start() in one call,
 * which refuses what cannot work before it uploads.
 *
 * Errors: besides those of the two, RECTO_E_INVALID for a file whose extension is none that the operation takes,
 * unless the call has recto_call_set_force().
 */
recto_status recto_start_path(const recto_client *client,
                              const char *operation,
                              const char *path,
                              const char *options,
                              const recto_call *call,
                              recto_operation **out,
                              recto_error **err);

/**
 * Uploads `length` bytes under `name` and starts an operation on them: recto_upload_data() and recto_start() in one.
 *
 * Errors: as recto_start_path().
 */
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
 * Uploads what `read` gives under `name` and starts an operation on it: recto_upload_stream() and recto_start() in
 * one.
 *
 * Errors: as recto_start_path() and recto_upload_stream().
 */
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
 * Gives a handle of an operation that was started before, perhaps by another process; `token` is what
 * recto_operation_token() or recto_error_token() returned. Nothing is sent. The handle is freed with
 * recto_operation_free().
 *
 * Errors: RECTO_E_INVALID for what is no token, RECTO_E_CONFIG for one of another service.
 */
recto_status recto_resume(const recto_client *client,
                          const char *token,
                          recto_operation **out,
                          recto_error **err);

/**
 * The identifier that the service gave it. Lives as long as the handle; NULL for NULL.
 */
const char *recto_operation_id(const recto_operation *operation);

/**
 * Which operation it is, such as "stamp-qr". Lives as long as the handle; NULL for NULL.
 */
const char *recto_operation_name(const recto_operation *operation);

/**
 * `operationType` as the service's answer to the start had it, such as "stampQR". Lives as long as the handle; NULL for
 * NULL.
 */
const char *recto_operation_type(const recto_operation *operation);

/**
 * What recto_resume() takes to go on with it, in another process too: it holds the identifier, the operation and the
 * base URL, but no key and no presigned address. Lives as long as the handle; NULL for NULL.
 */
const char *recto_operation_token(const recto_operation *operation);

/**
 * Asks the service once how far it is, and gives the status as it spells it, such as "inProgress" or "finished", freed
 * with recto_free(). A failed operation has a failed status here, and is no error. `call` may be NULL.
 *
 * Errors: those of any request.
 */
recto_status recto_operation_status(const recto_operation *operation,
                                    const recto_call *call,
                                    char **out,
                                    recto_error **err);

/**
 * Waits until the operation has ended, and gives what came of it, freed with recto_result_free(). A document that does
 * not conform is a result, not an error. `call` may be NULL.
 *
 * Errors: RECTO_E_WAIT_TIMEOUT when it has not ended in time: it goes on, and recto_error_token() resumes it.
 * RECTO_E_OPERATION_FAILED when the service could not do the work. And those of any request.
 */
recto_status recto_operation_wait(const recto_operation *operation,
                                  const recto_call *call,
                                  recto_result **out,
                                  recto_error **err);

/**
 * Waits, and writes the result file to `path`; into it, where it is a directory, under the result's own name, made
 * safe. The file appears whole or not at all, and only then replaces what was there. `call` may be NULL.
 *
 * `saved`, where it is not NULL, gets the path of the file, freed with recto_free().
 *
 * Errors: those of recto_operation_wait() and of the transfer; RECTO_E_IO where the file cannot be written;
 * RECTO_E_INVALID for an operation that makes no file.
 */
recto_status recto_operation_save(const recto_operation *operation,
                                  const char *path,
                                  const recto_call *call,
                                  char **saved,
                                  recto_error **err);

/**
 * Waits, and gives the result file's bytes in memory, freed with recto_free(). `call` may be NULL.
 *
 * Errors: those of recto_operation_wait() and of the transfer; RECTO_E_INVALID for an operation that makes no file.
 */
recto_status recto_operation_read(const recto_operation *operation,
                                  const recto_call *call,
                                  void **data,
                                  size_t *length,
                                  recto_error **err);

/**
 * Waits, and hands the result file's bytes to `write`, piece by piece. `call` may be NULL. `length`, where it is not
 * NULL, gets how many there were.
 *
 * Errors: RECTO_E_CANCELLED when `write` says so; and those of recto_operation_read().
 */
recto_status recto_operation_stream(const recto_operation *operation,
                                    recto_write_fn write,
                                    void *userdata,
                                    const recto_call *call,
                                    uint64_t *length,
                                    recto_error **err);

/**
 * Frees the handle; the operation itself goes on. No call of it may be running. NULL is a no-op.
 *
 * Threads: any, once. It may take as long as recto_client_free(), when it is the last that held the embedded service.
 */
void recto_operation_free(recto_operation *operation);

/**
 * `operationType`, as the service said when the operation was started, such as "optimize". NULL for NULL.
 */
const char *recto_result_operation_type(const recto_result *result);

/**
 * The status as the service spells it, such as "finished". NULL for NULL.
 */
const char *recto_result_status(const recto_result *result);

/**
 * 1 when there is a result file; else 0.
 */
int32_t recto_result_has_output(const recto_result *result);

/**
 * The result file's identifier; NULL where there is none.
 */
const char *recto_result_output_file_id(const recto_result *result);

/**
 * The result file's name; NULL where there is none. It is the service's word: make it safe before it touches a disk,
 * as recto_operation_save() does.
 */
const char *recto_result_output_name(const recto_result *result);

/**
 * The address that the result file is downloaded from; NULL where there is none. Its query is a secret: whoever has
 * it has the file.
 */
const char *recto_result_output_url(const recto_result *result);

/**
 * 1 when there is a validation report; else 0.
 */
int32_t recto_result_has_validation(const recto_result *result);

/**
 * 1 when the document conforms, 0 when it does not, -1 when the service did not say or there is no report.
 */
int32_t recto_result_is_conforming(const recto_result *result);

/**
 * The conformance level that the document claims, such as "pdf15"; NULL where there is none.
 */
const char *recto_result_conformance(const recto_result *result);

/**
 * How many findings the validation report has.
 */
size_t recto_result_error_count(const recto_result *result);

/**
 * The finding at `index`, from 0, for people to read; NULL beyond the last.
 */
const char *recto_result_error_at(const recto_result *result, size_t index);

/**
 * The service's whole answer as JSON, with what this version does not know. It may hold the file's address, which is a
 * secret. NULL for NULL.
 */
const char *recto_result_json(const recto_result *result);

/**
 * Frees a result. NULL is a no-op.
 */
void recto_result_free(recto_result *result);

/**
 * Uploads a file of this machine, whatever its size, and gives its identifier in the service, freed with
 * recto_free(). `call` may be NULL.
 *
 * Errors: RECTO_E_IO for a file that cannot be read, and those of any request.
 */
recto_status recto_upload_path(const recto_client *client,
                               const char *path,
                               const recto_call *call,
                               char **file_id,
                               recto_error **err);

/**
 * Uploads `length` bytes, which are copied, under `name`; its extension says what they are. Gives the identifier, freed
 * with recto_free(). (NULL, 0) is an empty document. `call` may be NULL.
 *
 * Errors: those of any request.
 */
recto_status recto_upload_data(const recto_client *client,
                               const void *data,
                               size_t length,
                               const char *name,
                               const recto_call *call,
                               char **file_id,
                               recto_error **err);

/**
 * Uploads what `read` gives, under `name`, and gives the identifier, freed with recto_free(). With a `length` it is sent
 * as it is read; with -1, for a length that is not known, all of it is put into a temporary file first. `call` may be
 * NULL.
 *
 * Errors: RECTO_E_CANCELLED when `read` says so; RECTO_E_IO when it gives more or less than `length`; and those of any
 * request.
 */
recto_status recto_upload_stream(const recto_client *client,
                                 recto_read_fn read,
                                 void *userdata,
                                 int64_t length,
                                 const char *name,
                                 const recto_call *call,
                                 char **file_id,
                                 recto_error **err);

/**
 * Has the service fetch a document from `url` itself, and gives its identifier, freed with recto_free(). `call` may be
 * NULL.
 *
 * Errors: those of any request. The address's query appears in none.
 */
recto_status recto_upload_url(const recto_client *client,
                              const char *url,
                              const recto_call *call,
                              char **file_id,
                              recto_error **err);

/**
 * Makes a batch for an operation with its options, as recto_start() takes them; it is freed with recto_batch_free().
 * Nothing is read or sent before the first recto_batch_next().
 *
 * Errors: RECTO_E_INVALID for options that the service could only refuse.
 */
recto_status recto_batch_new(const recto_client *client,
                             const char *operation,
                             const char *options,
                             recto_batch **out,
                             recto_error **err);

/**
 * Tells a setting, before the first recto_batch_next(). Switches are "true" or "false". The settings:
 *
 * - `to`: the directory of the result files; it is made if it is not there. A result is called as its source, with the
 *   extension of what it is; where that name is taken by another source, "-2", "-3" is put behind it. A file of that
 *   name that was there before is replaced. Default: result files stay in the service.
 * - `relative_to`: keeps the folders that a source has below this directory. Default: none are kept.
 * - `concurrency`: how many documents are in work at once, 1 to 256. Default: 8.
 * - `journal`: a file that each step is written to before the next is taken, without secrets. A batch with the journal
 *   of an earlier run goes on from it: what is done is not done again, what failed is tried again. Default: none.
 * - `stop_on_error`: after the first document that fails, takes no further ones. Default: false.
 * - `delete_after`: deletes a document and its result from the service as soon as the result is here. Default: false.
 * - `force`: sends an input even where its extension is none that the operation takes. Default: false.
 *
 * Errors: RECTO_E_CONFIG for an unknown setting or a value that cannot be read, and once the batch has begun.
 */
recto_status recto_batch_set(recto_batch *batch,
                             const char *name,
                             const char *value,
                             recto_error **err);

/**
 * Adds a document, a file of this machine, before the first recto_batch_next().
 *
 * Errors: RECTO_E_CONFIG once the batch has begun.
 */
recto_status recto_batch_add(recto_batch *batch, const char *path, recto_error **err);

/**
 * Waits for the next document to end, well or not, and gives it, freed with recto_batch_item_free(). `call` may be NULL;
 * its switch and its time limit end the batch.
 *
 * Returns RECTO_DONE, and gives NULL, when there are no more.
 *
 * Errors: at first, RECTO_E_CONFIG for settings that contradict each other and for a journal that is damaged, in use, or
 * of something else, and RECTO_E_IO for a directory that cannot be made. RECTO_E_CANCELLED when the call or the client
 * says so. After an error the batch has ended. That a document fails is no error here: see recto_batch_item_error().
 */
recto_status recto_batch_next(recto_batch *batch,
                              const recto_call *call,
                              recto_batch_item **out,
                              recto_error **err);

/**
 * Ends a batch, and frees it: what is in work is cancelled, within some 50 ms, and its journal is complete. NULL is a
 * no-op.
 *
 * Threads: any, once.
 */
void recto_batch_free(recto_batch *batch);

/**
 * The document's place among those that were added, from 0.
 */
size_t recto_batch_item_index(const recto_batch_item *item);

/**
 * The document, as it was added. NULL for NULL.
 */
const char *recto_batch_item_source(const recto_batch_item *item);

/**
 * Why it failed; NULL for a document that is done. It belongs to the item and is not freed.
 */
const recto_error *recto_batch_item_error(const recto_batch_item *item);

/**
 * The result file; NULL where the document failed, the operation makes none, or the batch has no directory for it.
 */
const char *recto_batch_item_path(const recto_batch_item *item);

/**
 * The operation's identifier; NULL where the document failed.
 */
const char *recto_batch_item_operation_id(const recto_batch_item *item);

/**
 * The service's result; NULL where the document failed, and for one that an earlier run has done. It belongs to the item
 * and is not freed.
 */
const recto_result *recto_batch_item_result(const recto_batch_item *item);

/**
 * 1 when an earlier run with the same journal had done it; else 0.
 */
int32_t recto_batch_item_is_resumed(const recto_batch_item *item);

/**
 * Why the service still holds files of it, where `delete_after` was asked for; else NULL. It belongs to the item and is
 * not freed.
 */
const recto_error *recto_batch_item_left_behind(const recto_batch_item *item);

/**
 * Frees an item. NULL is a no-op.
 */
void recto_batch_item_free(recto_batch_item *item);

/**
 * Looks a file up, and gives what the service knows of it, freed with recto_file_free(). `call` may be NULL.
 *
 * Errors: RECTO_E_NOT_FOUND, and those of any request.
 */
recto_status recto_file_get(const recto_client *client,
                            const char *file_id,
                            const recto_call *call,
                            recto_file **out,
                            recto_error **err);

/**
 * Deletes a file. `call` may be NULL. `out`, where it is not NULL, gets the files that the service answers with, freed
 * with recto_file_list_free(); which those are, the interface leaves open.
 *
 * Errors: RECTO_E_NOT_FOUND, unless a broken attempt before may have deleted it; and those of any request.
 */
recto_status recto_file_delete(const recto_client *client,
                               const char *file_id,
                               const recto_call *call,
                               recto_file_list **out,
                               recto_error **err);

/**
 * The file's identifier.
 */
const char *recto_file_id(const recto_file *file);

/**
 * When it came to the service: ISO 8601, UTC, with fractional seconds.
 */
const char *recto_file_created_at(const recto_file *file);

/**
 * How it came to the service, such as "fromUrl"; an open set.
 */
const char *recto_file_origin(const recto_file *file);

/**
 * Its name.
 */
const char *recto_file_name(const recto_file *file);

/**
 * Its extension without the dot.
 */
const char *recto_file_extension(const recto_file *file);

/**
 * Frees what recto_file_get() gave. NULL is a no-op.
 */
void recto_file_free(recto_file *file);

/**
 * Lists the active files, the user's and results; with an `only_result_files` other than 0, results only. The list is
 * freed with recto_file_list_free(). `call` may be NULL.
 *
 * Errors: those of any request.
 */
recto_status recto_file_list_get(const recto_client *client,
                                 int32_t only_result_files,
                                 const recto_call *call,
                                 recto_file_list **out,
                                 recto_error **err);

/**
 * How many files the list has; 0 for NULL.
 */
size_t recto_file_list_count(const recto_file_list *list);

/**
 * The file at `index`, from 0; it belongs to the list and is not freed. NULL beyond the last.
 */
const recto_file *recto_file_list_at(const recto_file_list *list, size_t index);

/**
 * Frees a list and its files. NULL is a no-op.
 */
void recto_file_list_free(recto_file_list *list);

/**
 * A phase in one word, such as "upload"; "unknown" for a value this version does not know. Static: never freed, never
 * NULL.
 *
 * Threads: any.
 */
const char *recto_phase_name(int32_t phase);

/**
 * Makes settings that set nothing, freed with recto_call_free().
 */
recto_status recto_call_new(recto_call **out, recto_error **err);

/**
 * The longest the whole call may take, in milliseconds above 0: retries, waiting and transfers included. Default: the
 * client's `timeout_ms`, which does not count waiting.
 *
 * Errors: RECTO_E_INVALID for a time that is none.
 */
recto_status recto_call_set_timeout(recto_call *call,
                                    int64_t milliseconds,
                                    recto_error **err);

/**
 * The longest to wait for the operation to end, in milliseconds: 0 looks once, RECTO_FOREVER waits for ever. Default:
 * the client's `wait_timeout_ms`, 15 minutes.
 *
 * Errors: RECTO_E_INVALID for a time that is none.
 */
recto_status recto_call_set_wait_timeout(recto_call *call,
                                         int64_t milliseconds,
                                         recto_error **err);

/**
 * With a `force` other than 0, an input is sent even where its extension is none that the operation takes.
 */
recto_status recto_call_set_force(recto_call *call, int32_t force, recto_error **err);

/**
 * The switch that ends the call, from any thread. NULL takes it away.
 */
recto_status recto_call_set_cancel(recto_call *call, const recto_cancel *cancel, recto_error **err);

/**
 * The function that is told how far the call is, and what it is given as `userdata`, which must live as long as
 * calls are made with these settings. NULL takes it away.
 */
recto_status recto_call_set_progress(recto_call *call,
                                     recto_progress_fn progress,
                                     void *userdata,
                                     recto_error **err);

/**
 * Frees the settings. NULL is a no-op.
 */
void recto_call_free(recto_call *call);

/**
 * Makes a switch, freed with recto_cancel_free().
 */
recto_status recto_cancel_new(recto_cancel **out, recto_error **err);

/**
 * Ends every call that was given this switch. NULL is a no-op.
 */
void recto_cancel_trigger(const recto_cancel *cancel);

/**
 * 1 once it was triggered; else 0, also for NULL.
 */
int32_t recto_cancel_is_triggered(const recto_cancel *cancel);

/**
 * Frees a switch. NULL is a no-op.
 */
void recto_cancel_free(recto_cancel *cancel);

/**
 * Starts a service on loopback, freed, and so ended, with recto_local_free().
 *
 * `options` is a JSON object, or NULL for none:
 *
 * - `port`: the port to listen on. Default: any that is free.
 * - `api_key`: the key that clients must send. Default: a random one.
 * - `data_dir`: an existing directory, below which it makes a private one for its files. Default: the system's temporary
 *   directory.
 * - `workers`: how many operations run at the same time. Default: one for each core.
 * - `allow_private_urls`: whether recto_upload_url() may name addresses of private networks. Default: false.
 *
 * Errors: RECTO_E_INVALID for options that cannot be read; RECTO_E_CONFIG when it could not be started, or was not
 * built into this library.
 */
recto_status recto_local_start(const char *options,
                               recto_local **out,
                               recto_error **err);

/**
 * The address to give to a client. Lives as long as the handle; NULL for NULL.
 */
const char *recto_local_base_url(const recto_local *local);

/**
 * The key to give to a client. Lives as long as the handle; NULL for NULL.
 */
const char *recto_local_api_key(const recto_local *local);

/**
 * Ends the service: operations are given up, the port closes, its files are removed. It takes some milliseconds, and up
 * to two seconds when operations are running. NULL is a no-op.
 *
 * Threads: any, once.
 */
void recto_local_free(recto_local *local);

/**
 * Frees a text or a buffer that a function of this library gave (`char **`, `void **`). NULL is a no-op. It never
 * frees a handle (those have functions of their own), nor what an accessor returned as `const`.
 *
 * Threads: any.
 */
void recto_free(void *memory);

/**
 * The version of the library that is loaded, as 0xMMmmpp; compare it with `RECTO_VERSION_NUMBER`, that of the header.
 *
 * Threads: any.
 */
uint32_t recto_version_number(void);

/**
 * The version of the library that is loaded, such as "0.1.0". Static: never freed, never NULL.
 *
 * Threads: any.
 */
const char *recto_version_string(void);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* RECTO_H */
