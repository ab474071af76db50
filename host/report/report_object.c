/* report_object.c - a launch as an object of report.json, from tables/kernel_record.def, and the
 * names of kinds of copies. report_json.c calls it for the launches that are listed,
 * report_launches.c for the others. Functions that return json_t return a new object that the
 * caller owns. */
#include <stdio.h>
#include <string.h>

#include "common/carveout.h"
#include "report/diagnosis.h"
#include "report/report_internal.h"

const char *report_copy_kind(gpu_copy_kind kind) {
    static const char *const kinds[] = {[GPU_COPY_HOST_TO_DEVICE] = "host to device",
                                        [GPU_COPY_DEVICE_TO_HOST] = "device to host",
                                        [GPU_COPY_DEVICE_TO_DEVICE] = "device to device",
                                        [GPU_MEMSET] = "fill"};
    return kinds[kind];
}

static json_t *triple(const uint32_t v[3]) {
    return json_pack("[i,i,i]", v[0], v[1], v[2]);
}

static json_t *hash_text(uint64_t hash) {
    char text[24];
    snprintf(text, sizeof text, "%016llx", (unsigned long long)hash);
    return json_string(text);
}

/* A kernel's CPI stack; null if it was not timed. */
static json_t *stack_object(const struct gpu_kernel_record *k) {
    json_t *stack = k->sub_core_cycles ? json_object() : json_null();
    for (unsigned p = 0; k->sub_core_cycles && p < CPI_PARTS; p++)
        json_object_set_new(stack, cpi_name(p), report_integer(cpi_cycles(k, p)));
    return stack;
}

/* @return whether the core counted the launch's traffic. That of an empty kernel, whose execution
 * takes no cycle, is counted as well, as 0. */
static bool has_curves(const struct report *r, const struct gpu_kernel_record *k) {
    return !k->untimed && !k->estimated && strcmp(r->timing, "none");
}

/* Device memory's traffic behind the GPU's own L2 and larger ones; null if it was not timed. */
static json_t *curve_object(const struct report *r, const struct gpu_kernel_record *k) {
    if (!has_curves(r, k)) return json_null();
    json_t *capacities = json_array(), *reads = json_array(), *writes = json_array();
    for (uint32_t i = 0; i < CACHE_POINTS; i++) {
        uint64_t capacity = cache_curve_capacity(i, r->config->l2_bytes);
        if (!capacity) continue;
        json_array_append_new(capacities, report_integer(capacity));
        json_array_append_new(reads, report_integer(k->curve_read_bytes[i]));
        json_array_append_new(writes, report_integer(k->curve_write_bytes[i]));
    }
    json_t *o = json_object();
    json_object_set_new(o, "capacity_bytes", capacities);
    json_object_set_new(o, "read_bytes", reads);
    json_object_set_new(o, "write_bytes", writes);
    return o;
}

/* Traffic between L1 and L2 with other capacities of L1; null if it was not timed. */
static json_t *l1_curve_object(const struct report *r, const struct gpu_kernel_record *k) {
    if (!has_curves(r, k)) return json_null();
    const struct config *c = r->config;
    const uint32_t lines = carveout_l1_lines(c, k->shared_config);
    json_t *capacities = json_array(), *bytes = json_array();
    for (uint32_t i = 0; i < L1_POINTS; i++) {
        json_array_append_new(capacities, report_integer(l1_curve_capacity(i)));
        json_array_append_new(bytes, report_integer(k->l1_curve_bytes[i]));
    }
    json_t *o = json_object();
    json_object_set_new(
        o, "own_bytes",
        report_integer((lines ? lines : c->l1_sets * c->l1_ways) * c->l1_line_bytes));
    json_object_set_new(o, "capacity_bytes", capacities);
    json_object_set_new(o, "bytes", bytes);
    return o;
}

/* The special operations that the launch executed. */
static json_t *special_list(const struct gpu_kernel_record *k) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < k->num_special; i++) {
        const struct exec_special *s = &k->special[i];
        if (!s->warps) continue;
        json_t *o = json_object();
        json_object_set_new(o, "form", json_string(s->form));
        json_object_set_new(o, "warps", report_integer(s->warps));
        json_object_set_new(o, "threads", report_integer(s->threads));
        json_object_set_new(o, "slow_threads", report_integer(s->slow_threads));
        json_array_append_new(list, o);
    }
    return list;
}

/* A launch, with the members of tables/kernel_record.def, each in its form; `r` serves those that
 * are derived. */
json_t *report_kernel_object(const struct report *r, const struct gpu_kernel_record *k) {
    json_t *o = json_object();
#define JSON_NAME(name, value) json_object_set_new(o, name, json_string(value));
#define JSON_COUNT(name, value) json_object_set_new(o, name, report_integer(value));
#define JSON_FLAG(name, value) json_object_set_new(o, name, json_boolean(value));
#define JSON_SHAPE(name, value) json_object_set_new(o, name, triple(value));
#define JSON_HASH(name, value) json_object_set_new(o, name, hash_text(value));
#define JSON_RATIO(name, value) json_object_set_new(o, name, report_number(value));
#define JSON_SECONDS(name, value) json_object_set_new(o, name, report_number(value));
#define JSON_OBJECT(name, value) json_object_set_new(o, name, value);
#define JSON_COLUMN(name, value)
#define JSON_CODE(name, value)
#define JSON_SPECIAL(name, value) json_object_set_new(o, name, special_list(k));
#define JSON_HIDDEN(name, value)
#define JSON_PARTS(name, value)
#define MEMBER(type, member, array, sum, name, form, csv, unit, meaning) \
    JSON_##form(name, k->member)
#define DERIVED(name, form, value, csv, unit, meaning) JSON_##form(name, value)
#include "tables/kernel_record.def"
    return o;
}
