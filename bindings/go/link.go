//go:build !recto_static

package recto

// #cgo pkg-config: recto
import "C"
