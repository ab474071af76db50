/* elf_scan.h - inspects a program's file to explain why its CUDA calls are not intercepted. */
#ifndef HEDDLE_CLI_ELF_SCAN_H
#define HEDDLE_CLI_ELF_SCAN_H

#include <stdbool.h>
#include <stddef.h>

#include "common/elf_file.h"

struct elf_scan {
    enum elf_kind kind;
    bool device_code;      /* section .nv_fatbin */
    bool static_runtime;   /* NVIDIA's static CUDA runtime is inside */
    bool names_runtime;    /* its symbols say where the runtime inside begins (cuda/bind/) */
    bool thread_sanitizer; /* needs libtsan */
    bool driver_api;       /* needs libcuda.so.1 */
    char runtime[64];      /* the libcudart it needs, or empty */
    char search_path[512]; /* RPATH or RUNPATH, or empty */
};

/* Fills *out; every offset of the file is checked. */
void elf_scan(const char *path, struct elf_scan *out);

/* Finds a program as the shell does. @return false when there is none that can be
 * run; errno says why. */
bool elf_find_program(const char *name, char *path, size_t size);

/* Writes why no call arrived and what to do about it, as half a sentence ("PROGRAM is linked
 * with ..."). */
void elf_explain(const char *path, const struct elf_scan *scan, char *out, size_t size);

#endif
