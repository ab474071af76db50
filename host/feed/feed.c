/* feed.c - makes timing packets from the executor's records: packet templates, once a kernel, and
 * the packets of each execution. kernel.c creates a template for each launch on the server's
 * thread; group_feed.c makes packets on the threads that simulate SM groups. Nothing here has
 * state: the functions read the instruction, the template and the executor's record, and write the
 * packet or line words of their arguments. Fields of packets: word `packet` of
 * tables/core_words.def. */
#include "feed/feed.h"

#include <stdlib.h>

#include "common/memory.h"
#include "core_words.h"

/* @return the operation of the memory pipe for an instruction whose access is weak and lies in
 * `space`. */
static enum core_mem memory_kind(const struct mir_inst *inst, mir_space space) {
    bool shared = space == MIR_SPACE_SHARED;
    switch (mir_op_mem((mir_op)inst->op)) {
    case MIR_MEM_LOAD: return shared ? CORE_MEM_SHARED_LOAD : CORE_MEM_LOAD;
    case MIR_MEM_STORE: return shared ? CORE_MEM_SHARED_STORE : CORE_MEM_STORE;
    case MIR_MEM_RED: return shared ? CORE_MEM_SHARED_STORE : CORE_MEM_RED;
    case MIR_MEM_ATOM:
        if (inst->dst == MIR_RZ) return shared ? CORE_MEM_SHARED_STORE : CORE_MEM_RED;
        return shared ? CORE_MEM_SHARED_ATOM : CORE_MEM_ATOM;
    case MIR_MEM_SYS: return inst->dst == MIR_RZ ? CORE_MEM_RED : CORE_MEM_ATOM;
    case MIR_MEM_BARRIER: return CORE_MEM_BARRIER;
    default: break;
    }
    switch (mir_op_class((mir_op)inst->op)) {
    case MIR_CLASS_SHUFFLE: return CORE_MEM_SHUFFLE;
    case MIR_CLASS_CONST: return CORE_MEM_CONST;
    case MIR_CLASS_MEMORY: return CORE_MEM_LOAD; /* prefetch */
    default: return CORE_MEM_NONE;
    }
}

/* Sets the packet's fields for the registers that the instruction reads through the ports of the
 * register file. A register that several operands name is read for the first of them. */
static void template_operands(struct feed_packet *p, const struct mir_inst *inst) {
    unsigned banks[2] = {0, 0};
    if (!mir_class_ports(mir_op_class((mir_op)inst->op))) return;
    for (unsigned i = 0; i < MIR_MAX_SRC; i++) {
        unsigned words = mir_src_words(inst, i), reg = inst->src[i].reg, half = reg / 2;
        bool again = false;
        if (words == 0) continue;
        for (unsigned k = 0; k < i; k++)
            again |= mir_src_words(inst, k) == words && inst->src[k].reg == reg;
        if (again) continue;
        for (unsigned b = 0; b < 2; b++)
            if (words > 1 || reg % 2 == b) banks[b] |= 1u << i;
        if (i == 0) core_packet_set_src0(p->w, half);
        if (i == 1) core_packet_set_src1(p->w, half);
        if (i == 2) core_packet_set_src2(p->w, half);
    }
    core_packet_set_even(p->w, banks[0]);
    core_packet_set_odd(p->w, banks[1]);
    core_packet_set_reuse(p->w, inst->reuse);
}

/* The registers that an instruction names, each once. */
static struct feed_operands operands_of(const struct mir_inst *inst) {
    struct feed_operands o = {.writes = (uint8_t)mir_dst_words(inst)};
    for (unsigned i = 0; i < MIR_MAX_SRC; i++) {
        const unsigned words = mir_src_words(inst, i);
        bool again = false;
        for (unsigned k = 0; k < i; k++)
            again |= mir_src_words(inst, k) == words && inst->src[k].reg == inst->src[i].reg;
        if (!again) o.reads += (uint8_t)words;
    }
    return o;
}

/* @return the number of the 64-byte line of constants at this byte offset of a bank, 0: none. Lines
 * of all banks are numbered from 1 on, one bank behind the other, each at its largest. The first
 * line of the launch's bank counts as none: every kernel of NVIDIA's compiler reads it with its
 * first instruction, R1 = c[0][0x28], so the launch overhead, measured on empty kernels, includes
 * it. */
