/* mpi_op.c - operations of reductions: the predefined ones and the program's. */
#include <stdlib.h>
#include <string.h>

#include "mpi/mpi_internal.h"
#include "mpi/mpi_link.h"

#define DEFINE_OP(symbol, name) \
    MPI_DEFINE(mpi_op, ompi_mpi_op_##symbol, ROOM_OP, .kind = OP_##name, .commutes = true)
MPI_OPS(DEFINE_OP)

static const char *const names[] = {"MPI_OP_NULL", "MPI_MAX",     "MPI_MIN",  "MPI_SUM",
                                    "MPI_PROD",    "MPI_LAND",    "MPI_BAND", "MPI_LOR",
                                    "MPI_BOR",     "MPI_LXOR",    "MPI_BXOR", "MPI_MAXLOC",
                                    "MPI_MINLOC",  "MPI_REPLACE", "MPI_NO_OP"};

/* The basic type of a datatype all of whose values are of one, without gaps. */
static bool is_uniform(MPI_Datatype type, enum mpi_basic *basic) {
    if (type->pair || type->num_runs != 1 || !type->contiguous) return false;
    *basic = type->run[0].basic;
    return true;
}

int mpi_check_op(const char *call, MPI_Comm comm, MPI_Op op, MPI_Datatype type) {
    enum mpi_basic basic;
    if (!op || op->kind == OP_NULL)
        return mpi_fail(comm, call, MPI_ERR_OP, "the operation is null");
    if (op->kind == OP_USER) return MPI_SUCCESS;
    const bool loc = op->kind == OP_MAXLOC || op->kind == OP_MINLOC;
    if (loc && type->pair && type->run[0].basic != BASIC_C32 && type->run[0].basic != BASIC_C64)
        return MPI_SUCCESS;
    if (!loc && is_uniform(type, &basic) && mpi_reduce_takes(op->kind, basic)) return MPI_SUCCESS;
    return mpi_fail(comm, call, MPI_ERR_OP, "%s does not take the datatype %s", names[op->kind],
                    *type->name ? type->name : "of the program");
}

/* Elements of a value and an index. Of equal values the one with the lower index. */
static void apply_to_pairs(enum mpi_op_kind op, MPI_Datatype type, const void *in, void *inout,
                           int count) {
    const struct mpi_run value = type->run[0], index = type->run[1];
    const MPI_Aint at = index.offset;
    const char *from = in;
    char *to = inout;
    for (int i = 0; i < count; i++, from += type->extent, to += type->extent) {
        int order = mpi_reduce_compare(value.basic, from, to);
        if (op == OP_MINLOC) order = -order;
        if (order == 0) order = mpi_reduce_compare(index.basic, to + at, from + at);
        if (order > 0) memcpy(to, from, (size_t)type->true_extent);
    }
}

void mpi_op_apply(MPI_Op op, const void *in, void *inout, int count, MPI_Datatype type) {
    typedef void intercept(void *in, void *inout, int *count, MPI_Datatype *type,
                           MPI_User_function *inner);
    void *from = (void *)(uintptr_t)in;
    enum mpi_basic basic;
    if (op->kind == OP_USER && op->inner)
        ((intercept *)(void (*)(void))op->function)(from, inout, &count, &type, op->inner);
    else if (op->kind == OP_USER)
        op->function(from, inout, &count, &type);
    else if (op->kind == OP_MAXLOC || op->kind == OP_MINLOC)
        apply_to_pairs(op->kind, type, in, inout, count);
    else if (is_uniform(type, &basic))
        mpi_reduce_basic(op->kind, basic, in, inout, (size_t)count * type->run[0].count);
}

int mpi_reduce_anywhere(MPI_Op op, const void *in, void *inout, size_t count, MPI_Datatype type) {
    MPI_Aint first;
    const size_t bytes = mpi_type_span(type, count, &first);
    uint8_t *room = mpi_alloc(2 * bytes), *a = room - first, *b = room + bytes - first;
    bool good = mpi_link_copy(room, bytes, (const uint8_t *)in + first, bytes, bytes, 1) &&
                mpi_link_copy(room + bytes, bytes, (uint8_t *)inout + first, bytes, bytes, 1);
    if (good) mpi_op_apply(op, a, b, (int)count, type);
    good = good && mpi_link_copy((uint8_t *)inout + first, bytes, room + bytes, bytes, bytes, 1);
    free(room);
    return good ? MPI_SUCCESS : MPI_ERR_BUFFER;
}

MPI(int, Op_create, MPI_User_function *function, int commute, MPI_Op *op) {
    if (!function) return mpi_fail(NULL, __func__, MPI_ERR_ARG, "there is no function");
    *op = mpi_alloc(sizeof **op);
    **op = (struct mpi_op){.kind = OP_USER, .commutes = commute != 0, .function = function};
    return MPI_SUCCESS;
}

MPI(int, Op_free, MPI_Op *op) {
    if (!*op || (*op)->kind != OP_USER)
        return mpi_fail(NULL, __func__, MPI_ERR_OP, "it is no operation of the program");
    free(*op);
    *op = MPI_OP_NULL;
    return MPI_SUCCESS;
}

MPI(int, Op_commutative, MPI_Op op, int *commute) {
    if (!op || op->kind == OP_NULL)
        return mpi_fail(NULL, __func__, MPI_ERR_OP, "the operation is null");
    *commute = op->commutes;
    return MPI_SUCCESS;
}

MPI(int, Reduce_local, const void *in, void *inout, int count, MPI_Datatype type, MPI_Op op) {
    MPI_TRY(mpi_check_data(__func__, NULL, count, type));
    MPI_TRY(mpi_check_op(__func__, NULL, op, type));
    if (!mpi_link_is_device(in) && !mpi_link_is_device(inout)) {
        mpi_op_apply(op, in, inout, count, type);
        return MPI_SUCCESS;
    }
    const int error = mpi_reduce_anywhere(op, in, inout, (size_t)count, type);
    return error ? mpi_fail(NULL, __func__, error, "the memory cannot be reached") : MPI_SUCCESS;
}
