/* Gradient descent for the end-value networks, in plain C: for networks this small, a framework's
 * call overhead would dominate. */
#include "workers/learn/values/end_value_fit.h"

#include "models/game/sheet.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 64 };

/* Decoupled weight decay (Loshchilov and Hutter, 2019) as a multiple of the learning rate. */
static const double WEIGHT_DECAY = 0.1;

void end_value_fit_start(const struct random_key *key, struct end_value_stage *ret_stage)
{
    uint64_t sample = 0;
    memset(ret_stage, 0, sizeof *ret_stage);
    /* He et al. 2015: variance 2 / inputs. The first layer has more, as most inputs are 0. */
    for (int i = 0; i < END_FEATURES; i++)
        for (int k = 0; k < END_VALUE_HIDDEN1; k++)
            ret_stage->weight1[i][k] = (float)(0.2 * random_normal_pair(key, sample++).z0);
    for (int i = 0; i < END_VALUE_HIDDEN1; i++)
        for (int k = 0; k < END_VALUE_HIDDEN2; k++)
            ret_stage->weight2[i][k] = (float)(0.17 * random_normal_pair(key, sample++).z0);
    for (int i = 0; i < END_VALUE_HIDDEN2; i++)
        for (int k = 0; k < END_VALUE_SCORES; k++)
            ret_stage->weight3[i][k] = (float)(0.1 * random_normal_pair(key, sample++).z0);
}

/* Adds the gradient of the weights of places. */
static void learn_places(const struct end_places *places, const float slope[END_VALUE_PLACED],
                         struct end_value_stage *gradient)
{
    for (int p = 0; p < places->count; p++)
        for (int corner = 0; corner < 4; corner++) {
            float *row = gradient->places[places->row[p] + end_places_corners[corner]];
            for (int k = 0; k < END_VALUE_PLACED; k++)
                row[k] += places->share[p][corner] * slope[k];
        }
}

/* Returns an example's cross-entropy and adds its gradient (NULL: forward pass only). */
static double learn(const struct end_value_stage *w, const struct end_value_inputs *inputs,
                    const float target[END_VALUE_SCORES], struct end_value_stage *gradient)
{
    struct end_value_layers layers;
    const float *x = inputs->features;
    end_value_forward(w, inputs, &layers);
    const float *one = layers.one, *two = layers.two, *out = layers.out;
    float d3[END_VALUE_LANES] = {0}, d2[END_VALUE_HIDDEN2], d1[END_VALUE_HIDDEN1];

    float most = out[0], sum = 0.0f;
    for (int k = 1; k < END_VALUE_SCORES; k++)
        most = out[k] > most ? out[k] : most;
    for (int k = 0; k < END_VALUE_SCORES; k++)
        sum += expf(out[k] - most);
    double entropy = 0.0;
    for (int k = 0; k < END_VALUE_SCORES; k++) {
        float log_p = out[k] - most - logf(sum);
        entropy -= (double)(target[k] * log_p);
        d3[k] = expf(log_p) - target[k];
    }
    if (!gradient)
        return entropy;

    for (int i = 0; i < END_VALUE_HIDDEN2; i++) {
        float back = 0.0f;
        if (two[i] > 0.0f)
            for (int k = 0; k < END_VALUE_LANES; k++) {
                gradient->weight3[i][k] += two[i] * d3[k];
                back += w->weight3[i][k] * d3[k];
            }
        d2[i] = back;
        gradient->bias2[i] += back;
    }
    for (int k = 0; k < END_VALUE_LANES; k++)
        gradient->bias3[k] += d3[k];
    for (int i = 0; i < END_VALUE_HIDDEN1; i++) {
        float back = 0.0f;
        if (one[i] > 0.0f)
            for (int k = 0; k < END_VALUE_HIDDEN2; k++) {
                gradient->weight2[i][k] += one[i] * d2[k];
                back += w->weight2[i][k] * d2[k];
            }
        d1[i] = back;
        gradient->bias1[i] += back;
    }
    for (int i = 0; i < END_FEATURES; i++)
        if (x[i] != 0.0f)
            for (int k = 0; k < END_VALUE_HIDDEN1; k++)
                gradient->weight1[i][k] += x[i] * d1[k];
    learn_places(&inputs->places, d1 + END_VALUE_HIDDEN1 - END_VALUE_PLACED, gradient);
    return entropy;
}