static unsigned constant_line(unsigned bank, uint32_t offset) {
    enum {
        LINE = 64,
        LAUNCH_LINES = (MIR_C0_SIZE + LINE - 1) / LINE,
        USER_LINES = 65536 / LINE,
        ADDRESS_LINES = 320, /* 2,560 variables and functions */
        LITERAL_LINES = MIR_LITERAL_BYTES / LINE,
        NUMBERS = 2047, /* of the packet's field, without 0 for none */
    };
    static const uint16_t first[MIR_NUM_BANKS] = {
        [MIR_BANK_USER] = LAUNCH_LINES,
        [MIR_BANK_ADDRESS] = LAUNCH_LINES + USER_LINES,
        [MIR_BANK_LITERAL] = LAUNCH_LINES + USER_LINES + ADDRESS_LINES,
        [MIR_BANK_TEXTURE] = LAUNCH_LINES + USER_LINES + ADDRESS_LINES + LITERAL_LINES,
    };
    if (bank == MIR_BANK_LAUNCH && offset < LINE) return 0;
    return 1 + (first[bank] + offset / LINE) % NUMBERS;
}

/* @return the line of constants that an operand of the instruction lies in, 0: none. Volta's forms
 * have one constant at most. */
static unsigned constant_operand(const struct mir_inst *inst) {
    if (!mir_class_ports(mir_op_class((mir_op)inst->op))) return 0;
    for (unsigned i = 0; i < MIR_MAX_SRC; i++)
        if (inst->src[i].kind == MIR_SRC_CONST)
            return constant_line(inst->src[i].bank, inst->src[i].value);
    return 0;
}

/* The banks of the register file to which the result is written, a mask. */
static unsigned result_banks(const struct mir_inst *inst) {
    unsigned words = mir_dst_words(inst);
    return words == 0 ? 0 : words > 1 ? 3 : 1u << inst->dst % 2;
}

/* The latency class of an instruction: that of its operation, of a fence that of its scope. */
static mir_class packet_class(const struct mir_inst *inst) {
    static const mir_class fence[] = {[MIR_SCOPE_CTA] = MIR_CLASS_FENCE_CTA,
                                      [MIR_SCOPE_CLUSTER] = MIR_CLASS_FENCE_CTA,
                                      [MIR_SCOPE_GPU] = MIR_CLASS_FENCE,
                                      [MIR_SCOPE_SYS] = MIR_CLASS_FENCE_SYS};
    return mir_op_mem((mir_op)inst->op) == MIR_MEM_FENCE ? fence[inst->scope]
                                                         : mir_op_class((mir_op)inst->op);
}

/* Makes the template packet of instruction pc of f. */
static void template_inst(struct feed_packet *p, const struct mir_function *f, uint32_t pc,
                          unsigned refetch) {
    const struct mir_inst *inst = &f->code[pc];
    const bool waits = packet_class(inst) == MIR_CLASS_BRANCH && inst->stall < refetch &&
                       mir_op_traits((mir_op)inst->op) & MIR_REFETCH;
    p->w[0] = p->w[1] = 0;
    core_packet_set_cls(p->w, packet_class(inst));
    core_packet_set_stall(p->w, waits ? refetch : inst->stall);
    core_packet_set_do_yield(p->w, waits ? refetch > MIR_YIELD_ABOVE : inst->yield);
    core_packet_set_wait_mask(p->w, inst->wait);
    core_packet_set_wr_bar(p->w, inst->wbar);
    core_packet_set_rd_bar(p->w, inst->rbar);
    core_packet_set_dst(p->w, result_banks(inst));
    core_packet_set_mem(p->w, memory_kind(inst, (mir_space)inst->space));
    core_packet_set_passes(p->w, 1);
    core_packet_set_pc(p->w, f->file_base / MIR_INST_BYTES + pc);
    core_packet_set_constant(p->w, constant_operand(inst));
    template_operands(p, inst);
}

/* Allocates the template and fills in a packet for each instruction of f; frees both on an error.
 * @return HEDDLE_OK with *out set, freed with feed_template_free(), or HEDDLE_ERR_NOMEM with *out
 * NULL. */
