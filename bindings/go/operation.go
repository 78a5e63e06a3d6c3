package recto

/*
#include "shim.h"
*/
import "C"

import (
	"context"
	"io"
	"time"
	"unsafe"
)

// Operation is a started operation. Any number of goroutines can use it at the same time. It stays valid after its
// client was closed, but its calls are then refused.
type Operation struct {
	handle                    *handle
	id, name, kind, requestID string
	limit                     time.Duration
}

func newOperation(owned *C.recto_operation, limit time.Duration) *Operation {
	var from C.recto_go_operation
	C.recto_go_read_operation(owned, &from)
	return &Operation{
		handle:    newHandle("operation", unsafe.Pointer(owned), freeOperation),
		id:        C.GoString(from.id),
		name:      C.GoString(from.name),
		kind:      C.GoString(from._type),
		requestID: C.GoString(from.request_id),
		limit:     limit,
	}
}

func freeOperation(object unsafe.Pointer) { C.recto_operation_free((*C.recto_operation)(object)) }

// ID returns the identifier of the operation in the service.
func (o *Operation) ID() string { return o.id }

// Name returns the name of the operation, such as "stamp-qr".
func (o *Operation) Name() string { return o.name }

// Type returns `operationType`, as in the response to the start of the operation, such as "stampQR".
func (o *Operation) Type() string { return o.kind }

// RequestID returns the identifier under which the service logged the request that started the operation; empty if it
// sent none, and for a resumed operation.
func (o *Operation) RequestID() string { return o.requestID }

// String describes the operation.
func (o *Operation) String() string { return "recto.Operation(" + o.name + " " + o.id + ")" }

// Token returns the token with which [Client.Resume] resumes the operation, also in another process. It contains no API
// key and no presigned URL. An embedded service keeps the files of the operation from now on.
func (o *Operation) Token() (string, error) {
	object, err := o.handle.use()
	if err != nil {
		return "", err
	}
	defer o.handle.done()
	return C.GoString(C.recto_operation_token((*C.recto_operation)(object))), nil
}

// Keep keeps the document and the result of the operation in the embedded service until they expire, also after Close.
func (o *Operation) Keep() error {
	object, err := o.handle.use()
	if err != nil {
		return err
	}
	defer o.handle.done()
	C.recto_operation_keep((*C.recto_operation)(object))
	return nil
}

// Close frees the operation in this process. It continues in the service. The embedded service deletes its document if
// the operation uploaded it, and its result if it was downloaded. The error is always nil.
func (o *Operation) Close() error {
	o.handle.close(nil)
	return nil
}

// Status requests the status once, and returns it as the service spells it, such as "inProgress" or "finished".
func (o *Operation) Status(ctx context.Context, options ...CallOption) (string, error) {
	var status *C.char
	err := o.call(ctx, options, nil, func(operation *C.recto_operation, with native) C.recto_status {
		return C.recto_operation_status(operation, with.settings, &status, with.failed)
	})
	if err != nil {
		return "", err
	}
	return taken(status), nil
}

// Wait waits until the operation has ended, and returns its result. A document that does not conform is a result, not
// an error. The error is [ErrWaitTimeout] if the operation has not ended in time; it continues in the service, and
// [Client.Resume] resumes it with the token of the error.
func (o *Operation) Wait(ctx context.Context, options ...CallOption) (*Result, error) {
	var result *C.recto_result
	err := o.call(ctx, options, nil, func(operation *C.recto_operation, with native) C.recto_status {
		return C.recto_operation_wait(operation, with.settings, &result, with.failed)
	})
	if err != nil {
		return nil, err
	}
	defer C.recto_result_free(result)
	return copyResult(result), nil
}

// Save waits, and saves the result file to path. The file is written atomically: an existing file is replaced only when
// the new one is complete. If path is a directory, the file is named after the source, which it never replaces. Save
// returns the path of the file.
func (o *Operation) Save(ctx context.Context, path string, options ...CallOption) (string, error) {
	var text texts
	to := text.of("path", path)
	if text.err != nil {
		return "", text.err
	}
	var saved *C.char
	err := o.call(ctx, options, nil, func(operation *C.recto_operation, with native) C.recto_status {
		return C.recto_operation_save(operation, to, with.settings, &saved, with.failed)
	})
	if err != nil {
		return "", err
	}
	return taken(saved), nil
}

// ReadAll waits, and returns the bytes of the result file.
func (o *Operation) ReadAll(ctx context.Context, options ...CallOption) ([]byte, error) {
	var data unsafe.Pointer
	var length C.size_t
	err := o.call(ctx, options, nil, func(operation *C.recto_operation, with native) C.recto_status {
		return C.recto_operation_read(operation, with.settings, &data, &length, with.failed)
	})
	if err != nil {
		return nil, err
	}
	defer C.recto_free(data)
	return append(make([]byte, 0, int(length)), unsafe.Slice((*byte)(data), int(length))...), nil
}

// WriteTo waits, and writes the bytes of the result file to a writer. It returns their number. If ctx ends while Write
// blocks, WriteTo returns, and that Write ends when it can.
func (o *Operation) WriteTo(ctx context.Context, to io.Writer, options ...CallOption) (int64, error) {
	var length C.uint64_t
	err := o.call(ctx, options, to, func(operation *C.recto_operation, with native) C.recto_status {
		return C.recto_go_operation_stream(operation, with.userdata, with.settings, &length, with.failed)
	})
	return int64(length), err
}

// Delete deletes from the service the result file of the operation, and its document if it was uploaded by the call
// that started the operation. A file that is deleted already is not an error; an operation that has not ended is.
func (o *Operation) Delete(ctx context.Context, options ...CallOption) error {
	return o.call(ctx, options, nil, func(operation *C.recto_operation, with native) C.recto_status {
		return C.recto_operation_delete(operation, with.settings, with.failed)
	})
}

// call makes a call with the operation.
func (o *Operation) call(
	ctx context.Context, options []CallOption, to io.Writer,
	do func(operation *C.recto_operation, with native) C.recto_status,
) error {
	call, err := newCall(ctx, o.limit, options)
	if err != nil {
		return err
	}
	if to != nil {
		call.writer = &writing{to: to}
	}
	object, err := o.handle.use()
	if err != nil {
		return err
	}
	defer o.handle.done()
	return call.run(func(with native) C.recto_status {
		return do((*C.recto_operation)(object), with)
	})
}
