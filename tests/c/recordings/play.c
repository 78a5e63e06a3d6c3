/* Plays one scenario: creates its client, makes its calls, and reports their outcomes. */
#include "runner.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The state of a scenario. */
typedef struct runner {
    json_t *settings;
    recto_client *client;
    recto_operation *operation;
    char *result_id; /* of the last result that was waited for */
    char *token;
    text log;
    pthread_mutex_t log_lock;
} runner;

/* The state of one call. */
typedef struct step {
    runner *runner;
    json_t *call;
    recto_call *settings;
    recto_error *error;
    json_t *progress;
    const char *stop_at_phase;
} step;

static const char *text_of(json_t *object, const char *name) {
    return json_string_value(json_object_get(object, name));
}

/* JSON null for NULL. */
static json_t *nullable(const char *text) {
    return text == NULL ? json_null() : json_string(text);
}

static void note(runner *runner, const char *line) {
    pthread_mutex_lock(&runner->log_lock);
    text_add(&runner->log, line);
    text_add(&runner->log, "\n");
    pthread_mutex_unlock(&runner->log_lock);
}

static void on_log(int32_t level, const char *message, void *of) {
    (void)level;
    note(of, message);
}

/* The client. */

static const char *const SETTINGS[][2] = {
    {"baseUrl", "base_url"},
    {"apiKey", "api_key"},
    {"timeoutMs", "timeout_ms"},
    {"connectTimeoutMs", "connect_timeout_ms"},
    {"stallTimeoutMs", "stall_timeout_ms"},
    {"waitTimeoutMs", "wait_timeout_ms"},
    {"retries", "retries"},
    {"retryUnknown", "retry_unknown"},
    {"allowHttp", "allow_http"},
    {"proxy", "proxy"},
    {"caBundle", "ca_bundle"},
    {"clientCertificate", "client_certificate"},
    {"userAgent", "user_agent"},
    {"jsonLimit", "json_limit"},
};

static recto_status set_config(recto_config *config, const char *name, json_t *value, recto_error **error) {
    if (json_is_string(value))
        return recto_config_set(config, name, json_string_value(value), error);
    char *written = or_die(json_dumps(value, JSON_ENCODE_ANY));
    recto_status status = recto_config_set(config, name, written, error);
    free(written);
    return status;
}

static recto_status configure(runner *runner, json_t *settings, recto_config *config, recto_error **error) {
    recto_status status = recto_config_set_log(config, RECTO_LOG_TRACE, on_log, runner, NULL, error);
    for (size_t at = 0; status == RECTO_OK && at < sizeof SETTINGS / sizeof *SETTINGS; at++) {
        json_t *value = json_object_get(settings, SETTINGS[at][0]);
        if (value != NULL)
            status = set_config(config, SETTINGS[at][1], value, error);
    }
    const char *name;
    json_t *value;
    json_object_foreach(json_object_get(settings, "headers"), name, value) {
        if (status == RECTO_OK)
            status = recto_config_set_header(config, name, json_string_value(value), error);
    }
    return status;
}

static recto_status connect_client(runner *runner, const char *base_url, recto_error **error) {
    json_t *environment = json_object_get(runner->settings, "environment");
    const char *name;
    json_t *value;
    json_object_foreach(environment, name, value)
        setenv(name, json_string_value(value), 1);
    recto_config *config = NULL;
    recto_status status = recto_config_new(&config, error);
    if (status == RECTO_OK)
        status = configure(runner, runner->settings, config, error);
    if (status == RECTO_OK && base_url != NULL)
        status = recto_config_set(config, "base_url", base_url, error);
    if (status == RECTO_OK)
        status = recto_client_new(config, &runner->client, error);
    recto_config_free(config);
    json_object_foreach(environment, name, value)
        unsetenv(name);
    if (status == RECTO_OK)
        note(runner, recto_client_base_url(runner->client));
    return status;
}

/* Sources. */

static text read_file(const char *path) {
    text content = {NULL, 0};
    text_add(&content, "");
    FILE *file = fopen(path, "rb");
    char buffer[65536];
    size_t length;
    while (file != NULL && (length = fread(buffer, 1, sizeof buffer, file)) > 0)
        text_add_bytes(&content, buffer, length);
    if (file != NULL)
        fclose(file);
    return content;
}

static int64_t read_on(void *buffer, size_t size, void *file) {
    size_t length = fread(buffer, 1, size, file);
    return ferror((FILE *)file) ? -1 : (int64_t)length;
}

