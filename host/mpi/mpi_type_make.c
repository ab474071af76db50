/* mpi_type_make.c - the functions that make datatypes of others, and those that say how one was
 * made. Each new datatype keeps the arguments of its making. */
#include <stdlib.h>
#include <string.h>

#include "mpi/mpi_type.h"

/* A datatype in the making. */
struct making {
    struct mpi_runs runs;
    MPI_Aint lb, ub;
    bool any; /* a block has been added: lb and ub hold */
    bool bounded;
};

/* Adds a block of `count` elements at byte `offset`. */
static void add_block(struct making *m, MPI_Aint offset, size_t count, MPI_Datatype type) {
    m->bounded |= type->bounded;
    if (!count) return;
    const MPI_Aint step = (MPI_Aint)(count - 1) * type->extent;
    const MPI_Aint lb = offset + type->lb + (step < 0 ? step : 0);
    const MPI_Aint ub = offset + type->lb + type->extent + (step > 0 ? step : 0);
    if (!m->any || lb < m->lb) m->lb = lb;
    if (!m->any || ub > m->ub) m->ub = ub;
    m->any = true;
    mpi_runs_add(&m->runs, offset, type, count);
}

/* Keeps the arguments of the making. Each array may be NULL when it is empty. */
static struct mpi_recipe *write_recipe(int combiner, const int *integer, int num_integers,
                                       const MPI_Aint *address, int num_addresses,
                                       const MPI_Datatype *type, int num_types) {
    struct mpi_recipe *r = mpi_alloc(sizeof *r);
    *r = (struct mpi_recipe){combiner,
                             num_integers,
                             num_addresses,
                             num_types,
                             mpi_alloc((size_t)num_integers * sizeof *integer),
                             mpi_alloc((size_t)num_addresses * sizeof *address),
                             mpi_alloc((size_t)num_types * sizeof(MPI_Datatype))};
    if (num_integers) memcpy(r->integer, integer, (size_t)num_integers * sizeof *integer);
    if (num_addresses) memcpy(r->address, address, (size_t)num_addresses * sizeof *address);
    for (int i = 0; i < num_types; i++) r->type[i] = mpi_type_hold(type[i]);
    return r;
}

static void finish(struct making *m, struct mpi_recipe *recipe, MPI_Datatype *out) {
    *out = mpi_type_of_runs(&m->runs, m->lb, m->ub - m->lb);
    (*out)->bounded = m->bounded;
    (*out)->recipe = recipe;
}

/* ---- one old type */

MPI(int, Type_contiguous, int count, MPI_Datatype old, MPI_Datatype *out) {
    struct making m = {.any = false};
    MPI_TRY(mpi_check_type(__func__, NULL, old));
    if (count < 0) return mpi_fail(NULL, __func__, MPI_ERR_COUNT, "the count is %d", count);
    add_block(&m, 0, (size_t)count, old);
    finish(&m, write_recipe(MPI_COMBINER_CONTIGUOUS, &count, 1, NULL, 0, &old, 1), out);
    return MPI_SUCCESS;
}

/* Blocks at equal distances, in bytes. */
static int make_vector(const char *call, int count, int length, MPI_Aint stride, MPI_Datatype old,
                       struct making *m) {
    MPI_TRY(mpi_check_type(call, NULL, old));
    if (count < 0 || length < 0)
        return mpi_fail(NULL, call, MPI_ERR_COUNT, "%d blocks of %d elements", count, length);
    for (int i = 0; i < count; i++) add_block(m, i * stride, (size_t)length, old);
    return MPI_SUCCESS;
}

MPI(int, Type_vector, int count, int length, int stride, MPI_Datatype old, MPI_Datatype *out) {
    struct making m = {.any = false};
    const int integer[] = {count, length, stride};
    MPI_TRY(mpi_check_type(__func__, NULL, old));
    MPI_TRY(make_vector(__func__, count, length, stride * old->extent, old, &m));
    finish(&m, write_recipe(MPI_COMBINER_VECTOR, integer, 3, NULL, 0, &old, 1), out);
    return MPI_SUCCESS;
}

