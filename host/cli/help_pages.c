/* help_pages.c - the pages that are made from tables alone, by name; docs/commands.md and the
 * manual pages among them. */
#include "cli/help_pages.h"

#include <string.h>

#include "cli/commands.h"
#include "cli/help.h"
#include "cli/import.h"
#include "common/config.h"
#include "models/hbm/dram_page.h"
#include "ptx/check/check_page.h"
#include "report/report.h"

/* Prints the manual page that "man" or "man:config-new" names. @return false: there is none. */
static bool print_man(const char *name, FILE *out) {
    if (!strcmp(name, "man")) {
        help_print_man(NULL, out);
        return true;
    }
    if (strncmp(name, "man:", 4)) return false;
    for (unsigned i = 0; i < CLI_NUM_COMMANDS; i++) {
        gchar *dashed = g_strdelimit(g_strdup(cli_commands[i].name), " ", '-');
        const bool found = !strcmp(dashed, name + 4);
        g_free(dashed);
        if (!found) continue;
        help_print_man(&cli_commands[i], out);
        return true;
    }
    return false;
}

bool help_print_named_page(const char *name, FILE *out) {
    static const struct {
        const char *name;
        void (*print)(FILE *);
    } pages[] = {{"parameters", config_print_page},
                 {"statistics", report_print_page},
                 {"diagnosis", diagnosis_print_page},
                 {"memory", dram_print_page},
                 {"import", import_print_page},
                 {"ptx", check_print_page},
                 {"commands", help_print_page},
                 {"bash", help_print_bash},
                 {"zsh", help_print_zsh}};
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++)
        if (strcmp(name, pages[i].name) == 0) {
            pages[i].print(out);
            return true;
        }
    return print_man(name, out);
}
