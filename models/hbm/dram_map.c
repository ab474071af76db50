/* dram_map.c - where a 128-byte line lies: its pseudo-channel, bank, row and column. All functions
 * are pure but for their result, on any thread; when a back end is created, dram_map_create() turns
 * a row of models/hbm/dram_maps.def into masks, and dram_map_line() applies them to each
 * request. */
#include "models/hbm/dram_map.h"

#include <string.h>

enum hash { HASH_NONE, HASH_XOR, HASH_COLUMN, HASH_IPOLY };

/* The rows of dram_maps.def. `order`: fields from the lowest bit on, see lay_out(). */
static const struct {
    const char *order;
    enum hash hash;
} maps[] = {
#define MAP(id, name, order, hash, text) {order, HASH_##hash},
#include "models/hbm/dram_maps.def"
};

/* An irreducible polynomial of each degree, the highest term included. */
static const uint64_t poly[] = {0x1,  0x3,  0x7,   0xb,   0x13,  0x25,
                                0x43, 0x83, 0x11b, 0x211, 0x409, 0x805};
enum { MAX_DEGREE = sizeof poly / sizeof *poly - 1, ADDRESS_BITS = 48 };

/* @return the polynomial read backwards, which is irreducible too. Pseudo-channels use it, so that
 * their hash is independent of that of the banks. */
static uint64_t backwards(uint64_t p, uint32_t degree) {
    uint64_t r = 0;
    for (uint32_t i = 0; i <= degree; i++) r |= (p >> i & 1) << (degree - i);
    return r;
}

static uint32_t log2_of(uint64_t n) { /* rounded up */
    uint32_t bits = 0;
    while ((1ull << bits) < n) bits++;
    return bits;
}

/* x^power modulo the polynomial of the degree. */
static uint64_t remainder_of(uint32_t power, uint32_t degree) {
    uint64_t r = 1;
    for (uint32_t i = 0; i < power; i++) {
        r <<= 1;
        if (r >> degree & 1) r ^= poly[degree];
    }
    return r;
}

/* The layout of a burst's number within its pseudo-channel: for each field the positions of its
 * bits, lowest first. */
struct layout {
    uint32_t group[8], bank[8], sid[8], column[16];
    uint32_t groups, banks, sids, columns, row; /* counts; the row's lowest bit */
};

/* Fills in the layout from an order, a text of fields from the lowest bit on: l columns of a line,
 * c other columns, g group, b bank, s stack ID, r row. */
static void lay_out(struct layout *l, const struct dram_spec *s, const char *order) {
    uint32_t line_bits = log2_of(DRAM_LINE / s->atom), all = log2_of(s->columns), at = 0;
    memset(l, 0, sizeof *l);
    for (; *order; order++) {
        uint32_t n;
        switch (*order) {
        case 'l':
            for (n = line_bits; n; n--) l->column[l->columns++] = at++;
            break;
        case 'c':
            for (n = all - line_bits; n; n--) l->column[l->columns++] = at++;
            break;
        case 'g':
            for (n = log2_of(s->groups); n; n--) l->group[l->groups++] = at++;
            break;
        case 'b':
            for (n = log2_of(s->banks); n; n--) l->bank[l->banks++] = at++;
            break;
        case 's':
            for (n = log2_of(s->sids); n; n--) l->sid[l->sids++] = at++;
            break;
        default: l->row = at; break;
        }
    }
}

/* @return the bits of the address whose parity the hash adds to bit i of the n bits of bank and
 * group. */
static uint64_t hash_mask(const struct layout *l, enum hash hash, uint32_t i, uint32_t n,
                          uint32_t line_bits) {
    uint64_t mask = 0;
    switch (hash) {
    case HASH_NONE: break;
    case HASH_XOR: mask = 1ull << (l->row + i); break;
    case HASH_COLUMN:
        if (line_bits + i < l->columns) mask = 1ull << l->column[line_bits + i];
        break;
    case HASH_IPOLY:
        for (uint32_t j = 0; l->row + j < ADDRESS_BITS; j++)
            if (remainder_of(n + j, n) >> i & 1) mask |= 1ull << (l->row + j);
        break;
    }
    return mask;
}

/* Fills *m: computes the masks of bank and column bits from layout and hash, and how lines choose
 * their pseudo-channel. `slices`: L2 slices, 0: none, lines choose. @return HEDDLE_ERR_CONFIG, with
 * text in diag, when pseudo-channels and slices do not go together. */
