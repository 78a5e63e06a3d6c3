package recto

/*
#include "shim.h"
*/
import "C"

import (
	"context"
	"io"
	"unsafe"
)

// Batch runs one operation on many documents, several at the same time, and returns each document when it is done. Add
// the documents, then call Next until it returns [io.EOF], or range over Items. One goroutine uses it at a time;
// further ones wait.
type Batch struct {
	handle *handle
	// turn lets one goroutine use the batch at a time.
	turn chan struct{}
	// closing ends the wait for the next document.
	closing context.Context
	close   context.CancelFunc
}

// BatchItem is one document of a batch, with its outcome.
type BatchItem struct {
	// Index is the position of the document among those that were added, counted from 0.
	Index int
	// Source is the document as it was added: its path, its address without the query, its name, or a text with its
	// identifier.
	Source string
	// Err is why the document failed, an *[Error]; nil if it succeeded.
	Err error
	// Path is the path of the result file; empty if there is none.
	Path string
	// OperationID is the identifier of the operation; empty if the document failed.
	OperationID string
	// Result is the result; nil if the document failed, or was finished in an earlier run.
	Result *Result
	// Resumed is whether the document was finished in an earlier run with the same journal.
	Resumed bool
	// LeftBehind is, with WithDeleteAfter, why files of the document could not be deleted from the service, an
	// *[Error]; otherwise nil.
	LeftBehind error
}

// NewBatch creates a batch of an operation. Nothing is read or sent before the first document is waited for.
func (c *Client) NewBatch(options Options, settings ...BatchOption) (*Batch, error) {
	var text texts
	written, err := optionsJSON(options)
	name, json := text.of("operation", options.Operation()), text.optional("text of the options", string(written))
	if err := firstError(err, text.err); err != nil {
		return nil, err
	}
	client, err := c.handle.use()
	if err != nil {
		return nil, err
	}
	defer c.handle.done()
	var owned *C.recto_batch
	var failed *C.recto_error
	if err := check(C.recto_batch_new((*C.recto_client)(client), name, json, &owned, &failed), failed); err != nil {
		return nil, err
	}
	b := &Batch{handle: newHandle("batch", unsafe.Pointer(owned), freeBatch), turn: make(chan struct{}, 1)}
	b.closing, b.close = context.WithCancel(context.Background())
	for _, option := range settings {
		if err := option.apply(batchSettings{owned}); err != nil {
			b.Close()
			return nil, err
		}
	}
	return b, nil
}

func freeBatch(object unsafe.Pointer) { C.recto_batch_free((*C.recto_batch)(object)) }

// Add adds documents, before the first one is waited for. Bytes are copied. The documents of a batch cannot be readers,
// and a batch with a journal cannot record bytes: such a document fails.
func (b *Batch) Add(documents ...Source) error {
	for _, document := range documents {
		if err := b.add(document.document()); err != nil {
			return err
		}
	}
	return nil
}

func (b *Batch) add(doc document) error {
	var text texts
	document := text.of("document", doc.text)
	if doc.kind == fromReader {
		doc.err = invalid("a reader cannot be a document of a batch; upload it first")
	}
	if err := firstError(doc.check(), text.err); err != nil {
		return err
	}
	b.turn <- struct{}{}
	defer func() { <-b.turn }()
	object, err := b.handle.use()
	if err != nil {
		return err
	}
	defer b.handle.done()
	batch := (*C.recto_batch)(object)
	var failed *C.recto_error
	switch doc.kind {
	case fromFile:
		return check(C.recto_batch_add_file(batch, document, &failed), failed)
	case fromBytes:
		content, length := bytesOf(doc.content)
		return check(C.recto_batch_add_data(batch, content, length, document, &failed), failed)
	case fromOperation:
		previous, err := doc.previous.handle.use()
		if err != nil {
			return err
		}
		defer doc.previous.handle.done()
		return check(C.recto_batch_add_operation(batch, (*C.recto_operation)(previous), &failed), failed)
	default:
		return check(C.recto_batch_add(batch, document, &failed), failed)
	}
}

// Next waits for the next document that succeeds or fails, and returns it. The error is [io.EOF] when there are no
// more. A document that fails is not an error of Next: see [BatchItem]. An error, also of ctx, ends the batch.
func (b *Batch) Next(ctx context.Context, options ...CallOption) (*BatchItem, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(b.closing, cancel)()
	call, err := newCall(ctx, 0, options)
	if err != nil {
		return nil, err
	}
	select {
	case b.turn <- struct{}{}:
		defer func() { <-b.turn }()
	case <-ctx.Done():
		return nil, call.ended(&Error{Kind: ErrCancelled, Message: "the call was not made"})
	}
	object, err := b.handle.use()
	if err != nil {
		return nil, err
	}
	defer b.handle.done()
	var item *C.recto_batch_item
	err = call.run(func(with native) C.recto_status {
		return C.recto_batch_next((*C.recto_batch)(object), with.settings, &item, with.failed)
	})
	switch {
	case err != nil:
		return nil, err
	case item == nil:
		return nil, io.EOF
	}
	defer C.recto_batch_item_free(item)
	return copyItem(item), nil
}

// Items returns the documents as a sequence to range over (Go 1.23). An error ends it: see [Batch.Next].
func (b *Batch) Items(ctx context.Context, options ...CallOption) func(yield func(*BatchItem, error) bool) {
	return func(yield func(*BatchItem, error) bool) {
		for {
			item, err := b.Next(ctx, options...)
			if err == io.EOF || !yield(item, err) || err != nil {
				return
			}
		}
	}
}

// Close ends the batch. Documents in progress are cancelled, and the journal is complete. The error is always nil.
func (b *Batch) Close() error {
	b.close()
	b.handle.close(nil)
	return nil
}

func copyItem(item *C.recto_batch_item) *BatchItem {
	copied := &BatchItem{
		Index:       int(C.recto_batch_item_index(item)),
		Source:      C.GoString(C.recto_batch_item_source(item)),
		Path:        C.GoString(C.recto_batch_item_path(item)),
		OperationID: C.GoString(C.recto_batch_item_operation_id(item)),
		Result:      copyResult(C.recto_batch_item_result(item)),
		Resumed:     C.recto_batch_item_is_resumed(item) != 0,
	}
	// A nil *Error must not become an error that is not nil.
	if failed := copyError(C.recto_batch_item_error(item)); failed != nil {
		copied.Err = failed
	}
	if left := copyError(C.recto_batch_item_left_behind(item)); left != nil {
		copied.LeftBehind = left
	}
	return copied
}

// batchSettings applies options to a batch.
type batchSettings struct{ batch *C.recto_batch }

func (b batchSettings) set(name string, value any) error {
	written, err := settingText(value)
	if err != nil {
		return err
	}
	var text texts
	key, content := text.of("setting", name), text.of("setting "+name, written)
	if text.err != nil {
		return text.err
	}
	var failed *C.recto_error
	return check(C.recto_batch_set(b.batch, key, content, &failed), failed)
}

func (b batchSettings) setHeader(name, value string) error {
	var text texts
	key, content := text.of("header", name), text.of("header", value)
	if text.err != nil {
		return text.err
	}
	var failed *C.recto_error
	return check(C.recto_batch_set_header(b.batch, key, content, &failed), failed)
}
