/* elf_scan.c - see elf_scan.h */
#define _GNU_SOURCE
#include "cli/elf_scan.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/elf_file.h"

static const Elf64_Shdr *section(const struct elf_file *f, const Elf64_Ehdr *h, unsigned i) {
    if (i >= h->e_shnum || h->e_shentsize != sizeof(Elf64_Shdr)) return NULL;
    return elf_range(f, h->e_shoff + (uint64_t)i * sizeof(Elf64_Shdr), sizeof(Elf64_Shdr));
}

static void scan_dynamic(const struct elf_file *f, const Elf64_Ehdr *h, const Elf64_Shdr *s,
                         struct elf_scan *out) {
    const Elf64_Shdr *strings = section(f, h, s->sh_link);
    const Elf64_Dyn *d = elf_range(f, s->sh_offset, s->sh_size);
    if (!strings || !d) return;
    for (uint64_t i = 0; i < s->sh_size / sizeof *d && d[i].d_tag != DT_NULL; i++) {
        const char *value = elf_text(f, strings->sh_offset + d[i].d_un.d_val);
        if (d[i].d_tag == DT_NEEDED) {
            if (strncmp(value, "libcudart.so", 12) == 0)
                snprintf(out->runtime, sizeof out->runtime, "%s", value);
            if (strcmp(value, "libcuda.so.1") == 0) out->driver_api = true;
            if (strncmp(value, "libtsan.so", 10) == 0) out->thread_sanitizer = true;
        } else if (d[i].d_tag == DT_RPATH || d[i].d_tag == DT_RUNPATH) {
            snprintf(out->search_path, sizeof out->search_path, "%s", value);
        }
    }
}

/* Whether a symbol table names the function that all device code is registered by. */
static bool names_runtime(const struct elf_file *f, const Elf64_Ehdr *h, const Elf64_Shdr *s) {
    const Elf64_Shdr *strings = section(f, h, s->sh_link);
    const Elf64_Sym *sym = elf_range(f, s->sh_offset, s->sh_size);
    if (!strings || !sym) return false;
    for (uint64_t i = 0; i < s->sh_size / sizeof *sym; i++)
        if (sym[i].st_shndx != SHN_UNDEF && ELF64_ST_TYPE(sym[i].st_info) == STT_FUNC &&
            strcmp(elf_text(f, strings->sh_offset + sym[i].st_name), "__cudaRegisterFatBinary") ==
                0)
            return true;
    return false;
}

static void scan_sections(const struct elf_file *f, struct elf_scan *out) {
    const Elf64_Ehdr *h = elf_range(f, 0, sizeof *h);
    out->kind = ELF_DAMAGED;
    if (!h || h->e_ident[EI_CLASS] != ELFCLASS64) return;
    const Elf64_Shdr *names = section(f, h, h->e_shstrndx);
    out->kind = ELF_PROGRAM;
    for (unsigned i = 0; i < h->e_shnum; i++) {
        const Elf64_Shdr *s = section(f, h, i);
        if (!s) {
            out->kind = ELF_DAMAGED;
            return;
        }
        const char *name = names ? elf_text(f, names->sh_offset + s->sh_name) : "";
        if (strcmp(name, ".nv_fatbin") == 0) out->device_code = true;
        if (s->sh_type == SHT_DYNAMIC) scan_dynamic(f, h, s, out);
        if (s->sh_type == SHT_SYMTAB) out->names_runtime |= names_runtime(f, h, s);
        if (strcmp(name, ".rodata") == 0) {
            const void *data = elf_range(f, s->sh_offset, s->sh_size);
            if (data && memmem(data, s->sh_size, "libcudart_static_", 17))
                out->static_runtime = true;
        }
    }
    /* Compilers put device code only where a runtime follows. */
    if (out->device_code && !out->runtime[0]) out->static_runtime = true;
}

void elf_scan(const char *path, struct elf_scan *out) {
    memset(out, 0, sizeof *out);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat st;
    if (fd < 0 || fstat(fd, &st) != 0) {
        if (fd >= 0) close(fd);
        return;
    }
    struct elf_file f = {.size = (size_t)st.st_size};
    void *p = f.size ? mmap(NULL, f.size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
    close(fd);
    out->kind = ELF_SCRIPT;
    if (p == MAP_FAILED) return;
    f.bytes = p;
    if (f.size > SELFMAG && memcmp(f.bytes, ELFMAG, SELFMAG) == 0) scan_sections(&f, out);
    munmap(p, f.size);
}

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
