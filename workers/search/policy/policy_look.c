/* Turns the outputs of a network into probabilities. */
#include "workers/search/policy/policy_look.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Adds `share` of one row of outputs; `mirror`: the row is for the mirror image. False when a
 * number is not finite. */
static bool add_row(const struct policy_form *form, float *row, double temperature, bool mirror,
                    float share, struct policy_look *look)
{
    float chance[ACTIONS] = {0.0f}, most = -INFINITY, sum = 0.0f;
    const float sharpness = (float)(1.0 / temperature);

    for (int a = 0; a < ACTIONS; a++)
        if (action_is_playable(a) && row[a] > most)
            most = row[a];
    for (int a = 0; a < ACTIONS; a++)
        if (action_is_playable(a)) {
            chance[a] = expf((row[a] - most) * sharpness);
            sum += chance[a];
        }
    if (!isfinite(sum)) /* the largest term is 1, so an infinity or NaN is among them */
        return false;
    for (int a = 0; a < ACTIONS; a++)
        if (action_is_playable(a))
            look->chance[mirror ? action_mirror(a) : a] += share * chance[a] / sum;
    if (!form->has_scores)
        return true;
    policy_scores(row + form->actions);
    for (int k = 0; k < POLICY_SCORES; k++)
        look->scores[k] += share * row[form->actions + k];
    return isfinite(look->scores[0]);
}

enum net_status policy_look(struct policy *policy, const struct position *positions, int count,
                            int thrown, enum seat mover, double temperature, bool mirror,
                            struct policy_look *ret_looks)
{
    const struct policy_form *form = &policy->form;
    size_t inputs = (size_t)policy_inputs(form->sees), row = (size_t)policy_row(form);
    size_t rows = (size_t)count * (mirror ? 2 : 1);
    float *in = malloc(rows * (inputs + row) * sizeof *in), *out = in + rows * inputs;
    const float share = mirror ? 0.5f : 1.0f;

    if (!in)
        return NET_NO_MEMORY;
    for (int k = 0; k < count; k++) {
        float *plain = in + (size_t)k * inputs;
        policy_fill_inputs(form->sees, &positions[k], thrown, mover, plain);
        if (mirror) {
            float *mirrored = in + ((size_t)count + (size_t)k) * inputs;
            memcpy(mirrored, plain, inputs * sizeof *plain);
            policy_mirror_inputs(form->sees, mirrored);
        }
    }
    enum net_status status = net_evaluate(policy->net[mover], (int)rows, in, out);
    for (int k = 0; k < count && status == NET_OK; k++) {
        ret_looks[k] = (struct policy_look){.chance = {0.0f}};
        float *plain = out + (size_t)k * row, *mirrored = plain + (size_t)count * row;
        if (!add_row(form, plain, temperature, false, share, &ret_looks[k]) ||
            (mirror && !add_row(form, mirrored, temperature, true, share, &ret_looks[k])))
            status = NET_NOT_FINITE;
    }
    free(in);
    return status;
}

bool policy_expect(struct policy *policy, const struct position *position, int thrown,
                   enum seat mover, float ret_scores[POLICY_SCORES])
{
    const struct policy_form *form = &policy->form;
    size_t inputs = (size_t)policy_inputs(form->sees);
    float *in = malloc((inputs + (size_t)policy_row(form)) * sizeof *in), *out = in + inputs;

    if (!in)
        return false;
    policy_fill_inputs(form->sees, position, thrown, mover, in);
    bool good = net_evaluate(policy->net[mover], 1, in, out) == NET_OK;
    if (good) {
        memcpy(ret_scores, out + form->actions, POLICY_SCORES * sizeof *out);
        policy_scores(ret_scores);
        good = isfinite(ret_scores[0]);
    }
    free(in);
    return good;
}

int policy_look_best(const struct policy_look *look)
{
    int best = 0;
    for (int a = 1; a < ACTIONS; a++)
        if (look->chance[a] > look->chance[best])
            best = a;
    return best;
}

int policy_propose(const struct policy_look *look, int most, struct policy_proposal *ret_proposals)
{
    int count = 0;
    for (int a = 0; a < ACTIONS; a++) {
        float chance = look->chance[a];
        if (chance <= 0.0f || (count == most && chance <= ret_proposals[count - 1].chance))
            continue;
        int k = count < most ? count++ : count - 1;
        for (; k > 0 && ret_proposals[k - 1].chance < chance; k--)
            ret_proposals[k] = ret_proposals[k - 1];
        ret_proposals[k] = (struct policy_proposal){a, chance};
    }
    return count;
}
