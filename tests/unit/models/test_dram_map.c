/* test_dram_map.c - address mappings (models/hbm/dram_map.c): every line has a different place,
 * streams and strides are spread over pseudo-channels and banks as docs/memory.md says, and each
 * slice owns the right pseudo-channels. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/config.h"
#include "models/hbm/dram_map.h"

static const char *const mappings[] = {"row", "bankgroup", "bank", "xor", "ipoly", "mop"};

/* Returns a device of the preset with few rows. */
static struct dram_spec make_spec(const char *preset, const char *mapping, unsigned channels) {
    struct config *c;
    struct dram_spec s;
    struct heddle_diag diag = {0};
    char text[4][64];
    const char *sets[4] = {text[0], text[1], text[2], text[3]};
    snprintf(text[0], 64, "dram.preset=%s", preset);
    snprintf(text[1], 64, "dram.mapping=%s", mapping);
    snprintf(text[2], 64, "dram.channels=%u", channels);
    snprintf(text[3], 64, "hbm.rows=64"); /* a small memory, so that the test can check all of it */
    cr_assert_eq(config_load(&c, "v100", GPUS, sets, 4, &diag), HEDDLE_OK, "%s", diag.text);
    cr_assert_eq(dram_spec_create(&s, c, &diag), HEDDLE_OK, "%s", diag.text);
    config_free(c);
    return s;
}

/* Returns a number for the place, different for each; checks that it lies in the device. */
static uint64_t cell(const struct dram_spec *s, const struct dram_map *m, struct dram_place p) {
    cr_assert_lt(p.unit, s->channels * s->pcs);
    cr_assert_lt(p.bank, s->pc_banks);
    cr_assert_lt(p.row, s->rows);
    cr_assert_lt(p.column, s->columns);
    cr_assert_eq(p.column % m->line_atoms, 0);
    return (((uint64_t)p.unit * s->pc_banks + p.bank) * s->rows + p.row) * s->columns + p.column;
}

/* All lines of the memory have different places. HBM2e has 5 stacks here: 80 pseudo-channels, not a
 * power of two. */
Test(dram_map, every_line_has_its_own_place) {
    static const struct {
        const char *preset;
        unsigned channels;
    } memories[] = {{"hbm2", 8}, {"hbm2e", 40}, {"hbm3", 16}};
    for (unsigned i = 0; i < 3; i++)
        for (unsigned k = 0; k < 6; k++) {
            struct dram_spec s = make_spec(memories[i].preset, mappings[k], memories[i].channels);
            struct dram_map m;
            cr_assert_eq(dram_map_create(&m, &s, 0, NULL), HEDDLE_OK);
            uint64_t cells = (uint64_t)s.channels * s.pcs * s.pc_banks * s.rows * s.columns;
            uint8_t *taken = calloc(cells, 1);
            for (uint64_t line = 0; line < cells / m.line_atoms; line++) {
                uint64_t c = cell(&s, &m, dram_map_line(&m, line, 0));
                cr_assert(!taken[c], "%s: line %llu shares a place", mappings[k],
                          (unsigned long long)line);
                taken[c] = 1;
            }
            free(taken);
        }
}

/* Returns the largest number of lines in one bank of one pseudo-channel, out of 256 lines `stride`
 * apart. */
static unsigned crowd(const char *mapping, uint64_t stride) {
    struct dram_spec s = make_spec("hbm2", mapping, 8);
    struct dram_map m;
    unsigned count[16 * 64] = {0}, most = 0;
    cr_assert_eq(dram_map_create(&m, &s, 0, NULL), HEDDLE_OK);
    for (uint64_t i = 0; i < 256; i++) {
        struct dram_place p = dram_map_line(&m, i * stride, 0);
        unsigned n = ++count[p.unit * 64 + p.bank];
        if (n > most) most = n;
    }
    return most;
}

Test(dram_map, streams_and_strides) {
    /* 16 pseudo-channels of 16 banks. A stream of 256 lines: */
    cr_expect_eq(crowd("row", 1), 8); /* a row has 8 lines */
    cr_expect_eq(crowd("bankgroup", 1), 4);
    cr_expect_eq(crowd("bank", 1), 1);
    /* lines of different rows of one bank (16 * 8 * 16 lines apart): all in one bank, or spread */
    cr_expect_eq(crowd("bankgroup", 2048), 256);
    cr_expect_leq(crowd("xor", 2048), 8);
    cr_expect_eq(crowd("ipoly", 2048), 1);
    cr_expect_leq(crowd("ipoly", 2048 * 16), 4);
    cr_expect_leq(crowd("ipoly", 2048 * 17), 4);
}

Test(dram_map, slices) {
    struct dram_spec s = make_spec("hbm2", "xor", 32);
    struct dram_map m;
    struct heddle_diag diag = {0};
    unsigned seen[2] = {0};
    cr_assert_eq(dram_map_create(&m, &s, 64, &diag), HEDDLE_OK); /* one each */
    for (uint64_t line = 0; line < 1000; line++)
        cr_expect_eq(dram_map_line(&m, line, line * 7 % 64).unit, line * 7 % 64);
    cr_assert_eq(dram_map_create(&m, &s, 32, &diag), HEDDLE_OK); /* two each, of one channel */
    for (uint64_t line = 0; line < 32000; line++) {
        struct dram_place p = dram_map_line(&m, line, 5);
        cr_expect_eq(p.unit / s.pcs, 5);
        seen[p.unit % 2]++;
    }
    cr_expect_eq(seen[0], seen[1]);
    cr_assert_eq(dram_map_create(&m, &s, 128, &diag), HEDDLE_OK); /* two slices share one */
    cr_expect_eq(dram_map_line(&m, 77, 9).unit, 4);
    cr_expect_eq(dram_map_create(&m, &s, 48, &diag), HEDDLE_ERR_CONFIG);
    cr_expect_str_eq(diag.text,
                     "64 pseudo-channels (dram.channels * hbm.pseudo_channels) do not go with 48 "
                     "slices (l2.slices): as many, twice as many, or a part of them");
}
