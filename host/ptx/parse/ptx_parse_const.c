/* ptx_parse_const.c - constant expressions: C's operators on 64-bit integers, + - * / and
 * comparisons on doubles. PTX evaluates them as C does, with s64/u64 in place of int/unsigned.
 *
 * The parse_* functions read tokens from p->tok on and return the value; errors are recorded as
 * ptx_parser.h says, and the value is then 0 or meaningless. The others compute with values only.
 * Contracts of the exported functions are in ptx_parser.h.
 *
 * Part of the PTX compiler, which runs in the server on the thread that handles the loading of a
 * module, and in commands such as `heddle ptx`. */
#include "ptx/parse/ptx_parser.h"

#include <string.h>

/* The value as a double. */
static double const_double(struct ptx_const v) {
    double d;
    float f;
    uint32_t w = (uint32_t)v.bits;
    switch (v.kind) {
    case PTX_CONST_F64: memcpy(&d, &v.bits, sizeof d); return d;
    case PTX_CONST_F32: memcpy(&f, &w, sizeof f); return f;
    default: return v.is_unsigned ? (double)v.bits : (double)(int64_t)v.bits;
    }
}

static struct ptx_const const_of_double(double d) {
    struct ptx_const v = {.kind = PTX_CONST_F64};
    memcpy(&v.bits, &d, sizeof d);
    return v;
}

static struct ptx_const const_of_int(uint64_t bits, bool is_unsigned) {
    return (struct ptx_const){.kind = PTX_CONST_INT, .is_unsigned = is_unsigned, .bits = bits};
}

/* @return -v. A negated integer is signed. */
struct ptx_const ptx_const_negate(struct ptx_const v) {
    switch (v.kind) {
    case PTX_CONST_F64: v.bits ^= UINT64_C(1) << 63; break;
    case PTX_CONST_F32: v.bits ^= UINT64_C(1) << 31; break;
    default:
        v.bits = -v.bits;
        v.is_unsigned = false;
        break;
    }
    return v;
}

/* C's precedence of the operator at p->tok, higher binds tighter; 0 = not a binary operator. */
static int binary_precedence(const struct ptx_parser *p) {
    if (p->tok.kind != PTX_T_PUNCT) return 0;
    switch (p->tok.punct) {
    case '*':
    case '/':
    case '%': return 10;
    case '+':
    case '-': return 9;
    case PTX_P_SHL:
    case PTX_P_SHR: return 8;
    case '<':
    case '>':
    case PTX_P_LE:
    case PTX_P_GE: return 7;
    case PTX_P_EQ:
    case PTX_P_NE: return 6;
    case '&': return 5;
    case '^': return 4;
    case '|': return 3;
    case PTX_P_ANDAND: return 2;
    case PTX_P_OROR: return 1;
    default: return 0;
    }
}

/* a op b on doubles; an error if the operator takes only integers. */
static struct ptx_const apply_float(struct ptx_parser *p, const struct ptx_token *op, double a,
                                    double b) {
    switch (op->punct) {
    case '*': return const_of_double(a * b);
    case '/': return const_of_double(a / b);
    case '+': return const_of_double(a + b);
    case '-': return const_of_double(a - b);
    case '<': return const_of_int(a < b, false);
    case '>': return const_of_int(a > b, false);
    case PTX_P_LE: return const_of_int(a <= b, false);
    case PTX_P_GE: return const_of_int(a >= b, false);
    case PTX_P_EQ: return const_of_int(a == b, false);
    case PTX_P_NE: return const_of_int(a != b, false);
    default:
        ptx_error_at(p, op,
                     "this operator has no meaning for floating-point constants; "
                     "use + - * / or a comparison");
        return const_of_int(0, false);
    }
}

/* a op b on integers, unsigned if one of them is; an error on division by zero. Shifts by more than
 * 63 shift everything out. */
