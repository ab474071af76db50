/* report_csv.c - formats the lines of kernels.csv and kernels.csv.zst from
 * tables/kernel_record.def. report_launches.c calls it for each launch as it ends, so it formats
 * numbers by hand: printf() would take most of the time of a functional run of many small launches.
 * */
#include <stdio.h>
#include <string.h>

#include "report/report_internal.h"

/* The form of a column. */
enum form {
    NAME,
    COUNT,
    FLAG,
    HASH,
    SHAPE,
    SECONDS,
    RATIO,
    COLUMN,
    OBJECT,
    SPECIAL,
    CODE,
    HIDDEN,
    PARTS
};
/* More than the number of columns. */
enum { PLACES = 48 };

size_t report_csv_head(char *out, size_t size) {
    struct {
        const char *name;
        enum form form;
    } column[PLACES] = {{NULL, NAME}};
    size_t n = 0;
#define HEAD(name_, form_, csv)   \
    if (csv) {                    \
        column[csv].name = name_; \
        column[csv].form = form_; \
    }
#define MEMBER(type, member, array, sum, name, form, csv, unit, meaning) HEAD(name, form, csv)
#define DERIVED(name, form, value, csv, unit, meaning) HEAD(name, form, csv)
#include "tables/kernel_record.def"
    for (unsigned c = 1; c < PLACES; c++) {
        if (!column[c].name) continue; /* a shape takes three places */
        const char *comma = c > 1 ? "," : "", *name = column[c].name;
        n += (size_t)(column[c].form == SHAPE
                          ? snprintf(out + n, size - n, "%s%s_x,%s_y,%s_z", comma, name, name, name)
                          : snprintf(out + n, size - n, "%s%s", comma, name));
    }
    return n;
}

/* Writes a number. @return behind it. */
static char *put_count(char *out, uint64_t x) {
    char digits[20];
    unsigned n = 0;
    do digits[n++] = (char)('0' + x % 10);
    while (x /= 10);
    while (n) *out++ = digits[--n];
    return out;
}

static char *put_shape(char *out, const uint32_t v[3]) {
    for (unsigned i = 0; i < 3; i++) {
        if (i) *out++ = ',';
        out = put_count(out, v[i]);
    }
    return out;
}

/* An undefined ratio has an empty cell. */
static char *put_ratio(char *out, double x) {
    return isfinite(x) ? out + snprintf(out, 32, "%.6g", x) : out;
}

static char *put_hash(char *out, uint64_t x) {
    static const char digit[] = "0123456789abcdef";
    for (unsigned i = 16; i-- > 0;) *out++ = digit[x >> 4 * i & 15];
    return out;
}

/* Formats the cells in the table's order into a block, and then joins them in the order of the
 * columns. */
size_t report_csv_row(const struct report *r, const struct gpu_kernel_record *k,
                      const char *csv_name, char *out) {
    struct {
        const char *text;
        size_t n;
    } cell[PLACES] = {{NULL, 0}};
    char block[REPORT_ROW], *at = block, *begin = out;
#define PUT_NAME(value) (cell[place].text = csv_name, cell[place].n = strlen(csv_name))
#define PUT_COUNT(value) at = put_count(at, value)
#define PUT_FLAG(value) at = put_count(at, value)
#define PUT_HASH(value) at = put_hash(at, value)
#define PUT_SHAPE(value) at = put_shape(at, value)
#define PUT_RATIO(value) at = put_ratio(at, value)
#define PUT_SECONDS PUT_RATIO
#define PUT_COLUMN PUT_RATIO
#define PUT_CODE(value)
#define PUT_OBJECT(value)
#define PUT_SPECIAL(value)
#define PUT_HIDDEN(value)
#define PUT_PARTS(value)
#define CELL(csv, put)                           \
    if (csv) {                                   \
        enum { place = csv };                    \
        char *from = at;                         \
        put;                                     \
        if (!cell[place].text) {                 \
            cell[place].text = from;             \
            cell[place].n = (size_t)(at - from); \
        }                                        \
    }
#define MEMBER(type, member, array, sum, name, form, csv, unit, meaning) \
    CELL(csv, PUT_##form(k->member))
#define DERIVED(name, form, value, csv, unit, meaning) CELL(csv, PUT_##form(value))
#include "tables/kernel_record.def"
    for (unsigned c = 1; c < PLACES; c++) {
        if (!cell[c].text) continue;
        if (c > 1) *out++ = ',';
        memcpy(out, cell[c].text, cell[c].n);
        out += cell[c].n;
    }
    return (size_t)(out - begin);
}
