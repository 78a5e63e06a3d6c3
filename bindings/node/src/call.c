/*
 * Calls of the library's functions: converts the arguments, runs the function at once or on a thread, and returns its
 * result, or the promise of it. A failure becomes an error that lib/errors.js makes from the handle of the library's error.
 */
#include "addon.h"
#include <stdlib.h>
#include <string.h>


void job_run(job *job) {
    if (job->function != NULL)
        job->function->run(job->slots);
    else
        job->freed_type->free(job->freed);
}

void job_has_run(job *job) {
    instance *instance = job->instance;
    pthread_mutex_lock(&instance->lock);
    if (instance->is_closing || !instance_post(instance, job)) {
        job->next = instance->abandoned;
        instance->abandoned = job;
    }
    instance->jobs--;
    pthread_cond_broadcast(&instance->changed);
    pthread_mutex_unlock(&instance->lock);
}

/* Options may contain a password, so texts are overwritten before they are freed. */
static void wipe(char *text) {
    if (text == NULL)
        return;
    for (volatile char *at = text; *at != '\0'; at++)
        *at = '\0';
    free(text);
}

/* Ends the use of the arguments. Results that were not taken are freed, too. */
static void clear(job *job) {
    for (size_t at = 1; job->function != NULL && at < MAX_SLOTS; at++) {
        const parameter *parameter = &job->function->parameters[at];
        if (parameter->kind == KIND_TEXT)
            wipe((char *)job->slots[at].text);
        else if (parameter->kind == KIND_DATA)
            free(job->slots[at].pointer);
        else if (parameter->kind == KIND_OUT_TEXT || parameter->kind == KIND_OUT_DATA)
            recto_free(job->outs[at]);
        else if (parameter->kind == KIND_OUT_HANDLE && job->outs[at] != NULL)
            parameter->type->free(job->outs[at]);
        else if (parameter->kind == KIND_ERROR)
            recto_error_free(job->outs[at]);
        callback_free(job->callbacks[at]);
        if (job->handles[at] != NULL)
            handle_drop(job->handles[at]);
    }
}

void job_free(napi_env env, job *job) {
    (void)env;
    instance *instance = job->instance;
    clear(job);
    free(job);
    instance_release(instance);
}

/* Arguments. */

static bool refuse(napi_env env, const char *message) {
    bool is_pending = false;
    napi_is_exception_pending(env, &is_pending);
    if (!is_pending)
        napi_throw_type_error(env, NULL, message);
    return false;
}

static bool read_text(napi_env env, napi_value value, slot *to) {
    size_t length;
    if (napi_get_value_string_utf8(env, value, NULL, 0, &length) != napi_ok)
        return refuse(env, "expected a string");
    char *text = malloc(length + 1);
    if (text == NULL || napi_get_value_string_utf8(env, value, text, length + 1, &length) != napi_ok) {
        free(text);
        return refuse(env, "out of memory");
    }
    to->text = text;
    return strlen(text) == length || refuse(env, "a string must not contain the character U+0000");
}

/* The bytes are copied: JavaScript may change, move or shrink a buffer while the call runs. */
static bool read_data(napi_env env, napi_value value, slot *to, slot *to_length) {
    void *bytes;
    size_t length;
    bool is_buffer;
    if (napi_is_buffer(env, value, &is_buffer) != napi_ok || !is_buffer
        || napi_get_buffer_info(env, value, &bytes, &length) != napi_ok)
        return refuse(env, "expected a Uint8Array");
    to_length->count = length;
    if (length == 0)
        return true;
    to->pointer = malloc(length);
    if (to->pointer == NULL)
        return refuse(env, "out of memory");
    memcpy(to->pointer, bytes, length);
    return true;
}

/* A function of JavaScript. Its userdata is in the next slot. */
static bool read_function(job *job, size_t at, napi_value value) {
    napi_valuetype type;
    kind kind = job->function->parameters[at].kind;
    napi_env env = job->instance->env;
    if (napi_typeof(env, value, &type) != napi_ok || type != napi_function)
        return refuse(env, "expected a function");
    callback *made = callback_new(job->instance, kind, value);
    if (made == NULL)
        return refuse(env, "out of memory");
    job->callbacks[at] = made;
    job->slots[at].function = made;
    job->slots[at + 1].pointer = made;
    return true;
}

