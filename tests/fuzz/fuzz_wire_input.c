/* fuzz_wire_input.c - messages of programs from bytes; see fuzz_wire_input.h.
 *
 * A step is: its connection and kind (a byte), how it answers (a byte), the call (two bytes), its
 * arguments (two bytes each, as many as the call has), and the payload, which begins with its form
 * (a byte). A value of two bytes is a way to make it, and a number. */
#include "tests/fuzz/fuzz_wire_input.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/base/context.h"
#include "cuda/calls/call_table.h"

const char wire_ptx[] =
    ".version 7.5\n.target sm_70\n.address_size 64\n"
    ".visible .global .align 8 .b8 v[64];\n.visible .const .align 4 .b8 c[16];\n"
    ".visible .global .attribute(.managed) .align 4 .b8 m[16];\n.global .texref t;\n"
    ".visible .entry k(.param .u64 p, .param .u32 n)\n{\n"
    ".reg .b64 %rd<3>;\n.reg .b32 %r<3>;\nld.param.u64 %rd1, [p];\nld.param.u32 %r1, [n];\n"
    "st.global.u32 [%rd1], %r1;\nret;\n}\n";

/* A call that the server carries out. */
struct forwarded {
    uint32_t hash, call;
    unsigned args;
};

static struct forwarded forwarded[CUDA_NUM_CALLS];
static unsigned num_forwarded;
static uint8_t image[16 + 64 + sizeof wire_ptx];

/* FNV-1a, folded to 16 bits: inputs name calls by it, so that they mean the same when the table
 * grows. */
static uint32_t hash_of(const char *name) {
    uint32_t h = 2166136261u;
    for (; *name; name++) h = (h ^ (uint8_t)*name) * 16777619u;
    return (h ^ h >> 16) & 0xffff;
}

static int by_hash(const void *a, const void *b) {
    const struct forwarded *x = a, *y = b;
    return x->hash != y->hash ? (x->hash > y->hash) - (x->hash < y->hash)
                              : (x->call > y->call) - (x->call < y->call);
}

/* Number of arguments in a wire signature: the parameters that are no results. */
static unsigned count_args(const char *wire) {
    unsigned n = 0;
    for (const char *p = wire; p && *p; p = *p ? p + 1 : p) {
        size_t length = strcspn(p, ",");
        const char *result = strstr(p, "out_");
        if (strncmp(p, "void", length) != 0 && (!result || result >= p + length)) n++;
        p += length;
    }
    return n < WIRE_MAX_ARGS ? n : WIRE_MAX_ARGS;
}

/* Writes a number of `bytes` bytes, little-endian. */
static void put(uint8_t *at, uint64_t value, unsigned bytes) {
    for (unsigned i = 0; i < bytes; i++) at[i] = (uint8_t)(value >> 8 * i);
}

void wire_input_prepare(void) {
    for (uint32_t i = 0; i < CUDA_NUM_CALLS; i++)
        if (call_table[i].handler)
            forwarded[num_forwarded++] = (struct forwarded){hash_of(call_table[i].name), i,
                                                            count_args(call_table[i].wire)};
    qsort(forwarded, num_forwarded, sizeof *forwarded, by_hash);
    /* a container with one entry (fatbin.h) */
    put(image, 0xba55ed50, 4);
    put(image + 4, 1, 2);
    put(image + 6, 16, 2);
    put(image + 8, sizeof image - 16, 8);
    put(image + 16, 1, 2);
    put(image + 20, 64, 4);
    put(image + 24, sizeof wire_ptx, 8);
    put(image + 44, 70, 4);
    memcpy(image + 80, wire_ptx, sizeof wire_ptx);
}

void wire_input_begin(struct wire_input *in, const uint8_t *bytes, size_t size) {
    *in = (struct wire_input){.at = bytes, .end = bytes + size};
}

void wire_input_note(struct wire_input *in, uint64_t result) {
    if (result) in->noted[in->num_noted++ % WIRE_NUM_NOTED] = result;
}

/* A byte of the input; 0 behind its end. */
static uint8_t byte(struct wire_input *in) {
    return in->at < in->end ? *in->at++ : 0;
}

/* The result `back` calls ago; 0: there is none. */
static uint64_t noted(const struct wire_input *in, unsigned back) {
    return back < in->num_noted && back < WIRE_NUM_NOTED
               ? in->noted[(in->num_noted - 1 - back) % WIRE_NUM_NOTED]
               : 0;
}

