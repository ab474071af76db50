/* readable_name.h - names of kernels for people. */
#ifndef HEDDLE_CUDA_BASE_READABLE_NAME_H
#define HEDDLE_CUDA_BASE_READABLE_NAME_H

/* "vector_add" from "_Z10vector_addPKfS0_Pfi": names and scopes, no template arguments. Text that
 * is not understood is copied. The caller frees it. */
char *readable_name(const char *mangled);

#endif
