/* op_system.c - executes SYS: printf, assert, malloc and free of device code, lane by lane.
 *
 * The interpreter (run.c) calls exec_op_SYS() on the thread that runs the warp. Its effects outside
 * the warp are output and heap blocks in the launch's exec_io (memory/device_io.h, which has a
 * lock). printf and assert read device, shared and local memory; they check what they read. Faults
 * are reported by exec_raise(), which fills in the CTA's fault, sets the warp's status and returns
 * EX_FAULT.
 *
 * printf, malloc and free are atomics on a word of device memory, as in the CUDA library: text
 * appears and blocks are allocated in the order in which the atomics are performed. printf reads
 * its arguments when the executor reaches it, ahead of time like weak accesses. A freed block is
 * inaccessible from then on. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exec/check/fault.h"
#include "exec/check/global_race.h"
#include "exec/memory/device_io.h"
#include "exec/memory/in_flight.h"
#include "exec/memory/perform.h"
#include "exec/warp/exec_state.h"

/* ---- a lane's view of memory ---------------------------------------------------------------- */

/* Copies bytes from a generic address to `to`, as lane `lane` sees them. @return false: not all of
 * them are readable. */
static bool peek(const struct exec_warp *w, unsigned lane, uint64_t address, void *to,
                 unsigned bytes) {
    const struct exec_launch *launch = w->cta->launch;
    uint64_t window = address & ~UINT64_C(0xffffffff);
    uint32_t offset = (uint32_t)address;
    uint8_t *d = to;
    if (window == MIR_LOCAL_WINDOW) {
        if (offset > launch->function->local_bytes ||
            launch->function->local_bytes - offset < bytes)
            return false;
        for (unsigned i = 0; i < bytes; i++) {
            uint32_t at = offset + i;
            d[i] = w->local[(at / 4 * MIR_WARP_SIZE + lane) * 4 + at % 4];
        }
        return true;
    }
    if (window == MIR_SHARED_WINDOW) {
        if (offset > launch->shared_bytes || launch->shared_bytes - offset < bytes) return false;
        memcpy(to, w->cta->shared + offset, bytes);
        return true;
    }
    const struct exec_memory *m = launch->memory;
    for (unsigned i = 0; i < bytes; i++) {
        uint64_t at = address + i - m->base;
        if (at >= m->size) return false;
        uint8_t s = __atomic_load_n(&m->state[at / EXEC_SECTOR], __ATOMIC_RELAXED);
        if (at % EXEC_SECTOR >= (s & EXEC_SECTOR_BYTES)) return false;
        d[i] = *(const uint8_t *)(uintptr_t)(address + i);
    }
    return true;
}

/* ---- text that grows ------------------------------------------------------------------------ */

/* Growing text, begun as zeros. Its maker frees `at`. */
struct text {
    char *at;      /* ends with a 0; NULL: empty */
    size_t n, cap; /* bytes without the 0, bytes allocated */
    bool failed;   /* no memory: the text is incomplete */
};

/* Appends n bytes of s; sets t->failed when there is no memory. */
static void append(struct text *t, const char *s, size_t n) {
    if (t->n + n + 1 > t->cap) {
        size_t cap = 2 * (t->n + n) + 256;
        char *grown = t->failed ? NULL : realloc(t->at, cap);
        t->failed |= !grown;
        if (!grown) return;
        t->at = grown;
        t->cap = cap;
    }
    memcpy(t->at + t->n, s, n);
    t->n += n;
    t->at[t->n] = '\0';
}

enum { STRING_MAX = 1 << 16 }; /* bytes of a string in device memory */

/* Appends a 0-terminated string of device memory, at most `most` bytes of it. @return false: part
 * of it is not readable. */
static bool append_string(struct text *t, const struct exec_warp *w, unsigned lane,
                          uint64_t address, size_t most) {
    for (size_t i = 0; i < most && i < STRING_MAX; i++) {
        char c;
        if (!peek(w, lane, address + i, &c, 1)) return false;
        if (c == '\0') return true;
        append(t, &c, 1);
    }
    return true;
}

