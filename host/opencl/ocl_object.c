/* ocl_object.c - what all OpenCL objects share: reference counts, answers to queries, messages. */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opencl/opencl.h"

/* Set before the first object is made, by the call that gives the platform out. */
static const cl_icd_dispatch *table;

void ocl_use_dispatch(const cl_icd_dispatch *dispatch) {
    table = dispatch;
}

void ocl_init(struct ocl_object *object, enum ocl_kind kind) {
    object->dispatch = table;
    object->kind = kind;
    atomic_init(&object->references, 1);
}

bool ocl_is(const void *object, enum ocl_kind kind) {
    return object && ((const struct ocl_object *)object)->kind == kind;
}

void *ocl_new(size_t bytes, enum ocl_kind kind) {
    struct ocl_object *o = calloc(1, bytes);
    if (o) ocl_init(o, kind);
    return o;
}

void ocl_retain(void *object) {
    atomic_fetch_add(&((struct ocl_object *)object)->references, 1);
}

bool ocl_release(void *object) {
    struct ocl_object *o = object;
    if (atomic_fetch_sub(&o->references, 1) != 1) return false;
    o->kind = 0;
    return true;
}

void *ocl_fail(cl_int *error, cl_int value) {
    if (error) *error = value;
    return NULL;
}

cl_int ocl_answer(size_t size, void *value, size_t *size_out, const void *answer, size_t bytes) {
    if (value && size < bytes) return CL_INVALID_VALUE;
    if (value && bytes) memcpy(value, answer, bytes);
    if (size_out) *size_out = bytes;
    return CL_SUCCESS;
}

cl_int ocl_answer_text(size_t size, void *value, size_t *size_out, const char *text) {
    return ocl_answer(size, value, size_out, text ? text : "", text ? strlen(text) + 1 : 1);
}

/* Messages are remembered by their whole text, so that a loop prints one line. */
void ocl_say(const char *format, ...) {
    enum { KEPT = 64 };
    static char *said[KEPT];
    static unsigned count;
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    char *text = NULL;
    va_list list;
    va_start(list, format);
    int n = vasprintf(&text, format, list);
    va_end(list);
    if (n < 0) return;
    pthread_mutex_lock(&lock);
    unsigned i = 0;
    while (i < count && strcmp(said[i], text) != 0) i++;
    bool known = i < count;
    if (!known && count < KEPT) said[count++] = strdup(text);
    pthread_mutex_unlock(&lock);
    if (!known) fprintf(stderr, "heddle: OpenCL: %s\n", text);
    free(text);
}

cl_int ocl_error(int result, const char *call, cl_int otherwise) {
    if (!result) return CL_SUCCESS;
    if (result == CU_OUT_OF_MEMORY) return CL_MEM_OBJECT_ALLOCATION_FAILURE;
    const char *name = NULL;
    if (cuGetErrorName(result, &name) || !name) name = "an unknown error";
    ocl_say("%s: the CUDA driver library returned %s", call, name);
    return otherwise;
}