static int64_t length_of(FILE *file) {
    fseek(file, 0, SEEK_END);
    int64_t length = ftell(file);
    rewind(file);
    return length;
}

/* The outcomes of the calls. */

static json_t *started(runner *runner, recto_operation *operation) {
    recto_operation_free(runner->operation);
    runner->operation = operation;
    return json_pack("{ss ss ss}", "operationId", recto_operation_id(operation), "operation",
                     recto_operation_name(operation), "operationType", recto_operation_type(operation));
}

static json_t *do_upload(step *step) {
    const recto_client *client = step->runner->client;
    const char *from = text_of(step->call, "from"), *path = text_of(step->call, "file");
    const char *name = text_of(step->call, "name");
    char *id = NULL;
    if (strcmp(from, "path") == 0) {
        recto_upload_path(client, path, step->settings, &id, &step->error);
    } else if (strcmp(from, "bytes") == 0) {
        text content = read_file(path);
        recto_upload_data(client, content.bytes, content.length, name, step->settings, &id, &step->error);
        free(content.bytes);
    } else {
        FILE *file = or_die(fopen(path, "rb"));
        int64_t length = strcmp(from, "sizedReader") == 0 ? length_of(file) : -1;
        recto_upload_stream(client, read_on, file, length, name, step->settings, &id, &step->error);
        fclose(file);
    }
    json_t *ok = json_pack("{so}", "fileId", nullable(id));
    recto_free(id);
    return ok;
}

static json_t *do_start(step *step) {
    const recto_client *client = step->runner->client;
    const char *from = text_of(step->call, "from"), *path = text_of(step->call, "file");
    const char *name = text_of(step->call, "name"), *kind = text_of(step->call, "operation");
    json_t *given = json_object_get(step->call, "options");
    char *options = given == NULL ? NULL : or_die(json_dumps(given, JSON_ENCODE_ANY));
    recto_operation *operation = NULL;
    if (strcmp(from, "path") == 0) {
        recto_start_path(client, kind, path, options, step->settings, &operation, &step->error);
    } else if (strcmp(from, "fileId") == 0) {
        const char *id = text_of(step->call, "fileId");
        recto_start(client, kind, id, options, step->settings, &operation, &step->error);
    } else if (strcmp(from, "operation") == 0) {
        recto_start_chained(client, kind, step->runner->operation, options, step->settings, &operation, &step->error);
    } else if (strcmp(from, "result") == 0) {
        const char *id = step->runner->result_id;
        recto_start(client, kind, id, options, step->settings, &operation, &step->error);
    } else if (strcmp(from, "bytes") == 0) {
        text content = read_file(path);
        recto_start_data(client, kind, content.bytes, content.length, name, options, step->settings, &operation,
                         &step->error);
        free(content.bytes);
    } else {
        FILE *file = or_die(fopen(path, "rb"));
        int64_t length = strcmp(from, "sizedReader") == 0 ? length_of(file) : -1;
        recto_start_stream(client, kind, read_on, file, length, name, options, step->settings, &operation,
                           &step->error);
        fclose(file);
    }
    free(options);
    return operation == NULL ? NULL : started(step->runner, operation);
}

static json_t *do_run(step *step) {
    recto_call_set_unchecked(step->settings, 1, &step->error);
    return do_start(step);
}

static json_t *do_resume(step *step) {
    const char *token = text_of(step->call, "token");
    if (token == NULL)
        token = step->runner->token;
    recto_operation *operation = NULL;
    recto_resume(step->runner->client, token, &operation, &step->error);
    return operation == NULL ? NULL : started(step->runner, operation);
}

static json_t *do_upload_url(step *step) {
    char *id = NULL;
    recto_upload_url(step->runner->client, text_of(step->call, "url"), step->settings, &id, &step->error);
    json_t *ok = json_pack("{so}", "fileId", nullable(id));
    recto_free(id);
    return ok;
}

static json_t *record(const recto_file *file) {
    return json_pack("{so so so so so}", "id", nullable(recto_file_id(file)), "createdAt",
                     nullable(recto_file_created_at(file)), "origin", nullable(recto_file_origin(file)), "name",
                     nullable(recto_file_name(file)), "extension", nullable(recto_file_extension(file)));
}

static json_t *records(recto_file_list *list) {
    json_t *files = json_array();
    for (size_t at = 0; at < recto_file_list_count(list); at++)
        json_array_append_new(files, record(recto_file_list_at(list, at)));
    recto_file_list_free(list);
    return json_pack("{so}", "files", files);
}

