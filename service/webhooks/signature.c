/* HMAC with libsodium. */
#include "service/webhooks/signature.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>

#define PREFIX "whsec_"

enum { KEY_BYTES = 32, KEY_MAX = 64 };

void webhook_secret_new(char ret_secret[WEBHOOK_SECRET_MAX])
{
    unsigned char key[KEY_BYTES];
    size_t prefix = strlen(PREFIX);

    randombytes_buf(key, sizeof key);
    memcpy(ret_secret, PREFIX, prefix);
    sodium_bin2base64(ret_secret + prefix, WEBHOOK_SECRET_MAX - prefix, key, sizeof key,
                      sodium_base64_VARIANT_ORIGINAL);
    sodium_memzero(key, sizeof key);
}

bool webhook_sign(const char *secret, const char *message, int64_t timestamp_s, const char *body,
                  char ret_signature[WEBHOOK_SIGNATURE_MAX])
{
    unsigned char key[KEY_MAX], hash[crypto_auth_hmacsha256_BYTES];
    crypto_auth_hmacsha256_state state;
    char number[32];
    size_t key_bytes, prefix = strlen(PREFIX);

    if (strncmp(secret, PREFIX, prefix) != 0 ||
        sodium_base642bin(key, sizeof key, secret + prefix, strlen(secret + prefix), NULL,
                          &key_bytes, NULL, sodium_base64_VARIANT_ORIGINAL) != 0)
        return false;
    snprintf(number, sizeof number, ".%lld.", (long long)timestamp_s);
    crypto_auth_hmacsha256_init(&state, key, key_bytes);
    crypto_auth_hmacsha256_update(&state, (const unsigned char *)message, strlen(message));
    crypto_auth_hmacsha256_update(&state, (const unsigned char *)number, strlen(number));
    crypto_auth_hmacsha256_update(&state, (const unsigned char *)body, strlen(body));
    crypto_auth_hmacsha256_final(&state, hash);
    sodium_memzero(key, sizeof key);
    memcpy(ret_signature, "v1,", 3);
    sodium_bin2base64(ret_signature + 3, WEBHOOK_SIGNATURE_MAX - 3, hash, sizeof hash,
                      sodium_base64_VARIANT_ORIGINAL);
    return true;
}