static bool read_argument(job *job, size_t at, napi_value value) {
    napi_env env = job->instance->env;
    const parameter *parameter = &job->function->parameters[at];
    napi_valuetype type;
    if (napi_typeof(env, value, &type) != napi_ok)
        return refuse(env, "invalid argument");
    // NULL; whether it is allowed is decided by the library.
    if (type == napi_null || type == napi_undefined)
        return true;
    switch (parameter->kind) {
    case KIND_HANDLE: {
        handle *found = handle_of(env, value, parameter->type);
        if (found == NULL)
            return false;
        handle_use(found);
        job->handles[at] = found;
        job->slots[at].pointer = found->pointer;
        return true;
    }
    case KIND_TEXT:
        return read_text(env, value, &job->slots[at]);
    case KIND_NUMBER:
        return napi_get_value_int64(env, value, &job->slots[at].number) == napi_ok || refuse(env, "expected a number");
    case KIND_FRACTION:
        return napi_get_value_double(env, value, &job->slots[at].fraction) == napi_ok
               || refuse(env, "expected a number");
    case KIND_DATA:
        return read_data(env, value, &job->slots[at], &job->slots[at + 1]);
    case KIND_READ:
    case KIND_WRITE:
    case KIND_PROGRESS:
    case KIND_LOG:
        return read_function(job, at, value);
    default:
        return refuse(env, "this argument is not supported");
    }
}

static bool is_input(kind kind) {
    return (kind >= KIND_HANDLE && kind <= KIND_DATA) || (kind >= KIND_READ && kind <= KIND_LOG);
}

static bool read_arguments(job *job, size_t count, const napi_value *arguments) {
    size_t next = 0;
    for (size_t at = 1; at < MAX_SLOTS; at++) {
        kind kind = job->function->parameters[at].kind;
        if (is_input(kind)) {
            if (next < count && !read_argument(job, at, arguments[next]))
                return false;
            next++;
        } else if (kind == KIND_OUT_LENGTH || kind == KIND_OUT_COUNT) {
            job->slots[at].pointer = &job->lengths[at];
        } else if (kind >= KIND_OUT_HANDLE) {
            job->slots[at].pointer = &job->outs[at];
        }
    }
    return true;
}

/* Results. */

static void free_memory(napi_env env, void *data, void *hint) {
    (void)env;
    (void)hint;
    recto_free(data);
}

static napi_value buffer_of(napi_env env, void **data, size_t length) {
    napi_value value = NULL;
    if (length == 0) {
        napi_create_buffer(env, 0, NULL, &value);
        return value;
    }
    if (napi_create_external_buffer(env, length, *data, free_memory, NULL, &value) == napi_ok)
        *data = NULL;
    else // Where memory cannot be shared, as in Electron.
        napi_create_buffer_copy(env, length, *data, NULL, &value);
    return value;
}

static napi_value text_of(napi_env env, const char *text) {
    napi_value value = NULL;
    if (text == NULL)
        napi_get_null(env, &value);
    else
        napi_create_string_utf8(env, text, NAPI_AUTO_LENGTH, &value);
    return value;
}

static napi_value handle_value(job *job, const handle_type *type, void **pointer, handle *owner) {
    napi_value value = NULL;
    if (*pointer == NULL) {
        napi_get_null(job->instance->env, &value);
        return value;
    }
    void *taken = *pointer;
    *pointer = NULL;
    return handle_new(job->instance, type, taken, owner);
}

/* The value of the function itself, if it does not return a status. */
static napi_value result_of(napi_env env, job *job) {
    const parameter *result = &job->function->result;
    napi_value value = NULL;
    switch (result->kind) {
    case KIND_TEXT:
        return text_of(env, job->slots[0].text);
    case KIND_NUMBER:
        napi_create_int64(env, job->slots[0].number, &value);
        return value;
    case KIND_HANDLE:
        return handle_value(job, result->type, &job->slots[0].pointer, job->handles[1]);
    default:
        napi_get_undefined(env, &value);
        return value;
    }
}

/* What a function has returned through its arguments, or else its status. */
static napi_value output_of(napi_env env, job *job) {
    for (size_t at = 1; at < MAX_SLOTS; at++) {
        const parameter *parameter = &job->function->parameters[at];
        napi_value value = NULL;
        switch (parameter->kind) {
        case KIND_OUT_HANDLE:
            return handle_value(job, parameter->type, &job->outs[at], NULL);
        case KIND_OUT_TEXT:
            return text_of(env, job->outs[at]);
        case KIND_OUT_DATA:
            return buffer_of(env, &job->outs[at], job->lengths[at + 1]);
        case KIND_OUT_COUNT:
            napi_create_int64(env, (int64_t)job->lengths[at], &value);
            return value;
        default:
            break;
        }
    }
    napi_value status;
    napi_create_int64(env, job->slots[0].number, &status);
    return status;
}

