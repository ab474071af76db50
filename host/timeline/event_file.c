/* event_file.c - see event_file.h. */
#define _GNU_SOURCE
#include "timeline/event_file.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/output_file.h"

enum { NAME_BYTES = 200 };

heddle_err event_part_open(struct event_part *p, const char *directory, const char *what,
                           uint64_t most_bytes, struct heddle_diag *diag) {
    char path[4096];
    *p = (struct event_part){.what = what, .most_bytes = most_bytes};
    snprintf(path, sizeof path, "%s/.trace-XXXXXX", directory);
    const int fd = mkostemp(path, O_CLOEXEC);
    if (fd >= 0 && unlink(path) == 0) p->f = fdopen(fd, "w+");
    if (p->f) return HEDDLE_OK;
    const int error = errno;
    if (fd >= 0) close(fd);
    return heddle_fail(diag, HEDDLE_ERR_IO, "cannot write a timeline into %s: %s", directory,
                       strerror(error));
}

void event_part_close(struct event_part *p) {
    if (p->f) fclose(p->f);
    p->f = NULL;
}

/* ---- pieces of a line; p->bytes counts them */

static void put_raw(struct event_part *p, const char *s, size_t n) {
    fwrite(s, 1, n, p->f);
    p->bytes += n;
}

__attribute__((format(printf, 2, 3))) static void put(struct event_part *p, const char *format,
                                                      ...) {
    va_list list;
    va_start(list, format);
    const int n = vfprintf(p->f, format, list);
    va_end(list);
    if (n > 0) p->bytes += (uint64_t)n;
}

/* Writes a JSON string of at most NAME_BYTES bytes; what is no UTF-8 becomes "?". */
static void put_string(struct event_part *p, const char *s) {
    const char *from = s, *end = s + strnlen(s, NAME_BYTES);
    put_raw(p, "\"", 1);
    while (s < end) {
        const unsigned char c = (unsigned char)*s;
        size_t n = 1;
        if (c >= 0x80) {
            const gunichar u = g_utf8_get_char_validated(s, end - s);
            if (u < 0x110000) n = (size_t)(g_utf8_next_char(s) - s);
        }
        const bool plain = n > 1 || (c >= ' ' && c < 0x7f && c != '"' && c != '\\');
        if (!plain) {
            put_raw(p, from, (size_t)(s - from));
            if (c == '"' || c == '\\')
                put(p, "\\%c", c);
            else if (c < 0x80)
                put(p, "\\u%04x", c);
            else
                put_raw(p, "?", 1);
            from = s + 1;
        }
        s += n;
    }
    put_raw(p, from, (size_t)(s - from));
    put_raw(p, "\"", 1);
}

/* Writes a time or duration as microseconds, exactly. */
static void put_us(struct event_part *p, const char *member, uint64_t ps) {
    put(p, ",\"%s\":%" PRIu64 ".%06u", member, ps / 1000000, (unsigned)(ps % 1000000));
}

/* ---- events */

/* Whether an event that begins at at_ps still has room. The first that has none leaves an event
 * that says so. */
static bool has_room(struct event_part *p, struct event_track track, uint64_t at_ps) {
    if (p->bytes < p->most_bytes) {
        p->events++;
        return true;
    }
    if (!p->left_out++) {
        p->left_from_ps = at_ps;
        put(p,
            "{\"ph\":\"i\",\"s\":\"g\",\"name\":\"truncated: %s from here on are left out "
            "(--timeline-limit)\",\"pid\":%u,\"tid\":%u",
            p->what, track.process, track.thread);
        put_us(p, "ts", at_ps);
        put_raw(p, "},\n", 3);
    }
    return false;
}

bool event_span(struct event_part *p, struct event_track track, const char *name, uint64_t begin_ps,
                uint64_t end_ps) {
    if (!has_room(p, track, begin_ps)) return false;
    put(p, "{\"ph\":\"X\",\"pid\":%u,\"tid\":%u", track.process, track.thread);
    put_us(p, "ts", begin_ps);
    put_us(p, "dur", end_ps > begin_ps ? end_ps - begin_ps : 0);
    put(p, ",\"name\":");
    put_string(p, name);
    put(p, ",\"args\":{");
    p->has_arguments = false;
    return true;
}

