/* Reads, checks and hands out the certificate. See http_tls.h. */
#include "service/http/http_tls.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHAIN_MAX = 8 };

struct identity {
    gnutls_pcert_st chain[CHAIN_MAX]; /* its own certificate first */
    unsigned count;
    gnutls_privkey_t key;
};

/* GnuTLS borrows an identity during a handshake, which a slow client may draw out for a while: the
 * one before the current one stays until the next is loaded. */
static struct {
    pthread_mutex_t lock;
    struct identity *now, *before;
} shared = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void identity_free(struct identity *identity)
{
    if (!identity)
        return;
    for (unsigned k = 0; k < identity->count; k++)
        gnutls_pcert_deinit(&identity->chain[k]);
    if (identity->key)
        gnutls_privkey_deinit(identity->key);
    free(identity);
}

static bool complain(char ret_why[TLS_WHY_MAX], const char *path, const char *why)
{
    snprintf(ret_why, TLS_WHY_MAX, "%.300s: %s", path, why);
    return false;
}

static bool load_file(const char *path, gnutls_datum_t *ret_bytes, char ret_why[TLS_WHY_MAX])
{
    errno = 0;
    int result = gnutls_load_file(path, ret_bytes);

    return result == GNUTLS_E_SUCCESS ||
           complain(ret_why, path, errno ? strerror(errno) : gnutls_strerror(result));
}

static bool load_chain(struct identity *identity, const char *path, char ret_why[TLS_WHY_MAX])
{
    gnutls_datum_t bytes;

    if (!load_file(path, &bytes, ret_why))
        return false;
    identity->count = CHAIN_MAX;
    int result = gnutls_pcert_list_import_x509_raw(identity->chain, &identity->count, &bytes,
                                                   GNUTLS_X509_FMT_PEM, 0);
    gnutls_free(bytes.data);
    if (result < 0 || identity->count == 0) {
        identity->count = 0;
        return complain(ret_why, path,
                        result < 0 ? gnutls_strerror(result) : "there is no certificate in it");
    }
    return true;
}

static bool load_key(struct identity *identity, const char *path, char ret_why[TLS_WHY_MAX])
{
    gnutls_datum_t bytes;

    if (!load_file(path, &bytes, ret_why))
        return false;
    int result = gnutls_privkey_init(&identity->key);
    if (result == GNUTLS_E_SUCCESS)
        result =
            gnutls_privkey_import_x509_raw(identity->key, &bytes, GNUTLS_X509_FMT_PEM, NULL, 0);
    gnutls_memset(bytes.data, 0, bytes.size);
    gnutls_free(bytes.data);
    return result == GNUTLS_E_SUCCESS || complain(ret_why, path, gnutls_strerror(result));
}

/* Whether the key is that of the certificate. */
static bool belong_together(const struct identity *identity)
{
    unsigned char of_certificate[64], of_key[64];
    size_t certificate_size = sizeof of_certificate, key_size = sizeof of_key;
    gnutls_pubkey_t public;

    if (gnutls_pubkey_init(&public) != GNUTLS_E_SUCCESS)
        return false;
    bool good = gnutls_pubkey_import_privkey(public, identity->key, 0, 0) == GNUTLS_E_SUCCESS &&
                gnutls_pubkey_get_key_id(public, 0, of_key, &key_size) == GNUTLS_E_SUCCESS &&
                gnutls_pubkey_get_key_id(identity->chain[0].pubkey, 0, of_certificate,
                                         &certificate_size) == GNUTLS_E_SUCCESS;
    gnutls_pubkey_deinit(public);
    return good && key_size == certificate_size && memcmp(of_key, of_certificate, key_size) == 0;
}

static struct identity *load(const char *certificate, const char *key, char ret_why[TLS_WHY_MAX])
{
    struct identity *identity = calloc(1, sizeof *identity);

    if (!identity) {
        complain(ret_why, certificate, "out of memory");
        return NULL;
    }
    bool good = load_chain(identity, certificate, ret_why) && load_key(identity, key, ret_why);
    if (good && !belong_together(identity))
        good = complain(ret_why, key, "this is not the key of the certificate");
    if (good)
        return identity;
    identity_free(identity);
    return NULL;
}

bool tls_load(const char *certificate, const char *key, char ret_why[TLS_WHY_MAX])
{
    struct identity *identity = load(certificate, key, ret_why);

    if (!identity)
        return false;
    pthread_mutex_lock(&shared.lock);
    struct identity *old = shared.before;
    shared.before = shared.now;
    shared.now = identity;
    pthread_mutex_unlock(&shared.lock);
    identity_free(old);
    return true;
}

bool tls_check(const char *certificate, const char *key, char ret_why[TLS_WHY_MAX])
{
    struct identity *identity = load(certificate, key, ret_why);
    bool good = identity != NULL;

    identity_free(identity);
    return good;
}

int tls_retrieve(gnutls_session_t session, const gnutls_datum_t *requests, int request_count,
                 const gnutls_pk_algorithm_t *algorithms, int algorithm_count,
                 gnutls_pcert_st **ret_certificates, unsigned *ret_count, gnutls_privkey_t *ret_key)
{
    (void)session;
    (void)requests;
    (void)request_count;
    (void)algorithms;
    (void)algorithm_count;
    pthread_mutex_lock(&shared.lock);
    struct identity *identity = shared.now;
    pthread_mutex_unlock(&shared.lock);
    if (!identity)
        return -1;
    *ret_certificates = identity->chain;
    *ret_count = identity->count;
    *ret_key = identity->key;
    return 0;
}
