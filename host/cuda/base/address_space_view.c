/* address_space_view.c - what each owner's kernels may access: state bytes of its own for all
 * regions, in which only its allocations are open, and those of others that it has opened. See
 * address_space.h. Threads and conventions: address_space.c.
 *
 * On a GPU each process has page tables of its own: an address of another process means nothing
 * there. Here all share one range of addresses, and the state bytes stand for the page tables. */
#include "cuda/base/address_space_internal.h"

#include <stdlib.h>

#include "common/memory.h"

/* The view of an owner. */
struct space_view {
    struct space_view *next;
    const void *owner;
    struct exec_memory memory;
};

heddle_err space_view_init(const struct address_space *s, struct exec_memory *m, uint64_t bytes) {
    heddle_err e = exec_memory_init(m, s->base, bytes);
    if (!e && s->track) e = exec_memory_track(m);
    m->front = s->front;
    m->devices = s->devices;
    if (s->devices > 1) m->stride = s->region[REGION_DEVICE + 1].blocks.base - s->base;
    if (!e && s->front) exec_memory_map(m, s->front, EXEC_PAGE);
    return e;
}

/* The owner's view, if there is one; NULL: none. That of no owner is s->memory. */
static struct exec_memory *find(struct address_space *s, const void *owner) {
    if (!owner) return &s->memory;
    for (struct space_view *v = s->views; v; v = v->next)
        if (v->owner == owner) return &v->memory;
    return NULL;
}

struct exec_memory *address_space_view(struct address_space *s, const void *owner) {
    struct exec_memory *m = find(s, owner);
    if (m) return m;
    struct space_view *v = heddle_alloc(sizeof *v, "what a program's kernels may access");
    if (space_view_init(s, &v->memory, s->memory.size)) {
        exec_memory_fini(&v->memory);
        free(v);
        return NULL;
    }
    v->owner = owner;
    v->memory.textures = s->memory.textures;
    v->memory.all = s->memory.mapped;
    v->next = s->views;
    s->views = v;
    return &v->memory;
}

void space_view_end(struct address_space *s, const void *owner) {
    for (struct space_view **link = &s->views; *link; link = &(*link)->next) {
        struct space_view *v = *link;
        if (v->owner != owner) continue;
        *link = v->next;
        exec_memory_fini(&v->memory);
        free(v);
        return;
    }
}

void space_view_end_all(struct address_space *s) {
    while (s->views) space_view_end(s, s->views->owner);
    exec_memory_fini(&s->memory);
}

/* ---- blocks */

/* Whether the block is open there. */
static bool is_open(const struct exec_memory *m, const struct memory_block *b) {
    return exec_memory_allowed(m, b->address);
}

/* Calls `change` for the owner's view, and for those of others that have opened the block. */
static void change_views(struct address_space *s, const struct memory_block *b,
                         void (*change)(struct address_space *s, struct exec_memory *m,
                                        const struct memory_block *b)) {
    struct exec_memory *m = find(s, b->owner);
    if (m) change(s, m, b);
    for (struct space_view *v = b->shared ? s->views : NULL; v; v = v->next)
        if (&v->memory != m && is_open(&v->memory, b)) change(s, &v->memory, b);
}

/* The block takes its pages in a view, and gives them back. Those of all views are counted in
 * s->memory. */
static void take_pages(struct address_space *s, struct exec_memory *m,
                       const struct memory_block *b) {
    exec_memory_map(m, b->address, b->bytes);
    if (m != &s->memory) exec_memory_map(&s->memory, b->address, b->bytes);
}
static void give_pages(struct address_space *s, struct exec_memory *m,
                       const struct memory_block *b) {
    exec_memory_unmap(m, b->address, b->bytes);
    if (m != &s->memory) exec_memory_unmap(&s->memory, b->address, b->bytes);
}
static void forbid(struct address_space *s, struct exec_memory *m, const struct memory_block *b) {
    (void)s;
    exec_memory_forbid(m, b->address, b->bytes);
}

bool space_open(struct address_space *s, const struct memory_block *b) {
    struct exec_memory *m = address_space_view(s, b->owner);
    if (m) exec_memory_allow(m, b->address, b->bytes);
    return m;
}

void space_close(struct address_space *s, const struct memory_block *b) {
    change_views(s, b, forbid);
}

void space_map_pages(struct address_space *s, const struct memory_block *b) {
    struct exec_memory *m = find(s, b->owner);
    if (m) take_pages(s, m, b);
}

void space_unmap_pages(struct address_space *s, const struct memory_block *b) {
    change_views(s, b, give_pages);
}

void space_renew(struct address_space *s, const struct memory_block *b) {
    struct exec_memory *m = find(s, b->owner);
    if (m) exec_memory_renew(m, b->address, b->bytes);
}

void space_note_write(struct address_space *s, const struct memory_block *b, uint64_t address,
                      uint64_t bytes) {
    struct exec_memory *m = find(s, b->owner);
    if (m) exec_memory_write(m, address, bytes);
}

bool space_share(struct address_space *s, struct memory_block *b, const void *owner) {
    struct exec_memory *m = b->open ? address_space_view(s, owner) : NULL;
    if (!m) return false;
    if (b->owner == owner || is_open(m, b)) return true;
    b->shared = true;
    exec_memory_allow(m, b->address, b->bytes);
    take_pages(s, m, b);
    return true;
}

void space_unshare(struct address_space *s, const struct memory_block *b, const void *owner) {
    struct exec_memory *m = find(s, owner);
    if (!m || b->owner == owner || !is_open(m, b)) return;
    give_pages(s, m, b);
    forbid(s, m, b);
}
