package recto_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	recto "example.com/recto/bindings/go"
	"example.com/recto/bindings/go/internal/fake"
)

// soon is when a cancelled call must have returned. The library needs up to 50 ms; the rest is for a busy machine.
const soon = 500 * time.Millisecond

func fileOf(ctx context.Context, client *recto.Client, options ...recto.CallOption) error {
	_, err := client.File(ctx, "f1", options...)
	return err
}

func TestACancelledContextEndsTheCall(t *testing.T) {
	service := fake.NewStalling(t, "/v1/files/")
	client := service.Client(t)
	ctx, cancel := context.WithCancelCause(context.Background())
	reason := errors.New("the user went away")
	var cancelled time.Time
	go func() {
		<-service.Stalled
		cancelled = time.Now()
		cancel(reason)
	}()
	err := fileOf(ctx, client)
	if took := time.Since(cancelled); took > soon {
		t.Errorf("the call ended %v after it was cancelled", took)
	}
	for _, target := range []error{context.Canceled, recto.ErrCancelled, reason} {
		if !errors.Is(err, target) {
			t.Errorf("%v is not %v", err, target)
		}
	}
}

func TestTheDeadlineOfTheContextEndsTheCallAndTheErrorSaysWhatItWasDoing(t *testing.T) {
	service := fake.NewStalling(t, "/v1/files/")
	client := service.Client(t, recto.WithTimeout(time.Minute))
	ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	began := time.Now()
	err := fileOf(ctx, client)
	if took := time.Since(began); took < 200*time.Millisecond || took > 200*time.Millisecond+soon {
		t.Errorf("the call took %v", took)
	}
	if !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, recto.ErrRequestTimeout) {
		t.Errorf("%v is not the error of a deadline", err)
	}
	var failed *recto.Error
	if !errors.As(err, &failed) || !failed.Timeout() || failed.Phase != recto.PhaseFiles || failed.Method != "GET" {
		t.Errorf("%#v does not say what the call was doing", failed)
	}
}

func TestTheEarliestTimeLimitCounts(t *testing.T) {
	service := fake.NewStalling(t, "/v1/files/")
	client := service.Client(t, recto.WithTimeout(150*time.Millisecond))
	long, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	began := time.Now()
	ofClient, ofCall := fileOf(long, client), fileOf(long, client, recto.WithTimeout(100*time.Millisecond))
	if took := time.Since(began); took < 250*time.Millisecond || took > 250*time.Millisecond+2*soon {
		t.Errorf("the calls took %v", took)
	}
	for _, err := range []error{ofClient, ofCall} {
		if !errors.Is(err, recto.ErrRequestTimeout) || errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v is not the error of a time limit without the context", err)
		}
	}
}

func TestACallWithAnEndedContextSendsNothing(t *testing.T) {
	service := fake.New(t)
	client := service.Client(t)
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	late, cancelLate := context.WithDeadline(context.Background(), time.Now().Add(-time.Second))
	defer cancelLate()
	if err := fileOf(cancelled, client); !errors.Is(err, context.Canceled) || !errors.Is(err, recto.ErrCancelled) {
		t.Errorf("cancelled: %v", err)
	}
	if err := fileOf(late, client); !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, recto.ErrRequestTimeout) {
		t.Errorf("late: %v", err)
	}
	if service.Count() != 0 {
		t.Errorf("%d requests were sent", service.Count())
	}
}

// blocking blocks in Read and Write until it is released.
type blocking struct{ entered, release chan struct{} }

func newBlocking(t *testing.T) *blocking {
	b := &blocking{make(chan struct{}, 1), make(chan struct{})}
	t.Cleanup(func() { close(b.release) })
	return b
}

func (b *blocking) Read([]byte) (int, error) {
	b.entered <- struct{}{}
	<-b.release
	return 0, io.EOF
}

func (b *blocking) Write(data []byte) (int, error) {
	b.entered <- struct{}{}
	<-b.release
	return len(data), nil
}

func TestACancelledCallDoesNotWaitForAReaderOrWriterThatBlocks(t *testing.T) {
	service := fake.New(t)
	client := service.Client(t)
	operation, err := client.Optimize(context.Background(), recto.FileID("f1"), recto.OptimizeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	stream := newBlocking(t)
	calls := map[string]func(context.Context) error{
		"reader": func(ctx context.Context) error {
			_, err := client.Upload(ctx, recto.SizedReader("a.pdf", stream, 10))
			return err
		},
		"writer": func(ctx context.Context) error {
			_, err := operation.WriteTo(ctx, stream)
			return err
		},
	}
	for name, call := range calls {
		ctx, cancel := context.WithCancel(context.Background())
		var cancelled time.Time
		go func() {
			<-stream.entered
			cancelled = time.Now()
			cancel()
		}()
		err := call(ctx)
		if took := time.Since(cancelled); took > soon {
			t.Errorf("%s: the call ended %v after it was cancelled", name, took)
		}
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestProgressCanCancelTheCall(t *testing.T) {
	service := fake.New(t)
	client := service.Client(t)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var reports []recto.Progress
	_, err := client.Upload(ctx, recto.Bytes("a.pdf", []byte("%PDF-1.7")), recto.OnProgress(func(progress recto.Progress) {
		reports = append(reports, progress)
		cancel()
	}))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if len(reports) != 1 || reports[0].Phase != recto.PhaseUpload || reports[0].Total != 8 {
		t.Errorf("%+v", reports)
	}
}

func TestCallsThatWaitDoNotUseUpTheThreadsOfTheProcess(t *testing.T) {
	service := fake.NewStalling(t, "/v1/files/")
	client := service.Client(t)
	ctx, cancel := context.WithCancel(context.Background())
	const calls = 900
	var running sync.WaitGroup
	for at := 0; at < calls; at++ {
		running.Add(1)
		go func() {
			defer running.Done()
			if err := fileOf(ctx, client); !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		}()
	}
	for at := 0; at < 512; at++ {
		<-service.Stalled
	}
	if threads := threadsOf(t); threads > 512+64 {
		t.Errorf("%d calls use %d threads", calls, threads)
	}
	cancel()
	running.Wait()
}

func threadsOf(t *testing.T) int {
	t.Helper()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Skip("this system has no /proc")
	}
	_, rest, _ := bytes.Cut(status, []byte("Threads:"))
	threads, err := strconv.Atoi(strings.Fields(string(rest))[0])
	if err != nil {
		t.Fatal(err)
	}
	return threads
}
