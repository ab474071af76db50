/* project_json.c - writes the results of a projection as JSON (the document of docs/projection.md);
 * see project_output.h. cmd_project.c calls it on the main thread of `heddle project`. Functions
 * that return json_t return a new object that the caller owns. Numbers that are not finite (the
 * operational intensity of a level that no byte passes) become null. */
#include <jansson.h>
#include <math.h>

#include "project/project_output.h"

static const char *const levels[ROOFLINE_LEVELS] = {"l1", "l2", "dram"};

static json_t *number(double x) {
    return isfinite(x) ? json_real(x) : json_null();
}

/* A value for each level of memory: l1, l2, dram. */
static json_t *per_level(const double of[ROOFLINE_LEVELS]) {
    json_t *o = json_object();
    for (int i = 0; i < ROOFLINE_LEVELS; i++) json_object_set_new(o, levels[i], number(of[i]));
    return o;
}

/* The ceilings of one GPU, in operations/s and bytes/s. */
static json_t *ceilings(const struct project_roofs *r) {
    json_t *o = json_object();
    json_object_set_new(o, "performance", number(r->performance));
    json_object_set_new(o, "bandwidth", per_level(r->bandwidth));
    json_object_set_new(o, "roof", per_level(r->roof));
    return o;
}

/* Adds the time that was measured on a target, null where it was not given, and the centre's error
 * in percent of it. */
static void add_measured(json_t *o, double centre_us, double measured_us) {
    bool given = measured_us > 0;
    json_object_set_new(o, "measured_target_us", given ? json_real(measured_us) : json_null());
    json_object_set_new(o, "error_percent",
                        given ? json_real(project_error(centre_us, measured_us)) : json_null());
}

/* The projection of a kernel to one target: times, bounds, intensities, ceilings, confidence. */
static json_t *projection(const struct projection *p) {
    json_t *o = json_object();
    json_object_set_new(o, "low_us", number(p->low_us));
    json_object_set_new(o, "centre_us", number(p->centre_us));
    json_object_set_new(o, "high_us", number(p->high_us));
    json_object_set_new(o, "bound", json_string(project_bound_name(p->target_bound)));
    json_object_set_new(o, "source_bound", json_string(project_bound_name(p->source_bound)));
    json_object_set_new(o, "operations",
                        json_string(p->operations == OPERATIONS_FLOP ? "flop" : "instructions"));
    json_object_set_new(o, "oi", per_level(p->target.intensity));
    json_object_set_new(o, "ceilings", ceilings(&p->target));
    json_object_set_new(o, "source_oi", per_level(p->source.intensity));
    json_object_set_new(o, "source_ceilings", ceilings(&p->source));
    json_object_set_new(o, "achieved", number(p->achieved));
    json_object_set_new(o, "warp_instructions", number(p->warp_inst));
    json_object_set_new(o, "thread_instructions", number(p->thread_inst));
    json_object_set_new(o, "confidence", number(p->confidence));
    json_object_set_new(o, "why", json_string(p->why));
    return o;
}

/* Kernel i with its projection to each target, or with the error for which it was refused. */
static json_t *kernel(const struct project_results *r, size_t i) {
    const struct project_kernel *k = &r->kernels->at[i];
    json_t *o = json_object(), *targets = json_object();
    struct capability room;
    json_object_set_new(o, "name", json_string(k->name));
    json_object_set_new(o, "launch", json_integer((json_int_t)k->launch));
    json_object_set_new(o, "measured_us", number(k->of[METRIC_TIME]));
    json_object_set_new(o, "clock_mhz",
                        number(project_source(&room, r, i)->property[GPU_CLOCK].value));
    if (r->refused[i].err) {
        json_object_set_new(o, "error", json_string(r->refused[i].text));
    } else {
        for (size_t t = 0; t < r->num_targets; t++) {
            const struct projection *p = project_result(r, i, t);
            json_t *of_target = projection(p);
            json_object_set_new(of_target, "clock_mhz",
                                number(r->targets[t]->property[GPU_CLOCK].value));
            if (r->measured_target)
                add_measured(of_target, p->centre_us, project_measured(r, i, t));
            json_object_set_new(targets, r->targets[t]->name, of_target);
        }
    }
    json_object_set_new(o, "targets", targets);
    return o;
}

/* Times of all kernels or of the application: measured_us on the source, `of` for each target; with
 * --measured also those measured on the target. */
static json_t *totals(const struct project_results *r, double measured_us,
                      const struct project_total *of) {
    json_t *o = json_object(), *targets = json_object();
    json_object_set_new(o, "measured_us", number(measured_us));
    for (size_t t = 0; t < r->num_targets; t++) {
        const struct project_total *total = &of[t];
        json_t *of_target = json_pack("{s:f, s:f, s:f}", "low_us", total->low_us, "centre_us",
                                      total->centre_us, "high_us", total->high_us);
        if (r->measured_target)
            add_measured(of_target, total->centre_us, total->measured_target_us);
        json_object_set_new(targets, r->targets[t]->name, of_target);
    }
    json_object_set_new(o, "targets", targets);
    return o;
}

/* The application by its timeline, or by the sums of its kernels where that is not known; these
 * sums, over the kernels that were projected; and the number of those refused. */
static json_t *application(const struct project_results *r) {
    bool known = r->application_us > 0;
    json_t *o = totals(r, known ? r->application_us : r->measured_us,
                       known ? r->application : r->total);
    json_object_set_new(o, "timeline", json_boolean(known));
    json_object_set_new(o, "kernels", totals(r, r->measured_us, r->total));
    json_object_set_new(o, "refused", json_integer((json_int_t)r->num_refused));
    return o;
}

/* Writes the document to `f`. @return false: writing failed, errno may say why. */
bool project_write_json(const struct project_results *r, FILE *f) {
    json_t *root = json_object(), *list = json_array();
    json_object_set_new(root, "model", json_string(project_model_name(r->model)));
    json_object_set_new(root, "from", json_string(r->source->name));
    for (size_t i = 0; i < r->kernels->count; i++) json_array_append_new(list, kernel(r, i));
    json_object_set_new(root, "kernels", list);
    json_object_set_new(root, "application", application(r));
    bool good = json_dumpf(root, f, JSON_INDENT(2)) == 0 && fputc('\n', f) != EOF;
    json_decref(root);
    return good;
}
