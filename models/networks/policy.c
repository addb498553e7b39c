/* Policies: the form, the inputs, and both networks in one file. */
#include "models/networks/policy.h"

#include "models/game/rules.h"
#include "models/networks/end_value.h"
#include "models/networks/net_file.h"
#include "models/tables/profiles.h"

#include <math.h>
#include <sodium.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const policy_sees_names[] = {[POLICY_SEES_STONES] = "stones",
                                         [POLICY_SEES_PLANES] = "planes",
                                         [POLICY_SEES_LINES] = "lines",
                                         [POLICY_SEES_SHOTS] = "shots",
                                         NULL};
const char *const policy_outputs_names[] = {
    [POLICY_LOGITS] = "logits", [POLICY_VALUES] = "values", NULL};

/* Names of networks in files: by seat, and by shot. */
static const char *const seat_names[] = {[SEAT_SENTE] = "sente", [SEAT_GOTE] = "gote"};
static const char *const shot_names[POLICY_THROWN] = {
    "shot0", "shot1", "shot2",  "shot3",  "shot4",  "shot5",  "shot6",  "shot7",
    "shot8", "shot9", "shot10", "shot11", "shot12", "shot13", "shot14", "shot15"};

/* --- the form --- */

__attribute__((format(printf, 3, 4))) static enum net_status
refuse(enum net_status status, char *ret_error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(ret_error, NET_ERROR_MAX, format, arguments);
    va_end(arguments);
    return status;
}

/* The names of the form, each of POLICY_NAME_MAX bytes. */
static const struct {
    const char *key;
    size_t offset;
} names[] = {
    {"profile", offsetof(struct policy_form, profile)},
    {"architecture", offsetof(struct policy_form, architecture)},
    {"algorithm", offsetof(struct policy_form, algorithm)},
    {"policy", offsetof(struct policy_form, policy)},
    {"run", offsetof(struct policy_form, run)},
};

enum { NAMES = sizeof names / sizeof names[0] };

