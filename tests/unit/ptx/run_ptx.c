/* run_ptx.c - see run_ptx.h. Kernels run functionally on one host thread. */
#include "run_ptx.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "mir/mir_special.h"

/* Fails the test if a kernel's control information is incomplete for the options' latencies. */
static void check_control(const struct mir_module *m, const struct ptx_options *o) {
    struct ptx_latency l = {.guard = o->predicate_latency,
                            .crossing = o->crossing,
                            .to_sfu = o->to_sfu,
                            .to_memory = o->to_memory};
    char why[256];
    for (unsigned i = 0; i < MIR_CLASS_COUNT; i++) l.of_class[i] = o->latency[i];
    for (uint32_t i = 0; i < m->num_functions; i++) {
        const struct mir_function *f = &m->functions[i];
        cr_assert(ptx_control_check(f->code, f->num_inst, &l, why, sizeof why), "%s: %s", f->name,
                  why);
    }
}

/* Places the module's variables in memory and fills the constant banks that hold their
 * addresses. */
static void place_symbols(struct run *r) {
    const struct mir_module *m = r->module;
    uint64_t at = 4096, *where = calloc(m->num_symbols + 1, sizeof *where);
    r->bank_user = r->symbols; /* constants lie in device memory too */
    at += m->const_bytes;
    r->addresses = calloc(m->address_slots + 1, 8);
    for (uint32_t i = 0; i < m->num_symbols; i++) {
        const struct mir_symbol *s = &m->symbols[i];
        uint8_t *to;
        if (s->space == MIR_SPACE_CONST) {
            to = r->bank_user + s->offset;
        } else {
            at = (at + 255) & ~UINT64_C(255);
            to = r->symbols + at;
            at += s->size;
        }
        if (s->address_slot < m->address_slots)
            r->addresses[s->address_slot] = (uint64_t)(uintptr_t)to;
        where[i] = (uint64_t)(uintptr_t)to;
        if (s->init) memcpy(to, s->init, s->size);
    }
    cr_assert_lt(at, (uint64_t)RUN_MEMORY / 2);
    for (uint32_t i = 0; i < m->num_relocs; i++) {
        uint64_t value = where[m->relocs[i].target] + (uint64_t)m->relocs[i].addend;
        memcpy((void *)(uintptr_t)(where[m->relocs[i].where] + m->relocs[i].offset), &value, 8);
    }
    free(where);
}

