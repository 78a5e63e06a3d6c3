package recto

/*
#include <recto.h>
#include <stdint.h>
#include <stdlib.h>
*/
import "C"

import (
	"context"
	"log/slog"
	"runtime/cgo"
	"unsafe"
)

// The functions that the library calls. They run on the thread of the call, and those of the log also on other threads.
// A panic must not unwind through the library: it ends the call, which then panics in the program.

//export rectoGoProgress
func rectoGoProgress(phase C.int32_t, done, total C.int64_t, userdata unsafe.Pointer) (stop C.int32_t) {
	c := cgo.Handle(uintptr(userdata)).Value().(*call)
	stop = 1
	defer c.guard()
	c.progress(Progress{Phase: Phase(phase), Done: int64(done), Total: int64(total)})
	if c.ctx.Err() == nil {
		stop = 0
	}
	return stop
}

//export rectoGoRead
func rectoGoRead(buffer unsafe.Pointer, size C.size_t, userdata unsafe.Pointer) (length C.int64_t) {
	c := cgo.Handle(uintptr(userdata)).Value().(*call)
	length = -1
	defer c.guard()
	n, err := c.reader.read(c.ctx, unsafe.Slice((*byte)(buffer), int(size)))
	if err != nil {
		c.keep(err)
		return -1
	}
	return C.int64_t(n)
}

//export rectoGoWrite
func rectoGoWrite(data unsafe.Pointer, length C.size_t, userdata unsafe.Pointer) (stop C.int32_t) {
	c := cgo.Handle(uintptr(userdata)).Value().(*call)
	stop = 1
	defer c.guard()
	if err := c.writer.write(c.ctx, unsafe.Slice((*byte)(data), int(length))); err != nil {
		c.keep(err)
		return 1
	}
	return 0
}

//export rectoGoLog
func rectoGoLog(level C.int32_t, message *C.char, userdata unsafe.Pointer) {
	logger := cgo.Handle(uintptr(userdata)).Value().(*slog.Logger)
	// The caller of the library may be any thread, so there is nobody to receive a panic of the handler.
	defer func() { _ = recover() }()
	logger.Log(context.Background(), slogLevel(int32(level)), C.GoString(message))
}

//export rectoGoDrop
func rectoGoDrop(userdata unsafe.Pointer) {
	cgo.Handle(uintptr(userdata)).Delete()
}

// guard keeps a panic of a callback for the end of the call.
func (c *call) guard() {
	if panicked := recover(); panicked != nil {
		c.panicked = panicked
	}
}

// keep keeps the error of a reader or writer, unless the context has ended it.
func (c *call) keep(err error) {
	if c.failed == nil && c.ctx.Err() == nil {
		c.failed = err
	}
}
