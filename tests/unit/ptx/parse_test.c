/* parse_test.c - the PTX parser: what it accepts, the tree it makes, its messages word for word. */
#include "ptx/parse/ptx_parse.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#define HEAD ".version 7.5\n.target sm_70\n.address_size 64\n"

struct parsed {
    struct arena arena;
    struct ptx_module *m;
    struct heddle_diag diag;
    heddle_err err;
};

static struct parsed parse(const char *text) {
    struct parsed r = {0};
    arena_init(&r.arena);
    r.err = ptx_parse(text, strlen(text), "t.ptx", &r.arena, &r.m, &r.diag);
    return r;
}

static void accepts(const char *text) {
    struct parsed r = parse(text);
    cr_assert_eq(r.err, HEDDLE_OK, "%s", r.diag.text);
    arena_free(&r.arena);
}

static void accepts_body(const char *body) {
    char text[8192];
    snprintf(text, sizeof text, HEAD ".entry k()\n{\n%s\n}\n", body);
    accepts(text);
}

static void rejects(const char *text, const char *message) {
    struct parsed r = parse(text);
    cr_assert_eq(r.err, HEDDLE_ERR_PTX_SYNTAX);
    cr_assert_null(r.m);
    cr_assert_str_eq(r.diag.text, message);
    arena_free(&r.arena);
}

static const struct ptx_stmt *first(const struct parsed *r) {
    return r->m->funcs->body;
}

static const char *word(const struct parsed *r, ptx_word w) {
    return ptx_words_text(r->m->words, w);
}

/* ---- words and tree ------------------------------------------------------------------------- */

Test(ptx_words, known_words_have_their_numbers) {
    struct arena arena;
    struct ptx_words words;
    arena_init(&arena);
    ptx_words_init(&words, &arena);
    cr_assert_eq(words.count, (uint32_t)PTX_W_COUNT, "a word stands twice in ptx_words.def");
    cr_assert_eq(ptx_words_find(&words, "add", 3), (ptx_word)PTX_W_add);
    cr_assert_eq(ptx_words_find(&words, "L2::256B", 8), (ptx_word)PTX_W_l2_256b);
    cr_assert_eq(ptx_words_find(&words, "nothing", 7), (ptx_word)PTX_W_NONE);
    for (int i = 0; i < 20000; i++) {
        char text[16];
        int n = snprintf(text, sizeof text, "%%r%d", i);
        ptx_word w = ptx_words_intern(&words, text, (size_t)n);
        cr_assert_eq(ptx_words_find(&words, text, (size_t)n), w);
    }
    cr_assert_str_eq(ptx_words_text(&words, ptx_words_find(&words, "%r777", 5)), "%r777");
    arena_free(&arena);
}

Test(ptx_parse, instruction_tree) {
    struct parsed r = parse(HEAD ".entry k()\n{\n"
                                 "@!%p1 ld.global.nc.v2.f32 {%f1, _}, [%rd1+-8];\n}");
    cr_assert_eq(r.err, HEDDLE_OK, "%s", r.diag.text);
    const struct ptx_stmt *s = first(&r);
    cr_assert_eq(s->kind, PTX_STMT_INST);
    cr_assert_eq(s->line, 6u);
    cr_assert(s->inst.guarded && s->inst.guard_inverted);
    cr_assert_str_eq(word(&r, s->inst.guard), "%p1");
    cr_assert_eq(s->inst.op, (ptx_word)PTX_W_ld);
    cr_assert_eq(s->inst.n_mod, 4u);
    cr_assert_eq(s->inst.mod[2], (ptx_word)PTX_W_v2);
    cr_assert_eq(s->inst.n_opd, 2u);
    cr_assert_eq(s->inst.opd[0]->kind, PTX_OPD_VEC);
    cr_assert_eq(s->inst.opd[0]->sub[1]->kind, PTX_OPD_SINK);
    cr_assert_eq(s->inst.opd[1]->kind, PTX_OPD_ADDR);
    cr_assert_eq(s->inst.opd[1]->offset, -8);
    arena_free(&r.arena);
}