static bool is_name(const char *text)
{
    static const char good[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    size_t length = strnlen(text, POLICY_NAME_MAX);
    return length < POLICY_NAME_MAX && strspn(text, good) == length;
}

bool policy_sees_of(const char *name, enum policy_sees *ret_sees)
{
    const struct network_architecture *architecture = network_architecture_find(name);

    if (!architecture)
        return false;
    *ret_sees = architecture->sees;
    return true;
}

enum net_status policy_form_check(const struct policy_form *form, char *ret_error)
{
    enum policy_sees sees;

    for (int k = 0; k < NAMES; k++)
        if (!is_name((const char *)form + names[k].offset))
            return refuse(NET_BAD_SPEC, ret_error, "%s: at most %d letters, digits and ._-",
                          names[k].key, POLICY_NAME_MAX - 1);
    if (!rules_find(form->profile))
        return refuse(NET_BAD_SPEC, ret_error, "profile: there is no '%s'", form->profile);
    if (form->sees == POLICY_SEES_SHOTS) {
        if (strcmp(form->architecture, "mlp") != 0)
            return refuse(NET_BAD_SPEC, ret_error, "architecture: only mlp sees shots");
        if (form->actions != POLICY_SHOT_SCORES || form->has_scores)
            return refuse(NET_BAD_SPEC, ret_error, "actions: %d, the scores after a shot",
                          POLICY_SHOT_SCORES);
    } else if (!policy_sees_of(form->architecture, &sees) || sees != form->sees)
        return refuse(NET_BAD_SPEC, ret_error, "architecture: '%s' does not see %s",
                      form->architecture, policy_sees_names[form->sees]);
    for (int k = 0; k < NET_HIDDEN_MAX; k++)
        if (form->hidden[k] < 0)
            return refuse(NET_BAD_SPEC, ret_error, "hidden: a width cannot be negative");
    if (form->actions < 1 || form->actions > POLICY_ACTIONS_MAX)
        return refuse(NET_BAD_SPEC, ret_error, "actions: a number from 1 to %d",
                      POLICY_ACTIONS_MAX);
    if (form->step < -1)
        return refuse(NET_BAD_SPEC, ret_error, "step: a number from -1 on");
    return NET_OK;
}

int policy_inputs(enum policy_sees sees)
{
    static const int inputs[] = {[POLICY_SEES_STONES] = POLICY_STONES_INPUTS,
                                 [POLICY_SEES_PLANES] = POLICY_INPUTS_MAX,
                                 [POLICY_SEES_LINES] = POLICY_LINES_INPUTS,
                                 [POLICY_SEES_SHOTS] = POLICY_SHOTS_INPUTS};
    return inputs[sees];
}

int policy_row(const struct policy_form *form)
{
    return form->actions + (form->has_scores ? POLICY_SCORES : 0);
}

struct net_spec policy_net_spec(const struct policy_form *form, uint64_t seed)
{
    struct net_spec spec = {
        .architecture = form->architecture,
        .inputs = policy_inputs(form->sees),
        .outputs = policy_row(form),
        .seed = seed,
    };

    memcpy(spec.hidden, form->hidden, sizeof spec.hidden);
    const struct network_architecture *architecture = network_architecture_find(form->architecture);
    if (form->sees == POLICY_SEES_PLANES) {
        spec.planes = PLANES;
    } else if (form->sees == POLICY_SEES_LINES) {
        spec.rows = LINES;
        spec.row_features = LINES_FEATURES;
    } else if (architecture && architecture->has_rows) {
        spec.rows = END_FEATURES_STONES;
        spec.row_features = 2 * END_FEATURES_PER_STONE;
    }
    return spec;
}

/* --- inputs --- */

void policy_fill_inputs(enum policy_sees sees, const struct position *position, int thrown,
                        enum seat mover, float *ret_inputs)
{
    if (sees == POLICY_SEES_PLANES) {
        planes_of(position, thrown, mover, ret_inputs);
        return;
    }
    if (sees == POLICY_SEES_LINES) { /* the inputs of stones follow */
        line_rows_of(position, thrown, mover, ret_inputs);
        ret_inputs += LINES * LINES_FEATURES;
    }
    end_features(position, ret_inputs);
    if (sees == POLICY_SEES_SHOTS) {
        memset(ret_inputs + END_FEATURES, 0, POLICY_SHOT_INPUTS * sizeof *ret_inputs);
        return;
    }
    for (int k = 0; k < POLICY_THROWN; k++)
        ret_inputs[END_FEATURES + k] = k == thrown ? 1.0f : 0.0f;
}

void policy_mirror_inputs(enum policy_sees sees, float *inputs)
{
    if (sees == POLICY_SEES_PLANES) {
        planes_mirror(PLANES, inputs);
        return;
    }
    if (sees == POLICY_SEES_LINES) {
        line_rows_mirror(inputs);
        inputs += LINES * LINES_FEATURES;
    }
    for (int k = 0; k < END_FEATURES_BLOCKS; k++) {
        float *x = &inputs[k * END_FEATURES_PER_STONE + END_FEATURES_X];
        *x = 0.0f - *x; /* not -*x: 0 stays +0 */
    }
}

/* --- files --- */

/* The form as the texts of a file; NULL when memory is short. */
static json_t *notes_of(const struct policy_form *form)
{
    char hidden[12 * NET_HIDDEN_MAX] = "";

    for (int k = 0, used = 0; k < NET_HIDDEN_MAX && form->hidden[k] > 0; k++)
        used += snprintf(hidden + used, sizeof hidden - (size_t)used, "%s%d", k ? "," : "",
                         form->hidden[k]);
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:o, s:o, s:s, s:s, s:s, s:o}", "rinkd.policy",
                     POLICY_VERSION, "profile", form->profile, "architecture", form->architecture,
                     "hidden", hidden, "sees", policy_sees_names[form->sees], "outputs",
                     policy_outputs_names[form->outputs], "actions",
                     json_sprintf("%d", form->actions), "scores",
                     json_sprintf("%d", form->has_scores ? POLICY_SCORES : 0), "algorithm",
                     form->algorithm, "policy", form->policy, "run", form->run, "step",
                     json_sprintf("%lld", (long long)form->step));
}

