/*
 * Misuse of the library by its caller: misuse CASE [DOCUMENT FOLDER]. Each case must succeed, without a report of a
 * sanitizer and without a hang. It uses the embedded service.
 */
#include <pthread.h>
#include <recto.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char *document = "", *folder = "";

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                                            \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

/* Checks that the status of a call is `wanted`; otherwise prints the message of the error. */
#define GIVES(wanted, call)                                                                                            \
    do {                                                                                                               \
        recto_error *error = NULL;                                                                                     \
        recto_status got = call;                                                                                       \
        if (got != (wanted) || (got != RECTO_OK) != (error != NULL) || recto_error_status(error) != got) {             \
            fprintf(stderr, "%s:%d: %s gave %s: %s\n", __FILE__, __LINE__, #call, recto_status_name(got),              \
                    recto_error_message(error));                                                                       \
            exit(1);                                                                                                   \
        }                                                                                                              \
        recto_error_free(error);                                                                                       \
    } while (0)

static recto_client *embedded(void) {
    recto_client *client = NULL;
    GIVES(RECTO_OK, recto_client_new(NULL, &client, &error));
    return client;
}

static recto_operation *optimize(recto_client *client) {
    recto_operation *operation = NULL;
    GIVES(RECTO_OK, recto_start_path(client, RECTO_OPTIMIZE, document, NULL, NULL, &operation, &error));
    return operation;
}

static void bad_utf8(void) {
    const char *bad = "a\xff\xc3(";
    recto_client *client = embedded();
    recto_config *config = NULL;
    recto_operation *operation = NULL;
    recto_file *file = NULL;
    char *id = NULL;
    GIVES(RECTO_OK, recto_config_new(&config, &error));
    GIVES(RECTO_E_INVALID, recto_config_set(config, "api_key", bad, &error));
    GIVES(RECTO_E_INVALID, recto_config_set(config, bad, "x", &error));
    GIVES(RECTO_E_INVALID, recto_file_get(client, bad, NULL, &file, &error));
    GIVES(RECTO_E_INVALID, recto_upload_data(client, "x", 1, bad, NULL, &id, &error));
    GIVES(RECTO_E_INVALID, recto_upload_url(client, bad, NULL, &id, &error));
    GIVES(RECTO_E_INVALID, recto_start(client, bad, "x", NULL, NULL, &operation, &error));
    GIVES(RECTO_E_INVALID, recto_start(client, RECTO_OPTIMIZE, "x", bad, NULL, &operation, &error));
    GIVES(RECTO_E_INVALID, recto_resume(client, bad, &operation, &error));
    /* Paths can be any bytes: this file does not exist. */
    GIVES(RECTO_E_IO, recto_upload_path(client, bad, NULL, &id, &error));
    recto_config_free(config);
    recto_client_free(client);
}

static void invalid_values(void) {
    recto_client *client = embedded();
    recto_operation *operation = NULL;
    recto_call *call = NULL;
    recto_local *local = NULL;
    recto_file *file = NULL;
    char *id = NULL;
    GIVES(RECTO_E_INVALID, recto_start(client, "shrink", "x", NULL, NULL, &operation, &error));
    GIVES(RECTO_E_INVALID, recto_start(client, RECTO_OPTIMIZE, "x", "{", NULL, &operation, &error));
    GIVES(RECTO_E_INVALID, recto_start(client, RECTO_OPTIMIZE, "x", "[]", NULL, &operation, &error));
    GIVES(RECTO_E_NOT_FOUND, recto_start(client, RECTO_OPTIMIZE, "../x", NULL, NULL, &operation, &error));
    GIVES(RECTO_E_INVALID, recto_file_get(client, "..", NULL, &file, &error));
    GIVES(RECTO_E_INVALID, recto_file_get(client, "", NULL, &file, &error));
    GIVES(RECTO_E_INVALID, recto_resume(client, "", &operation, &error));
    GIVES(RECTO_E_INVALID, recto_upload_data(client, "x", SIZE_MAX, "a.pdf", NULL, &id, &error));
    GIVES(RECTO_E_INVALID, recto_upload_data(client, "x", (size_t)PTRDIFF_MAX + 1, "a.pdf", NULL, &id, &error));
    GIVES(RECTO_E_NULL, recto_upload_data(client, NULL, 1, "a.pdf", NULL, &id, &error));
    GIVES(RECTO_OK, recto_upload_data(client, NULL, 0, "a.pdf", NULL, &id, &error));
    recto_free(id);
    GIVES(RECTO_OK, recto_call_new(&call, &error));
    GIVES(RECTO_E_INVALID, recto_call_set_timeout(call, 0, &error));
    GIVES(RECTO_E_INVALID, recto_call_set_timeout(call, INT64_MIN, &error));
    GIVES(RECTO_E_INVALID, recto_call_set_wait_timeout(call, -2, &error));
    GIVES(RECTO_OK, recto_call_set_wait_timeout(call, INT64_MAX, &error));
    GIVES(RECTO_E_INVALID, recto_local_start("{\"prot\": 1}", &local, &error));
    CHECK(strcmp(recto_status_name(12345), "RECTO_E_UNKNOWN") == 0);
    CHECK(strcmp(recto_phase_name(-1), "unknown") == 0);
    /* The error object is optional. */
    CHECK(recto_start(client, "shrink", "x", NULL, NULL, &operation, NULL) == RECTO_E_INVALID);
    recto_call_free(call);
    recto_client_free(client);
}

