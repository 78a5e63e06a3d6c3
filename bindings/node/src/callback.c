/*
 * Functions of JavaScript that the library calls on other threads. Such a call is a message to the thread of JavaScript;
 * its thread waits for the answer, except for log lines.
 */
#include "addon.h"
#include <stdlib.h>
#include <string.h>

struct callback {
    instance *instance;
    kind kind;
    napi_ref function;
};

/* A question to JavaScript that a thread waits for. It is on the stack of that thread, and is found by its number. */
struct ask {
    uint32_t number;
    callback *callback;
    void *buffer;
    size_t size;
    const void *data;
    int32_t phase;
    int64_t done, total;
    bool is_answered;
    int64_t answer;
    ask *next;
};

typedef struct ask_message {
    message_kind kind;
    instance *instance;
    uint32_t number;
} ask_message;

typedef struct log_message {
    message_kind kind;
    callback *callback;
    int32_t level;
    char text[];
} log_message;

typedef struct drop_message {
    message_kind kind;
    callback *callback;
} drop_message;

callback *callback_new(instance *of, kind kind, napi_value function) {
    callback *made = calloc(1, sizeof *made);
    if (made == NULL || napi_create_reference(of->env, function, 1, &made->function) != napi_ok) {
        free(made);
        return NULL;
    }
    made->instance = of;
    made->kind = kind;
    instance_hold(of);
    return made;
}

void callback_free(callback *of) {
    if (of == NULL)
        return;
    instance *instance = of->instance;
    // After the end of the instance, its references are gone.
    if (instance->env != NULL)
        napi_delete_reference(instance->env, of->function);
    free(of);
    instance_release(instance);
}

/* Waits for the answer; any thread. If the instance ends, the call of the library is to end, too. */
static int64_t put(ask *ask) {
    instance *instance = ask->callback->instance;
    ask_message *message = calloc(1, sizeof *message);
    if (message == NULL)
        return -1;
    pthread_mutex_lock(&instance->lock);
    ask->number = ++instance->last_ask;
    ask->next = instance->asks;
    instance->asks = ask;
    *message = (ask_message){MESSAGE_ASK, instance, ask->number};
    if (!instance_post(instance, message))
        free(message);
    while (!ask->is_answered && !instance->is_closing)
        pthread_cond_wait(&instance->changed, &instance->lock);
    for (struct ask **at = &instance->asks; *at != NULL; at = &(*at)->next) {
        if (*at == ask) {
            *at = ask->next;
            break;
        }
    }
    pthread_mutex_unlock(&instance->lock);
    return ask->is_answered ? ask->answer : -1;
}

int64_t callback_read(void *buffer, size_t size, void *userdata) {
    return put(&(ask){.callback = userdata, .buffer = buffer, .size = size});
}

int32_t callback_write(const void *data, size_t length, void *userdata) {
    return put(&(ask){.callback = userdata, .data = data, .size = length}) != 0;
}

int32_t callback_progress(int32_t phase, int64_t done, int64_t total, void *userdata) {
    return put(&(ask){.callback = userdata, .phase = phase, .done = done, .total = total}) != 0;
}

void callback_log(int32_t level, const char *text, void *userdata) {
    size_t length = strlen(text);
    log_message *message = malloc(sizeof *message + length + 1);
    if (message == NULL)
        return;
    callback *of = userdata;
    message->kind = MESSAGE_LOG;
    message->callback = of;
    message->level = level;
    memcpy(message->text, text, length + 1);
    if (!instance_post(of->instance, message))
        free(message);
}

void callback_drop(void *userdata) {
    drop_message *message = calloc(1, sizeof *message);
    callback *of = userdata;
    if (message == NULL)
        return;
    *message = (drop_message){MESSAGE_DROP, of};
    // After the end of the instance, the callback is not freed: its few bytes belong to a thread that has ended.
    if (!instance_post(of->instance, message))
        free(message);
}

static ask *find(instance *of, uint32_t number) {
    ask *at = of->asks;
    while (at != NULL && at->number != number)
        at = at->next;
    return at;
}

static void answer(instance *of, uint32_t number, int64_t value) {
    pthread_mutex_lock(&of->lock);
    ask *asked = find(of, number);
    if (asked != NULL) {
        asked->answer = value;
        asked->is_answered = true;
        pthread_cond_broadcast(&of->changed);
    }
    pthread_mutex_unlock(&of->lock);
}