/* Reads a plain whole number from `least` to `most` and moves *at past it. */
static bool take_number(const char **at, long long least, long long most, long long *ret_number)
{
    const char *from = *at + (**at == '-');
    size_t digits = strspn(from, "0123456789");

    if (digits < 1 || digits > 18)
        return false;
    *ret_number = strtoll(*at, NULL, 10);
    *at = from + digits;
    return *ret_number >= least && *ret_number <= most;
}

static bool whole_number(const char *text, long long least, long long most, long long *ret_number)
{
    return take_number(&text, least, most, ret_number) && *text == '\0';
}

static bool hidden_of(const char *text, int ret_hidden[NET_HIDDEN_MAX])
{
    for (int k = 0; *text; k++) {
        long long width;
        if (k == NET_HIDDEN_MAX || (k > 0 && *text++ != ',') ||
            !take_number(&text, 1, INT32_MAX, &width))
            return false;
        ret_hidden[k] = (int)width;
    }
    return true;
}

static bool choice_of(const char *text, const char *const *choices, int *ret_index)
{
    for (int k = 0; choices[k]; k++)
        if (strcmp(text, choices[k]) == 0) {
            *ret_index = k;
            return true;
        }
    return false;
}

/* The text of that key; "" without one. */
static const char *note_of(const json_t *notes, const char *key)
{
    const char *text = json_string_value(json_object_get(notes, key));
    return text ? text : "";
}

/* Reads the form from the notes of a file. */
static enum net_status form_of(const json_t *notes, struct policy_form *ret_form, char *ret_error)
{
    struct policy_form form = {.step = -1};
    long long actions = 0, scores = 0, step = -1;
    const char *version = note_of(notes, "rinkd.policy"), *bad = NULL;
    int sees = 0, outputs = 0;

    if (version[0] == '\0')
        return refuse(NET_BAD_SHAPE, ret_error, "%s",
                      note_of(notes, END_VALUE_NOTE)[0]
                          ? "the file is an end-value network, not a policy"
                          : "the file is not a policy of rinkd");
    if (strcmp(version, POLICY_VERSION) != 0)
        return refuse(NET_BAD_SHAPE, ret_error,
                      "rinkd.policy: version '%.60s', this build reads " POLICY_VERSION, version);
    for (int k = 0; k < NAMES; k++)
        if (snprintf((char *)&form + names[k].offset, POLICY_NAME_MAX, "%s",
                     note_of(notes, names[k].key)) >= POLICY_NAME_MAX)
            bad = names[k].key;
    if (!hidden_of(note_of(notes, "hidden"), form.hidden))
        bad = "hidden";
    if (!choice_of(note_of(notes, "sees"), policy_sees_names, &sees))
        bad = "sees";
    if (!choice_of(note_of(notes, "outputs"), policy_outputs_names, &outputs))
        bad = "outputs";
    if (!whole_number(note_of(notes, "actions"), 1, POLICY_ACTIONS_MAX, &actions))
        bad = "actions";
    if (!whole_number(note_of(notes, "scores"), 0, POLICY_SCORES, &scores) ||
        (scores != 0 && scores != POLICY_SCORES))
        bad = "scores";
    if (!whole_number(note_of(notes, "step"), -1, INT64_MAX, &step))
        bad = "step";
    if (bad)
        return refuse(NET_BAD_SHAPE, ret_error, "%s: '%.60s' is not a valid value", bad,
                      note_of(notes, bad));
    form.sees = (enum policy_sees)sees;
    form.outputs = (enum policy_outputs)outputs;
    form.actions = (int)actions;
    form.has_scores = scores != 0;
    form.step = step;
    *ret_form = form;
    return policy_form_check(&form, ret_error) == NET_OK ? NET_OK : NET_BAD_SHAPE;
}

