/* hbm.c - finds a memory back end by its name and creates it. */
#include "models/hbm/hbm.h"

#include <string.h>

/* Calls the creating function of the row of hbm_models.def. */
heddle_err hbm_create(const char *model, const struct hbm_ops **ops, void **self,
                      const struct hbm_config *config, hbm_done_fn done, void *user,
                      struct heddle_diag *diag) {
    static const struct {
        const char *name;
        hbm_create_fn create;
    } models[] = {
#define MODEL(name, create, text) {name, create},
#include "models/hbm/hbm_models.def"
    };
    for (unsigned i = 0; i < sizeof models / sizeof *models; i++)
        if (!strcmp(model, models[i].name))
            return models[i].create(ops, self, config, done, user, diag);
    return heddle_fail(diag, HEDDLE_ERR_CONFIG, "there is no memory model '%s'", model);
}
