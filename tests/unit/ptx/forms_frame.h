/* forms_frame.h - the minimal kernel around a form of forms/: everything that the forms name. The
 * parts follow each other; a statement follows the last. */
#ifndef TESTS_UNIT_PTX_FORMS_FRAME_H
#define TESTS_UNIT_PTX_FORMS_FRAME_H

/* Versions and targets: of most forms, of forms/older.txt, of forms/newer.txt. */
#define FORMS_HEAD ".version 8.6\n.target sm_90a\n.address_size 64\n"
#define FORMS_HEAD_OLDER ".version 6.3\n.target sm_70\n.address_size 64\n"
#define FORMS_HEAD_NEWER ".version 8.8\n.target sm_100\n.address_size 64\n"

#define FORMS_MODULE                                                                          \
    ".global .align 16 .b8 gvar[64];\n.const .align 16 .b8 cvar[64];\n"                       \
    ".shared .align 16 .b8 svar[1024];\n"                                                     \
    ".global .texref gtex;\n.global .surfref gsurf;\n"                                        \
    ".func (.reg .b32 r) ffun(.reg .b32 a) { add.s32 r, a, 1; ret; }\n"                       \
    ".func vfun() { ret; }\n"                                                                 \
    ".func (.param .b32 r) pfun(.param .b32 a) {\n"                                           \
    "  .reg .b32 x; ld.param.b32 x, [a]; add.s32 x, x, 1; st.param.b32 [r], x; ret; }\n"      \
    ".func (.param .b32 r) pfun2(.param .b32 a) {\n"                                          \
    "  .reg .b32 x; ld.param.b32 x, [a]; add.s32 x, x, 2; st.param.b32 [r], x; ret; }\n"      \
    ".func (.param .b32 r) rfun(.param .b32 a) {\n"                                           \
    "  .reg .b32 x; .reg .pred p; ld.param.b32 x, [a]; setp.lt.s32 p, x, 1; @p bra D;\n"      \
    "  sub.s32 x, x, 1;\n"                                                                    \
    "  { .param .b32 a0; .param .b32 r0; st.param.b32 [a0], x; call.uni (r0), rfun, (a0);\n"  \
    "    ld.param.b32 x, [r0]; }\n"                                                           \
    "D: st.param.b32 [r], x; ret; }\n"                                                        \
    ".func sfun(.param .align 16 .b8 a[32]) {\n"                                              \
    "  .reg .b32 x; ld.param.b32 x, [a+16]; st.global.b32 [gvar], x; ret; }\n"                \
    ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"                  \
    ".extern .func (.param .b64 r) malloc(.param .b64 n);\n"                                  \
    ".extern .func free(.param .b64 p);\n"                                                    \
    ".extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, " \
    ".param .b64 c);\n"

#define FORMS_KERNEL                                            \
    ".visible .entry k(.param .align 16 .b8 pbig[256])\n{\n"    \
    ".reg .b64 %rd<30>; .reg .b32 %r<60>; .reg .b16 %h<60>;\n"  \
    ".reg .f32 %f<60>; .reg .f64 %fd<60>; .reg .pred %p<10>;\n" \
    ".local .align 16 .b8 lvar[64];\n"                          \
    "ld.param.u64 %rd9, [pbig]; ld.param.u32 %r9, [pbig+8];\n"

/* Registers that older PTX does not have. */
#define FORMS_WIDE ".reg .b128 %q<4>;\n"

#endif
