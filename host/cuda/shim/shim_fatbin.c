/* shim_fatbin.c - checks fat binaries in the program's memory, so that a damaged size does not
 * crash the program.
 *
 * Runs in the program's process, in libheddle_shim.so, on the thread that registers
 * (shim_register.c) or loads (driver_module.c) device code. Sends no messages, touches no tables
 * and takes no locks. shim.h has the contracts. */
#define _GNU_SOURCE
#include <sys/mman.h>
#include <unistd.h>

#include "cuda/shim/shim.h"

/* True if all bytes lie in mapped pages of this process. Asks the operating system by mincore(),
 * because reading an unmapped page would crash the program. Another thread may unmap them
 * afterwards. */
bool shim_is_mapped(const void *p, uint64_t bytes) {
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t from = (uintptr_t)p & ~(page - 1), to = (uintptr_t)p + bytes;
    unsigned char resident[256];
    if (to < from) return false;
    while (from < to) {
        uintptr_t n = to - from < page * sizeof resident ? to - from : page * sizeof resident;
        if (mincore((void *)from, n, resident) != 0) return false; /* ENOMEM: a hole */
        from += n;
    }
    return true;
}

/* @return the bytes of a fat binary with its head, or 0 after printing what is damaged: the magic
 * number, or a size beyond mapped memory. `head` may be any pointer. */
uint64_t shim_container_bytes(const struct shim_fatbin_head *head) {
    if (!shim_is_mapped(head, sizeof *head) || head->magic != SHIM_FATBIN_MAGIC) {
        shim_say("error: damaged fat binary: the container does not begin with 0x%08x",
                 (unsigned)SHIM_FATBIN_MAGIC);
    } else if (head->payload_bytes > UINT64_MAX / 2 ||
               !shim_is_mapped(head, head->head_bytes + head->payload_bytes)) {
        shim_say(
            "error: damaged fat binary: its head promises %llu bytes, the program's memory ends "
            "before that",
            (unsigned long long)head->payload_bytes);
    } else {
        return head->head_bytes + head->payload_bytes;
    }
    return 0;
}
