/* mpi_type.c - predefined datatypes, and what all datatypes have in common: their runs, bounds and
 * lives. mpi_type_make.c makes new ones. */
#include "mpi/mpi_type.h"

#include <complex.h>
#include <stdlib.h>
#include <string.h>

typedef long double long_double;
typedef float _Complex float_complex;
typedef double _Complex double_complex;
typedef long double _Complex long_double_complex;
typedef uint8_t byte;

/* C types of the basics, by their names. */
#define MPI_BASIC(name, type, class) typedef type c_##name;
#include "tables/mpi_types.def"

#define MPI_NAMED(symbol, title, kind)                                                 \
    static const struct mpi_run symbol##_run[] = {{0, 1, BASIC_##kind}};               \
    MPI_DEFINE(mpi_type, symbol, ROOM_TYPE, .run = symbol##_run, .num_runs = 1,        \
               .size = sizeof(c_##kind), .extent = sizeof(c_##kind),                   \
               .true_extent = sizeof(c_##kind), .predefined = true, .committed = true, \
               .contiguous = true, .name = title)
#define MPI_PAIR(symbol, title, one, two)                                                         \
    struct symbol##_pair {                                                                        \
        c_##one first;                                                                            \
        c_##two second;                                                                           \
    };                                                                                            \
    static const struct mpi_run symbol##_run[] = {                                                \
        {offsetof(struct symbol##_pair, first), 1, BASIC_##one},                                  \
        {offsetof(struct symbol##_pair, second), 1, BASIC_##two}};                                \
    MPI_DEFINE(mpi_type, symbol, ROOM_TYPE, .run = symbol##_run, .num_runs = 2,                   \
               .size = sizeof(c_##one) + sizeof(c_##two), .extent = sizeof(struct symbol##_pair), \
               .true_extent = offsetof(struct symbol##_pair, second) + sizeof(c_##two),           \
               .predefined = true, .pair = true, .committed = true,                               \
               .contiguous = sizeof(c_##one) + sizeof(c_##two) == sizeof(struct symbol##_pair),   \
               .name = title)
#define MPI_ABSENT(symbol, title) \
    MPI_DEFINE(mpi_type, symbol, ROOM_TYPE, .predefined = true, .absent = true, .name = title)
#include "tables/mpi_types.def"

MPI_Datatype mpi_type_hold(MPI_Datatype type) {
    if (!type->predefined) type->users++;
    return type;
}

void mpi_type_release(MPI_Datatype type) {
    if (type->predefined || --type->users) return;
    mpi_attributes_delete(type, &type->attributes);
    if (type->recipe) {
        for (int i = 0; i < type->recipe->num_types; i++) mpi_type_release(type->recipe->type[i]);
        free(type->recipe->integer);
        free(type->recipe->address);
        free(type->recipe->type);
        free(type->recipe);
    }
    free(type->owned);
    free(type);
}

size_t mpi_type_span(MPI_Datatype type, size_t count, MPI_Aint *first) {
    *first = type->true_lb;
    if (!count || !type->size) return 0;
    const MPI_Aint step = (MPI_Aint)(count - 1) * type->extent;
    if (step < 0) *first += step;
    return (size_t)(type->true_extent + (step < 0 ? -step : step));
}

/* ---- making runs */

void mpi_runs_add(struct mpi_runs *r, MPI_Aint offset, MPI_Datatype type, size_t count) {
    for (size_t i = 0; i < count; i++, offset += type->extent) {
        for (size_t k = 0; k < type->num_runs; k++) {
            const struct mpi_run *from = &type->run[k];
            struct mpi_run *last = r->count ? &r->run[r->count - 1] : NULL;
            const size_t bytes = mpi_basic_size(from->basic);
            if (last && last->basic == from->basic &&
                last->offset + (MPI_Aint)(last->count * bytes) == offset + from->offset) {
                last->count += from->count;
                continue;
            }
            if (r->count == r->room) {
                r->room = r->room ? 2 * r->room : 4;
                struct mpi_run *more = mpi_alloc(r->room * sizeof *more);
                if (r->count) memcpy(more, r->run, r->count * sizeof *more);
                free(r->run);
                r->run = more;
            }
            r->run[r->count++] = (struct mpi_run){offset + from->offset, from->count, from->basic};
        }
        /* whole rows of one basic type in one step */
        if (type->num_runs == 1 && type->contiguous && count - i > 1) {
            r->run[r->count - 1].count += (count - i - 1) * type->run[0].count;
            return;
        }
    }
}

MPI_Datatype mpi_type_of_runs(struct mpi_runs *r, MPI_Aint lb, MPI_Aint extent) {
    MPI_Datatype t = mpi_alloc(sizeof *t);
    MPI_Aint low = 0, high = 0;
    bool ascending = true;
    for (size_t i = 0; i < r->count; i++) {
        const MPI_Aint at = r->run[i].offset;
        const MPI_Aint end = at + (MPI_Aint)(r->run[i].count * mpi_basic_size(r->run[i].basic));
        t->size += (size_t)(end - at);
        if (i && at != r->run[i - 1].offset +
                           (MPI_Aint)(r->run[i - 1].count * mpi_basic_size(r->run[i - 1].basic)))
            ascending = false;
        if (!i || at < low) low = at;
        if (!i || end > high) high = end;
    }
    t->run = t->owned = r->run;
    t->num_runs = r->count;
    t->lb = lb;
    t->extent = extent;
    t->true_lb = low;
    t->true_extent = high - low;
    t->users = 1;
    t->contiguous = ascending && low == 0 && lb == 0 && (MPI_Aint)t->size == extent;
    return t;
}

/* ---- the program's questions */

MPI(int, Type_commit, MPI_Datatype *type) {
    MPI_TRY(mpi_check_type(__func__, NULL, *type));
    (*type)->committed = true;
    return MPI_SUCCESS;
}

MPI(int, Type_free, MPI_Datatype *type) {
    MPI_TRY(mpi_check_type(__func__, NULL, *type));
    if ((*type)->predefined)
        return mpi_fail(NULL, __func__, MPI_ERR_TYPE, "%s is predefined", (*type)->name);
    mpi_type_release(*type);
    *type = MPI_DATATYPE_NULL;
    return MPI_SUCCESS;
}

MPI(int, Type_size, MPI_Datatype type, int *size) {
    MPI_TRY(mpi_check_type(__func__, NULL, type));
    *size = type->size > INT32_MAX ? MPI_UNDEFINED : (int)type->size;
    return MPI_SUCCESS;
}

MPI(int, Type_size_x, MPI_Datatype type, MPI_Count *size) {
    MPI_TRY(mpi_check_type(__func__, NULL, type));
    *size = (MPI_Count)type->size;
    return MPI_SUCCESS;
}

MPI(int, Type_get_extent, MPI_Datatype type, MPI_Aint *lb, MPI_Aint *extent) {
    MPI_TRY(mpi_check_type(__func__, NULL, type));
    *lb = type->lb;
    *extent = type->extent;
    return MPI_SUCCESS;
}

MPI(int, Type_get_extent_x, MPI_Datatype type, MPI_Count *lb, MPI_Count *extent) {
    MPI_TRY(mpi_check_type(__func__, NULL, type));
    *lb = type->lb;
    *extent = type->extent;
    return MPI_SUCCESS;
}

MPI(int, Type_get_true_extent, MPI_Datatype type, MPI_Aint *lb, MPI_Aint *extent) {
    MPI_TRY(mpi_check_type(__func__, NULL, type));
    *lb = type->true_lb;
    *extent = type->true_extent;
    return MPI_SUCCESS;
}

MPI(int, Type_get_true_extent_x, MPI_Datatype type, MPI_Count *lb, MPI_Count *extent) {
    MPI_TRY(mpi_check_type(__func__, NULL, type));
    *lb = type->true_lb;
    *extent = type->true_extent;
    return MPI_SUCCESS;
}

MPI(int, Type_extent, MPI_Datatype type, MPI_Aint *extent) {
    MPI_Aint lb;
    return PMPI_Type_get_extent(type, &lb, extent);
}

MPI(int, Type_lb, MPI_Datatype type, MPI_Aint *lb) {
    MPI_Aint extent;
    return PMPI_Type_get_extent(type, lb, &extent);
}

MPI(int, Type_ub, MPI_Datatype type, MPI_Aint *ub) {
    MPI_Aint lb, extent;
    MPI_TRY(PMPI_Type_get_extent(type, &lb, &extent));
    *ub = lb + extent;
    return MPI_SUCCESS;
}

MPI(int, Type_set_name, MPI_Datatype type, const char *name) {
    MPI_TRY(mpi_check_type(__func__, NULL, type));
    memset(type->name, 0, sizeof type->name);
    strncpy(type->name, name, sizeof type->name - 1);
    return MPI_SUCCESS;
}

MPI(int, Type_get_name, MPI_Datatype type, char *name, int *length) {
    *length = (int)strlen(type->name);
    memcpy(name, type->name, (size_t)*length + 1);
    return MPI_SUCCESS;
}

MPI(int, Type_match_size, int class, int size, MPI_Datatype *out) {
    static const struct {
        int class;
        MPI_Datatype type;
    } known[] = {{MPI_TYPECLASS_INTEGER, &ompi_mpi_int8_t.of},
                 {MPI_TYPECLASS_INTEGER, &ompi_mpi_int16_t.of},
                 {MPI_TYPECLASS_INTEGER, &ompi_mpi_int32_t.of},
                 {MPI_TYPECLASS_INTEGER, &ompi_mpi_int64_t.of},
                 {MPI_TYPECLASS_REAL, &ompi_mpi_float.of},
                 {MPI_TYPECLASS_REAL, &ompi_mpi_double.of},
                 {MPI_TYPECLASS_REAL, &ompi_mpi_long_double.of},
                 {MPI_TYPECLASS_COMPLEX, &ompi_mpi_c_float_complex.of},
                 {MPI_TYPECLASS_COMPLEX, &ompi_mpi_c_double_complex.of}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (known[i].class != class || known[i].type->size != (size_t)size) continue;
        *out = known[i].type;
        return MPI_SUCCESS;
    }
    return mpi_fail(NULL, __func__, MPI_ERR_ARG, "no datatype of class %d has %d bytes", class,
                    size);
}

MPI(int, Get_address, const void *location, MPI_Aint *address) {
    *address = (MPI_Aint)(uintptr_t)location;
    return MPI_SUCCESS;
}

MPI(int, Address, void *location, MPI_Aint *address) {
    return PMPI_Get_address(location, address);
}
