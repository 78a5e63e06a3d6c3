/*
 * recto.h - the C interface of Recto, a client for a PDF processing service that brings the service along.
 *
 * ERRORS   Every fallible function returns a recto_status: 0 is success, negative an error. Values that this
 *          header does not know must be accepted.
 * THREADS  Each function says which threads may call it.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 * Generated from ffi-c by cbindgen: do not edit.
 */


#ifndef RECTO_H
#define RECTO_H

#include <stddef.h>
#include <stdint.h>

/**
 * The version of this header: 0xMMmmpp (major, minor, patch).
 */
#define RECTO_VERSION_NUMBER 256

/**
 * The outcome of a call: 0 is success, negative an error. Later versions may return values that this header does
 * not know: treat any negative one as an error.
 */
typedef int32_t recto_status;

/**
 * Success.
 */
#define RECTO_OK 0

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
 * The service could not be reached, or the connection broke.
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

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * The name of a status, such as "RECTO_E_TIMEOUT"; "RECTO_E_UNKNOWN" for a value this version does not know.
 * Static: never freed, never NULL.
 *
 * Any thread.
 */
const char *recto_status_name(recto_status status);

/**
 * The version of the library that is loaded, as 0xMMmmpp; compare it with `RECTO_VERSION_NUMBER`, that of the header.
 *
 * Any thread.
 */
uint32_t recto_version_number(void);

/**
 * The version of the library that is loaded, such as "0.1.0". Static: never freed, never NULL.
 *
 * Any thread.
 */
const char *recto_version_string(void);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* RECTO_H */
