/* hbm.c - finds a memory back end by its name and creates it. The memory port (host/sched), `heddle
 * dram` and tests call hbm_create() before they simulate, on their own thread. */
#include "models/hbm/hbm.h"

#include <string.h>

/* Calls the creating function of the row `model` of hbm_models.def: *ops and *self are then the
 * back end, which ops->free(self) frees. @return HEDDLE_ERR_CONFIG (no such model, or an impossible
 * device) or NOMEM, with text in diag; nothing is created. */
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
