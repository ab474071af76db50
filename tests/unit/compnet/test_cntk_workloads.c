/* test_cntk_workloads.c - the training workloads of Figure 11: sizes from the layers of their
 * networks, and what the table may say. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "compnet/compnet.h"

enum { ROWS = 5, LAYERS = 16 };
static const struct {
    const char *name;
    double parameters, gradients, share, reductions;
    enum compnet_design design;
    const char *status[3];
} rows[ROWS] = {
#define WORKLOAD(NAME, name, parameters, gradients, size, size_source, share, DESIGN, \
                 share_status, share_source, reductions, count, count_source)         \
    {name,                                                                            \
     parameters,                                                                      \
     gradients,                                                                       \
     share,                                                                           \
     reductions,                                                                      \
     COMPNET_##DESIGN,                                                                \
     {#size, #share_status, #count}},
#include "tables/cntk_workloads.def"
};

/* A layer of so many outputs, each with a bias and a weight for each input. */
struct layer {
    unsigned outputs, inputs;
};

static void expect_layers(const char *name, const struct layer *layer, unsigned count) {
    double parameters = 0;
    for (unsigned i = 0; i < count; i++) parameters += layer[i].outputs * (layer[i].inputs + 1.0);
    for (unsigned i = 0; i < ROWS; i++) {
        if (strcmp(rows[i].name, name)) continue;
        cr_expect_eq(rows[i].parameters, parameters, "%s: %.0f", name, parameters);
        cr_expect_eq(rows[i].gradients, 2 * count, "%s", name);
        return;
    }
    cr_expect_fail("no workload %s", name);
}

Test(cntk_workloads, layers_with_bias) {
    static const struct layer alexnet[] = {
        {64, 11 * 11 * 3},  {192, 5 * 5 * 64},   {384, 3 * 3 * 192}, {256, 3 * 3 * 384},
        {256, 3 * 3 * 256}, {4096, 6 * 6 * 256}, {4096, 4096},       {1000, 4096}};
    static const struct layer cifar[] = {
        {32, 5 * 5 * 3}, {32, 5 * 5 * 32}, {64, 5 * 5 * 32}, {64, 3 * 3 * 64}, {10, 64}};
    static const struct layer conv[] = {
        {16, 5 * 5}, {32, 5 * 5 * 16}, {128, 7 * 7 * 32}, {10, 128}};
    static const struct layer hidden[] = {{200, 28 * 28}, {10, 200}};
    expect_layers("alexnet", alexnet, G_N_ELEMENTS(alexnet));
    expect_layers("cifar", cifar, G_N_ELEMENTS(cifar));
    expect_layers("mnist-conv", conv, G_N_ELEMENTS(conv));
    expect_layers("mnist-hidden", hidden, G_N_ELEMENTS(hidden));
}

/* Three layers of LSTM with projection: weights of inputs and of outputs fed back, for four gates
 * at once; a bias; three diagonal matrices from the cells; the projection. */
Test(cntk_workloads, lstm) {
    const double cells = 1024, outputs = 512, labels = 132;
    double parameters = labels * (outputs + 1), gradients = 2;
    for (unsigned layer = 0; layer < 3; layer++) {
        const double inputs = layer ? outputs : 363;
        parameters += 4 * cells * (inputs + 1 + outputs) + 3 * cells + outputs * cells;
        gradients += 7;
    }
    for (unsigned i = 0; i < ROWS; i++) {
        if (strcmp(rows[i].name, "an4-lstm")) continue;
        cr_expect_eq(rows[i].parameters, parameters, "%.0f", parameters);
        cr_expect_eq(rows[i].gradients, gradients);
    }
}

Test(cntk_workloads, what_the_table_says) {
    static const char *const known[] = {"vendor", "measured", "derived", "guessed"};
    for (unsigned i = 0; i < ROWS; i++) {
        cr_expect(rows[i].share > 0 && rows[i].share < 1, "%s", rows[i].name);
        cr_expect_eq(fmod(rows[i].reductions, rows[i].gradients), 0, "%s: whole minibatches",
                     rows[i].name);
        for (unsigned s = 0; s < 3; s++) {
            bool is = false;
            for (unsigned k = 0; k < G_N_ELEMENTS(known); k++)
                is = is || !strcmp(rows[i].status[s], known[k]);
            cr_expect(is, "%s: status '%s'", rows[i].name, rows[i].status[s]);
        }
        for (unsigned k = 0; k < i; k++) cr_expect_str_neq(rows[i].name, rows[k].name);
    }
}