MPI(int, Type_create_hvector, int count, int length, MPI_Aint stride, MPI_Datatype old,
    MPI_Datatype *out) {
    struct making m = {.any = false};
    const int integer[] = {count, length};
    MPI_TRY(make_vector(__func__, count, length, stride, old, &m));
    finish(&m, write_recipe(MPI_COMBINER_HVECTOR, integer, 2, &stride, 1, &old, 1), out);
    return MPI_SUCCESS;
}

MPI(int, Type_hvector, int count, int length, MPI_Aint stride, MPI_Datatype old,
    MPI_Datatype *out) {
    return PMPI_Type_create_hvector(count, length, stride, old, out);
}

/* Blocks anywhere. `lengths` NULL: all are `length`. Displacements count `unit` bytes: of `at`, or
 * of `address` where that is NULL. */
static int make_indexed(const char *call, int count, const int *lengths, int length, const int *at,
                        const MPI_Aint *address, MPI_Aint unit, MPI_Datatype old,
                        struct making *m) {
    MPI_TRY(mpi_check_type(call, NULL, old));
    if (count < 0) return mpi_fail(NULL, call, MPI_ERR_COUNT, "the count is %d", count);
    for (int i = 0; i < count; i++) {
        const int n = lengths ? lengths[i] : length;
        if (n < 0) return mpi_fail(NULL, call, MPI_ERR_ARG, "the length of block %d is %d", i, n);
        add_block(m, (at ? at[i] : address[i]) * unit, (size_t)n, old);
    }
    return MPI_SUCCESS;
}

/* `count`, `one` if it is not negative, then the two lists, either of which may be NULL. */
static int *join(int count, int one, const int *a, const int *b, int *total) {
    const size_t bytes = (size_t)count * sizeof *a;
    int *all = mpi_alloc(2 * bytes + 2 * sizeof *all);
    int n = 0;
    all[n++] = count;
    if (one >= 0) all[n++] = one;
    if (a && count) memcpy(all + n, a, bytes);
    n += a ? count : 0;
    if (b && count) memcpy(all + n, b, bytes);
    n += b ? count : 0;
    *total = n;
    return all;
}

MPI(int, Type_indexed, int count, const int lengths[], const int at[], MPI_Datatype old,
    MPI_Datatype *out) {
    struct making m = {.any = false};
    int total;
    MPI_TRY(mpi_check_type(__func__, NULL, old));
    MPI_TRY(make_indexed(__func__, count, lengths, 0, at, NULL, old->extent, old, &m));
    int *integer = join(count, -1, lengths, at, &total);
    finish(&m, write_recipe(MPI_COMBINER_INDEXED, integer, total, NULL, 0, &old, 1), out);
    free(integer);
    return MPI_SUCCESS;
}

MPI(int, Type_create_hindexed, int count, const int lengths[], const MPI_Aint at[],
    MPI_Datatype old, MPI_Datatype *out) {
    struct making m = {.any = false};
    int total;
    MPI_TRY(make_indexed(__func__, count, lengths, 0, NULL, at, 1, old, &m));
    int *integer = join(count, -1, lengths, NULL, &total);
    finish(&m, write_recipe(MPI_COMBINER_HINDEXED, integer, total, at, count, &old, 1), out);
    free(integer);
    return MPI_SUCCESS;
}

MPI(int, Type_hindexed, int count, const int lengths[], const MPI_Aint at[], MPI_Datatype old,
    MPI_Datatype *out) {
    return PMPI_Type_create_hindexed(count, lengths, at, old, out);
}

MPI(int, Type_create_indexed_block, int count, int length, const int at[], MPI_Datatype old,
    MPI_Datatype *out) {
    struct making m = {.any = false};
    int total;
    MPI_TRY(mpi_check_type(__func__, NULL, old));
    MPI_TRY(make_indexed(__func__, count, NULL, length, at, NULL, old->extent, old, &m));
    int *integer = join(count, length, at, NULL, &total);
    finish(&m, write_recipe(MPI_COMBINER_INDEXED_BLOCK, integer, total, NULL, 0, &old, 1), out);
    free(integer);
    return MPI_SUCCESS;
}