static int32_t stop(int32_t phase, int64_t done, int64_t total, void *calls) {
    (void)phase, (void)done, (void)total;
    return ++*(int *)calls == 2;
}

static int64_t return_too_much(void *buffer, size_t size, void *unused) {
    (void)buffer, (void)unused;
    return (int64_t)size + 1;
}

static int64_t give_up(void *buffer, size_t size, void *unused) {
    (void)buffer, (void)size, (void)unused;
    return -1;
}

static int32_t refuse(const void *data, size_t length, void *unused) {
    (void)data, (void)length, (void)unused;
    return 1;
}

static void callbacks(void) {
    recto_client *client = embedded();
    recto_operation *operation = optimize(client);
    recto_call *call = NULL;
    recto_cancel *cancel = NULL;
    recto_result *result = NULL;
    char *id = NULL;
    int calls = 0;
    GIVES(RECTO_E_IO, recto_upload_stream(client, return_too_much, NULL, -1, "a.pdf", NULL, &id, &error));
    GIVES(RECTO_E_IO, recto_upload_stream(client, return_too_much, NULL, 9, "a.pdf", NULL, &id, &error));
    GIVES(RECTO_E_CANCELLED, recto_upload_stream(client, give_up, NULL, -1, "a.pdf", NULL, &id, &error));
    GIVES(RECTO_E_NULL, recto_upload_stream(client, NULL, NULL, -1, "a.pdf", NULL, &id, &error));
    GIVES(RECTO_E_INVALID, recto_upload_stream(client, give_up, NULL, -2, "a.pdf", NULL, &id, &error));
    GIVES(RECTO_E_CANCELLED, recto_operation_stream(operation, refuse, NULL, NULL, NULL, &error));
    GIVES(RECTO_OK, recto_call_new(&call, &error));
    GIVES(RECTO_OK, recto_call_set_progress(call, stop, &calls, &error));
    /* Connections are closed while a body is sent: SIGPIPE must not end the process. */
    for (int round = 0; round < 25; round++) {
        calls = 0;
        GIVES(RECTO_E_CANCELLED, recto_upload_path(client, document, call, &id, &error));
        CHECK(calls == 2 && id == NULL);
    }
    GIVES(RECTO_OK, recto_call_set_progress(call, NULL, NULL, &error));
    GIVES(RECTO_OK, recto_upload_path(client, document, call, &id, &error));
    GIVES(RECTO_OK, recto_cancel_new(&cancel, &error));
    recto_cancel_trigger(cancel);
    GIVES(RECTO_OK, recto_call_set_cancel(call, cancel, &error));
    recto_cancel_free(cancel);
    GIVES(RECTO_E_CANCELLED, recto_operation_wait(operation, call, &result, &error));
    recto_client_close(client);
    recto_client_close(client);
    GIVES(RECTO_E_CONFIG, recto_operation_wait(operation, NULL, &result, &error));
    CHECK(result == NULL);
    recto_free(id);
    recto_call_free(call);
    recto_operation_free(operation);
    recto_client_free(client);
}

