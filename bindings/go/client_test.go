package recto_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	recto "example.com/recto/bindings/go"
	"example.com/recto/bindings/go/internal/fake"
)

func TestAnErrorHasItsKindAndTheFieldsOfTheResponse(t *testing.T) {
	client := fake.New(t).Client(t)
	_, err := client.File(context.Background(), "missing")
	if !errors.Is(err, recto.ErrNotFound) || errors.Is(err, recto.ErrAuth) {
		t.Errorf("%v has the wrong kind", err)
	}
	var failed *recto.Error
	if !errors.As(err, &failed) {
		t.Fatalf("%T is not an *Error", err)
	}
	if failed.Code != "file_not_found" || failed.HTTPStatus != 404 || failed.Detail != "There is no such file." ||
		failed.Method != "GET" || failed.Attempts != 1 || failed.Retryable || failed.RetryAfter != nil || failed.Timeout() {
		t.Errorf("%+v", failed)
	}
	if failed.Kind.String() != "NotFound" || recto.Kind(-77).String() != "Kind(-77)" || recto.Kind(-77).Error() == "" {
		t.Errorf("%v, %v", failed.Kind, recto.Kind(-77))
	}
}

func TestTextWithANULIsRefused(t *testing.T) {
	client := fake.New(t).Client(t)
	ctx := context.Background()
	_, ofFile := client.File(ctx, "a\x00b")
	_, ofPath := client.Upload(ctx, recto.Path("a\x00b.pdf"))
	_, ofHeader := client.Files(ctx, recto.WithHeader("X-A", "1\x002"))
	_, ofSetting := recto.NewClient(recto.WithAPIKey("a\x00b"))
	for _, err := range []error{ofFile, ofPath, ofHeader, ofSetting} {
		if !errors.Is(err, recto.ErrInvalidRequest) || !strings.Contains(err.Error(), "NUL") {
			t.Errorf("%v", err)
		}
	}
}

func TestAnAddressNeverBecomesALocalFile(t *testing.T) {
	service := fake.New(t)
	client := service.Client(t)
	_, err := client.Optimize(context.Background(), recto.URL("/etc/hostname"), recto.OptimizeOptions{}, recto.WithForce(true))
	if !errors.Is(err, recto.ErrInvalidRequest) || service.Count() != 0 {
		t.Errorf("%v after %d requests", err, service.Count())
	}
}

func TestACloseEndsTheRunningCallsAndRefusesLaterOnes(t *testing.T) {
	service := fake.NewStalling(t, "/v1/files/f1")
	client := service.Client(t)
	operation, err := client.Optimize(context.Background(), recto.FileID("f2"), recto.OptimizeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		<-service.Stalled
		client.Close()
	}()
	if err := fileOf(context.Background(), client); !errors.Is(err, recto.ErrCancelled) || errors.Is(err, context.Canceled) {
		t.Errorf("running: %v", err)
	}
	if err := fileOf(context.Background(), client); !errors.Is(err, recto.ErrConfig) || !errors.Is(err, os.ErrClosed) {
		t.Errorf("later: %v", err)
	}
	if _, err := operation.Wait(context.Background()); !errors.Is(err, recto.ErrConfig) {
		t.Errorf("operation: %v", err)
	}
	client.Close()
	operation.Close()
	operation.Close()
	if _, err := operation.Token(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("a closed operation: %v", err)
	}
}