/* Lower bound of the number of weights of a form's networks: a hostile form may name any sizes. */
static double least_numbers(const struct policy_form *form)
{
    const struct net_spec spec = policy_net_spec(form, 0);
    double sum = 0.0;

    double nets = policy_nets(form);

    if (form->sees == POLICY_SEES_PLANES)
        return nets * 6.0 * 9.0 * form->hidden[0] * form->hidden[0];
    /* The layers shared by rows, or all layers. */
    int width = spec.row_features ? spec.row_features : spec.inputs;
    for (int k = 0; k < NET_HIDDEN_MAX && form->hidden[k] > 0; k++) {
        sum += (double)width * form->hidden[k];
        width = form->hidden[k];
    }
    int outputs = form->sees == POLICY_SEES_LINES ? spec.outputs / spec.rows : spec.outputs;
    return nets * (sum + (double)width * outputs);
}

/* Lists the tensors of all networks under their names in the file, the first network's first. */
static bool all_tensors(const struct policy_form *form, const struct net *const *net,
                        struct net_tensors *ret_tensors)
{
    const char *const *prefixes = form->sees == POLICY_SEES_SHOTS ? shot_names : seat_names;
    struct net_tensors one;

    ret_tensors->count = 0;
    for (int n = 0, each = 0; n < policy_nets(form); n++) {
        net[n]->kind->tensors(net[n], &one);
        if (n > 0 && one.weights != each)
            return false;
        each = one.weights;
        for (int k = 0; k < one.weights; k++) {
            if (ret_tensors->count == NET_TENSORS_MAX)
                return false;
            struct net_tensor *tensor = &ret_tensors->tensor[ret_tensors->count++];
            *tensor = one.tensor[k];
            int length = snprintf(tensor->name, sizeof tensor->name, "%s.%s", prefixes[n],
                                  one.tensor[k].name);
            if (length >= NET_TENSOR_NAME)
                return false;
        }
    }
    ret_tensors->weights = ret_tensors->count;
    return true;
}

static enum net_status write_nets(const struct policy_form *form, const struct net *const *net,
                                  unsigned char **ret_bytes, size_t *ret_size, char *ret_error)
{
    struct net_tensors tensors;

    enum net_status status = policy_form_check(form, ret_error);
    if (status != NET_OK)
        return status;
    if (!all_tensors(form, net, &tensors))
        return refuse(NET_BAD_SPEC, ret_error, "architecture: too many tensors for one file");
    json_t *notes = notes_of(form);
    status = notes ? net_file_write(net, policy_nets(form), &tensors, tensors.count, notes,
                                    ret_bytes, ret_size)
                   : NET_NO_MEMORY;
    json_decref(notes);
    return status == NET_OK ? NET_OK : refuse(status, ret_error, "%s", net_status_text(status));
}

enum net_status policy_write(const struct policy_form *form, const struct net *sente,
                             const struct net *gote, unsigned char **ret_bytes, size_t *ret_size,
                             char *ret_error)
{
    const struct net *const net[2] = {sente, gote};

    if (policy_nets(form) != 2)
        return refuse(NET_BAD_SPEC, ret_error, "sees: %s takes a network for each shot",
                      policy_sees_names[form->sees]);
    return write_nets(form, net, ret_bytes, ret_size, ret_error);
}

/* The networks of a policy, for functions that do not change them. */
static void nets_of(const struct policy *policy, const struct net *ret_net[POLICY_NETS_MAX])
{
    for (int n = 0; n < POLICY_NETS_MAX; n++)
        ret_net[n] = policy->net[n];
}

enum net_status policy_write_all(const struct policy *policy, unsigned char **ret_bytes,
                                 size_t *ret_size, char *ret_error)
{
    const struct net *net[POLICY_NETS_MAX];

    nets_of(policy, net);
    return write_nets(&policy->form, net, ret_bytes, ret_size, ret_error);
}

/* Makes a policy of that form, which has been checked, with fresh weights. */
static enum net_status make(const struct policy_form *form, uint64_t seed, const char *device,
                            struct policy **ret_policy, char *ret_error)
{
    struct policy *policy = calloc(1, sizeof *policy);
    enum net_status status = NET_OK;

