/* The service over TLS: who asks checks its certificate, plain requests are not answered, and
 * SIGHUP takes a new certificate. */
#include "tests/api/client.h"
#include "tests/api/daemon.h"
#include "tests/patience.h"
#include "tests/programs/program.h"

#include <curl/curl.h>
#include <gnutls/x509.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

static struct {
    struct daemon_process daemon;
    char certificate[96], key[96], other[96], other_key[96];
} here;

static void write_file(const char *path, const gnutls_datum_t *bytes)
{
    FILE *file = fopen(path, "we");

    assert_non_null(file);
    assert_int_equal(fwrite(bytes->data, 1, bytes->size, file), bytes->size);
    assert_int_equal(fclose(file), 0);
}

/* Makes a certificate of 127.0.0.1 that signs itself. */
static void make_certificate(const char *certificate_path, const char *key_path, int serial)
{
    static const unsigned char address[] = {127, 0, 0, 1};
    const unsigned char number = (unsigned char)serial;
    gnutls_x509_privkey_t key;
    gnutls_x509_crt_t certificate;
    gnutls_datum_t bytes;

    assert_int_equal(gnutls_x509_privkey_init(&key), 0);
    assert_int_equal(gnutls_x509_privkey_generate(
                         key, GNUTLS_PK_ECDSA, GNUTLS_CURVE_TO_BITS(GNUTLS_ECC_CURVE_SECP256R1), 0),
                     0);
    assert_int_equal(gnutls_x509_crt_init(&certificate), 0);
    assert_int_equal(gnutls_x509_crt_set_version(certificate, 3), 0);
    assert_int_equal(gnutls_x509_crt_set_serial(certificate, &number, 1), 0);
    assert_int_equal(gnutls_x509_crt_set_dn(certificate, "CN=rinkd test", NULL), 0);
    assert_int_equal(gnutls_x509_crt_set_activation_time(certificate, time(NULL) - 3600), 0);
    assert_int_equal(gnutls_x509_crt_set_expiration_time(certificate, time(NULL) + 86400), 0);
    assert_int_equal(gnutls_x509_crt_set_basic_constraints(certificate, 1, -1), 0);
    assert_int_equal(gnutls_x509_crt_set_subject_alt_name(certificate, GNUTLS_SAN_IPADDRESS,
                                                          address, sizeof address, GNUTLS_FSAN_SET),
                     0);
    assert_int_equal(gnutls_x509_crt_set_key(certificate, key), 0);
    assert_int_equal(gnutls_x509_crt_sign2(certificate, certificate, key, GNUTLS_DIG_SHA256, 0), 0);
    assert_int_equal(gnutls_x509_crt_export2(certificate, GNUTLS_X509_FMT_PEM, &bytes), 0);
    write_file(certificate_path, &bytes);
    gnutls_free(bytes.data);
    assert_int_equal(gnutls_x509_privkey_export2(key, GNUTLS_X509_FMT_PEM, &bytes), 0);
    write_file(key_path, &bytes);
    gnutls_free(bytes.data);
    gnutls_x509_crt_deinit(certificate);
    gnutls_x509_privkey_deinit(key);
}

static int start(void **state)
{
    unsetenv("RINKD_TEST_LISTEN");
    daemon_prepare(&here.daemon);
    snprintf(here.certificate, sizeof here.certificate, "%s/own.pem", here.daemon.folder);
    snprintf(here.key, sizeof here.key, "%s/own.key", here.daemon.folder);
    snprintf(here.other, sizeof here.other, "%s/other.pem", here.daemon.folder);
    snprintf(here.other_key, sizeof here.other_key, "%s/other.key", here.daemon.folder);
    make_certificate(here.certificate, here.key, 1);
    make_certificate(here.other, here.other_key, 2);
    daemon_start_well(&here.daemon, (const char *[]){"--tls-certificate", here.certificate,
                                                     "--tls-key", here.key, NULL});
    *state = NULL;
    return 0;
}

static int end(void **state)
{
    (void)state;
    return daemon_end_well(&here.daemon) ? 0 : -1;
}

static size_t drop(char *bytes, size_t size, size_t count, void *context)
{
    (void)bytes;
    (void)context;
    return size * count;
}

