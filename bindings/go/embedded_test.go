package recto_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	recto "example.com/recto/bindings/go"
)

// sample returns the path of a sample document, for tests with the embedded service.
func sample(t *testing.T, name string) string {
	t.Helper()
	if !recto.HasFeature("local") {
		if os.Getenv("CI") != "" {
			t.Fatal("the library was built without the embedded service")
		}
		t.Skip("the library was built without the embedded service")
	}
	folder := os.Getenv("RECTO_EXAMPLES")
	if folder == "" {
		folder = "../../examples"
	}
	return filepath.Join(folder, name)
}

func TestAClientWithoutAnAddressProcessesDocumentsOnThisMachine(t *testing.T) {
	report := sample(t, "report.pdf")
	client, err := recto.NewClient(recto.WithEnvironment(false))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	ctx := context.Background()
	operation, err := client.Optimize(ctx, recto.Path(report), recto.OptimizeOptions{Profile: recto.ProfileWeb})
	if err != nil {
		t.Fatal(err)
	}
	defer operation.Close()
	folder := t.TempDir()
	saved, err := operation.Save(ctx, folder)
	if err != nil || saved != filepath.Join(folder, "report.pdf") {
		t.Fatalf("%s, %v", saved, err)
	}
	before, _ := os.Stat(report)
	if after, err := os.Stat(saved); err != nil || after.Size() >= before.Size()/2 {
		t.Errorf("%v, %v", after, err)
	}

	// A chain of two operations, from a reader to a writer.
	content, err := os.Open(report)
	if err != nil {
		t.Fatal(err)
	}
	defer content.Close()
	stamped, err := client.StampText(ctx, recto.Reader("report.pdf", content), recto.StampTextOptions{Text: "DRAFT"})
	if err != nil {
		t.Fatal(err)
	}
	defer stamped.Close()
	validated, err := client.Validate(ctx, stamped, recto.ValidateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer validated.Close()
	result, err := validated.Wait(ctx)
	if err != nil || result.Validation == nil || result.Validation.IsConforming == nil || result.Output != nil {
		t.Errorf("%+v, %v", result, err)
	}
	var written bytes.Buffer
	length, err := stamped.WriteTo(ctx, &written)
	if err != nil || int(length) != written.Len() || !strings.HasPrefix(written.String(), "%PDF-") {
		t.Errorf("%d bytes, %v", length, err)
	}
}

func TestADocumentThatIsNotAPDFFailsWithAKind(t *testing.T) {
	sample(t, "report.pdf")
	client, err := recto.NewClient(recto.WithEnvironment(false))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	operation, err := client.Optimize(context.Background(), recto.Bytes("a.pdf", []byte("not a PDF")), recto.OptimizeOptions{})
	if err == nil {
		_, err = operation.Wait(context.Background())
	}
	var failed *recto.Error
	if !errors.Is(err, recto.ErrOperationFailed) || !errors.As(err, &failed) || failed.Code != "wrong_format" {
		t.Errorf("%+v", failed)
	}
}

// lines collects what a service logs on its own threads.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(line)
}

func TestAServiceOfItsOwnHasSettingsAndALog(t *testing.T) {
	report := sample(t, "report.pdf")
	var logged lines
	logger := slog.New(slog.NewTextHandler(&logged, &slog.HandlerOptions{Level: recto.LevelTrace}))
	key := recto.WithAPIKey("my-very-own-key-0123456789")
	service, err := recto.StartLocalService(key, recto.WithWorkers(1), recto.WithLogger(logger))
	if err != nil {
		t.Fatal(err)
	}
	defer service.Close()
	if service.APIKey() != "my-very-own-key-0123456789" || strings.Contains(service.String(), service.APIKey()) {
		t.Errorf("%v has the key %s", service, service.APIKey())
	}
	client, err := recto.NewClient(recto.WithBaseURL(service.BaseURL()), recto.WithAPIKey(service.APIKey()))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	batch, err := client.NewBatch(recto.OptimizeOptions{}, recto.WithTo(t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	defer batch.Close()
	if err := batch.Add(recto.Path(report)); err != nil {
		t.Fatal(err)
	}
	if item, err := batch.Next(context.Background()); err != nil || item.Err != nil || item.Path == "" {
		t.Errorf("%+v, %v", item, err)
	}
	if id, err := client.Upload(context.Background(), recto.Path(report)); err != nil || id == "" {
		t.Errorf("%s, %v", id, err)
	}
	logged.mu.Lock()
	defer logged.mu.Unlock()
	if logged.text.Len() == 0 || strings.Contains(logged.text.String(), "my-very-own-key") {
		t.Errorf("the log is %q", logged.text.String())
	}
	if _, err := recto.StartLocalService(recto.WithPort(-1)); !errors.Is(err, recto.ErrInvalidRequest) {
		t.Errorf("an invalid port: %v", err)
	}
}

func ExampleClient_Optimize() {
	client, err := recto.NewClient()
	if err != nil {
		panic(err)
	}
	defer client.Close()
	ctx := context.Background()
	operation, err := client.Optimize(ctx, recto.Path("report.pdf"), recto.OptimizeOptions{Profile: recto.ProfileWeb})
	if err != nil {
		panic(err)
	}
	defer operation.Close()
	if _, err := operation.Save(ctx, "small.pdf"); err != nil {
		panic(err)
	}
}
