/* test_kernel_name.c - project/kernel_name.c: kernels' names in PTX and in profiles. */
#include <criterion/criterion.h>

#include "project/kernel_name.h"

static void path(const char *name, const char *want) {
    char out[256];
    kernel_name_path(out, sizeof out, name);
    cr_assert_str_eq(out, want, "%s: %s", name, out);
}

Test(kernel_name, paths_of_mangled_names) {
    path("_Z4axpyPfPKf", "axpy");
    path("_ZN1a1bEv", "a::b");
    path("_Z4axpyIfEvPT_", "axpy");
    path("_ZN2ns3BarIfN3one3twoEE3runILi4ELb1EEEvPT_", "ns::Bar::run");
    path("_ZN3one3fooIJSt4pairIiS_EXadL_Z3barvEEEEEvv", "one::foo");
    path("_ZN41_GLOBAL__N__12345678_4_p_cu_abcdef01_12341fEv", "*::f");
    path("_ZL6staticv", "static");
    path("plain_c", "plain_c");
    path("_Z", "_Z");
    path("_ZN3", "_ZN3");
}

Test(kernel_name, paths_of_cpp_names) {
    path("axpy", "axpy");
    path("axpy(float *, const float *)", "axpy");
    path("void a::axpy<float, (int)4>(T1 *, unsigned int)", "a::axpy");
    path("void ns::Bar<float, one::two>::run<4, true>(float *)", "ns::Bar::run");
    path("(anonymous namespace)::f(int)", "*::f");
    path("void <unnamed>::f<int>(T1)", "*::f");
    path("void (anonymous namespace)::f<int>(T1)", "*::f");
    path("axpy(float*) [123]", "axpy");
    path("", "");
}

Test(kernel_name, the_shorter_path_is_the_end_of_the_longer_one) {
    cr_assert(kernel_name_paths_match("a::b::c", "a::b::c"));
    cr_assert(kernel_name_paths_match("a::b::c", "c"));
    cr_assert(kernel_name_paths_match("b::c", "a::b::c"));
    cr_assert(kernel_name_paths_match("*::f", "ns::f"));
    cr_assert_not(kernel_name_paths_match("a::b::c", "a::b"));
    cr_assert_not(kernel_name_paths_match("abc", "c"));
    cr_assert_not(kernel_name_paths_match("a::c", "b::c"));
    cr_assert_not(kernel_name_paths_match("", "c"));
}

Test(kernel_name, whole_names) {
    cr_assert(kernel_name_is("_Z6powersIfEvPT_PKS0_i",
                             "void powers<float>(float *, const float *, int)"));
    cr_assert_not(kernel_name_is("_Z6powersIdEvPT_PKS0_i",
                                 "void powers<float>(float *, const float *, int)"));
    cr_assert(kernel_name_is("_Z4tileILi4ELj8ELb1EEvPf",
                             "void tile<(int)4, (unsigned int)8, (bool)1>(float *)"));
    cr_assert_not(kernel_name_is("_Z4tileILi4ELj8ELb1EEvPf", "void tile<5, 8, true>(float*)"));
    cr_assert(kernel_name_is("_Z1fPf", "f(float*)"));
    cr_assert_not(kernel_name_is("not_mangled", "not_mangled"));
}