Test(ptx_parse, perf_directives_and_parameters) {
    struct parsed r = parse(HEAD ".visible .entry k(.param .u64 .ptr .global .align 16 a,\n"
                                 "  .param .align 8 .b8 s[24]) .maxntid 16, 4 .minnctapersm 2\n"
                                 "  .maxnreg 40 .reqntid 16,4,1 { ret; }\n");
    cr_assert_eq(r.err, HEDDLE_OK, "%s", r.diag.text);
    const struct ptx_func *f = r.m->funcs;
    cr_assert(f->is_entry && f->linkage == PTX_LINK_VISIBLE && f->has_body);
    cr_assert(f->params->is_ptr && f->params->align == 0);
    cr_assert_eq(f->params->next->align, 8u);
    cr_assert_eq(f->params->next->dim[0], 24u);
    cr_assert(f->perf.maxntid[0] == 16 && f->perf.maxntid[1] == 4 && f->perf.maxntid[2] == 1);
    cr_assert(f->perf.minnctapersm == 2 && f->perf.maxnreg == 40 && f->perf.reqntid[1] == 4);
    arena_free(&r.arena);
}

/* Parses `text` as the operand of an instruction. @return its value */
static struct ptx_const constant(const char *text) {
    char all[512];
    snprintf(all, sizeof all, HEAD ".entry k() { mov.b64 %%rd1, %s; }", text);
    struct parsed r = parse(all);
    cr_assert_eq(r.err, HEDDLE_OK, "%s", r.diag.text);
    struct ptx_const v = first(&r)->inst.opd[1]->value;
    arena_free(&r.arena);
    return v;
}

Test(ptx_parse, integer_constants) {
    static const struct {
        const char *text;
        uint64_t bits;
    } t[] = {
        {"0", 0},
        {"017", 15},
        {"0x1fU", 31},
        {"0b101", 5},
        {"-5", (uint64_t)-5},
        {"18446744073709551615", UINT64_MAX},
        {"2+3*4", 14},
        {"(2+3)*4", 20},
        {"1<<4|1", 17},
        {"~0", UINT64_MAX},
        {"!5", 0},
        {"-7/2", (uint64_t)-3},
        {"-7 % 4", (uint64_t)-3},
        {"(.u64)-1 > 0", 1},
        {"-1 > 0", 0},
        {"1 ? 2 : 3", 2},
        {"WARP_SZ", 32},
        {"WARP_SZ*2-1", 63},
        {"-9223372036854775807-1", UINT64_C(1) << 63},
        {"7 & 3 ^ 1", 2},
        {"1 == 1 && 2 != 2", 0},
        {"-1 >> 1", UINT64_MAX},
        {"1.5 < 2.0", 1},
    };
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct ptx_const v = constant(t[i].text);
        cr_assert_eq(v.kind, PTX_CONST_INT, "%s", t[i].text);
        cr_assert_eq(v.bits, t[i].bits, "%s gives %llu", t[i].text, (unsigned long long)v.bits);
    }
}

Test(ptx_parse, float_constants) {
    cr_assert_eq(constant("0f3F800000").kind, PTX_CONST_F32);
    cr_assert_eq(constant("0F7fc00001").bits, 0x7fc00001u);
    cr_assert_eq(constant("0fBF800000").bits, 0xbf800000u);
    cr_assert_eq(constant("0d3FF0000000000000").bits, UINT64_C(0x3ff0000000000000));
    cr_assert_eq(constant("1.0").bits, UINT64_C(0x3ff0000000000000));
    cr_assert_eq(constant(".5").bits, UINT64_C(0x3fe0000000000000));
    cr_assert_eq(constant("2.").bits, UINT64_C(0x4000000000000000));
    cr_assert_eq(constant("1e1").bits, UINT64_C(0x4024000000000000));
    cr_assert_eq(constant("1.0/4.0").bits, UINT64_C(0x3fd0000000000000));
}