/* ---- printf --------------------------------------------------------------------------------- */

/* The arguments of one lane's printf, read one after the other. */
struct arguments {
    const struct exec_warp *w;
    unsigned lane;
    uint64_t at;    /* generic address of the next argument, before its alignment */
    uint32_t taken; /* arguments read */
    bool failed;    /* something was not readable */
};

/* Reads the next argument, of 4 or 8 bytes. Arguments lie in sequence, aligned to their size. Sets
 * a->failed if it is not readable. */
static uint64_t argument(struct arguments *a, unsigned bytes) {
    uint64_t v = 0;
    a->at = (a->at + bytes - 1) & ~(uint64_t)(bytes - 1);
    if (!peek(a->w, a->lane, a->at, &v, bytes)) a->failed = true;
    a->at += bytes;
    a->taken++;
    return v;
}

/* One conversion of a format. */
struct directive {
    char flags[8];
    int width, precision; /* -1: not given */
    unsigned bytes;       /* of an integer argument */
    unsigned bits;        /* of the integer that is printed: fewer with h and hh */
    char conversion;
};

/* Reads %[flags][width][.precision][length]conversion at f into *d; a * takes an argument. @return
 * the character behind it. */
static const char *parse(const char *f, struct directive *d, struct arguments *a) {
    unsigned n = 0, longs = 0, shorts = 0;
    *d = (struct directive){.width = -1, .precision = -1, .bytes = 4};
    for (f++; *f && strchr("-+ #0", *f); f++)
        if (n < sizeof d->flags - 1) d->flags[n++] = *f;
    if (*f == '*') {
        d->width = (int)argument(a, 4);
        f++;
        if (d->width < 0) {
            d->width = d->width == INT_MIN ? INT_MAX : -d->width;
            if (n < sizeof d->flags - 1) d->flags[n++] = '-';
        }
    } else if (*f >= '0' && *f <= '9') {
        d->width = (int)strtol(f, (char **)&f, 10);
    }
    if (*f == '.') {
        f++;
        if (*f == '*') {
            d->precision = (int)argument(a, 4);
            f++;
        } else {
            d->precision = (int)strtol(f, (char **)&f, 10);
        }
    }
    for (; *f && strchr("hlLqjzt", *f); f++) {
        longs += *f != 'h';
        shorts += *f == 'h';
    }
    if (longs) d->bytes = 8;
    d->bits = longs ? 64 : 32u >> (shorts < 2 ? shorts : 2);
    d->conversion = *f;
    return *f ? f + 1 : f;
}

/* Appends one conversion by the host's printf. Takes its argument; sets a->failed if it, or a
 * string, is not readable. Numbers and characters: widths over 400 and precisions over 60 are cut.
 * Strings (%s) are padded here to the width as given, and read up to the precision or STRING_MAX
 * bytes. */
