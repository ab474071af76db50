/* test_svg.c - texts in pictures: escapes, cuts, and bytes that XML cannot hold. */
#include <criterion/criterion.h>
#include <string.h>

#include "common/svg.h"

static void expect_written(void (*write)(FILE *, const char *, size_t), const char *s, size_t most,
                           const char *want) {
    char got[200] = {0};
    FILE *f = fmemopen(got, sizeof got, "w");
    cr_assert_not_null(f);
    write(f, s, most);
    fclose(f);
    cr_expect_str_eq(got, want, "%s", got);
}
static void expect_text(const char *s, size_t most, const char *want) {
    expect_written(svg_text, s, most, want);
}

Test(svg, cuts_the_begin) {
    expect_written(svg_text_end, "abcdef", 6, "abcdef");
    expect_written(svg_text_end, "a::b<c>", 4, "..b&lt;c&gt;");
    expect_written(svg_text_end, "a\u00b5\u00b5", 3, "..\u00b5");
}

Test(svg, escapes_and_cuts) {
    expect_text("f<int>(a & \"b\")", 100, "f&lt;int&gt;(a &amp; &quot;b&quot;)");
    expect_text("abcdef", 6, "abcdef");
    expect_text("abcdefg", 6, "abcdef..");
}

Test(svg, cuts_between_characters) {
    expect_text("a\u00b5\u00b5", 3, "a\u00b5..");
    expect_text("a\u00b5\u00b5", 4, "a\u00b5..");
    expect_text("\u20ac\U0001f600", 7, "\u20ac\U0001f600");
}

Test(svg, replaces_what_xml_cannot_hold) {
    expect_text("a\tb\x1b[0m", 100, "a?b?[0m");
    expect_text("\xff\xc0\x80\xe2\x82", 100, "?????"); /* not UTF-8; overlong; cut short */
    expect_text("\xed\xa0\x80", 100, "???");           /* a surrogate */
    expect_text("\xef\xbf\xbe", 100, "???");           /* U+FFFE */
}
