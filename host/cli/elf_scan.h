/* elf_scan.h - inspects a program's file to explain why its CUDA calls are not intercepted. */
#ifndef HEDDLE_CLI_ELF_SCAN_H
#define HEDDLE_CLI_ELF_SCAN_H

#include <stdbool.h>
#include <stddef.h>

#include "common/elf_file.h"

/* What a program's file contains. */
struct elf_scan {
    enum elf_kind kind;
    bool device_code;      /* section .nv_fatbin */
    bool static_runtime;   /* NVIDIA's static CUDA runtime is inside */
    bool names_runtime;    /* has symbols by which that runtime can be intercepted (cuda/bind/) */
    bool thread_sanitizer; /* needs libtsan */
    bool driver_api;       /* needs libcuda.so.1 */
    char runtime[64];      /* the libcudart it needs, or empty */
    char search_path[512]; /* RPATH or RUNPATH, or empty */
};

/* Scans the file `path` into *out; every offset in the file is checked. */
void elf_scan(const char *path, struct elf_scan *out);

/* Finds a program as the shell does, and writes its path. @return false: none can be run, errno
 * says why. */
bool elf_find_program(const char *name, char *path, size_t size);

/* Writes a clause that says why no call arrived and what to do about it ("PROGRAM is linked with
 * ..."). */
void elf_explain(const char *path, const struct elf_scan *scan, char *out, size_t size);

#endif
