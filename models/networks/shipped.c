/* The end-value networks and the policies in models/weights/. */
#include "models/networks/end_value.h"
#include "models/networks/policy.h"
#include "models/networks/weights.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

static struct shipped {
    const char *file; /* without .safetensors */
    uint32_t crc32;
    bool is_read;
} all[] = {
    {"end_value_dc2_for_sente_ai_simple", 0x93ce93cb, false},
    {"end_value_dc3_for_sente_dc3_rulebased", 0xd65cb3b6, false},
    {"end_value_dc2", 0xfff35ba1, false},
    {"end_value_dc2_for_sente", 0x121a3d4d, false},
    {"end_value_dc3", 0xf1479879, false},
    {"end_value_dc3_for_sente", 0xba9a67b1, false},
    {"end_value_dc3_for_gote", 0x8225dec4, false},
    {"end_value_dc4_modified", 0xc41953ee, false},
};

static const struct {
    const char *file;
    uint32_t crc32;
} policies[] = {
    {"nfsp_dc2", 0xe1eafcf4},
    {"nfsp_dc3", 0x1d1e73fb},
};

/* Separate from the table, so that the executable holds no zeros for them. */
static struct end_value values[sizeof all / sizeof all[0]];

/* Guards all of the above and the fault, which is written once. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char fault[WEIGHTS_ERROR_MAX];

/* Copies the weights out of the file, where they are unaligned, to cache lines. */
static bool read_network(const struct shipped *one, struct end_value *ret_value)
{
    char error[WEIGHTS_ERROR_MAX];
    struct weights weights;
    enum net_status status = NET_NO_FILE;

    if (weights_map_shipped(one->file, one->crc32, &weights, error)) {
        status = end_value_read(weights.bytes, weights.size, ret_value);
        weights_unmap(&weights);
        if (status != NET_OK)
            snprintf(error, sizeof error, "%s.safetensors: %s", one->file, net_status_text(status));
    }
    if (status != NET_OK && fault[0] == '\0')
        memcpy(fault, error, sizeof fault);
    return status == NET_OK;
}

/* Reads each network on first use: most programs need one ice, some one seat. A file that cannot be
 * read is tried again, as an operator may replace it. */
const struct end_value *end_value_shipped(const char *file)
{
    const struct end_value *found = NULL;

    pthread_mutex_lock(&lock);
    for (size_t k = 0; file && k < sizeof all / sizeof all[0]; k++) {
        struct shipped *one = &all[k];
        if (strcmp(file, one->file) != 0)
            continue;
        if (!one->is_read)
            one->is_read = read_network(one, &values[k]);
        found = one->is_read ? &values[k] : NULL;
    }
    pthread_mutex_unlock(&lock);
    return found;
}

const char *end_value_check(void)
{
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++)
        (void)end_value_shipped(all[k].file);
    return end_value_fault();
}

bool policy_map_shipped(const char *file, struct weights *ret_weights,
                        char ret_error[WEIGHTS_ERROR_MAX])
{
    for (size_t k = 0; k < sizeof policies / sizeof policies[0]; k++)
        if (strcmp(policies[k].file, file) == 0)
            return weights_map_shipped(file, policies[k].crc32, ret_weights, ret_error);
    snprintf(ret_error, WEIGHTS_ERROR_MAX, "no policy %.100s is shipped", file);
    return false;
}

bool policy_check_shipped(char ret_error[WEIGHTS_ERROR_MAX])
{
    bool good = true;

    for (size_t k = 0; k < sizeof policies / sizeof policies[0] && good; k++) {
        struct weights weights;
        struct policy *policy;
        good = policy_map_shipped(policies[k].file, &weights, ret_error);
        if (!good)
            break;
        good = policy_read(weights.bytes, weights.size, "cpu", &policy, ret_error) == NET_OK;
        weights_unmap(&weights);
        if (good)
            policy_free(policy);
    }
    return good;
}

const char *end_value_fault(void)
{
    pthread_mutex_lock(&lock);
    const char *found = fault[0] != '\0' ? fault : NULL;
    pthread_mutex_unlock(&lock);
    return found;
}

const char *end_value_blame(const char *otherwise)
{
    const char *found = end_value_fault();

    return found ? found : otherwise;
}
