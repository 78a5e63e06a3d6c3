package recto

/*
#include "shim.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"time"
)

// Kind is the kind of an [Error]. It is an error itself, so that [errors.Is] finds it: errors.Is(err,
// recto.ErrNotFound).
//
// A kind that this version does not define is a number without a name.
type Kind int32

// Error returns what the kind means.
func (k Kind) Error() string {
	if text, known := kindText(k); known {
		return text
	}
	return fmt.Sprintf("error %d of the library", int32(k))
}

// String returns the name of the kind, such as "NotFound". It is the same in all languages.
func (k Kind) String() string {
	if name, known := kindName(k); known {
		return name
	}
	return fmt.Sprintf("Kind(%d)", int32(k))
}

// Error is a call that failed. It never contains the API key, a password, or the query of a presigned URL.
//
// [errors.Is] finds its kind, and for a call that its context ended, [context.Canceled] or [context.DeadlineExceeded].
// If a reader or writer of the program failed, the error wraps its error.
type Error struct {
	// Kind is one of the constants ErrNotFound and so on.
	Kind Kind
	// Message says in one line what happened, to which document or operation, and what to do next.
	Message string
	// Advice is what to do next, which is also part of Message; empty if there is no advice.
	Advice string
	// Phase is the part of the call that failed; 0 if it is not known.
	Phase Phase
	// HTTPStatus is the status of the response; 0 if there was no response.
	HTTPStatus int
	// Method is the HTTP method of the request; empty if there was no request.
	Method string
	// URL is the address of the request, without its query; empty if there was no request.
	URL string
	// Code is the error code of the service, such as "file_not_found".
	Code string
	// Title is what the service calls this kind of error.
	Title string
	// Detail is the service's explanation of this error.
	Detail string
	// RequestID is the identifier under which the service logged the request.
	RequestID string
	// OperationID is the identifier of the operation concerned.
	OperationID string
	// Document is what the call was about, as the program named it: a path, a name, or "file" and an identifier.
	Document string
	// Token resumes the operation after ErrWaitTimeout: see [Client.Resume].
	Token string
	// Body is the beginning of the response, or the raw result of a failed operation.
	Body string
	// Attempts is how many requests were made, including the last one.
	Attempts int
	// RetryAfter is how long the service asks to wait before the next request; nil if it does not.
	RetryAfter *time.Duration
	// Retryable is whether the same call can succeed later without a change.
	Retryable bool

	cause error
}

// Error returns the message.
func (e *Error) Error() string {
	if e.cause == nil || e.Message == e.cause.Error() {
		return e.Message
	}
	return e.Message + ": " + e.cause.Error()
}

// Is reports whether target is the kind of the error.
func (e *Error) Is(target error) bool {
	kind, is := target.(Kind)
	return is && kind == e.Kind
}

// Unwrap returns the error of the context, reader or writer that ended the call; nil if there is none.
func (e *Error) Unwrap() error { return e.cause }

// Timeout reports whether a time limit has ended the call.
func (e *Error) Timeout() bool { return e.Kind == ErrRequestTimeout || e.Kind == ErrWaitTimeout }

func invalid(message string) *Error { return &Error{Kind: ErrInvalidRequest, Message: message} }

// kindOf also gives the statuses for misuse, which have no kind of their own, the kind that all faces give them.
func kindOf(status C.int32_t) Kind {
	if status == C.RECTO_E_NULL {
		return ErrInvalidRequest
	}
	return Kind(status)
}

// copyError copies an error of the library, which stays valid. It returns nil for nil.
func copyError(failed *C.recto_error) *Error {
	if failed == nil {
		return nil
	}
	var from C.recto_go_error
	C.recto_go_read_error(failed, &from)
	copied := &Error{
		Kind:        kindOf(from.status),
		Message:     C.GoString(from.message),
		Advice:      C.GoString(from.advice),
		Phase:       Phase(from.phase),
		HTTPStatus:  int(from.http_status),
		Method:      C.GoString(from.method),
		URL:         C.GoString(from.url),
		Code:        C.GoString(from.code),
		Title:       C.GoString(from.title),
		Detail:      C.GoString(from.detail),
		RequestID:   C.GoString(from.request_id),
		OperationID: C.GoString(from.operation_id),
		Document:    C.GoString(from.document),
		Token:       C.GoString(from.token),
		Body:        C.GoString(from.body),
		Attempts:    int(from.attempts),
		Retryable:   from.retryable != 0,
	}
	if from.retry_after_ms >= 0 {
		after := time.Duration(from.retry_after_ms) * time.Millisecond
		copied.RetryAfter = &after
	}
	return copied
}

// check converts the outcome of a function of the library, and frees its error.
func check(status C.recto_status, failed *C.recto_error) error {
	if status >= C.RECTO_OK {
		return nil
	}
	defer C.recto_error_free(failed)
	if copied := copyError(failed); copied != nil {
		return copied
	}
	return &Error{Kind: kindOf(C.int32_t(status)), Message: C.GoString(C.recto_status_name(status))}
}

// asError returns err as an *Error.
func asError(err error) (*Error, bool) {
	var found *Error
	ok := errors.As(err, &found)
	return found, ok
}
