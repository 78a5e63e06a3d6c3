// Package fake has a service for tests: it finishes each operation at once, with a result of a few bytes.
package fake

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	recto "example.com/recto/bindings/go"
)

// Service is a service on the loopback interface.
type Service struct {
	*httptest.Server
	mu    sync.Mutex
	count int
	// bodies has the body of the last request to each path.
	bodies map[string]string
	// stall is the part of a path whose requests are held back until the test ends or the client gives up.
	stall string
	// Stalled receives a value for each request that is held back.
	Stalled chan struct{}
	ended   chan struct{}
}

// Result is the content of every result file.
const Result = "%PDF-1.7 a result"

// New starts a service, which ends with the test.
func New(t testing.TB) *Service { return NewStalling(t, "") }

// NewStalling starts a service that does not respond to requests whose path contains stall.
func NewStalling(t testing.TB, stall string) *Service {
	f := &Service{bodies: map[string]string{}, stall: stall, Stalled: make(chan struct{}, 4096), ended: make(chan struct{})}
	f.Server = httptest.NewUnstartedServer(f)
	f.Start()
	t.Cleanup(func() {
		close(f.ended)
		f.Server.CloseClientConnections()
		f.Server.Close()
	})
	return f
}

// Client returns a client of the fake service, which is closed with the test.
func (f *Service) Client(t testing.TB, options ...recto.ClientOption) *recto.Client {
	t.Helper()
	options = append([]recto.ClientOption{
		recto.WithBaseURL(f.URL), recto.WithAPIKey("the-key"), recto.WithEnvironment(false), recto.WithProxy(""),
	}, options...)
	client, err := recto.NewClient(options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	return client
}

// ServeHTTP responds to a request.
func (f *Service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	f.mu.Lock()
	f.count++
	f.bodies[r.URL.Path] = string(body)
	f.mu.Unlock()
	if f.stall != "" && strings.Contains(r.URL.Path, f.stall) {
		f.Stalled <- struct{}{}
		select {
		case <-r.Context().Done():
		case <-f.ended:
		}
		return
	}
	switch path := r.URL.Path; {
	case path == "/v1/files/upload/fromLocal":
		f.reply(w, 200, map[string]any{"fileId": "f1", "uploadUrl": f.URL + "/put/f1?sig=1"})
	case path == "/v1/files/upload/fromUrl":
		f.reply(w, 200, map[string]any{"fileId": "f2"})
	case strings.HasPrefix(path, "/put/"):
		w.WriteHeader(200)
	case path == "/v1/files/missing":
		f.reply(w, 404, map[string]any{"title": "Not found", "code": "file_not_found", "detail": "There is no such file."})
	case path == "/v1/files":
		f.reply(w, 200, map[string]any{"files": []any{record("f1"), record("f2")}})
	case strings.HasPrefix(path, "/v1/files/") && r.Method == http.MethodDelete:
		f.reply(w, 200, map[string]any{"files": []any{}})
	case strings.HasPrefix(path, "/v1/files/"):
		f.reply(w, 200, record(strings.TrimPrefix(path, "/v1/files/")))
	case strings.HasSuffix(path, "/result"):
		f.reply(w, 200, map[string]any{
			"operationType": "optimize", "operationStatus": "finished",
			"outputFile": map[string]any{"fileId": "r1", "name": "a.pdf", "url": f.URL + "/get/r1?sig=very-secret"},
		})
	case strings.HasPrefix(path, "/v1/operations/"):
		f.reply(w, 200, map[string]any{"operationId": "o1", "operationType": "optimize", "operationStatus": "inProgress"})
	case strings.HasPrefix(path, "/get/"):
		fmt.Fprint(w, Result)
	default:
		w.WriteHeader(http.StatusTeapot)
	}
}

func (f *Service) reply(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

// Last returns the body of the last request to a path.
func (f *Service) Last(path string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.bodies[path]
}

// Count returns the number of requests.
func (f *Service) Count() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.count
}

func record(id string) map[string]any {
	return map[string]any{
		"id": id, "createdAt": "2024-05-06T07:08:09.1234567Z", "origin": "fromLocal", "name": "a.pdf", "extension": "pdf",
	}
}