static void *use(void *of) {
    recto_client *client = of;
    for (int round = 0; round < 8; round++) {
        char *id = NULL;
        recto_file *file = NULL;
        recto_file_list *list = NULL;
        GIVES(RECTO_OK, recto_upload_data(client, "%PDF-1.4", 8, "a.pdf", NULL, &id, &error));
        GIVES(RECTO_OK, recto_file_get(client, id, NULL, &file, &error));
        CHECK(strcmp(recto_file_id(file), id) == 0 && strcmp(recto_file_name(file), "a.pdf") == 0);
        GIVES(RECTO_OK, recto_file_list_get(client, 0, NULL, &list, &error));
        CHECK(recto_file_list_count(list) > 0 && recto_file_list_at(list, recto_file_list_count(list)) == NULL);
        GIVES(RECTO_OK, recto_file_delete(client, id, NULL, NULL, &error));
        GIVES(RECTO_E_NOT_FOUND, recto_file_delete(client, id, NULL, NULL, &error));
        recto_file_free(file);
        recto_file_list_free(list);
        recto_free(id);
    }
    return NULL;
}

static void threads(void) {
    recto_client *client = embedded();
    pthread_t started[16];
    for (size_t at = 0; at < 16; at++)
        CHECK(pthread_create(&started[at], NULL, use, client) == 0);
    for (size_t at = 0; at < 16; at++)
        pthread_join(started[at], NULL);
    recto_client_free(client);
}

static void client_freed_first(void) {
    recto_client *client = embedded();
    recto_operation *operation = optimize(client);
    recto_client_free(client);
    recto_result *result = NULL;
    char *status = NULL, *saved = NULL;
    void *data = NULL;
    size_t length = 0;
    GIVES(RECTO_OK, recto_operation_status(operation, NULL, &status, &error));
    GIVES(RECTO_OK, recto_operation_wait(operation, NULL, &result, &error));
    GIVES(RECTO_OK, recto_operation_read(operation, NULL, &data, &length, &error));
    CHECK(length > 8 && memcmp(data, "%PDF-", 5) == 0);
    GIVES(RECTO_OK, recto_operation_save(operation, folder, NULL, &saved, &error));
    recto_operation_free(operation);
    /* Results do not depend on their operation. */
    CHECK(recto_result_has_output(result) && strstr(recto_result_json(result), "outputFile") != NULL);
    CHECK(recto_result_is_conforming(result) == -1 && recto_result_error_at(result, 0) == NULL);
    recto_result_free(result);
    recto_free(data);
    recto_free(status);
    recto_free(saved);
}

static recto_batch *batch_of(recto_client *client, const char *journal) {
    recto_batch *batch = NULL;
    GIVES(RECTO_OK, recto_batch_new(client, RECTO_OPTIMIZE, NULL, &batch, &error));
    GIVES(RECTO_E_CONFIG, recto_batch_set(batch, "tu", folder, &error));
    GIVES(RECTO_E_CONFIG, recto_batch_set(batch, "concurrency", "many", &error));
    GIVES(RECTO_OK, recto_batch_set(batch, "to", folder, &error));
    GIVES(RECTO_OK, recto_batch_set(batch, "journal", journal, &error));
    GIVES(RECTO_OK, recto_batch_add(batch, document, &error));
    GIVES(RECTO_OK, recto_batch_add(batch, "/no/such.pdf", &error));
    return batch;
}

