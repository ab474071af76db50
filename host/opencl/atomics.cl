/* atomics.cl - the 64-bit atomics of cl_khr_int64_base_atomics and cl_khr_int64_extended_atomics,
 * which libclc lacks for this target. */
#define FUNCTION __attribute__((overloadable, always_inline))
#define OPERATION(name, builtin, space, type)                \
    type FUNCTION name(volatile space type *p, type value) { \
        return builtin(p, value);                            \
    }
/* There is no builtin for these two. */
#define CHOICE(name, choose, space, type)                                     \
    type FUNCTION name(volatile space type *p, type value) {                  \
        type old = *p, seen;                                                  \
        for (;;) {                                                            \
            seen = __sync_val_compare_and_swap(p, old, choose(old, value));   \
            if (seen == old) return old;                                      \
            old = seen;                                                       \
        }                                                                     \
    }
#define OPERATIONS(space, type)                                                \
    OPERATION(atom_add, __sync_fetch_and_add, space, type)                     \
    OPERATION(atom_sub, __sync_fetch_and_sub, space, type)                     \
    OPERATION(atom_and, __sync_fetch_and_and, space, type)                     \
    OPERATION(atom_or, __sync_fetch_and_or, space, type)                       \
    OPERATION(atom_xor, __sync_fetch_and_xor, space, type)                     \
    OPERATION(atom_xchg, __sync_swap, space, type)                             \
    CHOICE(atom_min, min, space, type)                                         \
    CHOICE(atom_max, max, space, type)                                         \
    type FUNCTION atom_inc(volatile space type *p) {                           \
        return __sync_fetch_and_add(p, (type)1);                               \
    }                                                                          \
    type FUNCTION atom_dec(volatile space type *p) {                           \
        return __sync_fetch_and_sub(p, (type)1);                               \
    }                                                                          \
    type FUNCTION atom_cmpxchg(volatile space type *p, type old, type value) { \
        return __sync_val_compare_and_swap(p, old, value);                     \
    }
OPERATIONS(__global, long)
OPERATIONS(__global, ulong)
OPERATIONS(__local, long)
OPERATIONS(__local, ulong)
