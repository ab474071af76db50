/* options.c - reads a command's options with GLib's parser, as its rows say; contracts in
 * options.h. The cmd_*.c files call it on the main thread of `heddle`; it keeps nothing but GLib's
 * program name. */
#include "cli/options.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/help.h"
#include "common/nearest.h"

/* What GLib's callbacks get. */
struct reading {
    const struct cli_command *command;
    const size_t *places;
    void *values;
};

/* The value of a row. */
static void *value_at(const void *values, size_t place) {
    return (char *)(uintptr_t)values + place;
}

int cli_find_option(const struct cli_command *command, const char *name) {
    for (int i = 0; command->options[i].name; i++)
        if (*name && !strcmp(command->options[i].name, name)) return i;
    return -1;
}

/* ---- reading */

/* Callback of GLib's parser for options of type OPTIONAL: stores the value, or an empty text. */
static gboolean read_optional(const gchar *name, const gchar *value, gpointer user,
                              GError **error) {
    const struct reading *r = user;
    const int row = cli_find_option(r->command, name + strlen("--"));
    (void)error;
    gchar **text = value_at(r->values, r->places[row]);
    g_free(*text);
    *text = g_strdup(value ? value : "");
    return TRUE;
}

/* GLib's entries for the rows; the caller frees the array. */
static GOptionEntry *make_entries(const struct reading *r) {
    const struct cli_option *rows = r->command->options;
    static const GOptionArg kinds[] = {
        [CLI_FLAG] = G_OPTION_ARG_NONE,         [CLI_INT] = G_OPTION_ARG_INT,
        [CLI_REAL] = G_OPTION_ARG_DOUBLE,       [CLI_TEXT] = G_OPTION_ARG_STRING,
        [CLI_PATH] = G_OPTION_ARG_FILENAME,     [CLI_LIST] = G_OPTION_ARG_STRING_ARRAY,
        [CLI_OPTIONAL] = G_OPTION_ARG_CALLBACK, [CLI_REST] = G_OPTION_ARG_FILENAME_ARRAY};
    /* GLib takes the callback as a data pointer, which ISO C does not convert a function pointer
     * to. */
    static const union {
        GOptionArgFunc function;
        gpointer pointer;
    } optional = {read_optional};
    unsigned count = 0;
    while (rows[count].name) count++;
    GOptionEntry *entries = g_new0(GOptionEntry, count + 1);
    for (unsigned i = 0; i < count; i++)
        entries[i] = (GOptionEntry){
            .long_name = rows[i].name,
            .short_name = rows[i].letter,
            .flags = rows[i].type == CLI_OPTIONAL ? G_OPTION_FLAG_OPTIONAL_ARG : 0,
            .arg = kinds[rows[i].type],
            .arg_data = rows[i].type == CLI_OPTIONAL ? optional.pointer
                                                     : value_at(r->values, r->places[i])};
    return entries;
}

/* nearest_name_fn: the names of the command's options; hidden ones and the arguments have none. */
static const char *name_of(const void *user, unsigned i) {
    const struct cli_option *o = &((const struct cli_command *)user)->options[i];
    return o->level == CLI_HIDDEN ? "" : o->name;
}

/* Prints GLib's error; for an unknown option also the one that may be meant. @return EXIT_HEDDLE.
 */
static int tell_error(const struct cli_command *command, const GError *error) {
    const char *dashes = strstr(error->message, " --");
    unsigned count = 0;
    while (command->options[count].name) count++;
    const char *close = NULL;
    if (g_error_matches(error, G_OPTION_ERROR, G_OPTION_ERROR_UNKNOWN_OPTION) && dashes)
        close = nearest_close(dashes + strlen(" --"), name_of, command, count);
    if (close) return cli_error("%s, did you mean --%s?", error->message, close);
    return cli_error("%s", error->message);
}

/* Removes and frees the "--" that GLib in some cases leaves in front of a program. */
static void drop_dashes(const struct reading *r) {
    const struct cli_option *rows = r->command->options;
    for (unsigned i = 0; rows[i].name; i++) {
        gchar **list = rows[i].type == CLI_REST ? *(gchar ***)value_at(r->values, r->places[i])
                                                : NULL;
        if (!list || !list[0] || strcmp(list[0], "--") != 0) continue;
        g_free(list[0]);
        memmove(list, list + 1, sizeof *list * (g_strv_length(list + 1) + 1));
    }
}

