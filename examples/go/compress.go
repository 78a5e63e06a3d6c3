// Compresses a PDF from Go, with cgo: go run compress.go IN.pdf OUT.pdf
package main

/*
#cgo pkg-config: recto
#include <recto.h>
#include <stdlib.h>
*/
import "C"

import (
	"errors"
	"fmt"
	"os"
	"unsafe"
)

// failure converts the outcome of a call to a Go error, nil for success. It frees the error object.
func failure(status C.recto_status, err *C.recto_error) error {
	if status >= C.RECTO_OK {
		return nil
	}
	defer C.recto_error_free(err)
	return errors.New(C.GoString(C.recto_error_message(err)))
}

// text copies a Go string for C. It returns the copy, and a function that frees it.
func text(value string) (*C.char, func()) {
	copied := C.CString(value)
	return copied, func() { C.free(unsafe.Pointer(copied)) }
}

func compress(source, target string) error {
	var client *C.recto_client
	var operation *C.recto_operation
	var err *C.recto_error
	if failed := failure(C.recto_client_new(nil, &client, &err), err); failed != nil {
		return failed
	}
	defer C.recto_client_free(client)

	kind, freeKind := text(C.RECTO_OPTIMIZE)
	defer freeKind()
	from, freeFrom := text(source)
	defer freeFrom()
	to, freeTo := text(target)
	defer freeTo()
	options, freeOptions := text(`{"profile": "web"}`)
	defer freeOptions()

	started := C.recto_start_path(client, kind, from, options, nil, &operation, &err)
	if failed := failure(started, err); failed != nil {
		return failed
	}
	defer C.recto_operation_free(operation)
	return failure(C.recto_operation_save(operation, to, nil, nil, &err), err)
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: compress IN.pdf OUT.pdf")
		os.Exit(2)
	}
	if err := compress(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", os.Args[1], err)
		os.Exit(1)
	}
	fmt.Println(os.Args[2])
}
