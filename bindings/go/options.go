package recto

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"strconv"
	"time"
)

// ClientOption is a setting of a client: see [NewClient] and [Client.With].
type ClientOption interface {
	apply(settings) error
	forClient()
}

// CallOption is a setting of one call.
type CallOption interface {
	apply(settings) error
	forCall()
}

// BatchOption is a setting of a batch: see [Client.NewBatch].
type BatchOption interface {
	apply(settings) error
	forBatch()
}

// LocalOption is a setting of an embedded service: see [StartLocalService].
type LocalOption interface {
	apply(settings) error
	forLocal()
}

// ClientOrCallOption is a setting of a client, or of one of its calls.
type ClientOrCallOption interface {
	ClientOption
	CallOption
}

// ClientOrLocalOption is a setting of a client with the embedded service, or of an embedded service of its own.
type ClientOrLocalOption interface {
	ClientOption
	LocalOption
}

// BatchOrCallOption is a setting of a batch, or of a call.
type BatchOrCallOption interface {
	BatchOption
	CallOption
}

// HeaderOption is a header of the requests of a client, a batch or a call.
type HeaderOption interface {
	ClientOption
	BatchOption
	CallOption
}

// NoLimit is a time limit that never ends a call.
const NoLimit time.Duration = -1

// settings receives options. Each kind of target has its own way to keep them.
type settings interface {
	set(name string, value any) error
	setHeader(name, value string) error
}

// option is every option. As a function it shows no secret when it is printed.
type option func(settings) error

func (o option) apply(to settings) error { return o(to) }
func (option) forClient()                {}
func (option) forCall()                  {}
func (option) forBatch()                 {}
func (option) forLocal()                 {}

func setting(name string, value any) option {
	return func(to settings) error { return to.set(name, value) }
}

// WithHeader sets a header of the requests to the service, such as "traceparent". It is sent only to the origin of the
// base URL. A header of a call replaces one of the client with the same name. The values of headers whose names look
// like a secret, such as "Authorization", are removed from messages and logs.
func WithHeader(name, value string) HeaderOption {
	return option(func(to settings) error { return to.setHeader(name, value) })
}

// WithLogger sets the logger that receives the events of the calls: [slog.LevelDebug] for every request and its
// response, [slog.LevelInfo] for what can explain a delay, [LevelTrace] for everything. The most verbose level that the
// logger has enabled when the client is created is requested from the library. The handler must not make calls of the
// client.
func WithLogger(logger *slog.Logger) ClientOrLocalOption {
	return setting("logger", logger)
}

// OnProgress sets a function that is called at the beginning and the end of each phase of the call, and at most every
// 50 ms in between. It runs in the goroutine of the call. To end the call, it cancels the context of the call.
func OnProgress(report func(Progress)) CallOption {
	return setting("progress", report)
}

// Progress is how far a call has come.
type Progress struct {
	// Phase is PhaseUpload, PhaseWait or PhaseDownload.
	Phase Phase
	// Done counts the bytes of the phase; a byte that is sent again is not counted again.
	Done int64
	// Total is the number of bytes of the phase; -1 if it is not known, as always in PhaseWait.
	Total int64
}

// header is a name and a value.
type header struct{ name, value string }

// callSettings are the settings of a call.
type callSettings struct {
	timeout, waitTimeout       time.Duration
	hasTimeout, hasWaitTimeout bool
	force, keepExisting        bool
	deleteAfter, unchecked     bool
	headers                    []header
	extraOptions               string
	progress                   func(Progress)
}

func (c *callSettings) set(name string, value any) error {
	switch name {
	case "timeout_ms":
		c.timeout, c.hasTimeout = value.(time.Duration), true
	case "wait_timeout_ms":
		c.waitTimeout, c.hasWaitTimeout = value.(time.Duration), true
	case "force":
		c.force = value.(bool)
	case "overwrite":
		c.keepExisting = !value.(bool)
	case "delete_after":
		c.deleteAfter = value.(bool)
	case "extra_options":
		text, err := settingText(value)
		c.extraOptions = text
		return err
	case "progress":
		c.progress = value.(func(Progress))
	default:
		panic("recto: unknown setting of a call: " + name)
	}
	return nil
}

func (c *callSettings) setHeader(name, value string) error {
	c.headers = append(c.headers, header{name, value})
	return nil
}

// settingText writes a value as the functions of the library read it.
func settingText(value any) (string, error) {
	switch value := value.(type) {
	case string:
		return value, nil
	case bool:
		return strconv.FormatBool(value), nil
	case int:
		return strconv.Itoa(value), nil
	case int64:
		return strconv.FormatInt(value, 10), nil
	case time.Duration:
		return strconv.FormatInt(milliseconds(value), 10), nil
	}
	text, err := json.Marshal(value)
	if err != nil {
		return "", invalid(fmt.Sprintf("the options cannot be written as JSON: %v", err))
	}
	return string(text), nil
}
