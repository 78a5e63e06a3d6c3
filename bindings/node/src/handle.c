/*
 * Handles of the library as values of JavaScript. The library's handle is freed when JavaScript has freed it or has
 * dropped the value, and no call uses it any more.
 */
#include "addon.h"
#include <stdlib.h>

/* What the garbage collector assumes that a handle occupies. */
enum { ASSUMED_SIZE = 2048 };

static void unlink_handle(handle *of) {
    if (of->previous != NULL)
        of->previous->next = of->next;
    else
        of->instance->handles = of->next;
    if (of->next != NULL)
        of->next->previous = of->previous;
}

static void resolve_freed(handle *of) {
    napi_value nothing;
    if (of->freed == NULL)
        return;
    napi_get_undefined(of->instance->env, &nothing);
    napi_resolve_deferred(of->instance->env, of->freed, nothing);
    of->freed = NULL;
}

/* Frees the handle of the library: on a thread, if that may block. */
static void free_pointer(handle *of) {
    void *pointer = of->pointer;
    of->pointer = NULL;
    if (pointer == NULL || of->owner != NULL) {
        resolve_freed(of);
        return;
    }
    job *freeing = of->type->is_slow ? calloc(1, sizeof *freeing) : NULL;
    if (freeing == NULL) {
        of->type->free(pointer);
        resolve_freed(of);
        return;
    }
    instance *instance = of->instance;
    freeing->deferred = of->freed;
    of->freed = NULL;
    if (freeing->deferred != NULL && instance->pending++ == 0)
        napi_ref_threadsafe_function(instance->env, instance->queue);
    freeing->message = MESSAGE_JOB;
    freeing->instance = instance;
    freeing->freed_type = of->type;
    freeing->freed = pointer;
    instance_hold(instance);
    pthread_mutex_lock(&instance->lock);
    instance->jobs++;
    pthread_mutex_unlock(&instance->lock);
    if (!pool_run(freeing)) {
        job_run(freeing);
        job_has_run(freeing);
    }
}

void handle_use(handle *of) {
    of->uses++;
}

void handle_drop(handle *of) {
    if (--of->uses > 0)
        return;
    free_pointer(of);
    callback_free(of->attached);
    handle *owner = of->owner;
    instance *instance = of->instance;
    unlink_handle(of);
    free(of);
    if (owner != NULL)
        handle_drop(owner);
    instance_release(instance);
}

/* JavaScript's own use of the handle has ended. */
static void release(handle *of) {
    if (of->is_released)
        return;
    of->is_released = true;
    handle_drop(of);
}

/* The value of JavaScript: it outlives the handle if JavaScript frees the handle. */
typedef struct box {
    handle *handle;
} box;

static void collect(napi_env env, void *data, void *hint) {
    (void)hint;
    box *box = data;
    if (box->handle != NULL)
        release(box->handle);
    free(box);
    int64_t total;
    napi_adjust_external_memory(env, -ASSUMED_SIZE, &total);
}

napi_value handle_new(instance *of, const handle_type *type, void *pointer, handle *owner) {
    handle *made = calloc(1, sizeof *made);
    box *value = calloc(1, sizeof *value);
    napi_value result = NULL;
    if (made == NULL || value == NULL || napi_create_external(of->env, value, collect, NULL, &result) != napi_ok) {
        free(made);
        free(value);
        if (owner == NULL)
            type->free(pointer);
        return NULL;
    }
    *made = (handle){.instance = of, .type = type, .pointer = pointer, .owner = owner, .uses = 1, .next = of->handles};
    if (of->handles != NULL)
        of->handles->previous = made;
    of->handles = made;
    value->handle = made;
    instance_hold(of);
    if (owner != NULL)
        handle_use(owner);
    int64_t total;
    napi_adjust_external_memory(of->env, ASSUMED_SIZE, &total);
    return result;
}

/* The handle of a value; NULL, with an exception, if it is not an open handle of this type. */
handle *handle_of(napi_env env, napi_value value, const handle_type *type) {
    box *found = NULL;
    if (napi_get_value_external(env, value, (void **)&found) != napi_ok || found == NULL || found->handle == NULL
        || found->handle->pointer == NULL || (type != NULL && found->handle->type != type)) {
        napi_throw_type_error(env, NULL, "a handle was used after it was freed");
        return NULL;
    }
    return found->handle;
}

/* free(handle): frees a handle once its running calls have ended. Freeing it again does nothing. */
napi_value handle_free(napi_env env, napi_callback_info info) {
    size_t count = 1;
    napi_value value;
    box *found = NULL;
    if (napi_get_cb_info(env, info, &count, &value, NULL, NULL) != napi_ok || count != 1
        || napi_get_value_external(env, value, (void **)&found) != napi_ok || found == NULL) {
        napi_throw_type_error(env, NULL, "free() takes a handle");
        return NULL;
    }
    if (found->handle != NULL) {
        release(found->handle);
        found->handle = NULL;
    }
    return NULL;
}

/* free_and_wait(handle): like free(). Returns a promise that is resolved when the handle is freed. */
napi_value handle_free_and_wait(napi_env env, napi_callback_info info) {
    size_t count = 1;
    napi_value value, promise;
    box *found = NULL;
    napi_deferred freed;
    if (napi_get_cb_info(env, info, &count, &value, NULL, NULL) != napi_ok || count != 1
        || napi_get_value_external(env, value, (void **)&found) != napi_ok || found == NULL) {
        napi_throw_type_error(env, NULL, "free_and_wait() takes a handle");
        return NULL;
    }
    if (napi_create_promise(env, &freed, &promise) != napi_ok)
        return NULL;
    handle *of = found->handle;
    found->handle = NULL;
    if (of == NULL || of->is_released) {
        napi_value nothing;
        napi_get_undefined(env, &nothing);
        napi_resolve_deferred(env, freed, nothing);
    } else {
        of->freed = freed;
        release(of);
    }
    return promise;
}

/* At the end of the instance: frees what belongs to the library. The values are collected later. */
void handles_free_all(instance *of) {
    for (handle *at = of->handles; at != NULL; at = at->next) {
        if (at->pointer != NULL && at->owner == NULL)
            at->type->free(at->pointer);
        at->pointer = NULL;
    }
}
