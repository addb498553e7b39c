/* Asserts are on in every preset except release, where they cost nothing. A preset with the wrong
 * setting does not compile this file; the test checks that a failing assert prints its message. */
#include <assert.h>
#include <stdbool.h>
#include <stdio.h>

#if ASSERTS_WANTED && defined NDEBUG
#error "NDEBUG is defined: asserts are off in a build that is there to find mistakes"
#elif !ASSERTS_WANTED && !defined NDEBUG
#error "NDEBUG is not defined: asserts are on in the release"
#endif

int main(void)
{
    bool is_on = false;

    assert((is_on = true));
    printf("asserts are %s\n", is_on ? "on" : "off");
    return is_on == ASSERTS_WANTED ? 0 : 1;
}
