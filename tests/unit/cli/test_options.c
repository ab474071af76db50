/* test_options.c - a command's options: reading, defaults, what was given, messages. */
#include <criterion/criterion.h>
#include <criterion/redirect.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "cli/help.h"
#include "cli/options.h"

struct some {
    gint number;
    gboolean flag, secret;
    gchar *text, *path, *optional;
    gdouble real;
    gchar **list, **rest;
};
#define ROWS(X)                                \
    X(number, "number", 'n', INT, MAIN)        \
    X(flag, "flag", 0, FLAG, MAIN)             \
    X(text, "text", 0, TEXT, MAIN)             \
    X(path, "path", 0, PATH, MORE)             \
    X(optional, "optional", 0, OPTIONAL, MAIN) \
    X(real, "real", 0, REAL, MAIN)             \
    X(list, "list", 0, LIST, PASSED)           \
    X(secret, "secret", 0, FLAG, HIDDEN)       \
    X(rest, "", 0, REST, MAIN)
#define ROW(member, name, letter, type, level) \
    {name, letter, CLI_##type, "V", CLI_##level, CLI_NOTHING, "text", ""},
#define PLACE(member, name, letter, type, level) offsetof(struct some, member),
static const struct cli_option rows[] = {ROWS(ROW){.name = NULL}};
static const size_t places[] = {ROWS(PLACE)};
static const struct cli_command command = {
    .name = "some", .options_first = true, .options = rows, .arguments = "-- PROGRAM"};
static const struct some initial = {.number = 7, .real = -HUGE_VAL};

static bool helped_all;
void help_print(const struct cli_command *c, bool all, FILE *out) {
    (void)c;
    (void)out;
    helped_all = all;
}

/* Reads the words, which NULL ends. */
static bool reads(struct some *o, int *status, const char *const *words) {
    static char *copy[20];
    char **argv = copy;
    int argc = 0;
    for (; words[argc]; argc++) copy[argc] = (char *)(uintptr_t)words[argc];
    copy[argc] = NULL;
    *o = initial;
    return cli_options(&command, places, o, &argc, &argv, status);
}
#define READS(...) reads(&o, &status, (const char *const[]){"some", __VA_ARGS__, NULL})

static void given_is(const struct some *o, const char *expected) {
    gchar **given = cli_options_given(&command, places, o, &initial);
    gchar *all = g_strjoinv(" ", given);
    cr_expect_str_eq(all, expected);
    g_free(all);
    g_strfreev(given);
}

Test(options, all_types) {
    struct some o;
    int status;
    cr_assert(READS("-n", "3", "--flag", "--text=a b", "--path", "p", "--optional=x", "--real",
                    "0.25", "--list", "1", "--list=2", "--", "program", "--flag", "-n"));
    cr_expect_eq(status, 0);
    cr_expect_eq(o.number, 3);
    cr_expect(o.flag);
    cr_expect_str_eq(o.text, "a b");
    cr_expect_str_eq(o.path, "p");
    cr_expect_str_eq(o.optional, "x");
    cr_expect_float_eq(o.real, 0.25, 0);
    cr_expect_str_eq(o.list[1], "2");
    cr_assert_eq(g_strv_length(o.rest), 3u);
    cr_expect_str_eq(o.rest[0], "program");
    cr_expect_str_eq(o.rest[1], "--flag", "options of the program are its own");
    given_is(&o, "--number=3 --flag --text=a b --path=p --optional=x --real=0.25 --list=1 "
                 "--list=2");
    cli_options_free(&command, places, &o);
    cr_expect_null(o.text);
    cr_expect_null(o.list);
    cr_expect_null(o.rest);
}

Test(options, defaults_are_not_given) {
    struct some o;
    int status;
    cr_assert(READS("program", "argument"));
    cr_expect_eq(o.number, 7);
    cr_expect_null(o.text);
    cr_expect_str_eq(o.rest[0], "program");
    given_is(&o, "");
    cli_options_free(&command, places, &o);
}

Test(options, optional_without_a_value) {
    struct some o;
    int status;
    cr_assert(READS("--optional", "--", "program"));
    cr_expect_str_eq(o.optional, "");
    cr_expect_str_eq(o.rest[0], "program");
    given_is(&o, "--optional");
    cli_options_free(&command, places, &o);
}

Test(options, unknown_is_told_with_what_is_near, .init = cr_redirect_stderr) {
    struct some o;
    int status;
    cr_expect_not(READS("--nubmer", "3"));
    cr_expect_eq(status, 125);
    cr_expect_not(READS("--unlike"));
    cr_expect_not(READS("--secre"));
    cr_expect_not(READS("--number", "three"));
    fflush(stderr);
    cr_assert_stderr_eq_str("heddle: error: Unknown option --nubmer, did you mean --number?\n"
                            "heddle: error: Unknown option --unlike\n"
                            "heddle: error: Unknown option --secre\n"
                            "heddle: error: Cannot parse integer value “three” for --number\n");
}

Test(options, help_ends_the_command) {
    struct some o;
    int status = 1;
    cr_expect_not(READS("--flag", "--help-all"));
    cr_expect_eq(status, 0);
    cr_expect(helped_all);
    cr_expect_not(READS("-h"));
    cr_expect_not(helped_all);
}
