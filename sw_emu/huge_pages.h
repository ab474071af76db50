/* huge_pages.h - memory and code of a model in pages of 2 MB; model_memory.cpp has the rest.
 *
 * A model's memories are tens of MB, read at places far apart; its code is some 130 KB, all of
 * which runs in nearly every clock. In pages of 4 KB both lie wherever the system had room, and
 * some places share sets of the processor's caches with others: in alternating runs, copies of one
 * library differ by a quarter in speed (docs/speed.md).
 * Both functions are hints: where the system refuses, everything stays as it was. */
#ifndef HEDDLE_SW_EMU_HUGE_PAGES_H
#define HEDDLE_SW_EMU_HUGE_PAGES_H

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <link.h>
#include <linux/mman.h>
#include <mutex>
#include <sys/mman.h>

namespace sw_emu {
constexpr std::uintptr_t kHugePage = 2 << 20, kPage = 4096;

/* Asks Linux to put the pages of 2 MB that lie wholly in this memory into huge pages. */
inline bool use_huge_pages(const void *at, std::size_t bytes) {
#ifdef MADV_COLLAPSE /* from Linux 6.1 on */
    const std::uintptr_t begin = (std::uintptr_t)at;
    const std::uintptr_t first = (begin + kHugePage - 1) & ~(kHugePage - 1);
    const std::uintptr_t end = (begin + bytes) & ~(kHugePage - 1);
    return first < end && madvise((void *)first, end - first, MADV_COLLAPSE) == 0;
#else
    (void)at;
    (void)bytes;
    return false;
#endif
}

/* The pages of code around a function, of the program or library that has it. */
struct CodePages {
    std::uintptr_t function, begin, end; /* end == 0: not found */
};

/* dl_iterate_phdr()'s: fills in begin and end, and stops, if this is the function's library. */
inline int find_code_pages(dl_phdr_info *info, std::size_t, void *pages) {
    CodePages &p = *(CodePages *)pages;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const auto &part = info->dlpi_phdr[i];
        const std::uintptr_t begin = info->dlpi_addr + part.p_vaddr, end = begin + part.p_memsz;
        if (part.p_type != PT_LOAD || !(part.p_flags & PF_X)) continue;
        if (p.function < begin || p.function >= end) continue;
        p.begin = begin & ~(kPage - 1);
        p.end = (end + kPage - 1) & ~(kPage - 1);
        return 1;
    }
    return 0;
}

/* Moves a copy of the code around `function` to where the code is, once for each library: the
 * copy's pages lie side by side, in huge ones. Other threads may run the code meanwhile: the kernel
 * exchanges the pages under its lock, for the same bytes. perf and valgrind find no names in such
 * code; with HEDDLE_SMALL_PAGES in the environment it stays where it is. */
inline void move_code(const void *function) {
    static std::once_flag once;
    std::call_once(once, [function] {
        CodePages p = {(std::uintptr_t)function, 0, 0};
        if (std::getenv("HEDDLE_SMALL_PAGES") || !dl_iterate_phdr(find_code_pages, &p)) return;
        const std::size_t bytes = p.end - p.begin;
        const std::size_t room = ((bytes + kHugePage - 1) & ~(kHugePage - 1)) + kHugePage;
        void *got = mmap(nullptr, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (got == MAP_FAILED) return;
        char *copy = (char *)(((std::uintptr_t)got + kHugePage - 1) & ~(kHugePage - 1));
        std::memcpy(copy, (const void *)p.begin, bytes);
        // refused before anything is exchanged: no huge page, no right to run what was written
        if (use_huge_pages(copy, room - kHugePage) &&
            mprotect(copy, bytes, PROT_READ | PROT_EXEC) == 0)
            (void)mremap(copy, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, (void *)p.begin);
        munmap(got, room); // without what was moved away
    });
}
} // namespace sw_emu

#endif
