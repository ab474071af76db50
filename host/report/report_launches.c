/* report_launches.c - takes the launches and copies of a run as they end: writes each into a
 * compressed file, adds it to the sum of its kernel and shape, and keeps the first and the last of
 * each GPU; see report.h.
 *
 * `heddle run` creates it before the program starts. GPUs call report_launches_add() and copy() on
 * the server's thread, between windows. cli/run_report.c ends it, and the files of host/report read
 * it. Out of memory ends the process. */
#include <stdlib.h>
#include <string.h>

#include "common/crc32c.h"
#include "common/memory.h"
#include "report/report_internal.h"

static const char LAUNCHES[] = "the launches of the report";
static const char copies_head[] = "device,stream,kind,bytes,start_ps,end_ps\n";

/* ---- files */

/* Begins a file of the directory with its head. */
static heddle_err open_file(struct report_packed *p, const char *directory, const char *name,
                            const char *head, size_t n, struct heddle_diag *diag) {
    char path[1200];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    heddle_err e = packed_writer_open(&p->writer, path, diag);
    if (!e) packed_writer_put(p->writer, head, n);
    return e;
}

/* Ends a file, if there is one. */
static heddle_err end_file(struct report_packed *p, struct heddle_diag *diag) {
    if (!p->writer) return HEDDLE_OK;
    heddle_err e = packed_writer_commit(p->writer, &p->rows, &p->sum, diag);
    p->writer = NULL;
    p->ended = !e;
    p->rows--; /* the head */
    return e;
}

/* @return whether launches were timed, so that report.json has more of each than its columns. */
static bool is_timed(const struct report_launches *l) {
    return strcmp(l->head.timing, "none") != 0;
}

/* Writes a launch's object as the last cell, in quotes. report.json has those of the first launches
 * of a GPU: their cells are empty. */
static void put_object(struct report_launches *l, const struct gpu_kernel_record *k) {
    json_t *o = report_kernel_object(&l->head, k);
    json_object_del(o, "wall_s"); /* the file is the same bytes in every run */
    char *text = json_dumps(o, JSON_COMPACT | JSON_REAL_PRECISION(9));
    packed_writer_put(l->kernels_file.writer, "\"", 1);
    for (const char *from = text, *quote; *from; from = quote) {
        quote = from + strcspn(from, "\"");
        if (*quote) quote++;
        packed_writer_put(l->kernels_file.writer, from, (size_t)(quote - from));
        if (quote[-1] == '"') packed_writer_put(l->kernels_file.writer, "\"", 1);
    }
    packed_writer_put(l->kernels_file.writer, "\"", 1);
    free(text);
    json_decref(o);
}

/* Writes a launch's line; `n`: how many of its GPU came before it. */
static void put_launch(struct report_launches *l, const struct gpu_kernel_record *k,
                       const char *csv_name, uint64_t n) {
    char small[REPORT_ROW + 400], *row = small;
    size_t name = strlen(csv_name);
    if (!l->kernels_file.writer) return;
    if (name > 390) row = heddle_alloc(REPORT_ROW + name + 10, LAUNCHES);
    size_t length = report_csv_row(&l->head, k, csv_name, row);
    if (is_timed(l)) row[length++] = ',';
    if (!is_timed(l) || n < REPORT_KEPT) row[length++] = '\n';
    packed_writer_put(l->kernels_file.writer, row, length);
    if (row != small) free(row);
    if (!is_timed(l) || n < REPORT_KEPT) return;
    put_object(l, k);
    packed_writer_put(l->kernels_file.writer, "\n", 1);
}

struct report_launches *report_launches_create(const struct config *config, const char *timing) {
    struct report_launches *l = heddle_alloc(sizeof *l, LAUNCHES);
    l->head = (struct report){.config = config, .timing = timing};
    return l;
}

heddle_err report_launches_open(struct report_launches *l, const char *directory,
                                struct heddle_diag *diag) {
    char head[REPORT_ROW];
    size_t n = report_csv_head(head, sizeof head - 20);
    n += (size_t)snprintf(head + n, sizeof head - n, is_timed(l) ? ",object\n" : "\n");
    heddle_err e = open_file(&l->kernels_file, directory, "kernels.csv.zst", head, n, diag);
    return e ? e
             : open_file(&l->copies_file, directory, "copies.csv.zst", copies_head,
                         sizeof copies_head - 1, diag);
}

void report_launches_free(struct report_launches *l) {
    if (!l) return;
    packed_writer_abandon(l->kernels_file.writer);
    packed_writer_abandon(l->copies_file.writer);
    for (size_t i = 0; i < l->num_groups; i++) {
        free((char *)(uintptr_t)l->group[i].sum.name);
        free((struct exec_special *)(uintptr_t)l->group[i].sum.special);
        free(l->group[i].csv_name);
    }
    for (size_t d = 0; d < l->num_devices; d++) {
        struct gpu_kernel_record *k = (struct gpu_kernel_record *)(void *)l->kernels_of[d].of;
        uint64_t n = l->kernels_of[d].count;
        for (uint64_t i = 0; i < n && i < 2 * REPORT_KEPT; i++)
            free((struct exec_special *)(uintptr_t)k[i].special);
        free(k);
        free(l->copies_of[d].of);
    }
    free(l->group);
    free(l->slot);
    free(l->kernels_of);
    free(l->copies_of);
    free(l->kernels);
    free(l->copies);
    free(l);
}

