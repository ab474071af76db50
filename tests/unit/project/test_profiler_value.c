/* test_profiler_value.c - numbers of several languages, and the evidence for one of them. */
#include <criterion/criterion.h>
#include <math.h>

#include "project/profiler_value.h"

static const struct value_unit parts = {1, false}, whole = {1, true};

static void reads(const char *text, const struct value_unit *unit, enum value_result expected,
                  double value, bool english, bool doubtful) {
    struct value_language language = {0};
    double number = -1;
    cr_assert_eq(value_read(&number, text, unit, &language, 7), expected, "%s", text);
    if (expected == VALUE_OK) cr_assert_float_eq(number, value, 1e-9 * value + 1e-12, "%s", text);
    cr_assert_eq(language.english, english, "%s", text);
    cr_assert_eq(language.doubtful_line, doubtful ? 7 : 0, "%s", text);
}

Test(profiler_value, english_numbers) {
    reads("0", &parts, VALUE_OK, 0, false, false);
    reads("12", &parts, VALUE_OK, 12, false, false);
    reads("3995313115.40", &parts, VALUE_OK, 3995313115.4, true, false);
    reads("1,234.56", &parts, VALUE_OK, 1234.56, true, false);
    reads("1,215,000,000", &whole, VALUE_OK, 1215000000, true, false);
    reads("1,215", &whole, VALUE_OK, 1215, false, false);
    reads("0.244", &parts, VALUE_OK, 0.244, true, false);
    reads("1234.567", &parts, VALUE_OK, 1234.567, true, false);
    reads("4.0e-05", &parts, VALUE_OK, 4e-5, true, false);
    reads("12.00", &whole, VALUE_OK, 12, true, false);
}

Test(profiler_value, numbers_of_two_languages) {
    reads("41.283", &parts, VALUE_OK, 41.283, false, true);
    reads("12,345", &parts, VALUE_OK, 12345, false, true);
    reads("41.283", &whole, VALUE_FRACTION, 0, false, false);
}

Test(profiler_value, numbers_of_other_languages) {
    const char *const texts[] = {"65,77",
                                 "0,123",
                                 "27.595.520",
                                 "1.234,5",
                                 "1'234.5",
                                 "1 234",
                                 "1,23,456",
                                 "1\xC2\xA0"
                                 "234,5",
                                 "12,3456",
                                 "4,0e-05",
                                 "1\xE2\x80\xAF"
                                 "234"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        reads(texts[i], &parts, VALUE_LOCALIZED, 0, false, false);
}

Test(profiler_value, no_numbers) {
    const char *const absent[] = {"", "n/a", "nan", "-nan", "inf"};
    const char *const bad[] = {"LaunchFailed", "12x", "0x10", ".5",
                               "12 (1; 2)",    "1e",  "--1",  "1e999"};
    for (size_t i = 0; i < sizeof absent / sizeof *absent; i++)
        reads(absent[i], &parts, VALUE_ABSENT, 0, false, false);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct value_language language = {0};
        double number;
        cr_assert_eq(value_read(&number, bad[i], &parts, &language, 1), VALUE_BAD, "%s", bad[i]);
    }
    reads("-5", &parts, VALUE_NEGATIVE, 0, false, false);
    reads("2.5", &whole, VALUE_FRACTION, 0, true, false);
}

Test(profiler_value, sizes) {
    double product;
    cr_assert_eq(value_read_size(&product, "(32, 8, 2)"), VALUE_OK);
    cr_assert_eq(product, 512);
    cr_assert_eq(value_read_size(&product, "(256,1,1)"), VALUE_OK);
    cr_assert_eq(product, 256);
    cr_assert_eq(value_read_size(&product, "1,024"), VALUE_OK);
    cr_assert_eq(product, 1024);
    const char *const bad[] = {"(1, 2)", "(1, 2, 3", "(1, 2, 3) x", "(a, 1, 1)", "(1, -2, 1)"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        cr_assert_eq(value_read_size(&product, bad[i]), VALUE_BAD, "%s", bad[i]);
}

Test(profiler_value, units_by_kind_and_profiler) {
    struct value_unit unit;
    cr_assert(value_unit_find(&unit, "Mbyte", VALUE_BYTES, PROFILER_NCU));
    cr_assert_eq(unit.scale, 1e6);
    cr_assert(value_unit_find(&unit, "KB", VALUE_BYTES, PROFILER_NVPROF));
    cr_assert_eq(unit.scale, 1024);
    cr_assert_not(value_unit_find(&unit, "KB", VALUE_BYTES, PROFILER_NCU));
    cr_assert_not(value_unit_find(&unit, "ms", VALUE_BYTES, PROFILER_NCU));
    cr_assert(value_unit_find(&unit, "nsecond", VALUE_TIME, PROFILER_NCU));
    cr_assert_eq(unit.scale, 1e-3);
    cr_assert(unit.whole);
}
