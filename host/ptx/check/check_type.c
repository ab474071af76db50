/* check_type.c - the rules of agreement, as ptxas applies them (docs/ptx-forms.md).
 *
 * Part of the PTX compiler, which runs in the server on the thread that handles the loading of a
 * module, and in commands such as `heddle ptx`. */
#include "ptx/check/check_type.h"

#define TYPE(c, b) ((struct check_type){.cls = CHECK_##c, .bits = (b)})
#define SIGNED(b) ((struct check_type){.cls = CHECK_INT, .bits = (b), .is_signed = true})
#define PACKED(c) ((struct check_type){.cls = CHECK_##c, .bits = 32, .packed = true})

struct check_type check_type_of(ptx_word w) {
    switch (w) {
    case PTX_W_b1: return TYPE(BITS, 1);
    case PTX_W_b8: return TYPE(BITS, 8);
    case PTX_W_b16: return TYPE(BITS, 16);
    case PTX_W_b32: return TYPE(BITS, 32);
    case PTX_W_b64: return TYPE(BITS, 64);
    case PTX_W_b128: return TYPE(BITS, 128);
    case PTX_W_u4: return TYPE(INT, 4);
    case PTX_W_u8: return TYPE(INT, 8);
    case PTX_W_u16: return TYPE(INT, 16);
    case PTX_W_u32: return TYPE(INT, 32);
    case PTX_W_u64: return TYPE(INT, 64);
    case PTX_W_s4: return SIGNED(4);
    case PTX_W_s8: return SIGNED(8);
    case PTX_W_s16: return SIGNED(16);
    case PTX_W_s32: return SIGNED(32);
    case PTX_W_s64: return SIGNED(64);
    case PTX_W_f16: return TYPE(FLOAT, 16);
    case PTX_W_f32: return TYPE(FLOAT, 32);
    case PTX_W_f64: return TYPE(FLOAT, 64);
    case PTX_W_f16x2: return PACKED(FLOAT);
    case PTX_W_u16x2:
    case PTX_W_s16x2: return PACKED(INT);
    case PTX_W_bf16:
    case PTX_W_e4m3x2:
    case PTX_W_e5m2x2: return TYPE(BFLOAT, 16);
    case PTX_W_bf16x2: return PACKED(BFLOAT);
    case PTX_W_tf32: return TYPE(BFLOAT, 32);
    case PTX_W_e4m3:
    case PTX_W_e5m2: return TYPE(BFLOAT, 8);
    case PTX_W_f32x2: return TYPE(BITS, 64);
    case PTX_W_pred: return TYPE(PRED, 1);
    default: return TYPE(NONE, 0);
    }
}

/* Untyped bits, or a register that holds two halves: .f16x2 stands for .b32. */
static bool is_bits(struct check_type reg) {
    return reg.cls == CHECK_BITS || reg.packed;
}

bool check_type_agrees(struct check_type want, struct check_type reg, bool wide) {
    if (want.cls == CHECK_PRED || reg.cls == CHECK_PRED) return want.cls == reg.cls;
    if (want.cls == CHECK_BFLOAT) return reg.cls == CHECK_BITS && reg.bits == want.bits;
    if (wide ? reg.bits < want.bits : reg.bits != want.bits) return false;
    if (want.packed) return is_bits(reg);
    switch (want.cls) {
    case CHECK_BITS: return true;
    case CHECK_INT: return reg.cls == CHECK_INT || is_bits(reg);
    case CHECK_FLOAT: /* a float of another size is no wider form of it */
        return is_bits(reg) ? !reg.packed : reg.cls == CHECK_FLOAT && reg.bits == want.bits;
    default: return false;
    }
}

bool check_type_takes(struct check_type want, const struct ptx_const *c) {
    if (want.packed || want.cls == CHECK_BFLOAT) return false;
    switch (c->kind) {
    case PTX_CONST_INT: return want.cls != CHECK_FLOAT;
    case PTX_CONST_F32:
        return want.cls == CHECK_FLOAT ? want.bits >= 32
                                       : want.cls == CHECK_BITS && want.bits == 32;
    default:
        return want.cls == CHECK_FLOAT ? want.bits >= 32
                                       : want.cls == CHECK_BITS && want.bits == 64;
    }
}