MPI(int, Type_create_hindexed_block, int count, int length, const MPI_Aint at[], MPI_Datatype old,
    MPI_Datatype *out) {
    struct making m = {.any = false};
    const int integer[] = {count, length};
    MPI_TRY(make_indexed(__func__, count, NULL, length, NULL, at, 1, old, &m));
    finish(&m, write_recipe(MPI_COMBINER_HINDEXED_BLOCK, integer, 2, at, count, &old, 1), out);
    return MPI_SUCCESS;
}

/* ---- structs */

/* The strictest alignment of the basic types. */
static MPI_Aint alignment(const struct mpi_runs *r) {
    MPI_Aint most = 1;
    for (size_t i = 0; i < r->count; i++) {
        const enum mpi_basic b = r->run[i].basic;
        const bool complex = b == BASIC_C32 || b == BASIC_C64 || b == BASIC_C80;
        const MPI_Aint bytes = (MPI_Aint)mpi_basic_size(b) / (complex ? 2 : 1);
        if (bytes > most) most = bytes;
    }
    return most;
}

MPI(int, Type_create_struct, int count, const int lengths[], const MPI_Aint at[],
    const MPI_Datatype types[], MPI_Datatype *out) {
    struct making m = {.any = false};
    int total;
    if (count < 0) return mpi_fail(NULL, __func__, MPI_ERR_COUNT, "the count is %d", count);
    for (int i = 0; i < count; i++) {
        MPI_TRY(mpi_check_type(__func__, NULL, types[i]));
        if (lengths[i] < 0)
            return mpi_fail(NULL, __func__, MPI_ERR_ARG, "the length of block %d is %d", i,
                            lengths[i]);
        add_block(&m, at[i], (size_t)lengths[i], types[i]);
    }
    /* as a compiler lays out an array of such structs */
    const MPI_Aint unit = alignment(&m.runs);
    if (!m.bounded) m.ub = m.lb + (m.ub - m.lb + unit - 1) / unit * unit;
    int *integer = join(count, -1, lengths, NULL, &total);
    finish(&m, write_recipe(MPI_COMBINER_STRUCT, integer, total, at, count, types, count), out);
    free(integer);
    return MPI_SUCCESS;
}

MPI(int, Type_struct, int count, const int lengths[], const MPI_Aint at[],
    const MPI_Datatype types[], MPI_Datatype *out) {
    return PMPI_Type_create_struct(count, lengths, at, types, out);
}

/* ---- parts of arrays, other bounds, copies */

/* Adds the elements of a subarray. Dimensions from `dim` on, outermost first; `at`: the element
 * where they begin. */
static void add_subarray(struct making *m, int ndims, const int *sizes, const int *subsizes,
                         const int *starts, int dim, MPI_Aint at, MPI_Datatype old) {
    const MPI_Aint first = at * sizes[dim] + starts[dim];
    if (dim == ndims - 1) {
        add_block(m, first * old->extent, (size_t)subsizes[dim], old);
        return;
    }
    for (int i = 0; i < subsizes[dim]; i++)
        add_subarray(m, ndims, sizes, subsizes, starts, dim + 1, first + i, old);
}

