package recto

/*
#include "shim.h"
*/
import "C"

import (
	"context"
	"errors"
	"fmt"
	"runtime/cgo"
	"time"
)

// mostCalls is how many calls block a thread of the system at the same time. A Go program ends if it needs more than
// 10,000 threads; further calls wait without one. Calls that run code of the program (a reader, a writer, progress) are
// not counted, because that code may itself wait for another call.
const mostCalls = 512

var threads = make(chan struct{}, mostCalls)

// call is one call of the library with its context and settings.
type call struct {
	callSettings
	ctx   context.Context
	limit time.Duration // of the client; 0 if it has none

	reader *reading
	writer *writing
	bound  C.recto_go_bound
	// handle is the number of the callbacks' userdata; 0 if the call has no callbacks.
	handle cgo.Handle
	// panicked is what a callback has panicked with.
	panicked any
	// failed is the error of the reader or writer of the program.
	failed error
}

// newCall applies the options of a call to ctx.
func newCall(ctx context.Context, limit time.Duration, options []CallOption) (*call, error) {
	c := &call{ctx: ctx, limit: limit}
	for _, option := range options {
		if err := option.apply(&c.callSettings); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// native has the arguments of a function of the library that each call has.
type native struct {
	settings *C.recto_call
	// userdata is the number of the callbacks' handle.
	userdata C.uintptr_t
	failed   **C.recto_error
}

// run makes the call: do calls a function of the library.
func (c *call) run(do func(with native) C.recto_status) error {
	if err := c.ctx.Err(); err != nil {
		return c.ended(&Error{Kind: ErrCancelled, Message: "the call was not made"})
	}
	if c.hasCallbacks() {
		c.handle = cgo.NewHandle(c)
		defer c.handle.Delete()
		defer c.reader.stop()
		defer c.writer.stop()
	} else {
		select {
		case threads <- struct{}{}:
			defer func() { <-threads }()
		case <-c.ctx.Done():
			return c.ended(&Error{Kind: ErrCancelled, Message: "the call was not made"})
		}
	}
	defer C.recto_go_unbind(&c.bound)
	if err := c.bind(); err != nil {
		return err
	}
	defer c.watch()()

	var failed *C.recto_error
	err := check(do(native{c.bound.call, C.uintptr_t(c.handle), &failed}), failed)
	if c.panicked != nil {
		panic(c.panicked)
	}
	if found, is := asError(err); is {
		return c.ended(found)
	}
	return err
}

func (c *call) hasCallbacks() bool { return c.progress != nil || c.reader != nil || c.writer != nil }

// bind creates the settings of the library for this call, unless all are the defaults.
func (c *call) bind() error {
	limit, hasLimit := c.timeLimit()
	chosen := C.recto_go_settings{
		timeout_ms:       C.int64_t(milliseconds(limit)),
		has_timeout:      flag(hasLimit),
		wait_timeout_ms:  C.int64_t(milliseconds(c.waitTimeout)),
		has_wait_timeout: flag(c.hasWaitTimeout),
		force:            flag(c.force),
		keep_existing:    flag(c.keepExisting),
		delete_after:     flag(c.deleteAfter),
		unchecked:        flag(c.unchecked),
		with_cancel:      flag(c.ctx.Done() != nil),
	}
	if c.progress != nil {
		chosen.progress = C.uintptr_t(c.handle)
	}
	if chosen == (C.recto_go_settings{}) && len(c.headers) == 0 && c.extraOptions == "" {
		return nil
	}
	var failed *C.recto_error
	if err := check(C.recto_go_bind(&chosen, &c.bound, &failed), failed); err != nil {
		return err
	}
	var text texts
	for _, header := range c.headers {
		name, value := text.of("header", header.name), text.of("header", header.value)
		if text.err != nil {
			return text.err
		}
		if err := check(C.recto_call_set_header(c.bound.call, name, value, &failed), failed); err != nil {
			return err
		}
	}
	if c.extraOptions == "" {
		return nil
	}
	return check(C.recto_call_set_extra_options(c.bound.call, text.of("options", c.extraOptions), &failed), failed)
}

// timeLimit is the earliest of the deadline of the context and the time limit of the call, or else of the client.
func (c *call) timeLimit() (time.Duration, bool) {
	limit, has := c.timeout, c.hasTimeout
	deadline, ends := c.ctx.Deadline()
	if !ends {
		return limit, has
	}
	if !has && c.limit > 0 {
		limit, has = c.limit, true
	}
	// A deadline that has just passed ends the call, too.
	left := max(time.Until(deadline), time.Millisecond)
	if has && limit >= 0 && limit < left {
		return limit, true
	}
	return left, true
}

// watch cancels the call when its context is cancelled. The function that it returns ends this, and waits until nothing
// uses the call any more.
func (c *call) watch() func() {
	if c.bound.cancel == nil {
		return func() {}
	}
	ended := make(chan struct{})
	stop := context.AfterFunc(c.ctx, func() {
		defer close(ended)
		// The library ends the call itself at the deadline, and its error says what it was doing.
		if _, hasDeadline := c.ctx.Deadline(); !hasDeadline || !errors.Is(c.ctx.Err(), context.DeadlineExceeded) {
			C.recto_cancel_trigger(c.bound.cancel)
		}
	})
	return func() {
		if !stop() {
			<-ended
		}
	}
}

// ended adds why the program ended the call: the error of its context, reader or writer.
func (c *call) ended(failed *Error) error {
	switch deadline, has := c.ctx.Deadline(); {
	case c.failed != nil:
		failed.Kind, failed.cause = ErrIO, c.failed
	case failed.Kind == ErrCancelled && c.ctx.Err() != nil:
		failed.cause = contextError(c.ctx)
		if errors.Is(failed.cause, context.DeadlineExceeded) {
			failed.Kind = ErrRequestTimeout
		}
	case failed.Kind == ErrRequestTimeout && has && !time.Now().Before(deadline):
		failed.cause = context.DeadlineExceeded
	}
	return failed
}

// contextError is the error of the context, and its cause if it has another one.
func contextError(ctx context.Context) error {
	err, cause := ctx.Err(), context.Cause(ctx)
	if cause == err {
		return err
	}
	return fmt.Errorf("%w: %w", err, cause)
}

// milliseconds rounds up, so that a time limit never becomes 0.
func milliseconds(d time.Duration) int64 {
	if d < 0 {
		return int64(C.RECTO_FOREVER)
	}
	return int64((d + time.Millisecond - 1) / time.Millisecond)
}

func flag(set bool) C.int32_t {
	if set {
		return 1
	}
	return 0
}
