/* device_memory.c - the state bytes of device memory: which bytes are allocated, and which sectors
 * a strong access has touched.
 *
 * The CUDA layer (cuda/base/address_space.c) makes the memory and marks allocations on its thread;
 * device_io.c marks blocks of the heap under its lock, on other sectors.
 * exec_launch_prepare/finish() begin and end timed launches. Functions touch *memory and its state
 * bytes only; executors on other threads read and set single state bytes with relaxed atomics at
 * the same time.
 *
 * The state of an allocation of 16 MiB or more is not written, but mapped: its pages are those of a
 * file in memory that is full of EXEC_SECTOR, and become the process's own when a byte of them
 * changes. So an allocation of gigabytes takes microseconds, and no memory until its sectors
 * change. Where the system refuses such a mapping (too many, larger pages), the bytes are written.
 * */
#define _GNU_SOURCE
#include "exec/memory/device_memory.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Anonymous pages: zero, and taken from the system only when written. @return NULL: no memory. */
static uint8_t *map_bytes(uint64_t bytes) {
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                   -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

static uint64_t pages_bytes(uint64_t size) {
    return (size / EXEC_PAGE + 1) * sizeof(uint32_t);
}

/* Fills in *memory and maps the state bytes, the `touched` bytes and the counts of pages of the
 * range, all 0: nothing is allocated. The range itself is the caller's. @return HEDDLE_OK;
 * HEDDLE_ERR_ARGUMENT: base or size is no multiple of EXEC_REGION, or size is 0; HEDDLE_ERR_NOMEM.
 * After an error there is nothing to unmap. */
heddle_err exec_memory_init(struct exec_memory *memory, uint64_t base, uint64_t size) {
    memset(memory, 0, sizeof *memory);
    if (size == 0 || base % EXEC_REGION || size % EXEC_REGION) return HEDDLE_ERR_ARGUMENT;
    memory->state = map_bytes(size / EXEC_SECTOR);
    if (!memory->state) return HEDDLE_ERR_NOMEM;
    memory->size = size;
    memory->touched = map_bytes(size / EXEC_REGION);
    memory->mapped = (uint32_t *)(void *)map_bytes(pages_bytes(size));
    if (!memory->touched || !memory->mapped) {
        exec_memory_fini(memory);
        return HEDDLE_ERR_NOMEM;
    }
    memory->base = base;
    return HEDDLE_OK;
}

/* Unmaps the state and zeroes *memory. Accepts a memory that is all zeros. */
void exec_memory_fini(struct exec_memory *memory) {
    if (memory->state) munmap(memory->state, memory->size / EXEC_SECTOR);
    if (memory->touched) munmap(memory->touched, memory->size / EXEC_REGION);
    if (memory->mapped) munmap(memory->mapped, pages_bytes(memory->size));
    if (memory->written) munmap(memory->written, memory->size / EXEC_SECTOR * sizeof(uint32_t));
    memset(memory, 0, sizeof *memory);
}

/* The state byte of the sector of an address in the memory. */
static uint8_t *sector_state(struct exec_memory *memory, uint64_t address) {
    return memory->state + (address - memory->base) / EXEC_SECTOR;
}

enum {
    STATE_FILE = 2 << 20,   /* bytes of the file of EXEC_SECTORs: the state of 64 MiB */
    MAPPED_FROM = 512 << 10 /* from so many bytes of state on, mapping is faster than writing */
};

/* The file of STATE_FILE bytes, all EXEC_SECTOR, one for the process. -1: it cannot be made. */
static int allowed_file = -1;

static void make_allowed_file(void) {
    int fd = memfd_create("state of allocated memory", MFD_CLOEXEC);
    if (fd < 0) return;
    void *p = ftruncate(fd, STATE_FILE) == 0
                  ? mmap(NULL, STATE_FILE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)
                  : MAP_FAILED;
    if (p == MAP_FAILED) {
        close(fd);
        return;
    }
    memset(p, EXEC_SECTOR, STATE_FILE);
    munmap(p, STATE_FILE);
    allowed_file = fd;
}

/* Gives a whole number of pages of state the value 0 or EXEC_SECTOR by mappings that replace the
 * old ones in one step. @return the bytes that have it; fewer than n: the system refuses more. */
static uint64_t map_states(uint8_t *state, uint8_t value, uint64_t n) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    enum { PRIVATE = MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE };
    uint64_t done = 0;
    if (value) pthread_once(&once, make_allowed_file);
    if (value && allowed_file < 0) return 0;
    while (done < n) {
        const uint64_t bytes = value && n - done > STATE_FILE ? STATE_FILE : n - done;
        void *p = mmap(state + done, bytes, PROT_READ | PROT_WRITE,
                       value ? PRIVATE : PRIVATE | MAP_ANONYMOUS, value ? allowed_file : -1, 0);
        if (p == MAP_FAILED) break;
        done += bytes;
    }
    return done;
}

