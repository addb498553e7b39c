/* Which addresses and URLs webhooks may have. */
#include "api/jobs/webhook.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static bool is_allowed(enum webhook_addresses rule, const char *text)
{
    struct sockaddr_in in4 = {.sin_family = AF_INET};
    struct sockaddr_in6 in6 = {.sin6_family = AF_INET6};
    char why[WEBHOOK_WHY_MAX] = "";

    if (strchr(text, ':'))
        assert_int_equal(inet_pton(AF_INET6, text, &in6.sin6_addr), 1);
    else
        assert_int_equal(inet_pton(AF_INET, text, &in4.sin_addr), 1);
    bool allowed = webhook_address_is_allowed(
        rule, strchr(text, ':') ? (const void *)&in6 : (const void *)&in4, why);
    assert_int_equal(allowed, why[0] == '\0');
    return allowed;
}

static void addresses_are_public_or_private(void **state)
{
    static const char *const private[] = {
        "0.0.0.0",       "10.0.0.0",        "10.255.255.255",  "100.64.0.0",      "100.127.255.255",
        "127.0.0.1",     "169.254.169.254", "172.16.0.1",      "172.31.255.255",  "192.0.0.8",
        "192.0.2.1",     "192.168.0.1",     "198.18.0.1",      "198.19.255.255",  "198.51.100.7",
        "203.0.113.9",   "224.0.0.1",       "240.0.0.1",       "255.255.255.255", "::",
        "::1",           "::ffff:10.0.0.1", "64:ff9b::7f00:1", "2001::1",         "2001:db8::1",
        "2002:7f00:1::", "fc00::1",         "fe80::1",         "ff02::1",         "192.88.99.1",
        "192.88.99.255", "2001:20::1",      "3fff::1",         "3fff:fff::1",     "5f00::1",
        "100::1"};
    static const char *const public[] = {
        "1.1.1.1",     "9.255.255.255",  "11.0.0.0",       "100.63.255.255",  "100.128.0.0",
        "126.0.0.1",   "128.0.0.1",      "172.15.0.1",     "172.32.0.1",      "192.0.1.1",
        "192.167.1.1", "198.17.0.1",     "198.20.0.1",     "223.255.255.255", "2606:4700::1111",
        "2a00:1450::", "::ffff:8.8.8.8", "192.88.98.255",  "192.88.100.0",    "2001:200::1",
        "2003::1",     "3fff:1000::1",   "2620:4f:8000::1"};

    (void)state;
    for (size_t k = 0; k < sizeof private / sizeof *private; k++) {
        if (is_allowed(WEBHOOK_PUBLIC, private[k]) || !is_allowed(WEBHOOK_PRIVATE, private[k]))
            fail_msg("%s counts as public", private[k]);
        assert_true(is_allowed(WEBHOOK_ANY, private[k]));
    }
    for (size_t k = 0; k < sizeof public / sizeof *public; k++) {
        if (!is_allowed(WEBHOOK_PUBLIC, public[k]) || is_allowed(WEBHOOK_PRIVATE, public[k]))
            fail_msg("%s counts as private", public[k]);
        assert_true(is_allowed(WEBHOOK_ANY, public[k]));
    }
}

static void other_families_are_refused(void **state)
{
    const struct sockaddr strange = {.sa_family = AF_UNIX};
    char why[WEBHOOK_WHY_MAX];

    (void)state;
    assert_false(webhook_address_is_allowed(WEBHOOK_ANY, &strange, why));
}

static void urls_have_a_scheme_a_host_and_nothing_strange(void **state)
{
    static const char *const good[] = {"http://a",
                                       "https://example.org",
                                       "https://example.org:8443/x/y?z=%20&a=[b]",
                                       "http://under_score.example?x",
                                       "http://[2606:4700::1111]:80/",
                                       "http://1.1.1.1/"};
    static const char *const bad[] = {"",
                                      "example.org",
                                      "ftp://example.org",
                                      "file:///etc/passwd",
                                      "HTTP://example.org",
                                      "http://",
                                      "http:///x",
                                      "http://a b",
                                      "http://a/\n",
                                      "http://a/\xc3\xa4",
                                      "http://a/#x",
                                      "http://a\\b",
                                      "http://user@a/",
                                      "http://user:word@a/",
                                      "http://a:0/",
                                      "http://a:65536/",
                                      "http://a:8x/",
                                      "http://a:",
                                      "http://[::1",
                                      "http://[a]/",
                                      "http://[2606:4700::1111]x/",
                                      "http://a%41/",
                                      "http://127.0.0.1:80/",
                                      "https://[fe80::1]/"};
    char why[WEBHOOK_WHY_MAX];

    (void)state;
    for (size_t k = 0; k < sizeof good / sizeof *good; k++)
        if (!webhook_url_is_good(WEBHOOK_PUBLIC, good[k], why))
            fail_msg("%s %s", good[k], why);
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
        if (webhook_url_is_good(WEBHOOK_PUBLIC, bad[k], why))
            fail_msg("%s is good", bad[k]);
    assert_true(webhook_url_is_good(WEBHOOK_ANY, "http://127.0.0.1:80/", why));
    assert_true(webhook_url_is_good(WEBHOOK_PRIVATE, "http://127.0.0.1:80/", why));
    assert_false(webhook_url_is_good(WEBHOOK_PRIVATE, "http://1.1.1.1/", why));
    assert_string_equal(
        why, "is refused: the address 1.1.1.1 is public, and rinkd's setting webhook_addresses "
             "is private");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses_are_public_or_private),
        cmocka_unit_test(other_families_are_refused),
        cmocka_unit_test(urls_have_a_scheme_a_host_and_nothing_strange),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
