/* memory.cpp - see memory.h. Each window is reserved with mmap() at once; the system provides pages
 * as they are written. */
#include "sw_emu/memory.h"

#include <new>
#include <sys/mman.h>

namespace sw_emu {

namespace {
constexpr uint64_t kCardBase = UINT64_C(0x4000000000);
constexpr uint64_t kHostBase = UINT64_C(1) << 44;
constexpr uint64_t kWindowBytes = UINT64_C(1) << 32;
} // namespace

/* Reserves both windows, 4 GiB each, without using pages. */
Memory::Memory() {
    const uint64_t base[2] = {kCardBase, kHostBase};
    for (int i = 0; i < 2; i++) {
        void *p = mmap(nullptr, kWindowBytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (p == MAP_FAILED) {
            if (i) munmap(window_[0].bytes, kWindowBytes);
            throw std::bad_alloc(); /* xrtDeviceOpen() returns it as ENOMEM */
        }
        window_[i] = {base[i], static_cast<uint8_t *>(p), {}};
    }
}

Memory::~Memory() {
    for (Window &w : window_) munmap(w.bytes, kWindowBytes);
}

/* First fit in the window. */
uint64_t Memory::allocate(size_t bytes, bool host) {
    Window &w = window_[host];
    uint64_t size = (bytes + kPage - 1) / kPage * kPage, at = w.base;
    for (const auto &[begin, end] : w.used) {
        if (begin - at >= size) break;
        at = end;
    }
    if (at + size > w.base + kWindowBytes) return 0;
    w.used[at] = at + size;
    return at;
}

/* Frees the buffer and forgets the last look-up. */
void Memory::release(uint64_t address) {
    for (Window &w : window_) {
        auto it = w.used.find(address);
        if (it == w.used.end()) continue;
        /* returns the pages to the system, so that the next owner finds zeros */
        madvise(w.bytes + (address - w.base), it->second - address, MADV_DONTNEED);
        w.used.erase(it);
        begin_ = 1, end_ = 0;
        return;
    }
}

/* Remembers the buffer for the next look-up. */
uint8_t *Memory::find(uint64_t address, size_t bytes) {
    if (address < begin_ || address + bytes > end_) {
        Window &w = window_[address >= kHostBase];
        auto it = w.used.upper_bound(address);
        if (it == w.used.begin()) return nullptr;
        --it;
        if (address + bytes > it->second) return nullptr;
        begin_ = it->first;
        end_ = it->second;
        place_ = w.bytes + (begin_ - w.base);
    }
    return place_ + (address - begin_);
}

} // namespace sw_emu
