/* plot_number.h - numbers in the texts of pictures. */
#ifndef HEDDLE_PROJECT_PLOT_NUMBER_H
#define HEDDLE_PROJECT_PLOT_NUMBER_H

#include <stdio.h>

/* A number as text. */
struct plot_number {
    char text[32];
};

/* At most four digits that matter below 1000, whole numbers from there. */
static inline struct plot_number plot_number(double x) {
    struct plot_number n;
    snprintf(n.text, sizeof n.text, x < 999.95 ? "%.4g" : x < 1e9 ? "%.0f" : "%.4g", x);
    return n;
}

#endif
