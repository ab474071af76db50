/* readable_name.h - names of kernels for people: C++ with template arguments, without return type
 * and parameters, as in `reduce<float, 256>`. */
#ifndef HEDDLE_COMMON_READABLE_NAME_H
#define HEDDLE_COMMON_READABLE_NAME_H

/* "reduce<float, 256>" from "_Z6reduceIfLi256EEvPT_i". Text that is no mangled name is copied. The
 * caller frees it. */
char *readable_name(const char *mangled);

/* How well a name that a person has typed fits a kernel: not at all; it is a part of the kernel's
 * name; the whole but for the template arguments; the whole. */
typedef enum {
    READABLE_NOT,
    READABLE_PART,
    READABLE_PLAIN,
    READABLE_WHOLE,
} readable_fit;

/* `readable`: readable_name() of `mangled`. `wanted` may be either of them; blanks, a `void` in
 * front and parameters make no difference. */
readable_fit readable_name_fit(const char *mangled, const char *readable, const char *wanted);

#endif
