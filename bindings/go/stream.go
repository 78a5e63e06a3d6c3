package recto

import (
	"context"
	"io"
)

// transfer is one read or write of the program's stream.
type transfer struct {
	buffer []byte
	n      int
	err    error
}

// pump makes the reads or writes of a call in another goroutine, so that the call can end although the stream blocks.
// After that, a read or write that still runs uses only memory of its own.
type pump struct {
	requests chan transfer
	results  chan transfer
}

func startPump(step func([]byte) (int, error)) *pump {
	p := &pump{requests: make(chan transfer), results: make(chan transfer, 1)}
	go func() {
		for next := range p.requests {
			next.n, next.err = step(next.buffer)
			p.results <- next
		}
	}()
	return p
}

func (p *pump) do(ctx context.Context, buffer []byte) (transfer, error) {
	p.requests <- transfer{buffer: buffer}
	select {
	case done := <-p.results:
		return done, nil
	case <-ctx.Done():
		return transfer{}, ctx.Err()
	}
}

func (p *pump) stop() {
	if p != nil {
		close(p.requests)
	}
}

// reading is the reader of a document.
type reading struct {
	from   io.Reader
	pump   *pump
	buffer []byte
	// ended is the error that came with the last bytes.
	ended error
}

// read returns 0 bytes at the end of the document.
func (r *reading) read(ctx context.Context, into []byte) (int, error) {
	for empty := 0; r.ended == nil && empty < 100; empty++ {
		n, err := r.once(ctx, into)
		r.ended = err
		if n > 0 {
			return n, nil
		}
	}
	switch r.ended {
	case nil:
		return 0, io.ErrNoProgress
	case io.EOF:
		return 0, nil
	default:
		return 0, r.ended
	}
}

func (r *reading) once(ctx context.Context, into []byte) (int, error) {
	if ctx.Done() == nil {
		return r.from.Read(into)
	}
	if r.pump == nil {
		r.pump = startPump(guarded(r.from.Read))
	}
	if len(r.buffer) < len(into) {
		r.buffer = make([]byte, len(into))
	}
	done, err := r.pump.do(ctx, r.buffer[:len(into)])
	if err != nil {
		return 0, err
	}
	return copy(into, done.buffer[:done.n]), repanic(done.err)
}

func (r *reading) stop() {
	if r != nil {
		r.pump.stop()
	}
}

// writing is the writer of a result.
type writing struct {
	to     io.Writer
	pump   *pump
	buffer []byte
}

func (w *writing) write(ctx context.Context, data []byte) error {
	if ctx.Done() == nil {
		n, err := w.to.Write(data)
		return whole(n, len(data), err)
	}
	if w.pump == nil {
		w.pump = startPump(guarded(w.to.Write))
	}
	w.buffer = append(w.buffer[:0], data...)
	done, err := w.pump.do(ctx, w.buffer)
	if err != nil {
		return err
	}
	return whole(done.n, len(data), repanic(done.err))
}

func (w *writing) stop() {
	if w != nil {
		w.pump.stop()
	}
}

// whole checks that a write without an error took all bytes.
func whole(n, length int, err error) error {
	if err == nil && n != length {
		return io.ErrShortWrite
	}
	return err
}

// panicError carries a panic of a stream from the goroutine of its pump to the call.
type panicError struct{ value any }

func (panicError) Error() string { return "the stream panicked" }

func guarded(step func([]byte) (int, error)) func([]byte) (int, error) {
	return func(buffer []byte) (n int, err error) {
		defer func() {
			if value := recover(); value != nil {
				err = panicError{value}
			}
		}()
		return step(buffer)
	}
}

func repanic(err error) error {
	if panicked, is := err.(panicError); is {
		panic(panicked.value)
	}
	return err
}
