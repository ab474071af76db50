/* lower_video.h - what the video instructions on words (lower_video.c) and on parts of words side
 * by side (lower_simd.c) share. */
#ifndef PTX_LOWER_VIDEO_H
#define PTX_LOWER_VIDEO_H

#include "ptx/lower/lower.h"

enum video_second { VIDEO_MERGE, VIDEO_ADD, VIDEO_MIN, VIDEO_MAX };

struct video {
    bool is_signed[3]; /* types, in the order written */
    bool sat, wrap, plus_one;
    enum video_second second; /* what is done with the third operand */
    mir_cmp cmp;              /* MIR_CMP_F: none */
    unsigned scale;
};

/* Reads the modifiers, of which `types` are types. @return false: refused. */
bool video_decode(struct lower *lo, struct video *v, unsigned types);

/* The word of an operand; where the result goes, never a register that is read; the selector behind
 * the dot, or "". */
struct lir_src video_word(struct lower *lo, const struct ptx_operand *o);
struct dest video_dest(struct lower *lo, const struct ptx_operand *o);
const char *video_selector(const struct lower *lo, const struct ptx_operand *o);

/* Part i of 8, 16 or 32 bits of a word, extended; a word whose part i is replaced. */
struct lir_src video_part(struct lower *lo, struct lir_src s, unsigned bits, unsigned i,
                          bool is_signed);
struct lir_src video_insert(struct lower *lo, struct lir_src part, struct lir_src into,
                            unsigned bits, unsigned i);

#endif