/* ---- sums */

/* Whether a launch belongs to the group. */
static bool is_of(const struct report_group *g, const struct gpu_kernel_record *k) {
    const struct gpu_kernel_record *s = &g->sum;
    return s->device == k->device && s->untimed == k->untimed && s->estimated == k->estimated &&
           s->stopped == k->stopped && s->stratum == k->stratum && s->regs == k->regs &&
           s->shared_bytes == k->shared_bytes && s->shared_config == k->shared_config &&
           !memcmp(s->grid, k->grid, sizeof k->grid) &&
           !memcmp(s->block, k->block, sizeof k->block) && !strcmp(s->name, k->name);
}

static uint32_t hash_of(const struct gpu_kernel_record *k) {
    uint32_t sum = crc32c(k->device, k->name, strlen(k->name));
    sum = crc32c(sum, k->grid, sizeof k->grid);
    sum = crc32c(sum, k->block, sizeof k->block);
    return sum ^ k->stratum ^ k->shared_bytes ^ (uint32_t)k->estimated << 31;
}

/* Enters group number i into the hash table, which has room. */
static void enter(struct report_launches *l, size_t i) {
    size_t at = hash_of(&l->group[i].sum) & (l->num_slots - 1);
    while (l->slot[at]) at = (at + 1) & (l->num_slots - 1);
    l->slot[at] = (uint32_t)i + 1;
}

/* Adds an empty group for launches like k. */
static struct report_group *add_group(struct report_launches *l,
                                      const struct gpu_kernel_record *k) {
    l->group = heddle_grow(l->group, &l->cap_groups, l->num_groups + 1, sizeof *l->group, LAUNCHES);
    struct report_group *g = &l->group[l->num_groups];
    *g = (struct report_group){.sum = {.name = heddle_copy_text(k->name, LAUNCHES),
                                       .launch = k->launch,
                                       .device = k->device,
                                       .stream = k->stream,
                                       .regs = k->regs,
                                       .shared_bytes = k->shared_bytes,
                                       .shared_config = k->shared_config,
                                       .resident_ctas = k->resident_ctas,
                                       .occupancy_limit = k->occupancy_limit,
                                       .code = k->code,
                                       .stratum = k->stratum},
                               .csv_name = heddle_alloc(2 * strlen(k->name) + 3, LAUNCHES)};
    report_csv_quote(k->name, g->csv_name);
    memcpy(g->sum.grid, k->grid, sizeof k->grid);
    memcpy(g->sum.block, k->block, sizeof k->block);
    g->sum.untimed = k->untimed;
    g->sum.stopped = k->stopped;
    g->sum.estimated = k->estimated;
    if (2 * ++l->num_groups <= l->num_slots) {
        enter(l, l->num_groups - 1);
        return g;
    }
    l->num_slots = l->num_slots ? 2 * l->num_slots : 64;
    free(l->slot);
    l->slot = heddle_alloc_array(l->num_slots, sizeof *l->slot, LAUNCHES);
    for (size_t i = 0; i < l->num_groups; i++) enter(l, i);
    return g;
}

/* The group of a launch, which may be new. */
static struct report_group *group_of(struct report_launches *l, const struct gpu_kernel_record *k) {
    if (l->num_groups && is_of(&l->group[l->recent], k)) return &l->group[l->recent];
    size_t at = l->num_slots ? hash_of(k) & (l->num_slots - 1) : 0;
    for (; l->num_slots && l->slot[at]; at = (at + 1) & (l->num_slots - 1)) {
        l->recent = l->slot[at] - 1;
        if (is_of(&l->group[l->recent], k)) return &l->group[l->recent];
    }
    l->recent = l->num_groups;
    return add_group(l, k);
}

/* Adds special operations to those of a sum, by form. */
static void add_special(struct gpu_kernel_record *sum, const struct gpu_kernel_record *k) {
    struct exec_special *list = (struct exec_special *)(uintptr_t)sum->special;
    for (uint32_t i = 0; i < k->num_special; i++) {
        const struct exec_special *s = &k->special[i];
        uint32_t at = 0;
        if (!s->warps) continue;
        while (at < sum->num_special && strcmp(list[at].form, s->form)) at++;
        if (at == sum->num_special) {
            struct exec_special *more = heddle_alloc_array(at + 1, sizeof *more, LAUNCHES);
            if (at) memcpy(more, list, at * sizeof *more);
            free(list);
            sum->special = list = more;
            sum->num_special++;
            list[at].form = s->form;
        }
        list[at].warps += s->warps;
        list[at].threads += s->threads;
        list[at].slow_threads += s->slow_threads;
    }
}

