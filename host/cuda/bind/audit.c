/* audit.c - libheddle_audit.so: directs a program's CUDA calls to Heddle, however the program finds
 * its libraries.
 *
 * Runs in the program's process, in a namespace of its own with its own libc. The dynamic linker
 * loads it before the program (LD_AUDIT) and calls its la_ functions (rtld-audit(7)), on the thread
 * that loads an object or looks a symbol up:
 *   - la_objsearch() for each library that it looks for: libcudart and libcuda are Heddle's,
 *     whatever path the program (DT_RPATH) or a plain file name says;
 *   - la_objopen() for each object that it has loaded: the functions of a CUDA runtime linked into
 *     the object are made to jump to the stubs of libheddle_bind.so (bind.h);
 *   - la_symbind64() for each function of NVRTC that another object uses: some are replaced by
 *     libheddle_bind.so's (nvrtc.c).
 * An object that contains a runtime waits in `waiting` until the stubs are loaded too. Failures are
 * lines on standard error; the program then runs with NVIDIA's function (but see write_jump).
 *
 * `waiting`, `stubs` and `started` change only while objects are loaded, when the linker holds its
 * own lock or the program has one thread, so they need no lock. `nvrtc` is filled when
 * libheddle_bind.so is loaded, before the program's first code, and only read afterwards. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/elf_file.h"
#include "cuda/bind/bind.h"
#include "cuda_bind_rows.h"

#define EXPORT __attribute__((visibility("default")))

/* A function of a runtime that is linked into an object. */
struct entry {
    uint64_t value, bytes; /* offset in the object, size */
    uint16_t row;          /* of bind_rows */
};
/* A loaded object and the functions of the runtime in it. look_into() allocates it, bind_waiting()
 * frees it. */
struct object {
    struct object *next;
    const char *name; /* the linker's, as long as the object is loaded */
    uint64_t base;
    unsigned version; /* of the runtime: 11 + version */
    size_t num_entries;
    struct entry entry[BIND_NUM_ROWS];
};

static struct object *waiting; /* objects with a runtime that is not bound yet */
static uint64_t stubs;         /* address of the stubs; 0: not loaded yet */
static bool started;           /* the program and the libraries that it is linked with are loaded */

#define NVRTC_NAME(name) #name,
static const char *const nvrtc_name[] = {BIND_NVRTC_FUNCTIONS(NVRTC_NAME)};
enum { NUM_NVRTC = sizeof nvrtc_name / sizeof *nvrtc_name };
static uint64_t nvrtc[NUM_NVRTC]; /* addresses of the replacements, 0: not loaded yet */

/* Reports on standard error that calls of an object reach NVIDIA's runtime, and why (a printf
 * format). */
__attribute__((format(printf, 2, 3))) static void not_caught(const char *object, const char *format,
                                                             ...) {
    va_list arguments;
    fprintf(stderr,
            "heddle: error: the CUDA runtime that is linked into %s is not caught: ", object);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
}

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* ---- a runtime inside an object */

/* bsearch() callback, which runs in take_entry(): compares a name with a row of bind_rows. */
static int compare_row(const void *name, const void *row) {
    return strcmp(name, ((const struct bind_row *)row)->name);
}

/* Adds the function `name` of the object to o->entry if it is one of cuda_calls.def; without room,
 * or if it is another, does nothing. `s`: its symbol in the object's file. */
static void take_entry(struct object *o, const char *name, const Elf64_Sym *s) {
    if (strncmp(name, "cuda", 4) != 0 && strncmp(name, "__cuda", 6) != 0) return;
    const struct bind_row *row = bsearch(name, bind_rows, BIND_NUM_ROWS, sizeof *bind_rows,
                                         compare_row);
    if (!row || o->num_entries == BIND_NUM_ROWS) return;
    o->entry[o->num_entries++] = (struct entry){s->st_value, s->st_size,
                                                (uint16_t)(row - bind_rows)};
}

/* True if the functions are those of a runtime: every runtime has __cudaRegisterFatBinary. */
static bool is_runtime(const struct object *o) {
    for (size_t i = 0; i < o->num_entries; i++)
        if (strcmp(bind_rows[o->entry[i].row].name, "__cudaRegisterFatBinary") == 0) return true;
    return false; /* its functions only have names like the runtime's */
}

/* Sets o->version to the newest version that exports all functions of the object. @return false:
 * there is none; an error on standard error says so. */
