/*
 * The addon between JavaScript and the C library: JavaScript calls the functions of recto.h by their names, with handles,
 * texts, numbers, buffers and functions as arguments.
 *
 *     call.c       converts arguments and results, and runs a function at once or on a thread
 *     handle.c     handles of the library as values of JavaScript
 *     callback.c   functions of JavaScript that the library calls
 *     pool.c       the threads on which blocking functions run
 *     functions.c  the functions and handle types of recto.h, generated
 *
 * Everything except pool.c, and the functions that say so, runs on the thread of the instance. An instance is the addon
 * in one thread of JavaScript: the main thread or a worker.
 */
#ifndef RECTO_ADDON_H
#define RECTO_ADDON_H

#define NAPI_VERSION 8
#define RECTO_NO_ATTRIBUTES
#include <node_api.h>
#include <pthread.h>
#include <recto.h>
#include <stdbool.h>

enum { MAX_SLOTS = 14 };

typedef struct instance instance;
typedef struct handle handle;
typedef struct job job;
typedef struct callback callback;
typedef struct ask ask;

/* A type of handles, such as recto_client. */
typedef struct handle_type {
    const char *name;
    void (*free)(void *pointer);
    /* Whether `free` may block. */
    bool is_slow;
} handle_type;

/* An argument or a result of a function of the library. */
typedef union slot {
    void *pointer;
    const char *text;
    int64_t number;
    double fraction;
    uint64_t count;
    callback *function;
} slot;

/* The kinds of arguments and results. */
typedef enum kind {
    KIND_NONE,
    KIND_HANDLE,
    KIND_TEXT,
    KIND_NUMBER,
    KIND_FRACTION,
    KIND_DATA,
    KIND_LENGTH,
    KIND_READ,
    KIND_WRITE,
    KIND_PROGRESS,
    KIND_LOG,
    KIND_USERDATA,
    KIND_DROP,
    KIND_OUT_HANDLE,
    KIND_OUT_TEXT,
    KIND_OUT_DATA,
    KIND_OUT_LENGTH,
    KIND_OUT_COUNT,
    KIND_ERROR,
    KIND_STATUS,
} kind;

typedef struct parameter {
    kind kind;
    const handle_type *type;
} parameter;

/* A function of the library. Slot 0 is its result, and slot n its argument n. */
typedef struct function {
    const char *name;
    void (*run)(slot *slots);
    /* Whether it can block, and is therefore run on a thread. */
    bool is_slow;
    parameter result;
    parameter parameters[MAX_SLOTS];
} function;

extern const function FUNCTIONS[];
extern const size_t FUNCTION_COUNT;

/* The addon in one thread of JavaScript. */
struct instance {
    napi_env env;
    napi_threadsafe_function queue;
    /* Makes an error of JavaScript from a handle of a recto_error. */
    napi_ref make_error;
    /* The calls in progress that keep the event loop running. */
    size_t pending;
    handle *handles;
    /* Handles and jobs that still refer to the instance, and JavaScript itself. */
    size_t uses;
    /* The rest is protected by `lock`, since other threads use it. */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    /* The jobs on threads, and those that have run since the instance is closing. */
    size_t jobs;
    job *abandoned;
    ask *asks;
    uint32_t last_ask;
    bool is_closing;
    /* Protects `queue`, which is NULL after the end of the instance. */
    pthread_mutex_t queue_lock;
};

struct handle {
    instance *instance;
    const handle_type *type;
    void *pointer;
    /* The handle that the pointer belongs to; NULL if it is a handle of its own. */
    handle *owner;
    /* The value of JavaScript, running calls, and borrowed handles. */
    size_t uses;
    bool is_released;
    /* The promise that is resolved when the pointer is freed; NULL if nobody waits for it. */
    napi_deferred freed;
    /* A callback that lives as long as the handle. */
    callback *attached;
    handle *next, *previous;
};

/* A call on a thread. */
struct job {
    /* MESSAGE_JOB: the job is a message to its instance when it has run. */
    int message;
    instance *instance;
    const function *function;
    slot slots[MAX_SLOTS];
    size_t lengths[MAX_SLOTS];
    handle *handles[MAX_SLOTS];
    callback *callbacks[MAX_SLOTS];
    void *outs[MAX_SLOTS];
    napi_deferred deferred;
    /* Without a function: the handle to free. */
    const handle_type *freed_type;
    void *freed;
    job *next;
};

/* pool.c; thread safe */

/* Runs the job on a thread, and then job_has_run(). Returns false if no thread can be started. */
bool pool_run(job *job);
/* Removes the jobs of an instance that have not begun, and returns them. */
job *pool_take_waiting(const instance *of);

/* handle.c */

napi_value handle_new(instance *of, const handle_type *type, void *pointer, handle *owner);
handle *handle_of(napi_env env, napi_value value, const handle_type *type);
void handle_use(handle *of);
void handle_drop(handle *of);
napi_value handle_free(napi_env env, napi_callback_info info);
napi_value handle_free_and_wait(napi_env env, napi_callback_info info);
void handles_free_all(instance *of);

/* callback.c */

callback *callback_new(instance *of, kind kind, napi_value function);
void callback_free(callback *of);
napi_value callback_answer(napi_env env, napi_callback_info info);
void callback_call(napi_env env, void *message);
/* The functions that the library gets, any thread. */
int64_t callback_read(void *buffer, size_t size, void *userdata);
int32_t callback_write(const void *data, size_t length, void *userdata);
int32_t callback_progress(int32_t phase, int64_t done, int64_t total, void *userdata);
void callback_log(int32_t level, const char *message, void *userdata);
void callback_drop(void *userdata);
/* A message to the thread of the instance begins with its kind. */
typedef enum message_kind { MESSAGE_JOB, MESSAGE_ASK, MESSAGE_LOG, MESSAGE_DROP } message_kind;

/* call.c */

/* A function in an instance. */
typedef struct binding {
    instance *instance;
    const function *function;
} binding;

napi_value call_function(napi_env env, napi_callback_info info);
/* Runs the function of a job; any thread. */
void job_run(job *job);
/* Reports a job that has run to its instance; any thread. */
void job_has_run(job *job);
/* Settles the promise of a job that has run. */
void job_settle(napi_env env, job *job);
void job_free(napi_env env, job *job);

/* addon.c */

/* Passes a message to the thread of the instance, or returns false if the instance has ended; any thread. */
bool instance_post(instance *of, void *message);
void instance_hold(instance *of);
void instance_release(instance *of);

#endif
