/* dram_run.c - drives a memory model with a trace of addresses, for `heddle dram`. cmd_dram.c calls
 * dram_run_trace() and latencies_percentile() on the main thread; the model calls back on that
 * thread, inside submit() or collect().
 *
 * The trace is read line by line; each line's requests are submitted at its time, or as soon as
 * fewer than `outstanding` requests are in flight. The model calls back with the time of each
 * answer, which may lie ahead of the drive's own time. Times are ps. Functions that return
 * heddle_err explain an error in *diag. */
#include "cli/dram_run.h"

#include <errno.h>
#include <glib.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SECTOR = 32, LINE = 128, MAX_BYTES = 1 << 20 };

/* ---- distribution of latencies: exact below LATENCY_PARTS ps, then LATENCY_PARTS classes for each
 * power of two */

/* Class of a latency in ps. */
static unsigned class_of(uint64_t ps) {
    if (ps < LATENCY_PARTS) return (unsigned)ps;
    unsigned power = 63 - (unsigned)__builtin_clzll(ps);
    return (power - 5) * LATENCY_PARTS + (unsigned)(ps >> (power - 6)) % LATENCY_PARTS;
}

/* The largest latency (ps) of a class. */
static uint64_t class_end(unsigned class) {
    if (class < LATENCY_PARTS) return class;
    unsigned power = class / LATENCY_PARTS + 5;
    return ((uint64_t)(LATENCY_PARTS + class % LATENCY_PARTS + 1) << (power - 6)) - 1;
}

/* Adds a latency to the distribution. */
void latencies_add(struct latencies *l, uint64_t ps) {
    if (!l->count || ps < l->least) l->least = ps;
    if (ps > l->most) l->most = ps;
    l->count++;
    l->sum += ps;
    l->class[class_of(ps)]++;
}

/* @return the latency (ps) that `percent` of the reads do not exceed, rounded up to its class; 0
 * without reads. */
uint64_t latencies_percentile(const struct latencies *l, double percent) {
    uint64_t wanted = (uint64_t)ceil((double)l->count * percent / 100), seen = 0;
    for (unsigned i = 0; i < LATENCY_CLASSES && l->count; i++) {
        seen += l->class[i];
        if (seen >= wanted) return MIN(class_end(i), l->most);
    }
    return 0;
}

/* ---- requests in flight */

/* The model and the requests in it. now_ps: time of the next request; in_flight: requests submitted
 * whose answers have not been taken yet. */
struct drive {
    struct dram_run *run;
    const struct hbm_ops *ops;
    void *hbm; /* the model */
    uint64_t now_ps, in_flight;
    GArray *done; /* heap of answer times not taken yet, earliest first */
};

#define AT(heap, i) g_array_index(heap, uint64_t, i)

/* Adds a time to the heap. */
static void push(GArray *heap, uint64_t time) {
    g_array_append_val(heap, time);
    for (guint i = heap->len - 1; i && AT(heap, (i - 1) / 2) > AT(heap, i); i = (i - 1) / 2) {
        uint64_t t = AT(heap, i);
        AT(heap, i) = AT(heap, (i - 1) / 2);
        AT(heap, (i - 1) / 2) = t;
    }
}

/* Removes the earliest time of the heap, which is not empty. */
static uint64_t pop(GArray *heap) {
    uint64_t first = AT(heap, 0), last = AT(heap, heap->len - 1);
    g_array_set_size(heap, heap->len - 1);
    for (guint i = 0; heap->len;) {
        guint child = 2 * i + 1;
        if (child + 1 < heap->len && AT(heap, child + 1) < AT(heap, child)) child++;
        if (child >= heap->len || AT(heap, child) >= last) {
            AT(heap, i) = last;
            break;
        }
        AT(heap, i) = AT(heap, child);
        i = child;
    }
    return first;
}

/* Notes the time of an answer. */
static void finished(struct drive *d, uint64_t done_ps) {
    push(d->done, done_ps);
    d->run->end_ps = MAX(d->run->end_ps, done_ps);
}

/* Callback of the model: a read is answered at done_ps. Adds its latency to run->reads and the
 * answer to d->done. */
static void read_done(void *user, const struct hbm_request *r, uint64_t done_ps) {
    struct drive *d = user;
    latencies_add(&d->run->reads, done_ps - r->at_ps);
    finished(d, done_ps);
}

