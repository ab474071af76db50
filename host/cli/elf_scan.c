/* elf_scan.c - inspects the file of a program before and after `heddle run` starts it, to explain
 * why its CUDA calls are not intercepted. cmd_run.c and cmd_sweep.c call it on the main thread. The
 * scan only reads the file and fills struct elf_scan. */
#define _GNU_SOURCE
#include "cli/elf_scan.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Notes needed libraries and the search path of dynamic section *s in *out. A section that leaves
 * the file adds nothing. */
static void scan_dynamic(const struct elf_file *f, const Elf64_Shdr *s, struct elf_scan *out) {
    Elf64_Shdr strings;
    const uint8_t *table = elf_range(f, s->sh_offset, s->sh_size);
    if (!table || !elf_section(f, s->sh_link, &strings)) return;
    for (uint64_t i = 0; i < s->sh_size / sizeof(Elf64_Dyn); i++) {
        Elf64_Dyn d;
        memcpy(&d, table + i * sizeof d, sizeof d);
        if (d.d_tag == DT_NULL) return;
        const char *value = elf_text(f, strings.sh_offset + d.d_un.d_val);
        if (d.d_tag == DT_NEEDED) {
            if (strncmp(value, "libcudart.so", 12) == 0)
                snprintf(out->runtime, sizeof out->runtime, "%s", value);
            if (strcmp(value, "libcuda.so.1") == 0) out->driver_api = true;
            if (strncmp(value, "libtsan.so", 10) == 0) out->thread_sanitizer = true;
        } else if (d.d_tag == DT_RPATH || d.d_tag == DT_RUNPATH) {
            snprintf(out->search_path, sizeof out->search_path, "%s", value);
        }
    }
}

/* Whether the symbols name __cudaRegisterFatBinary, the function that registers all device code. */
static bool names_runtime(const struct elf_file *f) {
    struct elf_functions all = {.file = f, .type = SHT_SYMTAB};
    while (elf_next_function(&all))
        if (strcmp(all.name, "__cudaRegisterFatBinary") == 0) return true;
    return false;
}

/* Fills *out from the sections: device code, needed libraries, static runtime, symbols. @return
 * false: the header of a section leaves the file. */
static bool scan_sections(const struct elf_file *f, struct elf_scan *out) {
    Elf64_Shdr names, s;
    bool named = elf_section(f, f->head.e_shstrndx, &names);
    for (unsigned i = 0; i < f->head.e_shnum; i++) {
        if (!elf_section(f, i, &s)) return false;
        const char *name = named ? elf_text(f, names.sh_offset + s.sh_name) : "";
        if (strcmp(name, ".nv_fatbin") == 0) out->device_code = true;
        if (s.sh_type == SHT_DYNAMIC) scan_dynamic(f, &s, out);
        if (strcmp(name, ".rodata") == 0) {
            const void *data = elf_range(f, s.sh_offset, s.sh_size);
            if (data && memmem(data, s.sh_size, "libcudart_static_", 17))
                out->static_runtime = true;
        }
    }
    out->names_runtime = names_runtime(f);
    /* device code, but nothing shared that could launch it: a static runtime must be inside. (nvcc
     * gives programs of the driver API alone an empty section of device code.) */
    if (out->device_code && !out->runtime[0] && !out->driver_api) out->static_runtime = true;
    return true;
}

/* Maps the file `path`, scans it into *out and unmaps it. out->kind says whether it is a program;
 * ELF_DAMAGED also if a section's header leaves the file. */
void elf_scan(const char *path, struct elf_scan *out) {
    struct elf_file f;
    *out = (struct elf_scan){.kind = elf_open(&f, path)};
    if (out->kind == ELF_PROGRAM && !scan_sections(&f, out)) out->kind = ELF_DAMAGED;
    elf_close(&f);
}

/* Finds `name` on PATH, or checks it if it has a slash; writes its path to path[size]. @return
 * false with errno (ENOENT, EISDIR, EACCES ...): none can be run. */
bool elf_find_program(const char *name, char *path, size_t size) {
    struct stat st;
    if (strchr(name, '/')) {
        snprintf(path, size, "%s", name);
        if (stat(path, &st) != 0) return false;
        errno = EISDIR;
        return !S_ISDIR(st.st_mode) && access(path, X_OK) == 0;
    }
    errno = ENOENT;
    const char *list = getenv("PATH");
    for (const char *p = list ? list : "/usr/bin:/bin"; *p;) {
        size_t n = strcspn(p, ":");
        snprintf(path, size, "%.*s%s%s", (int)n, p, n ? "/" : "", name);
        if (access(path, X_OK) == 0 && stat(path, &st) == 0 && S_ISREG(st.st_mode)) return true;
        p += n + (p[n] == ':');
    }
    return false;
}

/* Whether the file is the one that this process executes. */
static bool is_this_program(const char *path) {
    struct stat file, own;
    return stat(path, &file) == 0 && stat("/proc/self/exe", &own) == 0 &&
           file.st_dev == own.st_dev && file.st_ino == own.st_ino;
}

/* Writes to out[size] a clause that says why no CUDA call arrived and what to do about it, from the
 * scan of the program's file `path`. */
void elf_explain(const char *path, const struct elf_scan *s, char *out, size_t size) {
    if (s->kind == ELF_NOT_FOUND)
        snprintf(out, size, "%s cannot be read", path);
    else if (s->kind == ELF_SCRIPT)
        snprintf(out, size,
                 "%s is a script or not a 64-bit x86 program, and nothing that it started "
                 "used libcudart",
                 path);
    else if (s->kind == ELF_DAMAGED)
        snprintf(out, size, "%s is not a readable 64-bit ELF file", path);
    else if (is_this_program(path))
        snprintf(out, size, "%s is Heddle itself: run the CUDA program directly", path);
    else if (s->static_runtime)
        snprintf(out, size,
                 "%s is linked statically with NVIDIA's CUDA runtime, and has no symbols (strip) "
                 "by which its calls could be caught: keep them, or link it dynamically: nvcc "
                 "-cudart shared",
                 path);
    else if (s->runtime[0] && s->search_path[0])
        snprintf(out, size,
                 "%s needs %s, and looks for it in %s before it looks in Heddle; take that "
                 "path out (patchelf --remove-rpath)",
                 path, s->runtime, s->search_path);
    else if (s->runtime[0])
        snprintf(out, size,
                 "%s needs %s but did not load Heddle's (there are libcudart.so.11.0, .12 "
                 "and .13)",
                 path, s->runtime);
    else if (s->driver_api)
        snprintf(out, size, "%s needs libcuda.so.1 but did not load Heddle's", path);
    else
        snprintf(out, size, "%s contains no CUDA code and does not need libcudart", path);
}
