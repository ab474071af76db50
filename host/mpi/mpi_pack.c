/* mpi_pack.c - bytes of elements without gaps and back, and the counts of what was received.
 *
 * Device memory with gaps is copied row by row, each row or regular block of rows by one copy of
 * the GPU's copy engine, as Open MPI does with cuMemcpy(). */
#include <stdlib.h>
#include <string.h>

#include "mpi/mpi_internal.h"
#include "mpi/mpi_link.h"

/* Copies rows between packed host memory and the elements. */
static bool move_rows(bool pack, uint8_t *elements, size_t pitch, uint8_t *packed, size_t width,
                      size_t height) {
    return pack ? mpi_link_copy(packed, width, elements, pitch, width, height)
                : mpi_link_copy(elements, pitch, packed, width, width, height);
}

/* Rows of device memory that follow each other at equal distances, to be copied at once. */
struct rows {
    uint8_t *first, *packed;
    size_t width, height;
    MPI_Aint pitch;
};

/* Copies the rows so far. */
static bool copy_rows(struct rows *r, bool pack) {
    const size_t pitch = r->height > 1 ? (size_t)r->pitch : r->width;
    return !r->height || move_rows(pack, r->first, pitch, r->packed, r->width, r->height);
}

/* Adds a row, after copying the rows so far if it does not fit. */
static bool add_row(struct rows *r, bool pack, uint8_t *at, uint8_t *packed, size_t bytes) {
    const MPI_Aint pitch = r->height ? at - (r->first + (MPI_Aint)(r->height - 1) * r->pitch) : 0;
    const bool fits = r->height && bytes == r->width && pitch >= (MPI_Aint)bytes &&
                      (r->height == 1 || pitch == r->pitch);
    if (fits) {
        r->pitch = pitch;
        r->height++;
        return true;
    }
    const bool good = copy_rows(r, pack);
    *r = (struct rows){at, packed, bytes, 1, 0};
    return good;
}

/* Moves `bytes` between elements with gaps and packed memory. */
static int move(bool pack, uint8_t *buffer, size_t count, MPI_Datatype type, uint8_t *packed,
                size_t bytes) {
    const bool device = mpi_link_is_device(buffer + type->true_lb);
    struct rows rows = {.height = 0};
    bool good = true;
    for (size_t i = 0; i < count && bytes; i++, buffer += type->extent) {
        for (size_t k = 0; k < type->num_runs && bytes; k++) {
            const struct mpi_run *r = &type->run[k];
            uint8_t *at = buffer + r->offset;
            size_t n = r->count * mpi_basic_size(r->basic);
            if (n > bytes) n = bytes;
            if (device)
                good &= add_row(&rows, pack, at, packed, n);
            else if (pack)
                memcpy(packed, at, n);
            else
                memcpy(at, packed, n);
            packed += n;
            bytes -= n;
        }
    }
    good &= copy_rows(&rows, pack);
    return good ? MPI_SUCCESS : MPI_ERR_BUFFER;
}

/* The same of contiguous elements. */
static int move_all(bool pack, uint8_t *buffer, uint8_t *packed, size_t bytes) {
    if (mpi_link_is_device(buffer))
        return move_rows(pack, buffer, bytes, packed, bytes, 1) ? MPI_SUCCESS : MPI_ERR_BUFFER;
    if (bytes) memmove(pack ? packed : buffer, pack ? buffer : packed, bytes);
    return MPI_SUCCESS;
}

int mpi_pack(const void *buffer, size_t count, MPI_Datatype type, uint8_t *packed) {
    uint8_t *from = (uint8_t *)(uintptr_t)buffer;
    const size_t bytes = count * type->size;
    return type->contiguous ? move_all(true, from, packed, bytes)
                            : move(true, from, count, type, packed, bytes);
}

int mpi_unpack(const uint8_t *packed, size_t bytes, void *buffer, size_t count, MPI_Datatype type) {
    uint8_t *from = (uint8_t *)(uintptr_t)packed;
    if (bytes > count * type->size) bytes = count * type->size;
    return type->contiguous ? move_all(false, buffer, from, bytes)
                            : move(false, buffer, count, type, from, bytes);
}

int mpi_copy(const void *from, size_t from_count, MPI_Datatype from_type, void *to, size_t to_count,
             MPI_Datatype to_type) {
    const size_t bytes = from_count * from_type->size;
    if (from_type->contiguous && !mpi_link_is_device(from))
        return mpi_unpack(from, bytes, to, to_count, to_type);
    uint8_t *packed = mpi_alloc(bytes);
    int error = mpi_pack(from, from_count, from_type, packed);
    if (!error) error = mpi_unpack(packed, bytes, to, to_count, to_type);
    free(packed);
    return error;
}

