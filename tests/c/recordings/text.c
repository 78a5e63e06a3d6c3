/* Strings that grow. */
#include "runner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void text_add(text *text, const char *more) {
    if (more != NULL)
        text_add_bytes(text, more, strlen(more));
}

void text_add_bytes(text *text, const void *more, size_t length) {
    text->bytes = or_die(realloc(text->bytes, text->length + length + 1));
    memcpy(text->bytes + text->length, more, length);
    text->length += length;
    text->bytes[text->length] = '\0';
}

void *or_die(void *memory) {
    if (memory == NULL) {
        fputs("out of memory\n", stderr);
        abort();
    }
    return memory;
}