static void forked(void) {
    recto_client *client = embedded();
    recto_operation *operation = optimize(client);
    recto_batch *batch = NULL;
    recto_batch_item *item = NULL;
    char journal[4096];
    snprintf(journal, sizeof journal, "%s/journal", folder);
    batch = batch_of(client, journal);
    while (recto_batch_next(batch, NULL, &item, NULL) == RECTO_OK)
        recto_batch_item_free(item);
    recto_batch_free(batch);
    /* Fork while the batch is running; only the thread of its journal is active. */
    batch = batch_of(client, journal);
    GIVES(RECTO_OK, recto_batch_next(batch, NULL, &item, &error));
    recto_batch_item_free(item);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        alarm(30);
        recto_result *result = NULL;
        char *id = NULL;
        GIVES(RECTO_E_FORKED, recto_upload_path(client, document, NULL, &id, &error));
        GIVES(RECTO_E_FORKED, recto_operation_wait(operation, NULL, &result, &error));
        GIVES(RECTO_E_FORKED, recto_batch_next(batch, NULL, &item, &error));
        recto_batch_free(batch);
        recto_operation_free(operation);
        recto_client_free(client);
        client = embedded();
        operation = optimize(client);
        GIVES(RECTO_OK, recto_operation_save(operation, folder, NULL, NULL, &error));
        recto_operation_free(operation);
        recto_client_free(client);
        _exit(0);
    }
    int status = -1;
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    recto_batch_free(batch);
    GIVES(RECTO_OK, recto_operation_save(operation, folder, NULL, NULL, &error));
    recto_operation_free(operation);
    recto_client_free(client);
}

static atomic_int lines, service_lines, drops;
static recto_client *log_client;

static void log_line(int32_t level, const char *line, void *userdata) {
    recto_file_list *list = NULL;
    CHECK(userdata == &lines && level >= RECTO_LOG_ERROR && level <= RECTO_LOG_TRACE && *line != '\0' && drops == 0);
    service_lines += strstr(line, "operation accepted") != NULL;
    /* A call from the callback is refused, whether the client still exists or not. */
    recto_client *other = NULL;
    GIVES(RECTO_E_INVALID, recto_client_new(NULL, &other, &error));
    if (log_client != NULL && service_lines == 0)
        GIVES(RECTO_E_INVALID, recto_file_list_get(log_client, 0, NULL, &list, &error));
    lines++;
}

static void drop(void *userdata) {
    CHECK(userdata == &lines);
    drops++;
}

static void logging(void) {
    recto_config *config = NULL;
    recto_client *client = NULL, *silent = NULL;
    GIVES(RECTO_OK, recto_config_new(&config, &error));
    GIVES(RECTO_E_INVALID, recto_config_set_log(config, 6, log_line, &lines, drop, &error));
    GIVES(RECTO_E_NULL, recto_config_set_log(config, RECTO_LOG_TRACE, NULL, &lines, drop, &error));
    CHECK(drops == 0);
    GIVES(RECTO_OK, recto_client_new(config, &silent, &error));
    recto_file_list *list = NULL;
    GIVES(RECTO_OK, recto_file_list_get(silent, 0, NULL, &list, &error));
    recto_file_list_free(list);
    list = NULL;
    GIVES(RECTO_OK, recto_config_set_log(config, RECTO_LOG_TRACE, log_line, &lines, drop, &error));
    GIVES(RECTO_OK, recto_client_new(config, &client, &error));
    recto_config_free(config);
    CHECK(lines == 0);
    log_client = client;
    recto_operation *operation = optimize(client);
    recto_client_free(client);
    CHECK(lines > 0 && drops == 0);
    GIVES(RECTO_OK, recto_operation_save(operation, folder, NULL, NULL, &error));
    /* The threads of the embedded service use the same log. */
    CHECK(service_lines > 0);
    recto_operation_free(operation);
    /* If a thread of the service is writing a line to the log, that thread drops the log a little later. */
    for (int round = 0; round < 1000 && drops == 0; round++)
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    CHECK(drops == 1);
    recto_client_free(silent);
    CHECK(drops == 1);
}

/* A setting or a document that comes too late is refused, and the rest of the batch is still processed. */
static void late_settings(void) {
    recto_client *client = embedded();
    recto_batch *batch = NULL;
    recto_batch_item *item = NULL;
    char journal[4096];
    snprintf(journal, sizeof journal, "%s/journal", folder);
    batch = batch_of(client, journal);
    int items = 0;
    while (recto_batch_next(batch, NULL, &item, NULL) == RECTO_OK) {
        GIVES(RECTO_E_CONFIG, recto_batch_set(batch, "to", "elsewhere", &error));
        GIVES(RECTO_E_CONFIG, recto_batch_set(batch, "unknown", "x", &error));
        GIVES(RECTO_E_CONFIG, recto_batch_add(batch, document, &error));
        recto_batch_item_free(item);
        items++;
    }
    CHECK(items == 2);
    recto_batch_free(batch);
    recto_client_free(client);
}

