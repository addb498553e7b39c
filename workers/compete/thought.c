/* A thread that decides. See thought.h. */
#include "workers/compete/thought.h"

#include "models/ice/aim.h"
#include "models/networks/end_value.h"
#include "workers/compete/setup_choice.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* Often enough that a stopped search loses little. */
#define REPORT_S 0.05
/* Below this, time cannot be planned; this many throws take a few milliseconds. */
#define SHORT_S      0.02
#define SHORT_THROWS 500

struct thought {
    struct thinker thinker;
    struct situation situation;
    struct thought_limits limits;
    double start_s;
    int fd;
    atomic_bool cancel;
    atomic_int owners; /* the caller and the thread; the last one frees it */

    pthread_mutex_t lock; /* guards all below */
    bool has_so_far, is_done;
    struct decision so_far, decision;
};

static void release(struct thought *thought)
{
    if (atomic_fetch_sub(&thought->owners, 1) > 1)
        return;
    close(thought->fd);
    pthread_mutex_destroy(&thought->lock);
    free(thought);
}

static bool can_be_thrown(const struct situation *situation, struct shot shot)
{
    const struct game *game = &situation->game;
    const struct throw_request request =
        player_throw(game, situation->ice,
                     noise_apply(&situation->hands[game->shot], situation->ice, shot,
                                 (struct normal_pair){0.0, 0.0}));

    return throw_check(&request) == THROW_OK;
}

/* ---- without thinking ---- */

/* The player whose answer takes a fraction of a millisecond and needs no search: the policy that is
 * shipped for these rules. Without placed stones none is shipped. */
static bool quick_shot(const struct situation *situation, struct shot *ret_shot)
{
    const struct rules *rules = situation->game.rules;
    const struct player_query query = {
        .game = &situation->game,
        .ice = situation->ice,
        .noise = &situation->hands[situation->game.shot],
        .hands = situation->hands,
        .limits = {.simulations = SHORT_THROWS, .threads = 1},
    };
    struct player_answer answer;
    struct player player;
    char why[PLAYER_ERROR_MAX];

    if (!player_read(rules->preplaced > 0 ? "doubles-simple" : "nfsp", &player, sizeof why, why) ||
        (player.class->check_rules &&
         !player.class->check_rules(&player, rules, sizeof why, why)) ||
        player_choose(&player, &query, &answer) != PLAYER_OK ||
        !can_be_thrown(situation, answer.shot))
        return false;
    *ret_shot = answer.shot;
    return true;
}

/* Where even that has no answer: a draw whose path is free, or a stone in the house. */
static struct shot safe_shot(const struct situation *situation)
{
    static const struct vec2 places[] = {{0.0, 0.0},  {0.9, 0.0},   {-0.9, 0.0}, {0.0, -1.2},
                                         {1.4, -0.5}, {-1.4, -0.5}, {0.0, -2.6}};
    const struct ice_profile *ice = situation->ice;
    struct shot shot, best = {{0.0, 0.0}, ice->spin};
    bool found = false;

    for (size_t k = 0; k < sizeof places / sizeof places[0]; k++)
        for (int side = 0; side < 2; side++) {
            struct vec2 target = {SHEET_TEE_X + places[k].x, SHEET_TEE_Y + places[k].y};
            if (aim_draw(ice, target, side ? -ice->spin : ice->spin, &shot) != AIM_OK)
                continue;
            if (aim_first_touched(ice, &situation->game.position, &shot) < 0)
                return shot;
            best = found ? best : shot;
            found = true;
        }
    return best;
}

struct decision thought_safe(const struct situation *situation, const char *why)
{
    struct decision decision = {.fallback = why, .win = NAN};

    if (situation->asks_setup)
        decision.setup = setup_choose(situation, &decision.win);
    else if (!quick_shot(situation, &decision.shot))
        decision.shot = safe_shot(situation);
    return decision;
}

/* ---- the player ---- */

bool thinker_prepare(const struct thinker *thinker, const struct profile *profile, size_t size,
                     char *ret_why)
{
    const struct player_class *class = thinker->player.class;
    struct situation first = {.ice = profile->ice};
    struct player_answer answer;

    throw_warm_up(profile->ice);
    game_start(&profile->rules, 1, 0, 1, &first.game);
    for (int shot = 0; shot < POSITION_STONES; shot++)
        first.hands[shot] = noise_default(profile->ice, profile->ice->noise);
    (void)thought_safe(&first, ""); /* reads its network now rather than in need */
    const struct player_query query = {.game = &first.game,
                                       .ice = profile->ice,
                                       .noise = first.hands,
                                       .limits = {.simulations = SHORT_THROWS, .threads = 1}};
    if (class->check_rules && !class->check_rules(&thinker->player, &profile->rules, size, ret_why))
        return false;
    if (player_choose(&thinker->player, &query, &answer) == PLAYER_OK)
        return true;
    snprintf(ret_why, size, "the player %s cannot play: %s", class->name,
             end_value_blame("it gives no answer"));
    return false;
}