/* ---- those that are kept */

/* Makes room for the lists of a device. */
static void reserve_device(struct report_launches *l, uint32_t device) {
    if (device < l->num_devices) return;
    size_t need = device + 1;
    l->kernels_of = heddle_grow(l->kernels_of, &l->cap_kernels_of, need, sizeof *l->kernels_of,
                                LAUNCHES);
    l->copies_of = heddle_grow(l->copies_of, &l->cap_copies_of, need, sizeof *l->copies_of,
                               LAUNCHES);
    for (; l->num_devices < need; l->num_devices++)
        l->kernels_of[l->num_devices] = l->copies_of[l->num_devices] = (struct report_kept){0};
}

/* Place of element number i in a list. */
static size_t kept_place(uint64_t i) {
    return i < REPORT_KEPT ? i : REPORT_KEPT + (i - REPORT_KEPT) % REPORT_KEPT;
}

/* @return room for the next element of `size` bytes, which replaces an old one once there are
 * enough. */
static void *keep(struct report_kept *list, size_t size) {
    size_t at = kept_place(list->count++);
    list->of = heddle_grow(list->of, &list->capacity, at + 1, size, LAUNCHES);
    return list->of + at * size;
}

void report_launches_add(void *user, const struct gpu_kernel_record *k) {
    struct report_launches *l = user;
    struct report_group *g = group_of(l, k);
    reserve_device(l, k->device);
    struct report_kept *list = &l->kernels_of[k->device];
    put_launch(l, k, g->csv_name, list->count);
    const bool replaces = list->count >= 2 * REPORT_KEPT;
    struct gpu_kernel_record *kept = keep(list, sizeof *kept);
    if (replaces) free((struct exec_special *)(uintptr_t)kept->special);
    *kept = *k;
    kept->name = g->sum.name;
    kept->special = NULL;
    if (k->num_special) {
        struct exec_special *copy = heddle_alloc_array(k->num_special, sizeof *copy, LAUNCHES);
        memcpy(copy, k->special, k->num_special * sizeof *copy);
        kept->special = copy;
        add_special(&g->sum, k);
    }
    report_add(&g->sum, k);
    report_add_spots(&g->sum, k);
    g->launches++;
    l->count++;
}

void report_launches_copy(void *user, const struct gpu_copy_record *c) {
    struct report_launches *l = user;
    char row[200];
    reserve_device(l, c->device);
    *(struct gpu_copy_record *)keep(&l->copies_of[c->device], sizeof *c) = *c;
    l->num_all_copies++;
    if (!l->copies_file.writer) return;
    int n = snprintf(row, sizeof row, "%u,%u,%s,%llu,%llu,%llu\n", c->device, c->stream,
                     report_copy_kind(c->kind), (unsigned long long)c->bytes,
                     (unsigned long long)c->start_ps, (unsigned long long)c->end_ps);
    packed_writer_put(l->copies_file.writer, row, (size_t)n);
}

/* Appends the elements of a list, the oldest first, to *out, which has *count. */
static void collect(const struct report_kept *list, size_t size, char **out, size_t *count) {
    const uint64_t all = list->count, most = 2 * REPORT_KEPT;
    size_t n = all < most ? all : most;
    char *to = heddle_alloc_array(*count + n, size, LAUNCHES);
    if (*count) memcpy(to, *out, *count * size);
    free(*out);
    *out = to;
    to += *count * size;
    *count += n;
    for (uint64_t i = 0; i < all; i++, to += size) {
        if (i == REPORT_KEPT && all > most) i = all - REPORT_KEPT;
        memcpy(to, list->of + kept_place(i) * size, size);
    }
}

void report_launches_list(struct report_launches *l) {
    char *kernels = NULL, *copies = NULL;
    free(l->kernels);
    free(l->copies);
    l->num_kernels = l->num_copies = 0;
    for (size_t d = 0; d < l->num_devices; d++) {
        collect(&l->kernels_of[d], sizeof *l->kernels, &kernels, &l->num_kernels);
        collect(&l->copies_of[d], sizeof *l->copies, &copies, &l->num_copies);
    }
    l->kernels = (struct gpu_kernel_record *)(void *)kernels;
    l->copies = (struct gpu_copy_record *)(void *)copies;
}

heddle_err report_launches_end(struct report_launches *l, struct heddle_diag *diag) {
    report_launches_list(l);
    heddle_err e = end_file(&l->kernels_file, diag);
    heddle_err other = end_file(&l->copies_file, e ? NULL : diag);
    return e ? e : other;
}

uint64_t report_launches_on(const struct report_launches *l, uint32_t device) {
    return device < l->num_devices ? l->kernels_of[device].count : 0;
}

uint64_t report_launches_copies_on(const struct report_launches *l, uint32_t device) {
    return device < l->num_devices ? l->copies_of[device].count : 0;
}

uint64_t report_launches_count(const struct report_launches *l) {
    return l->count;
}
