/* async_copy.cl - async_work_group_copy and its relatives, which libclc lacks for this target: the
 * work-items of a group copy element by element, and waiting for the event is a barrier. */
#define FUNCTION __attribute__((overloadable, always_inline))

static size_t __attribute__((always_inline)) first(void) {
    return (get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) +
           get_local_id(0);
}
static size_t __attribute__((always_inline)) step(void) {
    return get_local_size(0) * get_local_size(1) * get_local_size(2);
}

#define COPIES(type)                                                                            \
    event_t FUNCTION async_work_group_copy(local type *to, const global type *from, size_t n,   \
                                           event_t event) {                                     \
        for (size_t i = first(); i < n; i += step()) to[i] = from[i];                           \
        return event;                                                                           \
    }                                                                                           \
    event_t FUNCTION async_work_group_copy(global type *to, const local type *from, size_t n,   \
                                           event_t event) {                                     \
        barrier(CLK_LOCAL_MEM_FENCE); /* the group may have written the source before */        \
        for (size_t i = first(); i < n; i += step()) to[i] = from[i];                           \
        return event;                                                                           \
    }                                                                                           \
    event_t FUNCTION async_work_group_strided_copy(local type *to, const global type *from,     \
                                                   size_t n, size_t stride, event_t event) {    \
        for (size_t i = first(); i < n; i += step()) to[i] = from[i * stride];                  \
        return event;                                                                           \
    }                                                                                           \
    event_t FUNCTION async_work_group_strided_copy(global type *to, const local type *from,     \
                                                   size_t n, size_t stride, event_t event) {    \
        barrier(CLK_LOCAL_MEM_FENCE);                                                           \
        for (size_t i = first(); i < n; i += step()) to[i * stride] = from[i];                  \
        return event;                                                                           \
    }                                                                                           \
    void FUNCTION prefetch(const global type *p, size_t n) {                                    \
    }
#define VECTORS(type) \
    COPIES(type) COPIES(type##2) COPIES(type##3) COPIES(type##4) COPIES(type##8) COPIES(type##16)
VECTORS(char)
VECTORS(uchar)
VECTORS(short)
VECTORS(ushort)
VECTORS(int)
VECTORS(uint)
VECTORS(long)
VECTORS(ulong)
VECTORS(float)
VECTORS(double)

void FUNCTION wait_group_events(int count, event_t *events) {
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
}