/* answer(number, value): `value` is a number, or the bytes that a read function has read. */
napi_value callback_answer(napi_env env, napi_callback_info info) {
    size_t count = 2;
    napi_value arguments[2];
    instance *of;
    uint32_t number;
    if (napi_get_cb_info(env, info, &count, arguments, NULL, (void **)&of) != napi_ok || count != 2
        || napi_get_value_uint32(env, arguments[0], &number) != napi_ok)
        return NULL;
    bool is_buffer = false;
    napi_is_buffer(env, arguments[1], &is_buffer);
    int64_t value = -1;
    if (is_buffer) {
        void *bytes;
        size_t length;
        napi_get_buffer_info(env, arguments[1], &bytes, &length);
        pthread_mutex_lock(&of->lock);
        ask *asked = find(of, number);
        if (asked != NULL && length <= asked->size) {
            if (length > 0)
                memcpy(asked->buffer, bytes, length);
            value = (int64_t)length;
        }
        pthread_mutex_unlock(&of->lock);
    } else {
        napi_get_value_int64(env, arguments[1], &value);
    }
    answer(of, number, value);
    return NULL;
}

static napi_value number_of(napi_env env, int64_t number) {
    napi_value value;
    napi_create_int64(env, number, &value);
    return value;
}

/* Calls the function of JavaScript. If it throws, returns false; the functions of lib/ never do. */
static bool invoke(napi_env env, const callback *of, size_t count, napi_value *arguments, napi_value *result) {
    napi_value function, global;
    if (napi_get_reference_value(env, of->function, &function) != napi_ok || napi_get_global(env, &global) != napi_ok)
        return false;
    if (napi_call_function(env, global, function, count, arguments, result) == napi_ok)
        return true;
    napi_value thrown;
    napi_get_and_clear_last_exception(env, &thrown);
    return false;
}

/* A reader or writer gets the number of the question, and answers when it can. Progress is answered by the result. */
static void put_to_function(napi_env env, instance *of, uint32_t number) {
    pthread_mutex_lock(&of->lock);
    ask *asked = find(of, number);
    ask copy = asked == NULL ? (ask){0} : *asked;
    pthread_mutex_unlock(&of->lock);
    if (asked == NULL)
        return;
    // The thread waits, so its data stay valid until the answer, unless the instance ends, which this thread does itself.
    napi_value arguments[3], result;
    bool is_called;
    if (copy.callback->kind == KIND_PROGRESS) {
        arguments[0] = number_of(env, copy.phase);
        arguments[1] = number_of(env, copy.done);
        arguments[2] = number_of(env, copy.total);
        is_called = invoke(env, copy.callback, 3, arguments, &result);
        bool must_stop = true;
        if (is_called)
            napi_get_value_bool(env, result, &must_stop);
        answer(of, number, must_stop);
        return;
    }
    arguments[0] = number_of(env, number);
    if (copy.callback->kind == KIND_READ) {
        arguments[1] = number_of(env, (int64_t)copy.size);
        is_called = true;
    } else {
        is_called = napi_create_buffer_copy(env, copy.size, copy.data, NULL, &arguments[1]) == napi_ok;
    }
    if (!is_called || !invoke(env, copy.callback, 2, arguments, &result))
        answer(of, number, -1);
}

/* Receives the messages of other threads. Without `env` the instance has ended. */
void callback_call(napi_env env, void *message) {
    switch (*(message_kind *)message) {
    case MESSAGE_JOB:
        if (env != NULL)
            job_settle(env, message);
        else
            job_free(NULL, message);
        return;
    case MESSAGE_ASK: {
        ask_message *asked = message;
        if (env != NULL)
            put_to_function(env, asked->instance, asked->number);
        break;
    }
    case MESSAGE_LOG: {
        log_message *logged = message;
        napi_value arguments[2], result;
        if (env != NULL
            && napi_create_string_utf8(env, logged->text, NAPI_AUTO_LENGTH, &arguments[1]) == napi_ok) {
            arguments[0] = number_of(env, logged->level);
            invoke(env, logged->callback, 2, arguments, &result);
        }
        break;
    }
    case MESSAGE_DROP:
        callback_free(((drop_message *)message)->callback);
        break;
    }
    free(message);
}
