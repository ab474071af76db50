// check_intrinsics.c - checks that the PTX of each row of intrinsics.def has the row's instruction:
// check_intrinsics precise|fast FILE.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct row {
    const char *kernel;
    const char *text;
    char when; // 'T' always, 'P' precise, 'F' fast
};

static const struct row rows[] = {
#define T(name, statement, ...) {"t_" #name "(", LAST(__VA_ARGS__), 'T'},
#define P(name, statement, ...) {"t_" #name "(", LAST(__VA_ARGS__), 'P'},
#define F(name, statement, ...) {"t_" #name "(", LAST(__VA_ARGS__), 'F'},
#define LAST(text) text
#include "intrinsics.def"
};

// Returns the body of a kernel as a new string, or NULL.
static char *body_of(const char *ptx, const char *kernel) {
    char entry[80];
    snprintf(entry, sizeof entry, ".entry %s", kernel);
    const char *start = strstr(ptx, entry);
    if (!start || !(start = strchr(start, '{'))) return NULL;
    const char *end = strstr(start, "\n}");
    return end ? strndup(start, (size_t)(end - start)) : NULL;
}

int main(int argc, char **argv) {
    if (argc != 3) return 2;
    FILE *file = fopen(argv[2], "rb");
    char *ptx = NULL;
    size_t room = 0;
    if (!file || getdelim(&ptx, &room, '\0', file) < 0) {
        fprintf(stderr, "cannot read %s\n", argv[2]);
        return 1;
    }
    fclose(file);
    char other = strcmp(argv[1], "fast") == 0 ? 'P' : 'F';
    int bad = 0, checked = 0;
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        if (rows[r].when == other) continue;
        char *body = body_of(ptx, rows[r].kernel);
        checked++;
        if (!body) {
            printf("%s) is not in the PTX\n", rows[r].kernel);
            bad++;
        } else if (!strstr(body, rows[r].text)) {
            printf("%s) has no '%s':\n%s\n", rows[r].kernel, rows[r].text, body);
            bad++;
        }
        free(body);
    }
    free(ptx);
    printf("%d rows checked, %d wrong\n", checked, bad);
    return bad != 0 || checked == 0;
}
