/* gen_projection.c - prints docs/projection-metrics.md. */
#include "project/metrics_page.h"

int main(void) {
    metrics_page_print(stdout);
    return 0;
}
