/* Evolution of networks against rule players: a population plays all its opponents on the same
 * hands; the best survive, and those above the mean of the survivors breed.
 *
 * Fitness of i: mean over opponents j of e_ij / max(n_j, 1), where e_ij is what i wins from j, in
 * big blinds a hand, and n_j the most that anybody wins. Children take each unit of the network
 * from one of two parents, in proportion to their fitness, and mutate: a falling share of their
 * weights changes by Gaussian steps of falling size.
 *
 * The champion of a generation is the one of its fittest `finalists` that wins most on other
 * hands, so that it is not the luckiest. All results depend on the seed and the settings alone, and
 * a run that is written and read goes on with the same bytes. */
#ifndef RINKD_WORKERS_HOLDEM_EVOLUTION_H
#define RINKD_WORKERS_HOLDEM_EVOLUTION_H

#include "workers/holdem/network_player.h"
#include "workers/holdem/rule_player.h"
#include "workers/pool.h"

#include <stdio.h>

/* Orders of the opponents. 1: all in each generation. 2: one more with each stage. 3: the first
 * half, then all. 4: the first half, the second half, then all. A stage has `stage` generations,
 * and the last stage has no end. */
enum { EVOLUTION_CURRICULA = 4 };

struct evolution_settings {
    uint64_t seed;
    struct poker_form form;
    int population, hands, finalists, validation_hands; /* hands: pairs against each opponent */
    double survival;
    double mutation_rate, mutation_strength; /* at first */
    int mutation_fall; /* generations until both have fallen to a tenth, where they stay */
    int curriculum, stage;
    int opponents;
    int opponent[POKER_STYLES]; /* numbers of rule players, in the order of the curriculum */
};

struct evolution;

struct evolution_report {
    int64_t generation; /* finished ones */
    int64_t hands;      /* played for fitness and validation, all generations */
    /* Of the last generation; NAN: none. champion and won_mbb on the hands of the validation; won:
     * mean over opponents, thousandths of a big blind a hand. */
    double best, mean, champion, won_mbb;
};

/* NULL: out of memory, or the settings are impossible (evolution_check()). For evolution_free(). */
struct evolution *evolution_new(const struct evolution_settings *settings, int threads);
void evolution_free(struct evolution *evolution); /* NULL is fine */

/* Why settings are impossible; NULL: they are not. */
const char *evolution_check(const struct evolution_settings *settings);

/* Plays some hands, and ends the generation if all are played. A step takes about a tenth of a
 * second. */
void evolution_step(struct evolution *evolution);

struct evolution_report evolution_report(const struct evolution *evolution);
/* The champion of the last generation, before the first one any; borrowed until the next step. */
struct poker_network evolution_champion(const struct evolution *evolution);

/* Writes and reads the whole state. Reading needs the same settings, apart from the seed and the
 * opponents. False: the file cannot be written, or is broken. */
bool evolution_write(const struct evolution *evolution, FILE *file);
bool evolution_read(struct evolution *evolution, FILE *file);

#endif