heddle_err feed_template_create(struct feed_template **out, const struct mir_function *f,
                                unsigned refetch) {
    struct feed_template *t = heddle_alloc(sizeof *t, "packets of a kernel");
    *out = NULL;
    t->num_inst = f->num_inst;
    t->packet = malloc(f->num_inst * sizeof *t->packet);
    t->operands = malloc(f->num_inst * sizeof *t->operands);
    if (!t->packet || !t->operands) {
        feed_template_free(t);
        return HEDDLE_ERR_NOMEM;
    }
    t->locks = false;
    for (uint32_t pc = 0; pc < f->num_inst; pc++) {
        template_inst(&t->packet[pc], f, pc, refetch);
        t->operands[pc] = operands_of(&f->code[pc]);
        t->locks |= (f->code[pc].flags & MIR_LOCKED) != 0;
    }
    *out = t;
    return HEDDLE_OK;
}

/* Frees the template. Accepts NULL. */
void feed_template_free(struct feed_template *t) {
    if (!t) return;
    free(t->packet);
    free(t->operands);
    free(t);
}

/* Writes the coalesced requests of an access to a warp's local memory, in which word k of all lanes
 * forms line local_line + k. @return their number. */
static unsigned local_lines(uint64_t *line, const struct exec_access *access, uint32_t mask,
                            unsigned width, uint32_t local_line, bool store) {
    unsigned words = width < 4 ? 1 : width / 4, n = 0;
    uint32_t seen[FEED_USUAL_REQUESTS];
    uint8_t lanes[FEED_USUAL_REQUESTS];
    for (uint32_t left = mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        for (unsigned k = 0; k < words; k++) {
            uint32_t word = (uint32_t)(access->address[lane] / 4) + k;
            unsigned i = 0;
            while (i < n && seen[i] != word) i++;
            if (i == n) {
                seen[n] = word;
                lanes[n] = 0;
                line[n] = 0;
                core_line_set_addr(&line[n], local_line + word);
                n++;
            }
            unsigned sector = lane / 8;
            core_line_set_sectors(&line[i], core_line_sectors(&line[i]) | 1u << sector);
            lanes[i]++;
        }
    }
    for (unsigned i = 0; store && i < n; i++)
        if (lanes[i] == MIR_WARP_SIZE && width >= 4) core_line_set_full(&line[i], 0xf);
    feed_look_ups(line, n);
    return n;
}

/* @return cycles for which a load occupies L1's data. If the lanes' elements are consecutive, these
 * are its words per lane: a conflict would need words of one bank further apart than the whole
 * access. `lines`: its coalesced requests. */
static unsigned load_passes(const struct exec_access *access, uint32_t mask, unsigned width,
                            unsigned lines) {
    unsigned turns = width <= 4 ? 1 : width / 4;
    if (mask == UINT32_MAX && width >= 4 && lines <= turns + 1) {
        const uint64_t *at = access->address;
        uint64_t wrong = 0;
        for (unsigned i = 0; i < MIR_WARP_SIZE; i++) wrong |= at[i] ^ (at[0] + i * width);
        if (!wrong) return turns;
    }
    return feed_conflicts(access->address, mask, width, FEED_READ);
}

/* Makes the packet of one record in *packet: the template's packet of the record's instruction, and
 * what the execution decided: waits, the end of the warp, the operation in flight, barrier, memory
 * operation with its lines or conflicts. `access` is the record's, NULL when it has none. Writes
 * the coalesced requests of global, local and texture accesses to `line`, which has room for
 * feed_most_requests() words. @return their number, 0 for all other instructions; the packet's
 * count of lines stops at FEED_PACKET_REQUESTS, and its passes are of these. */
