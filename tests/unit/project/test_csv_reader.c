/* test_csv_reader.c - rows of comma-separated values, and the lines that messages name. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "project/csv_reader.h"

/* Reads all rows and joins them: cells by '|', rows by their line and a line feed. */
static heddle_err joined(char *out, size_t size, const char *text, struct heddle_diag *diag) {
    struct csv_reader csv;
    char *copy = heddle_copy_text(text, "a test's text");
    bool more = true;
    size_t used = 0;
    heddle_err e;
    csv_begin(&csv, copy, strlen(copy), "f.csv");
    out[0] = '\0';
    while (!(e = csv_next(&csv, &more, diag)) && more) {
        used += (size_t)snprintf(out + used, size - used, "%u:", csv.row_line);
        for (size_t i = 0; i < csv.count; i++)
            used += (size_t)snprintf(out + used, size - used, "%s|", csv.cell[i]);
        used += (size_t)snprintf(out + used, size - used, "\n");
    }
    csv_end(&csv);
    free(copy);
    return e;
}

static void rows(const char *text, const char *expected) {
    char out[512];
    struct heddle_diag diag = {.text = ""};
    cr_assert_eq(joined(out, sizeof out, text, &diag), HEDDLE_OK, "%s", diag.text);
    cr_assert_str_eq(out, expected);
}

static void fails(const char *text, const char *message) {
    char out[512];
    struct heddle_diag diag = {.text = ""};
    cr_assert_eq(joined(out, sizeof out, text, &diag), HEDDLE_ERR_CONFIG);
    cr_assert_str_eq(diag.text, message);
}

Test(csv_reader, plain_and_quoted_cells) {
    rows("a,b\n1,2\n", "1:a|b|\n2:1|2|\n");
    rows("\"a\",\"b,c\"\n", "1:a|b,c|\n");
    rows("\"say \"\"x\"\"\",\"\"\n", "1:say \"x\"||\n");
    rows("a,,b", "1:a||b|\n");
    rows("a,b,\n", "1:a|b||\n");
    rows("a,", "1:a||\n");
    rows("", "");
}

Test(csv_reader, line_ends_and_their_numbers) {
    rows("a\r\nb\r\n", "1:a|\n2:b|\n");
    rows("\"a\r\nb\",c\r\nd", "1:a\r\nb|c|\n3:d|\n");
    rows("a\n\nb", "1:a|\n2:|\n3:b|\n");
    rows("a\rb,c", "1:a\rb|c|\n");
    rows("\xEF\xBB\xBF\"a\",b\n", "1:a|b|\n");
}

Test(csv_reader, quotes_within_plain_cells_are_letters) {
    rows("==PROF== \"k\",x\n", "1:==PROF== \"k\"|x|\n");
}

Test(csv_reader, damaged_quotes) {
    fails("a\n\"b\nc", "f.csv:2: a quote is not closed: the file is cut short");
    fails("\"a\"b,c\n", "f.csv:1: text behind a closing quote");
    fails("\"a\nb\"c\n", "f.csv:2: text behind a closing quote");
}

Test(csv_reader, files_that_cannot_be_read) {
    char *text;
    size_t size;
    struct heddle_diag diag = {0};
    cr_assert_eq(csv_load(&text, &size, "no-such-file.csv", &diag), HEDDLE_ERR_IO);
    cr_assert_str_eq(diag.text, "no-such-file.csv: cannot open: No such file or directory");
    cr_assert_eq(csv_load(&text, &size, "/", &diag), HEDDLE_ERR_IO);
    cr_assert_str_eq(diag.text, "/: a directory, not a file");
}
