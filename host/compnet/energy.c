/* energy.c - energies of service threads, and how far their ratios depend on parameters. */
#include <math.h>

#include "compnet/compnet.h"

static const char *const names[COMPNET_ENERGIES] = {
#define ENERGY(member, meaning) #member,
#include "tables/service_energy.def"
};

struct compnet_energy compnet_energy_of(const struct compnet_result *result) {
    struct compnet_energy e = {.sum = 0};
    for (unsigned i = 0; i < COMPNET_ENERGIES; i++)
        e.sum += e.part[i] = compnet_sum(result, "energy", names[i]);
    return e;
}

void compnet_add_energies(struct compnet *c, const struct compnet_picture *p, const double *x,
                          unsigned count, const struct compnet_energy *energy, unsigned step) {
    struct compnet_picture *picture = compnet_add_picture(c, p);
    picture->title = "Energy of the service threads";
    picture->y = "uJ";
    for (unsigned d = 0; d < COMPNET_SERVED; d++) {
        struct compnet_series *s = compnet_add_series(picture, compnet_designs[d]);
        for (unsigned i = 0; i < count; i++)
            compnet_add(s, x[i], energy[(size_t)d * step + i].sum / 1e3);
    }
}

void compnet_set_ratio(struct compnet *c, enum compnet_claim claim, const struct compnet_energy *a,
                       const struct compnet_energy *b) {
    GString *text = g_string_new("+-50 %:");
    for (unsigned i = 0; i < COMPNET_ENERGIES; i++) {
        const double less = (a->sum - a->part[i] / 2) / (b->sum - b->part[i] / 2);
        const double more = (a->sum + a->part[i] / 2) / (b->sum + b->part[i] / 2);
        g_string_append_printf(text, "%s %s %.3f to %.3f", i ? "," : "", names[i], fmin(less, more),
                               fmax(less, more));
    }
    c->value[claim] = a->sum / b->sum;
    g_strlcpy(c->note[claim], text->str, sizeof c->note[claim]);
    g_string_free(text, TRUE);
}
