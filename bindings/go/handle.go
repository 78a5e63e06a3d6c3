package recto

import (
	"os"
	"runtime"
	"sync"
	"unsafe"
)

// handle owns an object of the C library. It frees the object once: when it is closed and no call uses it any more, or
// when the garbage collector finds that it was forgotten.
type handle struct {
	name string
	free func(unsafe.Pointer)

	mu     sync.Mutex
	object unsafe.Pointer
	users  int
	closed bool
}

func newHandle(name string, object unsafe.Pointer, free func(unsafe.Pointer)) *handle {
	h := &handle{name: name, object: object, free: free}
	// Freeing can take two seconds if it ends the embedded service. The goroutine of the finalizers must not wait for
	// that.
	runtime.SetFinalizer(h, func(h *handle) { go h.close(nil) })
	return h
}

// use returns the object. It stays valid until done is called.
func (h *handle) use() (unsafe.Pointer, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil, &Error{Kind: ErrConfig, Message: "the " + h.name + " was closed", cause: os.ErrClosed}
	}
	h.users++
	return h.object, nil
}

func (h *handle) done() {
	h.mu.Lock()
	h.users--
	last := h.closed && h.users == 0
	h.mu.Unlock()
	if last {
		h.free(h.object)
	}
}

// close refuses later calls, calls end with the object if calls are running, and frees the object when they have ended.
func (h *handle) close(end func(unsafe.Pointer)) {
	h.mu.Lock()
	if h.closed {
		h.mu.Unlock()
		return
	}
	h.closed = true
	runtime.SetFinalizer(h, nil)
	if end != nil {
		end(h.object)
	}
	last := h.users == 0
	h.mu.Unlock()
	if last {
		h.free(h.object)
	}
}
