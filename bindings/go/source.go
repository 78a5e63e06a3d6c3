package recto

/*
#include "shim.h"
*/
import "C"

import (
	"context"
	"io"
	"strings"
	"unsafe"
)

// Source is a document: a [Path], a [URL], [Bytes], a [Reader], a [FileID], an [Operation] or a [Result].
type Source interface{ document() document }

// Path is a local file. A path that begins with http:// or https:// is an address, as a [URL] is.
type Path string

// URL is an address from which the service downloads the document.
type URL string

// FileID is the identifier of a file that is in the service.
type FileID string

type source document

// Bytes is a document in memory. The extension of name determines its format.
func Bytes(name string, content []byte) Source {
	return source{kind: fromBytes, text: name, content: content}
}

// Reader is a document of unknown length: its bytes are first written to a temporary file. The extension of name
// determines its format. If the context of the call ends while Read blocks, the call returns, and that Read ends when
// it can.
func Reader(name string, from io.Reader) Source { return SizedReader(name, from, -1) }

// SizedReader is a document of size bytes, which are sent as they are read: see [Reader].
func SizedReader(name string, from io.Reader, size int64) Source {
	return source{kind: fromReader, text: name, reader: from, size: size}
}

// kind is the kind of a source.
type kind int

const (
	fromPath kind = iota
	fromURL
	fromFile
	fromBytes
	fromReader
	fromOperation
)

// document is a source of any kind.
type document struct {
	kind kind
	// text is the path, the address, the identifier or the name.
	text      string
	content   []byte
	reader    io.Reader
	size      int64
	previous  *Operation
	unchecked bool
	err       error
}

func (s source) document() document { return document(s) }

func (p Path) document() document { return document{kind: fromPath, text: string(p)} }

func (f FileID) document() document { return document{kind: fromFile, text: string(f)} }

func (u URL) document() document { return document{kind: fromURL, text: string(u)} }

// The result of the operation, for which a call with this source waits.
func (o *Operation) document() document { return document{kind: fromOperation, previous: o} }

// The result file.
func (r Result) document() document {
	switch {
	case r.Output == nil:
		return document{err: invalid("the result has no file that could be a source")}
	case r.Output.FileID == "":
		return document{err: invalid("the service gave no identifier for the result file; pass the operation instead of its result")}
	}
	return r.Output.FileID.document()
}

// Options are the options of an operation: [OptimizeOptions] and so on, or [RawOptions].
type Options interface {
	// Operation is the name of the operation, such as "stamp-qr".
	Operation() string
}

// RawOptions are the options of an operation as JSON, for operations or options that this version does not know.
type RawOptions struct {
	// Name is the name of an operation, such as "stamp-qr"; with Unchecked also the end of the endpoint of an operation
	// that this version does not know, such as "convert/pdf-to-webp".
	Name string
	// JSON is the object of the options as the service reads it; nil for none.
	JSON []byte
	// Unchecked sends the options, and a document with any extension, without a check.
	Unchecked bool
}

func (o RawOptions) raw() RawOptions { return o }

// Operation returns the name.
func (o RawOptions) Operation() string { return o.Name }

// String returns the name. The options may contain a password.
func (o RawOptions) String() string { return o.Name }

// GoString returns the name, as String does.
func (o RawOptions) GoString() string { return o.Name }

