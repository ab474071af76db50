/* kernel_name.h - whether a kernel's name in a profile and one in PTX are the same.
 *
 * PTX has mangled names ("_Z4axpyIfEvPT_"); profilers print C++ ("void axpy<float>(float *)"), its
 * name alone ("axpy"), or the mangled name. */
#ifndef HEDDLE_PROJECT_KERNEL_NAME_H
#define HEDDLE_PROJECT_KERNEL_NAME_H

#include <stdbool.h>
#include <stddef.h>

/* Writes scopes and name without return type, template arguments and parameters ("a::axpy") of a
 * name as C++ or mangled. Scopes without a name are "*". Text that is neither is copied. */
void kernel_name_path(char *out, size_t size, const char *name);

/* Whether two paths may be the same: equal, or the shorter one is the end of the longer one. */
bool kernel_name_paths_match(const char *a, const char *b);

/* Whether a mangled name is that of a whole C++ name, templates and parameters included. Needs the
 * C++ runtime library (libstdc++.so.6); without it, nothing is. const, blanks and how integers are
 * written make no difference. */
bool kernel_name_is(const char *mangled, const char *name);

#endif