static bool find_version(struct object *o) {
    unsigned left = (1u << BIND_VERSIONS) - 1;
    for (size_t i = 0; i < o->num_entries; i++) {
        const struct bind_row *row = &bind_rows[o->entry[i].row];
        left &= row->versions;
        if (left) continue;
        not_caught(o->name,
                   "it is of none of the versions 11, 12 and 13, for none has both %s and the "
                   "functions before it; link it dynamically: nvcc -cudart shared",
                   row->name);
        return false;
    }
    o->version = 31u - (unsigned)__builtin_clz(left);
    return true;
}

/* Reads the symbols of an object's file, `path`. If a runtime is linked into it, allocates a record
 * and adds it to `waiting`, which owns it; bind_waiting() binds it. `name`: for messages. `base`:
 * its address in memory. A file that cannot be read is passed over. */
static void look_into(const char *path, const char *name, uint64_t base) {
    struct elf_file f;
    struct object *o = NULL;
    if (elf_open(&f, path) == ELF_PROGRAM) {
        o = calloc(1, sizeof *o);
        if (!o) not_caught(name, "no memory to look whether there is one");
    }
    struct elf_functions all = {.file = &f, .type = SHT_SYMTAB};
    while (o && elf_next_function(&all)) take_entry(o, all.name, &all.symbol);
    elf_close(&f);
    if (!o) return;
    o->name = name;
    o->base = base;
    if (is_runtime(o) && find_version(o)) {
        o->next = waiting;
        waiting = o;
    } else {
        free(o);
    }
}

/* Overwrites the begin of the function at `at`, of `bytes`, with jmp *0(%rip) and the target behind
 * it; its pages are writable and not executable meanwhile, so no thread may run them. Functions
 * begin at multiples of 16 bytes, so that even the shortest has room. @return false: errno says
 * why. The function is as it was then, unless it was the second mprotect() that failed: calls into
 * its pages end the program. */
static bool write_jump(uint64_t at, uint64_t bytes, uint64_t target) {
    static const uint8_t jump[6] = {0xff, 0x25, 0, 0, 0, 0};
    enum { BYTES = sizeof jump + sizeof target, START = 16 };
    if (bytes < BYTES && at % START) {
        errno = ENOSPC;
        return false;
    }
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), from = at & ~(page - 1);
    size_t length = at + BYTES - from;
    if (mprotect((void *)from, length, PROT_READ | PROT_WRITE) != 0) return false;
    memcpy((void *)at, jump, sizeof jump);
    memcpy((void *)(at + sizeof jump), &target, sizeof target);
    return mprotect((void *)from, length, PROT_READ | PROT_EXEC) == 0;
}

/* Makes every function of the runtime in the object jump to its stub, in this process's memory
 * (write_jump). `stubs` must be set. Reports each function that cannot be replaced and goes on. */
static void bind_object(const struct object *o) {
    for (size_t i = 0; i < o->num_entries; i++) {
        const struct entry *e = &o->entry[i];
        uint64_t stub = stubs + ((uint64_t)o->version * BIND_NUM_ROWS + e->row) * BIND_STUB_BYTES;
        if (!write_jump(o->base + e->value, e->bytes, stub))
            not_caught(o->name, "its %s cannot be replaced: %s", bind_rows[e->row].name,
                       strerror(errno));
    }
}

/* The index of the function in nvrtc_name, or NUM_NVRTC. */
static size_t nvrtc_number(const char *name) {
    size_t i = 0;
    while (i < NUM_NVRTC && strcmp(name, nvrtc_name[i]) != 0) i++;
    return i;
}

/* Reads from the file of libheddle_bind.so, just loaded as `map`, the addresses of the stubs and of
 * the replacements for NVRTC, into `stubs` and `nvrtc`. They stay 0 if the file cannot be read. */
static void find_stubs(const struct link_map *map) {
    struct elf_file f;
    struct elf_functions all = {.file = &f, .type = SHT_DYNSYM};
    const size_t prefix = strlen(BIND_PREFIX);
    if (elf_open(&f, map->l_name) == ELF_PROGRAM)
        while (elf_next_function(&all)) {
            uint64_t address = map->l_addr + all.symbol.st_value;
            if (strcmp(all.name, BIND_STUBS) == 0) stubs = address;
            if (strncmp(all.name, BIND_PREFIX, prefix) != 0) continue;
            size_t i = nvrtc_number(all.name + prefix);
            if (i < NUM_NVRTC) nvrtc[i] = address;
        }
    elf_close(&f);
}

/* ---- called by the dynamic linker */

