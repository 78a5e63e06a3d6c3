package recto_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"
	"testing/iotest"

	recto "example.com/recto/bindings/go"
	"example.com/recto/bindings/go/internal/fake"
)

// contexts are contexts without and with an end, for which streams are read in different ways.
func contexts(t *testing.T) map[string]context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	return map[string]context.Context{"without an end": context.Background(), "with an end": ctx}
}

func TestAReaderOfAnyKindIsReadToItsEnd(t *testing.T) {
	service := fake.New(t)
	client := service.Client(t)
	content := bytes.Repeat([]byte("%PDF-1.7 0123456789"), 20_000)
	for name, ctx := range contexts(t) {
		readers := map[string]io.Reader{
			"plain": bytes.NewReader(content), "half": iotest.HalfReader(bytes.NewReader(content)),
			"data with the end": iotest.DataErrReader(bytes.NewReader(content)),
		}
		for kind, reader := range readers {
			sized := recto.SizedReader("a.pdf", bytes.NewReader(content), int64(len(content)))
			for _, from := range []recto.Source{recto.Reader("a.pdf", reader), sized} {
				if _, err := client.Upload(ctx, from); err != nil {
					t.Fatalf("%s, %s: %v", name, kind, err)
				}
				if service.Last("/put/f1") != string(content) {
					t.Errorf("%s, %s: other bytes arrived", name, kind)
				}
			}
		}
	}
}

func TestTheErrorOfAReaderOrWriterIsWrapped(t *testing.T) {
	service := fake.New(t)
	client := service.Client(t)
	broken := errors.New("the disk is on fire")
	for name, ctx := range contexts(t) {
		_, err := client.Upload(ctx, recto.Reader("a.pdf", iotest.ErrReader(broken)))
		if !errors.Is(err, broken) || !errors.Is(err, recto.ErrIO) {
			t.Errorf("%s, reader: %v", name, err)
		}
		_, err = client.Upload(ctx, recto.Reader("a.pdf", emptyReader{}))
		if !errors.Is(err, io.ErrNoProgress) {
			t.Errorf("%s, a reader that never returns anything: %v", name, err)
		}
		operation, err := client.Optimize(ctx, recto.FileID("f1"), recto.OptimizeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		_, err = operation.WriteTo(ctx, writer(func([]byte) (int, error) { return 0, broken }))
		if !errors.Is(err, broken) || !errors.Is(err, recto.ErrIO) {
			t.Errorf("%s, writer: %v", name, err)
		}
		_, err = operation.WriteTo(ctx, writer(func(data []byte) (int, error) { return len(data) - 1, nil }))
		if !errors.Is(err, io.ErrShortWrite) {
			t.Errorf("%s, a writer that takes a part: %v", name, err)
		}
	}
}

func TestAPanicOfACallbackReachesTheProgram(t *testing.T) {
	service := fake.New(t)
	client := service.Client(t)
	for name, ctx := range contexts(t) {
		operation, err := client.Optimize(ctx, recto.FileID("f1"), recto.OptimizeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		calls := map[string]func() error{
			"progress": func() error {
				_, err := client.Upload(ctx, recto.Bytes("a.pdf", nil), recto.OnProgress(func(recto.Progress) { panic("mine") }))
				return err
			},
			"reader": func() error {
				_, err := client.Upload(ctx, recto.Reader("a.pdf", reader(func([]byte) (int, error) { panic("mine") })))
				return err
			},
			"writer": func() error {
				_, err := operation.WriteTo(ctx, writer(func([]byte) (int, error) { panic("mine") }))
				return err
			},
		}
		for callback, call := range calls {
			func() {
				defer func() {
					if value := recover(); value != "mine" {
						t.Errorf("%s, %s: panicked with %v", name, callback, value)
					}
				}()
				t.Errorf("%s, %s: returned %v", name, callback, call())
			}()
		}
		if _, err := client.File(ctx, "f1"); err != nil {
			t.Errorf("%s: after the panics: %v", name, err)
		}
	}
}

func TestACallbackCanMakeCalls(t *testing.T) {
	service := fake.New(t)
	client := service.Client(t)
	calls := 0
	_, err := client.Upload(context.Background(), recto.Bytes("a.pdf", []byte("%PDF")), recto.OnProgress(func(recto.Progress) {
		if _, err := client.File(context.Background(), "f1"); err != nil {
			t.Error(err)
		}
		calls++
	}))
	if err != nil || calls == 0 {
		t.Errorf("%d calls, %v", calls, err)
	}
}

type emptyReader struct{}

func (emptyReader) Read([]byte) (int, error) { return 0, nil }

type reader func([]byte) (int, error)

func (r reader) Read(buffer []byte) (int, error) { return r(buffer) }

type writer func([]byte) (int, error)

func (w writer) Write(data []byte) (int, error) { return w(data) }
