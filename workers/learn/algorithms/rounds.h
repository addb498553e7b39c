/* Learning in rounds: an algorithm makes many items (positions with values, samples of games) with
 * its newest weights, each independent of the others, fits to them, and begins the next round with
 * the weights that came out. A game of the run (learner.h) is a round.
 *
 * Every item is a function of the seed, the round and its number, so a round can be made by one
 * process (rounds_step()) or by many, each of which makes some shards (rounds_make(),
 * rounds_shard.h), and one that takes the items of all (rounds_take()) and fits. The weights are
 * the same bytes.
 *
 * What a process holds of a round can be made again: a run that is written and read continues at
 * the start of its round, and ends with the same weights. */
#ifndef RINKD_WORKERS_LEARN_ALGORITHMS_ROUNDS_H
#define RINKD_WORKERS_LEARN_ALGORITHMS_ROUNDS_H

#include "models/game/rules.h"
#include "models/game/vec2.h"
#include "models/networks/compact_position.h"
#include "models/networks/policy.h"
#include "workers/learn/algorithms/learner.h"
#include "workers/pool.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    ROUNDS_PARTS_MAX = 2,
    ROUNDS_QUALITY_MAX = 5,
    ROUNDS_SETTINGS_MAX = 32, /* doubles */
    ROUNDS_ITEM_MAX = 8192    /* bytes of an item in a file */
};

struct rounds;

/* A kind of items. Each round uses one batch of them; several rounds may share a batch. */
struct rounds_part {
    const char *name;  /* in names of files */
    size_t item_bytes; /* of one in a file, at most ROUNDS_ITEM_MAX */
    size_t at_once;    /* items of a step */
    bool counts;       /* among the decisions of the run */

    /* Returns how many items the round with this number uses; 0: none of this kind. */
    size_t (*wanted)(const double *settings, uint64_t round);
    /* Returns the first round that uses the batch of this one. */
    uint64_t (*batch)(uint64_t round);
    /* Prepares the next calls of make(), with the weights at the start of the round. */
    void (*prepare)(struct rounds *rounds);
    /* Makes item number `index` of the round; several threads. False: it cannot be played. */
    bool (*make)(struct rounds *rounds, size_t index, int thread);
    /* Writes an item that was made, in the same bytes on every machine. */
    void (*pack)(const struct rounds *rounds, size_t index, unsigned char *ret_bytes);
    /* Whether bytes can be an item of this round under the rules: what is not finite, out of range
     * or does not add up is refused. */
    bool (*is_sound)(const unsigned char *bytes, const struct rules *rules, uint64_t round);
    /* Takes an item that is sound, as if it had been made here. */
    void (*take)(struct rounds *rounds, size_t index, const unsigned char *bytes);
};

enum rounds_fit { ROUNDS_GOES_ON, ROUNDS_FITTED, ROUNDS_FAILED };

/* An algorithm in rounds. */
struct rounds_class {
    char magic[8]; /* a checkpoint begins with it */
    const struct hyper_field *fields;
    int field_count;
    uint64_t rounds_most;
    int quality; /* numbers that judge a round: rounds_state.quality */
    int parts;   /* in the order in which they are made */
    struct rounds_part part[ROUNDS_PARTS_MAX];

    /* Returns the shares of the work of a round that making and fitting take, in any unit. */
    void (*costs)(const double *settings, uint64_t round, double *ret_make, double *ret_fit);
    /* Prepares round rounds->state.games: its first weights, room for its items. */
    bool (*begin)(struct rounds *rounds, char *ret_error);
    /* Does a part of the fit to all items, and adds to state.updates and `updated`. ROUNDS_FITTED:
     * it was the last part, the weights are the run's and state.quality is set. ROUNDS_FAILED: with
     * a sentence. */
    enum rounds_fit (*fit)(struct rounds *rounds, char *ret_error);
    double (*fitted)(const struct rounds *rounds); /* share of the fit that is done */
    /* Write and read the networks of the run. */
    bool (*write)(const struct rounds *rounds, FILE *file);
    bool (*read)(struct rounds *rounds, FILE *file);
};

