// model_memory.cpp - memory of the models, in pages of 2 MB from its first byte on.
//
// Verilator allocates a model in one piece, with `new` for its alignment. The registers, a tenth of
// a MB that every clock touches, come first in it. From malloc() the piece begins anywhere, so that
// they lay in pages of 4 KB (huge_pages.h says what that costs). Here `new` with an alignment,
// which nothing else in these programs uses, gives a piece of 2 MB and more huge pages of its own.
#include <cstdlib>
#include <new>

#include "sw_emu/huge_pages.h"

namespace {
using sw_emu::kHugePage;

// Stands before the object; what delete gives back.
struct Piece {
    void *memory;
    std::size_t mapped; // bytes, 0: from aligned_alloc()
};

std::size_t whole(std::size_t bytes, std::size_t unit) {
    return (bytes + unit - 1) & ~(unit - 1);
}
} // namespace

void *operator new(std::size_t bytes, std::align_val_t align) {
    const std::size_t head = (std::size_t)align < sizeof(Piece) ? sizeof(Piece)
                                                                : (std::size_t)align;
    const std::size_t all = whole(bytes + head, head);
    Piece piece = {nullptr, 0};
    char *begin;
    if (all < kHugePage) {
        piece.memory = std::aligned_alloc(head, all);
        if (!piece.memory) throw std::bad_alloc();
        begin = (char *)piece.memory;
    } else {
        piece.mapped = whole(all, kHugePage) + kHugePage;
        piece.memory = mmap(nullptr, piece.mapped, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (piece.memory == MAP_FAILED) throw std::bad_alloc();
        begin = (char *)whole((std::uintptr_t)piece.memory, kHugePage);
        (void)madvise(begin, piece.mapped - kHugePage, MADV_HUGEPAGE); // a hint
    }
    ((Piece *)(begin + head))[-1] = piece;
    return begin + head;
}

void operator delete(void *object, std::align_val_t) noexcept {
    if (!object) return;
    const Piece piece = ((Piece *)object)[-1];
    if (piece.mapped)
        munmap(piece.memory, piece.mapped);
    else
        std::free(piece.memory);
}

void operator delete(void *object, std::size_t, std::align_val_t align) noexcept {
    operator delete(object, align);
}
