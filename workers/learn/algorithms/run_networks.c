/* Networks of runs. */
#include "workers/learn/algorithms/run_networks.h"

#include <math.h>
#include <sodium.h>
#include <stdlib.h>

/* Tables use the streams of random numbers below 2^32. */
enum { STREAM_NETWORKS = 0 };

bool run_network_new(const struct learner_game *game, const struct learner_common *common,
                     int number, int outputs, struct net **ret_net,
                     char ret_error[LEARNER_ERROR_MAX])
{
    const struct random_key key = {.seed = common->seed,
                                   .stream = (uint64_t)1 << 32 | STREAM_NETWORKS,
                                   .purpose = RANDOM_CHOICE};
    struct net_spec spec = common->network;
    char why[NET_ERROR_MAX];
    uint64_t bits[4];
    random_bits(&key, (uint64_t)number, 0, bits);
    spec.inputs = game->inputs;
    spec.outputs = outputs;
    spec.seed = bits[0];
    if (net_new(&spec, common->device, ret_net, why) == NET_OK)
        return true;
    snprintf(ret_error, LEARNER_ERROR_MAX, "network: %s", why);
    return false;
}

bool run_network_write(const struct net *net, FILE *file)
{
    unsigned char *bytes;
    size_t size;
    if (net_write(net, true, &bytes, &size) != NET_OK)
        return false;
    uint64_t head = size;
    bool good = fwrite(&head, sizeof head, 1, file) == 1 && fwrite(bytes, 1, size, file) == size;
    free(bytes);
    return good;
}

bool run_network_read(struct net *net, FILE *file)
{
    unsigned char *bytes;
    size_t size;
    uint64_t head;
    /* The stored size must equal that of this network's own file. */
    if (net_write(net, true, &bytes, &size) != NET_OK)
        return false;
    bool good = fread(&head, sizeof head, 1, file) == 1 && head == size &&
                fread(bytes, 1, size, file) == size && net_read(net, bytes, size, true) == NET_OK;
    free(bytes);
    return good;
}

void run_weights_sha256(const struct learner *learner, char ret_hex[65])
{
    struct learner_policy_view views[LEARNER_POLICIES_MAX];
    unsigned char digest[crypto_hash_sha256_BYTES];
    crypto_hash_sha256_state hash;
    int count = learner->class->policies(learner, views);

    if (learner->class->policy_file) {
        size_t size;
        unsigned char *bytes = learner->class->policy_file(learner, &size);
        crypto_hash_sha256(digest, bytes, bytes ? size : 0);
        sodium_bin2hex(ret_hex, 65, digest, sizeof digest);
        free(bytes);
        return;
    }
    crypto_hash_sha256_init(&hash);
    for (int k = 0; k < 2 * count; k++) {
        char hex[65];
        net_sha256(views[k / 2].net[k % 2], hex);
        crypto_hash_sha256_update(&hash, (const unsigned char *)hex, sizeof hex - 1);
    }
    crypto_hash_sha256_final(&hash, digest);
    sodium_bin2hex(ret_hex, 65, digest, sizeof digest);
}

bool run_network_is_good(enum net_status status, const char *network,
                         char ret_error[LEARNER_ERROR_MAX])
{
    if (status != NET_OK)
        snprintf(ret_error, LEARNER_ERROR_MAX, "%s: %s", network, net_status_text(status));
    return status == NET_OK;
}

bool run_step_is_good(enum net_status status, double *loss, const char *network,
                      char ret_error[LEARNER_ERROR_MAX])
{
    if (status != NET_OK && status != NET_NOT_FINITE) /* the loss may not have been computed */
        return run_network_is_good(status, network, ret_error);
    if (!isfinite(*loss)) {
        snprintf(ret_error, LEARNER_ERROR_MAX,
                 "%s: its loss is infinite or not a number; try a lower rate", network);
        return false;
    }
    if (status == NET_NOT_FINITE)
        *loss = (double)NAN;
    return run_network_is_good(status, network, ret_error);
}
