/* The certificate of the server. One for the process, as libmicrohttpd asks for it without saying
 * for whom. */
#ifndef RINKD_SERVICE_HTTP_HTTP_TLS_H
#define RINKD_SERVICE_HTTP_HTTP_TLS_H

#include <gnutls/abstract.h>
#include <stdbool.h>

enum { TLS_WHY_MAX = 512 };

/* Reads certificate (with those between it and its root) and key, PEM both, and takes them for new
 * connections from now on; those under way keep what they have. False and a sentence, which names
 * the file: they cannot be read or do not belong together; what was there stays. Core thread. */
bool tls_load(const char *certificate, const char *key, char ret_why[TLS_WHY_MAX]);
/* Checks without taking them. */
bool tls_check(const char *certificate, const char *key, char ret_why[TLS_WHY_MAX]);

/* For MHD_OPTION_HTTPS_CERT_CALLBACK; any thread. */
int tls_retrieve(gnutls_session_t session, const gnutls_datum_t *requests, int request_count,
                 const gnutls_pk_algorithm_t *algorithms, int algorithm_count,
                 gnutls_pcert_st **ret_certificates, unsigned *ret_count,
                 gnutls_privkey_t *ret_key);

#endif
