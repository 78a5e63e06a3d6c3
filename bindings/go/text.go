package recto

/*
#include "shim.h"
*/
import "C"

import (
	"strings"
	"unsafe"
)

// texts converts Go strings for the C library, and keeps the first error.
type texts struct{ err error }

// of returns a copy of value that ends with a NUL. The copy is in the memory of Go, and valid during the call of C that
// it is passed to: the library copies what it keeps.
func (t *texts) of(what, value string) *C.char {
	if strings.IndexByte(value, 0) >= 0 && t.err == nil {
		t.err = invalid("the " + what + " contains a NUL character")
	}
	text := make([]byte, len(value)+1)
	copy(text, value)
	return (*C.char)(unsafe.Pointer(&text[0]))
}

// optional is nil for an empty value.
func (t *texts) optional(what, value string) *C.char {
	if value == "" {
		return nil
	}
	return t.of(what, value)
}

// taken copies a text that the library returned, and frees it.
func taken(text *C.char) string {
	value := C.GoString(text)
	C.recto_free(unsafe.Pointer(text))
	return value
}
