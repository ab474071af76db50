/* ini_file.c - reads files of parameters with sections, remarks and `base` lines; contracts in
 * ini_file.h. config.c and the capabilities of `heddle project` call it on the command's main
 * thread. It reads files, keeps nothing between calls, and returns HEDDLE_ERR_CONFIG with FILE:LINE
 * and a text in diag for everything that is wrong. */
#include "common/ini_file.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_BASES = 8 }; /* depth of `base` lines */

/* Removes blanks at both ends, in place. @return the first character that is none, in `s`. */
char *ini_trim(char *s) {
    while (isspace((unsigned char)*s)) s++;
    char *end = s + strlen(s);
    while (end > s && isspace((unsigned char)end[-1])) end--;
    *end = '\0';
    return s;
}

/* ---- a line */

/* Splits line->remark ("unit | status | source"), which it overwrites, and copies status and source
 * to *out. @return HEDDLE_ERR_CONFIG: a part is missing, the unit is not `unit`, or the status is
 * unknown; *out is then untouched. */
heddle_err ini_read_remark(const struct ini_line *line, const char *unit, struct ini_remark *out,
                           struct heddle_diag *diag) {
    static const char *const known[] = {"vendor", "measured", "fitted", "derived", "guessed"};
    char *status = strchr(line->remark, '|'), *source = status ? strchr(status + 1, '|') : NULL;
    if (!source)
        return heddle_fail(diag, HEDDLE_ERR_CONFIG,
                           "%s: %s: the remark must read '; unit | status | source'", line->where,
                           line->key);
    *status++ = '\0';
    *source++ = '\0';
    const char *own = ini_trim(line->remark);
    status = ini_trim(status);
    if (strcmp(own, unit))
        return heddle_fail(diag, HEDDLE_ERR_CONFIG, "%s: %s is in %s, not in '%s'", line->where,
                           line->key, unit, own);
    unsigned i = 0;
    while (i < sizeof known / sizeof *known && strcmp(status, known[i])) i++;
    if (i == sizeof known / sizeof *known)
        return heddle_fail(diag, HEDDLE_ERR_CONFIG,
                           "%s: %s: status '%s' is none of vendor, measured, fitted, derived, "
                           "guessed",
                           line->where, line->key, status);
    snprintf(out->status, sizeof out->status, "%s", status);
    snprintf(out->source, sizeof out->source, "%s", ini_trim(source));
    return HEDDLE_OK;
}

/* A file that is being read, with those that it is the base of. */
struct reading {
    const struct ini_kind *kind;
    ini_take_fn take;
    void *user;
    unsigned depth;   /* files of which this one is the base, directly or not */
    char section[64]; /* of the current line; empty before the first one */
};

static heddle_err read_file(struct reading *r, const char *file, struct heddle_diag *diag);

/* Reads one line of a file: a section (kept in r->section), `base` before the first section, which
 * reads another file, or a value with its remark, for which it calls r->take and returns its error.
 * Blank lines and those with '#' are skipped. Cuts `text` into pieces. */
static heddle_err read_line(struct reading *r, char *text, const char *where,
                            struct heddle_diag *diag) {
    char *remark = strchr(text, ';');
    if (remark) *remark++ = '\0';
    text = ini_trim(text);
    if (*text == '\0' || *text == '#') return HEDDLE_OK;
    if (*text == '[') {
        char *end = strchr(text, ']');
        if (!end || end[1] || end - text - 1 >= (int)sizeof r->section || end == text + 1)
            return heddle_fail(diag, HEDDLE_ERR_CONFIG, "%s: '%s' is not a section", where, text);
        *end = '\0';
        memcpy(r->section, text + 1, (size_t)(end - text));
        return HEDDLE_OK;
    }
    char *value = strchr(text, '=');
    if (!value)
        return heddle_fail(diag, HEDDLE_ERR_CONFIG, "%s: 'name = value' expected, not '%s'", where,
                           text);
    *value++ = '\0';
    char *name = ini_trim(text);
    value = ini_trim(value);
    if (*r->section == '\0' && strcmp(name, "base") == 0) {
        struct reading base = {
            .kind = r->kind, .take = r->take, .user = r->user, .depth = r->depth + 1};
        return read_file(&base, value, diag);
    }
    char key[192];
    snprintf(key, sizeof key, "%s%s%.100s", r->section, *r->section ? "." : "", name);
    const struct ini_line line = {.key = key, .value = value, .remark = remark, .where = where};
    return r->take(r->user, &line, diag);
}