/* ---- what is accepted ----------------------------------------------------------------------- */

Test(ptx_parse, module_scope) {
    accepts(".version 9.0\n.target sm_90a, debug\n.address_size 64\n"
            ".file 1 \"a.cu\", 1700000000, 4711\n"
            ".extern .shared .align 16 .b8 s[];\n"
            ".global .align 4 .u32 a[2][3] = {{1,2,3},{4,5,6}};\n"
            ".visible .global .f32 f = 1.5, g = 0f3F800000;\n"
            ".const .align 8 .b8 table[16] = {1, 2, 0xff, -1};\n"
            ".global .u64 p[3] = {generic(a)+8, f, a+4};\n"
            ".global .u8 q[2] = {0xFF(a), 0xFF00(a+4)};\n"
            ".global .attribute(.managed) .align 8 .b64 m;\n"
            ".global .texref t;\n.global .samplerref n = { addr_mode_0 = clamp_to_edge };\n"
            ".common .global .b32 c;\n.weak .const .b32 w = 3;\n"
            ".const[2] .b32 old;\n"
            ".visible .func (.param .b32 r) fn(.param .b64 x, .reg .b32 y) .noreturn ;\n"
            ".weak .func abi() .abi_preserve 8 { ret; }\n"
            ".alias other, fn;\n.pragma \"nounroll\";\n"
            ".entry k() .reqnctapercluster 2, 1, 1 .explicitcluster .maxclusterrank 8\n{ ret; }\n"
            ".section .debug_str { \n$L: .b8 1,2 // }\n.b32 $L+4\n.b8 \"}\" }\n"
            ".section\t.debug_macinfo\t{\t}\n");
}

Test(ptx_parse, statements) {
    accepts_body(".reg .pred %p<4>, q;\n.reg .v4 .f32 v;\n.reg .b32 %r<40>;\n"
                 ".local .align 4 .b8 l[16];\n.loc 1 2 3\n"
                 ".loc 1 5 0, function_name $L__info+3, inlined_at 1 9 1\n"
                 "{ .reg .b32 %r1; { .shared .f32 x[4]; mov.u32 %r1, x; } }\n"
                 "L: M: @%p1 bra L;\n.pragma \"nounroll\";\n"
                 "T: .branchtargets L, M;\nbrx.idx %r1, T;\n"
                 "P: .callprototype (.param .b32 _) _ (.param .b64 _, .param .b32 _);\n"
                 "C: .calltargets f, g;\n"
                 "{ .param .b32 a, b;\n.param .align 4 .b8 c[4];\n"
                 "call.uni (a), f, (b, c);\ncall (a), %rd1, (b), P;\ncall f;\ncall f, (1);\n}");
}

Test(ptx_parse, operands) {
    accepts_body("mov.u32 %r1, %tid.x;\nmov.f32 v.x, 1.0;\nmov.u64 %rd1, a+8;\n"
                 "ld.global.u32 %r1, a[2];\nld.shared.u32 %r1, [256];\nld.u32 %r1, [%rd1 + 4*2];\n"
                 "setp.lt.and.s32 p|q, %r1, -3, !%p1;\nshfl.sync.down.b32 %r1|p, %r2, 1, 31, -1;\n"
                 "vadd.s32.u32.s32 %r1, %r2.b0, -%r3.h1;\ntex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, "
                 "[t, {%f5, %f6}];\ntex.1d.v4.f32.s32 {a,b,c,d}, [t, s, {%r1}];\n"
                 "atom.global.cas.b32 %r1, [%rd1], %r2, (1<<3);\nred.global.add.u32 [%rd1+-4], 1;\n"
                 "mov.b64 {%r1, %r2}, %rd1;\nsust.b.2d.v4.b8.trap [s, {%r1,%r2}], {a,b,c,d};\n"
                 "bar.sync 0;\nbar.red.and.pred p, 0, !q;\n");
}

