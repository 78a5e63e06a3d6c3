/*
 * The C runner of the recordings: makes the calls of each scenario and reports their outcomes. The replay server
 * compares them; tests/recordings/README.md describes the protocol.
 *
 *     RECTO_REPLAY=127.0.0.1:PORT recordings [PREFIX...]
 *
 * plays the scenarios whose id starts with one of the prefixes, or all, and fails unless every one passes.
 */
#include "runner.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* The number of scenarios that run at the same time: more than the machine has cores, since scenarios mostly wait. */
enum { AT_ONCE = 12 };

/* The control connection: requests and responses are lines of JSON. */
typedef struct control {
    FILE *in, *out;
} control;

static struct sockaddr_in address;
static json_t *wanted; /* ids */
static size_t next, passed;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* The environment belongs to the process, so a scenario that changes it is played alone. */
static pthread_rwlock_t environment = PTHREAD_RWLOCK_INITIALIZER;

static void die(const char *what) {
    perror(what);
    exit(2);
}

static control control_open(void) {
    int end = socket(AF_INET, SOCK_STREAM, 0);
    if (end < 0 || connect(end, (struct sockaddr *)&address, sizeof address) != 0)
        die("cannot connect to the replay server");
    control opened = {fdopen(end, "r"), fdopen(dup(end), "w")};
    if (opened.in == NULL || opened.out == NULL)
        die("the control connection failed");
    return opened;
}

static void control_close(control control) {
    fclose(control.in);
    fclose(control.out);
}

/* Sends a request, frees it, and returns the response. */
static json_t *control_request(control control, json_t *request) {
    char *line = NULL;
    size_t size = 0;
    if (json_dumpf(request, control.out, JSON_COMPACT) != 0 || fputc('\n', control.out) == EOF
        || fflush(control.out) != 0 || getline(&line, &size, control.in) < 0)
        die("the control connection failed");
    json_decref(request);
    json_error_t error;
    json_t *response = json_loads(line, JSON_ALLOW_NUL, &error);
    if (response == NULL || json_object_get(response, "fault") != NULL) {
        fprintf(stderr, "the replay server responded: %s(%s)\n", line, response == NULL ? error.text : "a fault");
        exit(2);
    }
    free(line);
    return response;
}

static bool play_one(control control, const char *id) {
    json_t *run = control_request(control, json_pack("{ss ss}", "do", "start", "id", id));
    if (json_object_size(json_object_get(json_object_get(run, "client"), "environment")) > 0)
        pthread_rwlock_wrlock(&environment);
    else
        pthread_rwlock_rdlock(&environment);
    json_t *outcome = play(run);
    pthread_rwlock_unlock(&environment);
    json_t *finish = json_pack("{ss sO so}", "do", "finish", "run", json_object_get(run, "run"), "outcome", outcome);
    json_t *verdict = control_request(control, or_die(finish));
    bool pass = json_is_true(json_object_get(verdict, "pass"));
    if (!pass)
        fprintf(stderr, "%s\n", json_string_value(json_object_get(verdict, "report")));
    json_decref(verdict);
    json_decref(run);
    return pass;
}

static void *work(void *unused) {
    (void)unused;
    control control = control_open();
    for (;;) {
        pthread_mutex_lock(&lock);
        const char *id = json_string_value(json_array_get(wanted, next++));
        pthread_mutex_unlock(&lock);
        if (id == NULL)
            break;
        bool pass = play_one(control, id);
        pthread_mutex_lock(&lock);
        passed += pass;
        pthread_mutex_unlock(&lock);
    }
    control_close(control);
    return NULL;
}

static bool is_wanted(const char *id, int count, char **prefixes) {
    for (int at = 0; at < count; at++)
        if (strncmp(id, prefixes[at], strlen(prefixes[at])) == 0)
            return true;
    return count == 0;
}

int main(int count, char **arguments) {
    const char *replay = getenv("RECTO_REPLAY");
    const char *colon = replay == NULL ? NULL : strrchr(replay, ':');
    if (colon == NULL) {
        fputs("RECTO_REPLAY is not set: start this with `recto-replay run --`\n", stderr);
        return 2;
    }
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons((uint16_t)strtoul(colon + 1, NULL, 10));
    /* Clients get all settings explicitly; a scenario sets the variables that it needs. */
    unsetenv("RECTO_BASE_URL");
    unsetenv("RECTO_API_KEY");
    unsetenv("RECTO_TIMEOUT");

    control control = control_open();
    json_t *list = control_request(control, json_pack("{ss}", "do", "list"));
    control_close(control);
    wanted = json_array();
    size_t index;
    json_t *id;
    json_array_foreach(json_object_get(list, "scenarios"), index, id) {
        if (is_wanted(json_string_value(id), count - 1, arguments + 1))
            json_array_append(wanted, id);
    }
    json_decref(list);

    pthread_t threads[AT_ONCE];
    for (int at = 0; at < AT_ONCE; at++)
        if (pthread_create(&threads[at], NULL, work, NULL) != 0)
            die("cannot start a thread");
    for (int at = 0; at < AT_ONCE; at++)
        pthread_join(threads[at], NULL);
    size_t all = json_array_size(wanted);
    printf("%zu of %zu scenarios passed\n", passed, all);
    json_decref(wanted);
    return passed == all && all > 0 ? 0 : 1;
}
