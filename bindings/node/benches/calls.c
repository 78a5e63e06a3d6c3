/* Makes small calls with the C library: calls BASE_URL COUNT THREADS. Prints the microseconds of each call, and
 * those of processor time. */
#define RECTO_NO_ATTRIBUTES
#include <pthread.h>
#include <recto.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static recto_client *client;
static long count_of_each;

static void *make_calls(void *unused) {
    for (long at = 0; at < count_of_each; at++) {
        recto_file_list *list = NULL;
        recto_error *error = NULL;
        if (recto_file_list_get(client, 0, NULL, &list, &error) < 0) {
            fprintf(stderr, "%s\n", recto_error_message(error));
            exit(1);
        }
        recto_file_list_free(list);
    }
    return unused;
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

static double measure(long count, long threads) {
    pthread_t handles[64];
    count_of_each = count / threads;
    double began = now();
    for (long at = 0; at < threads; at++)
        pthread_create(&handles[at], NULL, make_calls, NULL);
    for (long at = 0; at < threads; at++)
        pthread_join(handles[at], NULL);
    return (now() - began) / (double)(count_of_each * threads);
}

int main(int argc, char **argv) {
    if (argc != 4)
        return 2;
    recto_config *config = NULL;
    long count = atol(argv[2]), threads = atol(argv[3]);
    if (threads < 1 || threads > 64 || recto_config_new(&config, NULL) < 0
        || recto_config_set(config, "base_url", argv[1], NULL) < 0 || recto_config_set(config, "api_key", "key", NULL) < 0
        || recto_client_new(config, &client, NULL) < 0)
        return 1;
    recto_config_free(config);
    measure(threads * 4, threads); // opens the connections
    clock_t began = clock();
    double elapsed = measure(count, threads);
    printf("%.1f %.1f\n", elapsed, (double)(clock() - began) * 1e6 / CLOCKS_PER_SEC / (double)count);
    recto_client_free(client);
    return 0;
}
