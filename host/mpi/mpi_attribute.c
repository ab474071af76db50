/* mpi_attribute.c - attributes of communicators, datatypes and windows, and their keys. */
#include <stdlib.h>
#include <string.h>

#include "mpi/mpi_internal.h"

enum { MOST_KEYS = 256 };

/* Keys of the program, from MPI_FIRST_KEY on. A freed key's functions stay, since attributes may
 * still have it. */
static struct {
    int count;
    struct {
        mpi_copy_attribute *copy;
        mpi_delete_attribute *delete;
        void *extra;
        bool freed;
    } key[MOST_KEYS];
} keys;

static int create_key(const char *call, mpi_copy_attribute *copy, mpi_delete_attribute *delete,
                      int *key, void *extra) {
    if (keys.count == MOST_KEYS)
        return mpi_fail(NULL, call, MPI_ERR_NO_MEM, "there are %d keys already", MOST_KEYS);
    keys.key[keys.count].copy = copy;
    keys.key[keys.count].delete = delete;
    keys.key[keys.count].extra = extra;
    *key = MPI_FIRST_KEY + keys.count++;
    return MPI_SUCCESS;
}

static int check_key(const char *call, int key) {
    const int i = key - MPI_FIRST_KEY;
    if (i >= 0 && i < keys.count && !keys.key[i].freed) return MPI_SUCCESS;
    return mpi_fail(NULL, call, MPI_ERR_KEYVAL, "%d is no key of the program", key);
}

static int free_key(const char *call, int *key) {
    MPI_TRY(check_key(call, *key));
    keys.key[*key - MPI_FIRST_KEY].freed = true;
    *key = MPI_KEYVAL_INVALID;
    return MPI_SUCCESS;
}

static int delete_one(void *object, const struct mpi_attribute *a) {
    mpi_delete_attribute *f = keys.key[a->key - MPI_FIRST_KEY].delete;
    return f ? f(object, a->key, a->value, keys.key[a->key - MPI_FIRST_KEY].extra) : MPI_SUCCESS;
}

int mpi_attributes_delete(void *object, struct mpi_attribute **list) {
    while (*list) { /* the newest first */
        struct mpi_attribute *a = *list;
        MPI_TRY(delete_one(object, a));
        *list = a->next;
        free(a);
    }
    return MPI_SUCCESS;
}

static void put(struct mpi_attribute **list, int key, void *value) {
    struct mpi_attribute *a = mpi_alloc(sizeof *a);
    *a = (struct mpi_attribute){*list, key, value};
    *list = a;
}

int mpi_attributes_copy(void *from, const struct mpi_attribute *list, struct mpi_attribute **to) {
    for (; list; list = list->next) {
        void *value = list->value;
        int flag = 0;
        mpi_copy_attribute *f = keys.key[list->key - MPI_FIRST_KEY].copy;
        if (f)
            MPI_TRY(f(from, list->key, keys.key[list->key - MPI_FIRST_KEY].extra, list->value,
                      &value, &flag));
        if (flag) put(to, list->key, value);
    }
    return MPI_SUCCESS;
}

/* The place of the key's attribute in the list, or of the list's end. */
static struct mpi_attribute **find(struct mpi_attribute **list, int key) {
    while (*list && (*list)->key != key) list = &(*list)->next;
    return list;
}

static int delete_attribute(const char *call, void *object, struct mpi_attribute **list, int key) {
    MPI_TRY(check_key(call, key));
    struct mpi_attribute **link = find(list, key), *a = *link;
    if (!a) return MPI_SUCCESS;
    MPI_TRY(delete_one(object, a));
    *link = a->next;
    free(a);
    return MPI_SUCCESS;
}

static int set(const char *call, void *object, struct mpi_attribute **list, int key, void *value) {
    MPI_TRY(delete_attribute(call, object, list, key));
    put(list, key, value);
    return MPI_SUCCESS;
}

static int get(const char *call, struct mpi_attribute **list, int key, void *out, int *flag) {
    MPI_TRY(check_key(call, key));
    const struct mpi_attribute *a = *find(list, key);
    *flag = a != NULL;
    if (a) memcpy(out, &a->value, sizeof a->value);
    return MPI_SUCCESS;
}

/* ---- communicators */

/* Predefined attributes: pointers to their values. */
static int get_predefined(int key, void *out, int *flag) {
    static int tag_ub = INT32_MAX, host = MPI_PROC_NULL, io = MPI_ANY_SOURCE, global = 1,
               last = MPI_ERR_LASTCODE;
    int *value = NULL;
    if (key == MPI_TAG_UB) value = &tag_ub;
    if (key == MPI_HOST) value = &host;
    if (key == MPI_IO) value = &io;
    if (key == MPI_WTIME_IS_GLOBAL) value = &global;
    if (key == MPI_LASTUSEDCODE) value = &last;
    if (key == MPI_UNIVERSE_SIZE) value = &mpi_process.size;
    *flag = value != NULL;
    if (value) memcpy(out, &value, sizeof value);
    return MPI_SUCCESS;
}

MPI(int, Comm_create_keyval, mpi_copy_attribute *copy, mpi_delete_attribute *delete, int *key,
    void *extra) {
    return create_key(__func__, copy, delete, key, extra);
}

MPI(int, Keyval_create, mpi_copy_attribute *copy, mpi_delete_attribute *delete, int *key,
    void *extra) {
    return create_key(__func__, copy, delete, key, extra);
}