static double expected(const float scores[END_VALUE_SCORES])
{
    double sum = 0.0;
    for (int k = 0; k < END_VALUE_SCORES; k++)
        sum += (k - END_VALUE_ZERO) * (double)scores[k];
    return sum;
}

static void judge(const struct end_value_stage *stage, const struct end_value_example *examples,
                  size_t count, struct end_value_fit_report *ret_report)
{
    double entropy = 0.0, squares = 0.0, mean = 0.0, mean2 = 0.0;
    for (size_t k = 0; k < count; k++) {
        struct end_value_inputs inputs;
        float p[END_VALUE_SCORES];
        end_value_inputs(&examples[k].position, &inputs);
        end_value_of_inputs(stage, &inputs, p);
        double truth = expected(examples[k].scores), miss = expected(p) - truth;
        entropy += learn(stage, &inputs, examples[k].scores, NULL);
        squares += miss * miss;
        mean += truth;
        mean2 += truth * truth;
    }
    double n = count > 0 ? (double)count : 1.0;
    ret_report->entropy = entropy / n;
    ret_report->score_rms = sqrt(squares / n);
    ret_report->score_spread = sqrt(fmax(0.0, mean2 / n - mean / n * (mean / n)));
}

/* ---- fitting ---- */

struct end_value_fitting {
    const struct end_value_example *examples;
    size_t used, held_out; /* the last ones are held out */
    int epochs;
    double rate;
    struct random_key key;
    struct end_value_stage *stage, *gradient;
    size_t *order; /* [used] */
    float *mean, *square;
    uint64_t sample; /* of the key */
    long step, steps;
    int epoch;    /* finished */
    size_t first; /* example of the epoch's next batch */
};

struct end_value_fitting *end_value_fitting_new(const struct end_value_example *examples,
                                                size_t count, size_t held_out, int epochs,
                                                double rate, const struct random_key *key,
                                                struct end_value_stage *stage)
{
    struct end_value_fitting *fitting = malloc(sizeof *fitting);

    assert(held_out <= count);
    if (!fitting)
        return NULL;
    const size_t used = count - held_out;
    *fitting = (struct end_value_fitting){
        .examples = examples,
        .used = used,
        .held_out = held_out,
        .epochs = used > 0 ? epochs : 0,
        .rate = rate,
        .key = *key,
        .stage = stage,
        .gradient = aligned_alloc(_Alignof(struct end_value_stage), sizeof *fitting->gradient),
        .order = malloc((used ? used : 1) * sizeof *fitting->order),
        .mean = calloc(END_VALUE_WEIGHTS, sizeof *fitting->mean),
        .square = calloc(END_VALUE_WEIGHTS, sizeof *fitting->square),
        .steps = (long)((used + BATCH - 1) / BATCH) * epochs};
    if (fitting->order && fitting->gradient && fitting->mean && fitting->square) {
        for (size_t k = 0; k < used; k++)
            fitting->order[k] = k;
        if (!stage->has_places)
            memset(stage->places, 0, sizeof stage->places);
        stage->has_places = true;
        return fitting;
    }
    end_value_fitting_free(fitting);
    return NULL;
}

void end_value_fitting_free(struct end_value_fitting *fitting)
{
    if (!fitting)
        return;
    free(fitting->order);
    free(fitting->gradient);
    free(fitting->mean);
    free(fitting->square);
    free(fitting);
}

