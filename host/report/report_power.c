/* report_power.c - shows the energy of launches (power.h): objects of report.json, the line and the
 * table on the terminal. report_object.c, report_json.c and report_text.c call it on the thread
 * that writes the report.
 *
 * Functions that return json_t return a new object that the caller owns. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/power.h"
#include "report/report_internal.h"

double power_energy(const struct report *r, const struct gpu_kernel_record *k) {
    struct power p;
    return power_of(r->config, k, &p) ? (double)p.energy_nj : NAN;
}

double power_average(const struct report *r, const struct gpu_kernel_record *k) {
    struct power p;
    return power_of(r->config, k, &p) ? power_watts(&p) : NAN;
}

json_t *power_object(const struct report *r, const struct gpu_kernel_record *k) {
    struct power p;
    if (!power_of(r->config, k, &p)) return json_null();
    json_t *o = json_object(), *units = json_object();
    json_object_set_new(o, "energy", report_integer(p.energy_nj));
    json_object_set_new(o, "average_w", report_number(power_watts(&p)));
    for (unsigned u = 0; u < POWER_UNITS; u++)
        json_object_set_new(units, power_unit_rows[u].name, report_integer(p.unit_nj[u]));
    json_object_set_new(o, "units", units);
    return o;
}

/* ---- the whole run */

/* Of all launches whose energy is known. */
struct whole {
    struct power power;
    uint64_t launches, without; /* those that it has, and has not */
};

static struct whole sum_up(const struct report *r) {
    struct whole w = {.launches = 0};
    for (size_t i = 0; i < r->launches->num_groups; i++) {
        const struct report_group *g = &r->launches->group[i];
        struct power p;
        if (power_of(r->config, &g->sum, &p)) {
            power_add(&w.power, &p);
            w.launches += g->launches;
        } else {
            w.without += g->launches;
        }
    }
    return w;
}

/* Why there is no power; false: there is. */
static bool without_power(const struct report *r, const struct whole *w, char *out, size_t size) {
    if (!power_known(r->config))
        snprintf(out, size, "%s has no coefficients (power.model = none, docs/power.md)",
                 r->config->file);
    else if (!strcmp(r->timing, "none"))
        snprintf(out, size, "the run was functional (--timing none)");
    else if (!w->launches)
        snprintf(out, size, "no launch was timed");
    else
        return false;
    return true;
}

static double share(const struct power *p, unsigned unit) {
    return p->energy_nj ? (double)p->unit_nj[unit] / (double)p->energy_nj : 0;
}

json_t *power_run_object(const struct report *r) {
    const struct whole w = sum_up(r);
    char reason[700];
    json_t *o = json_object(), *units = json_array();
    const bool none = without_power(r, &w, reason, sizeof reason);
    json_object_set_new(o, "reason", none ? json_string(reason) : json_null());
    if (none) {
        json_decref(units);
        return o;
    }
    json_object_set_new(o, "energy_j", json_real((double)w.power.energy_nj * 1e-9));
    json_object_set_new(o, "average_w", report_number(power_watts(&w.power)));
    json_object_set_new(o, "time_s", json_real(w.power.seconds));
    json_object_set_new(o, "launches", report_integer(w.launches));
    json_object_set_new(o, "launches_without", report_integer(w.without));
    json_object_set_new(o, "idle_w", json_real(power_idle_watts(r->config)));
    json_object_set_new(o, "voltage", json_real(power_voltage(r->config)));
    for (unsigned u = 0; u < POWER_UNITS; u++)
        json_array_append_new(units,
                              json_pack("{s:s, s:f, s:f, s:s}", "name", power_unit_rows[u].name,
                                        "energy_j", (double)w.power.unit_nj[u] * 1e-9, "share",
                                        share(&w.power, u), "meaning", power_unit_rows[u].meaning));
    json_object_set_new(o, "units", units);
    return o;
}

/* ---- terminal */