static void convert(struct text *t, const struct directive *d, struct arguments *a) {
    char format[64], out[512];
    int n = snprintf(format, sizeof format, "%%%s", d->flags);
    int width = d->width > 400 ? 400 : d->width, precision = d->precision > 60 ? 60 : d->precision;
    if (width >= 0) n += snprintf(format + n, sizeof format - (size_t)n, "%d", width);
    if (precision >= 0) n += snprintf(format + n, sizeof format - (size_t)n, ".%d", precision);
    switch (d->conversion) {
    case 'd':
    case 'i':
    case 'u':
    case 'o':
    case 'x':
    case 'X': {
        uint64_t v = argument(a, d->bytes);
        bool is_signed = d->conversion == 'd' || d->conversion == 'i';
        v <<= 64 - d->bits; /* the upper bits go, or become copies of the sign */
        v = is_signed ? (uint64_t)((int64_t)v >> (64 - d->bits)) : v >> (64 - d->bits);
        snprintf(format + n, sizeof format - (size_t)n, "ll%c", d->conversion);
        n = snprintf(out, sizeof out, format, (long long)v);
        break;
    }
    case 'c':
        snprintf(format + n, sizeof format - (size_t)n, "c");
        n = snprintf(out, sizeof out, format, (int)argument(a, 4));
        break;
    case 'p':
        snprintf(format + n, sizeof format - (size_t)n, "p");
        n = snprintf(out, sizeof out, format, (void *)(uintptr_t)argument(a, 8));
        break;
    case 's': {
        struct text s = {0};
        size_t most = d->precision >= 0 ? (size_t)d->precision : STRING_MAX;
        if (!append_string(&s, a->w, a->lane, argument(a, 8), most)) a->failed = true;
        bool left = strchr(d->flags, '-') != NULL;
        for (size_t i = s.n; !left && d->width > 0 && i < (size_t)d->width; i++) append(t, " ", 1);
        append(t, s.at ? s.at : "", s.n);
        for (size_t i = s.n; left && d->width > 0 && i < (size_t)d->width; i++) append(t, " ", 1);
        free(s.at);
        return;
    }
    default: { /* e f g a and their capitals */
        uint64_t bits = argument(a, 8);
        double v;
        memcpy(&v, &bits, 8);
        snprintf(format + n, sizeof format - (size_t)n, "%c", d->conversion);
        n = snprintf(out, sizeof out, format, v);
    }
    }
    if (n > 0) append(t, out, (size_t)n < sizeof out ? (size_t)n : sizeof out - 1);
}

/* Appends the text of one lane's printf; `format` and `arguments` are generic addresses. An unknown
 * conversion is copied as it stands. @return the number of arguments, or -1: something was not
 * readable, or no memory. */
static int print(struct text *t, const struct exec_warp *w, unsigned lane, uint64_t format,
                 uint64_t arguments) {
    struct text f = {0};
    struct arguments a = {.w = w, .lane = lane, .at = arguments};
    if (!append_string(&f, w, lane, format, STRING_MAX)) a.failed = true;
    for (const char *p = f.at ? f.at : ""; *p && !a.failed;) {
        size_t plain = strcspn(p, "%");
        append(t, p, plain);
        p += plain;
        if (!*p) break;
        if (p[1] == '%') {
            append(t, "%", 1);
            p += 2;
            continue;
        }
        struct directive d;
        const char *end = parse(p, &d, &a);
        if (d.conversion && strchr("diouxXcspeEfFgGaA", d.conversion))
            convert(t, &d, &a);
        else
            append(t, p, (size_t)(end - p)); /* unknown */
        p = end;
    }
    free(f.at);
    return a.failed || t->failed ? -1 : (int)a.taken;
}

/* ---- the operations ------------------------------------------------------------------------- */

/* Number of the CTA in its grid, x fastest. */
static uint64_t cta_number(const struct exec_cta *c) {
    const uint32_t *g = c->launch->grid;
    return c->id[0] + (uint64_t)g[0] * (c->id[1] + (uint64_t)g[1] * c->id[2]);
}

/* Turns the text into a piece of output of the launch and frees the text. *out is NULL if the text
 * is empty. Without timing the CTA's number orders the pieces. @return false: no memory. */
static bool piece(const struct exec_warp *w, bool error, struct text *t, struct exec_text **out) {
    const struct exec_launch *l = w->cta->launch;
    uint64_t place = w->timed ? 0 : cta_number(w->cta);
    *out = t->n && !t->failed ? exec_io_text(l->grid_id, place, error, t->at, t->n) : NULL;
    bool ok = !t->failed && (*out || !t->n);
    free(t->at);
    return ok;
}

/* printf: formats the text of all lanes into one piece, *text. Leaves the number of arguments of
 * each lane in s->data[0]. @return EX_NEXT or EX_FAULT. */