/* What is written of a run besides its networks. */
struct rounds_state {
    uint64_t games; /* finished rounds */
    uint64_t items, updates;
    double quality[ROUNDS_QUALITY_MAX]; /* of the last round */
};

/* The first member of the struct of every run in rounds. */
struct rounds {
    struct learner learner; /* must be first */
    const struct rounds_class *class;
    const struct rules *rules; /* of the game */
    struct learner_common common;
    double settings[ROUNDS_SETTINGS_MAX]; /* hyper-parameters in the order of the fields */
    struct pool *pool;
    struct rounds_state state;
    bool is_judged; /* state.quality is known */

    /* of the round */
    size_t made[ROUNDS_PARTS_MAX]; /* items that are there, from 0 on */
    uint64_t counted;              /* of them, in state.items */
    uint64_t updated;              /* in state.updates */
    double play_s, learn_s;
};

/* Returns the run, if its algorithm learns in rounds, else NULL. */
struct rounds *rounds_of(struct learner *learner);

/* Fills `settings` from hyper-parameters. */
void rounds_settings(const struct rounds_class *class, const struct learner_hyper *hyper,
                     double ret_settings[ROUNDS_SETTINGS_MAX]);

/* Sets up the common part of a new run, zeroed but for its class. False: no memory. */
bool rounds_set_up(struct rounds *rounds, const struct rounds_class *class,
                   const struct rules *rules, const struct learner_common *common,
                   const struct learner_hyper *hyper);
/* Frees what that made. */
void rounds_clean_up(struct rounds *rounds);

/* Begins the round that state.games names. */
bool rounds_begin(struct rounds *rounds, char *ret_error);

/* Makes some of the items that are missing, or does a part of the fit: learner_class.step. */
bool rounds_step(struct learner *learner, char ret_error[LEARNER_ERROR_MAX]);

/* Fills in what all such runs report. */
void rounds_report(const struct rounds *rounds, struct learner_report *ret_report);
/* Returns the finished rounds and the done share of the present one. */
double rounds_work(const struct rounds *rounds);

/* Returns how much of the fit of round `round` is done, 0 … 1. */
double rounds_share_of(const struct rounds *rounds, int64_t round);

/* learner_class.write, and the reading of what it wrote. The round in progress begins anew. False:
 * it cannot be written; it is broken or belongs to other settings. */
bool rounds_write(const struct learner *learner, FILE *file);
bool rounds_read(struct rounds *rounds, FILE *file);

/* Whether a stone in play can lie there, roughly: for rounds_part.is_sound. */
bool rounds_on_sheet(const struct rules *rules, struct vec2 at);
/* Whether these can be stones in play, all of them thrown, with 0 for the others. */
bool rounds_is_position(const struct rules *rules, const struct compact_position *position);

/* Write a policy, or that there is none (NULL), and read it back. The caller of the reading frees
 * it. False: it cannot be written; it is broken or of another form. */
bool rounds_write_policy(const struct policy *policy, FILE *file);
bool rounds_read_policy(FILE *file, const struct policy_form *form, struct policy **ret_policy);

/* ---- a round by many processes ---- */

/* Makes the items first … first + count - 1 of the round, within those it wants. Parts before it
 * must be complete. False: a sentence, or `stop` became true and the sentence is empty. */
bool rounds_make(struct rounds *rounds, int part, size_t first, size_t count,
                 const atomic_bool *stop, char ret_error[LEARNER_ERROR_MAX]);

/* Takes an item that another process has made, the next one of its part. False: it is not sound, or
 * no more are wanted. */
bool rounds_take(struct rounds *rounds, int part, const unsigned char *bytes);
/* The items of a part are complete. */
bool rounds_is_complete(const struct rounds *rounds, int part);

#endif