/* Callback of the model: a write is answered at done_ps. Adds the answer to d->done. */
static void written(void *user, const struct hbm_request *r, uint64_t done_ps) {
    (void)r;
    finished(user, done_ps);
}

/* Callback of the model: a DRAM command. Passes it to the checker, and prints it to the file of
 * --commands. */
static void on_command(void *user, const struct dram_command *k) {
    struct dram_run *run = user;
    if (run->check) dram_watch_command(&run->watch, k);
    if (run->commands)
        fprintf(run->commands, "%llu %u %u %s %u %u %u\n", (unsigned long long)k->at, k->channel,
                k->pc, dram_command_name(k->kind), k->bank, k->row, k->column);
}

/* Takes answers up to now_ps out of the requests in flight. With `wait`, and if there were none,
 * advances the model until the next answer is certain, and now_ps to it. */
static void collect(struct drive *d, bool wait) {
    while (d->done->len && AT(d->done, 0) <= d->now_ps) {
        pop(d->done);
        d->in_flight--;
        wait = false;
    }
    while (wait) {
        uint64_t next = d->ops->next(d->hbm);
        if (d->done->len && AT(d->done, 0) <= next) {
            uint64_t first = pop(d->done);
            d->now_ps = MAX(d->now_ps, first);
            d->in_flight--;
            return;
        }
        d->ops->advance(d->hbm, next + 1);
    }
}

/* Submits `bytes` bytes from `address` at d->now_ps, one request for each 128-byte line that they
 * touch, and counts them in d->in_flight. The model may call back inside. */
static void submit(struct drive *d, uint64_t address, uint64_t bytes, bool write) {
    while (bytes) {
        uint64_t within = address % LINE, n = MIN(bytes, LINE - within);
        unsigned first = (unsigned)(within / SECTOR), last = (unsigned)((within + n - 1) / SECTOR);
        struct hbm_request r = {.at_ps = d->now_ps,
                                .line = address / LINE,
                                .sectors = (uint8_t)((2u << last) - (1u << first)),
                                .write = write,
                                .user = d->run->requests++};
        d->in_flight++;
        d->ops->submit(d->hbm, &r);
        address += n;
        bytes -= n;
    }
}

/* ---- the trace */

/* A line of the trace. asap: its time is "-". */
struct line {
    bool asap, write;
    uint64_t at_ps, address, bytes;
};

/* Error in line `number` of the trace. */
static heddle_err wrong(struct heddle_diag *diag, const char *name, unsigned number,
                        const char *what, const char *text) {
    return heddle_fail(diag, HEDDLE_ERR_ARGUMENT, "%s:%u: %s, not '%s'", name, number, what, text);
}

/* Reads "TIME R|W ADDRESS [BYTES]" into *l, which is zeros; changes the text. TIME is in ns, "-":
 * as soon as possible. @return HEDDLE_ERR_ARGUMENT, naming line `number` of `name`. */
static heddle_err parse(struct line *l, char *text, const char *name, unsigned number,
                        struct heddle_diag *diag) {
    char *field[5] = {0}, *save = NULL, *end;
    unsigned n = 0;
    for (char *f = strtok_r(text, " \t\r\n", &save); f && n < 5;
         f = strtok_r(NULL, " \t\r\n", &save))
        field[n++] = f;
    if (n < 3 || n > 4)
        return heddle_fail(diag, HEDDLE_ERR_ARGUMENT,
                           "%s:%u: 'TIME R|W ADDRESS [BYTES]' expected, %u field%s found", name,
                           number, n, n == 1 ? "" : "s");
    l->asap = strcmp(field[0], "-") == 0;
    if (!l->asap) {
        double ns = strtod(field[0], &end);
        if (*end || !(ns >= 0) || ns > 1e12)
            return wrong(diag, name, number, "a time in ns from 0 to 1e12 or '-' expected",
                         field[0]);
        l->at_ps = (uint64_t)llround(ns * 1000);
    }
    if (strcmp(field[1], "R") && strcmp(field[1], "W"))
        return wrong(diag, name, number, "R or W expected", field[1]);
    l->write = field[1][0] == 'W';
    errno = 0;
    l->address = strtoull(field[2], &end, 0);
    if (*end || errno || field[2][0] == '-')
        return wrong(diag, name, number, "an address expected", field[2]);
    l->bytes = SECTOR;
    if (n == 4) {
        errno = 0;
        l->bytes = strtoull(field[3], &end, 0);
        if (*end || errno || !l->bytes || l->bytes > MAX_BYTES || field[3][0] == '-')
            return wrong(diag, name, number, "1 to 1048576 bytes expected", field[3]);
    }
    return HEDDLE_OK;
}

