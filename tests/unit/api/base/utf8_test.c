/* Valid UTF-8, and the repair of other texts. */
#include "api/base/utf8.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void characters_are_read_one_by_one(void **state)
{
    static const struct {
        const char *text;
        int32_t character;
        int bytes;
    } cases[] = {
        {"a", 'a', 1},
        {"ß", 0xdf, 2},
        {"€x", 0x20ac, 3},
        {"🥌", 0x1f94c, 4},
        {"\xff", UTF8_REPLACEMENT, 1},
        {"\xc3", UTF8_REPLACEMENT, 1},             /* cut off */
        {"\xc0\xaf", UTF8_REPLACEMENT, 1},         /* longer than needed */
        {"\xed\xa0\x80", UTF8_REPLACEMENT, 1},     /* half of a pair of UTF-16 */
        {"\xf4\x90\x80\x80", UTF8_REPLACEMENT, 1}, /* beyond Unicode */
        {"\x80", UTF8_REPLACEMENT, 1},
    };

    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        int bytes = 0;
        assert_int_equal(utf8_read(cases[k].text, &bytes), cases[k].character);
        assert_int_equal(bytes, cases[k].bytes);
    }
}

static void a_plain_text_keeps_its_letters(void **state)
{
    char text[] = "Größe 3 €\t🥌\n\xff\x1b[2J\u202e\xc2\x85.";

    (void)state;
    utf8_make_plain(text);
    assert_string_equal(text, "Größe 3 €\t🥌\n??[2J??.");
}

static void a_line_ends_with_a_whole_character(void **state)
{
    static const char whole[] = "北見\n工大";

    (void)state;
    for (size_t cut = 0; cut < sizeof whole; cut++) {
        char text[sizeof whole] = "";
        memcpy(text, whole, cut);
        utf8_make_line(text);
        assert_null(strchr(text, '\n'));
        assert_int_equal(strlen(text), utf8_fit(whole, (int)cut));
        utf8_copy(text, cut + 1, whole);
        assert_int_equal(strlen(text), utf8_fit(whole, (int)cut));
    }
}

static void a_name_has_one_spelling_and_a_width(void **state)
{
    char name[32], short_one[8];

    (void)state;
    assert_true(utf8_read_name("E\u0301quipe", sizeof name, name));
    assert_string_equal(name, "\u00c9quipe");
    assert_true(utf8_read_name("北見工大", sizeof short_one, short_one));
    assert_string_equal(short_one, "北見");
    assert_true(utf8_read_name("a\xff\tb", sizeof name, name));
    assert_string_equal(name, "a??b");
    assert_int_equal(utf8_width("北見工大"), 8);
    assert_int_equal(utf8_width("E\u0301"), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(characters_are_read_one_by_one),
        cmocka_unit_test(a_plain_text_keeps_its_letters),
        cmocka_unit_test(a_line_ends_with_a_whole_character),
        cmocka_unit_test(a_name_has_one_spelling_and_a_width),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