/* Asks for /healthz; the status, or -1 if the certificate is not accepted, -2 without answer. */
static long ask(const char *scheme, const char *ca_file)
{
    CURL *curl = curl_easy_init();
    char url[64];
    long status = 0;

    snprintf(url, sizeof url, "%s://127.0.0.1:%d/healthz", scheme, here.daemon.port);
    curl_easy_setopt(curl, CURLOPT_URL, url);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, drop);
    curl_easy_setopt(curl, CURLOPT_CAINFO, ca_file);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT, (long)PATIENCE_S);
    CURLcode result = curl_easy_perform(curl);
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
    curl_easy_cleanup(curl);
    return result == CURLE_OK ? status : result == CURLE_PEER_FAILED_VERIFICATION ? -1 : -2;
}

static void the_certificate_is_checked(void **state)
{
    (void)state;
    assert_int_equal(ask("https", here.certificate), 200);
    assert_int_equal(ask("https", here.other), -1);
    assert_int_equal(ask("http", here.certificate), -2);
}

static void rinkctl_and_the_health_check_speak_tls(void **state)
{
    char server[64], listen[64];

    (void)state;
    snprintf(server, sizeof server, "https://127.0.0.1:%d", here.daemon.port);
    snprintf(listen, sizeof listen, "127.0.0.1:%d", here.daemon.port);
    struct program_run run = program_run((const char *[]){RINKCTL, "--address", server, "--ca-file",
                                                          here.certificate, "profiles", NULL},
                                         "", 0);
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.output, "dc3"));
    program_free(&run);
    run = program_run((const char *[]){RINKCTL, "--address", server, "--retries", "0", "--ca-file",
                                       here.other, "profiles", NULL},
                      "", 0);
    assert_int_equal(run.status, 3);
    assert_non_null(strstr(run.errors, "certificate"));
    program_free(&run);
    run = program_run((const char *[]){RINKD, "--healthcheck", "--listen", listen,
                                       "--tls-certificate", here.certificate, "--tls-key", here.key,
                                       NULL},
                      "", 0);
    assert_int_equal(run.status, 0);
    assert_string_equal(run.output, "healthy\n");
    program_free(&run);
}

static void a_hang_up_takes_the_new_certificate(void **state)
{
    (void)state;
    assert_int_equal(rename(here.other, here.certificate), 0);
    assert_int_equal(kill(here.daemon.pid, SIGHUP), 0); /* the key is still the old one */
    for (double end_s = 0; patience_left(&end_s);) {
        char *log = daemon_log(&here.daemon);
        bool said = strstr(log, "the certificate stays as it was") != NULL;
        free(log);
        if (said)
            break;
        usleep(10000);
    }
    assert_int_equal(ask("https", here.certificate), -1);
    assert_int_equal(rename(here.other_key, here.key), 0);
    assert_int_equal(kill(here.daemon.pid, SIGHUP), 0);
    for (double end_s = 0; ask("https", here.certificate) != 200;) {
        assert_true(patience_left(&end_s));
        usleep(10000);
    }
}

static void a_bad_certificate_is_refused_at_the_start(void **state)
{
    struct daemon_process daemon;
    int status = 0;

    (void)state;
    daemon_prepare(&daemon);
    assert_false(daemon_start(
        &daemon, (const char *[]){"--tls-certificate", here.certificate, NULL}, &status));
    assert_int_equal(status, 1);
    assert_false(daemon_start(
        &daemon, (const char *[]){"--tls-certificate", "/no/such.pem", "--tls-key", here.key, NULL},
        &status));
    char *log = daemon_log(&daemon);
    assert_non_null(strstr(log, "tls_key is missing"));
    assert_non_null(strstr(log, "/no/such.pem: No such file or directory"));
    free(log);
    daemon_remove(&daemon);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_certificate_is_checked),
        cmocka_unit_test(rinkctl_and_the_health_check_speak_tls),
        cmocka_unit_test(a_hang_up_takes_the_new_certificate),
        cmocka_unit_test(a_bad_certificate_is_refused_at_the_start),
    };

    return cmocka_run_group_tests(tests, start, end);
}