/* Begins an argument. */
static void put_member(struct event_part *p, const char *name) {
    put(p, "%s\"%s\":", p->has_arguments ? "," : "", name);
    p->has_arguments = true;
}

void event_span_number(struct event_part *p, const char *name, uint64_t value) {
    put_member(p, name);
    put(p, "%" PRIu64, value);
}

void event_span_text(struct event_part *p, const char *name, const char *value) {
    put_member(p, name);
    put_string(p, value);
}

void event_span_end(struct event_part *p) {
    put_raw(p, "}},\n", 4);
}

void event_count(struct event_part *p, uint32_t process, const char *counter, const char *series,
                 uint64_t at_ps, double value) {
    const struct event_track track = {process, 0};
    if (!has_room(p, track, at_ps)) return;
    put(p, "{\"ph\":\"C\",\"pid\":%u", process);
    put_us(p, "ts", at_ps);
    put(p, ",\"name\":");
    put_string(p, counter);
    put(p, ",\"args\":{");
    put_string(p, series);
    put(p, ":%.4g}},\n", value);
}

/* Writes an event of metadata ("M") with one argument, a text or a number. */
static void put_metadata(struct event_part *p, struct event_track track, const char *kind,
                         const char *text, unsigned place) {
    put(p, "{\"ph\":\"M\",\"name\":\"%s\",\"pid\":%u,\"tid\":%u,\"args\":{", kind, track.process,
        track.thread);
    put(p, "\"%s\":", text ? "name" : "sort_index");
    if (text)
        put_string(p, text);
    else
        put(p, "%u", place);
    put(p, "}},\n");
}

void event_name_process(struct event_part *p, uint32_t process, const char *name, unsigned place) {
    const struct event_track track = {process, 0};
    put_metadata(p, track, "process_name", name, 0);
    put_metadata(p, track, "process_sort_index", NULL, place);
}

void event_name_track(struct event_part *p, struct event_track track, const char *name,
                      unsigned place) {
    put_metadata(p, track, "thread_name", name, 0);
    put_metadata(p, track, "thread_sort_index", NULL, place);
}

/* ---- the file */

/* Appends a part. @return false: it cannot be read back. */
static bool append(FILE *to, struct event_part *p) {
    char block[65536];
    size_t n;
    if (fflush(p->f) != 0 || ferror(p->f) || fseek(p->f, 0, SEEK_SET) != 0) return false;
    while ((n = fread(block, 1, sizeof block, p->f)) > 0) fwrite(block, 1, n, to);
    return !ferror(p->f);
}

heddle_err event_file_write(const char *path, struct event_part *const *parts, unsigned num_parts,
                            uint64_t end_ps, const char *heddle, struct heddle_diag *diag) {
    struct output_file o;
    heddle_err e = output_file_open(&o, path, OUTPUT_OWN, diag);
    if (e) return e;
    fprintf(o.f,
            "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"heddle\":\"%s\",\"clock\":\"simulated "
            "time\"},\"traceEvents\":[\n",
            heddle);
    for (unsigned i = 0; i < num_parts; i++) {
        errno = 0;
        if (append(o.f, parts[i])) continue;
        const int error = errno;
        output_file_abandon(&o);
        return heddle_fail(diag, HEDDLE_ERR_IO, "cannot write %s: %s", path,
                           strerror(error ? error : EIO));
    }
    /* the last event is followed by no comma */
    fprintf(o.f,
            "{\"ph\":\"i\",\"s\":\"g\",\"name\":\"end of the run\",\"pid\":10,\"tid\":0,"
            "\"ts\":%" PRIu64 ".%06u}\n]}\n",
            end_ps / 1000000, (unsigned)(end_ps % 1000000));
    return output_file_commit(&o, false, diag);
}