bool cli_options(const struct cli_command *command, const size_t *places, void *values, int *argc,
                 char ***argv, int *status) {
    gboolean help = FALSE, all = FALSE;
    GOptionEntry own[] = {{"help", 'h', 0, G_OPTION_ARG_NONE, &help, NULL, NULL},
                          {"help-all", 0, 0, G_OPTION_ARG_NONE, &all, NULL, NULL},
                          {NULL, 0, 0, 0, NULL, NULL, NULL}};
    struct reading reading = {command, places, values};
    GOptionEntry *entries = make_entries(&reading);
    GError *error = NULL;
    GOptionContext *context = g_option_context_new(NULL);
    gchar *program = g_strdup_printf("heddle %s", command->name);
    g_set_prgname(program);
    g_option_context_set_help_enabled(context, FALSE);
    g_option_context_set_strict_posix(context, command->options_first);
    g_option_context_set_main_group(context, g_option_group_new(NULL, NULL, NULL, &reading, NULL));
    g_option_context_add_main_entries(context, entries, NULL);
    g_option_context_add_main_entries(context, own, NULL);
    *status = 0;
    bool good = g_option_context_parse(context, argc, argv, &error);
    if (!good) {
        *status = tell_error(command, error);
        g_error_free(error);
    } else if (help || all) {
        help_print(command, all, stdout);
        good = false;
    }
    drop_dashes(&reading);
    g_option_context_free(context);
    g_free(entries);
    g_free(program);
    return good;
}

/* ---- values */

void cli_options_free(const struct cli_command *command, const size_t *places, void *values) {
    for (unsigned i = 0; command->options[i].name; i++) {
        void *at = value_at(values, places[i]);
        switch (command->options[i].type) {
        case CLI_TEXT:
        case CLI_PATH:
        case CLI_OPTIONAL: g_clear_pointer((gchar **)at, g_free); break;
        case CLI_LIST:
        case CLI_REST: g_clear_pointer((gchar ***)at, g_strfreev); break;
        default: break;
        }
    }
}

/* Appends a row's option to the list, if its value is another than the default. */
static void add_given(GPtrArray *list, const struct cli_option *o, const void *at,
                      const void *initial) {
    char number[G_ASCII_DTOSTR_BUF_SIZE];
    const gchar *text;
    switch (o->type) {
    case CLI_FLAG:
        if (*(const gboolean *)at != *(const gboolean *)initial)
            g_ptr_array_add(list, g_strdup_printf("--%s", o->name));
        break;
    case CLI_INT:
        if (*(const gint *)at != *(const gint *)initial)
            g_ptr_array_add(list, g_strdup_printf("--%s=%d", o->name, *(const gint *)at));
        break;
    case CLI_REAL: /* bytes: infinite defaults are equal to themselves only so */
        if (memcmp(at, initial, sizeof(gdouble)) != 0)
            g_ptr_array_add(
                list, g_strdup_printf("--%s=%s", o->name,
                                      g_ascii_dtostr(number, sizeof number, *(const gdouble *)at)));
        break;
    case CLI_TEXT:
    case CLI_PATH:
    case CLI_OPTIONAL:
        if (!(text = *(gchar *const *)at)) break;
        g_ptr_array_add(list, o->type == CLI_OPTIONAL && !*text
                                  ? g_strdup_printf("--%s", o->name)
                                  : g_strdup_printf("--%s=%s", o->name, text));
        break;
    case CLI_LIST:
        for (gchar **l = *(gchar * *const *)at; l && *l; l++)
            g_ptr_array_add(list, g_strdup_printf("--%s=%s", o->name, *l));
        break;
    case CLI_REST: break;
    }
}

gchar **cli_options_given(const struct cli_command *command, const size_t *places,
                          const void *values, const void *defaults) {
    GPtrArray *list = g_ptr_array_new();
    for (unsigned i = 0; command->options[i].name; i++)
        add_given(list, &command->options[i], value_at(values, places[i]),
                  value_at(defaults, places[i]));
    g_ptr_array_add(list, NULL);
    return (gchar **)g_ptr_array_free(list, FALSE);
}
