/*
 * CPU time of recto_file_get() and of the same request through libcurl's easy interface, on loopback, in alternation.
 *
 *     cc -O2 -pthread benches/c/file_get.c $(pkg-config --cflags --libs recto libcurl) -o build/file_get
 *     build/file_get
 *
 * The server is a separate process, so that its work is not measured, and runs on another processor, so that the
 * scheduler's choice of a processor does not influence the figures. Both clients keep their connection open.
 */
#define _GNU_SOURCE /* sched_setaffinity() */
#include <arpa/inet.h>
#include <curl/curl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <recto.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* Many short rounds: the speed of a machine varies within seconds, and must vary for both clients alike. */
enum { ROUNDS = 151, REQUESTS = 200, THREADS = 16 };

static const char RESPONSE[] =
    "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 107\r\n\r\n"
    "{\"id\":\"f1\",\"createdAt\":\"2024-05-06T07:08:09.123Z\",\"origin\":\"fromLocal\",\"name\":\"a.pdf\",\"extension\":\"pdf\"}   ";

static void die(const char *what) {
    fprintf(stderr, "%s\n", what);
    exit(1);
}

/* Pins this process, and those it starts, to one processor, unless the machine has only one. */
static void stay_on(long processor) {
    cpu_set_t only;
    CPU_ZERO(&only);
    CPU_SET((size_t)processor, &only);
    if (sysconf(_SC_NPROCESSORS_ONLN) > 1 && sched_setaffinity(0, sizeof only, &only) != 0)
        die("cannot pin the process to a processor");
}

/* Simulates the work of a service before its response. */
static void simulate_work(long microseconds) {
    struct timespec began, now;
    clock_gettime(CLOCK_MONOTONIC, &began);
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while ((now.tv_sec - began.tv_sec) * 1000000L + (now.tv_nsec - began.tv_nsec) / 1000 < microseconds);
}

/* Serves every connection in its own process. */
static void serve(int listener, long microseconds) {
    signal(SIGCHLD, SIG_IGN);
    for (;;) {
        int end = accept(listener, NULL, NULL);
        if (end < 0 || fork() != 0) {
            close(end);
            continue;
        }
        int yes = 1;
        setsockopt(end, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
        char request[8192];
        size_t length = 0;
        for (ssize_t now; (now = recv(end, request + length, sizeof request - 1 - length, 0)) > 0;) {
            length += (size_t)now;
            request[length] = '\0';
            if (strstr(request, "\r\n\r\n") == NULL)
                continue;
            simulate_work(microseconds);
            if (send(end, RESPONSE, sizeof RESPONSE - 1, MSG_NOSIGNAL) < 0)
                break;
            length = 0;
        }
        _exit(0);
    }
}

static size_t count_bytes(char *data, size_t size, size_t count, void *body) {
    size_t *length = body;
    if (*length + size * count > 4096)
        return 0;
    *length += size * count;
    (void)data;
    return size * count;
}

/* A thread of a round: its easy handle, or the client that all threads share. */
typedef struct worker {
    CURL *curl;
    const recto_client *client;
    int requests;
} worker;

static void *get_with_curl(void *argument) {
    const worker *self = argument;
    for (int count = 0; count < self->requests; count++) {
        size_t length = 0;
        long status = 0;
        curl_easy_setopt(self->curl, CURLOPT_WRITEDATA, &length);
        if (curl_easy_perform(self->curl) != CURLE_OK
            || curl_easy_getinfo(self->curl, CURLINFO_RESPONSE_CODE, &status) != CURLE_OK || status != 200
            || length != 107)
            die("libcurl failed");
    }
    return NULL;
}

static void *get_with_recto(void *argument) {
    const worker *self = argument;
    for (int count = 0; count < self->requests; count++) {
        recto_file *file = NULL;
        if (recto_file_get(self->client, "f1", NULL, &file, NULL) != RECTO_OK || strcmp(recto_file_id(file), "f1") != 0)
            die("recto failed");
        recto_file_free(file);
    }
    return NULL;
}

/* Runs one round: on this thread, or on several at the same time. */
static void run(void *(*get)(void *), worker *workers, int threads) {
    if (threads == 1) {
        get(workers);
        return;
    }
    pthread_t running[THREADS];
    for (int each = 0; each < threads; each++)
        if (pthread_create(&running[each], NULL, get, &workers[each]) != 0)
            die("cannot start a thread");
    for (int each = 0; each < threads; each++)
        pthread_join(running[each], NULL);
}

typedef struct cost {
    double cpu, wall;
} cost;

static cost now(void) {
    struct rusage used;
    struct timespec clock;
    getrusage(RUSAGE_SELF, &used);
    clock_gettime(CLOCK_MONOTONIC, &clock);
    return (cost){(double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec)
                      + 1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec),
                  (double)clock.tv_sec + 1e-9 * (double)clock.tv_nsec};
}

