package main

/*
#cgo pkg-config: recto
#include <pthread.h>
#include <recto.h>
#include <stdlib.h>

static int files(const recto_client *client, int count) {
    int failed = 0;
    for (int at = 0; at < count; at++) {
        recto_file *file = NULL;
        failed |= recto_file_get(client, "f1", NULL, &file, NULL) != RECTO_OK;
        recto_file_free(file);
    }
    return failed;
}

typedef struct {
    const recto_client *client;
    int count, failed;
} share;

static void *files_of(void *of) {
    share *mine = of;
    mine->failed = files(mine->client, mine->count);
    return NULL;
}

static int files_at_once(const recto_client *client, int threads, int count) {
    pthread_t *started = calloc((size_t)threads, sizeof *started);
    share *shares = calloc((size_t)threads, sizeof *shares);
    int failed = started == NULL || shares == NULL;
    for (int at = 0; at < threads && !failed; at++) {
        shares[at] = (share){client, count, 0};
        if (pthread_create(&started[at], NULL, files_of, &shares[at]) != 0)
            abort();
    }
    for (int at = 0; at < threads && !failed; at++) {
        pthread_join(started[at], NULL);
        failed |= shares[at].failed;
    }
    free(started);
    free(shares);
    return failed;
}

static recto_client *connect_to(const char *url) {
    recto_config *config = NULL;
    recto_client *client = NULL;
    if (recto_config_new(&config, NULL) != RECTO_OK || recto_config_set(config, "base_url", url, NULL) != RECTO_OK
        || recto_config_set(config, "api_key", "key", NULL) != RECTO_OK
        || recto_client_new(config, &client, NULL) != RECTO_OK)
        client = NULL;
    recto_config_free(config);
    return client;
}

static int start_task(const recto_client *client, recto_task **task) {
    return recto_background_start(client, RECTO_OPTIMIZE, "f1", NULL, NULL, task, NULL) == RECTO_OK
        ? (int)recto_task_descriptor(*task)
        : -1;
}

static int has_ended(const recto_task *task) { return recto_task_poll(task, 0, NULL) == RECTO_OK; }

static int end_task(recto_task *task) {
    recto_operation *operation = NULL;
    int ended = recto_task_take_operation(task, &operation, NULL) == RECTO_OK;
    recto_operation_free(operation);
    recto_task_free(task);
    return ended;
}
*/
import "C"

import (
	"errors"
	"os"
	"syscall"
	"time"
	"unsafe"
)

var errNative = errors.New("a call in C failed")

// native is a client that is used without the Go module.
type native struct{ client *C.recto_client }

func connectNative(url string) (native, error) {
	text := C.CString(url)
	defer C.free(unsafe.Pointer(text))
	client := C.connect_to(text)
	if client == nil {
		return native{}, errNative
	}
	return native{client}, nil
}

func (n native) close() { C.recto_client_free(n.client) }

// files makes calls one after the other, in one call of C.
func (n native) files(count int) error {
	if C.files(n.client, C.int(count)) != 0 {
		return errNative
	}
	return nil
}

// filesAtOnce makes the calls of 64 threads.
func (n native) filesAtOnce() error {
	if C.files_at_once(n.client, atOnce, each) != 0 {
		return errNative
	}
	return nil
}

// startInTask starts an operation with a task, and waits for its descriptor without a thread.
func (n native) startInTask() error {
	var task *C.recto_task
	descriptor := C.start_task(n.client, &task)
	if descriptor < 0 {
		return errNative
	}
	// The descriptor belongs to the task, and os.File closes its own.
	own, err := syscall.Dup(int(descriptor))
	if err == nil {
		err = wait(own, func() bool { return C.has_ended(task) != 0 })
	}
	if C.end_task(task) == 0 {
		return errors.Join(err, errNative)
	}
	return err
}

// wait waits until the descriptor is readable and ended is true.
func wait(descriptor int, ended func() bool) error {
	if err := syscall.SetNonblock(descriptor, true); err != nil {
		return err
	}
	file := os.NewFile(uintptr(descriptor), "task")
	defer file.Close()
	raw, err := file.SyscallConn()
	if err != nil {
		return err
	}
	return raw.Read(func(uintptr) bool { return ended() })
}

// used is the processor time of this process.
func used() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
