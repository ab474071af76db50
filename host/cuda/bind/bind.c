/* bind.c - libheddle_bind.so: the stubs to which the functions of a linked-in runtime jump
 * (bind.h).
 *
 * Runs in the program's process, preloaded by `heddle run`, on any thread that calls CUDA. It
 * depends on libc alone and does nothing before the first call of a stub, which loads the libcudart
 * of the program's version. */
#define _GNU_SOURCE
#include "cuda/bind/bind.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cuda_bind_rows.h" /* bind_rows, BIND_NUM_ROWS */

enum { NUM_STUBS = BIND_VERSIONS * BIND_NUM_ROWS };

static const char *const soname[BIND_VERSIONS] = {"libcudart.so.11.0", "libcudart.so.12",
                                                  "libcudart.so.13"};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *library[BIND_VERSIONS]; /* handles of dlopen(); under `lock` */
static void *found[NUM_STUBS];       /* functions by stub, NULL: not looked up yet; atomic */

/* For the banner of Heddle's libcudart (shim_attach): why it was loaded. Its constructor calls this
 * in load(), on the same thread. NULL: in the ordinary way. */
__attribute__((visibility("default"))) const char *heddle_bind_origin(void);
/* Loads the libcudart of version 11 + `version` from this library's folder. Its constructor
 * connects the thread to the server and prints a line, which `origin` completes. The caller holds
 * `lock`. @return a handle; NULL: dlerror() says why. */
static const char *origin; /* set while load() runs, under `lock` */
const char *heddle_bind_origin(void) {
    return origin;
}

/* Writes to standard error why a call cannot reach the simulator, and aborts the program, which
 * would otherwise go on with NVIDIA's runtime. */
static void give_up(const char *name, const char *why) {
    fprintf(stderr,
            "heddle: error: %s of the CUDA runtime that is linked into the program cannot be "
            "given to the simulator: %s\n",
            name, why);
    abort();
}

/* Loads the libcudart of version 11 + `version` from this library's folder. @return a handle; NULL:
 * dlerror() says why. */
static void *load(unsigned version) {
    Dl_info me;
    char path[4096];
    if (!dladdr((void *)(uintptr_t)load, &me) || !me.dli_fname) return NULL;
    const char *slash = strrchr(me.dli_fname, '/');
    int length = slash ? (int)(slash - me.dli_fname) + 1 : 0;
    snprintf(path, sizeof path, "%.*s%s", length, me.dli_fname, soname[version]);
    origin = "in place of the CUDA runtime that is linked into it";
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    origin = NULL;
    return handle;
}

/* Called by bind_common with the number of the stub, on the thread of the program that calls CUDA.
 * The first time looks the function up under `lock`, loading libcudart first if need be, and stores
 * it in `found`; later reads `found` without the lock. Aborts the program if there is no such
 * function. @return the function to jump to. */
__attribute__((used)) static void *resolve(uint64_t stub) {
    void *f = __atomic_load_n(&found[stub], __ATOMIC_ACQUIRE);
    if (f) return f;
    unsigned version = (unsigned)(stub / BIND_NUM_ROWS);
    const char *name = bind_rows[stub % BIND_NUM_ROWS].name;
    pthread_mutex_lock(&lock);
    if (!library[version]) library[version] = load(version);
    if (!library[version]) give_up(name, dlerror());
    f = dlsym(library[version], name);
    if (!f) give_up(name, dlerror());
    __atomic_store_n(&found[stub], f, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&lock);
    return f;
}

/* bind_common saves all registers that carry arguments, calls resolve() with the number that the
 * stub has pushed, restores them and jumps to the function. */
__asm__(".text\n"
        "bind_common:\n"
        "    push %rax\n"
        "    push %rdi\n"
        "    push %rsi\n"
        "    push %rdx\n"
        "    push %rcx\n"
        "    push %r8\n"
        "    push %r9\n"
        "    sub $136, %rsp\n"
        "    movups %xmm0, (%rsp)\n"
        "    movups %xmm1, 16(%rsp)\n"
        "    movups %xmm2, 32(%rsp)\n"
        "    movups %xmm3, 48(%rsp)\n"
        "    movups %xmm4, 64(%rsp)\n"
        "    movups %xmm5, 80(%rsp)\n"
        "    movups %xmm6, 96(%rsp)\n"
        "    movups %xmm7, 112(%rsp)\n"
        "    mov 192(%rsp), %rdi\n" /* the stub's number */
        "    call resolve\n"
        "    mov %rax, %r11\n"
        "    movups (%rsp), %xmm0\n"
        "    movups 16(%rsp), %xmm1\n"
        "    movups 32(%rsp), %xmm2\n"
        "    movups 48(%rsp), %xmm3\n"
        "    movups 64(%rsp), %xmm4\n"
        "    movups 80(%rsp), %xmm5\n"
        "    movups 96(%rsp), %xmm6\n"
        "    movups 112(%rsp), %xmm7\n"
        "    add $136, %rsp\n"
        "    pop %r9\n"
        "    pop %r8\n"
        "    pop %rcx\n"
        "    pop %rdx\n"
        "    pop %rsi\n"
        "    pop %rdi\n"
        "    pop %rax\n"
        "    add $8, %rsp\n"
        "    jmp *%r11\n");

#define TEXT(x) TEXT_OF(x)
#define TEXT_OF(x) #x
__asm__(".text\n"
        ".globl heddle_bind_stubs\n"
        ".type heddle_bind_stubs, @function\n"
        ".balign 16\n"
        "heddle_bind_stubs:\n"
        ".set bind_number, 0\n"
        ".rept " TEXT(BIND_NUM_STUBS) "\n"
                                      ".balign 16\n"
                                      "    .byte 0x68\n" /* push imm32 */
                                      "    .long bind_number\n"
                                      "    jmp bind_common\n"
                                      ".set bind_number, bind_number + 1\n"
                                      ".endr\n"
                                      ".size heddle_bind_stubs, . - heddle_bind_stubs\n");
_Static_assert(NUM_STUBS == BIND_NUM_STUBS, "the generator's count of the stubs");
