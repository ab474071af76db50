/* plugins.h - policies of the reference model that --plugin gives: found, compiled if they are C,
 * loaded and put together. */
#ifndef HEDDLE_CLI_PLUGINS_H
#define HEDDLE_CLI_PLUGINS_H

#include <glib.h>
#include <jansson.h>

#include "cli/cli.h"
#include "common/error.h"
#include "include/heddle_policy.h"

struct plugins;

/* Loads the plug-ins of a list that ends with NULL. Each is FILE.so, FILE.c, or NAME, which comes
 * with Heddle. C files are compiled by `cc` into the user's cache, unless the same text is there.
 * @return an error, explained in diag; *out is then NULL. */
heddle_err plugins_load(struct plugins **out, gchar *const *list, const struct cli_paths *paths,
                        struct heddle_diag *diag);
/* When no core uses them any more. Accepts NULL. */
void plugins_free(struct plugins *p);
/* All of them as one policy. Borrowed; valid as long as `p`. */
const struct heddle_policy *plugins_policy(const struct plugins *p);
/* A new list for the report: name, file and SHA-256 of each; NULL gives an empty list. */
json_t *plugins_list(const struct plugins *p);

#endif