void run_open(struct run *r, const char *text, const struct ptx_options *options) {
    struct ptx_options o;
    memset(r, 0, sizeof *r);
    ptx_options_default(&o);
    if (options) o = *options;
    heddle_err e = ptx_compile(text, strlen(text), "t.ptx", &o, &r->module, &r->diag);
    cr_assert_eq(e, HEDDLE_OK, "%s", r->diag.text);
    check_control(r->module, &o);
    /* a multiple of EXEC_REGION on both sides: map more and take the aligned part */
    uint8_t *p = mmap(NULL, 2 * RUN_MEMORY, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    cr_assert_neq(p, MAP_FAILED);
    r->base = (uint8_t *)(((uintptr_t)p + RUN_MEMORY - 1) & ~(uintptr_t)(RUN_MEMORY - 1));
    r->symbols = r->base + RUN_MEMORY / 2;
    cr_assert_eq(exec_memory_init(&r->memory, (uint64_t)(uintptr_t)r->base, RUN_MEMORY), HEDDLE_OK);
    exec_memory_allow(&r->memory, r->memory.base, RUN_MEMORY);
    place_symbols(r);
}

void run_close(struct run *r) {
    exec_memory_fini(&r->memory);
    mir_module_free(r->module);
    free(r->addresses);
    free(r->special);
}

const struct mir_function *run_function(const struct run *r, const char *name) {
    for (uint32_t i = 0; i < r->module->num_functions; i++)
        if (strcmp(r->module->functions[i].name, name) == 0) return &r->module->functions[i];
    cr_assert_fail("no kernel %s", name);
    return NULL;
}

heddle_err run_kernel(struct run *r, const char *name, unsigned grid, unsigned block,
                      const void *params, unsigned bytes, unsigned dynamic_shared) {
    const struct mir_function *f = run_function(r, name);
    static const uint32_t ones = 1;
    uint8_t *bank = calloc(1, MIR_C0_SIZE);
    uint32_t total = f->shared_bytes + dynamic_shared;
    memcpy(bank + MIR_C0_NTID_X, &block, 4);
    memcpy(bank + MIR_C0_NTID_Y, &ones, 4);
    memcpy(bank + MIR_C0_NTID_Z, &ones, 4);
    memcpy(bank + MIR_C0_NCTAID_X, &grid, 4);
    memcpy(bank + MIR_C0_NCTAID_Y, &ones, 4);
    memcpy(bank + MIR_C0_NCTAID_Z, &ones, 4);
    memcpy(bank + MIR_C0_DYNAMIC_SHARED, &dynamic_shared, 4);
    memcpy(bank + MIR_C0_TOTAL_SHARED, &total, 4);
    memcpy(bank + MIR_C0_PARAMS, params, bytes);
    free(r->special);
    r->num_special = f->num_special;
    r->special = calloc(f->num_special + 1, sizeof *r->special);
    for (uint32_t i = 0; i < f->num_special; i++)
        r->special[i].form = mir_special_form(f->special[i]);
    struct exec_launch launch = {.function = f,
                                 .special = r->special,
                                 .module = r->module,
                                 .bank = {bank, NULL, (const uint8_t *)f->literals, r->bank_user,
                                          (const uint8_t *)r->addresses},
                                 .bank_size = {MIR_C0_SIZE, 0, 8 * f->num_literals,
                                               r->module->const_bytes,
                                               8 * r->module->address_slots},
                                 .grid = {grid, 1, 1},
                                 .block = {block, 1, 1},
                                 .shared_bytes = total,
                                 .memory = &r->memory,
                                 .immediate = true,
                                 .checks = r->checks,
                                 .num_sms = 1};
    heddle_err e = exec_run_immediate(&launch, 4, 1024, &r->counts, &r->fault, &r->diag);
    free(bank);
    return e;
}

void run_column_text(char *text, unsigned loads, unsigned apart) {
    text += sprintf(
        text,
        ".version 7.5\n.target sm_70\n.address_size 64\n"
        ".entry k(.param .u64 a, .param .u32 n)\n{"
        ".reg .b32 %%r; .reg .b64 %%rd<%u>; .reg .f32 %%f<%u>; .shared .align 16 .b8 s[%u];\n"
        "ld.param.u64 %%rd0, [a]; ld.param.u32 %%r, [n]; mul.wide.s32 %%rd1, %%r, 4;\n"
        "add.s64 %%rd2, %%rd0, %%rd1;\n",
        loads + 3, loads, loads * apart);
    for (unsigned i = 0; i < loads; i++)
        text += sprintf(text, "ld.global.f32 %%f%u, [%%rd%u]; add.s64 %%rd%u, %%rd%u, %%rd1;\n", i,
                        i + 2, i + 3, i + 2);
    for (unsigned i = 0; i < loads; i++)
        text += sprintf(text, "st.shared.f32 [s+%u], %%f%u;\n", apart * i, i);
    strcpy(text, "ret; }");
}

const char *run_listing(const struct mir_function *f) {
    static char text[65536];
    size_t n = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < f->num_inst; i++) {
        char line[256];
        mir_print_inst(line, sizeof line, &f->code[i], false);
        n += (size_t)snprintf(text + n, sizeof text - n, "%s\n", line);
    }
    return text;
}

unsigned run_count(const struct mir_function *f, mir_op op) {
    unsigned n = 0;
    for (uint32_t i = 0; i < f->num_inst; i++) n += f->code[i].op == op;
    return n;
}

void run_expect_same(const void *optimised, const void *plain, unsigned threads, unsigned words,
                     const char *what) {
    for (unsigned i = 0; i < threads * words; i++) {
        uint32_t x, y;
        memcpy(&x, (const uint8_t *)optimised + 4 * i, 4);
        memcpy(&y, (const uint8_t *)plain + 4 * i, 4);
        cr_assert_eq(x, y, "thread %u, word %u: %#x, not %#x as without optimisation: %s",
                     i / words, i % words, x, y, what);
    }
}