unsigned feed_packet_make(struct feed_packet *packet, uint64_t *line, const struct feed_template *t,
                          const struct mir_function *function, const struct exec_record *r,
                          const struct exec_access *access, const struct feed_space *space) {
    const struct mir_inst *inst = &function->code[r->pc];
    struct feed_packet p = t->packet[r->pc];
    unsigned lines = 0, first;
    if (r->wait) core_packet_set_wait_mask(p.w, inst->wait | r->wait);
    if (r->flags & EXEC_REC_END) {
        /* A warp's results must have arrived before the next warp takes its number; stores may
         * still be in flight. */
        core_packet_set_last(p.w, 1);
        core_packet_set_wait_mask(p.w, 0x3f | inst->wait | r->wait);
    }
    if (r->inflight != EXEC_NO_INFLIGHT) {
        core_packet_set_perform(p.w, 1);
        core_packet_set_slot(p.w, r->inflight);
    }
    if (r->flags & EXEC_REC_ARRIVE) {
        /* Not only BAR: also the exit of lanes for which the rest of their warp waited at the
         * barrier. */
        core_packet_set_cls(p.w, MIR_CLASS_CTABAR);
        core_packet_set_mem(p.w, CORE_MEM_BARRIER);
        core_packet_set_bar_id(p.w, r->bar.id);
        core_packet_set_bar_warps(p.w, r->bar.warps);
        core_packet_set_bar_arrive(p.w, inst->op == MIR_BAR && inst->sub == MIR_BAR_ARV);
    } else if (inst->op == MIR_BAR) { /* part of a diverged warp waits: nothing arrives yet */
        core_packet_set_mem(p.w, CORE_MEM_NONE);
    } else if (access && r->space != MIR_SPACE_CONST) {
        enum core_mem kind = memory_kind(inst, (mir_space)r->space);
        if (kind == CORE_MEM_LOAD && r->flags & EXEC_REC_STRONG) kind = CORE_MEM_LOAD_STRONG;
        bool store = kind == CORE_MEM_STORE, banked = false;
        core_packet_set_mem(p.w, kind);
        if (r->space == MIR_SPACE_SHARED) {
            bool atomic = mir_op_mem((mir_op)inst->op) == MIR_MEM_ATOM ||
                          mir_op_mem((mir_op)inst->op) == MIR_MEM_RED;
            enum feed_words words = atomic                         ? FEED_ATOMIC
                                    : kind == CORE_MEM_SHARED_LOAD ? FEED_READ
                                                                   : FEED_WRITE;
            uint32_t mask = r->mask;
            if (inst->op == MIR_LDSM) { /* the lanes behind the last matrix read nothing */
                words = FEED_ROWS;
                mask &= UINT32_MAX >> (32 - 8 * (inst->sub & MIR_LDSM_MATRICES));
            }
            core_packet_set_passes(p.w, feed_conflicts(access->address, mask, inst->width, words));
        } else if (r->space == MIR_SPACE_LOCAL) {
            lines = local_lines(line, access, r->mask, inst->width, space->local_line, store);
        } else if (r->texels) {
            lines = feed_texels(line, access, r->texels, r->mask, r->texel_bytes,
                                space->memory_base, store);
        } else {
            lines = feed_coalesce(line, access, r->mask, inst->width, space->memory_base, store);
            for (unsigned i = 0; inst->flags & MIR_LOCKED && i < lines; i++)
                core_line_set_locked(&line[i], 1);
            if (kind == CORE_MEM_RED || kind == CORE_MEM_ATOM)
                feed_turns(line, lines, access, r->mask, inst->width, space->memory_base,
                           space->repeat[mir_type_is_float((mir_type)inst->type)]);
            /* L1's data has shared memory's banks; one line of single words cannot conflict */
            banked = kind == CORE_MEM_LOAD;
            if (banked && (lines > 1 || inst->width > 4))
                core_packet_set_passes(p.w, load_passes(access, r->mask, inst->width, lines));
        }
        first = lines < FEED_PACKET_REQUESTS ? lines : FEED_PACKET_REQUESTS;
        core_packet_set_lines(p.w, first);
        if (!banked && lines > 1) core_packet_set_passes(p.w, feed_sector_passes(line, first));
    } else if (!r->mask && mir_op_mem((mir_op)inst->op) == MIR_MEM_FENCE) {
        core_packet_set_cls(p.w, MIR_CLASS_BRANCH); /* no lane has anything to wait for */
    }
    *packet = p;
    return lines;
}

/* Sets the packet's lines and, by their sectors, its passes. Accesses that load words by their
 * banks never have so many requests. */
void feed_part(struct feed_packet *packet, const uint64_t *line, unsigned n) {
    core_packet_set_lines(packet->w, n);
    core_packet_set_passes(packet->w, feed_sector_passes(line, n));
    core_packet_set_fetch(packet->w, 0);
}