/* Called by the linker when it loads this library. @return the version of the interface that both
 * sides know. */
EXPORT unsigned la_version(unsigned version) {
    return version < LAV_CURRENT ? version : LAV_CURRENT;
}

/* Path of the file of that name beside this library, valid until the next call. NULL: it cannot be
 * read. */
static const char *ours(const char *name) {
    static char path[4096];
    Dl_info me;
    if (!dladdr((void *)(uintptr_t)ours, &me) || !me.dli_fname) return NULL;
    int length = (int)(base_name(me.dli_fname) - me.dli_fname);
    snprintf(path, sizeof path, "%.*s%s", length, me.dli_fname, name);
    return access(path, R_OK) == 0 ? path : NULL;
}

/* Called by the linker before it looks for a library, for each path that it tries. @return Heddle's
 * libcudart or libcuda of that file name, if there is one beside this library; otherwise `name`. */
EXPORT char *la_objsearch(const char *name, uintptr_t *cookie, unsigned flag) {
    (void)cookie, (void)flag;
    const char *file = base_name(name), *found = NULL;
    if (strncmp(file, "libcudart.so", 12) == 0 || strncmp(file, "libcuda.so", 10) == 0 ||
        strcmp(file, "libmpi.so.40") == 0)
        found = ours(file);
    return (char *)(uintptr_t)(found ? found : name);
}

/* Kind of an object, kept in its cookie. */
enum { OBJECT_OTHER, OBJECT_STUBS, OBJECT_NVRTC };

/* Called by the linker when it has loaded an object, before the object's code runs: notes the
 * addresses of libheddle_bind.so, or looks for a runtime in the object. Objects of other namespaces
 * are ignored. *cookie receives the object's kind. @return flags: la_symbind64() sees calls from
 * other objects to NVRTC. */
EXPORT unsigned la_objopen(struct link_map *map, Lmid_t namespace, uintptr_t *cookie) {
    const char *file = base_name(map->l_name);
    *cookie = OBJECT_OTHER;
    if (namespace != LM_ID_BASE) return 0;
    if (strcmp(file, BIND_LIBRARY) == 0) {
        *cookie = OBJECT_STUBS;
        find_stubs(map);
    } else if (strncmp(file, BIND_NVRTC, strlen(BIND_NVRTC)) == 0) {
        *cookie = OBJECT_NVRTC;
        return LA_FLG_BINDTO;
    } else if (!*map->l_name) {
        look_into("/proc/self/exe", "the program", map->l_addr);
    } else if (strncmp(file, "libcudart.so", 12) != 0) {
        look_into(map->l_name, map->l_name, map->l_addr);
    }
    return LA_FLG_BINDFROM;
}

/* Called by the linker when it binds a function between two objects that la_objopen() has flagged,
 * possibly on several threads at once; it only reads. @return the address at which the linker or
 * dlsym() finds a function: the replacement of a function of NVRTC, unless libheddle_bind.so itself
 * asks. */
EXPORT uintptr_t la_symbind64(Elf64_Sym *symbol, unsigned index, uintptr_t *from, uintptr_t *to,
                              unsigned *flags, const char *name) {
    (void)index, (void)flags;
    size_t i = *to == OBJECT_NVRTC && *from != OBJECT_STUBS ? nvrtc_number(name) : NUM_NVRTC;
    return i < NUM_NVRTC && nvrtc[i] ? nvrtc[i] : symbol->st_value;
}

/* Binds and frees all objects of `waiting`; without stubs, reports each as not caught. */
static void bind_waiting(void) {
    for (struct object *o = waiting, *next; o; o = next) {
        next = o->next;
        if (stubs)
            bind_object(o);
        else
            not_caught(o->name,
                       BIND_LIBRARY " has not been loaded; who starts the program must leave it "
                                    "in LD_PRELOAD");
        free(o);
    }
    waiting = NULL;
}

/* Called by the linker when the list of loaded objects changes. When it is complete
 * (LA_ACT_CONSISTENT), binds new runtimes, once the stubs are loaded or can no longer be. */
EXPORT void la_activity(uintptr_t *cookie, unsigned flag) {
    (void)cookie;
    if (flag == LA_ACT_CONSISTENT && (stubs || started)) bind_waiting();
}

/* Called by the linker before the first code of the program and its libraries, on the first thread.
 * Sets `started` and binds what waits. */
EXPORT void la_preinit(uintptr_t *cookie) {
    (void)cookie;
    started = true;
    bind_waiting();
}
