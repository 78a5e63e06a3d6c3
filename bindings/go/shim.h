/* Functions in C that do several steps of recto.h in one call from Go, because each call from Go to C has a cost. */
#ifndef RECTO_GO_SHIM_H
#define RECTO_GO_SHIM_H

#include <recto.h>
#include <stdint.h>
#include <stdlib.h>

/* The callbacks in callbacks.go. `userdata` is the number of a cgo.Handle. */
extern int32_t rectoGoProgress(int32_t phase, int64_t done, int64_t total, void *userdata);
extern int64_t rectoGoRead(void *buffer, size_t size, void *userdata);
extern int32_t rectoGoWrite(void *data, size_t length, void *userdata);
extern void rectoGoLog(int32_t level, char *message, void *userdata);
extern void rectoGoDrop(void *userdata);

/* The settings of a call. */
typedef struct {
    int64_t timeout_ms, wait_timeout_ms;
    int32_t has_timeout, has_wait_timeout, force, keep_existing, delete_after, unchecked, with_cancel;
    uintptr_t progress; /* 0 for none */
} recto_go_settings;

/* The objects of a call, freed with recto_go_unbind(), also after a failure. */
typedef struct {
    recto_call *call;
    recto_cancel *cancel;
} recto_go_bound;

static inline recto_status recto_go_bind(const recto_go_settings *settings, recto_go_bound *bound, recto_error **err) {
    recto_status status = recto_call_new(&bound->call, err);
    recto_call *call = bound->call;
    if (status >= 0 && settings->with_cancel) {
        status = recto_cancel_new(&bound->cancel, err);
        if (status >= 0)
            status = recto_call_set_cancel(call, bound->cancel, err);
    }
    if (status >= 0 && settings->has_timeout)
        status = recto_call_set_timeout(call, settings->timeout_ms, err);
    if (status >= 0 && settings->has_wait_timeout)
        status = recto_call_set_wait_timeout(call, settings->wait_timeout_ms, err);
    if (status >= 0 && settings->force)
        status = recto_call_set_force(call, 1, err);
    if (status >= 0 && settings->keep_existing)
        status = recto_call_set_overwrite(call, 0, err);
    if (status >= 0 && settings->delete_after)
        status = recto_call_set_delete_after(call, 1, err);
    if (status >= 0 && settings->unchecked)
        status = recto_call_set_unchecked(call, 1, err);
    if (status >= 0 && settings->progress != 0)
        status = recto_call_set_progress(call, rectoGoProgress, (void *)settings->progress, err);
    return status;
}

static inline void recto_go_unbind(recto_go_bound *bound) {
    recto_call_free(bound->call);
    recto_cancel_free(bound->cancel);
}

static inline recto_status recto_go_set_log(recto_config *config, int32_t level, uintptr_t handle, recto_error **err) {
    return recto_config_set_log(config, level, (recto_log_fn)rectoGoLog, (void *)handle, rectoGoDrop, err);
}

static inline recto_status recto_go_start_stream(const recto_client *client, const char *operation, uintptr_t handle,
                                                 int64_t length, const char *name, const char *options,
                                                 const recto_call *call, recto_operation **out, recto_error **err) {
    return recto_start_stream(client, operation, rectoGoRead, (void *)handle, length, name, options, call, out, err);
}

static inline recto_status recto_go_upload_stream(const recto_client *client, uintptr_t handle, int64_t length,
                                                  const char *name, const recto_call *call, char **out,
                                                  recto_error **err) {
    return recto_upload_stream(client, rectoGoRead, (void *)handle, length, name, call, out, err);
}

static inline recto_status recto_go_operation_stream(const recto_operation *operation, uintptr_t handle,
                                                     const recto_call *call, uint64_t *length, recto_error **err) {
    return recto_operation_stream(operation, (recto_write_fn)rectoGoWrite, (void *)handle, call, length, err);
}

/* The fields of an error. */
typedef struct {
    const char *message, *advice, *method, *url, *code, *title, *detail, *request_id, *operation_id, *document, *token,
        *body;
    int64_t retry_after_ms;
    uint32_t attempts;
    int32_t status, phase, http_status, retryable;
} recto_go_error;

static inline void recto_go_read_error(const recto_error *error, recto_go_error *out) {
    out->message = recto_error_message(error);
    out->advice = recto_error_advice(error);
    out->method = recto_error_method(error);
    out->url = recto_error_url(error);
    out->code = recto_error_code(error);
    out->title = recto_error_title(error);
    out->detail = recto_error_detail(error);
    out->request_id = recto_error_request_id(error);
    out->operation_id = recto_error_operation_id(error);
    out->document = recto_error_document(error);
    out->token = recto_error_token(error);
    out->body = recto_error_body(error);
    out->retry_after_ms = recto_error_retry_after_ms(error);
    out->attempts = recto_error_attempts(error);
    out->status = recto_error_status(error);
    out->phase = recto_error_phase(error);
    out->http_status = recto_error_http_status(error);
    out->retryable = recto_error_is_retryable(error);
}

/* The fields of the record of a file. */
typedef struct {
    const char *id, *created_at, *origin, *name, *extension;
} recto_go_file;

static inline void recto_go_read_file(const recto_file *file, recto_go_file *out) {
    out->id = recto_file_id(file);
    out->created_at = recto_file_created_at(file);
    out->origin = recto_file_origin(file);
    out->name = recto_file_name(file);
    out->extension = recto_file_extension(file);
}

static inline void recto_go_read_file_at(const recto_file_list *list, size_t index, recto_go_file *out) {
    recto_go_read_file(recto_file_list_at(list, index), out);
}

/* The fields of an operation. */
typedef struct {
    const char *id, *name, *type, *request_id;
} recto_go_operation;

static inline void recto_go_read_operation(const recto_operation *operation, recto_go_operation *out) {
    out->id = recto_operation_id(operation);
    out->name = recto_operation_name(operation);
    out->type = recto_operation_type(operation);
    out->request_id = recto_operation_request_id(operation);
}

/* The fields of a result, without the findings of a validation. */
typedef struct {
    const char *operation_type, *status, *file_id, *name, *url, *conformance, *request_id, *json;
    size_t findings;
    int32_t has_output, has_validation, is_conforming;
} recto_go_result;

static inline void recto_go_read_result(const recto_result *result, recto_go_result *out) {
    out->operation_type = recto_result_operation_type(result);
    out->status = recto_result_status(result);
    out->file_id = recto_result_output_file_id(result);
    out->name = recto_result_output_name(result);
    out->url = recto_result_output_url(result);
    out->conformance = recto_result_conformance(result);
    out->request_id = recto_result_request_id(result);
    out->json = recto_result_json(result);
    out->findings = recto_result_error_count(result);
    out->has_output = recto_result_has_output(result);
    out->has_validation = recto_result_has_validation(result);
    out->is_conforming = recto_result_is_conforming(result);
}

#endif
