package main

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	recto "example.com/recto/bindings/go"
)

// runner is the state of a scenario.
type runner struct {
	settings  object
	client    *recto.Client
	operation *recto.Operation
	result    *recto.Result
	token     string
	log       log
}

// log collects what was logged, and the printed forms of everything.
type log struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *log) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(line)
}

func (l *log) note(value any) { fmt.Fprintf(l, "%v\n%+v\n%#v\n", value, value, value) }

// play makes the calls of a scenario, and returns the outcome to report.
func play(settings object, calls []object) map[string]any {
	r := &runner{settings: settings}
	defer r.drop()
	steps := []map[string]any{}
	for _, call := range calls {
		steps = append(steps, r.step(call))
	}
	r.log.mu.Lock()
	defer r.log.mu.Unlock()
	return map[string]any{"steps": steps, "log": r.log.text.String()}
}

func (r *runner) drop() {
	if r.operation != nil {
		r.operation.Close()
	}
	if r.client != nil {
		r.client.Close()
	}
	r.operation, r.client = nil, nil
}

// step makes one call, and reports its result or its error.
func (r *runner) step(call object) map[string]any {
	reports := []map[string]any{}
	began := time.Now()
	ok, err := r.make(call, &reports)
	step := map[string]any{"elapsedMs": time.Since(began).Milliseconds()}
	if err != nil {
		step["error"] = r.report(err)
	} else {
		step["ok"] = ok
	}
	if call.flag("progress") {
		step["progress"] = reports
	}
	return step
}

func (r *runner) make(call object, reports *[]map[string]any) (map[string]any, error) {
	if call.text("op") == "newClient" {
		r.drop()
		return map[string]any{}, r.connect(call.text("baseUrl"))
	}
	if r.client == nil {
		if err := r.connect(""); err != nil {
			return nil, err
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if call.has("timeoutMs") {
		ctx, cancel = context.WithTimeout(ctx, call.time("timeoutMs"))
		defer cancel()
	}
	if call.has("cancelAfterMs") {
		defer time.AfterFunc(call.time("cancelAfterMs"), cancel).Stop()
	}
	if client := r.client; call.has("closeAfterMs") {
		defer time.AfterFunc(call.time("closeAfterMs"), func() { client.Close() }).Stop()
	}
	return r.perform(ctx, call, callOptions(call, cancel, reports))
}

// callOptions sets only what the call has, so that most calls are made with the defaults.
func callOptions(call object, cancel func(), reports *[]map[string]any) (options []recto.CallOption) {
	if call.has("waitTimeoutMs") {
		options = append(options, recto.WithWaitTimeout(call.time("waitTimeoutMs")))
	}
	if call.has("force") {
		options = append(options, recto.WithForce(call.flag("force")))
	}
	if call.has("overwrite") {
		options = append(options, recto.WithOverwrite(call.flag("overwrite")))
	}
	if call.has("deleteAfter") {
		options = append(options, recto.WithDeleteAfter(call.flag("deleteAfter")))
	}
	if call.has("extraOptions") {
		options = append(options, recto.WithExtraOptions(read[map[string]any](call, "extraOptions")))
	}
	for name, value := range call.texts("headers") {
		options = append(options, recto.WithHeader(name, value))
	}
	if call.has("progress") || call.has("stopAtPhase") {
		stopAt := call.text("stopAtPhase")
		options = append(options, recto.OnProgress(func(progress recto.Progress) {
			report := map[string]any{"phase": progress.Phase.String(), "done": progress.Done}
			if progress.Total >= 0 {
				report["total"] = progress.Total
			}
			*reports = append(*reports, report)
			if progress.Phase.String() == stopAt {
				cancel()
			}
		}))
	}
	return options
}

// connect creates the client of the scenario, with another base URL unless it is empty.
func (r *runner) connect(baseURL string) error {
	for name, value := range r.settings.texts("environment") {
		os.Setenv(name, value)
		defer os.Unsetenv(name)
	}
	options := r.clientOptions(r.settings)
	if baseURL != "" {
		options = append(options, recto.WithBaseURL(baseURL))
	}
	client, err := recto.NewClient(options...)
	if err != nil {
		return err
	}
	r.client = client
	r.log.note(client)
	return nil
}

func (r *runner) clientOptions(settings object) []recto.ClientOption {
	logger := slog.New(slog.NewTextHandler(&r.log, &slog.HandlerOptions{Level: recto.LevelTrace}))
	options := []recto.ClientOption{recto.WithLogger(logger)}
	for name, value := range settings.texts("headers") {
		options = append(options, recto.WithHeader(name, value))
	}
	for name := range settings {
		if option, known := clientSettings[name]; known {
			options = append(options, option(settings, name))
		}
	}
	for _, option := range options {
		r.log.note(option)
	}
	return options
}

var clientSettings = map[string]func(object, string) recto.ClientOption{
	"baseUrl":           of(object.text, recto.WithBaseURL),
	"apiKey":            of(object.text, recto.WithAPIKey),
	"timeoutMs":         of(object.time, recto.WithTimeout),
	"connectTimeoutMs":  of(object.time, recto.WithConnectTimeout),
	"stallTimeoutMs":    of(object.time, recto.WithStallTimeout),
	"waitTimeoutMs":     of(object.time, recto.WithWaitTimeout),
	"retries":           of(read[int], recto.WithRetries),
	"retryUnknown":      of(object.flag, recto.WithRetryUnknown),
	"allowHttp":         of(object.flag, recto.WithAllowHTTP),
	"proxy":             of(object.text, recto.WithProxy),
	"caBundle":          of(object.text, recto.WithCABundle),
	"clientCertificate": of(object.text, recto.WithClientCertificate),
	"userAgent":         of(object.text, recto.WithUserAgent),
	"jsonLimit":         of(read[int64], recto.WithJSONLimit),
}

func of[T any, O recto.ClientOption](read func(object, string) T, option func(T) O) func(object, string) recto.ClientOption {
	return func(settings object, name string) recto.ClientOption { return option(read(settings, name)) }
}
