/* kernel_choice.c - chooses kernels by name; contracts in kernel_choice.h. `heddle ptx` calls it on
 * the main thread. */
#include "cli/kernel_choice.h"

#include <glib.h>

#include "cli/cli.h"
#include "common/readable_name.h"

/* Marks the kernels that `wanted` fits as well as `fit` says. @return whether one does. */
static bool mark(const struct mir_module *m, const char *wanted, readable_fit fit, bool *chosen) {
    bool found = false;
    for (uint32_t i = 0; i < m->num_functions; i++) {
        const char *mangled = m->functions[i].name;
        char *readable = readable_name(mangled);
        chosen[i] = readable_name_fit(mangled, readable, wanted) == fit;
        found |= chosen[i];
        g_free(readable);
    }
    return found;
}

/* Prints the error, with the names that there are. */
static void tell_names(const struct mir_module *m, const char *file, const char *wanted) {
    enum { MOST = 8 };
    GString *names = g_string_new(NULL);
    for (uint32_t i = 0; i < m->num_functions && i < MOST; i++) {
        char *readable = readable_name(m->functions[i].name);
        g_string_append_printf(names, "%s%s", i ? ", " : "", readable);
        g_free(readable);
    }
    if (!m->num_functions)
        cli_error("%s has no kernels", file);
    else if (m->num_functions > MOST)
        cli_error("%s has no kernel '%s'; there are: %s and %u more", file, wanted, names->str,
                  m->num_functions - MOST);
    else
        cli_error("%s has no kernel '%s'; there are: %s", file, wanted, names->str);
    g_string_free(names, TRUE);
}

bool *kernel_choose(const struct mir_module *m, const char *file, const char *wanted) {
    bool *chosen = g_new0(bool, m->num_functions + 1);
    for (uint32_t i = 0; i < m->num_functions && !wanted; i++) chosen[i] = true;
    if (!wanted) return chosen;
    for (readable_fit fit = READABLE_WHOLE; fit > READABLE_NOT; fit--)
        if (mark(m, wanted, fit, chosen)) return chosen;
    tell_names(m, file, wanted);
    g_free(chosen);
    return NULL;
}