static struct ptx_const apply_int(struct ptx_parser *p, const struct ptx_token *op,
                                  struct ptx_const a, struct ptx_const b) {
    bool u = a.is_unsigned || b.is_unsigned;
    uint64_t x = a.bits, y = b.bits;
    int64_t sx = (int64_t)x, sy = (int64_t)y;
    switch (op->punct) {
    case '*': return const_of_int(x * y, u);
    case '/':
    case '%':
        if (y == 0) {
            ptx_error_at(p, op, "division by zero in a constant expression; correct the divisor");
            return const_of_int(0, false);
        }
        if (u) return const_of_int(op->punct == '/' ? x / y : x % y, true);
        if (sy == -1) return const_of_int(op->punct == '/' ? -x : 0, false); /* no overflow trap */
        return const_of_int((uint64_t)(op->punct == '/' ? sx / sy : sx % sy), false);
    case '+': return const_of_int(x + y, u);
    case '-': return const_of_int(x - y, u);
    case PTX_P_SHL: return const_of_int(y > 63 ? 0 : x << y, a.is_unsigned);
    case PTX_P_SHR:
        if (a.is_unsigned) return const_of_int(y > 63 ? 0 : x >> y, true);
        return const_of_int((uint64_t)(sx >> (y > 63 ? 63 : y)), false);
    case '<': return const_of_int(u ? x < y : sx < sy, false);
    case '>': return const_of_int(u ? x > y : sx > sy, false);
    case PTX_P_LE: return const_of_int(u ? x <= y : sx <= sy, false);
    case PTX_P_GE: return const_of_int(u ? x >= y : sx >= sy, false);
    case PTX_P_EQ: return const_of_int(x == y, false);
    case PTX_P_NE: return const_of_int(x != y, false);
    case '&': return const_of_int(x & y, true);
    case '^': return const_of_int(x ^ y, true);
    case '|': return const_of_int(x | y, true);
    case PTX_P_ANDAND: return const_of_int(x && y, false);
    default: return const_of_int(x || y, false);
    }
}

/* @return p->tok is this name. */
static bool at_name(const struct ptx_parser *p, const char *text) {
    return p->tok.kind == PTX_T_IDENT && strcmp(ptx_words_text(p->words, p->tok.word), text) == 0;
}

/* .s64) or .u64), behind its opening parenthesis. @return false: something else, nothing has been
 * read */
static bool parse_cast(struct ptx_parser *p, bool *is_unsigned) {
    if (!ptx_is_dot(p, PTX_W_s64) && !ptx_is_dot(p, PTX_W_u64)) return false;
    *is_unsigned = p->tok.word == PTX_W_u64;
    ptx_advance(p);
    ptx_expect_punct(p, ')', "a parenthesis that closes the cast");
    return true;
}

/* Reports a float in hexadecimal digits at p->tok, which has its sign in its bits. */
void ptx_refuse_hex_float(struct ptx_parser *p) {
    const char *text = p->lx.text + p->tok.begin;
    if (p->tok.kind == PTX_T_CONST && p->tok.end - p->tok.begin > 2 && text[0] == '0' &&
        p->tok.value.kind != PTX_CONST_INT && ((text[1] | 0x20) == 'f' || (text[1] | 0x20) == 'd'))
        ptx_error(p, "0f and 0d take no minus: the sign is the first bit of the number");
}

/* Reads one operand: a literal, WARP_SZ, a cast, a parenthesis, or a unary operator with its
 * operand. @return its value. */