/* Writes n state bytes, eight at a time, and atomically, because warps on other threads read
 * them. */
static void write_states(uint8_t *state, uint8_t value, uint64_t n) {
    typedef uint64_t __attribute__((may_alias)) eight;
    const uint64_t all = value * UINT64_C(0x0101010101010101);
    for (; n && (uintptr_t)state % sizeof(eight); state++, n--)
        __atomic_store_n(state, value, __ATOMIC_RELAXED);
    for (; n >= sizeof(eight); state += sizeof(eight), n -= sizeof(eight))
        __atomic_store_n((eight *)(void *)state, all, __ATOMIC_RELAXED);
    for (; n; state++, n--) __atomic_store_n(state, value, __ATOMIC_RELAXED);
}

/* Sets n state bytes to `value`, 0 or at most EXEC_SECTOR. */
static void set_states(uint8_t *state, uint8_t value, uint64_t n) {
    enum { HOST_PAGE = 4096 };
    if (n >= MAPPED_FROM) { /* value is 0 or EXEC_SECTOR */
        const uint64_t head = -(uintptr_t)state % HOST_PAGE;
        write_states(state, value, head);
        state += head;
        n -= head;
        const uint64_t mapped = map_states(state, value, n / HOST_PAGE * HOST_PAGE);
        state += mapped;
        n -= mapped;
    }
    write_states(state, value, n);
}

/* Marks the range as allocated: sets the state of its sectors to their allocated bytes, which
 * clears their strong bits. `address` is a multiple of EXEC_SECTOR, and the range lies in the
 * memory. */
void exec_memory_allow(struct exec_memory *memory, uint64_t address, uint64_t bytes) {
    uint8_t *state = sector_state(memory, address);
    set_states(state, EXEC_SECTOR, bytes / EXEC_SECTOR);
    if (bytes % EXEC_SECTOR) set_states(state + bytes / EXEC_SECTOR, bytes % EXEC_SECTOR, 1);
}

/* Marks the range as not allocated: sets the state of its sectors to 0. Same preconditions. */
void exec_memory_forbid(struct exec_memory *memory, uint64_t address, uint64_t bytes) {
    set_states(sector_state(memory, address), 0, (bytes + EXEC_SECTOR - 1) / EXEC_SECTOR);
}

/* Adds `more` to the count of each page of the range, atomically, because warps read it. */
static void count_pages(struct exec_memory *memory, uint64_t address, uint64_t bytes,
                        uint32_t more) {
    uint64_t first = (address - memory->base) / EXEC_PAGE;
    uint64_t last = (address - memory->base + bytes - 1) / EXEC_PAGE;
    for (uint64_t i = first; i <= last; i++)
        __atomic_fetch_add(&memory->mapped[i], more, __ATOMIC_RELAXED);
}
void exec_memory_map(struct exec_memory *memory, uint64_t address, uint64_t bytes) {
    count_pages(memory, address, bytes, 1);
}
void exec_memory_unmap(struct exec_memory *memory, uint64_t address, uint64_t bytes) {
    count_pages(memory, address, bytes, UINT32_MAX);
}

/* Whether a page has allocations, and all of them are of the memory's own program. */
static bool is_mapped(const struct exec_memory *memory, uint64_t page) {
    const uint32_t own = __atomic_load_n(&memory->mapped[page], __ATOMIC_RELAXED);
    return own && (!memory->all || __atomic_load_n(&memory->all[page], __ATOMIC_RELAXED) == own);
}

