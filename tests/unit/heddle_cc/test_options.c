// test_options.c - heddle-cc's command line (cc_options.c): the meaning of each form of option, and
// the step that it is passed to.
#include <criterion/criterion.h>
#include <string.h>

#include "cc_options.h"

// Parses the command line "heddle-cc" followed by `count` words; tests give an existing file as the
// last one.
static enum cc_outcome parse(struct cc_options *options, int count, const char **words) {
    char *argv[16] = {"heddle-cc"};
    for (int i = 0; i < count; i++) argv[i + 1] = (char *)words[i];
    return cc_options_parse(options, count + 1, argv);
}
#define PARSE(options, ...)                                                \
    parse(options, sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *), \
          (const char *[]){__VA_ARGS__})

static void expect_words(const struct cc_words *words, int count, const char *const *expected) {
    cr_assert_eq(words->count, (size_t)count, "%zu words", words->count);
    for (int i = 0; i < count; i++) cr_expect_str_eq(words->word[i], expected[i]);
}
#define EXPECT_WORDS(words, ...)                                                \
    expect_words(words, sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *), \
                 (const char *[]){__VA_ARGS__})

Test(options, defaults) {
    struct cc_options o;
    cr_assert_eq(PARSE(&o, "/dev/null"), CC_GO);
    EXPECT_WORDS(&o.inputs, "/dev/null");
    cr_expect_str_eq(o.standard, "c++17");
    cr_expect_null(o.output);
    cr_expect_not(o.compile_only || o.ptx_only || o.debug || o.keep || o.verbose);
    cc_options_free(&o);
}

Test(options, values_attached_apart_and_after_equals) {
    struct cc_options o;
    cr_assert_eq(PARSE(&o, "-oone", "-Idir", "-D", "A=1", "-std=c++14", "/dev/null"), CC_GO);
    cr_expect_str_eq(o.output, "one");
    cr_expect_str_eq(o.standard, "c++14");
    EXPECT_WORDS(&o.both, "-I", "dir", "-D", "A=1");
    cc_options_free(&o);
    cr_assert_eq(PARSE(&o, "-o", "two", "-include", "x.h", "-arch=sm_70", "/dev/null"), CC_GO);
    cr_expect_str_eq(o.output, "two");
    EXPECT_WORDS(&o.both, "-include", "x.h");
    cc_options_free(&o);
}

Test(options, go_where_they_belong) {
    struct cc_options o;
    cr_assert_eq(PARSE(&o, "-O1", "-Wall", "-Wl,-s", "-fno-inline", "-Xcompiler", "-march=native",
                       "-Ldir", "-lm", "/dev/null"),
                 CC_GO);
    EXPECT_WORDS(&o.both, "-O1", "-Wall", "-fno-inline");
    EXPECT_WORDS(&o.host, "-march=native");
    EXPECT_WORDS(&o.link, "-Wl,-s", "-Ldir", "-lm");
    cc_options_free(&o);
}

Test(options, default_stream_is_a_macro_of_the_headers) {
    struct cc_options o;
    cr_assert_eq(PARSE(&o, "--default-stream", "per-thread", "/dev/null"), CC_GO);
    EXPECT_WORDS(&o.both, "-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1");
    cc_options_free(&o);
    cr_assert_eq(PARSE(&o, "-default-stream=legacy", "/dev/null"), CC_GO);
    cr_expect_eq(o.both.count, 0);
    cc_options_free(&o);
}

Test(options, exact_words_win_over_prefixes) {
    struct cc_options o;
    cr_assert_eq(PARSE(&o, "-ffast-math", "-lcudart", "-lineinfo", "/dev/null"), CC_GO);
    cr_expect(o.fast_math && o.lineinfo);
    cr_expect_eq(o.both.count, 0);
    cr_expect_eq(o.link.count, 0);
    cc_options_free(&o);
}

Test(options, fast_math_of_nvcc_is_for_the_device) {
    struct cc_options o;
    cr_assert_eq(PARSE(&o, "--use_fast_math", "/dev/null"), CC_GO);
    cr_expect(o.fast_math_device && !o.fast_math);
    cc_options_free(&o);
}
