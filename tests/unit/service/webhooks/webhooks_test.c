/* Secrets and signatures of webhooks, and the waits between tries. */
#include "service/webhooks/deliveries.h"
#include "service/webhooks/signature.h"

#include <setjmp.h>
#include <sodium.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* The example of the Standard Webhooks specification. */
static void signatures_are_those_of_the_specification(void **state)
{
    char signature[WEBHOOK_SIGNATURE_MAX];

    (void)state;
    assert_true(webhook_sign("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
                             "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, "{\"test\": 2432232314}",
                             signature));
    assert_string_equal(signature, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
}

static void only_secrets_sign(void **state)
{
    static const char *const bad[] = {"", "whsec", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_?",
                                      "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaS"};
    char signature[WEBHOOK_SIGNATURE_MAX];

    (void)state;
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
        assert_false(webhook_sign(bad[k], "msg_1", 1, "{}", signature));
}

static void secrets_differ_and_sign(void **state)
{
    char a[WEBHOOK_SECRET_MAX], b[WEBHOOK_SECRET_MAX], signature[WEBHOOK_SIGNATURE_MAX];

    (void)state;
    webhook_secret_new(a);
    webhook_secret_new(b);
    assert_string_not_equal(a, b);
    assert_int_equal(strlen(a), 6 + 44); /* 32 bytes in base64 */
    assert_true(webhook_sign(a, "msg_1", 1, "{}", signature));
}

static void waits_grow_from_seconds_to_an_hour(void **state)
{
    static const int waits[] = {5, 10, 20, 40, 80, 160, 320, 640, 1280, 2560, 3600, 3600};
    double sum_s = 0.0;

    (void)state;
    for (int k = 0; k < (int)(sizeof waits / sizeof *waits); k++)
        assert_int_equal(delivery_wait_s(k + 1), waits[k]);
    for (int k = 1; k < DELIVERY_TRIES; k++)
        sum_s += (double)delivery_wait_s(k);
    assert_true(sum_s > 2.5 * 86400 && sum_s < DELIVERY_DAYS * 86400);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(signatures_are_those_of_the_specification),
        cmocka_unit_test(only_secrets_sign),
        cmocka_unit_test(secrets_differ_and_sign),
        cmocka_unit_test(waits_grow_from_seconds_to_an_hour),
    };

    return sodium_init() < 0 ? 1 : cmocka_run_group_tests(tests, NULL, NULL);
}
