/* mutate.c - one fault at a token of a statement, or of a declaration. Texts are split into tokens
 * by PTX's lexical rules, roughly: the mutants need not be PTX. */
#include "ptxas/mutate.h"

#include <stdbool.h>
#include <string.h>

const char mutate_registers[] =
    ".reg .pred %zp<4>; .reg .b8 %zb8; .reg .u8 %zu8; .reg .s8 %zs8; .reg .b16 %zb16;\n"
    ".reg .u16 %zu16; .reg .s16 %zs16; .reg .f16 %zf16; .reg .f16x2 %zf16x2; .reg .b32 %zb32;\n"
    ".reg .u32 %zu32; .reg .s32 %zs32; .reg .f32 %zf32; .reg .b64 %zb64; .reg .u64 %zu64;\n"
    ".reg .s64 %zs64; .reg .f64 %zf64; .reg .v2 .b32 %zv2; .reg .v4 .f32 %zv4;\n";

const char mutate_variables[] =
    ".global .align 16 .b8 zglobal[64];\n.const .align 16 .b8 zconst[64];\n"
    ".shared .align 16 .b8 zshared[64];\n.func zfunc() { ret; }\n";

uint32_t dice_roll(struct dice *d, uint32_t n) {
    d->state ^= d->state >> 12;
    d->state ^= d->state << 25;
    d->state ^= d->state >> 27;
    return (uint32_t)((d->state * UINT64_C(0x2545F4914F6CDD1D)) >> 33) % n;
}

const char *fault_text(enum fault f) {
#define FAULT_TEXT(name, text) text,
    static const char *const texts[] = {FAULTS(FAULT_TEXT)};
#undef FAULT_TEXT
    return texts[f];
}

#define PICK(d, list) ((list)[dice_roll((d), G_N_ELEMENTS(list))])

static const char *const types[] = {"b8",  "b16", "b32",  "b64",    "u8",   "u16",  "u32",
                                    "u64", "s8",  "s16",  "s32",    "s64",  "f16",  "f16x2",
                                    "f32", "f64", "bf16", "bf16x2", "pred", "b128", "tf32"};
static const char *const modifiers[] = {"rn",       "rz",      "rm",       "rp",
                                        "rni",      "rzi",     "rmi",      "rpi",
                                        "ftz",      "sat",     "approx",   "full",
                                        "lo",       "hi",      "wide",     "cc",
                                        "relu",     "NaN",     "eq",       "ne",
                                        "lt",       "le",      "gt",       "ge",
                                        "ltu",      "equ",     "num",      "nan",
                                        "ls",       "hs",      "and",      "or",
                                        "xor",      "add",     "min",      "max",
                                        "inc",      "dec",     "cas",      "exch",
                                        "volatile", "relaxed", "acquire",  "release",
                                        "acq_rel",  "sc",      "weak",     "cta",
                                        "gpu",      "sys",     "cluster",  "ca",
                                        "cg",       "cs",      "lu",       "cv",
                                        "wb",       "wt",      "nc",       "v2",
                                        "v4",       "sync",    "aligned",  "uni",
                                        "all",      "any",     "ballot",   "up",
                                        "down",     "bfly",    "idx",      "clamp",
                                        "wrap",     "l",       "r",        "shiftamt",
                                        "x",        "foo",     "to",       "satfinite",
                                        "row",      "col",     "trap",     "zero",
                                        "1d",       "2d",      "a2d",      "m16n8k16",
                                        "xorsign",  "abs",     "L2::128B", "L1::evict_last",
                                        "noftz",    "mmio",    "popc",     "rna"};
static const char *const spaces[] = {"global", "shared",      "local",           "const", "param",
                                     "reg",    "shared::cta", "shared::cluster", "sreg"};
static const char *const registers[] = {
    "%zp1",  "%zb8",  "%zu8",  "%zs8",  "%zb16", "%zu16", "%zs16", "%zf16", "%zf16x2", "%zb32",
    "%zu32", "%zs32", "%zf32", "%zb64", "%zu64", "%zs64", "%zf64", "%zv2",  "%zv4",    "%zv2.x"};