long long mpi_type_elements(MPI_Datatype type, size_t bytes) {
    long long elements = 0, whole = 0;
    if (!type->size) return 0;
    for (size_t k = 0; k < type->num_runs; k++) whole += (long long)type->run[k].count;
    elements = (long long)(bytes / type->size) * whole;
    bytes %= type->size;
    for (size_t k = 0; bytes; k++) {
        const size_t one = mpi_basic_size(type->run[k].basic), all = one * type->run[k].count;
        const size_t n = bytes < all ? bytes : all;
        if (n % one) return -1;
        elements += (long long)(n / one);
        bytes -= n;
    }
    return elements;
}

/* ---- the program's calls */

MPI(int, Pack_size, int count, MPI_Datatype type, MPI_Comm comm, int *size) {
    MPI_TRY(mpi_check_comm(__func__, comm));
    MPI_TRY(mpi_check_data(__func__, comm, count, type));
    *size = (int)((size_t)count * type->size);
    return MPI_SUCCESS;
}

MPI(int, Pack, const void *in, int count, MPI_Datatype type, void *out, int size, int *position,
    MPI_Comm comm) {
    MPI_TRY(mpi_check_comm(__func__, comm));
    MPI_TRY(mpi_check_data(__func__, comm, count, type));
    const size_t bytes = (size_t)count * type->size;
    if (*position < 0 || size < *position || bytes > (size_t)(size - *position))
        return mpi_fail(comm, __func__, MPI_ERR_TRUNCATE,
                        "%zu bytes do not fit behind byte %d of %d", bytes, *position, size);
    const int error = mpi_copy(in, (size_t)count, type, (uint8_t *)out + *position, bytes,
                               MPI_BYTE);
    if (error) return mpi_fail(comm, __func__, error, "the memory cannot be reached");
    *position += (int)bytes;
    return MPI_SUCCESS;
}

MPI(int, Unpack, const void *in, int size, int *position, void *out, int count, MPI_Datatype type,
    MPI_Comm comm) {
    MPI_TRY(mpi_check_comm(__func__, comm));
    MPI_TRY(mpi_check_data(__func__, comm, count, type));
    const size_t bytes = (size_t)count * type->size;
    if (*position < 0 || size < *position || bytes > (size_t)(size - *position))
        return mpi_fail(comm, __func__, MPI_ERR_TRUNCATE,
                        "there are no %zu bytes behind byte %d of %d", bytes, *position, size);
    const int error = mpi_copy((const uint8_t *)in + *position, bytes, MPI_BYTE, out, (size_t)count,
                               type);
    if (error) return mpi_fail(comm, __func__, error, "the memory cannot be reached");
    *position += (int)bytes;
    return MPI_SUCCESS;
}

MPI(int, Get_count, const MPI_Status *status, MPI_Datatype type, int *count) {
    MPI_TRY(mpi_check_type(__func__, NULL, type));
    *count = 0;
    if (!type->size) return MPI_SUCCESS;
    const size_t n = status->bytes / type->size;
    *count = status->bytes % type->size || n > INT32_MAX ? MPI_UNDEFINED : (int)n;
    return MPI_SUCCESS;
}

MPI(int, Get_elements_x, const MPI_Status *status, MPI_Datatype type, MPI_Count *count) {
    MPI_TRY(mpi_check_type(__func__, NULL, type));
    const long long n = mpi_type_elements(type, status->bytes);
    *count = n < 0 ? MPI_UNDEFINED : n;
    return MPI_SUCCESS;
}

MPI(int, Get_elements, const MPI_Status *status, MPI_Datatype type, int *count) {
    MPI_Count n;
    MPI_TRY(PMPI_Get_elements_x(status, type, &n));
    *count = n > INT32_MAX ? MPI_UNDEFINED : (int)n;
    return MPI_SUCCESS;
}

MPI(int, Status_set_elements_x, MPI_Status *status, MPI_Datatype type, MPI_Count count) {
    MPI_TRY(mpi_check_type(__func__, NULL, type));
    status->bytes = 0;
    /* `count` basic values, in the order of the type map */
    for (MPI_Count left = count; left > 0 && type->num_runs;)
        for (size_t k = 0; k < type->num_runs && left > 0; k++) {
            const MPI_Count n = left < (MPI_Count)type->run[k].count
                                    ? left
                                    : (MPI_Count)type->run[k].count;
            status->bytes += (size_t)n * mpi_basic_size(type->run[k].basic);
            left -= n;
        }
    return MPI_SUCCESS;
}

MPI(int, Status_set_elements, MPI_Status *status, MPI_Datatype type, int count) {
    return PMPI_Status_set_elements_x(status, type, count);
}

MPI(int, Status_set_cancelled, MPI_Status *status, int flag) {
    status->cancelled = flag;
    return MPI_SUCCESS;
}

MPI(int, Test_cancelled, const MPI_Status *status, int *flag) {
    *flag = status->cancelled;
    return MPI_SUCCESS;
}