/* For an LDC with addresses: splits packet[0], which feed_packet_make() has made, into a packet for
 * each line of constants that the lanes read, written from packet[0] on (room for MIR_WARP_SIZE).
 * Sets the line and, as passes, the number of different addresses in it. Other instructions keep
 * their one packet unchanged. @return the number of packets, at least 1. */
unsigned feed_constants_make(struct feed_packet *packet, const struct mir_function *function,
                             const struct exec_record *r, const struct exec_access *access,
                             unsigned replay) {
    const struct mir_inst *inst = &function->code[r->pc];
    unsigned n = 0, passes[MIR_WARP_SIZE];
    if (inst->op != MIR_LDC || !access) return 1;
    for (uint32_t left = r->mask, seen = 0; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left), i = 0;
        uint64_t at = access->address[lane];
        bool again = false;
        for (uint32_t s = seen; s && !again; s &= s - 1)
            again = access->address[__builtin_ctz(s)] == at;
        if (again) continue;
        seen |= 1u << lane;
        unsigned number = constant_line(inst->sub, (uint32_t)at);
        while (i < n && core_packet_constant(packet[i].w) != number) i++;
        if (i == n) {
            packet[n] = packet[0];
            core_packet_set_constant(packet[n].w, number);
            passes[n++] = 0;
        }
        passes[i]++;
    }
    for (unsigned i = 0; i < n; i++) {
        const unsigned cycles = (passes[i] - !i) * replay;
        core_packet_set_passes(packet[i].w, passes[i]);
        core_packet_set_bar_id(packet[i].w, cycles >> 7);
        core_packet_set_bar_arrive(packet[i].w, cycles >> 6 & 1);
        core_packet_set_bar_warps(packet[i].w, cycles & 63);
        if (i) core_packet_set_fetch(packet[i].w, 0);
    }
    return n ? n : 1;
}

/* For TEX and TLD4: makes in *packet a copy of the fetch's packet that occupies the SM's memory
 * stage for the filter's time, and returns true. @return false for any other instruction: it needs
 * no such packet, and *packet is not written. `lanes`: lanes that the filter serves per cycle. It
 * takes four texels of at most eight bytes per lane and cycle, and a packet 32 passes at most.
 * `packet` may be `fetch`. */
bool feed_filter_make(struct feed_packet *packet, const struct feed_packet *fetch,
                      const struct mir_function *function, const struct exec_record *r,
                      unsigned lanes) {
    enum { TEXELS = 4, FULL_RATE = 8, MOST = 32 };
    unsigned op = function->code[r->pc].op;
    if (op != MIR_TEX && op != MIR_TLD4) return false;
    unsigned turns = ((unsigned)__builtin_popcount(r->mask) + lanes - 1) / lanes;
    unsigned passes = turns * ((r->texels + TEXELS - 1u) / TEXELS);
    if (r->texel_bytes > FULL_RATE) passes *= 2;
    *packet = *fetch;
    core_packet_set_mem(packet->w, CORE_MEM_SHARED_LOAD);
    core_packet_set_fetch(packet->w, 0);
    core_packet_set_lines(packet->w, 0);
    core_packet_set_passes(packet->w, passes < MOST ? passes : MOST);
    return true;
}

/* Spreads the cycles of a sleep, FEED_MOST_SLEEP at most, over the packet's fields that a sleeping
 * class reads as one number. A longer sleep is the caller's to split into several packets. */
void feed_sleep_set(struct feed_packet *packet, uint32_t cycles) {
    core_packet_set_bar_warps(packet->w, cycles & 63);
    core_packet_set_bar_arrive(packet->w, cycles >> 6 & 1);
    core_packet_set_bar_id(packet->w, cycles >> 7 & 15);
    core_packet_set_passes(packet->w, cycles >> 11 & 63);
    core_packet_set_lines(packet->w, cycles >> 17);
}

/* Makes in *packet a Hold, which is no instruction: wait_mask names the dependency barriers (bit 6:
 * drain) for which the warp's next instruction waits. */
void feed_hold_make(struct feed_packet *packet, unsigned wait_mask) {
    packet->w[0] = packet->w[1] = 0;
    core_packet_set_cls(packet->w, CORE_CLASS_HOLD);
    core_packet_set_wait_mask(packet->w, wait_mask);
    core_packet_set_wr_bar(packet->w, MIR_NO_BARRIER);
    core_packet_set_rd_bar(packet->w, MIR_NO_BARRIER);
}