static exec_code format_lanes(struct exec_warp *w, const struct exec_op *op,
                              struct exec_inflight *s, struct exec_text **text) {
    const warp_reg *format = exec_src_raw(w, op, 0), *arguments = exec_src_raw(w, op, 1);
    struct text t = {0};
    EACH_SET(l, s->lanes) {
        int taken = print(&t, w, l, reg_pair(format, l), reg_pair(arguments, l));
        if (taken < 0) {
            free(t.at);
            return exec_raise(w, op, UINT32_C(1) << l, HEDDLE_ERR_ILLEGAL_ADDRESS,
                              "printf reads its format, a string or an argument there");
        }
        s->data[0].u[l] = (uint32_t)taken;
    }
    if (piece(w, false, &t, text)) return EX_NEXT;
    return exec_raise(w, op, s->lanes, HEDDLE_ERR_NOMEM, "text of printf");
}

/* Thread index (x, y, z) of a lane. */
static void thread_of(const struct exec_warp *w, unsigned lane, uint32_t out[3]) {
    const warp_reg *tid = w->cta->program->tid + 3 * w->index;
    for (unsigned i = 0; i < 3; i++) out[i] = tid[i].u[lane];
}

/* assert: writes a message for each lane, as one piece to the launch's output for standard error,
 * then raises HEDDLE_ERR_ASSERT (without memory HEDDLE_ERR_NOMEM). The message is CUDA's:
 * file:line: function: block: [x,y,z], thread: [x,y,z] Assertion `text` failed. Strings that are
 * not readable are left out. @return EX_FAULT. */
static exec_code assert_lanes(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    const warp_reg *message = exec_src_raw(w, op, 0), *file = exec_src_raw(w, op, 1);
    const warp_reg *rest = exec_src_raw(w, op, 2); /* line, function */
    struct text t = {0};
    EACH_SET(l, mask) {
        char where[160];
        uint32_t thread[3];
        const uint32_t *cta = w->cta->id;
        thread_of(w, l, thread);
        append_string(&t, w, l, reg_pair(file, l), STRING_MAX);
        int n = snprintf(where, sizeof where, ":%u: ", rest[0].u[l]);
        append(&t, where, (size_t)n);
        append_string(&t, w, l, reg_pair(rest + 2, l), STRING_MAX);
        n = snprintf(where, sizeof where, ": block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `",
                     cta[0], cta[1], cta[2], thread[0], thread[1], thread[2]);
        append(&t, where, (size_t)n);
        append_string(&t, w, l, reg_pair(message, l), STRING_MAX);
        append(&t, "` failed.\n", 10);
    }
    struct exec_text *text;
    if (!piece(w, true, &t, &text)) return exec_raise(w, op, mask, HEDDLE_ERR_NOMEM, "assertion");
    if (text) exec_io_write(w->cta->launch->io, text);
    return exec_raise(w, op, mask, HEDDLE_ERR_ASSERT, NULL);
}

/* First part of free: makes the lanes' blocks inaccessible. An address that is no allocated block
 * raises ILLEGAL_ADDRESS. @return EX_NEXT or EX_FAULT. */
static exec_code retire_lanes(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    const warp_reg *address = exec_src_raw(w, op, 0);
    EACH_SET(l, mask) {
        if (exec_io_retire(w->cta->launch->io, w->cta->launch->memory, reg_pair(address, l)))
            continue;
        exec_raise(w, op, UINT32_C(1) << l, HEDDLE_ERR_ILLEGAL_ADDRESS,
                   "free of what device malloc has not given, or twice");
        w->cta->fault.address = reg_pair(address, l);
        return EX_FAULT;
    }
    return EX_NEXT;
}

/* Does what happens when the operation executes, and puts its operands into s->data. *text: the
 * output to write when it takes effect, NULL: none. @return EX_NEXT or EX_FAULT. */
static exec_code prepare(struct exec_warp *w, const struct exec_op *op, struct exec_inflight *s,
                         struct exec_text **text) {
    *text = NULL;
    if (op->sub == MIR_SYS_PRINTF) return format_lanes(w, op, s, text);
    memcpy(s->data, exec_src_raw(w, op, 0), 2 * sizeof(warp_reg));
    return op->sub == MIR_SYS_FREE ? retire_lanes(w, op, s->lanes) : EX_NEXT;
}