Test(ptx_parse, modern_instructions) {
    accepts_body(
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
        "[%r1], [%rd1, {%r2, %r3}], [%r4];\n"
        "ld.global.L1::evict_last.L2::cache_hint.L2::128B.b32 %r1, [%rd1], %rd2;\n"
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {a,b,c,d}, {e,f,g,h}, {i,j}, "
        "{k,l,m,n};\n"
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {a,b,c,d}, %rd1, %rd2, p, 1, 1, 0, 0;\n"
        "mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 p, [%r1], %r2;\n"
        "fence.proxy.async.shared::cta;\nsetmaxnreg.inc.sync.aligned.u32 232;\n"
        "tcgen05.mma.cta_group::1.kind::f16 [%r1], %rd1, %rd2, %r2, {%r3, %r4}, p;\n"
        "multimem.ld_reduce.relaxed.sys.global.add.v4.f32 {a,b,c,d}, [%rd1];\n"
        "elect.sync _|p, -1;\ngriddepcontrol.wait;\nst.async.weak.shared::cluster.b32 [a], b, "
        "[c];\n"
        "wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {a,b,c,d,e,f,g,h}, [%rd1], %r2;\n");
}

/* Every form counted in real programs (forms.txt) is an instruction to the parser. */
Test(ptx_parse, forms_of_real_programs) {
    FILE *f = fopen(HEDDLE_TEST_DIR "/forms.txt", "r");
    cr_assert_not_null(f, "forms.txt is missing");
    char form[256], body[512];
    unsigned n = 0;
    while (fgets(form, sizeof form, f)) {
        form[strcspn(form, "\n")] = '\0';
        if (form[0] == '#') continue;
        snprintf(body, sizeof body, "@%%p1 %s %%r1, %%r2, [%%rd1+4];", form);
        accepts_body(body);
        n++;
    }
    fclose(f);
    cr_assert_geq(n, 250u);
}

Test(ptx_parse, trailing_zeros_and_comments) {
    struct parsed r = {0};
    static const char text[] = "/* a\n b */ // c\n" HEAD
                               "# 1 \"x\"\n@@DWARF .byte\n.entry k(){ret;}\0\0";
    arena_init(&r.arena);
    r.err = ptx_parse(text, sizeof text, "t", &r.arena, &r.m, &r.diag);
    cr_assert_eq(r.err, HEDDLE_OK, "%s", r.diag.text);
    arena_free(&r.arena);
}

/* ---- messages ------------------------------------------------------------------------------- */

Test(ptx_parse, messages) {
    rejects("hello", "t.ptx:1:1: error: PTX begins with .version; is the file PTX text?\n"
                     "    hello\n    ^~~~~");
    rejects("", "t.ptx:1:1: error: the PTX is empty; compile the program again");
    rejects(".version 17.0\n", "t.ptx:1:10: error: PTX version 17.0 is newer than 9.x, the newest "
                               "understood; compile for an older toolkit or update Heddle\n"
                               "    .version 17.0\n             ^~~~");
    rejects(".version 7.0\n", "t.ptx:2:1: error: the module names no target; put .target sm_NN "
                              "behind .version");
    rejects(HEAD ".entry k()\n{\n  add.s32 %r1 %r2;\n}\n",
            "t.ptx:6:15: error: expected ',' or ';' here: the instruction before does not end\n"
            "      add.s32 %r1 %r2;\n                  ^~~");
    rejects(HEAD ".entry k()\n{\n  ld.u32 %r1, [%rd1+4;\n}\n",
            "t.ptx:6:22: error: expected ']' here: the bracket that closes the address is missing\n"
            "      ld.u32 %r1, [%rd1+4;\n                         ^");
    rejects(HEAD ".entry k()\n{\n  ret;\n",
            "t.ptx:6:3: error: the block that begins here does not end; close it with }\n"
            "      ret;\n      ^~~");
    rejects(HEAD ".entry k()\n{\n  mov.f32 %f1, 0f123;\n}\n",
            "t.ptx:6:16: error: 0f wants eight hexadecimal digits behind it\n"
            "      mov.f32 %f1, 0f123;\n                   ^");
    rejects(HEAD ".entry k()\n{\n  mov.u32 %r1, 1/0;\n}\n",
            "t.ptx:6:17: error: division by zero in a constant expression; correct the divisor\n"
            "      mov.u32 %r1, 1/0;\n                    ^");
    rejects(HEAD ".entry k()\n{\n  .frobnicate 3;\n}\n",
            "t.ptx:6:3: error: directive '.frobnicate' is not known inside a body; expected an "
            "instruction, a label, a declaration or .loc\n      .frobnicate 3;\n      ^~~~~~~~~~~");
    rejects(HEAD ".global .align 3 .b32 x;\n",
            "t.ptx:4:16: error: an alignment is a power of two up to 65536; correct the number\n"
            "    .global .align 3 .b32 x;\n                   ^");
    rejects(HEAD "/* no end", "t.ptx:4:1: error: this comment does not end; close it with */\n"
                              "    /* no end\n    ^");
    rejects(HEAD "\x01", "t.ptx:4:1: error: this character has no place in PTX; is the file PTX "
                         "text?\n     \n    ^");
}