MPI(int, Type_create_subarray, int ndims, const int sizes[], const int subsizes[],
    const int starts[], int order, MPI_Datatype old, MPI_Datatype *out) {
    struct making m = {.any = false};
    MPI_TRY(mpi_check_type(__func__, NULL, old));
    if (ndims < 1) return mpi_fail(NULL, __func__, MPI_ERR_ARG, "%d dimensions", ndims);
    if (order != MPI_ORDER_C && order != MPI_ORDER_FORTRAN)
        return mpi_fail(NULL, __func__, MPI_ERR_ARG, "the order is %d", order);
    const size_t n = (size_t)ndims;
    int *integer = mpi_alloc((3 * n + 2) * sizeof *integer), *c = mpi_alloc(3 * n * sizeof *c);
    MPI_Aint elements = 1;
    integer[0] = ndims;
    integer[3 * n + 1] = order;
    for (size_t i = 0; i < n; i++) {
        const size_t k = order == MPI_ORDER_C ? i : n - 1 - i; /* c: outermost first */
        integer[1 + i] = sizes[i];
        integer[1 + n + i] = subsizes[i];
        integer[1 + 2 * n + i] = starts[i];
        c[k] = sizes[i];
        c[n + k] = subsizes[i];
        c[2 * n + k] = starts[i];
        elements *= sizes[i];
        if (subsizes[i] >= 1 && starts[i] >= 0 && subsizes[i] <= sizes[i] - starts[i]) continue;
        free(integer);
        free(c);
        return mpi_fail(NULL, __func__, MPI_ERR_ARG, "dimension %zu: %d from %d on, of %d", i,
                        subsizes[i], starts[i], sizes[i]);
    }
    add_subarray(&m, ndims, c, c + n, c + 2 * n, 0, 0, old);
    m.lb = 0;
    m.ub = elements * old->extent;
    finish(&m, write_recipe(MPI_COMBINER_SUBARRAY, integer, (int)(3 * n + 2), NULL, 0, &old, 1),
           out);
    (*out)->bounded = true;
    free(integer);
    free(c);
    return MPI_SUCCESS;
}

MPI(int, Type_create_resized, MPI_Datatype old, MPI_Aint lb, MPI_Aint extent, MPI_Datatype *out) {
    struct making m = {.any = false};
    const MPI_Aint address[] = {lb, extent};
    MPI_TRY(mpi_check_type(__func__, NULL, old));
    add_block(&m, 0, 1, old);
    m.lb = lb;
    m.ub = lb + extent;
    finish(&m, write_recipe(MPI_COMBINER_RESIZED, NULL, 0, address, 2, &old, 1), out);
    (*out)->bounded = true;
    return MPI_SUCCESS;
}

MPI(int, Type_dup, MPI_Datatype old, MPI_Datatype *out) {
    struct making m = {.any = false};
    MPI_TRY(mpi_check_type(__func__, NULL, old));
    add_block(&m, 0, 1, old);
    m.lb = old->lb;
    m.ub = old->lb + old->extent;
    finish(&m, write_recipe(MPI_COMBINER_DUP, NULL, 0, NULL, 0, &old, 1), out);
    (*out)->committed = old->committed;
    (*out)->bounded = old->bounded;
    return mpi_attributes_copy(old, old->attributes, &(*out)->attributes);
}

/* ---- how one was made */

MPI(int, Type_get_envelope, MPI_Datatype type, int *integers, int *addresses, int *types,
    int *combiner) {
    static const struct mpi_recipe named = {.combiner = MPI_COMBINER_NAMED};
    MPI_TRY(mpi_check_type(__func__, NULL, type));
    const struct mpi_recipe *r = type->recipe ? type->recipe : &named;
    *integers = r->num_integers;
    *addresses = r->num_addresses;
    *types = r->num_types;
    *combiner = r->combiner;
    return MPI_SUCCESS;
}

MPI(int, Type_get_contents, MPI_Datatype type, int most_integers, int most_addresses,
    int most_types, int integers[], MPI_Aint addresses[], MPI_Datatype types[]) {
    MPI_TRY(mpi_check_type(__func__, NULL, type));
    const struct mpi_recipe *r = type->recipe;
    if (!r) return mpi_fail(NULL, __func__, MPI_ERR_TYPE, "%s is predefined", type->name);
    if (most_integers < r->num_integers || most_addresses < r->num_addresses ||
        most_types < r->num_types)
        return mpi_fail(NULL, __func__, MPI_ERR_COUNT, "there are %d, %d and %d arguments",
                        r->num_integers, r->num_addresses, r->num_types);
    for (int i = 0; i < r->num_integers; i++) integers[i] = r->integer[i];
    for (int i = 0; i < r->num_addresses; i++) addresses[i] = r->address[i];
    for (int i = 0; i < r->num_types; i++) types[i] = mpi_type_hold(r->type[i]);
    return MPI_SUCCESS;
}