/* A value for an argument or a word of a payload. */
static uint64_t value(struct wire_input *in) {
    static const int64_t near[16] = {8,  1,  16,   64,      128,        256, 4096, 1 << 16,
                                     -1, -8, -256, 2 << 20, -(2 << 20), 4,   24,   1 << 30};
    const unsigned way = byte(in), n = byte(in);
    switch (way & 7) {
    case 0: return n;
    case 1: return noted(in, n);
    case 2: return noted(in, n & 15) + (uint64_t)near[n >> 4];
    case 3: return (UINT64_C(1) << (n & 63)) - (n >> 6);
    case 4: return (uint64_t)n << 12;
    case 5: return (n & 15) | (uint64_t)(n >> 4) << 32;
    case 6: return UINT64_MAX - n;
    default: return (uint64_t)n << 21;
    }
}

/* Appends `n` values to the payload. */
static void take_words(struct wire_input *in, struct wire_step *step, unsigned n) {
    for (unsigned i = 0; i < n && step->bytes + 8 <= sizeof step->data; i++, step->bytes += 8)
        put(step->data + step->bytes, value(in), 8);
}

/* Reads a payload by its form, and the numbers of its bytes, which may be wrong. */
static void take_payload(struct wire_input *in, struct wire_step *step) {
    static const char *const name[] = {"k", "v", "c", "m", "t", "_Z1kPii", "0000:00:00.0", ""};
    const unsigned form = byte(in);
    switch (form & 7) {
    case 1: take_words(in, step, byte(in) & 31); break;
    case 2: /* bytes as they are */
        step->bytes = byte(in);
        for (unsigned i = 0; i < step->bytes; i++) step->data[i] = byte(in);
        break;
    case 3:
        step->bytes = sizeof image;
        memcpy(step->data, image, sizeof image);
        if (form & 64) step->data[value(in) % sizeof image] ^= byte(in);
        break;
    case 4: {
        const char *text = name[byte(in) % (sizeof name / sizeof *name)];
        step->bytes = strlen(text);
        memcpy(step->data, text, step->bytes);
        break;
    }
    case 5: take_words(in, step, 15); break; /* a graph node: its head is 13 words */
    case 6: step->bytes = 1 + value(in) % sizeof step->data; break; /* zeros */
    default: break;
    }
    step->request.payload_bytes = step->bytes;
    if (form & 32) step->request.payload_bytes = value(in);
    if (!(form & 8))
        step->request.inline_bytes = (uint32_t)step->request.payload_bytes;
    else if (form & 16)
        step->request.inline_bytes = (uint32_t)value(in);
}

/* Reads a call, its arguments and its payload. */
static void take_call(struct wire_input *in, struct wire_step *step) {
    const uint32_t hash = byte(in) | (uint32_t)byte(in) << 8;
    unsigned low = 0, high = num_forwarded - 1; /* the first whose hash is as large */
    while (low < high) {
        unsigned middle = (low + high) / 2;
        if (forwarded[middle].hash < hash)
            low = middle + 1;
        else
            high = middle;
    }
    step->request.kind = WIRE_CALL;
    step->request.call = forwarded[low].call;
    for (unsigned i = 0; i < forwarded[low].args; i++) step->request.arg[i] = value(in);
    take_payload(in, step);
}

/* Reads a message of another kind. */
static void take_other(struct wire_input *in, struct wire_step *step) {
    static const uint32_t kind[] = {WIRE_GOODBYE, WIRE_HELPER, WIRE_PARAMETERS,
                                    WIRE_LOCALS,  WIRE_READY,  WIRE_TOUCHED};
    const unsigned n = byte(in);
    step->request.kind = kind[n % (sizeof kind / sizeof *kind)];
    step->request.arg[0] = value(in);
    step->request.local_calls = n >> 4;
    step->request.part_calls = n >> 5;
    if (step->request.kind == WIRE_TOUCHED) take_payload(in, step);
}

bool wire_input_next(struct wire_input *in, struct wire_step *step) {
    if (in->at >= in->end) return false;
    const unsigned head = byte(in), answers = byte(in);
    memset(step, 0, sizeof *step);
    step->connection = head >> 4;
    step->wrong_at = answers & 1 ? answers >> 1 & 7 : UINT_MAX;
    step->wrong = (enum wire_wrong)(answers >> 4 & 3);
    step->request.flags = answers >> 7; /* WIRE_PER_THREAD */
    switch (head & 15) {
    case 15: step->kind = STEP_HANG_UP; break;
    case 14: step->kind = STEP_IDLE; break;
    case 13:
        step->kind = STEP_RUBBISH;
        step->bytes = byte(in) % sizeof(struct wire_request) + 1;
        for (size_t i = 0; i < step->bytes; i++) step->data[i] = byte(in);
        break;
    case 12: take_other(in, step); break;
    default: take_call(in, step);
    }
    return true;
}

void wire_step_fill(const struct wire_step *step, uint64_t offset, uint8_t *out, uint64_t count) {
    uint64_t have = offset < step->bytes ? step->bytes - offset : 0;
    uint64_t n = have < count ? have : count;
    memcpy(out, step->data + (n ? offset : 0), n);
    memset(out + n, 0, count - n);
}
