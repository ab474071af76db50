/* test_readable_name.c - common/readable_name.c: kernel names as the report prints them, and as
 * people type them. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "common/readable_name.h"

static void expect(const char *mangled, const char *want) {
    char *got = readable_name(mangled);
    cr_expect_str_eq(got, want);
    free(got);
}

Test(readable_name, forms) {
    expect("_Z10vector_addPKfS0_Pfi", "vector_add");
    expect("_ZN5space4pack6kernelEPi", "space::pack::kernel");
    expect("plain_c_name", "plain_c_name");
    expect("i", "i"); /* no type */
    expect("_Z", "_Z");
    expect("_Z99short", "_Z99short");
    expect("_Z6kernelIfEvT_", "kernel<float>");
    expect("_Z6reduceIfLi256EEvPT_i", "reduce<float, 256>");
    expect("_ZN5space6kernelINS_4pairIiEEEEvT_", "space::kernel<space::pair<int> >");
    expect("_ZN12_GLOBAL__N_16kernelEPFvvE", "(anonymous namespace)::kernel");
    expect("_ZL6kernelPFvPFvvEE", "kernel");
    expect("", "");
}

Test(readable_name, of_any_length) {
    char name[6001] = "_Z5990";
    memset(name + 6, 'a', 5990);
    expect(name, name);
}

Test(readable_name, fits) {
    static const char mangled[] = "_Z6reduceIfLi256EEvPT_i";
    static const struct {
        const char *wanted;
        readable_fit fit;
    } cases[] = {
        {"reduce<float, 256>", READABLE_WHOLE},
        {"reduce<float,256>", READABLE_WHOLE},
        {"void reduce<float, 256>(float*, int)", READABLE_WHOLE},
        {mangled, READABLE_WHOLE},
        {"reduce", READABLE_PLAIN},
        {"reduce<float", READABLE_PART},
        {"duce", READABLE_PART},
        {"6reduceIf", READABLE_PART},
        {"reduce<float, 128>", READABLE_NOT},
        {"produce", READABLE_NOT},
        {"", READABLE_NOT},
        {"()", READABLE_NOT},
    };
    char *readable = readable_name(mangled);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        cr_expect_eq(readable_name_fit(mangled, readable, cases[i].wanted), cases[i].fit, "%s",
                     cases[i].wanted);
    free(readable);
}