heddle_err dram_map_create(struct dram_map *m, const struct dram_spec *s, uint32_t slices,
                           struct heddle_diag *diag) {
    struct layout l;
    enum hash hash = maps[s->map].hash;
    memset(m, 0, sizeof *m);
    m->units = s->channels * s->pcs;
    m->unit_bits = log2_of(m->units);
    m->hash_units = (hash == HASH_XOR || hash == HASH_IPOLY) && m->unit_bits;
    if (hash == HASH_IPOLY && m->unit_bits && m->unit_bits <= MAX_DEGREE)
        m->unit_poly = backwards(poly[m->unit_bits], m->unit_bits);
    m->slices = slices;
    m->line_atoms = DRAM_LINE / s->atom;
    m->rows = s->rows;
    /* A slice owns at most the two pseudo-channels of one channel: answers of several channels at
     * one time would have no defined order. */
    if (slices && m->units != slices && m->units != 2 * slices && slices % m->units)
        return heddle_fail(diag, HEDDLE_ERR_CONFIG,
                           "%u pseudo-channels (dram.channels * hbm.pseudo_channels) do not go "
                           "with %u slices (l2.slices): as many, twice as many, or a part of them",
                           m->units, slices);
    if (slices && m->units == 2 * slices && s->pcs != 2)
        return heddle_fail(diag, HEDDLE_ERR_CONFIG,
                           "two channels cannot belong to one slice: dram.channels is %u, "
                           "l2.slices is %u",
                           s->channels, slices);
    lay_out(&l, s, maps[s->map].order);
    uint32_t line_bits = log2_of(m->line_atoms), n = l.groups + l.banks;
    /* Banks are numbered (stack ID, group, bank): the bank's bits are the lowest. */
    for (uint32_t i = 0; i < l.banks; i++)
        m->bank_mask[i] = 1ull << l.bank[i] | hash_mask(&l, hash, l.groups + i, n, line_bits);
    for (uint32_t i = 0; i < l.groups; i++)
        m->bank_mask[l.banks + i] = 1ull << l.group[i] | hash_mask(&l, hash, i, n, line_bits);
    for (uint32_t i = 0; i < l.sids; i++) m->bank_mask[n + i] = 1ull << l.sid[i];
    m->bank_bits = n + l.sids;
    for (uint32_t i = 0; i < l.columns; i++) m->column_mask[i] = 1ull << l.column[i];
    m->column_bits = l.columns;
    m->row_shift = l.row;
    return HEDDLE_OK;
}

/* @return n bits, bit i the parity of value & mask[i]. */
static uint32_t parity_bits(uint64_t value, const uint64_t *mask, uint32_t n) {
    uint32_t out = 0;
    for (uint32_t i = 0; i < n; i++) out |= (uint32_t)__builtin_parityll(value & mask[i]) << i;
    return out;
}

/* @return a hash of the line number's upper part, as wide as a pseudo-channel's number: the
 * remainder by m->unit_poly, else folded by XOR. */
static uint64_t unit_hash(const struct dram_map *m, uint64_t rest) {
    uint64_t h = 0;
    if (m->unit_poly) { /* remainder, the highest bit first */
        for (uint32_t i = 64 - (uint32_t)__builtin_clzll(rest | 1); i--;) {
            h = h << 1 | (rest >> i & 1);
            if (h >> m->unit_bits & 1) h ^= m->unit_poly;
        }
        return h;
    }
    for (; rest; rest >>= m->unit_bits) h ^= rest & ((1ull << m->unit_bits) - 1);
    return h;
}

/* Sets *unit to the line's pseudo-channel, which the line number (without slices) or the slice
 * chooses. @return the line's number within that, without gaps. */
static uint64_t local_line(const struct dram_map *m, uint64_t line, uint32_t slice,
                           uint32_t *unit) {
    if (!m->slices) {
        uint64_t rest = line / m->units, hash = m->hash_units ? unit_hash(m, rest) : 0;
        *unit = (uint32_t)((line % m->units + hash) % m->units);
        return rest;
    }
    uint64_t rest = line / m->slices; /* a slice's lines, numbered without gaps */
    if (m->units == 2 * m->slices) {
        uint32_t half = m->hash_units ? (uint32_t)__builtin_parityll(rest) : (uint32_t)rest & 1;
        *unit = 2 * slice + half;
        return rest >> 1;
    }
    uint32_t share = m->slices / m->units;
    *unit = slice / share;
    return rest * share + slice % share;
}

/* Sets bank, row and column of burst number `local` of a pseudo-channel. */
static void place_atom(const struct dram_map *m, uint64_t local, struct dram_place *p) {
    p->bank = parity_bits(local, m->bank_mask, m->bank_bits);
    p->column = parity_bits(local, m->column_mask, m->column_bits);
    p->row = (uint32_t)((local >> m->row_shift) % m->rows);
}

/* @return the place of the first burst of line number `line`; the others follow in its row. `slice`
 * counts only in a map with slices. */
struct dram_place dram_map_line(const struct dram_map *m, uint64_t line, uint32_t slice) {
    struct dram_place p;
    uint64_t local = local_line(m, line, slice, &p.unit) * m->line_atoms;
    place_atom(m, local, &p);
    return p;
}
