/*
 * The module: an object with the functions of the library, and the beginning and the end of an instance.
 */
#include "addon.h"
#include <stdlib.h>
#include <string.h>


void instance_hold(instance *of) {
    of->uses++;
}

void instance_release(instance *of) {
    if (--of->uses > 0)
        return;
    pthread_mutex_destroy(&of->lock);
    pthread_mutex_destroy(&of->queue_lock);
    pthread_cond_destroy(&of->changed);
    free(of);
}

bool instance_post(instance *of, void *message) {
    pthread_mutex_lock(&of->queue_lock);
    bool is_posted = of->queue != NULL
                     && napi_call_threadsafe_function(of->queue, message, napi_tsfn_nonblocking) == napi_ok;
    pthread_mutex_unlock(&of->queue_lock);
    return is_posted;
}

static void receive(napi_env env, napi_value function, void *context, void *message) {
    (void)function;
    (void)context;
    callback_call(env, message);
}

/* Ends the running calls of the instance: closing a client cancels its calls, and threads get no more answers. */
static void cancel_all(instance *of) {
    pthread_mutex_lock(&of->lock);
    of->is_closing = true;
    pthread_cond_broadcast(&of->changed);
    pthread_mutex_unlock(&of->lock);
    for (handle *at = of->handles; at != NULL; at = at->next)
        if (at->pointer != NULL && strcmp(at->type->name, "recto_client") == 0)
            recto_client_close(at->pointer);
    for (job *waiting = pool_take_waiting(of), *next; waiting != NULL; waiting = next) {
        next = waiting->next;
        if (waiting->function == NULL)
            job_run(waiting);
        job_has_run(waiting);
    }
}

/* The thread of JavaScript ends: a worker terminates, or the process exits. */
static void end(void *data) {
    instance *of = data;
    cancel_all(of);
    pthread_mutex_lock(&of->lock);
    while (of->jobs > 0)
        pthread_cond_wait(&of->changed, &of->lock);
    job *abandoned = of->abandoned;
    of->abandoned = NULL;
    pthread_mutex_unlock(&of->lock);
    handles_free_all(of);
    pthread_mutex_lock(&of->queue_lock);
    napi_threadsafe_function queue = of->queue;
    of->queue = NULL;
    pthread_mutex_unlock(&of->queue_lock);
    of->env = NULL;
    for (job *next; abandoned != NULL; abandoned = next) {
        next = abandoned->next;
        job_free(NULL, abandoned);
    }
    napi_release_threadsafe_function(queue, napi_tsfn_abort);
    instance_release(of);
}

static void free_bindings(napi_env env, void *data, void *hint) {
    (void)env;
    (void)hint;
    free(data);
}

/* onError(make): sets the function that makes an error from the handle of a recto_error. */
static napi_value on_error(napi_env env, napi_callback_info info) {
    size_t count = 1;
    napi_value function;
    instance *of;
    if (napi_get_cb_info(env, info, &count, &function, NULL, (void **)&of) == napi_ok && count == 1)
        napi_create_reference(env, function, 1, &of->make_error);
    return NULL;
}

static bool add(napi_env env, napi_value exports, const char *name, napi_callback call, void *data) {
    napi_value function;
    return napi_create_function(env, name, NAPI_AUTO_LENGTH, call, data, &function) == napi_ok
           && napi_set_named_property(env, exports, name, function) == napi_ok;
}

static bool begin(napi_env env, instance *of) {
    napi_value name;
    of->env = env;
    of->uses = 1;
    pthread_mutex_init(&of->lock, NULL);
    pthread_mutex_init(&of->queue_lock, NULL);
    pthread_cond_init(&of->changed, NULL);
    return napi_create_string_utf8(env, "recto", NAPI_AUTO_LENGTH, &name) == napi_ok
           && napi_create_threadsafe_function(env, NULL, NULL, name, 0, 1, NULL, NULL, of, receive, &of->queue)
                  == napi_ok
           && napi_unref_threadsafe_function(env, of->queue) == napi_ok
           && napi_add_env_cleanup_hook(env, end, of) == napi_ok;
}

NAPI_MODULE_INIT() {
    instance *of = calloc(1, sizeof *of);
    binding *bindings = calloc(FUNCTION_COUNT, sizeof *bindings);
    if (of == NULL || bindings == NULL || !begin(env, of)
        || napi_add_finalizer(env, exports, bindings, free_bindings, NULL, NULL) != napi_ok)
        return NULL;
    bool is_added = add(env, exports, "free", handle_free, of)
                    && add(env, exports, "free_and_wait", handle_free_and_wait, of)
                    && add(env, exports, "answer", callback_answer, of) && add(env, exports, "onError", on_error, of);
    for (size_t at = 0; is_added && at < FUNCTION_COUNT; at++) {
        bindings[at] = (binding){of, &FUNCTIONS[at]};
        // JavaScript has the names without the prefix: recto_client_new is client_new.
        is_added = add(env, exports, FUNCTIONS[at].name + strlen("recto_"), call_function, &bindings[at]);
    }
    return is_added ? exports : NULL;
}
