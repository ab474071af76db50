/* linear_program.c - the simplex method in two phases, with a dense table; see linear_program.h.
 * ptx_weights.c calls linear_minimum() on the main thread of `heddle project`. Out of memory ends
 * the process.
 *
 * Each row has a column of its own that is its slack (of LINEAR_AT_MOST) or an artificial one. The
 * first phase minimizes the sum of the artificial columns, the second one the caller's function
 * without them. The entering column is the first one that lowers the function (Bland's rule), so
 * that the method cannot run in circles. */
#include "project/linear_program.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"

/* Numbers below are 0; sums of artificial columns up to `met` are no violation. */
static const double tiny = 1e-9, met = 1e-7;
/* Steps for each row and column, after which rounding must be the reason. */
enum { MOST_STEPS = 50 };

/* The table: rows of `width` numbers, the last of which is the limit; then the row of the function.
 * Columns: the caller's, a slack for each row, an artificial one for each row. */
struct table {
    size_t columns, rows, width;
    double *at;
    size_t *basis; /* [row]: the column that the row determines */
};

static double *row_of(const struct table *t, size_t row) {
    return t->at + row * t->width;
}

/* Makes a column the one that a row determines. */
static void pivot(struct table *t, size_t row, size_t column) {
    double *own = row_of(t, row), by = own[column];
    for (size_t i = 0; i < t->width; i++) own[i] /= by;
    for (size_t r = 0; r <= t->rows; r++) {
        double *other = row_of(t, r), times = other[column];
        if (r == row || times == 0) continue;
        for (size_t i = 0; i < t->width; i++) other[i] -= times * own[i];
        other[column] = 0;
    }
    t->basis[row] = column;
}

/* The row that limits a column most; of equal ones that of the first column. t->rows: none. */
static size_t limiting_row(const struct table *t, size_t column) {
    size_t best = t->rows;
    double least = INFINITY;
    for (size_t r = 0; r < t->rows; r++) {
        const double *row = row_of(t, r);
        if (row[column] <= tiny) continue;
        double most = row[t->width - 1] / row[column];
        bool equal = best < t->rows && fabs(most - least) <= tiny;
        if (equal ? t->basis[r] < t->basis[best] : most < least) {
            best = r;
            least = fmin(least, most);
        }
    }
    return best;
}

/* Lowers the function of the last row until no column of the first `columns` lowers it. */
static enum linear_result minimize(struct table *t, size_t columns) {
    size_t steps = MOST_STEPS * (t->rows + columns);
    while (steps--) {
        const double *cost = row_of(t, t->rows);
        size_t column = 0;
        while (column < columns && cost[column] >= -tiny) column++;
        if (column == columns) return LINEAR_FOUND;
        size_t row = limiting_row(t, column);
        if (row == t->rows) return LINEAR_UNBOUNDED;
        pivot(t, row, column);
    }
    return LINEAR_UNDECIDED;
}

/* Sets the function of the last row: `cost` of `count` columns, expressed by those that no row
 * determines. */
static void set_function(struct table *t, const double *cost, size_t count) {
    double *last = row_of(t, t->rows);
    memset(last, 0, t->width * sizeof *last);
    memcpy(last, cost, count * sizeof *cost);
    for (size_t r = 0; r < t->rows; r++) {
        double times = t->basis[r] < count ? cost[t->basis[r]] : 0;
        const double *row = row_of(t, r);
        for (size_t i = 0; times != 0 && i < t->width; i++) last[i] -= times * row[i];
    }
}

/* Makes the table of a problem. A row that its slack cannot determine has an artificial column. */
static void table_make(struct table *t, const struct linear_program *p) {
    static const char what[] = "a linear program";
    *t = (struct table){
        .columns = p->columns, .rows = p->rows, .width = p->columns + 2 * p->rows + 1};
    t->at = heddle_alloc_array((t->rows + 1) * t->width, sizeof *t->at, what);
    t->basis = heddle_alloc_array(t->rows + 1, sizeof *t->basis, what);
    for (size_t r = 0; r < t->rows; r++) {
        double *row = row_of(t, r), sign = p->limit[r] < 0 ? -1 : 1;
        bool slack = p->sense[r] == LINEAR_AT_MOST;
        for (size_t i = 0; i < p->columns; i++) row[i] = sign * p->factor[r * p->columns + i];
        row[t->width - 1] = sign * p->limit[r];
        if (slack) row[p->columns + r] = sign;
        size_t artificial = p->columns + t->rows + r;
        row[artificial] = 1;
        t->basis[r] = slack && sign > 0 ? p->columns + r : artificial;
    }
}

/* Finds any x that meets all rows, and takes the artificial columns out of the table. */
static enum linear_result find_any(struct table *t) {
    size_t real = t->columns + t->rows;
    double *cost = heddle_alloc_array(t->width, sizeof *cost, "a linear program");
    for (size_t r = 0; r < t->rows; r++) cost[real + r] = 1;
    set_function(t, cost, t->width - 1);
    free(cost);
    enum linear_result result = minimize(t, real);
    if (result != LINEAR_FOUND) return result;
    if (-row_of(t, t->rows)[t->width - 1] > met) return LINEAR_IMPOSSIBLE;
    for (size_t r = 0; r < t->rows; r++) { /* an artificial column of 0 may still be in a row */
        const double *row = row_of(t, r);
        size_t column = 0;
        if (t->basis[r] < real) continue;
        while (column < real && fabs(row[column]) <= tiny) column++;
        if (column < real) pivot(t, r, column);
    }
    return LINEAR_FOUND;
}

/* *x: where the sum of cost * x is least. */
enum linear_result linear_minimum(const struct linear_program *p, const double *cost, double *x) {
    struct table t;
    table_make(&t, p);
    enum linear_result result = find_any(&t);
    if (result == LINEAR_FOUND) {
        set_function(&t, cost, p->columns);
        result = minimize(&t, p->columns + p->rows);
    }
    memset(x, 0, p->columns * sizeof *x);
    for (size_t r = 0; r < p->rows && result == LINEAR_FOUND; r++)
        if (t.basis[r] < p->columns) x[t.basis[r]] = fmax(0, row_of(&t, r)[t.width - 1]);
    free(t.at);
    free(t.basis);
    return result;
}