func TestManyGoroutinesUseOneClientAndOneOperation(t *testing.T) {
	client := fake.New(t).Client(t)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	operation, err := client.Optimize(ctx, recto.FileID("f1"), recto.OptimizeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer operation.Close()
	var running sync.WaitGroup
	for at := 0; at < 64; at++ {
		running.Add(1)
		go func(id recto.FileID) {
			defer running.Done()
			file, err := client.File(ctx, id)
			if err != nil || file.ID != id {
				t.Errorf("%v, %v", file, err)
			}
			content, err := operation.ReadAll(ctx)
			if err != nil || string(content) != fake.Result {
				t.Errorf("%q, %v", content, err)
			}
			if token, err := operation.Token(); err != nil || token == "" {
				t.Errorf("%q, %v", token, err)
			}
		}(recto.FileID(fmt.Sprintf("f%d", at)))
	}
	running.Wait()
}

func TestFilesAreListedAndDeleted(t *testing.T) {
	service := fake.New(t)
	client := service.Client(t)
	ctx := context.Background()
	for _, list := range []func(context.Context, ...recto.CallOption) ([]recto.File, error){client.Files, client.ResultFiles} {
		files, err := list(ctx)
		if err != nil || len(files) != 2 || files[1].ID != "f2" {
			t.Fatalf("%v, %v", files, err)
		}
		if created := time.Date(2024, 5, 6, 7, 8, 9, 123456700, time.UTC); !files[0].CreatedAt.Equal(created) {
			t.Errorf("%v", files[0].CreatedAt)
		}
	}
	if deleted, err := client.DeleteFile(ctx, "f1"); err != nil || len(deleted) != 0 {
		t.Errorf("%v, %v", deleted, err)
	}
	if id, err := client.Upload(ctx, recto.FileID("f9")); id != "f9" || err != nil {
		t.Errorf("%v, %v", id, err)
	}
}

func TestOptionsThatAreNotSetAreNotSent(t *testing.T) {
	service := fake.New(t)
	client := service.Client(t)
	ctx := context.Background()
	gray := recto.PDFToPNGOptions{ColorSpace: recto.PNGColorSpaceGray, MaxSizeInPixels: &recto.PixelSize{Width: 2, Height: 1}}
	for want, options := range map[string]recto.Options{
		``:                                recto.PDFToPNGOptions{},
		`{"transparentBackground":false}`: recto.PDFToPNGOptions{TransparentBackground: recto.Ptr(false)},
		`{"colorSpace":"gray","maxSizeInPixels":{"height":1,"width":2}}`: &gray,
	} {
		if want != "" {
			want = `,"options":` + want
		}
		want = `{"input":{"fileId":"f1"}` + want + `}`
		if _, err := client.Start(ctx, recto.FileID("f1"), options); err != nil {
			t.Fatal(err)
		}
		if got := service.Last("/v1/operations/convert/pdf-to-png"); canonical(t, got) != canonical(t, want) {
			t.Errorf("sent %s, want %s", got, want)
		}
	}
	sent := service.Count()
	_, err := client.StampText(ctx, recto.FileID("f1"), recto.StampTextOptions{})
	if !errors.Is(err, recto.ErrInvalidRequest) || !strings.Contains(err.Error(), "text") || service.Count() != sent {
		t.Errorf("a required option that is not set: %v", err)
	}
}

func canonical(t *testing.T, text string) string {
	t.Helper()
	var value any
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		t.Fatalf("%v: %q", err, text)
	}
	written, _ := json.Marshal(value)
	return string(written)
}

func TestNothingThatIsPrintedOrLoggedContainsASecret(t *testing.T) {
	service := fake.New(t)
	var logged bytes.Buffer
	logger := slog.New(slog.NewJSONHandler(&logged, &slog.HandlerOptions{Level: recto.LevelTrace}))
	client := service.Client(t, recto.WithAPIKey("very-secret"), recto.WithLogger(logger))
	ctx := context.Background()
	encrypt := recto.EncryptOptions{Password: "very-secret"}
	operation, err := client.Encrypt(ctx, recto.FileID("f1"), encrypt)
	if err != nil {
		t.Fatal(err)
	}
	if sent := service.Last("/v1/operations/encrypt"); !strings.Contains(sent, `"password":"very-secret"`) {
		t.Errorf("the password was not sent: %s", sent)
	}
	result, err := operation.Wait(ctx)
	if err != nil || !strings.Contains(string(result.Output.URL), "very-secret") {
		t.Fatalf("%v, %v", result, err)
	}
	raw := recto.RawOptions{Name: "encrypt", JSON: []byte(`{"password": "very-secret"}`)}
	for _, value := range []any{client, operation, result, *result, result.Output, encrypt, &encrypt, raw, &raw,
		recto.WithAPIKey("very-secret")} {
		logger.Info("value", "value", value)
		fmt.Fprintf(&logged, "%v %+v %#v %s", value, value, value, value)
	}
	for _, secret := range []string{"very-secret", fmt.Sprint([]byte("very-secret"))} {
		if at := strings.Index(logged.String(), strings.Trim(secret, "[]")); at >= 0 {
			t.Errorf("a secret was printed: %.200s", logged.String()[max(0, at-100):])
		}
	}
	if !strings.Contains(logged.String(), "/v1/operations/encrypt") {
		t.Error("the requests were not logged")
	}
}

// panicking is a log handler that panics, which a thread of the library must survive.
type panicking struct{ slog.Handler }

func (panicking) Handle(context.Context, slog.Record) error { panic("the handler is broken") }

func TestALogHandlerThatPanicsEndsNothing(t *testing.T) {
	client := fake.New(t).Client(t, recto.WithLogger(slog.New(panicking{slog.NewTextHandler(os.Stderr, nil)})))
	if err := fileOf(context.Background(), client); err != nil {
		t.Error(err)
	}
}