static const char *const integers[] = {"0",   "1",  "-1", "5",           "32",
                                       "255", "16", "64", "99999999999", "0xffffffffffffffff"};
static const char *const numbers[] = {"-1",
                                      "1",
                                      "3",
                                      "7",
                                      "17",
                                      "33",
                                      "65",
                                      "128",
                                      "256",
                                      "1000",
                                      "65536",
                                      "4294967296",
                                      "99999999999",
                                      "-99999999999",
                                      "1U",
                                      "0x1F",
                                      "0b101",
                                      "08",
                                      "18446744073709551615",
                                      "18446744073709551617",
                                      "99999999999999999999",
                                      "1e400",
                                      "0f3F800000",
                                      "0f3F8000",
                                      "1.5",
                                      "0x",
                                      "1e-400"};
static const char *const floats[] = {"1.5", "0f3F800000", "0d3FF0000000000000", "1e400", "1e39",
                                     "0.0", "-2.5e3"};
static const char *const specials[] = {"%tid",     "%tid.x",  "%ctaid.y",     "%laneid", "%clock",
                                       "%clock64", "%nosuch", "%globaltimer", "WARP_SZ"};
static const char *const symbols[] = {"zglobal", "zconst",    "zshared",   "zfunc",
                                      "zlocal",  "zglobal+4", "zshared+8", "zend"};
static const char *const opcodes[] = {"add", "sub",  "mul",  "mad", "fma",  "and",  "shl",  "mov",
                                      "cvt", "setp", "selp", "ld",  "st",   "atom", "red",  "min",
                                      "abs", "bra",  "ret",  "bfe", "prmt", "shf",  "popc", "foo"};
static const char *const members[] = {".x", ".w", ".b0", ".h1", ".r", ".foo"};
static const char *const directives[] = {
    "global",  "shared",  "const",   "local",        "param",  "reg",  "b8",    "b16",
    "b32",     "b64",     "u32",     "f32",          "f64",    "pred", "f16",   "texref",
    "v2",      "v4",      "align",   "visible",      "extern", "weak", "entry", "func",
    "maxntid", "reqntid", "maxnreg", "minnctapersm", "ptr",    "foo",  "s16",   "f16x2"};

