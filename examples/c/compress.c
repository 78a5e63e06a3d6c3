/*
 * Compresses a PDF: compress IN.pdf OUT.pdf
 *
 *     cc compress.c $(pkg-config --cflags --libs recto) -o compress
 */
#include <recto.h>
#include <stdio.h>

int main(int count, char **arguments) {
    if (count != 3) {
        fprintf(stderr, "usage: %s IN.pdf OUT.pdf\n", arguments[0]);
        return 2;
    }
    recto_client *client = NULL;
    recto_operation *operation = NULL;
    recto_error *error = NULL;
    const char *options = "{\"profile\": \"web\"}";
    if (recto_client_new(NULL, &client, &error) == RECTO_OK
        && recto_start_path(client, RECTO_OPTIMIZE, arguments[1], options, NULL, &operation, &error) == RECTO_OK
        && recto_operation_save(operation, arguments[2], NULL, NULL, &error) == RECTO_OK)
        printf("%s\n", arguments[2]);
    else
        fprintf(stderr, "%s: %s\n", arguments[1], recto_error_message(error));
    int failed = error != NULL;
    recto_error_free(error);
    recto_operation_free(operation);
    recto_client_free(client);
    return failed;
}
