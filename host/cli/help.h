/* help.h - what is printed of the commands from their tables: help, manual pages, the page
 * docs/commands.md, completions of shells. Standard output or a file; write errors show there. */
#ifndef HEDDLE_CLI_HELP_H
#define HEDDLE_CLI_HELP_H

#include <stdbool.h>
#include <stdio.h>

#include "cli/options.h"

enum { HELP_LINES = 24, HELP_COLUMNS = 80 };

/* The help of a command: within HELP_LINES, or with `all` every option, with all that is to say. */
void help_print(const struct cli_command *command, bool all, FILE *out);
/* The help of `heddle`. */
void help_print_commands(FILE *out);
/* The manual page of a command, or of `heddle` for NULL, in groff's man macros. */
void help_print_man(const struct cli_command *command, FILE *out);
/* docs/commands.md */
void help_print_page(FILE *out);
/* Completions for bash and zsh. */
void help_print_bash(FILE *out);
void help_print_zsh(FILE *out);

/* Prints a text broken into lines of HELP_COLUMNS; the first begins in column `at`, the others are
 * indented by `indent`. */
void help_wrap(const char *text, unsigned at, unsigned indent, FILE *out);
/* The words that an option's value can be, with `between` between them, in a text that the caller
 * frees; NULL: not from a fixed list. */
gchar *help_words(const struct cli_option *o, const char *between);
/* "NAME", "-l, --NAME VALUE", as the option is written; the caller frees it. */
gchar *help_option(const struct cli_option *o);

#endif