func TestAForgottenClientIsFreed(t *testing.T) {
	service := fake.New(t)
	dropped := make(chan struct{})
	func() {
		handler := &struct{ slog.Handler }{slog.NewTextHandler(&bytes.Buffer{}, nil)}
		runtime.SetFinalizer(handler, func(any) { close(dropped) })
		logger := recto.WithLogger(slog.New(handler))
		client, err := recto.NewClient(recto.WithBaseURL(service.URL), recto.WithEnvironment(false), logger)
		if err != nil {
			t.Fatal(err)
		}
		operation, err := client.Resume(resumable(t, service))
		if err != nil {
			t.Fatal(err)
		}
		_ = operation
	}()
	// The library holds the handler until the client and its operation are freed.
	for deadline := time.Now().Add(10 * time.Second); ; {
		runtime.GC()
		select {
		case <-dropped:
			return
		case <-time.After(10 * time.Millisecond):
		}
		if time.Now().After(deadline) {
			t.Fatal("the client was not freed")
		}
	}
}

func resumable(t *testing.T, service *fake.Service) string {
	t.Helper()
	operation, err := service.Client(t).Optimize(context.Background(), recto.FileID("f1"), recto.OptimizeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	token, err := operation.Token()
	if err != nil {
		t.Fatal(err)
	}
	return token
}

func TestABatchReturnsEachDocumentWithItsOutcome(t *testing.T) {
	client := fake.New(t).Client(t)
	ctx := context.Background()
	folder := t.TempDir()
	batch, err := client.NewBatch(recto.OptimizeOptions{Profile: recto.ProfileWeb}, recto.WithTo(folder), recto.WithConcurrency(2))
	if err != nil {
		t.Fatal(err)
	}
	defer batch.Close()
	missing := filepath.Join(folder, "missing.pdf")
	if err := batch.Add(recto.Bytes("one.pdf", []byte("%PDF-1.7")), recto.Path(missing), recto.FileID("f1")); err != nil {
		t.Fatal(err)
	}
	if err := batch.Add(recto.Reader("a.pdf", strings.NewReader(""))); !errors.Is(err, recto.ErrInvalidRequest) {
		t.Errorf("a reader: %v", err)
	}
	items := map[int]*recto.BatchItem{}
	batch.Items(ctx)(func(item *recto.BatchItem, err error) bool {
		if err != nil {
			t.Fatal(err)
		}
		items[item.Index] = item
		return true
	})
	if len(items) != 3 || items[0].Err != nil || items[0].Result == nil || items[0].Path != filepath.Join(folder, "one.pdf") {
		t.Errorf("%+v", items[0])
	}
	if !errors.Is(items[1].Err, recto.ErrIO) || items[1].Source != missing {
		t.Errorf("%+v", items[1])
	}
	if err := batch.Add(recto.FileID("f2")); !errors.Is(err, recto.ErrConfig) {
		t.Errorf("a document that is added late: %v", err)
	}
}

func TestACloseEndsTheWaitForADocument(t *testing.T) {
	service := fake.NewStalling(t, "/v1/operations/")
	batch, err := service.Client(t).NewBatch(recto.OptimizeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := batch.Add(recto.FileID("f1")); err != nil {
		t.Fatal(err)
	}
	go func() {
		<-service.Stalled
		batch.Close()
	}()
	if item, err := batch.Next(context.Background()); !errors.Is(err, recto.ErrCancelled) {
		t.Errorf("%v, %v", item, err)
	}
	if _, err := batch.Next(context.Background()); !errors.Is(err, recto.ErrCancelled) && !errors.Is(err, os.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}

func TestAnInvalidSettingIsRefused(t *testing.T) {
	for name, option := range map[string]recto.ClientOption{
		"base_url": recto.WithBaseURL("not an address"), "timeout_ms": recto.WithTimeout(0), "retries": recto.WithRetries(-1),
		"header": recto.WithHeader("X-Api-Key", "mine"),
	} {
		client, err := recto.NewClient(option, recto.WithEnvironment(false))
		if !errors.Is(err, recto.ErrConfig) {
			t.Errorf("%s: %v, %v", name, client, err)
		}
	}
	client := fake.New(t).Client(t)
	if _, err := client.With(recto.WithBaseURL("http://127.0.0.1:1")); !errors.Is(err, recto.ErrConfig) {
		t.Errorf("a copy with another address: %v", err)
	}
	if _, err := client.NewBatch(recto.OptimizeOptions{}, recto.WithConcurrency(-1)); !errors.Is(err, recto.ErrConfig) {
		t.Errorf("a batch with negative concurrency: %v", err)
	}
}