static struct decision decision_of(const struct thought *thought,
                                   const struct player_answer *answer)
{
    return (struct decision){
        .shot = answer->shot,
        .concede = answer->concede && thought->thinker.may_concede,
        .win = answer->has_value ? answer->win_probability : (double)NAN,
        .simulations = answer->simulations,
        .repeat = answer->simulations_to_repeat,
        .elapsed_s = clock_now_s() - thought->start_s,
    };
}

static void report(void *context, const struct player_answer *answer)
{
    struct thought *thought = context;

    pthread_mutex_lock(&thought->lock);
    thought->so_far = decision_of(thought, answer);
    thought->so_far.repeat = -1;
    thought->so_far.concede = false;
    thought->so_far.fallback = "the search was stopped";
    thought->has_so_far = true;
    pthread_mutex_unlock(&thought->lock);
}

static struct decision choose_shot(struct thought *thought)
{
    const struct situation *situation = &thought->situation;
    const struct game *game = &situation->game;
    const struct thought_limits *limits = &thought->limits;
    struct player_query query = {
        .game = game,
        .ice = situation->ice,
        .noise = &situation->hands[game->shot],
        .hands = situation->hands,
        .seen = situation->theirs.throw,
        .seen_count = situation->theirs.count,
        .limits = {.threads = thought->thinker.threads},
        .key = {.seed = thought->thinker.seed, .shot = (uint32_t)(16 * game->end + game->shot)},
        .cancel = &thought->cancel,
        .report = report,
        .context = thought,
        .report_interval_s = REPORT_S,
    };
    struct player_answer answer;

    if (limits->repeat > 0) {
        query.limits.simulations = limits->repeat;
    } else if (situation->has_clock) {
        query.stop_s = limits->stop_at_s;
        int64_t own = player_budget(&thought->thinker.player);
        if (limits->think_s >= SHORT_S)
            query.limits.time_s = limits->think_s;
        else
            query.limits.simulations = own > 0 && own < SHORT_THROWS ? own : SHORT_THROWS;
    }
    if (player_choose(&thought->thinker.player, &query, &answer) != PLAYER_OK)
        return thought_safe(situation, "the player failed");
    if (!can_be_thrown(situation, answer.shot))
        return thought_safe(situation, "the player chose a shot that cannot be thrown");
    if (player_searches(&thought->thinker.player) && answer.simulations == 0)
        return thought_safe(situation, "the search had no time for a throw");
    struct decision decision = decision_of(thought, &answer);
    if (answer.cancelled)
        decision.fallback = "the search was stopped";
    /* The last search of a timed answer may have ended with the time. */
    if (decision.repeat == 0 && answer.has_value && limits->repeat <= 0)
        decision.repeat = -1;
    return decision;
}

static void *think(void *context)
{
    struct thought *thought = context;
    const struct situation *situation = &thought->situation;
    const uint64_t ready = 1;
    struct decision decision;

    if (situation->asks_setup) {
        decision = (struct decision){.win = NAN};
        decision.setup = setup_choose(situation, &decision.win);
        decision.elapsed_s = clock_now_s() - thought->start_s;
    } else {
        decision = choose_shot(thought);
    }
    pthread_mutex_lock(&thought->lock);
    thought->decision = decision;
    thought->is_done = true;
    pthread_mutex_unlock(&thought->lock);
    (void)!write(thought->fd, &ready, sizeof ready);
    release(thought);
    return NULL;
}

/* ---- for the caller ---- */

struct thought *thought_begin(const struct thinker *thinker, const struct situation *situation,
                              const struct thought_limits *limits)
{
    struct thought *thought = calloc(1, sizeof *thought);
    pthread_t thread;

    if (!thought)
        return NULL;
    thought->thinker = *thinker;
    thought->situation = *situation;
    thought->limits = *limits;
    thought->start_s = clock_now_s();
    atomic_store(&thought->owners, 2);
    pthread_mutex_init(&thought->lock, NULL);
    thought->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (thought->fd >= 0 && pthread_create(&thread, NULL, think, thought) == 0) {
        pthread_detach(thread);
        return thought;
    }
    atomic_store(&thought->owners, 1);
    release(thought);
    return NULL;
}

int thought_fd(const struct thought *thought)
{
    return thought->fd;
}

struct decision thought_end(struct thought *thought)
{
    atomic_store(&thought->cancel, true);
    pthread_mutex_lock(&thought->lock);
    struct decision decision = thought->is_done      ? thought->decision
                               : thought->has_so_far ? thought->so_far
                                                     : (struct decision){.fallback = ""};
    bool is_known = thought->is_done || thought->has_so_far;
    pthread_mutex_unlock(&thought->lock);
    if (!is_known)
        decision = thought_safe(&thought->situation, "the player had no answer in time");
    decision.elapsed_s = clock_now_s() - thought->start_s;
    release(thought);
    return decision;
}
