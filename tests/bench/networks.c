/* Speed and memory of networks: evaluations per second of CPU time in batches of one row and of
 * many, rows learned per second (forward, backward, and an update for each batch), CPU seconds to
 * create the network, and the peak memory of a process that does nothing else.
 *
 *   bench_networks [--seconds S] [--name NAME]
 *
 * Every network runs in a process of its own; one that needs an absent libtorch is reported as
 * missing. With more than one thread the rates are per second of wall time. */
#include "models/networks/net.h"
#include "models/networks/policy.h"
#include "tests/bench/bench.h"
#include "tests/unit/models/networks/net_parameters.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct row {
    const char *name;
    struct net_spec spec;
    int batch; /* batch size for learning and for batched evaluation */
} rows[] = {
    {"mlp-64-32", {.architecture = "mlp", .inputs = 90, .outputs = 17, .hidden = {64, 32}}, 512},
    {"mlp-128", {.architecture = "mlp", .inputs = 96, .outputs = 960, .hidden = {128, 128}}, 512},
    {"lines-64-32",
     {.architecture = "lines",
      .inputs = POLICY_LINES_INPUTS,
      .outputs = POLICY_ACTIONS + POLICY_SCORES,
      .hidden = {64, 32},
      .rows = LINES,
      .row_features = LINES_FEATURES},
     512},
    {"set-64",
     {.architecture = "set",
      .inputs = 16 * 8 + 12,
      .outputs = 960,
      .hidden = {64, 64, 128},
      .rows = 16,
      .row_features = 8},
     512},
    {"conv7-32",
     {.architecture = "conv7",
      .inputs = PLANES * PLANES_CELLS,
      .outputs = 960,
      .hidden = {32},
      .planes = PLANES},
     128},
    {"conv7-64",
     {.architecture = "conv7",
      .inputs = PLANES * PLANES_CELLS,
      .outputs = 960,
      .hidden = {64},
      .planes = PLANES},
     128},
    {"resnet-32",
     {.architecture = "resnet",
      .inputs = PLANES * PLANES_CELLS,
      .outputs = 2 * PLANES_CELLS + 17,
      .hidden = {32},
      .planes = PLANES},
     128},
};
enum { ROWS = sizeof rows / sizeof rows[0] };

struct options {
    double seconds;
    const char *name;
};

/* A network under measurement, with a batch. */
struct subject {
    struct net *net;
    clockid_t clock;
    float *inputs, *outputs, *d_outputs;
};

static void require(enum net_status status)
{
    if (status == NET_OK)
        return;
    fprintf(stderr, "bench_networks: %s\n", net_status_text(status));
    exit(1);
}

static void evaluate(struct subject *subject, int batch)
{
    require(net_evaluate(subject->net, batch, subject->inputs, subject->outputs));
}

static void learn(struct subject *subject, int batch)
{
    const struct net_optimiser optimiser = {
        .rule = NET_MOMENTUM, .rate = 1e-4, .momentum = 0.9, .clip = 1.0};
    require(net_forward(subject->net, batch, subject->inputs, subject->outputs));
    require(net_backward(subject->net, batch, subject->d_outputs));
    require(net_update(subject->net, &optimiser, NULL));
}

/* Returns rows per second, after one warm-up call. */
static double rate(struct subject *subject, void (*call)(struct subject *, int), int batch,
                   double seconds)
{
    call(subject, batch);
    double start = bench_clock_s(subject->clock), spent;
    int calls = 0;
    do {
        call(subject, batch);
        calls++;
        spent = bench_clock_s(subject->clock) - start;
    } while (spent < seconds);
    return (double)batch * calls / spent;
}

static float *numbers(int batch, int width)
{
    size_t count = (size_t)batch * (size_t)width;
    float *values = malloc(count * sizeof *values);

    if (!values)
        require(NET_NO_MEMORY);
    for (size_t k = 0; k < count; k++) /* half of them 0, like features of boards */
        values[k] = k * 2654435761u % 7 < 4 ? 0.0f : (float)(k * 40503u % 1000) / 1000.0f;
    return values;
}