/* ---- a file */

/* The order of scandir(): by the names without extension, in any locale: v100 comes before
 * v100-seed. */
static int by_stem(const struct dirent **x, const struct dirent **y) {
    size_t nx = strcspn((*x)->d_name, "."), ny = strcspn((*y)->d_name, ".");
    int order = strncmp((*x)->d_name, (*y)->d_name, nx < ny ? nx : ny);
    return order ? order : (nx > ny) - (nx < ny);
}

/* Writes to out[size] the names of the .ini files in a directory, sorted, without extension and
 * separated by ", ", for a message; "none in DIRECTORY" if there are none. */
static void list_files(const char *directory, char *out, size_t size) {
    struct dirent **entry;
    size_t used = 0;
    snprintf(out, size, "none in %s", directory);
    int n = scandir(directory, &entry, NULL, by_stem);
    for (int i = 0; i < n; i++) {
        const char *dot = strrchr(entry[i]->d_name, '.');
        if (dot && strcmp(dot, ".ini") == 0 && used < size)
            used += (size_t)snprintf(out + used, size - used, "%s%.*s", used ? ", " : "",
                                     (int)(dot - entry[i]->d_name), entry[i]->d_name);
        free(entry[i]);
    }
    if (n >= 0) free(entry);
}

/* Writes the path that `file` stands for: itself when it has a slash or ends in .ini, else NAME.ini
 * in the kind's directory. */
void ini_path(char *path, size_t size, const char *file, const struct ini_kind *kind) {
    size_t n = strlen(file);
    if (strchr(file, '/') || (n > 4 && strcmp(file + n - 4, ".ini") == 0))
        snprintf(path, size, "%s", file);
    else
        snprintf(path, size, "%s/%s.ini", kind->directory, file);
}

/* Adds a path to those that were read. More than there is room for cannot be: MAX_BASES of a GPU
 * and of its memory. */
static heddle_err note_file(struct ini_files *files, const char *path, struct heddle_diag *diag) {
    if (!files) return HEDDLE_OK;
    for (unsigned i = 0; i < files->count; i++)
        if (!strcmp(files->path[i], path)) return HEDDLE_OK;
    if (files->count == sizeof files->path / sizeof *files->path)
        return heddle_fail(diag, HEDDLE_ERR_CONFIG, "%s: more than %u files with their bases", path,
                           files->count);
    snprintf(files->path[files->count++], sizeof *files->path, "%s", path);
    return HEDDLE_OK;
}

/* Reads a file line by line, until a line has an error. The error for a missing file lists those in
 * the kind's directory. */
static heddle_err read_file(struct reading *r, const char *file, struct heddle_diag *diag) {
    char path[512], line[1024], where[600];
    const struct ini_kind *kind = r->kind;
    ini_path(path, sizeof path, file, kind);
    if (r->depth > MAX_BASES)
        return heddle_fail(diag, HEDDLE_ERR_CONFIG, "%s: 'base' goes in a circle", path);
    FILE *f = fopen(path, "re");
    if (!f) {
        int error = errno;
        char known[256];
        list_files(kind->directory, known, sizeof known);
        return heddle_fail(diag, HEDDLE_ERR_CONFIG, "%s '%s': cannot open %s: %s, there are: %s",
                           kind->name, file, path, strerror(error), known);
    }
    heddle_err e = HEDDLE_OK;
    for (unsigned number = 1; e == HEDDLE_OK && fgets(line, sizeof line, f); number++) {
        snprintf(where, sizeof where, "%s:%u", path, number);
        if (!strchr(line, '\n') && !feof(f))
            e = heddle_fail(diag, HEDDLE_ERR_CONFIG, "%s: line too long", where);
        else
            e = read_line(r, line, where, diag);
    }
    if (e == HEDDLE_OK && ferror(f))
        e = heddle_fail(diag, HEDDLE_ERR_CONFIG, "%s '%s': cannot read %s: %s", kind->name, file,
                        path, strerror(errno));
    fclose(f);
    return e ? e : note_file(kind->files, path, diag);
}

/* Reads `file` (a path or a name, see ini_path()) and calls take(user, line) on this thread for
 * each line that sets a value, in order; `base` files come in the place of their line. @return the
 * first error, of the file or of `take`, with text in diag. */
heddle_err ini_read(const char *file, const struct ini_kind *kind, ini_take_fn take, void *user,
                    struct heddle_diag *diag) {
    struct reading r = {.kind = kind, .take = take, .user = user};
    return read_file(&r, file, diag);
}