    if (!policy)
        return refuse(NET_NO_MEMORY, ret_error, "%s", net_status_text(NET_NO_MEMORY));
    policy->form = *form;
    struct net_spec spec = policy_net_spec(&policy->form, seed);
    for (int n = 0; n < policy_nets(form) && status == NET_OK; n++, spec.seed++)
        status = net_new(&spec, device, &policy->net[n], ret_error);
    if (status != NET_OK) {
        policy_free(policy);
        return status;
    }
    *ret_policy = policy;
    return NET_OK;
}

enum net_status policy_new(const struct policy_form *form, uint64_t seed, const char *device,
                           struct policy **ret_policy, char *ret_error)
{
    enum net_status status = policy_form_check(form, ret_error);

    return status == NET_OK ? make(form, seed, device, ret_policy, ret_error) : status;
}

/* Reads the weights of all networks from a file. */
static enum net_status read_weights(struct policy *policy, const unsigned char *bytes, size_t size)
{
    const struct net *net[POLICY_NETS_MAX];
    struct net_tensors tensors;

    nets_of(policy, net);
    if (!all_tensors(&policy->form, net, &tensors))
        return NET_BAD_SHAPE;
    return net_file_read(policy->net, policy_nets(&policy->form), &tensors, tensors.count, bytes,
                         size, false);
}

enum net_status policy_read(const unsigned char *bytes, size_t size, const char *device,
                            struct policy **ret_policy, char *ret_error)
{
    struct policy_form form;
    struct policy *policy;
    json_t *notes;

    enum net_status status = net_file_notes(bytes, size, &notes);
    if (status != NET_OK)
        return refuse(status, ret_error, "%s", net_status_text(status));
    status = form_of(notes, &form, ret_error);
    json_decref(notes);
    if (status != NET_OK)
        return status;
    if (least_numbers(&form) * sizeof(float) > (double)size)
        return refuse(NET_BAD_SHAPE, ret_error, "hidden: the file is too small for such networks");
    status = make(&form, 1, device, &policy, ret_error);
    if (status == NET_BAD_SPEC)
        return NET_BAD_SHAPE; /* net_new() has named the field in ret_error */
    if (status != NET_OK)
        return status;
    status = read_weights(policy, bytes, size);
    if (status != NET_OK) {
        policy_free(policy);
        return refuse(status, ret_error, "%s", net_status_text(status));
    }
    policy_sha256(bytes, size, policy->sha256);
    *ret_policy = policy;
    return NET_OK;
}

void policy_sha256(const unsigned char *bytes, size_t size, char ret_hex[65])
{
    unsigned char hash[crypto_hash_sha256_BYTES];

    crypto_hash_sha256(hash, bytes, size);
    sodium_bin2hex(ret_hex, 65, hash, sizeof hash);
}

enum net_status policy_copy(const struct policy *policy, const char *device,
                            struct policy **ret_policy, char *ret_error)
{
    struct policy *copy;
    enum net_status status = make(&policy->form, 1, device, &copy, ret_error);

    if (status != NET_OK)
        return status;
    for (int n = 0; n < policy_nets(&policy->form) && status == NET_OK; n++)
        status = net_copy(policy->net[n], copy->net[n]);
    if (status != NET_OK) {
        policy_free(copy);
        return refuse(status, ret_error, "%s", net_status_text(status));
    }
    memcpy(copy->sha256, policy->sha256, sizeof copy->sha256);
    *ret_policy = copy;
    return NET_OK;
}

void policy_free(struct policy *policy)
{
    if (!policy)
        return;
    for (int n = 0; n < POLICY_NETS_MAX; n++)
        net_free(policy->net[n]);
    free(policy);
}

void policy_softmax(float *logits, int count)
{
    float most = logits[0], sum = 0.0f;

    for (int k = 1; k < count; k++)
        most = logits[k] > most ? logits[k] : most;
    for (int k = 0; k < count; k++) {
        logits[k] = expf(logits[k] - most);
        sum += logits[k];
    }
    for (int k = 0; k < count; k++)
        logits[k] /= sum;
}

void policy_scores(float scores[POLICY_SCORES])
{
    policy_softmax(scores, POLICY_SCORES);
}
