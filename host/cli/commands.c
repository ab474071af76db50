/* commands.c - the table of the commands, and how a command line names one. */
#include "cli/commands.h"

#include <string.h>

#include "common/nearest.h"

#define CLI_ROW(member, name, letter, type, value, level, words, text, more) \
    {name, letter, CLI_##type, value, CLI_##level, CLI_##words, text, more},
static const struct cli_option run_options[] = {
#define OPTION CLI_ROW
#include "tables/options/run.def"
    {.name = NULL}};
static const struct cli_option rerun_options[] = {
#define OPTION CLI_ROW
#include "tables/options/rerun.def"
    {.name = NULL}};
static const struct cli_option annotate_options[] = {
#define OPTION CLI_ROW
#include "tables/options/annotate.def"
    {.name = NULL}};
static const struct cli_option report_options[] = {
#define OPTION CLI_ROW
#include "tables/options/report.def"
    {.name = NULL}};
static const struct cli_option compare_options[] = {
#define OPTION CLI_ROW
#include "tables/options/compare.def"
    {.name = NULL}};
static const struct cli_option project_options[] = {
#define OPTION CLI_ROW
#include "tables/options/project.def"
    {.name = NULL}};
static const struct cli_option sweep_options[] = {
#define OPTION CLI_ROW
#include "tables/options/sweep.def"
    {.name = NULL}};
static const struct cli_option gpus_options[] = {
#define OPTION CLI_ROW
#include "tables/options/gpus.def"
    {.name = NULL}};
static const struct cli_option config_options[] = {
#define OPTION CLI_ROW
#include "tables/options/config.def"
    {.name = NULL}};
static const struct cli_option config_new_options[] = {
#define OPTION CLI_ROW
#include "tables/options/config_new.def"
    {.name = NULL}};
static const struct cli_option config_import_options[] = {
#define OPTION CLI_ROW
#include "tables/options/config_import.def"
    {.name = NULL}};
static const struct cli_option ptx_options[] = {
#define OPTION CLI_ROW
#include "tables/options/ptx.def"
    {.name = NULL}};
static const struct cli_option dram_options[] = {
#define OPTION CLI_ROW
#include "tables/options/dram.def"
    {.name = NULL}};
static const struct cli_option compnet_options[] = {
#define OPTION CLI_ROW
#include "tables/options/compnet.def"
    {.name = NULL}};
static const struct cli_option card_check_options[] = {
#define OPTION CLI_ROW
#include "tables/options/card_check.def"
    {.name = NULL}};
static const struct cli_option doctor_options[] = {
#define OPTION CLI_ROW
#include "tables/options/doctor.def"
    {.name = NULL}};

const struct cli_command cli_commands[CLI_NUM_COMMANDS] = {
#define COMMAND(id, name, arguments, options_first, summary, description, examples, status, page) \
    {name, arguments, options_first, summary, description, examples, status, page, id##_options},
#include "tables/cli_commands.def"
};

/* A name of two words goes before one that is its first word. */
const struct cli_command *cli_find_command(int argc, char **argv, int *words) {
    for (*words = 2; *words > 0; --*words) {
        if (argc <= *words) continue;
        gchar *said = *words == 2 ? g_strdup_printf("%s %s", argv[1], argv[2]) : g_strdup(argv[1]);
        const struct cli_command *found = NULL;
        for (unsigned i = 0; i < CLI_NUM_COMMANDS && !found; i++)
            if (!strcmp(cli_commands[i].name, said)) found = &cli_commands[i];
        g_free(said);
        if (found) return found;
    }
    return NULL;
}

/* nearest_name_fn */
static const char *name_of(const void *user, unsigned i) {
    (void)user;
    return cli_commands[i].name;
}

const char *cli_close_command(const char *word) {
    return nearest_close(word, name_of, NULL, CLI_NUM_COMMANDS);
}
