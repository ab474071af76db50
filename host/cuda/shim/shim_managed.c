/* shim_managed.c - tells the server which managed memory the program has touched since the last
 * time, before a call that may move it (launches, copies, fills, prefetches) or free it, and at the
 * end.
 *
 * A program accesses managed memory without a call. The only trace is in its page tables: a page
 * that it accesses is mapped then. So each report takes the pages that it finds mapped out of the
 * page tables again (MADV_DONTNEED); their bytes stay in the server's file. /proc/self/pagemap
 * tells which are mapped, to every process of itself. Linux maps up to 16 neighbouring pages at a
 * read, so the result is certain for blocks of 64 KiB only, which is what migrates.
 *
 * A page that another thread touches between the two steps lies in a block that counts as touched.
 * A forked child that has not called CUDA before its exec is not looked at: its page tables are its
 * own.
 *
 * Runs in the program's process, in libheddle_shim.so, on the thread that makes the call. shim.lock
 * guards the list of allocations, and is held while a report is sent. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cuda/shim/shim.h"

enum { PAGE = 4096, BLOCK = 1 << 16, PAGES = BLOCK / PAGE, RUN = 64 };
enum { MOST = WIRE_INLINE_BYTES / sizeof(struct wire_touched), BLOCKS_AT_ONCE = 64 };
#define IS_MAPPED (UINT64_C(1) << 63) /* of an entry of pagemap */

/* What was found and not yet sent. shim.lock guards it. */
static struct wire_touched found[MOST];
static uint32_t num_found;

static void send_found(void) {
    struct shim_call call = {.source = {.base = found}, .payload_bytes = num_found * sizeof *found};
    if (num_found) shim_exchange(&call, WIRE_TOUCHED);
    num_found = 0;
}

static void add_block(uint64_t block) {
    const uint64_t first = block / RUN * RUN;
    if (!num_found || found[num_found - 1].first != first) {
        if (num_found == MOST) send_found();
        found[num_found++] = (struct wire_touched){.first = first};
    }
    found[num_found - 1].mask |= UINT64_C(1) << (block - first);
}

/* Pages that are to leave the page tables. Each call that does so stops all threads of the program,
 * so it is made for as many neighbouring pages as possible. */
struct range {
    uint64_t begin, end;
};

static void drop(const struct range *r) {
    if (r->end > r->begin) madvise((void *)(uintptr_t)r->begin, r->end - r->begin, MADV_DONTNEED);
}

/* Pages of an allocation, of which `entry` are those of pagemap, all of one block: if one of them
 * is mapped, the block was touched, and the pages join those to be dropped. */
static void look_at(uint64_t address, const uint64_t *entry, uint64_t pages, struct range *r) {
    bool mapped = false;
    for (uint64_t i = 0; i < pages; i++) mapped |= (entry[i] & IS_MAPPED) != 0;
    if (!mapped) return;
    add_block((address - shim.managed_base) / BLOCK);
    if (r->end != address) {
        drop(r);
        r->begin = address;
    }
    r->end = address + pages * PAGE;
}

/* The pages of one allocation. @return false: they cannot be read; errno says why. */
static bool look_through(int pagemap, const struct shim_pinned *p) {
    uint64_t entry[BLOCKS_AT_ONCE * PAGES];
    const uint64_t end = p->address + p->bytes;
    struct range touched = {0, 0};
    for (uint64_t at = p->address; at < end;) {
        uint64_t piece = (at / BLOCK + BLOCKS_AT_ONCE) * BLOCK;
        if (piece > end) piece = end;
        const size_t bytes = (piece - at) / PAGE * sizeof *entry;
        const ssize_t n = pread(pagemap, entry, bytes, (off_t)(at / PAGE * sizeof *entry));
        if (n != (ssize_t)bytes) {
            if (n >= 0) errno = EIO;
            return false;
        }
        for (const uint64_t *e = entry; at < piece;) {
            uint64_t next = (at / BLOCK + 1) * BLOCK;
            if (next > piece) next = piece;
            look_at(at, e, (next - at) / PAGE, &touched);
            e += (next - at) / PAGE;
            at = next;
        }
    }
    drop(&touched);
    return true;
}

/* Says once why touches are not seen from now on, and what follows. */
static void give_up(void) {
    shim.tracks = false;
    shim_say("cannot read /proc/self/pagemap (%s): accesses of the program to managed memory are "
             "not seen, so what has migrated to a GPU stays there, and what has not counts as "
             "untouched (docs/limits.md)",
             strerror(errno));
}

void shim_report_touched(void) {
    if (!shim.tracks) return;
    pthread_mutex_lock(&shim.lock);
    const int pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    bool good = pagemap >= 0;
    for (const struct shim_pinned *p = shim.pinned; p && good; p = p->next)
        if (p->address - shim.managed_base < shim.managed_bytes) good = look_through(pagemap, p);
    if (!good) give_up();
    if (pagemap >= 0) close(pagemap);
    send_found();
    pthread_mutex_unlock(&shim.lock);
}

/* Whether a call may move managed memory, or end it, by its name. */
bool shim_may_move(enum cuda_call_id id) {
    static const char *const part[] = {"Launch", "Memcpy", "Memset", "Prefetch", "Free"};
    for (unsigned i = 0; i < sizeof part / sizeof *part; i++)
        if (strstr(shim_call_names[id], part[i])) return true;
    return false;
}
