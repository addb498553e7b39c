/* Any bytes as the file of a policy. An accepted policy answers, and stays the same when written
 * and read again; a refusal gives a reason. A broken promise aborts. */
#include "models/networks/policy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE_MAX_BYTES = 1 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
    if (!condition)
        abort();
}

static void check_policy(struct policy *policy)
{
    char error[NET_ERROR_MAX];
    unsigned char *bytes, *second;
    struct policy *again;
    size_t written, second_size;

    require(policy_write_all(policy, &bytes, &written, error) == NET_OK);
    require(policy_read(bytes, written, "cpu", &again, error) == NET_OK);
    require(memcmp(&again->form, &policy->form, sizeof policy->form) == 0);
    require(policy_write_all(again, &second, &second_size, error) == NET_OK);
    require(second_size == written && memcmp(second, bytes, written) == 0);

    float *inputs = calloc((size_t)policy_inputs(policy->form.sees), sizeof *inputs);
    float *outputs = calloc((size_t)policy_row(&policy->form), sizeof *outputs);
    require(inputs && outputs);
    require(net_evaluate(policy->net[SEAT_GOTE], 1, inputs, outputs) == NET_OK);
    free(inputs);
    free(outputs);
    free(second);
    free(bytes);
    policy_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char error[NET_ERROR_MAX] = "";
    struct policy *policy = NULL;

    if (size > SIZE_MAX_BYTES)
        return 0;
    enum net_status status = policy_read(data, size, "cpu", &policy, error);
    if (status == NET_OK) {
        check_policy(policy);
        policy_free(policy);
    } else {
        require(policy == NULL && error[0] && memchr(error, '\0', sizeof error));
    }
    return 0;
}
