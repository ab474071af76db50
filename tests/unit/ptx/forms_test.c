/* forms_test.c - every form of PTX instruction of forms/, lowered inside a minimal kernel.
 *
 * A line of forms/FAMILY.txt is a statement; its form is its first word (for a block in braces, the
 * whole line). Every form that the compiler refuses must have a prefix in forms/refused.list, and
 * every prefix there must match a refused form, so the list is exactly what Heddle lacks. A refusal
 * must name the form ("not supported"). Every form is compiled with optimisation; ops_test.c checks
 * results. */
#include "forms_frame.h"
#include "ptx/ptx.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char head[] = FORMS_HEAD FORMS_MODULE FORMS_KERNEL FORMS_WIDE;
static const char older[] = FORMS_HEAD_OLDER FORMS_MODULE FORMS_KERNEL;
static const char newer[] = FORMS_HEAD_NEWER FORMS_MODULE FORMS_KERNEL FORMS_WIDE;

struct form {
    char text[256], name[128];
    const char *head; /* the frame's begin */
    bool refused;
    char why[1024];
};
struct forms {
    struct form *at;
    unsigned n, cap;
};
struct prefix {
    char text[64];
    unsigned used;
};

/* Sets the name of the form: the first word without a guard, or the whole line of a block. */
static void name_of(struct form *f) {
    size_t n = f->text[0] == '{' ? strlen(f->text) : strcspn(f->text, " ;");
    const char *from = f->text;
    if (from[0] == '@') { /* without the guard */
        from += strcspn(from, " ") + 1;
        n = strcspn(from, " ;");
    }
    if (n >= sizeof f->name) n = sizeof f->name - 1;
    memcpy(f->name, from, n);
    f->name[n] = '\0';
}

/* Appends the forms of one file. */
static void read_family(struct forms *all, const char *path) {
    FILE *f = fopen(path, "r");
    char line[256];
    cr_assert_not_null(f, "%s", path);
    while (fgets(line, sizeof line, f)) {
        cr_assert_not_null(strchr(line, '\n'), "%s: a line is too long: %s", path, line);
        line[strcspn(line, "\n")] = '\0';
        if (line[0] == '#' || line[0] == '\0') continue;
        if (all->n == all->cap) {
            all->cap = all->cap ? 2 * all->cap : 256;
            all->at = realloc(all->at, all->cap * sizeof *all->at);
        }
        struct form *form = &all->at[all->n++];
        memset(form, 0, sizeof *form);
        strcpy(form->text, line);
        form->head = strstr(path, "/older.txt") ? older : strstr(path, "/newer.txt") ? newer : head;
        name_of(form);
    }
    fclose(f);
}

static bool is_family(const struct dirent *d) {
    size_t n = strlen(d->d_name);
    return n > 4 && strcmp(d->d_name + n - 4, ".txt") == 0;
}

/* Reads the forms of all files of forms/. */
static void read_all(struct forms *all) {
    DIR *dir = opendir(HEDDLE_TEST_DIR "/forms");
    cr_assert_not_null(dir, "no folder forms/");
    for (struct dirent *d; (d = readdir(dir));) {
        char path[1024];
        if (!is_family(d)) continue;
        cr_assert_lt(strlen(d->d_name), 200u);
        snprintf(path, sizeof path, HEDDLE_TEST_DIR "/forms/%s", d->d_name);
        read_family(all, path);
    }
    closedir(dir);
}

/* Compiles the form in a minimal kernel; sets `refused` and the message `why`. */
static void compile(struct form *f) {
    char text[4096];
    struct ptx_options o;
    struct mir_module *m = NULL;
    struct heddle_diag diag = {0};
    ptx_options_default(&o);
    o.capability = 90; /* the newest, which lacks none of them */
    snprintf(text, sizeof text, "%s%s\nret;\n}\n", f->head, f->text);
    f->refused = ptx_compile(text, strlen(text), "f.ptx", &o, &m, &diag) != HEDDLE_OK;
    snprintf(f->why, sizeof f->why, "%s", diag.text);
    mir_module_free(m);
}

/* Reads refused.list. @return the number of prefixes */
static unsigned read_prefixes(struct prefix *p, unsigned most) {
    FILE *f = fopen(HEDDLE_TEST_DIR "/forms/refused.list", "r");
    unsigned n = 0;
    char line[256];
    cr_assert_not_null(f, "forms/refused.list is missing");
    while (fgets(line, sizeof line, f)) {
        size_t end = strcspn(line, " \n");
        if (line[0] == '#' || end == 0) continue;
        cr_assert_lt(n, most);
        cr_assert_lt(end, sizeof p->text);
        p[n] = (struct prefix){.used = 0};
        memcpy(p[n].text, line, end);
        n++;
    }
    fclose(f);
    return n;
}

/* Returns the prefix that covers the form `name`: "tex" covers tex and tex.2d..., not texture. */
static struct prefix *covering(struct prefix *p, unsigned n, const char *name) {
    for (unsigned i = 0; i < n; i++) {
        size_t len = strlen(p[i].text);
        char next = strncmp(name, p[i].text, len) == 0 ? name[len] : 'x';
        if (next == '\0' || next == '.') return &p[i];
    }
    return NULL;
}

Test(ptx_forms, all_lowered, .timeout = 250) {
    struct forms all = {0};
    struct prefix list[64];
    unsigned n = read_prefixes(list, 64), refused = 0, loud = getenv("FORMS_VERBOSE") != NULL;
    read_all(&all);
    cr_assert_gt(all.n, 2000u);
    for (unsigned i = 0; i < all.n; i++) {
        struct form *f = &all.at[i];
        compile(f);
        struct prefix *p = covering(list, n, f->name);
        refused += f->refused;
        if (f->refused && loud) printf("refused: %s\n%s\n", f->text, f->why);
        if (f->refused && p) p->used++;
        cr_expect(!f->refused || p, "refused: %s\n%s", f->text, f->why);
        cr_expect(!f->refused || strstr(f->why, "not supported"), "no name: %s\n%s", f->text,
                  f->why);
    }
    for (unsigned i = 0; i < n; i++)
        cr_expect(list[i].used, "refused.list: nothing that begins with '%s' is refused any more",
                  list[i].text);
    printf("PTX forms: %u, refused: %u\n", all.n, refused);
    free(all.at);
}