static json_t *do_list(step *step) {
    bool only = json_is_true(json_object_get(step->call, "onlyResultFiles"));
    recto_file_list *list = NULL;
    recto_file_list_get(step->runner->client, only, step->settings, &list, &step->error);
    return records(list);
}

static json_t *do_get(step *step) {
    recto_file *file = NULL;
    recto_file_get(step->runner->client, text_of(step->call, "fileId"), step->settings, &file, &step->error);
    json_t *ok = record(file);
    recto_file_free(file);
    return ok;
}

static json_t *do_delete(step *step) {
    recto_file_list *list = NULL;
    recto_file_delete(step->runner->client, text_of(step->call, "fileId"), step->settings, &list, &step->error);
    return records(list);
}

static json_t *do_status(step *step) {
    char *status = NULL;
    recto_operation_status(step->runner->operation, step->settings, &status, &step->error);
    json_t *ok = json_pack("{so}", "status", nullable(status));
    recto_free(status);
    return ok;
}

static json_t *output(const recto_result *result) {
    if (!recto_result_has_output(result))
        return json_null();
    return json_pack("{so so so}", "fileId", nullable(recto_result_output_file_id(result)), "name",
                     nullable(recto_result_output_name(result)), "url", nullable(recto_result_output_url(result)));
}

static json_t *validation(const recto_result *result) {
    if (!recto_result_has_validation(result))
        return json_null();
    json_t *errors = json_array();
    for (size_t at = 0; at < recto_result_error_count(result); at++)
        json_array_append_new(errors, json_string(recto_result_error_at(result, at)));
    int32_t conforming = recto_result_is_conforming(result);
    return json_pack("{so so so}", "isConforming", conforming < 0 ? json_null() : json_boolean(conforming), "errors",
                     errors, "conformance", nullable(recto_result_conformance(result)));
}

static json_t *do_wait(step *step) {
    recto_result *result = NULL;
    recto_operation_wait(step->runner->operation, step->settings, &result, &step->error);
    if (result == NULL)
        return NULL;
    const char *id = recto_result_output_file_id(result);
    if (id != NULL) {
        free(step->runner->result_id);
        step->runner->result_id = or_die(strdup(id));
    }
    json_t *raw = json_loads(recto_result_json(result), JSON_ALLOW_NUL, NULL);
    json_t *ok = json_pack("{so so so so so}", "operationType", nullable(recto_result_operation_type(result)),
                           "status", nullable(recto_result_status(result)), "output", output(result), "validation",
                           validation(result), "raw", raw);
    recto_result_free(result);
    return ok;
}

static json_t *do_save(step *step) {
    char *saved = NULL;
    recto_operation_save(step->runner->operation, text_of(step->call, "to"), step->settings, &saved, &step->error);
    json_t *ok = json_pack("{so}", "path", nullable(saved));
    recto_free(saved);
    return ok;
}

static int32_t write_on(const void *data, size_t length, void *file) {
    return fwrite(data, 1, length, file) == length ? 0 : 1;
}

static json_t *do_read(step *step) {
    void *data = NULL;
    size_t length = 0;
    recto_operation_read(step->runner->operation, step->settings, &data, &length, &step->error);
    if (step->error == NULL) {
        FILE *file = or_die(fopen(text_of(step->call, "to"), "wb"));
        write_on(data, length, file);
        fclose(file);
    }
    recto_free(data);
    return json_pack("{sI}", "bytes", (json_int_t)length);
}

static json_t *do_write_to(step *step) {
    uint64_t length = 0;
    FILE *file = or_die(fopen(text_of(step->call, "to"), "wb"));
    recto_operation_stream(step->runner->operation, write_on, file, step->settings, &length, &step->error);
    fclose(file);
    if (step->error != NULL)
        remove(text_of(step->call, "to"));
    return json_pack("{sI}", "bytes", (json_int_t)length);
}

static void keep_token(runner *runner, const char *token) {
    free(runner->token);
    runner->token = or_die(strdup(token));
}

static json_t *do_token(step *step) {
    keep_token(step->runner, recto_operation_token(step->runner->operation));
    return json_pack("{ss}", "token", step->runner->token);
}

static json_t *do_delete_operation(step *step) {
    recto_operation_delete(step->runner->operation, step->settings, &step->error);
    return json_object();
}

