/* lower_video.h - declarations shared by the scalar video instructions (lower_video.c) and the SIMD
 * ones, which work on halves or bytes of a word (lower_simd.c). */
#ifndef PTX_LOWER_VIDEO_H
#define PTX_LOWER_VIDEO_H

#include "ptx/lower/lower.h"

/* The operation with the third operand; VIDEO_MERGE inserts the result into it. */
enum video_second { VIDEO_MERGE, VIDEO_ADD, VIDEO_MIN, VIDEO_MAX };

/* The modifiers of a video instruction. */
struct video {
    bool is_signed[3];        /* types, in the order written */
    bool sat, wrap, plus_one; /* .sat, .wrap (else .clamp), .po */
    enum video_second second; /* the operation with the third operand */
    mir_cmp cmp;              /* MIR_CMP_F: none */
    unsigned scale;           /* vmad: bits to shift right, 0, 7 or 15 */
};

/* Decodes the modifiers of lo->inst into *v; `types` of them must be types. Reports one that is not
 * supported. @return false: reported. */
bool video_decode(struct lower *lo, struct video *v, unsigned types);

/* The word of a source operand, without its selector. */
struct lir_src video_word(struct lower *lo, const struct ptx_operand *o);
/* The destination: a temporary, because sources are still read while it is written. */
struct dest video_dest(struct lower *lo, const struct ptx_operand *o);
/* The selector after the operand's dot; "" if it has none. */
const char *video_selector(const struct lower *lo, const struct ptx_operand *o);

/* Emits the extraction of part i (of 8, 16 or 32 bits) of word s, extended to 32 bits. */
struct lir_src video_part(struct lower *lo, struct lir_src s, unsigned bits, unsigned i,
                          bool is_signed);
/* Emits the word `into` with its part i replaced by `part`. */
struct lir_src video_insert(struct lower *lo, struct lir_src part, struct lir_src into,
                            unsigned bits, unsigned i);

#endif