/* The error of JavaScript for a function that has failed. */
static napi_value error_of(napi_env env, job *job) {
    napi_value handle = NULL, factory, global, error = NULL;
    for (size_t at = 1; at < MAX_SLOTS; at++)
        if (job->function->parameters[at].kind == KIND_ERROR && job->outs[at] != NULL) {
            void *taken = job->outs[at];
            job->outs[at] = NULL;
            handle = handle_new(job->instance, job->function->parameters[at].type, taken, NULL);
        }
    if (handle != NULL && napi_get_reference_value(env, job->instance->make_error, &factory) == napi_ok
        && napi_get_global(env, &global) == napi_ok
        && napi_call_function(env, global, factory, 1, &handle, &error) == napi_ok)
        return error;
    napi_value message, thrown;
    napi_get_and_clear_last_exception(env, &thrown);
    napi_create_string_utf8(env, "the library has failed without an error", NAPI_AUTO_LENGTH, &message);
    napi_create_error(env, NULL, message, &error);
    return error;
}

static bool has_failed(const job *job) {
    return job->function->result.kind == KIND_STATUS && job->slots[0].number < 0;
}

/* A callback that the library keeps lives as long as the object that it was given to. */
static void keep_callbacks(job *job) {
    for (size_t at = 1; at < MAX_SLOTS; at++) {
        kind kind = job->function->parameters[at].kind;
        if (kind == KIND_PROGRESS && job->handles[1] != NULL) {
            callback_free(job->handles[1]->attached);
            job->handles[1]->attached = job->callbacks[at];
            job->callbacks[at] = NULL;
        } else if (kind == KIND_LOG) {
            // The library drops it.
            job->callbacks[at] = NULL;
        }
    }
}

static napi_value run_now(napi_env env, job *job) {
    job_run(job);
    napi_value value = NULL;
    if (has_failed(job)) {
        napi_throw(env, error_of(env, job));
    } else {
        keep_callbacks(job);
        value = job->function->result.kind == KIND_STATUS ? output_of(env, job) : result_of(env, job);
    }
    clear(job);
    return value;
}

static napi_value run_on_thread(napi_env env, const job *prepared) {
    instance *instance = prepared->instance;
    job *job = malloc(sizeof *job);
    napi_value promise = NULL;
    if (job == NULL)
        return NULL;
    *job = *prepared;
    for (size_t at = 1; at < MAX_SLOTS; at++) {
        kind kind = job->function->parameters[at].kind;
        if (kind == KIND_OUT_LENGTH || kind == KIND_OUT_COUNT)
            job->slots[at].pointer = &job->lengths[at];
        else if (kind >= KIND_OUT_HANDLE)
            job->slots[at].pointer = &job->outs[at];
    }
    instance_hold(instance);
    if (napi_create_promise(env, &job->deferred, &promise) != napi_ok) {
        job_free(env, job);
        return NULL;
    }
    if (instance->pending++ == 0)
        napi_ref_threadsafe_function(env, instance->queue);
    pthread_mutex_lock(&instance->lock);
    instance->jobs++;
    pthread_mutex_unlock(&instance->lock);
    if (!pool_run(job)) {
        // No thread can be started: the call blocks, which is better than no call.
        job_run(job);
        job_has_run(job);
    }
    return promise;
}

void job_settle(napi_env env, job *job) {
    if (job->function != NULL) {
        if (has_failed(job)) {
            napi_reject_deferred(env, job->deferred, error_of(env, job));
        } else {
            bool has_status = job->function->result.kind == KIND_STATUS;
            napi_value value = has_status ? output_of(env, job) : result_of(env, job);
            napi_resolve_deferred(env, job->deferred, value);
        }
    } else if (job->deferred != NULL) {
        napi_value nothing;
        napi_get_undefined(env, &nothing);
        napi_resolve_deferred(env, job->deferred, nothing);
    }
    if (job->deferred != NULL && --job->instance->pending == 0)
        napi_unref_threadsafe_function(env, job->instance->queue);
    job_free(env, job);
}

napi_value call_function(napi_env env, napi_callback_info info) {
    size_t count = MAX_SLOTS;
    napi_value arguments[MAX_SLOTS];
    binding *binding;
    if (napi_get_cb_info(env, info, &count, arguments, NULL, (void **)&binding) != napi_ok)
        return NULL;
    job job = {.message = MESSAGE_JOB, .instance = binding->instance, .function = binding->function};
    if (!read_arguments(&job, count < MAX_SLOTS ? count : MAX_SLOTS, arguments)) {
        clear(&job);
        return NULL;
    }
    return job.function->is_slow ? run_on_thread(env, &job) : run_now(env, &job);
}
