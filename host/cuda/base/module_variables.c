/* module_variables.c - see module_variables.h. */
#include "cuda/base/module_variables.h"

#include <stdlib.h>
#include <string.h>

bool module_copy_place(struct module_copy *on, const struct mir_module *mir, module_place_fn place,
                       void *user) {
    on->placed = true;
    on->address = calloc(mir->num_symbols + 1u, sizeof *on->address);
    on->address_bank = calloc(mir->address_slots + 1u, sizeof *on->address_bank);
    if (!on->address || !on->address_bank) return false;
    if (mir->const_bytes) {
        on->const_bank = place(user, NULL, mir->const_bytes);
        if (!on->const_bank) return false;
    }
    for (uint32_t i = 0; i < mir->num_symbols; i++) {
        const struct mir_symbol *s = &mir->symbols[i];
        if (s->space == MIR_SPACE_CONST) {
            on->address[i] = on->const_bank + s->offset;
            if (s->init) memcpy((void *)(uintptr_t)on->address[i], s->init, s->size);
        } else {
            on->address[i] = place(user, s, s->size ? s->size : 1);
            if (!on->address[i]) return false;
        }
        if (s->address_slot < mir->address_slots)
            on->address_bank[s->address_slot] = on->address[i];
    }
    for (uint32_t i = 0; i < mir->num_relocs; i++) {
        const struct mir_reloc *r = &mir->relocs[i];
        uint64_t value = on->address[r->target] + (uint64_t)r->addend;
        memcpy((void *)(uintptr_t)(on->address[r->where] + r->offset), &value, sizeof value);
    }
    return true;
}

void module_copy_clear(struct module_copy *on) {
    free(on->address);
    free(on->address_bank);
    *on = (struct module_copy){0};
}