static json_t *do_with_options(step *step) {
    runner *runner = step->runner;
    recto_config *config = NULL;
    recto_client *copy = NULL;
    recto_config_new(&config, NULL);
    if (configure(runner, json_object_get(step->call, "changes"), config, &step->error) == RECTO_OK
        && recto_client_with(runner->client, config, &copy, &step->error) == RECTO_OK) {
        recto_client_free(runner->client);
        runner->client = copy;
    }
    recto_config_free(config);
    return json_object();
}

static json_t *do_close(step *step) {
    recto_client_close(step->runner->client);
    return json_object();
}

static const struct {
    const char *op;
    json_t *(*make)(step *);
} OPS[] = {
    {"upload", do_upload}, {"uploadUrl", do_upload_url}, {"list", do_list},     {"get", do_get},
    {"delete", do_delete}, {"start", do_start},          {"resume", do_resume}, {"status", do_status},
    {"wait", do_wait},     {"save", do_save},            {"read", do_read},     {"writeTo", do_write_to},
    {"token", do_token},   {"close", do_close},          {"run", do_run},       {"withOptions", do_with_options},
    {"deleteOperation", do_delete_operation},
};

/* The names of errors. */

static const struct {
    recto_status status;
    const char *kind;
} KINDS[] = {
    {RECTO_E_INVALID, "InvalidRequest"},
    {RECTO_E_CONFIG, "ConfigError"},
    {RECTO_E_AUTH, "AuthError"},
    {RECTO_E_PERMISSION, "PermissionDenied"},
    {RECTO_E_NOT_FOUND, "NotFound"},
    {RECTO_E_RATE_LIMITED, "RateLimited"},
    {RECTO_E_TOO_LARGE, "PayloadTooLarge"},
    {RECTO_E_SERVER, "ServerError"},
    {RECTO_E_TRANSPORT, "TransportError"},
    {RECTO_E_TIMEOUT, "RequestTimeout"},
    {RECTO_E_WAIT_TIMEOUT, "WaitTimeout"},
    {RECTO_E_OPERATION_FAILED, "OperationFailed"},
    {RECTO_E_OUTCOME_UNKNOWN, "OutcomeUnknown"},
    {RECTO_E_PROTOCOL, "ProtocolError"},
    {RECTO_E_CANCELLED, "Cancelled"},
    {RECTO_E_IO, "IoError"},
};

static const char *kind_of(recto_status status) {
    for (size_t at = 0; at < sizeof KINDS / sizeof *KINDS; at++)
        if (KINDS[at].status == status)
            return KINDS[at].kind;
    return recto_status_name(status);
}

static void set_number(json_t *fields, const char *name, int64_t number, int64_t missing) {
    if (number != missing)
        json_object_set_new(fields, name, json_integer(number));
}

static json_t *error_report(runner *runner, const recto_error *error) {
    const struct {
        const char *name, *value;
    } texts[] = {
        {"code", recto_error_code(error)},
        {"title", recto_error_title(error)},
        {"detail", recto_error_detail(error)},
        {"requestId", recto_error_request_id(error)},
        {"operationId", recto_error_operation_id(error)},
        {"method", recto_error_method(error)},
        {"url", recto_error_url(error)},
        {"body", recto_error_body(error)},
        {"token", recto_error_token(error)},
    };
    json_t *fields = json_object();
    for (size_t at = 0; at < sizeof texts / sizeof *texts; at++) {
        json_object_set_new(fields, texts[at].name, nullable(texts[at].value));
        if (texts[at].value != NULL)
            note(runner, texts[at].value);
    }
    set_number(fields, "status", recto_error_http_status(error), 0);
    set_number(fields, "attempts", recto_error_attempts(error), -1);
    set_number(fields, "retryAfterMs", recto_error_retry_after_ms(error), -1);
    if (recto_error_phase(error) != 0)
        json_object_set_new(fields, "phase", json_string(recto_phase_name(recto_error_phase(error))));
    json_object_set_new(fields, "retryable", json_boolean(recto_error_is_retryable(error)));
    note(runner, recto_error_message(error));
    if (recto_error_token(error) != NULL)
        keep_token(runner, recto_error_token(error));
    return json_pack("{ss ss so}", "kind", kind_of(recto_error_status(error)), "message", recto_error_message(error),
                     "fields", fields);
}

/* Making one call. */

static int32_t on_progress(int32_t phase, int64_t done, int64_t total, void *of) {
    step *step = of;
    json_t *report = json_pack("{ss sI so}", "phase", recto_phase_name(phase), "done", (json_int_t)done, "total",
                               total < 0 ? json_null() : json_integer(total));
    json_array_append_new(step->progress, report);
    return step->stop_at_phase != NULL && strcmp(step->stop_at_phase, recto_phase_name(phase)) == 0;
}