/* A list of tokens: texts, with white space as tokens of their own. */
static GPtrArray *split(const char *text) {
    GPtrArray *all = g_ptr_array_new_with_free_func(g_free);
    while (*text) {
        size_t n = strspn(text, " \t\n");
        static const char word[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                   "0123456789_$";
        if (n == 0 && text[0] == '.' && strspn(text + 1, word))
            for (n = 1 + strspn(text + 1, word);
                 text[n] == ':' && text[n + 1] == ':' && strspn(text + n + 2, word);)
                n += 2 + strspn(text + n + 2, word);
        else if (n == 0 && text[0] >= '0' && text[0] <= '9') {
            n = strspn(text, "0123456789abcdefABCDEFxXU.");
            if ((text[n - 1] | 0x20) == 'e' && (text[n] == '+' || text[n] == '-'))
                n += 1 + strspn(text + n + 1, "0123456789");
        } else if (n == 0)
            n = text[0] == '%' ? 1 + strspn(text + 1, word) : strspn(text, word);
        if (n == 0 && text[0] == '"') n = 1 + strcspn(text + 1, "\"") + 1;
        if (n == 0) n = 1;
        g_ptr_array_add(all, g_strndup(text, n));
        text += n;
    }
    return all;
}

static const char *at(const GPtrArray *a, uint32_t i) {
    return i < a->len ? a->pdata[i] : "";
}

static void replace(GPtrArray *a, uint32_t i, char *text) {
    g_free(a->pdata[i]);
    a->pdata[i] = text;
}

static char *join(const GPtrArray *a) {
    GString *s = g_string_new(NULL);
    for (uint32_t i = 0; i < a->len; i++) g_string_append(s, a->pdata[i]);
    return g_string_free(s, FALSE);
}

static bool is_in(const char *w, const char *const *list, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (!strcmp(w, list[i])) return true;
    return false;
}

/* What a token is, by its text and what stands before it. */
enum { T_SPACE, T_DOT, T_TYPE, T_STATE, T_NAME, T_OP, T_NUMBER, T_MARK };
static unsigned kind_of(const GPtrArray *a, uint32_t i) {
    const char *t = at(a, i);
    if (strchr(" \t\n", t[0])) return T_SPACE;
    if (t[0] == '.' && t[1]) {
        if (is_in(t + 1, types, G_N_ELEMENTS(types))) return T_TYPE;
        return is_in(t + 1, spaces, G_N_ELEMENTS(spaces)) ? T_STATE : T_DOT;
    }
    if (t[0] >= '0' && t[0] <= '9') return T_NUMBER;
    if (!g_ascii_isalpha(t[0]) && !strchr("%_$", t[0])) return T_MARK;
    uint32_t k = i;
    while (k > 0 && strchr(" \t\n", at(a, k - 1)[0])) k--;
    if (k == 0 || strchr(";{", at(a, k - 1)[0])) /* a vector's brace stands behind , [ or a word */
        if (k == 0 || at(a, k - 1)[0] == ';' || k == 1) return T_OP;
    if (k > 1 && at(a, k - 2)[0] == '@') return T_OP;
    if (k > 2 && at(a, k - 2)[0] == '!' && at(a, k - 3)[0] == '@') return T_OP;
    return T_NAME;
}

/* @return a random token of one of the kinds (bits); a->len: none */
static uint32_t find(struct dice *d, const GPtrArray *a, unsigned kinds) {
    uint32_t n = 0, found = a->len;
    for (uint32_t i = 0; i < a->len; i++)
        if (kinds >> kind_of(a, i) & 1 && dice_roll(d, ++n) == 0) found = i;
    return found;
}

/* The end of the operand that begins at i: the comma, bar or closing mark behind it. */
static uint32_t operand_end(const GPtrArray *a, uint32_t i) {
    for (int depth = 0; i < a->len; i++) {
        char c = at(a, i)[0];
        if (depth == 0 && strchr(",;]})|", c)) break;
        depth += strchr("[{(", c) != NULL;
        depth -= strchr("]})", c) != NULL;
    }
    return i;
}

static bool insert(GPtrArray *a, uint32_t i, const char *text) {
    g_ptr_array_insert(a, (int)i, g_strdup(text));
    return true;
}

/* Puts a text in place of a random operand: a name or a number. */
static bool put(struct dice *d, GPtrArray *a, const char *text) {
    uint32_t i = find(d, a, 1u << T_NAME | 1u << T_NUMBER);
    if (i == a->len) return false;
    replace(a, i, g_strdup(text));
    return true;
}

/* A fault at a modifier. */
static bool at_modifier(struct dice *d, GPtrArray *a, enum fault f) {
    unsigned dots = 1u << T_DOT | 1u << T_TYPE | 1u << T_STATE;
    uint32_t i = find(d, a,
                      f == FAULT_TYPE       ? 1u << T_TYPE
                      : f == FAULT_SPACE    ? 1u << T_STATE
                      : f == FAULT_SWAP_MOD ? 1u << T_DOT | 1u << T_STATE
                      : f == FAULT_ADD_MOD  ? dots | 1u << T_OP
                                            : dots);
    if (i == a->len) return false;
    const char *w = f == FAULT_TYPE    ? PICK(d, types)
                    : f == FAULT_SPACE ? PICK(d, spaces)
                                       : PICK(d, modifiers);
    char *dotted = g_strconcat(".", w, NULL);
    switch (f) {
    case FAULT_DROP_MOD: replace(a, i, g_strdup("")); break;
    case FAULT_TWICE: insert(a, i, at(a, i)); break;
    case FAULT_ADD_MOD: insert(a, i + 1, dotted); break;
    default: replace(a, i, g_strdup(dotted)); break;
    }
    g_free(dotted);
    return true;
}

/* A fault at a whole operand, from a name, number or opening mark to the comma. */
static bool at_operand(struct dice *d, GPtrArray *a, enum fault f) {
    uint32_t i = find(d, a, 1u << T_NAME | 1u << T_NUMBER), from = i, end;
    if (i == a->len) return false;
    if (f == FAULT_ADD) {
        end = operand_end(a, i);
        return insert(a, end, dice_roll(d, 2) ? ", %zb32" : ", 3");
    }
    if (f == FAULT_MEMBER) return insert(a, i + 1, PICK(d, members));
    if (f == FAULT_PAIR) return insert(a, operand_end(a, i), dice_roll(d, 2) ? "|%zp2" : "|%zb32");
    if (f == FAULT_NOT || f == FAULT_MINUS) {
        const char *mark = f == FAULT_NOT ? "!" : "-";
        for (uint32_t k = 0; k < a->len; k++)
            if (!strcmp(at(a, k), mark) && dice_roll(d, 2)) {
                replace(a, k, g_strdup(""));
                return true;
            }
        return insert(a, i, mark);
    }
    if (f == FAULT_ADDRESS) {
        if (i > 0 && at(a, i - 1)[0] == '[') {
            end = operand_end(a, i);
            replace(a, i - 1, g_strdup(""));
            if (end < a->len) replace(a, end, g_strdup(""));
            return true;
        }
        insert(a, operand_end(a, i), "]");
        return insert(a, i, "[");
    }
    if (f == FAULT_VECTOR) {
        while (from > 0 && at(a, from)[0] != '{') from--;
        if (from == 0) { /* none: make one */
            insert(a, operand_end(a, i), "}");
            return insert(a, i, "{");
        }
        if (dice_roll(d, 2)) return insert(a, operand_end(a, i), ", %zb32");
        end = operand_end(a, i);
        if (end < a->len && at(a, end)[0] == ',') end++;
        for (uint32_t k = i; k < end; k++) replace(a, k, g_strdup(""));
        return true;
    }
    if (f == FAULT_SWAP) {
        uint32_t k = find(d, a, 1u << T_NAME | 1u << T_NUMBER);
        if (!strcmp(at(a, i), at(a, k))) return false;
        char *t = a->pdata[i];
        a->pdata[i] = a->pdata[k];
        a->pdata[k] = t;
        return true;
    }
    /* FAULT_DROP: with the comma before or behind it */
    end = operand_end(a, i);
    while (from > 0 && !strchr(",;", at(a, from - 1)[0]) && kind_of(a, from - 1) != T_SPACE) from--;
    if (end < a->len && at(a, end)[0] == ',') end++;
    for (uint32_t k = from; k < end; k++) replace(a, k, g_strdup(""));
    return true;
}

static bool guard(struct dice *d, GPtrArray *a) {
    static const char *const guards[] = {"@%zp1 ",    "@!%zp1 ", "@%zb32 ", "@%nosuch ",
                                         "@zglobal ", "@1 ",     "@%zv2 "};
    return insert(a, at(a, 0)[0] == '{' ? 1 : 0, PICK(d, guards));
}

static bool apply(struct dice *d, GPtrArray *a, enum fault f) {
    uint32_t i;
    switch (f) {
    case FAULT_TYPE:
    case FAULT_DROP_MOD:
    case FAULT_TWICE:
    case FAULT_ADD_MOD:
    case FAULT_SWAP_MOD:
    case FAULT_SPACE: return at_modifier(d, a, f);
    case FAULT_REGISTER: return put(d, a, PICK(d, registers));
    case FAULT_PREDICATE: return put(d, a, "%zp1");
    case FAULT_INTEGER: return put(d, a, PICK(d, integers));
    case FAULT_FLOAT: return put(d, a, PICK(d, floats));
    case FAULT_UNDECLARED: return put(d, a, "%nosuch7");
    case FAULT_LABEL: return put(d, a, "zend");
    case FAULT_SPECIAL: return put(d, a, PICK(d, specials));
    case FAULT_SYMBOL: return put(d, a, PICK(d, symbols));
    case FAULT_SINK: return put(d, a, "_");
    case FAULT_NUMBER:
        i = find(d, a, 1u << T_NUMBER);
        if (i == a->len) return false;
        replace(a, i, g_strdup(PICK(d, numbers)));
        return true;
    case FAULT_GUARD: return guard(d, a);
    case FAULT_OPCODE:
        i = find(d, a, 1u << T_OP);
        if (i == a->len) return false;
        replace(a, i, g_strdup(PICK(d, opcodes)));
        return true;
    case FAULT_TEXT:
        i = find(d, a, 1u << T_MARK);
        if (i == a->len) return false;
        replace(a, i, g_strdup(dice_roll(d, 2) ? "" : ", "));
        return true;
    default: return at_operand(d, a, f);
    }
}

char *mutate_statement(struct dice *d, const char *statement, enum fault f) {
    GPtrArray *a = split(statement);
    char *result = apply(d, a, f) ? join(a) : NULL;
    if (result && !strcmp(result, statement)) {
        g_free(result);
        result = NULL;
    }
    g_ptr_array_free(a, TRUE);
    return result;
}

/* ---- declarations --------------------------------------------------------------------------- */

/* Puts a fault into one line. @return the line; NULL: no place */
static char *mutate_line(struct dice *d, const char *line, enum fault f) {
    GPtrArray *a = split(line);
    char *result = NULL;
    uint32_t i;
    switch (f) {
    case FAULT_MODULE:
        i = find(d, a, 1u << T_NUMBER);
        if (i < a->len) replace(a, i, g_strdup(PICK(d, numbers)));
        break;
    case FAULT_MODULE_WORD:
        i = find(d, a, 1u << T_DOT | 1u << T_TYPE | 1u << T_STATE);
        if (i < a->len)
            replace(a, i,
                    dice_roll(d, 4) ? g_strconcat(".", PICK(d, directives), NULL) : g_strdup(""));
        break;
    default:
        i = find(d, a, 1u << T_NAME | 1u << T_OP);
        if (i < a->len) replace(a, i, g_strdup(dice_roll(d, 2) ? "zglobal" : "%zother"));
        break;
    }
    if (i < a->len) result = join(a);
    g_ptr_array_free(a, TRUE);
    return result;
}

/* Another version or target. */
static char *mutate_head(struct dice *d, const char *line, enum fault f) {
    static const char *const versions[] = {"1.0", "1.4", "2.0", "3.0", "4.0", "5.0",
                                           "6.0", "6.3", "6.5", "7.0", "7.8", "8.0",
                                           "8.6", "9.0", "9.9", "7",   "x"};
    static const char *const targets[] = {"sm_10", "sm_20", "sm_30", "sm_50",  "sm_60", "sm_70",
                                          "sm_75", "sm_80", "sm_90", "sm_90a", "sm_77", "foo"};
    if (f == FAULT_MODULE_VERSION && g_str_has_prefix(line, ".version"))
        return g_strconcat(".version ", PICK(d, versions), NULL);
    if (f == FAULT_MODULE_TARGET && g_str_has_prefix(line, ".target"))
        return g_strconcat(".target ", PICK(d, targets), NULL);
    return NULL;
}

/* Is this a line with a declaration or a directive, or the head of a function? */
static bool is_declaration(const char *line) {
    line += strspn(line, " \t");
    return line[0] == '.' || line[0] == ')' || (line[0] && line[strlen(line) - 1] == ':');
}

char *mutate_module(struct dice *d, const char *text, enum fault f) {
    gchar **lines = g_strsplit(text, "\n", -1);
    GPtrArray *at_line = g_ptr_array_new();
    char *result = NULL;
    bool head = f == FAULT_MODULE_VERSION || f == FAULT_MODULE_TARGET;
    for (uint32_t i = 0; lines[i]; i++)
        if (is_declaration(lines[i])) g_ptr_array_add(at_line, GUINT_TO_POINTER(i));
    for (unsigned tries = 0; tries < 60 && !result && at_line->len; tries++) {
        uint32_t i = GPOINTER_TO_UINT(at_line->pdata[dice_roll(d, at_line->len)]);
        char *line = head                      ? mutate_head(d, lines[i], f)
                     : f == FAULT_MODULE_TWICE ? g_strconcat(lines[i], " ", lines[i], NULL)
                     : f == FAULT_MODULE_DROP  ? g_strdup("")
                                               : mutate_line(d, lines[i], f);
        if (!line || !strcmp(line, lines[i])) {
            g_free(line);
            continue;
        }
        g_free(lines[i]);
        lines[i] = line;
        result = g_strjoinv("\n", lines);
    }
    g_ptr_array_free(at_line, TRUE);
    g_strfreev(lines);
    return result;
}
