// Package leaks checks that the module leaves no goroutine, descriptor or memory behind. It is a module of its own, so
// that programs that use Recto do not depend on goleak.
package leaks

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	recto "example.com/recto/bindings/go"
	"example.com/recto/bindings/go/internal/fake"
	"go.uber.org/goleak"
)

const (
	operations = 10_000
	warmUp     = 2_000
	atOnce     = 16
)

func TestTenThousandOperationsLeaveNothingBehind(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	t.Run("operations", func(t *testing.T) {
		client := fake.New(t).Client(t)
		defer client.Close()
		repeat(t, client, warmUp)
		memory, descriptors := resident(t), opened(t)
		began := time.Now()
		repeat(t, client, operations)
		took := time.Since(began)
		grown, now := resident(t)-memory, opened(t)
		t.Logf("%d operations in %v: resident memory %+d KiB, descriptors %d, then %d", operations, took, grown, descriptors, now)
		if grown > 8*1024 {
			t.Errorf("the resident memory has grown by %d KiB", grown)
		}
		if now > descriptors+2*atOnce {
			t.Errorf("%d descriptors are open, %d were before", now, descriptors)
		}
	})
}

func TestCallsThatAreCancelledLeaveNoGoroutine(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	t.Run("calls", func(t *testing.T) {
		service := fake.NewStalling(t, "/v1/")
		client := service.Client(t)
		for at := 0; at < 20; at++ {
			ctx, cancel := context.WithCancel(context.Background())
			go func() {
				<-service.Stalled
				cancel()
			}()
			_, err := client.Upload(ctx, recto.Reader("a.pdf", strings.NewReader("%PDF")), recto.OnProgress(func(recto.Progress) {}))
			if !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
			cancel()
		}
		batch, err := client.NewBatch(recto.OptimizeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if err := batch.Add(recto.Bytes("a.pdf", []byte("%PDF"))); err != nil {
			t.Fatal(err)
		}
		go func() {
			<-service.Stalled
			batch.Close()
		}()
		if _, err := batch.Next(context.Background()); !errors.Is(err, recto.ErrCancelled) {
			t.Error(err)
		}
	})
}

// repeat does this many operations, each in one of several ways.
func repeat(t *testing.T, client *recto.Client, count int64) {
	var left atomic.Int64
	left.Store(count)
	var running sync.WaitGroup
	for at := 0; at < atOnce; at++ {
		running.Add(1)
		go func() {
			defer running.Done()
			for number := left.Add(-1); number >= 0; number = left.Add(-1) {
				if err := once(client, number); err != nil {
					t.Error(err)
					return
				}
			}
		}()
	}
	running.Wait()
}

func once(client *recto.Client, number int64) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var from recto.Source = recto.FileID("f1")
	switch number % 10 {
	case 0:
		from = recto.SizedReader("a.pdf", strings.NewReader("%PDF-1.7"), 8)
	case 1:
		from = recto.Bytes("a.pdf", []byte("%PDF-1.7"))
	case 2:
		if _, err := client.File(ctx, "missing"); !errors.Is(err, recto.ErrNotFound) {
			return err
		}
	case 3:
		cancel()
		if _, err := client.File(ctx, "f1"); !errors.Is(err, context.Canceled) {
			return err
		}
		ctx = context.Background()
	}
	operation, err := client.Optimize(ctx, from, recto.OptimizeOptions{Profile: recto.ProfileWeb})
	if err != nil {
		return err
	}
	if number%10 != 4 { // The garbage collector frees the others.
		defer operation.Close()
	}
	if number%2 == 0 {
		var content bytes.Buffer
		_, err = operation.WriteTo(ctx, &content, recto.OnProgress(func(recto.Progress) {}))
		if err == nil && content.String() != fake.Result {
			err = io.ErrUnexpectedEOF
		}
		return err
	}
	_, err = operation.ReadAll(ctx)
	return err
}

// resident is the resident memory of the process in KiB, after a garbage collection.
func resident(t *testing.T) int {
	t.Helper()
	runtime.GC()
	runtime.GC()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Skip("this system has no /proc")
	}
	_, rest, _ := strings.Cut(string(status), "VmRSS:")
	memory, err := strconv.Atoi(strings.Fields(rest)[0])
	if err != nil {
		t.Fatal(err)
	}
	return memory
}

func opened(t *testing.T) int {
	t.Helper()
	open, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(open)
}