static int ascending(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static void show(double *figures, int digits) {
    qsort(figures, ROUNDS, sizeof *figures, ascending);
    printf(" %.*f (%.*f to %.*f) |", digits, figures[ROUNDS / 2], digits, figures[0], digits, figures[ROUNDS - 1]);
}

static void compare(int threads, long microseconds) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(listener, (struct sockaddr *)&address, size) != 0 || listen(listener, 64) != 0
        || getsockname(listener, (struct sockaddr *)&address, &size) != 0)
        die("cannot listen on a port");
    pid_t server = fork();
    if (server == 0) {
        stay_on(1);
        serve(listener, microseconds);
    }
    close(listener);

    char url[64], path[96];
    snprintf(url, sizeof url, "http://127.0.0.1:%d", ntohs(address.sin_port));
    snprintf(path, sizeof path, "%s/v1/files/f1", url);
    recto_config *config = NULL;
    recto_client *client = NULL;
    if (recto_config_new(&config, NULL) != RECTO_OK || recto_config_set(config, "base_url", url, NULL) != RECTO_OK
        || recto_config_set(config, "api_key", "key", NULL) != RECTO_OK
        || recto_client_new(config, &client, NULL) != RECTO_OK)
        die("cannot create the client");
    struct curl_slist *headers = curl_slist_append(curl_slist_append(NULL, "X-Api-Key: key"), "Accept: application/json");
    worker workers[THREADS];
    int requests = threads == 1 ? REQUESTS : REQUESTS / 4;
    for (int each = 0; each < threads; each++) {
        CURL *curl = curl_easy_init();
        curl_easy_setopt(curl, CURLOPT_URL, path);
        curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
        curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, count_bytes);
        curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
        workers[each] = (worker){curl, client, requests};
    }

    double ratio[ROUNDS], recto[ROUNDS], libcurl[ROUNDS], speed[ROUNDS], curl_speed[ROUNDS];
    run(get_with_curl, workers, threads);
    run(get_with_recto, workers, threads);
    for (int round = 0; round < ROUNDS; round++) {
        cost began = now();
        run(get_with_curl, workers, threads);
        cost between = now();
        run(get_with_recto, workers, threads);
        cost ended = now();
        int count = requests * threads;
        libcurl[round] = (between.cpu - began.cpu) / count * 1e6;
        recto[round] = (ended.cpu - between.cpu) / count * 1e6;
        ratio[round] = recto[round] / libcurl[round];
        curl_speed[round] = count / (between.wall - began.wall);
        speed[round] = count / (ended.wall - between.wall);
    }
    kill(server, SIGTERM);
    printf("| %d | %ld us | libcurl easy |", threads, microseconds);
    show(libcurl, 1);
    show(curl_speed, 0);
    printf(" 1 |\n| %d | %ld us | recto_file_get |", threads, microseconds);
    show(recto, 1);
    show(speed, 0);
    show(ratio, 2);
    printf("\n");
    fflush(stdout);
    for (int each = 0; each < threads; each++)
        curl_easy_cleanup(workers[each].curl);
    recto_client_free(client);
    recto_config_free(config);
    curl_slist_free_all(headers);
}

/*
 * Measures a fast server, whose response can arrive before the client starts to wait, and a slow server. With several
 * threads, each has its own easy handle, as libcurl requires, and all share one client of recto.
 */
int main(void) {
    stay_on(0);
    curl_global_init(CURL_GLOBAL_DEFAULT);
    printf("| threads | the server takes | client | CPU per request, us | requests per second | x CPU of libcurl |\n");
    printf("|---|---|---|---|---|---|\n");
    fflush(stdout);
    compare(1, 0);
    compare(1, 100);
    compare(THREADS, 0);
    compare(THREADS, 100);
    curl_global_cleanup();
    return 0;
}