// Start uploads a document, unless it is in the service already, and starts an operation on it. The methods that are
// named after the operations do the same.
func (c *Client) Start(ctx context.Context, from Source, options Options, call ...CallOption) (*Operation, error) {
	doc := from.document()
	var text texts
	name, json := text.of("operation", options.Operation()), (*C.char)(nil)
	if raw, is := options.(interface{ raw() RawOptions }); is {
		doc.unchecked = raw.raw().Unchecked
	}
	if written, err := optionsJSON(options); err != nil {
		return nil, err
	} else if written != nil {
		json = text.of("text of the options", string(written))
	}
	document := text.of("document", doc.text)
	if err := firstError(doc.check(), text.err); err != nil {
		return nil, err
	}
	var previous *C.recto_operation
	if doc.previous != nil {
		object, err := doc.previous.handle.use()
		if err != nil {
			return nil, err
		}
		defer doc.previous.handle.done()
		previous = (*C.recto_operation)(object)
	}
	var started *C.recto_operation
	err := c.call(ctx, call, doc, func(client *C.recto_client, with native) C.recto_status {
		switch doc.kind {
		case fromFile:
			return C.recto_start(client, name, document, json, with.settings, &started, with.failed)
		case fromBytes:
			content, length := bytesOf(doc.content)
			return C.recto_start_data(client, name, content, length, document, json, with.settings, &started, with.failed)
		case fromReader:
			size := C.int64_t(doc.size)
			return C.recto_go_start_stream(
				client, name, with.userdata, size, document, json, with.settings, &started, with.failed)
		case fromOperation:
			return C.recto_start_chained(client, name, previous, json, with.settings, &started, with.failed)
		default:
			return C.recto_start_path(client, name, document, json, with.settings, &started, with.failed)
		}
	})
	if err != nil {
		return nil, err
	}
	return newOperation(started, c.limit), nil
}

// Upload uploads a document, and returns its identifier. A [FileID] or [Result] is in the service already.
func (c *Client) Upload(ctx context.Context, from Source, call ...CallOption) (FileID, error) {
	doc := from.document()
	var text texts
	document := text.of("document", doc.text)
	if doc.kind == fromOperation {
		doc.err = invalid("the result of an operation is in the service already; start an operation on it")
	}
	if err := firstError(doc.err, text.err); err != nil {
		return "", err
	}
	if doc.kind == fromFile {
		return FileID(doc.text), nil
	}
	var id *C.char
	err := c.call(ctx, call, doc, func(client *C.recto_client, with native) C.recto_status {
		switch doc.kind {
		case fromURL:
			return C.recto_upload_url(client, document, with.settings, &id, with.failed)
		case fromBytes:
			content, length := bytesOf(doc.content)
			return C.recto_upload_data(client, content, length, document, with.settings, &id, with.failed)
		case fromReader:
			size := C.int64_t(doc.size)
			return C.recto_go_upload_stream(client, with.userdata, size, document, with.settings, &id, with.failed)
		default:
			return C.recto_upload_path(client, document, with.settings, &id, with.failed)
		}
	})
	if err != nil {
		return "", err
	}
	return FileID(taken(id)), nil
}

// Resume returns an operation that was started before, possibly by another process. The token is the return value of
// [Operation.Token], or the field of an [Error]. No request is sent.
func (c *Client) Resume(token string) (*Operation, error) {
	var text texts
	given := text.of("token", token)
	if text.err != nil {
		return nil, text.err
	}
	object, err := c.handle.use()
	if err != nil {
		return nil, err
	}
	defer c.handle.done()
	var resumed *C.recto_operation
	var failed *C.recto_error
	if err := check(C.recto_resume((*C.recto_client)(object), given, &resumed, &failed), failed); err != nil {
		return nil, err
	}
	return newOperation(resumed, c.limit), nil
}

func optionsJSON(options Options) ([]byte, error) {
	if raw, is := options.(interface{ raw() RawOptions }); is {
		return raw.raw().JSON, nil
	}
	written, err := settingText(options)
	return []byte(written), err
}

func bytesOf(content []byte) (unsafe.Pointer, C.size_t) {
	return unsafe.Pointer(unsafe.SliceData(content)), C.size_t(len(content))
}

// check refuses an address that the library would take for the path of a local file, where it takes both.
func (d *document) check() error {
	lower := strings.ToLower(d.text)
	if d.kind == fromURL && !strings.HasPrefix(lower, "http://") && !strings.HasPrefix(lower, "https://") {
		return invalid("the address of a document must begin with http:// or https://; use recto.Path for a local file")
	}
	return d.err
}

func firstError(errors ...error) error {
	for _, err := range errors {
		if err != nil {
			return err
		}
	}
	return nil
}