static void trigger(void *cancel) {
    recto_cancel_trigger(cancel);
}

static void close_client(void *client) {
    recto_client_close(client);
}

static timer *timer_of(json_t *call, const char *name, void (*act)(void *), void *target) {
    json_t *after = json_object_get(call, name);
    return after == NULL ? NULL : timer_start(json_integer_value(after), act, target);
}

static json_t *make(step *step) {
    json_t *call = step->call;
    const char *op = text_of(call, "op");
    runner *runner = step->runner;
    if (strcmp(op, "newClient") == 0) {
        recto_operation_free(runner->operation);
        recto_client_free(runner->client);
        runner->operation = NULL;
        runner->client = NULL;
        connect_client(runner, text_of(call, "baseUrl"), &step->error);
        return json_object();
    }
    if (runner->client == NULL && connect_client(runner, NULL, &step->error) != RECTO_OK)
        return NULL;
    recto_cancel *cancel = NULL;
    recto_cancel_new(&cancel, NULL);
    recto_call_set_cancel(step->settings, cancel, NULL);
    recto_call_set_progress(step->settings, on_progress, step, NULL);
    recto_call_set_force(step->settings, json_is_true(json_object_get(call, "force")), NULL);
    recto_call_set_overwrite(step->settings, !json_is_false(json_object_get(call, "overwrite")), NULL);
    recto_call_set_delete_after(step->settings, json_is_true(json_object_get(call, "deleteAfter")), NULL);
    const char *name;
    json_t *value;
    json_object_foreach(json_object_get(call, "headers"), name, value) {
        if (step->error == NULL)
            recto_call_set_header(step->settings, name, json_string_value(value), &step->error);
    }
    json_t *extra = json_object_get(call, "extraOptions");
    if (extra != NULL && step->error == NULL) {
        char *options = or_die(json_dumps(extra, 0));
        recto_call_set_extra_options(step->settings, options, &step->error);
        free(options);
    }
    json_t *timeout = json_object_get(call, "timeoutMs"), *wait = json_object_get(call, "waitTimeoutMs");
    if (timeout != NULL)
        recto_call_set_timeout(step->settings, json_integer_value(timeout), &step->error);
    if (wait != NULL)
        recto_call_set_wait_timeout(step->settings, json_integer_value(wait), &step->error);
    timer *canceller = timer_of(call, "cancelAfterMs", trigger, cancel);
    timer *closer = timer_of(call, "closeAfterMs", close_client, runner->client);
    json_t *ok = NULL;
    for (size_t at = 0; step->error == NULL && at < sizeof OPS / sizeof *OPS; at++)
        if (strcmp(OPS[at].op, op) == 0)
            ok = OPS[at].make(step);
    timer_stop(canceller);
    timer_stop(closer);
    recto_cancel_free(cancel);
    return ok;
}

static int64_t now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static json_t *run_step(runner *runner, json_t *call) {
    step step = {.runner = runner, .call = call, .progress = json_array(), .stop_at_phase = text_of(call, "stopAtPhase")};
    recto_call_new(&step.settings, NULL);
    int64_t began = now_ms();
    json_t *ok = make(&step), *report = json_object();
    json_object_set_new(report, "elapsedMs", json_integer(now_ms() - began));
    if (step.error != NULL)
        json_object_set_new(report, "error", error_report(runner, step.error));
    else if (ok != NULL)
        json_object_set(report, "ok", ok);
    if (json_is_true(json_object_get(call, "progress")))
        json_object_set(report, "progress", step.progress);
    json_decref(ok);
    json_decref(step.progress);
    recto_error_free(step.error);
    recto_call_free(step.settings);
    return report;
}

json_t *play(json_t *prepared) {
    runner runner = {.settings = json_object_get(prepared, "client"), .log_lock = PTHREAD_MUTEX_INITIALIZER};
    json_t *steps = json_array(), *call;
    size_t index;
    json_array_foreach(json_object_get(prepared, "calls"), index, call)
        json_array_append_new(steps, run_step(&runner, call));
    recto_operation_free(runner.operation);
    recto_client_free(runner.client);
    text_add(&runner.log, "");
    json_t *outcome = json_pack("{so ss}", "steps", steps, "log", runner.log.bytes);
    free(runner.log.bytes);
    free(runner.token);
    free(runner.result_id);
    return or_die(outcome);
}
