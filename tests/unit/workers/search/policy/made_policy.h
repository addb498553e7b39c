/* Policies with known answers: random small networks in which some output biases are
 * overwritten. */
#ifndef RINKD_TESTS_UNIT_WORKERS_SEARCH_POLICY_MADE_POLICY_H
#define RINKD_TESTS_UNIT_WORKERS_SEARCH_POLICY_MADE_POLICY_H

#include "api/fields/player_spec.h"
#include "models/networks/policy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct made_policy {
    unsigned char *bytes; /* bytes of the file, for free() */
    size_t size;
};

static inline struct policy_form made_form(enum policy_outputs outputs, bool has_scores)
{
    return (struct policy_form){.profile = "dc2",
                                .architecture = "mlp",
                                .hidden = {8},
                                .sees = POLICY_SEES_STONES,
                                .outputs = outputs,
                                .actions = POLICY_ACTIONS,
                                .has_scores = has_scores,
                                .step = -1};
}

/* The same for a policy that looks along lines. */
static inline struct policy_form made_lines_form(enum policy_outputs outputs, bool has_scores)
{
    struct policy_form form = made_form(outputs, has_scores);
    strcpy(form.architecture, "lines");
    form.sees = POLICY_SEES_LINES;
    return form;
}

static inline struct made_policy made_policy(const struct policy_form *form, uint64_t seed)
{
    struct made_policy made;
    char error[NET_ERROR_MAX];
    struct net *net[2];

    for (int seat = 0; seat < 2; seat++) {
        const struct net_spec spec = policy_net_spec(form, 2 * seed + (uint64_t)seat);
        assert_int_equal(net_new(&spec, "cpu", &net[seat], error), NET_OK);
    }
    assert_int_equal(policy_write(form, net[0], net[1], &made.bytes, &made.size, error), NET_OK);
    net_free(net[0]);
    net_free(net[1]);
    return made;
}

/* Networks that value single shots. With random weights they prefer some to others. */
static inline struct made_policy made_shots_policy(uint64_t seed)
{
    const struct policy_form form = {.profile = "dc2",
                                     .architecture = "mlp",
                                     .hidden = {16, 8},
                                     .sees = POLICY_SEES_SHOTS,
                                     .outputs = POLICY_LOGITS,
                                     .actions = POLICY_SHOT_SCORES,
                                     .step = -1};
    struct made_policy made;
    struct policy *policy;
    char error[NET_ERROR_MAX];

    assert_int_equal(policy_new(&form, seed, "cpu", &policy, error), NET_OK);
    assert_int_equal(policy_write_all(policy, &made.bytes, &made.size, error), NET_OK);
    policy_free(policy);
    return made;
}

/* Overwrites number `number` of a tensor: an output bias acts as a constant, as the other terms are
 * small. */
static inline void made_tensor_bias(struct made_policy *made, const char *tensor_name, int number,
                                    float bias)
{
    char name[NET_ERROR_MAX];
    snprintf(name, sizeof name, "\"%s\"", tensor_name);
    uint64_t length = 0;
    for (int k = 0; k < 8; k++)
        length |= (uint64_t)made->bytes[k] << 8 * k;
    char *header = calloc(1, length + 1);
    assert_non_null(header);
    memcpy(header, made->bytes + 8, length);
    const char *tensor = strstr(header, name);
    assert_non_null(tensor);
    const char *offsets = strstr(tensor, "\"data_offsets\":[");
    assert_non_null(offsets);
    size_t at = strtoul(offsets + strlen("\"data_offsets\":["), NULL, 10);
    memcpy(made->bytes + 8 + length + at + 4 * (size_t)number, &bias, sizeof bias);
    free(header);
}

/* Sets the bias of output `output` in a seat's network, for policies of made_form(). */
static inline void made_bias(struct made_policy *made, enum seat seat, int output, float bias)
{
    made_tensor_bias(made, seat == SEAT_SENTE ? "sente.layer2.bias" : "gote.layer2.bias", output,
                     bias);
}

static inline void made_save(const struct made_policy *made, const char *path)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(made->bytes, 1, made->size, file), made->size);
    assert_int_equal(fclose(file), 0);
}

static inline void made_sha256(const struct made_policy *made, char ret_sha256[65])
{
    char error[NET_ERROR_MAX];
    struct policy *policy;
    assert_int_equal(policy_read(made->bytes, made->size, "cpu", &policy, error), NET_OK);
    memcpy(ret_sha256, policy->sha256, sizeof policy->sha256);
    policy_free(policy);
}

/* Returns the spec of a player with a model, valid until the next call. `settings`: further ones,
 * each preceded by a comma. */
static inline const char *spec_with(const char *player, const char *sha256, const char *settings)
{
    static char spec[PLAYER_SPEC_MAX];
    snprintf(spec, sizeof spec, "%s:weights=%s%s", player, sha256, settings);
    return spec;
}

#endif