/* Formats "1.61 mJ". */
static void joules(char *out, size_t size, uint64_t nj) {
    static const char *const unit[] = {"nJ", "uJ", "mJ", "J", "kJ"};
    double x = (double)nj;
    unsigned i = 0;
    for (; x >= 1000 && i < 4; i++) x /= 1000;
    snprintf(out, size, "%.3g %s", x, unit[i]);
}

/* Prints the units that take most. */
static void print_most(const struct power *p, FILE *out) {
    enum { MOST = 3 };
    bool told[POWER_UNITS] = {false};
    for (unsigned n = 0; n < MOST; n++) {
        unsigned most = POWER_UNITS;
        for (unsigned u = 0; u < POWER_UNITS; u++)
            if (!told[u] && (most == POWER_UNITS || p->unit_nj[u] > p->unit_nj[most])) most = u;
        told[most] = true;
        fprintf(out, "%s %s %.0f %%", n ? "," : ":", power_unit_rows[most].name,
                100 * share(p, most));
    }
    fputc('\n', out);
}

/* The columns of the table: units that belong together. */
enum power_column { CONSTANT, STATIC, ISSUE, UNITS, SM_MEMORY, L2_NETWORK, DRAM, POWER_COLUMNS };
static const struct {
    const char *head;
    unsigned from, to; /* units */
} power_columns[POWER_COLUMNS] = {
    [CONSTANT] = {"base", POWER_UNIT_CONSTANT, POWER_UNIT_CONSTANT},
    [STATIC] = {"static", POWER_UNIT_STATIC, POWER_UNIT_STATIC},
    [ISSUE] = {"issue", POWER_UNIT_ISSUE, POWER_UNIT_ISSUE},
    [UNITS] = {"exec", POWER_UNIT_REGISTERS, POWER_UNIT_TENSOR},
    [SM_MEMORY] = {"L1", POWER_UNIT_SHARED, POWER_UNIT_L1},
    [L2_NETWORK] = {"L2", POWER_UNIT_NETWORK, POWER_UNIT_L2},
    [DRAM] = {"DRAM", POWER_UNIT_DRAM, POWER_UNIT_LINK},
};

/* The width of a column, with the gap before it; the whole table has 80. */
static int width_of(unsigned column) {
    const int width = (int)strlen(power_columns[column].head) + 1;
    return width < 4 ? 4 : width;
}

/* Prints a line for each kernel: power, energy, and what share of it went where. */
static void print_table(const struct report *r, FILE *out) {
    struct report_sums list;
    size_t shown = 0;
    report_sums(r, &list);
    report_print_name("Power, % of the energy", out);
    fprintf(out, " %6s %8s", "W", "energy");
    for (unsigned c = 0; c < POWER_COLUMNS; c++)
        fprintf(out, "%*s", width_of(c), power_columns[c].head);
    fputc('\n', out);
    for (size_t i = 0; i < list.count && shown < REPORT_MOST_LINES; i++) {
        struct power p;
        char energy[32];
        if (!power_of(r->config, &list.of[i].k, &p)) continue;
        shown++;
        joules(energy, sizeof energy, p.energy_nj);
        report_print_name(list.of[i].k.name, out);
        fprintf(out, " %6.1f %8s", power_watts(&p), energy);
        for (unsigned c = 0; c < POWER_COLUMNS; c++) {
            double part = 0;
            for (unsigned u = power_columns[c].from; u <= power_columns[c].to; u++)
                part += share(&p, u);
            fprintf(out, "%*.0f", width_of(c), 100 * part);
        }
        fputc('\n', out);
    }
    free(list.of);
}

void power_print(const struct report *r, FILE *out) {
    const struct whole w = sum_up(r);
    char text[700];
    if (without_power(r, &w, text, sizeof text)) {
        if (r->power_table) fprintf(out, "Power: not known: %s\n", text);
        return;
    }
    if (r->power_table) print_table(r, out);
    joules(text, sizeof text, w.power.energy_nj);
    fprintf(out, "Power: %.1f W in kernels, %s", power_watts(&w.power), text);
    if (w.without) fprintf(out, " (of %llu launches)", (unsigned long long)w.launches);
    print_most(&w.power, out);
}
