/* report_parameters.c - the GPU's parameters in report.json: each with its value, unit, source and
 * the place where it was set, so that a report says by itself what was simulated. report_json.c
 * calls it. */
#include <string.h>

#include "report/report_internal.h"

/* The value of a parameter as a new JSON value. */
static json_t *value_of(const struct config *c, const struct parameter_row *row) {
    const void *value = (const char *)c + row->offset;
    switch (row->type) {
    case PARAMETER_TEXT: return json_string(value);
    case PARAMETER_REAL: return report_number(*(const double *)value);
    case PARAMETER_UINT: break;
    }
    return report_integer(*(const uint64_t *)value);
}

json_t *report_parameters_array(const struct config *c) {
    json_t *list = json_array();
    for (unsigned i = 0; i < CONFIG_NUM_PARAMS; i++) {
        const struct parameter_row *row = &config_rows[i];
        const struct parameter_origin *origin = &c->origin[i];
        if (!*origin->where) continue; /* of a memory device that this GPU does not describe */
        json_t *o = json_object();
        json_object_set_new(o, "name", json_string(row->key));
        json_object_set_new(o, "value", value_of(c, row));
        json_object_set_new(o, "unit", json_string(row->unit));
        json_object_set_new(o, "status", json_string(origin->status));
        json_object_set_new(o, "source", json_string(origin->source));
        json_object_set_new(o, "where", json_string(origin->where));
        json_object_set_new(o, "set", json_boolean(!strncmp(origin->where, "--set", 5)));
        json_array_append_new(list, o);
    }
    return list;
}
