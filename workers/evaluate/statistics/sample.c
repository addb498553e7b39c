/* Means and their errors. */
#include "workers/evaluate/statistics/sample.h"

#include "models/ice/normal.h"

#include <math.h>

void sample_add(struct sample *sample, double number)
{
    sample->count++;
    sample->sum += number;
    sample->squares += number * number;
}

double sample_mean(const struct sample *sample)
{
    return sample->sum / (double)sample->count;
}

double sample_variance(const struct sample *sample)
{
    double count = (double)sample->count;

    if (sample->count < 2)
        return (double)NAN;
    return fmax(sample->squares - sample->sum * sample->sum / count, 0.0) / (count - 1.0);
}

struct interval sample_interval(const struct sample *sample, double confidence)
{
    double z = -normal_quantile(0.5 * (1.0 - confidence)), freedom = (double)sample->count - 1.0;
    double t = z + (z * z * z + z) / (4.0 * freedom);
    double half = t * sqrt(sample_variance(sample) / (double)sample->count);

    return (struct interval){sample_mean(sample) - half, sample_mean(sample) + half};
}

void ratio_add(struct ratio *ratio, double s, double n)
{
    ratio->count++;
    ratio->s += s;
    ratio->n += n;
    ratio->ss += s * s;
    ratio->sn += s * n;
    ratio->nn += n * n;
}

double ratio_mean(const struct ratio *ratio)
{
    return ratio->s / ratio->n;
}

/* W. G. Cochran, "Sampling Techniques", section 6.4: the residuals of a pair are s - mean n. */
double ratio_error(const struct ratio *ratio)
{
    double mean = ratio_mean(ratio), count = (double)ratio->count;

    if (ratio->count < 2)
        return (double)NAN;
    double squares = ratio->ss - 2.0 * mean * ratio->sn + mean * mean * ratio->nn;
    return sqrt(fmax(squares, 0.0) * count / (count - 1.0)) / ratio->n;
}