/* Performs printf, malloc or free in an immediate launch: writes the text, calls the heap, tells
 * the race check, and writes d. @return EX_NEXT or EX_FAULT. */
static exec_code at_once(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    struct exec_inflight now = {.op = op, .lanes = mask};
    struct exec_text *text;
    exec_code c = prepare(w, op, &now, &text);
    if (c != EX_NEXT) return c;
    if (text) exec_io_write(w->cta->launch->io, text);
    exec_inflight_perform(&now, w->cta, mask, 0);
    if (EXEC_UNLIKELY(w->cta->race)) {
        EACH_LANE(l) now.address[l] = exec_io_word(w->cta->launch->io, EXEC_IO_HEAP);
        now.check = exec_race_follow(w, op, mask, now.address);
        exec_race_perform(w->cta->program->race, now.check, mask, now.address);
        exec_race_unfollow(w->cta, now.check, true);
    }
    warp_reg *d = exec_dst(w, op);
    for (unsigned i = 0; i < op->dst_words; i++) reg_put(d + i, &now.data[i], mask);
    return EX_NEXT;
}

/* Puts printf, malloc or free in flight as an atomic on `word`, and writes its record. A piece of
 * text is held in the exec_io; its ticket goes with the operation. @return EX_DONE, EX_HELD (the
 * warp must wait first; nothing is done) or EX_FAULT. */
static exec_code in_time(struct exec_warp *w, const struct exec_op *op, uint32_t mask,
                         uint64_t word) {
    struct exec_trace *t = w->trace;
    struct exec_part part = {
        .space = MIR_SPACE_GLOBAL, .memory_class = op->memory_class, .mask = mask};
    struct exec_inflight now = {.op = op, .lanes = mask};
    uint8_t wait = 0, index;
    EACH_LANE(l) now.address[l] = word;
    if (exec_order_access(w, op, &part, 1, now.address, &wait) != EX_NEXT) return EX_HELD;
    struct exec_text *text;
    exec_code c = prepare(w, op, &now, &text);
    if (c != EX_NEXT) return c;
    index = exec_inflight_add(w, op, &part, now.address);
    struct exec_inflight *s = w->inflight[index];
    if (text) s->text = exec_io_hold(w->cta->launch->io, text);
    memcpy(s->data, now.data, 2 * sizeof(warp_reg));
    if (!t) return EX_DONE;
    memcpy(t->access[t->num_accesses].address, now.address, sizeof now.address);
    t->record[t->num_records++] = (struct exec_record){
        .pc = exec_pc(w, op),
        .mask = mask,
        .access = t->num_accesses++,
        .inflight = index,
        .wait = wait,
        .space = MIR_SPACE_GLOBAL,
        .flags = EXEC_REC_STRONG,
    };
    return EX_DONE;
}

/* d = result of function sub (mir_sys). ASSERT takes effect at once and ends in a fault; the others
 * in time, or at once in an immediate launch. A launch without exec_io, or an unknown function,
 * raises PTX_UNSUPPORTED; no device memory for the heap raises NOMEM. @return EX_NEXT (immediate),
 * EX_DONE, EX_HELD or EX_FAULT. */
exec_code exec_op_SYS(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    struct exec_io *io = w->cta->launch->io;
    if (!io)
        return exec_raise(w, op, mask, HEDDLE_ERR_PTX_UNSUPPORTED,
                          "printf, assert or malloc without a system behind the launch");
    if (op->sub > MIR_SYS_FREE)
        return exec_raise(w, op, mask, HEDDLE_ERR_PTX_UNSUPPORTED, "function of SYS");
    if (op->sub == MIR_SYS_ASSERT) return assert_lanes(w, op, mask);
    if (!w->timed) return at_once(w, op, mask);
    uint64_t word = exec_io_word(io, op->sub == MIR_SYS_PRINTF ? EXEC_IO_TEXT : EXEC_IO_HEAP);
    if (word) return in_time(w, op, mask, word);
    return exec_raise(w, op, mask, HEDDLE_ERR_NOMEM, "device memory for the heap");
}
