//go:build recto_static

package recto

// The archive comes first and resolves every symbol, so that the program does not need the shared library that
// pkg-config names.

// #cgo pkg-config: recto
// #cgo LDFLAGS: -Wl,-Bstatic -lrecto -Wl,-Bdynamic -lm -ldl -lpthread -Wl,--as-needed
import "C"
