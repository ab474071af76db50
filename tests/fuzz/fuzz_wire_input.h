/* fuzz_wire_input.h - turns the bytes of a fuzzer's input into messages of programs, most of them
 * of the right form. */
#ifndef HEDDLE_TESTS_FUZZ_FUZZ_WIRE_INPUT_H
#define HEDDLE_TESTS_FUZZ_FUZZ_WIRE_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cuda/protocol/wire.h"

enum { WIRE_NUM_NOTED = 64, WIRE_PAYLOAD_BYTES = 4096 };

enum wire_step_kind {
    STEP_REQUEST, /* `request` */
    STEP_RUBBISH, /* `bytes` of `data` in its place */
    STEP_HANG_UP,
    STEP_IDLE, /* nothing: the connection may be new */
};

/* How the other end answers when the server asks for bytes or brings some. */
enum wire_wrong { WRONG_KIND, WRONG_LENGTH, WRONG_SILENCE, WRONG_HANG_UP };

/* What one connection does next. */
struct wire_step {
    enum wire_step_kind kind;
    unsigned connection;
    struct wire_request request;
    size_t bytes;                     /* of the payload, or of the rubbish */
    uint8_t data[WIRE_PAYLOAD_BYTES]; /* the payload goes on with zeros */
    unsigned wrong_at;                /* the answer that is `wrong`; UINT_MAX: none */
    enum wire_wrong wrong;
};

/* An input, and the results of its calls so far. Handles and addresses in messages come from
 * there. */
struct wire_input {
    const uint8_t *at, *end;
    uint64_t noted[WIRE_NUM_NOTED];
    unsigned num_noted;
};

/* The PTX of the one image that is whole, and the preparation of the tables here; once, before all
 * others. */
extern const char wire_ptx[];
void wire_input_prepare(void);

/* Starts with the bytes, which are borrowed. */
void wire_input_begin(struct wire_input *in, const uint8_t *bytes, size_t size);
/* Reads a step. @return false: the input has ended. */
bool wire_input_next(struct wire_input *in, struct wire_step *step);
/* Keeps a result of a call; 0 is none. */
void wire_input_note(struct wire_input *in, uint64_t result);
/* Copies [offset, offset + count) of the step's payload, with zeros behind its end. */
void wire_step_fill(const struct wire_step *step, uint64_t offset, uint8_t *out, uint64_t count);

#endif