static void batch(void) {
    recto_client *client = embedded();
    recto_batch *batch = NULL;
    recto_batch_item *item = NULL;
    char journal[4096];
    snprintf(journal, sizeof journal, "%s/journal", folder);
    GIVES(RECTO_E_INVALID, recto_batch_new(client, RECTO_OPTIMIZE, "{\"x\": 1}", &batch, &error));
    for (int round = 0; round < 2; round++) {
        int failed = 0, resumed = 0, done = 0;
        recto_status status;
        batch = batch_of(client, journal);
        while ((status = recto_batch_next(batch, NULL, &item, NULL)) == RECTO_OK) {
            const recto_error *why = recto_batch_item_error(item);
            CHECK((why == NULL) == (recto_batch_item_path(item) != NULL));
            CHECK((why == NULL) == (strcmp(recto_batch_item_source(item), document) == 0));
            CHECK(why == NULL || recto_error_status(why) == RECTO_E_IO);
            CHECK((recto_batch_item_result(item) != NULL) == (why == NULL && round == 0));
            failed += why != NULL;
            resumed += recto_batch_item_is_resumed(item);
            done++;
            recto_batch_item_free(item);
        }
        CHECK(status == RECTO_DONE && item == NULL && done == 2 && failed == 1 && resumed == round);
        CHECK(recto_batch_next(batch, NULL, &item, NULL) == RECTO_DONE);
        GIVES(RECTO_E_CONFIG, recto_batch_add(batch, document, &error));
        GIVES(RECTO_E_CONFIG, recto_batch_set(batch, "to", folder, &error));
        recto_batch_free(batch);
    }
    /* A cancelled batch has ended. A batch that never started can be freed, also after its client. */
    recto_call *call = NULL;
    recto_cancel *cancel = NULL;
    GIVES(RECTO_OK, recto_call_new(&call, &error));
    GIVES(RECTO_OK, recto_cancel_new(&cancel, &error));
    GIVES(RECTO_OK, recto_call_set_cancel(call, cancel, &error));
    recto_cancel_trigger(cancel);
    recto_cancel_free(cancel);
    batch = batch_of(client, journal);
    recto_batch *idle = batch_of(client, journal);
    recto_client_free(client);
    recto_batch_free(idle);
    GIVES(RECTO_E_CANCELLED, recto_batch_next(batch, call, &item, &error));
    CHECK(recto_batch_next(batch, NULL, &item, NULL) == RECTO_DONE);
    recto_call_free(call);
    recto_batch_free(batch);
}

/* A copy has settings of its own, and only those that a copy can have. */
static void copies(void) {
    recto_client *client = embedded(), *copy = NULL, *refused = NULL;
    recto_config *config = NULL;
    recto_file_list *list = NULL;
    GIVES(RECTO_OK, recto_config_new(&config, &error));
    GIVES(RECTO_E_CONFIG, recto_config_set(config, "timeout_ms", "-2", &error));
    GIVES(RECTO_E_CONFIG, recto_config_set(config, "stall_timeout_ms", "-1", &error));
    GIVES(RECTO_OK, recto_config_set(config, "timeout_ms", "-1", &error));
    GIVES(RECTO_OK, recto_config_set(config, "retries", "0", &error));
    GIVES(RECTO_OK, recto_config_set(config, "keep_files", "true", &error));
    GIVES(RECTO_E_CONFIG, recto_config_set_header(config, "X-Api-Key", "x", &error));
    GIVES(RECTO_E_CONFIG, recto_config_set_header(config, "a", "b\r\nc: d", &error));
    GIVES(RECTO_OK, recto_config_set_header(config, "traceparent", "00-1", &error));
    GIVES(RECTO_OK, recto_client_with(client, config, &copy, &error));
    CHECK(strcmp(recto_client_base_url(copy), recto_client_base_url(client)) == 0);
    GIVES(RECTO_OK, recto_config_set(config, "base_url", "http://127.0.0.1:1", &error));
    GIVES(RECTO_E_CONFIG, recto_client_with(client, config, &refused, &error));
    CHECK(refused == NULL);
    recto_config_free(config);
    /* The copy keeps the embedded service running. */
    recto_client_free(client);
    recto_operation *operation = optimize(copy);
    GIVES(RECTO_OK, recto_operation_save(operation, folder, NULL, NULL, &error));
    recto_client_close(copy);
    GIVES(RECTO_E_CONFIG, recto_file_list_get(copy, 0, NULL, &list, &error));
    recto_operation_free(operation);
    recto_client_free(copy);
}

