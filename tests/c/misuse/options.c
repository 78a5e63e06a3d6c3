/* The builder of options: options DOCUMENT FOLDER. */
#include <math.h>
#include <recto.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                                            \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

/* Checks that a call is refused with a message that has a text. */
#define REFUSED(text, call)                                                                                            \
    do {                                                                                                               \
        recto_error *error = NULL;                                                                                     \
        CHECK((call) == RECTO_E_INVALID);                                                                              \
        if (strstr(recto_error_message(error), text) == NULL) {                                                        \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, recto_error_message(error));                            \
            exit(1);                                                                                                   \
        }                                                                                                              \
        recto_error_free(error);                                                                                       \
    } while (0)

int main(int count, char **arguments) {
    CHECK(count == 3);
    recto_options *options = NULL;
    recto_client *client = NULL;
    recto_operation *operation = NULL;
    REFUSED("optimize", recto_options_new("shrink", &options, &error));
    CHECK(options == NULL && recto_options_json(NULL) == NULL);

    CHECK(recto_options_new(RECTO_STAMP_TEXT, &options, NULL) == RECTO_OK);
    CHECK(strcmp(recto_options_json(options), "{}") == 0);
    CHECK(recto_options_set(options, "text", "Draft \"1\"\n\\ \xc3\xa9", NULL) == RECTO_OK);
    CHECK(recto_options_set_int(options, "textStyle.fontSize", 12, NULL) == RECTO_OK);
    CHECK(recto_options_set_bool(options, "textStyle.isBold", 1, NULL) == RECTO_OK);
    CHECK(recto_options_set_double(options, "margin.top", 1.5, NULL) == RECTO_OK);
    CHECK(recto_options_set_text(options, "margin.unit", "cm", NULL) == RECTO_OK);
    REFUSED("already set", recto_options_set(options, "margin.unit", "in", &error));
    REFUSED("cm, in", recto_options_set(options, "margin.unit", "mm", &error));
    REFUSED("textStyle.fontSize", recto_options_set(options, "fontSize", "12", &error));
    REFUSED("a number", recto_options_set_double(options, "margin.left", NAN, &error));
    REFUSED("a number", recto_options_set_double(options, "margin.left", INFINITY, &error));
    REFUSED("a number", recto_options_set_text(options, "margin.left", "1", &error));
    REFUSED("true or false", recto_options_set(options, "textStyle.isItalic", "yes", &error));
    CHECK(recto_options_set(options, "margin.left", "-2.25", NULL) == RECTO_OK);

    CHECK(recto_client_new(NULL, &client, NULL) == RECTO_OK);
    recto_error *error = NULL;
    if (recto_start_path(client, RECTO_STAMP_TEXT, arguments[1], recto_options_json(options), NULL, &operation, &error)
            != RECTO_OK
        || recto_operation_save(operation, arguments[2], NULL, NULL, &error) != RECTO_OK) {
        fprintf(stderr, "%s\n%s\n", recto_error_message(error), recto_options_json(options));
        return 1;
    }
    recto_operation_free(operation);
    recto_options_free(options);

    /* JSON by hand: a name that occurs twice is refused, also inside an object. */
    REFUSED("\"profile\" occurs twice",
            recto_start_path(client, RECTO_OPTIMIZE, arguments[1], "{\"profile\": \"web\", \"profile\": \"print\"}", NULL,
                             &operation, &error));
    REFUSED("\"top\" occurs twice",
            recto_start_path(client, RECTO_STAMP_TEXT, arguments[1],
                             "{\"text\": \"x\", \"margin\": {\"top\": 1, \"unit\": \"cm\", \"top\": 2}}", NULL, &operation,
                             &error));
    recto_client_free(client);
    puts("done");
    return 0;
}
