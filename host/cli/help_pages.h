/* help_pages.h - the pages that `heddle config --page` prints. */
#ifndef HEDDLE_CLI_HELP_PAGES_H
#define HEDDLE_CLI_HELP_PAGES_H

#include <stdbool.h>
#include <stdio.h>

/* Prints the page of that name, which is made from tables alone. @return false: there is none. */
bool help_print_named_page(const char *name, FILE *out);
/* Their names. `capabilities` is made from files. */
#define HELP_PAGES                                                                  \
    "parameters, statistics, diagnosis, memory, import, ptx, commands, bash, zsh, " \
    "capabilities, man, man:COMMAND"

#endif
