/* gen_text.c - makes a C file of text files, which a program then has inside.
 *
 *   gen_text NAME=FILE...   writes `const char NAME[] = {...};` for each file, with a 0 at its end
 *
 * The build runs it, into a file of its own. Exit status 1: a file cannot be read; 2: wrong use. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Writes the array of a file. @return 0, or 1 after printing an error. */
static int write_array(const char *name, int length, const char *path) {
    enum { ON_A_LINE = 20 };
    FILE *f = fopen(path, "r");
    unsigned n = 0;
    int c;
    if (!f) {
        fprintf(stderr, "gen_text: cannot read %s: %s\n", path, strerror(errno));
        return 1;
    }
    printf("extern const char %.*s[];\nconst char %.*s[] = {", length, name, length, name);
    while ((c = fgetc(f)) != EOF) printf("%s%d,", n++ % ON_A_LINE ? "" : "\n", (signed char)c);
    puts("0};");
    const int failed = ferror(f);
    fclose(f);
    if (failed) fprintf(stderr, "gen_text: cannot read %s\n", path);
    return failed != 0;
}

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        const char *equal = strchr(argv[i], '=');
        if (!equal) {
            fprintf(stderr, "usage: gen_text NAME=FILE...\n");
            return 2;
        }
        if (write_array(argv[i], (int)(equal - argv[i]), equal + 1)) return 1;
    }
    return 0;
}
