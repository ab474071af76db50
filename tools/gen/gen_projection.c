/* gen_projection.c - prints docs/projection-metrics.md to standard output; a test compares it with
 * the page. host/project/metrics_page.c makes the page from the tables. */
#include "project/metrics_page.h"

int main(void) {
    metrics_page_print(stdout);
    return 0;
}
