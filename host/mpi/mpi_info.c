/* mpi_info.c - infos: lists of keys and values, which no part of the library heeds. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/mpi_internal.h"

MPI_DEFINE(mpi_info, ompi_mpi_info_null, ROOM_INFO, .count = 0)
MPI_DEFINE(mpi_info, ompi_mpi_info_env, ROOM_INFO, .count = 0)

MPI_Info mpi_info_copy(MPI_Info info) {
    if (!info || info == MPI_INFO_NULL) return NULL;
    return mpi_info_copy_or_empty(info);
}

MPI_Info mpi_info_copy_or_empty(MPI_Info info) {
    MPI_Info copy = mpi_alloc(sizeof *copy);
    if (!info || !info->count) return copy;
    copy->count = info->count;
    copy->entry = mpi_alloc((size_t)info->count * sizeof *copy->entry);
    memcpy(copy->entry, info->entry, (size_t)info->count * sizeof *copy->entry);
    return copy;
}

void mpi_info_discard(MPI_Info info) {
    if (!info) return;
    free(info->entry);
    free(info);
}

static int check(const char *call, MPI_Info info) {
    if (info && info != MPI_INFO_NULL) return MPI_SUCCESS;
    return mpi_fail(NULL, call, MPI_ERR_INFO, "the info is null");
}

static struct mpi_info_entry *find(MPI_Info info, const char *key) {
    for (int i = 0; i < info->count; i++)
        if (strcmp(info->entry[i].key, key) == 0) return &info->entry[i];
    return NULL;
}

MPI(int, Info_create, MPI_Info *info) {
    *info = mpi_alloc(sizeof **info);
    return MPI_SUCCESS;
}

MPI(int, Info_dup, MPI_Info info, MPI_Info *out) {
    MPI_TRY(check(__func__, info));
    *out = mpi_info_copy_or_empty(info);
    return MPI_SUCCESS;
}

MPI(int, Info_free, MPI_Info *info) {
    MPI_TRY(check(__func__, *info));
    if (*info == MPI_INFO_ENV)
        return mpi_fail(NULL, __func__, MPI_ERR_INFO, "MPI_INFO_ENV cannot be freed");
    mpi_info_discard(*info);
    *info = MPI_INFO_NULL;
    return MPI_SUCCESS;
}

MPI(int, Info_set, MPI_Info info, const char *key, const char *value) {
    MPI_TRY(check(__func__, info));
    if (!*key || strlen(key) >= MPI_MAX_INFO_KEY)
        return mpi_fail(NULL, __func__, MPI_ERR_INFO_KEY, "the key has %zu characters",
                        strlen(key));
    if (!*value || strlen(value) >= MPI_MAX_INFO_VAL)
        return mpi_fail(NULL, __func__, MPI_ERR_INFO_VALUE, "the value has %zu characters",
                        strlen(value));
    struct mpi_info_entry *e = find(info, key);
    if (!e) {
        struct mpi_info_entry *more = mpi_alloc((size_t)(info->count + 1) * sizeof *more);
        if (info->count) memcpy(more, info->entry, (size_t)info->count * sizeof *more);
        free(info->entry);
        info->entry = more;
        e = &more[info->count++];
    }
    snprintf(e->key, sizeof e->key, "%s", key);
    snprintf(e->value, sizeof e->value, "%s", value);
    return MPI_SUCCESS;
}

MPI(int, Info_get, MPI_Info info, const char *key, int length, char *value, int *flag) {
    MPI_TRY(check(__func__, info));
    const struct mpi_info_entry *e = find(info, key);
    *flag = e != NULL;
    if (e) snprintf(value, (size_t)length + 1, "%s", e->value);
    return MPI_SUCCESS;
}

MPI(int, Info_get_valuelen, MPI_Info info, const char *key, int *length, int *flag) {
    MPI_TRY(check(__func__, info));
    const struct mpi_info_entry *e = find(info, key);
    *flag = e != NULL;
    if (e) *length = (int)strlen(e->value);
    return MPI_SUCCESS;
}

MPI(int, Info_get_nkeys, MPI_Info info, int *count) {
    MPI_TRY(check(__func__, info));
    *count = info->count;
    return MPI_SUCCESS;
}

MPI(int, Info_get_nthkey, MPI_Info info, int n, char *key) {
    MPI_TRY(check(__func__, info));
    if (n < 0 || n >= info->count)
        return mpi_fail(NULL, __func__, MPI_ERR_ARG, "there is no key %d", n);
    memcpy(key, info->entry[n].key, strlen(info->entry[n].key) + 1);
    return MPI_SUCCESS;
}

MPI(int, Info_delete, MPI_Info info, const char *key) {
    MPI_TRY(check(__func__, info));
    struct mpi_info_entry *e = find(info, key);
    if (!e) return mpi_fail(NULL, __func__, MPI_ERR_INFO_NOKEY, "there is no key '%s'", key);
    const size_t behind = (size_t)(info->entry + info->count - e - 1);
    memmove(e, e + 1, behind * sizeof *e);
    info->count--;
    return MPI_SUCCESS;
}