/* Reads the whole trace and submits its requests, waiting for earlier ones where a line says "-".
 * Answers may still be due afterwards. @return HEDDLE_ERR_ARGUMENT (an error in the trace, with its
 * line) or IO. */
static heddle_err read_trace(struct drive *d, FILE *in, const char *name,
                             struct heddle_diag *diag) {
    const struct dram_spec *s = &d->run->spec;
    uint64_t size = (uint64_t)s->channels * s->pcs * s->pc_banks * s->rows * s->columns * s->atom;
    uint64_t last_ps = 0;
    char text[256];
    for (unsigned number = 1; fgets(text, sizeof text, in); number++) {
        struct line l = {0};
        if (!strchr(text, '\n') && !feof(in))
            return heddle_fail(diag, HEDDLE_ERR_ARGUMENT, "%s:%u: line too long", name, number);
        char *remark = strchr(text, '#');
        if (remark) *remark = '\0';
        if (!text[strspn(text, " \t\r\n")]) continue;
        heddle_err e = parse(&l, text, name, number, diag);
        if (e) return e;
        if (l.address >= size || l.bytes > size - l.address)
            return heddle_fail(diag, HEDDLE_ERR_ARGUMENT,
                               "%s:%u: address 0x%llx is beyond the memory, which has 0x%llx bytes",
                               name, number, (unsigned long long)l.address,
                               (unsigned long long)size);
        if (!l.asap && l.at_ps < last_ps)
            return heddle_fail(diag, HEDDLE_ERR_ARGUMENT,
                               "%s:%u: %g ns is before the %g ns of an earlier line", name, number,
                               (double)l.at_ps / 1000, (double)last_ps / 1000);
        if (l.asap) {
            while (d->in_flight >= d->run->outstanding) collect(d, true);
        } else {
            last_ps = l.at_ps;
            d->now_ps = MAX(d->now_ps, l.at_ps);
            collect(d, false);
        }
        submit(d, l.address, l.bytes, l.write);
    }
    if (ferror(in))
        return heddle_fail(diag, HEDDLE_ERR_IO, "%s: cannot be read: %s", name, strerror(errno));
    return HEDDLE_OK;
}

/* Creates the model and the checker, runs the trace `in` to its last answer, stores the results in
 * *run, whose input members the caller has filled in, and frees both. The caller frees
 * run->channel. @return HEDDLE_ERR_ARGUMENT (an error in the trace), IO, or an error of the model's
 * creation. */
heddle_err dram_run_trace(struct dram_run *run, FILE *in, const char *name,
                          struct heddle_diag *diag) {
    struct drive d = {.run = run};
    bool commands = run->check || run->commands;
    struct hbm_config config = {.num_channels = run->spec.channels,
                                .latency_ps = run->latency_ps,
                                .channel_bytes_per_s = run->channel_bytes_per_s,
                                .spec = &run->spec,
                                .command = commands ? on_command : NULL,
                                .command_user = run,
                                .written = written};
    heddle_err e = HEDDLE_OK;
    if (run->check) e = dram_check_create(&run->watch.check, &run->spec);
    if (e) return heddle_fail(diag, e, "%s", heddle_err_text(e));
    d.done = g_array_new(FALSE, FALSE, sizeof(uint64_t));
    e = hbm_create(run->model, &d.ops, &d.hbm, &config, read_done, &d, diag);
    if (!e) e = read_trace(&d, in, name, diag);
    while (!e && d.in_flight) collect(&d, true);
    if (!e) {
        run->channel = g_new0(struct hbm_stats, run->spec.channels);
        d.ops->stats(d.hbm, &run->stats);
        for (uint32_t i = 0; i < run->spec.channels; i++)
            d.ops->channel_stats(d.hbm, i, &run->channel[i]);
    }
    if (d.hbm) d.ops->free(d.hbm);
    dram_check_free(run->watch.check);
    run->watch.check = NULL;
    g_array_free(d.done, TRUE);
    return e;
}