/* Calls with options and operations that are newer than the library. */
static void newer(void) {
    recto_client *client = embedded();
    recto_call *call = NULL;
    recto_operation *operation = NULL, *next = NULL;
    GIVES(RECTO_OK, recto_call_new(&call, &error));
    GIVES(RECTO_E_INVALID, recto_call_set_extra_options(call, "[]", &error));
    GIVES(RECTO_E_INVALID, recto_call_set_extra_options(call, "{\"a\": 1, \"a\": 2}", &error));
    GIVES(RECTO_OK, recto_call_set_extra_options(call, "{\"text\": \"DRAFT\"}", &error));
    GIVES(RECTO_OK, recto_call_set_header(call, "traceparent", "00-1", &error));
    GIVES(RECTO_OK, recto_call_set_header(call, "TraceParent", NULL, &error));
    GIVES(RECTO_E_INVALID, recto_start_path(client, "stamp/text", document, NULL, call, &operation, &error));
    GIVES(RECTO_OK, recto_call_set_unchecked(call, 1, &error));
    GIVES(RECTO_E_INVALID, recto_start_path(client, "../text", document, NULL, call, &operation, &error));
    GIVES(RECTO_E_INVALID, recto_start_path(client, "stamp/text", document, "[]", call, &operation, &error));
    GIVES(RECTO_OK, recto_start_path(client, "stamp/text", document, NULL, call, &operation, &error));
    CHECK(strcmp(recto_operation_name(operation), "stamp/text") == 0);
    GIVES(RECTO_OK, recto_call_set_extra_options(call, NULL, &error));
    GIVES(RECTO_OK, recto_call_set_unchecked(call, 0, &error));
    GIVES(RECTO_OK, recto_start_chained(client, RECTO_OPTIMIZE, operation, NULL, call, &next, &error));
    recto_operation_free(operation);
    GIVES(RECTO_OK, recto_call_set_delete_after(call, 1, &error));
    GIVES(RECTO_OK, recto_operation_save(next, folder, call, NULL, &error));
    GIVES(RECTO_OK, recto_operation_delete(next, call, &error));
    recto_operation_free(next);
    recto_call_free(call);
    recto_client_free(client);
}

