/* Secrets and signatures of webhooks by the Standard Webhooks specification: the secret is "whsec_"
 * and a key in base64; the signature is HMAC-SHA256 of "ID.TIMESTAMP.BODY" with that key. */
#ifndef RINKD_SERVICE_WEBHOOKS_SIGNATURE_H
#define RINKD_SERVICE_WEBHOOKS_SIGNATURE_H

#include <stdbool.h>
#include <stdint.h>

enum { WEBHOOK_SECRET_MAX = 64, WEBHOOK_SIGNATURE_MAX = 64 }; /* bytes, with 0 */

/* Makes a secret with a key of 32 random bytes. */
void webhook_secret_new(char ret_secret[WEBHOOK_SECRET_MAX]);

/* Writes "v1,…", the value of the header webhook-signature. False: it is not such a secret. */
bool webhook_sign(const char *secret, const char *message, int64_t timestamp_s, const char *body,
                  char ret_signature[WEBHOOK_SIGNATURE_MAX]);

#endif
