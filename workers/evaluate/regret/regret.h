/* Regret: how much less the shot of a player is worth than the best one that the referee knows.
 *
 * The best shot is chosen on one half of the blocks and valued on the other, and the other way
 * round, so that its luck does not count for it (the winner's curse). What is left is a lower bound
 * of the true regret, as a better shot may exist; by chance it can be a little below 0. The player
 * is asked with several seeds: how often the referee cannot tell its shots apart is the agreement
 * of seeds. */
#ifndef RINKD_WORKERS_EVALUATE_REGRET_REGRET_H
#define RINKD_WORKERS_EVALUATE_REGRET_REGRET_H

#include "workers/evaluate/regret/referee_file.h"
#include "workers/evaluate/statistics/sample.h"

enum { REGRET_SEEDS_MAX = 8, REGRET_STAGES = 4 };

/* What to say when regret_measure() returns PLAYER_FAILED. */
#define REGRET_FAILED "the player gave no answer, or a shot that cannot be thrown"

struct regret_setting {
    enum referee_kind kind;
    struct player player;
    struct player_limits limits; /* of each answer; threads are not used */
    uint64_t seed, stream;       /* of the answers; those of the finalists are in referee_file.h */
    int seeds;                   /* answers for each position, 1 … REGRET_SEEDS_MAX */
    int threads;                 /* positions side by side */
    const atomic_bool *cancel;
    void (*progress)(void *context, int64_t done, bool resumed); /* NULL: none */
    void *context;
};

/* A position: means over the seeds. */
struct regret {
    bool left_out;              /* the player cannot play by its rules: nothing else is set */
    struct referee_value lost;  /* regret */
    struct referee_value noise; /* standard errors over blocks of `lost` */
    double agreement;           /* share of the pairs of seeds that agree; NAN for one seed */
    double throws, time_s;      /* of an answer */
};

/* Measures a player at positions from … from + count - 1 of the bench. The same bytes for any
 * number of threads, but for times. PLAYER_OK after a cancel, too. */
enum player_status regret_measure(const struct regret_setting *setting,
                                  const struct situations *situations,
                                  const struct refereed *refereed, int from, int count,
                                  struct regret *ret_regrets);

/* The part of the regret that the values of the blocks of one shot show. */
struct referee_value regret_of_shot(const struct refereed *refereed,
                                    const struct referee_value blocks[REFEREE_BLOCKS],
                                    struct referee_value *ret_noise);

/* False: the referee of this build values its first finalists otherwise than the file says, which
 * ret_error tells: the ice, the network of the bench or rink have changed since. Looks at a block
 * of the first position of each profile: for `adjusted` with at most four stones left, for
 * `playouts` with one. */
bool regret_check_referee(enum referee_kind kind, const struct situations *situations,
                          const struct refereed *refereed, int count,
                          char ret_error[SITUATIONS_ERROR_MAX]);

/* A group of positions in a result. */
struct regret_group {
    const char *name;
    struct sample win, points, agreement, throws, time_s;
};

/* All, each profile and each part of an end, without positions that were left out; groups without
 * positions are left out. Returns how many, at most REGRET_GROUPS_MAX. */
enum { REGRET_GROUPS_MAX = 8 };
int regret_groups(const struct situations *situations, const struct regret *regrets, int from,
                  int count, struct regret_group ret_groups[REGRET_GROUPS_MAX]);

#endif