/* Measures in its own process and prints one line; returns 0. */
static int measure(const struct row *row, const struct options *options)
{
    struct subject subject = {.clock = CLOCK_PROCESS_CPUTIME_ID,
                              .inputs = numbers(row->batch, row->spec.inputs),
                              .outputs = numbers(row->batch, row->spec.outputs),
                              .d_outputs = numbers(row->batch, row->spec.outputs)};
    char error[NET_ERROR_MAX];
    struct rusage usage;
    double start = bench_clock_s(CLOCK_PROCESS_CPUTIME_ID);
    enum net_status status = net_new(&row->spec, "cpu", &subject.net, error);

    if (status == NET_NOT_BUILT_IN) {
        printf("%-11s missing: %s\n", row->name, error);
        return 0;
    }
    require(status);
    start = bench_clock_s(CLOCK_PROCESS_CPUTIME_ID) - start;
    double one = rate(&subject, evaluate, 1, options->seconds),
           many = rate(&subject, evaluate, row->batch, options->seconds);
    getrusage(RUSAGE_SELF, &usage);
    double asked_mib = (double)usage.ru_maxrss / 1024.0,
           learnt = rate(&subject, learn, row->batch, options->seconds);
    getrusage(RUSAGE_SELF, &usage);
    printf("%-11s %10lld %8.3f %10.0f %10.0f %6d %10.0f %8.1f %8.0f %8.0f\n", row->name,
           (long long)net_parameters(subject.net), start, one, many, row->batch, learnt,
           learnt / row->batch, asked_mib, (double)usage.ru_maxrss / 1024.0);
    net_free(subject.net);
    free(subject.inputs);
    free(subject.outputs);
    free(subject.d_outputs);
    return 0;
}

static bool measure_apart(const struct row *row, const struct options *options)
{
    int status;

    fflush(stdout);
    pid_t child = fork();
    if (child == 0)
        exit(measure(row, options));
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

/* Returns a position with ten stones, as in mid-end. */
static struct position middle_of_end(void)
{
    struct position position = {0};
    for (int k = 0; k < 10; k++)
        position_put(&position, k, (struct vec2){0.3 * k - 1.4, SHEET_TEE_Y - 3.0 + 0.41 * k});
    return position;
}

/* Measures policies as players search with them, one position at a time: the inputs alone, then
 * with the answer. */
static void measure_policy(struct policy_form form, double seconds)
{
    static float inputs[POLICY_LINES_INPUTS], outputs[POLICY_ACTIONS + POLICY_SCORES];
    const struct position position = middle_of_end();
    double spent[2];
    char error[NET_ERROR_MAX];
    struct net *net;

    form.outputs = POLICY_LOGITS;
    form.actions = POLICY_ACTIONS;
    form.has_scores = true;
    const struct net_spec spec = policy_net_spec(&form, 1);
    require(net_new(&spec, "cpu", &net, error));
    for (int asked = 0; asked < 2; asked++) {
        double start = bench_clock_s(CLOCK_PROCESS_CPUTIME_ID), elapsed;
        int count = 0;
        do {
            policy_fill_inputs(form.sees, &position, 10, (enum seat)(count & 1), inputs);
            if (asked)
                require(net_evaluate(net, 1, inputs, outputs));
            count++;
            elapsed = bench_clock_s(CLOCK_PROCESS_CPUTIME_ID) - start;
        } while (elapsed < seconds);
        spent[asked] = 1e6 * elapsed / count;
    }
    net_free(net);
    printf("policy of a position, %s %d, %d with scores: %.1f us, of which the inputs are %.1f\n",
           form.architecture, form.hidden[0], form.hidden[1], spent[1], spent[0]);
}

static void measure_planes(double seconds)
{
    static float planes[PLANES * PLANES_CELLS];
    const struct position position = middle_of_end();
    int count = 0;

    double start = bench_clock_s(CLOCK_PROCESS_CPUTIME_ID), spent;
    do {
        planes_of(&position, 10, (enum seat)(count & 1), planes);
        count++;
        spent = bench_clock_s(CLOCK_PROCESS_CPUTIME_ID) - start;
    } while (spent < seconds);
    printf("planes of a position: %.1f us\n", 1e6 * spent / count);
}

static bool read_options(int argc, char **argv, struct options *ret_options)
{
    *ret_options = (struct options){.seconds = 1.0};
    for (int k = 1; k + 1 < argc; k += 2) {
        bool good = strcmp(argv[k], "--seconds") == 0
                        ? bench_read_number(argv[k + 1], 1e4, &ret_options->seconds)
                        : strcmp(argv[k], "--name") == 0;
        if (!good)
            return false;
        if (strcmp(argv[k], "--name") == 0)
            ret_options->name = argv[k + 1];
    }
    return argc % 2 == 1;
}

int main(int argc, char **argv)
{
    struct options options;
    bool good = true;

    if (!read_options(argc, argv, &options)) {
        fprintf(stderr, "usage: bench_networks [--seconds S] [--name NAME]\n");
        return 2;
    }
    printf("%-11s %10s %8s %10s %10s %6s %10s %8s %8s %8s\n", "network", "parameters", "start s",
           "one /s", "batch /s", "batch", "learnt /s", "steps /s", "MiB", "learning");
    for (int k = 0; k < ROWS; k++)
        if (!options.name || strcmp(options.name, rows[k].name) == 0)
            good = measure_apart(&rows[k], &options) && good;
    measure_planes(options.seconds);
    measure_policy((struct policy_form){.architecture = "mlp", .hidden = {256, 128}},
                   options.seconds);
    measure_policy((struct policy_form){.architecture = "lines",
                                        .hidden = {64, 32},
                                        .sees = POLICY_SEES_LINES},
                   options.seconds);
    return good ? 0 : 1;
}
