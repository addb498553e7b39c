/* rink-learn golden: one step of learning of each architecture. */
#include "models/ice/random.h"
#include "models/networks/policy.h"
#include "workers/golden.h"
#include "workers/learn/command.h"
#include "workers/options.h"

#include <math.h>
#include <stdlib.h>

enum { ROWS = 8, SEED = 1 };

static const char about[] =
    "Print golden numbers: hashes of the weights of a network of each architecture after one step "
    "of "
    "learning, bit for bit. Kernels for matrices differ between processors; on two machines whose "
    "numbers are equal the same seeds give the same weights. rinkd compares them before it gives a "
    "node trainings.";

static void fill(float *values, size_t count, uint64_t stream)
{
    const struct random_key key = {.seed = SEED, .stream = stream, .purpose = RANDOM_SCENE};

    for (size_t k = 0; k < count; k++)
        values[k] = (float)(random_uniform(&key, k) - 0.5);
}

/* One step from fresh weights; the hash of what they are then. */
static enum net_status learn(const struct net_spec *spec, char ret_hex[65])
{
    const struct net_optimiser optimiser = {.rule = NET_ADAM, .rate = 1e-3, .clip = 1.0};
    size_t inputs = (size_t)spec->inputs * ROWS, outputs = (size_t)spec->outputs * ROWS;
    float *from = calloc(inputs, sizeof *from), *to = calloc(outputs, sizeof *to);
    float *slope = calloc(outputs, sizeof *slope);
    char error[NET_ERROR_MAX];
    struct net *net = NULL;
    enum net_status status =
        from && to && slope ? net_new(spec, "cpu", &net, error) : NET_NO_MEMORY;

    if (status == NET_OK) {
        fill(from, inputs, 0);
        fill(slope, outputs, 1);
        status = net_forward(net, ROWS, from, to);
    }
    if (status == NET_OK)
        status = net_backward(net, ROWS, slope);
    if (status == NET_OK)
        status = net_update(net, &optimiser, NULL);
    if (status == NET_OK)
        net_sha256(net, ret_hex);
    net_free(net);
    free(from);
    free(to);
    free(slope);
    return status;
}

static bool add_architecture(json_t *numbers, const char *name)
{
    const struct network_architecture *row = network_architecture_find(name);
    struct policy_form form = {.profile = "dc2", .actions = POLICY_ACTIONS, .step = -1};
    char hex[65];

    snprintf(form.architecture, sizeof form.architecture, "%s", name);
    form.sees = row->sees;
    memcpy(form.hidden, row->sizes, sizeof form.hidden);
    const struct net_spec spec = policy_net_spec(&form, SEED);
    enum net_status status = learn(&spec, hex);
    if (status == NET_NOT_BUILT_IN)
        return true; /* a machine without it has no such number */
    return status == NET_OK &&
           golden_add(numbers, "step", name, strtoull((hex[16] = '\0', hex), NULL, 16));
}

int command_golden(int argc, char **argv)
{
    const struct option_parser parser = {.about = about};
    json_t *numbers = json_object();
    bool good = numbers != NULL;

    if (!options_parse(&parser, argc, argv))
        return EXIT_TROUBLE;
#define ADD(name, ...) good = good && add_architecture(numbers, #name);
    NETWORK_ARCHITECTURES(ADD)
#undef ADD
    if (good)
        return golden_print(RINKD_VERSION, numbers, NAN);
    json_decref(numbers);
    command_complain(argv[0], "a step of learning failed, or memory is short");
    return EXIT_TROUBLE;
}
