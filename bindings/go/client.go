package recto

/*
#include "shim.h"
*/
import "C"

import (
	"context"
	"log/slog"
	"time"
	"unsafe"
)

// Client is a client of the service. Any number of goroutines can use it at the same time.
type Client struct {
	handle  *handle
	baseURL string
	// limit is the time limit that WithTimeout has set; 0 for none.
	limit time.Duration
}

// NewClient creates a client. Settings that no option sets are taken from the environment: RECTO_BASE_URL,
// RECTO_API_KEY, and RECTO_TIMEOUT in seconds.
//
// If neither has a base URL, the client uses the embedded service, which runs in this process and listens on the
// loopback interface: no document leaves the machine. It ends when the last such client and its operations are closed.
// No request is sent.
func NewClient(options ...ClientOption) (*Client, error) {
	return newClient(options, 0, func(config *C.recto_config, out **C.recto_client, failed **C.recto_error) C.recto_status {
		return C.recto_client_new(config, out, failed)
	})
}

// With creates a copy of the client with other settings, which shares the connections: WithTimeout, WithWaitTimeout,
// WithStallTimeout, WithRetries, WithRetryUnknown, WithHeader and WithLogger. Closing one of the two closes both.
func (c *Client) With(options ...ClientOption) (*Client, error) {
	object, err := c.handle.use()
	if err != nil {
		return nil, err
	}
	defer c.handle.done()
	return newClient(options, c.limit, func(config *C.recto_config, out **C.recto_client, failed **C.recto_error) C.recto_status {
		return C.recto_client_with((*C.recto_client)(object), config, out, failed)
	})
}

type createClient func(config *C.recto_config, out **C.recto_client, failed **C.recto_error) C.recto_status

func newClient(options []ClientOption, limit time.Duration, create createClient) (*Client, error) {
	config, err := newConfig()
	if err != nil {
		return nil, err
	}
	defer config.free()
	config.limit = limit
	for _, option := range options {
		if err := option.apply(config); err != nil {
			return nil, err
		}
	}
	var client *C.recto_client
	var failed *C.recto_error
	if err := check(create(config.config, &client, &failed), failed); err != nil {
		return nil, err
	}
	return &Client{
		handle:  newHandle("client", unsafe.Pointer(client), freeClient),
		baseURL: C.GoString(C.recto_client_base_url(client)),
		limit:   config.limit,
	}, nil
}

func freeClient(object unsafe.Pointer) { C.recto_client_free((*C.recto_client)(object)) }

// BaseURL returns the address of the service, without a user name and password.
func (c *Client) BaseURL() string { return c.baseURL }

// String describes the client. It contains no secret.
func (c *Client) String() string { return "recto.Client(" + c.baseURL + ")" }

// Close ends the running calls of all goroutines with ErrCancelled, and refuses later calls of the client, its copies
// and its operations with ErrConfig. Operations continue in the service. If this ends the embedded service, it takes
// some milliseconds, or up to two seconds if operations are running in it. The error is always nil.
func (c *Client) Close() error {
	c.handle.close(func(object unsafe.Pointer) { C.recto_client_close((*C.recto_client)(object)) })
	return nil
}

// call makes a call with the client.
func (c *Client) call(
	ctx context.Context, options []CallOption, from document,
	do func(client *C.recto_client, with native) C.recto_status,
) error {
	call, err := newCall(ctx, c.limit, options)
	if err != nil {
		return err
	}
	if from.reader != nil {
		call.reader = &reading{from: from.reader}
	}
	call.unchecked = from.unchecked
	object, err := c.handle.use()
	if err != nil {
		return err
	}
	defer c.handle.done()
	return call.run(func(with native) C.recto_status {
		return do((*C.recto_client)(object), with)
	})
}

// config is the configuration of a client while its options are applied.
type config struct {
	config *C.recto_config
	limit  time.Duration
}

func newConfig() (*config, error) {
	c := &config{}
	var failed *C.recto_error
	return c, check(C.recto_config_new(&c.config, &failed), failed)
}

func (c *config) free() { C.recto_config_free(c.config) }

func (c *config) set(name string, value any) error {
	if logger, is := value.(*slog.Logger); is {
		return setLogger(c.config, logger)
	}
	written, err := settingText(value)
	if err != nil {
		return err
	}
	if name == "timeout_ms" {
		c.limit = value.(time.Duration)
	}
	var text texts
	key, content := text.of("setting", name), text.of("setting "+name, written)
	if text.err != nil {
		return text.err
	}
	var failed *C.recto_error
	return check(C.recto_config_set(c.config, key, content, &failed), failed)
}

func (c *config) setHeader(name, value string) error {
	var text texts
	key, content := text.of("header", name), text.of("header", value)
	if text.err != nil {
		return text.err
	}
	var failed *C.recto_error
	return check(C.recto_config_set_header(c.config, key, content, &failed), failed)
}
