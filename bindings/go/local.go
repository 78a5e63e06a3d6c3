package recto

/*
#include "shim.h"
*/
import "C"

import (
	"encoding/json"
	"log/slog"
	"time"
	"unsafe"
)

// LocalService is an embedded service that is started explicitly, for other programs or for clients with their own
// settings. A client without a base URL starts one by itself.
type LocalService struct {
	handle  *handle
	baseURL string
	apiKey  string
}

// StartLocalService starts a service on the loopback interface. Files stay in it until they are deleted or expire, or
// the service is closed.
func StartLocalService(options ...LocalOption) (*LocalService, error) {
	chosen := &localSettings{values: map[string]any{}}
	for _, option := range options {
		if err := option.apply(chosen); err != nil {
			return nil, err
		}
	}
	written, err := json.Marshal(chosen.values)
	if err != nil {
		return nil, invalid("the settings of the service cannot be written as JSON: " + err.Error())
	}
	config, err := newConfig()
	if err != nil {
		return nil, err
	}
	defer config.free()
	if chosen.logger != nil {
		if err := setLogger(config.config, chosen.logger); err != nil {
			return nil, err
		}
	}
	var text texts
	var local *C.recto_local
	var failed *C.recto_error
	given := text.of("text of the settings", string(written))
	if err := check(C.recto_local_start_logged(given, config.config, &local, &failed), failed); err != nil {
		return nil, err
	}
	return &LocalService{
		handle:  newHandle("service", unsafe.Pointer(local), freeLocal),
		baseURL: C.GoString(C.recto_local_base_url(local)),
		apiKey:  C.GoString(C.recto_local_api_key(local)),
	}, nil
}

func freeLocal(object unsafe.Pointer) { C.recto_local_free((*C.recto_local)(object)) }

// BaseURL returns the address for clients.
func (l *LocalService) BaseURL() string { return l.baseURL }

// APIKey returns the key for clients.
func (l *LocalService) APIKey() string { return l.apiKey }

// String describes the service, without its key.
func (l *LocalService) String() string { return "recto.LocalService(" + l.baseURL + ")" }

// GoString describes the service as String does.
func (l *LocalService) GoString() string { return l.String() }

// Close stops the service: it aborts its operations and removes its files. The error is always nil.
func (l *LocalService) Close() error {
	l.handle.close(nil)
	return nil
}

// localSettings are the options of a service as JSON.
type localSettings struct {
	values map[string]any
	logger *slog.Logger
}

func (l *localSettings) set(name string, value any) error {
	switch value := value.(type) {
	case *slog.Logger:
		l.logger = value
	case time.Duration:
		l.values[name] = milliseconds(value)
	default:
		l.values[name] = value
	}
	return nil
}

func (l *localSettings) setHeader(string, string) error {
	panic("recto: an embedded service has no headers")
}