/* Fisher and Yates. */
static void shuffle(struct end_value_fitting *fitting)
{
    size_t *order = fitting->order;

    for (size_t k = fitting->used; k > 1; k--) {
        size_t other = (size_t)(random_uniform(&fitting->key, fitting->sample++) * (double)k);
        size_t swap = order[k - 1];
        order[k - 1] = order[other];
        order[other] = swap;
    }
}

/* Moves the weights against the mean gradient of `batch` examples. */
static void descend(struct end_value_fitting *fitting, size_t batch)
{
    double done = (double)++fitting->step / (double)fitting->steps;
    double now = fitting->rate * (0.01 + 0.99 * 0.5 * (1.0 + cos(3.14159265358979 * done)));
    float size = (float)(now * sqrt(1.0 - pow(0.999, (double)fitting->step)) /
                         (1.0 - pow(0.9, (double)fitting->step)));
    float shrink = (float)(now * WEIGHT_DECAY), *w = (float *)fitting->stage;
    float *mean = fitting->mean, *square = fitting->square;
    const float *g = (const float *)fitting->gradient;
    float part = 1.0f / (float)batch;

    for (size_t k = 0; k < END_VALUE_WEIGHTS; k++) {
        float slope = g[k] * part;
        mean[k] += 0.1f * (slope - mean[k]);
        square[k] += 0.001f * (slope * slope - square[k]);
        w[k] -= size * mean[k] / (sqrtf(square[k]) + 1e-8f) + shrink * w[k];
    }
}

static void learn_batch(struct end_value_fitting *fitting)
{
    const size_t left = fitting->used - fitting->first, batch = left < BATCH ? left : BATCH;

    memset(fitting->gradient, 0, sizeof *fitting->gradient);
    for (size_t k = 0; k < batch; k++) {
        const struct end_value_example *example =
            &fitting->examples[fitting->order[fitting->first + k]];
        struct end_value_inputs inputs;
        struct position position = example->position;
        if (random_uniform(&fitting->key, fitting->sample++) < 0.5)
            for (int s = 0; s < POSITION_STONES; s++)
                position.stone[s].x = 2.0 * SHEET_TEE_X - position.stone[s].x;
        end_value_inputs(&position, &inputs);
        learn(fitting->stage, &inputs, example->scores, fitting->gradient);
    }
    descend(fitting, batch);
    fitting->first += batch;
    if (fitting->first == fitting->used) {
        fitting->first = 0;
        fitting->epoch++;
    }
}

bool end_value_fitting_go(struct end_value_fitting *fitting, long batches)
{
    for (long k = 0; k < batches && fitting->epoch < fitting->epochs; k++) {
        if (fitting->first == 0)
            shuffle(fitting);
        learn_batch(fitting);
    }
    return fitting->epoch < fitting->epochs;
}

uint64_t end_value_fitting_batches(const struct end_value_fitting *fitting)
{
    return (uint64_t)fitting->step;
}

double end_value_fitting_share(const struct end_value_fitting *fitting)
{
    return fitting->steps > 0 ? (double)fitting->step / (double)fitting->steps : 1.0;
}

void end_value_fitting_judge(const struct end_value_fitting *fitting,
                             struct end_value_fit_report *ret_report)
{
    judge(fitting->stage, fitting->examples + fitting->used, fitting->held_out, ret_report);
}

bool end_value_fit(const struct end_value_example *examples, size_t count, int epochs, double rate,
                   const struct random_key *key, struct end_value_stage *stage,
                   struct end_value_fit_report *ret_report)
{
    struct end_value_fitting *fitting =
        end_value_fitting_new(examples, count, count / 10, epochs, rate, key, stage);

    if (!fitting)
        return false;
    end_value_fitting_go(fitting, LONG_MAX);
    end_value_fitting_judge(fitting, ret_report);
    end_value_fitting_free(fitting);
    return true;
}