uint64_t exec_memory_padding(const struct exec_memory *memory, uint64_t address) {
    uint64_t offset = address - memory->base, behind = offset + EXEC_PAGE;
    if (offset < memory->size && is_mapped(memory, offset / EXEC_PAGE)) return address;
    if (!memory->front || behind >= memory->stride * (memory->devices - 1) + EXEC_PAGE) return 0;
    uint64_t in_stride = memory->devices > 1 ? behind % memory->stride : behind;
    return in_stride < EXEC_PAGE ? memory->front + in_stride : 0;
}

heddle_err exec_memory_track(struct exec_memory *memory) {
    uint64_t bytes = memory->size / EXEC_SECTOR * sizeof(uint32_t);
    memory->written = (uint32_t *)(void *)map_bytes(bytes);
    return memory->written ? HEDDLE_OK : HEDDLE_ERR_NOMEM;
}

void exec_memory_renew(struct exec_memory *memory, uint64_t address, uint64_t bytes) {
    if (!memory->written) return;
    uint64_t first = (address - memory->base) / EXEC_SECTOR;
    uint64_t sectors = (bytes + EXEC_SECTOR - 1) / EXEC_SECTOR;
    for (uint64_t i = first; i < first + sectors; i++) {
        if (memory->written[i]) memory->written[i] = 0; /* leaves pages of zeros untouched */
        __atomic_fetch_or(&memory->state[i], EXEC_SECTOR_FRESH, __ATOMIC_RELAXED);
    }
}

/* Mask of `bytes` bytes of a sector from this address on. */
static uint32_t byte_mask(uint64_t address, uint64_t bytes) {
    return (uint32_t)(((UINT64_C(1) << bytes) - 1) << address % EXEC_SECTOR);
}

void exec_memory_write(struct exec_memory *memory, uint64_t address, uint64_t bytes) {
    uint64_t end = address + bytes;
    if (!memory->written || address < memory->base || end - memory->base > memory->size) return;
    for (uint64_t next; address < end; address = next) {
        uint64_t i = (address - memory->base) / EXEC_SECTOR;
        next = (address / EXEC_SECTOR + 1) * EXEC_SECTOR;
        if (!(__atomic_load_n(&memory->state[i], __ATOMIC_RELAXED) & EXEC_SECTOR_FRESH)) continue;
        uint32_t mask = byte_mask(address, (next < end ? next : end) - address);
        uint32_t now = __atomic_fetch_or(&memory->written[i], mask, __ATOMIC_RELAXED) | mask;
        if (now == UINT32_MAX) /* from now on it costs nothing */
            __atomic_fetch_and(&memory->state[i], (uint8_t)~EXEC_SECTOR_FRESH, __ATOMIC_RELAXED);
    }
}

bool exec_memory_written(const struct exec_memory *memory, uint64_t address, uint32_t bytes) {
    uint64_t i = (address - memory->base) / EXEC_SECTOR;
    if (!memory->written) return true;
    if (!(__atomic_load_n(&memory->state[i], __ATOMIC_RELAXED) & EXEC_SECTOR_FRESH)) return true;
    uint32_t mask = byte_mask(address, bytes);
    return (__atomic_load_n(&memory->written[i], __ATOMIC_RELAXED) & mask) == mask;
}

/* Counts a timed launch in; the first clears the strong bits, in the regions that have any. */
void exec_memory_begin(struct exec_memory *memory) {
    if (__atomic_fetch_add(&memory->launches, 1, __ATOMIC_ACQ_REL) != 0) return;
    uint64_t regions = memory->size / EXEC_REGION;
    for (uint64_t r = 0; r < regions; r++) {
        if (!__atomic_load_n(&memory->touched[r], __ATOMIC_RELAXED)) continue;
        uint8_t *state = memory->state + r * (EXEC_REGION / EXEC_SECTOR);
        for (unsigned i = 0; i < EXEC_REGION / EXEC_SECTOR; i++) {
            uint8_t s = __atomic_load_n(&state[i], __ATOMIC_RELAXED);
            if (s & EXEC_SECTOR_STRONG)
                __atomic_store_n(&state[i], s & ~EXEC_SECTOR_STRONG, __ATOMIC_RELAXED);
        }
        __atomic_store_n(&memory->touched[r], 0, __ATOMIC_RELAXED);
    }
}

/* Counts a timed launch out. */
void exec_memory_end(struct exec_memory *memory) {
    __atomic_fetch_sub(&memory->launches, 1, __ATOMIC_ACQ_REL);
}