struct ptx_const ptx_parse_const_unary(struct ptx_parser *p) {
    struct ptx_const v = {.kind = PTX_CONST_INT};
    struct ptx_token op = p->tok;
    if (!ptx_enter(p)) return v;
    if (p->tok.kind == PTX_T_CONST) {
        v = p->tok.value;
        ptx_advance(p);
    } else if (at_name(p, "WARP_SZ")) {
        v = const_of_int(32, false);
        ptx_advance(p);
    } else if (ptx_accept_punct(p, '(')) {
        bool u;
        if (parse_cast(p, &u)) {
            v = ptx_parse_const_unary(p);
            if (v.kind != PTX_CONST_INT)
                ptx_error_at(p, &op, "only integers can be cast; write the number as an integer");
            v.is_unsigned = u;
        } else {
            v = ptx_parse_const(p);
            ptx_expect_punct(p, ')', "a parenthesis that closes the expression");
        }
    } else if (ptx_accept_punct(p, '-')) {
        ptx_refuse_hex_float(p);
        v = ptx_const_negate(ptx_parse_const_unary(p));
    } else if (ptx_accept_punct(p, '+')) {
        v = ptx_parse_const_unary(p);
    } else if (ptx_accept_punct(p, '!')) {
        v = ptx_parse_const_unary(p);
        v = const_of_int(v.kind == PTX_CONST_INT ? v.bits == 0 : const_double(v) == 0, false);
    } else if (ptx_accept_punct(p, '~')) {
        v = ptx_parse_const_unary(p);
        if (v.kind != PTX_CONST_INT)
            ptx_error_at(p, &op, "~ wants an integer; floating-point constants have no complement");
        v = const_of_int(~v.bits, true);
    } else {
        ptx_error(p, "expected a constant here; write a number or a constant expression");
    }
    ptx_leave(p);
    return v;
}

/* Goes on with operators of precedence `least` and higher; `left` is the first operand. */
static struct ptx_const parse_binary(struct ptx_parser *p, struct ptx_const left, int least) {
    for (;;) {
        int prec = binary_precedence(p);
        if (prec == 0 || prec < least) return left;
        struct ptx_token op = p->tok;
        ptx_advance(p);
        struct ptx_const right = ptx_parse_const_unary(p);
        while (binary_precedence(p) > prec) right = parse_binary(p, right, prec + 1);
        if (p->failed) return left;
        left = left.kind == PTX_CONST_INT && right.kind == PTX_CONST_INT
                   ? apply_int(p, &op, left, right)
                   : apply_float(p, &op, const_double(left), const_double(right));
    }
}

/* Reads binary operators behind `first`, which has been read, then an optional ? :. @return the
 * value of the whole. */
struct ptx_const ptx_parse_const_rest(struct ptx_parser *p, struct ptx_const first) {
    struct ptx_const v = parse_binary(p, first, 1);
    if (!ptx_is_punct(p, '?') || !ptx_enter(p)) return v;
    ptx_advance(p);
    struct ptx_const yes = ptx_parse_const(p);
    ptx_expect_punct(p, ':', "a colon between the two values of ? :");
    struct ptx_const no = ptx_parse_const(p);
    ptx_leave(p);
    return (v.kind == PTX_CONST_INT ? v.bits != 0 : const_double(v) != 0) ? yes : no;
}

/* A whole constant expression. */
struct ptx_const ptx_parse_const(struct ptx_parser *p) {
    return ptx_parse_const_rest(p, ptx_parse_const_unary(p));
}

/* A constant expression; an error if its value is a float. `what` names it in the message. */
int64_t ptx_parse_int(struct ptx_parser *p, const char *what) {
    struct ptx_token at = p->tok;
    struct ptx_const v = ptx_parse_const(p);
    if (!p->failed && v.kind != PTX_CONST_INT)
        ptx_error_at(p, &at, "%s must be an integer; this is a floating-point constant", what);
    return (int64_t)v.bits;
}

/* The same, with an error if it is negative or exceeds 32 bits. */
uint32_t ptx_parse_u32(struct ptx_parser *p, const char *what) {
    struct ptx_token at = p->tok;
    int64_t v = ptx_parse_int(p, what);
    if (!p->failed && (v < 0 || v > (int64_t)UINT32_MAX))
        ptx_error_at(p, &at, "%s must lie between 0 and 4294967295; correct the number", what);
    return (uint32_t)v;
}
