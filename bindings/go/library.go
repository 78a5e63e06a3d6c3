package recto

/*
#include "shim.h"
*/
import "C"

// LibraryVersion returns the version of the C library that this program uses, such as "0.1.0".
func LibraryVersion() string { return C.GoString(C.recto_version_string()) }

// HasFeature reports whether the C library has a feature: "local" is the embedded service.
func HasFeature(name string) bool {
	var text texts
	given := text.of("name", name)
	return text.err == nil && C.recto_has_feature(given) != 0
}

// Shutdown ends the threads of the C library and closes its descriptors. Close batches, operations, clients and
// services before. A program need not call this before it exits. The library can be used again afterwards.
func Shutdown() error {
	var failed *C.recto_error
	return check(C.recto_shutdown(&failed), failed)
}

// Ptr returns a pointer to value, for options that may be left out: recto.PDFToJPEGOptions{JPEGQuality: recto.Ptr(85)}.
func Ptr[T any](value T) *T { return &value }