MPI(int, Comm_free_keyval, int *key) {
    return free_key(__func__, key);
}

MPI(int, Keyval_free, int *key) {
    return free_key(__func__, key);
}

MPI(int, Comm_set_attr, MPI_Comm comm, int key, void *value) {
    MPI_TRY(mpi_check_comm(__func__, comm));
    return set(__func__, comm, &comm->attributes, key, value);
}

MPI(int, Attr_put, MPI_Comm comm, int key, void *value) {
    return PMPI_Comm_set_attr(comm, key, value);
}

MPI(int, Comm_get_attr, MPI_Comm comm, int key, void *out, int *flag) {
    MPI_TRY(mpi_check_comm(__func__, comm));
    if (key >= 0 && key < MPI_FIRST_KEY) return get_predefined(key, out, flag);
    return get(__func__, &comm->attributes, key, out, flag);
}

MPI(int, Attr_get, MPI_Comm comm, int key, void *out, int *flag) {
    return PMPI_Comm_get_attr(comm, key, out, flag);
}

MPI(int, Comm_delete_attr, MPI_Comm comm, int key) {
    MPI_TRY(mpi_check_comm(__func__, comm));
    return delete_attribute(__func__, comm, &comm->attributes, key);
}

MPI(int, Attr_delete, MPI_Comm comm, int key) {
    return PMPI_Comm_delete_attr(comm, key);
}

/* ---- datatypes */

MPI(int, Type_create_keyval, mpi_copy_attribute *copy, mpi_delete_attribute *delete, int *key,
    void *extra) {
    return create_key(__func__, copy, delete, key, extra);
}

MPI(int, Type_free_keyval, int *key) {
    return free_key(__func__, key);
}

MPI(int, Type_set_attr, MPI_Datatype type, int key, void *value) {
    MPI_TRY(mpi_check_type(__func__, NULL, type));
    return set(__func__, type, &type->attributes, key, value);
}

MPI(int, Type_get_attr, MPI_Datatype type, int key, void *out, int *flag) {
    MPI_TRY(mpi_check_type(__func__, NULL, type));
    return get(__func__, &type->attributes, key, out, flag);
}

MPI(int, Type_delete_attr, MPI_Datatype type, int key) {
    MPI_TRY(mpi_check_type(__func__, NULL, type));
    return delete_attribute(__func__, type, &type->attributes, key);
}

/* ---- windows */

MPI(int, Win_create_keyval, mpi_copy_attribute *copy, mpi_delete_attribute *delete, int *key,
    void *extra) {
    return create_key(__func__, copy, delete, key, extra);
}

MPI(int, Win_free_keyval, int *key) {
    return free_key(__func__, key);
}

MPI(int, Win_set_attr, MPI_Win win, int key, void *value) {
    return set(__func__, win, &win->attributes, key, value);
}

MPI(int, Win_get_attr, MPI_Win win, int key, void *out, int *flag) {
    void *value = NULL;
    *flag = 1;
    if (key == MPI_WIN_BASE) value = (void *)(uintptr_t)win->part[win->comm->rank].base;
    if (key == MPI_WIN_SIZE) value = &win->bytes;
    if (key == MPI_WIN_DISP_UNIT) value = &win->unit;
    if (key == MPI_WIN_CREATE_FLAVOR) value = &win->flavor;
    if (key == MPI_WIN_MODEL) value = &win->model;
    if (key < MPI_WIN_BASE || key > MPI_WIN_MODEL)
        return get(__func__, &win->attributes, key, out, flag);
    memcpy(out, &value, sizeof value);
    return MPI_SUCCESS;
}

MPI(int, Win_delete_attr, MPI_Win win, int key) {
    return delete_attribute(__func__, win, &win->attributes, key);
}

/* ---- the predefined functions: do nothing, do not copy, copy the value */

#define KEEP(name)                                                        \
    MPI_SHARED int name(void *object, int key, void *value, void *extra); \
    int name(void *object, int key, void *value, void *extra) {           \
        (void)object, (void)key, (void)value, (void)extra;                \
        return MPI_SUCCESS;                                               \
    }
#define COPY(name, copies)                                                                   \
    MPI_SHARED int name(void *object, int key, void *extra, void *in, void *out, int *flag); \
    int name(void *object, int key, void *extra, void *in, void *out, int *flag) {           \
        (void)object, (void)key, (void)extra;                                                \
        *flag = copies;                                                                      \
        if (copies) memcpy(out, &in, sizeof in);                                             \
        return MPI_SUCCESS;                                                                  \
    }
KEEP(OMPI_C_MPI_TYPE_NULL_DELETE_FN)
KEEP(OMPI_C_MPI_COMM_NULL_DELETE_FN)
KEEP(OMPI_C_MPI_WIN_NULL_DELETE_FN)
KEEP(OMPI_C_MPI_NULL_DELETE_FN)
COPY(OMPI_C_MPI_TYPE_NULL_COPY_FN, 0)
COPY(OMPI_C_MPI_COMM_NULL_COPY_FN, 0)
COPY(OMPI_C_MPI_WIN_NULL_COPY_FN, 0)
COPY(OMPI_C_MPI_NULL_COPY_FN, 0)
COPY(OMPI_C_MPI_TYPE_DUP_FN, 1)
COPY(OMPI_C_MPI_COMM_DUP_FN, 1)
COPY(OMPI_C_MPI_WIN_DUP_FN, 1)
COPY(OMPI_C_MPI_DUP_FN, 1)