/* A batch takes files, bytes and results of operations. */
static void batch_sources(void) {
    recto_client *client = embedded();
    recto_operation *operation = optimize(client);
    recto_batch *batch = NULL;
    recto_batch_item *item = NULL;
    char *id = NULL, to[4096];
    void *data = NULL;
    size_t length = 0;
    GIVES(RECTO_OK, recto_upload_path(client, document, NULL, &id, &error));
    GIVES(RECTO_OK, recto_operation_read(operation, NULL, &data, &length, &error));
    GIVES(RECTO_OK, recto_batch_new(client, RECTO_STAMP_TEXT, "{\"text\": \"DRAFT\"}", &batch, &error));
    snprintf(to, sizeof to, "%s/sources", folder);
    GIVES(RECTO_OK, recto_batch_set(batch, "to", to, &error));
    GIVES(RECTO_OK, recto_batch_set(batch, "overwrite", "false", &error));
    GIVES(RECTO_E_INVALID, recto_batch_set(batch, "extra_options", "1", &error));
    GIVES(RECTO_OK, recto_batch_set(batch, "extra_options", "{\"newer\": 1}", &error));
    GIVES(RECTO_E_CONFIG, recto_batch_set_header(batch, "Host", "x", &error));
    GIVES(RECTO_OK, recto_batch_set_header(batch, "traceparent", "00-1", &error));
    GIVES(RECTO_OK, recto_batch_add(batch, document, &error));
    GIVES(RECTO_OK, recto_batch_add_file(batch, id, &error));
    GIVES(RECTO_OK, recto_batch_add_data(batch, data, length, "named.pdf", &error));
    GIVES(RECTO_OK, recto_batch_add_operation(batch, operation, &error));
    recto_operation_free(operation);
    recto_client_free(client);
    recto_free(data);
    int seen[4] = {0};
    while (recto_batch_next(batch, NULL, &item, NULL) == RECTO_OK) {
        if (recto_batch_item_error(item) != NULL)
            fprintf(stderr, "%s\n", recto_error_message(recto_batch_item_error(item)));
        CHECK(recto_batch_item_error(item) == NULL && recto_batch_item_index(item) < 4);
        CHECK(access(recto_batch_item_path(item), R_OK) == 0);
        if (recto_batch_item_index(item) == 2)
            CHECK(strcmp(recto_batch_item_source(item), "named.pdf") == 0);
        seen[recto_batch_item_index(item)]++;
        recto_batch_item_free(item);
    }
    CHECK(seen[0] == 1 && seen[1] == 1 && seen[2] == 1 && seen[3] == 1);
    GIVES(RECTO_E_CONFIG, recto_batch_add_file(batch, id, &error));
    GIVES(RECTO_E_CONFIG, recto_batch_set_header(batch, "traceparent", "00-1", &error));
    recto_free(id);
    recto_batch_free(batch);
}

/* The log of a service that is started explicitly. */
static void local_log(void) {
    recto_config *config = NULL;
    recto_local *local = NULL;
    recto_client *client = NULL;
    GIVES(RECTO_OK, recto_config_new(&config, &error));
    /* Without a log, it is like recto_local_start(). */
    GIVES(RECTO_OK, recto_local_start_logged(NULL, config, &local, &error));
    recto_local_free(local);
    GIVES(RECTO_OK, recto_config_set_log(config, RECTO_LOG_TRACE, log_line, &lines, drop, &error));
    GIVES(RECTO_E_INVALID, recto_local_start_logged("{\"x\": 1}", config, &local, &error));
    CHECK(drops == 0);
    GIVES(RECTO_OK, recto_local_start_logged("{\"workers\": 1}", config, &local, &error));
    recto_config_free(config);
    CHECK(drops == 0);
    GIVES(RECTO_OK, recto_config_new(&config, &error));
    GIVES(RECTO_OK, recto_config_set(config, "base_url", recto_local_base_url(local), &error));
    GIVES(RECTO_OK, recto_config_set(config, "api_key", recto_local_api_key(local), &error));
    GIVES(RECTO_OK, recto_client_new(config, &client, &error));
    recto_config_free(config);
    recto_operation *operation = optimize(client);
    GIVES(RECTO_OK, recto_operation_save(operation, folder, NULL, NULL, &error));
    CHECK(service_lines > 0 && drops == 0);
    recto_operation_free(operation);
    recto_client_free(client);
    recto_local_free(local);
    for (int round = 0; round < 1000 && drops == 0; round++)
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    CHECK(drops == 1);
}

static const struct {
    const char *name;
    void (*run)(void);
} CASES[] = {
    {"bad_utf8", bad_utf8}, {"invalid_values", invalid_values},
    {"callbacks", callbacks}, {"threads", threads},
    {"client_freed_first", client_freed_first}, {"forked", forked},
    {"logging", logging}, {"batch", batch},
    {"late_settings", late_settings}, {"copies", copies},
    {"newer", newer}, {"batch_sources", batch_sources},
    {"local_log", local_log},
};

int main(int count, char **arguments) {
    CHECK(count == 4);
    document = arguments[2];
    folder = arguments[3];
    for (size_t at = 0; at < sizeof CASES / sizeof *CASES; at++)
        if (strcmp(CASES[at].name, arguments[1]) == 0) {
            CASES[at].run();
            puts("done");
            return 0;
        }
    fprintf(stderr, "unknown case %s\n", arguments[1]);
    return 2;
}
