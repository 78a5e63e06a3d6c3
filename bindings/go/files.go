package recto

/*
#include "shim.h"
*/
import "C"

import (
	"context"
	"time"
)

// File is the record of a file in the service. Fields that the response does not have are empty.
type File struct {
	// ID is the identifier of the file.
	ID FileID
	// CreatedAt is when the file was created in the service. It is the zero time if the service gave none, or one that
	// is not a time.
	CreatedAt time.Time
	// Origin is how the file was created in the service, such as "fromUrl". Later services may have further values.
	Origin string
	// Name is the name of the file.
	Name string
	// Extension is the extension of the file, without the dot.
	Extension string
}

// File returns the record of a file.
func (c *Client) File(ctx context.Context, id FileID, options ...CallOption) (*File, error) {
	var text texts
	given := text.of("identifier", string(id))
	if text.err != nil {
		return nil, text.err
	}
	var file *C.recto_file
	err := c.call(ctx, options, document{}, func(client *C.recto_client, with native) C.recto_status {
		return C.recto_file_get(client, given, with.settings, &file, with.failed)
	})
	if err != nil {
		return nil, err
	}
	defer C.recto_file_free(file)
	var from C.recto_go_file
	C.recto_go_read_file(file, &from)
	record := copyFile(&from)
	return &record, nil
}

// Files lists the active files: uploads and results.
func (c *Client) Files(ctx context.Context, options ...CallOption) ([]File, error) {
	return c.list(ctx, 0, options)
}

// ResultFiles lists the active files that are results of operations.
func (c *Client) ResultFiles(ctx context.Context, options ...CallOption) ([]File, error) {
	return c.list(ctx, 1, options)
}

func (c *Client) list(ctx context.Context, onlyResults C.int32_t, options []CallOption) ([]File, error) {
	var list *C.recto_file_list
	err := c.call(ctx, options, document{}, func(client *C.recto_client, with native) C.recto_status {
		return C.recto_file_list_get(client, onlyResults, with.settings, &list, with.failed)
	})
	return takeFiles(list), err
}

// DeleteFile deletes a file. It returns the files that the response lists; the interface of the service does not define
// which these are.
func (c *Client) DeleteFile(ctx context.Context, id FileID, options ...CallOption) ([]File, error) {
	var text texts
	given := text.of("identifier", string(id))
	if text.err != nil {
		return nil, text.err
	}
	var list *C.recto_file_list
	err := c.call(ctx, options, document{}, func(client *C.recto_client, with native) C.recto_status {
		return C.recto_file_delete(client, given, with.settings, &list, with.failed)
	})
	return takeFiles(list), err
}

// takeFiles copies a list of the library, and frees it.
func takeFiles(list *C.recto_file_list) []File {
	if list == nil {
		return nil
	}
	defer C.recto_file_list_free(list)
	files := make([]File, C.recto_file_list_count(list))
	for at := range files {
		var from C.recto_go_file
		C.recto_go_read_file_at(list, C.size_t(at), &from)
		files[at] = copyFile(&from)
	}
	return files
}

func copyFile(from *C.recto_go_file) File {
	// The zero time for a text that is not a time.
	created, _ := time.Parse(time.RFC3339Nano, C.GoString(from.created_at))
	return File{
		ID:        FileID(C.GoString(from.id)),
		CreatedAt: created,
		Origin:    C.GoString(from.origin),
		Name:      C.GoString(from.name),
		Extension: C.GoString(from.extension),
	}
}
