/* monitor_page.c - makes the page of a monitor, once: its texts are those of the pages of reports
 * (runs/page.h) and of host/monitor/page. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "monitor/monitor_internal.h"
#include "runs/page.h"

/* Generated from files of host/monitor/page. */
extern const char monitor_style_css[], monitor_live_js[], monitor_map_js[], monitor_main_js[];

heddle_err monitor_page_make(struct monitor *m, struct heddle_diag *diag) {
    const char *const scripts[] = {monitor_live_js, monitor_map_js, monitor_main_js, NULL};
    json_t *program = json_string(m->o.program);
    json_t *data = json_pack("{s:o, s:s, s:s, s:i, s:i, s:i, s:i, s:b, s:o}", "program",
                             program ? program : json_null(), "gpu", m->o.gpu_name, "timing",
                             m->o.timing, "gpus", (int)m->o.gpus, "nodes", (int)m->o.nodes, "sms",
                             (int)m->o.sms, "sub_cores", (int)m->o.sub_cores, "timed",
                             (int)m->o.timed, "cpi", page_cpi_parts());
    char title[256];
    snprintf(title, sizeof title, "%.200s - Heddle", m->o.program);
    FILE *f = open_memstream(&m->page, &m->page_bytes);
    if (f) page_write_live(title, data, monitor_style_css, scripts, f);
    json_decref(data);
    if (f && fclose(f) == 0) return HEDDLE_OK;
    return heddle_fail(diag, HEDDLE_ERR_NOMEM, "out of memory for the monitor's page");
}