/* The place of an error is shown whatever stands in front of it on its line. */
Test(ptx_parse, carriage_returns_before_an_error) {
    char text[1024] = HEAD ".entry k()\n{\n  \r";
    size_t n = strlen(text);
    memset(text + n, ' ', 150);
    strcpy(text + n + 150, "add.s32 %r1 %r2;\r\n}\n");
    struct parsed r = parse(text);
    cr_assert_eq(r.err, HEDDLE_ERR_PTX_SYNTAX);
    cr_expect(strstr(r.diag.text, "add.s32 %r1 %r2;\n"), "%s", r.diag.text);
    cr_expect(strstr(r.diag.text, " ^~~"), "%s", r.diag.text);
    arena_free(&r.arena);
}

Test(ptx_parse, depth_is_limited) {
    char text[4096] = HEAD ".entry k() { mov.u32 %r1, ";
    size_t n = strlen(text);
    memset(text + n, '(', 3000);
    text[n + 3000] = '\0';
    struct parsed r = parse(text);
    cr_assert_eq(r.err, HEDDLE_ERR_PTX_SYNTAX);
    cr_assert_not_null(strstr(r.diag.text, "nested more than 200 deep"));
    arena_free(&r.arena);
}

/* No prefix and no single changed byte of a valid text may crash the parser. */
Test(ptx_parse, damaged_input) {
    static const char good[] = HEAD
        ".file 1 \"a.cu\"\n.const .b8 t[4] = {1,2,3,0xFF(k)};\n"
        ".visible .entry k(.param .u64 a) .maxntid 32\n{\n.reg .b32 %r<4>;\n.loc 1 2 3\n"
        "L: @!%p1 ld.v2.u32 {%r1,_}, [a+4]; /* c */ mov.f32 %f1, 0f3F800000;\n"
        "setp.eq.u32 p|q, %r1, (1+2)*3; call (x), f, (a,b); bra L;\n}\n";
    char text[sizeof good];
    for (size_t n = 0; n < sizeof good; n++) {
        memcpy(text, good, n);
        text[n] = '\0';
        struct parsed r = parse(text);
        arena_free(&r.arena);
    }
    static const char bytes[] = "\0(){}[]<.;\",:@!|0x%\xff\n";
    for (size_t i = 0; i + 1 < sizeof good; i++)
        for (size_t k = 0; k < sizeof bytes - 1; k++) {
            memcpy(text, good, sizeof good);
            text[i] = bytes[k];
            struct arena arena;
            struct ptx_module *m;
            struct heddle_diag diag = {.text = ""};
            arena_init(&arena);
            heddle_err e = ptx_parse(text, sizeof good - 1, "t", &arena, &m, &diag);
            cr_assert(e == HEDDLE_OK ? m != NULL : diag.text[0] != '\0');
            arena_free(&arena);
        }
}
