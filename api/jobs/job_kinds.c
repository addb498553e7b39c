/* The table of the kinds of jobs, and the fields of their specs. See job_kinds.h. */
#include "api/jobs/job_kinds.h"

#include "api/base/quoted.h"
#include "api/curling/log_file.h"
#include "api/curling/match_record.h"
#include "api/fields/job_field_rows.h"
#include "api/jobs/train_spec.h"
#include "models/game/position.h"
#include "models/tables/noise_kinds.h"
#include "models/tables/profiles.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PAIRS_MAX   10000000
#define THREADS_MAX 256
#define ELO_MAX     1000
#define ENDS_MAX    10000000

/* ---- fields shared by several kinds ---- */

#define PLAYER(key, text)                                \
    {                                                    \
        .name = key, .type = FIELD_PLAYER, .about = text \
    }

/* … or several that take turns */
#define SIDE(key, text)                                                      \
    {                                                                        \
        .name = key, .type = FIELD_PLAYER, .may_switch = true, .about = text \
    }

#define THREADS                         \
    WHOLE("threads", 1, THREADS_MAX, 1, \
          "threads; they do not change the result unless moves have a time limit")
#define LENGTH                                                       \
    WHOLE("ends", 1, PAIR_ENDS_MAX, PAIR_ENDS, "ends of a game"),    \
        WHOLE("extra_ends", 0, PAIR_EXTRA_ENDS_MAX, PAIR_EXTRA_ENDS, \
              "most extra ends after a tie; a game still tied after them is a draw")
#define HAND_FIELD(kind, setting, suffix, unit, of_people, smallest, largest, initial, text) \
    {.name = #setting,                                                                       \
     .type = FIELD_NUMBER,                                                                   \
     .absent = FIELD_LEFT_OUT,                                                               \
     .number = {.least = smallest, .most = largest},                                         \
     .about = text ", " unit},
static const struct field hand_fields[] = {NOISE_SETTINGS_ASKED(HAND_FIELD){0}};
#undef HAND_FIELD

#define HAND                                                                                      \
    {                                                                                             \
        .name = "noise", .type = FIELD_OBJECT, .absent = FIELD_LEFT_OUT, .fields = hand_fields,   \
        .about = "errors of both teams' hands: settings of the profile's kind of noise; absent: " \
                 "the profile's own"                                                              \
    }
#define PLAY                                                                                     \
    PROFILE, LENGTH,                                                                             \
        WHOLE("luck", 0, LUCK_THROWS_MAX, 0,                                                     \
              "throws that measure the luck of each shot, for results adjusted for luck beside " \
              "those as played; 0: none"),                                                       \
        {.name = "luck_by",                                                                      \
         .type = FIELD_CHOICE,                                                                   \
         .absent = FIELD_DEFAULT,                                                                \
         .choices = job_luck_by,                                                                 \
         .before = JOB_LUCK_BY_BEFORE,                                                           \
         .about = JOB_LUCK_BY_ABOUT},                                                            \
        WHOLE("pairs", 1, PAIRS_MAX, 100,                                                        \
              "pairs of games between two players: the same random numbers, seats swapped"),     \
        SEED, THREADS, LIMITS, HAND

/* Each profile has one kind of noise. */
static void hand_finish(const struct strict_place *place, json_t *spec)
{
    const char *name = json_string_value(json_object_get(spec, "profile"));
    const struct profile *profile = name ? profile_find(name) : NULL;
    const struct strict_place noise = strict_member(place, "noise");
    const struct noise_setting *setting;

    for (int k = 0; profile && (setting = noise_setting_at(k)) != NULL; k++) {
        const struct strict_place field = strict_member(&noise, setting->name);
        if (!strict_is_missing(&field) && !noise_setting_fits(setting, profile->ice->noise))
            strict_refuse(&field, "not_applicable", "the noise of profile %s has no such setting",
                          name);
    }
}

/* Seconds of all games of a match or a tournament, if each move has a time limit. */
static double play_estimate_s(const json_t *spec)
{
    const json_t *limits = json_object_get(spec, "limits");
    double time_s = json_number_value(json_object_get(limits, "time_ms")) / 1000.0;
    double ends = json_number_value(json_object_get(spec, "ends")) +
                  json_number_value(json_object_get(spec, "extra_ends"));
    double players = (double)json_array_size(json_object_get(spec, "players"));
    double pairings = players > 0.0 ? players * (players - 1.0) / 2.0 : 1.0;
    double games = 2.0 * pairings * json_number_value(json_object_get(spec, "pairs"));

    if (time_s == 0.0)
        return NAN;
    const struct profile *profile =
        profile_find(json_string_value(json_object_get(spec, "profile")));
    return games * ends * (profile ? profile->rules.shots : POSITION_STONES) * time_s /
           json_number_value(json_object_get(spec, "threads"));
}

/* ---- train ---- */

static const char *const runs_rows[] = {"runs", NULL};
static const struct job_view train_views[] = {
    {.columns =
         (const struct job_column[]){
             {"algorithm", "algorithm", NULL, JOB_TEXT},
             {"reward", "reward", NULL, JOB_TEXT},
             {"profile", "profile", NULL, JOB_TEXT},
             {"iterations", "ends (evolve: generations, value: stages, policy-value: rounds)", NULL,
              JOB_NUMBER},
             {0}}},
    {.rows = runs_rows,
     .columns = (const struct job_column[]){{"seed", "seed", NULL, JOB_NUMBER},
                                            {"ends", "ends", NULL, JOB_NUMBER},
                                            {"cpu_s", "processor time", NULL, JOB_DURATION},
                                            {"run", "run", NULL, JOB_TEXT},
                                            {"judged", "measured", NULL, JOB_FIGURES},
                                            {0}}},
    {0}};
static const struct job_curve train_curves[] = {
    {"pair_score", "Pairs won",
     "pairs won by the test of the papers: two ends, seats swapped, points added up; a draw as "
     "half, with 95 % intervals",
     "%", 0, 100},
    {"win_rate", "Win rate", "share of points in games of two ends, with 95 % intervals", "%", 0,
     100},
    {"win_rate_adjusted", "Win rate, adjusted for luck",
     "the same games adjusted for luck, with 95 % intervals", "%", 0, 0},
    {"exploitability", "Exploitability",
     "points that the best of a few responders wins from the likeliest actions (sampled: from "
     "actions drawn from the policy), with 95 % intervals: a lower bound; a sum below 0 says that "
     "the responders are too weak",
     "points/end", 0, 0},
    {"reward", "Reward", "mean reward of roughly the last thousand ends", NULL, 0, 0},
    {"fitness", "Fitness", "share of what the best agent wins, mean over opponents", NULL, 0, 0},
    {"won", "Winnings", "mean over opponents, on hands that chose nobody", "mbb/hand", 0, 0},
    {"held_out", "Error in new ends",
     "value: error of the expected score (rms, root mean square) in ends that no stage has learned "
     "from, and the error of a constant guess (spread)",
     "points/end", 0, 0},
    {"value", "Last stage fitted", "the stage that was fitted last: shots thrown, and the sweep",
     NULL, 0, 0},
    {"loss", "Loss",
     "losses of the networks; value: cross-entropy to the end's score, in nats, in ends that no "
     "stage has learned from; policy-value: the same to the end's score and to the shots, in new "
     "ends (floor: what the loss of shots cannot fall below)",
     NULL, 0, 0},
    {"among_20", "Best shot among the 20 likeliest",
     "policy-value: share of the positions of new ends whose best shot is among the 20 likeliest",
     NULL, 0, 1},
    {"entropy", "Entropy", "entropy of the policy", "nats", 0, 0},
    {"tendency", "Kinds of shots", "share of each kind of shot", NULL, 0, 1},
    {"ends_per_s", "Ends played", "ends played for learning", "1/s", 0, 0},
    {"shots_per_s", "Shots thrown", "shots thrown", "1/s", 0, 0},
    {"share", "Processor time by part", "share of the processor time", NULL, 0, 1},
    {"memory", "Memory", "entries in each memory", NULL, 0, 0},
    {"explore", "Random shots", "share of random shots", NULL, 0, 1},
    {"eta", "Ends by the best response", "share of ends played by the best response", NULL, 0, 1},
    {"cpu_s", "Processor time", "processor time of learning", "s", 0, 0},
    {0}};

/* ---- match ---- */

const char *const job_sprt_values[] = {
    [JOB_SPRT_PLAIN] = "plain", [JOB_SPRT_ADJUSTED] = "adjusted", NULL};
static const struct field sprt_fields[] = {
    NUMBER("elo0", -ELO_MAX, ELO_MAX, JOB_SPRT_ELO0, "Elo difference under the first hypothesis"),
    NUMBER("elo1", -ELO_MAX, ELO_MAX, JOB_SPRT_ELO1,
           "Elo difference under the second hypothesis, more than elo0"),
    CHOICE("values", job_sprt_values,
           "results of pairs that the test looks at: plain, or adjusted for luck (needs luck)"),
    {0}};
static const struct field match_fields[] = {
    SIDE("a", "the player whose score is shown"),
    SIDE("b", "the other player; switch:A|B,every=GAMES: several that take turns"),
    PLAY,
    {.name = "sprt",
     .type = FIELD_OBJECT,
     .absent = FIELD_LEFT_OUT,
     .fields = sprt_fields,
     .about = "stop as soon as a sequential test decides; pairs is then the maximum"},
    {0}};

static void match_finish(const struct strict_place *place, json_t *spec)
{
    const json_t *sprt = json_object_get(spec, "sprt");
    double elo0 = json_number_value(json_object_get(sprt, "elo0"));
    double elo1 = json_number_value(json_object_get(sprt, "elo1"));

    if (sprt && elo0 >= elo1) {
        const struct strict_place place_sprt = strict_member(place, "sprt");
        const struct strict_place place_elo1 = strict_member(&place_sprt, "elo1");
        strict_refuse(&place_elo1, "value", "must be more than elo0");
    }
    const char *values = json_string_value(json_object_get(sprt, "values"));
    if (values && strcmp(values, job_sprt_values[JOB_SPRT_ADJUSTED]) == 0 &&
        json_integer_value(json_object_get(spec, "luck")) == 0) {
        const struct strict_place place_luck = strict_member(place, "luck");
        strict_refuse(&place_luck, "value", "must be more than 0 for adjusted values");
    }
    hand_finish(place, spec);
}

static const char *const side_rows[] = {"a", "b", NULL};
static const struct job_view match_views[] = {
    {.columns =
         (const struct job_column[]){
             {"sprt.reading", "verdict", NULL, JOB_TEXT},
             {"a.player", "a", NULL, JOB_TEXT},
             {"b.player", "b", NULL, JOB_TEXT},
             {"profile", "profile", NULL, JOB_TEXT},
             {"ends", "ends", NULL, JOB_NUMBER},
             {"extra_ends", "extra ends", NULL, JOB_NUMBER},
             {"pairs", "pairs", NULL, JOB_NUMBER},
             {"win_percent", "a wins", "%", JOB_TENTHS},
             {"interval_percent", "95 % interval", "%", JOB_INTERVAL},
             {"bootstrap_percent", "by bootstrap", "%", JOB_INTERVAL},
             {"pair_score.percent", "a wins, pairs by score", "%", JOB_TENTHS},
             {"pair_score.interval_percent", "95 % interval of that", "%", JOB_INTERVAL},
             {"luck.win_percent", "a wins, adjusted for luck", "%", JOB_TENTHS},
             {"luck.interval_percent", "95 % interval of that", "%", JOB_INTERVAL},
             {"luck.variance_share", "its variance, of that as played", NULL, JOB_NUMBER},
             {"luck.played", "a - b in these pairs, as played", "points/end", JOB_MEAN},
             {"luck.adjusted", "a - b, adjusted for luck", "points/end", JOB_MEAN},
             {"luck.points_variance_share", "its variance, of that as played", NULL, JOB_NUMBER},
             {"elo", "a - b", "Elo", JOB_SIGNED},
             {"elo_interval", "95 % interval of that", "Elo", JOB_INTERVAL},
             {"games_with_extra_ends", "games with extra ends", NULL, JOB_NUMBER},
             {"sprt.values", "values of the test", NULL, JOB_TEXT},
             {"sprt.log_likelihood_ratio", "log-likelihood ratio", NULL, JOB_SIGNED},
             {"sprt.bounds", "its bounds", NULL, JOB_INTERVAL},
             {0}}},
    {.rows = side_rows,
     .columns =
         (const struct job_column[]){
             {"player", "player", NULL, JOB_TEXT},
             {"games.wins", "wins", NULL, JOB_NUMBER},
             {"games.draws", "draws", NULL, JOB_NUMBER},
             {"games.losses", "losses", NULL, JOB_NUMBER},
             {"ends.gote", "with hammer", "points/end", JOB_MEAN},
             {"ends.sente", "without", "points/end", JOB_MEAN},
             {"effort.elapsed_ms_per_move", "a move", "ms", JOB_TENTHS},
             {"effort.simulations_per_move", "simulations of a move", NULL, JOB_TENTHS},
             {0}}},
    {.rows = side_rows,
     .columns =
         (const struct job_column[]){
             {"player", "player", NULL, JOB_TEXT},
             {"with_first_hammer", "with first hammer", NULL, JOB_FIGURES},
             {"without_first_hammer", "without first hammer", NULL, JOB_FIGURES},
             {0}}},
    {0}};

/* ---- tournament ---- */

static const struct field tournament_fields[] = {{.name = "players",
                                                  .type = FIELD_PLAYERS,
                                                  .list = {.least = 2, .most = 32, .differ = true},
                                                  .about = "players; everyone plays everyone else"},
                                                 PLAY,
                                                 {0}};

static const char *const ladder_rows[] = {"ladder", NULL};
static const char *const pairing_rows[] = {"pairings", NULL};
static const struct job_view tournament_views[] = {
    {.rows = ladder_rows,
     .columns =
         (const struct job_column[]){{"number", "number", NULL, JOB_NUMBER},
                                     {"player", "player", NULL, JOB_TEXT},
                                     {"elo", "Elo", NULL, JOB_TENTHS},
                                     {"interval", "95 % interval", "Elo", JOB_INTERVAL},
                                     {"win_percent", "wins", "%", JOB_TENTHS},
                                     {"effort.elapsed_ms_per_move", "a move", "ms", JOB_TENTHS},
                                     {0}}},
    {.rows = pairing_rows,
     .columns =
         (const struct job_column[]){
             {"players", "players", NULL, JOB_TEXT},
             {"win_percent", "first wins", "%", JOB_TENTHS},
             {"interval_percent", "95 % interval", "%", JOB_INTERVAL},
             {"luck.win_percent", "adjusted for luck", "%", JOB_TENTHS},
             {"luck.interval_percent", "95 % interval of that", "%", JOB_INTERVAL},
             {"residual_deviations", "above what the ratings expect", "standard deviations",
              JOB_SIGNED},
             {0}}},
    {.columns =
         (const struct job_column[]){
             {"games_with_extra_ends", "games with extra ends", NULL, JOB_NUMBER},
             {"first_hammer.elo", "first hammer", "Elo", JOB_TENTHS},
             {"first_hammer.interval", "95 % interval of that", "Elo", JOB_INTERVAL},
             {"davidson.nu", "nu of Davidson's model of draws", NULL, JOB_NUMBER},
             {"davidson.largest_difference.elo", "largest change by it", "Elo", JOB_SIGNED},
             {"davidson.largest_difference.player", "player it changes most", NULL, JOB_TEXT},
             {0}}},
    {0}};

/* ---- exploitability ---- */

static const struct field exploitability_fields[] = {
    PLAYER("player", "the player to measure"),
    {.name = "responders",
     .type = FIELD_RESPONDERS,
     .absent = FIELD_DEFAULT,
     .list = {.least = 1, .most = 16, .text = "[" QUOTED(JOB_RESPONDERS) "]"},
     .about = "players, \"local\" (searches for the best shots against the player) or "
              "\"local/PLAYER\" (the same, with later shots by PLAYER); the best one "
              "counts. " JOB_RESPONDER_ALWAYS " is always among them"},
    PROFILE,
    WHOLE("ends", 2, ENDS_MAX, 1000, "ends against each seat"),
    WHOLE("selection_ends", 2, ENDS_MAX, 200,
          "separate ends per responder and seat, which decide which responder is best"),
    SEED,
    THREADS,
    LIMITS,
    {0}};
static const char *const policy_rows[] = {"policies", NULL};
static const char *const responder_rows[] = {"columns", NULL};
static const struct job_view exploitability_views[] = {
    {.columns =
         (const struct job_column[]){
             {"player", "player", NULL, JOB_TEXT},
             {"profile", "profile", NULL, JOB_TEXT},
             {"ends", "ends", NULL, JOB_NUMBER},
             {"sente", "from it without the hammer", "points/end", JOB_MEAN},
             {"gote", "from it with the hammer", "points/end", JOB_MEAN},
             {"nash_conv", "sum", "points/end", JOB_MEAN},
             {"reading", "what it says", NULL, JOB_TEXT},
             {"best.sente", "best against it without", NULL, JOB_TEXT},
             {"best.gote", "best against it with", NULL, JOB_TEXT},
             {0}}},
    {.rows = policy_rows,
     .columns =
         (const struct job_column[]){
             {"choice", "actions of the policy", NULL, JOB_TEXT},
             {"sente", "from it without the hammer", "points/end", JOB_MEAN},
             {"gote", "from it with the hammer", "points/end", JOB_MEAN},
             {"nash_conv", "sum", "points/end", JOB_MEAN},
             {"reading", "what it says", NULL, JOB_TEXT},
             {0}}},
    {.rows = responder_rows,
     .columns =
         (const struct job_column[]){
             {"responder", "all responders", NULL, JOB_TEXT},
             {"sente", "without the hammer, ends of the selection", "points/end", JOB_MEAN},
             {"gote", "with the hammer, ends of the selection", "points/end", JOB_MEAN},
             {0}}},
    {0}};

/* ---- regret ---- */

const char *const job_referee_values[] = {[REFEREE_ADJUSTED] = "adjusted",
                                          [REFEREE_DEEP] = "deep",
                                          [REFEREE_PLAYOUTS] = "playouts",
                                          NULL};
static const struct field regret_fields[] = {
    PLAYER("player", "the player to measure"),
    CHOICE("referee", job_referee_values,
           "who values the shots: play-outs without the luck of the throws, a deep search with "
           "replies by a network that is kept, or a third as many play-outs as they come"),
    WHOLE("positions", 1, JOB_SITUATIONS_MAX, JOB_SITUATIONS_MAX,
          "positions of the bench, the first ones"),
    WHOLE("seeds", 1, 8, JOB_REGRET_SEEDS,
          "answers to each position, with seeds one after another"),
    SEED,
    THREADS,
    LIMITS,
    {0}};
static const char *const group_rows[] = {"groups", NULL};
static const struct job_view regret_views[] = {
    {.columns = (const struct job_column[]){{"player", "player", NULL, JOB_TEXT},
                                            {"referee", "referee", NULL, JOB_TEXT},
                                            {"positions", "positions", NULL, JOB_NUMBER},
                                            {"left_out", "left out", NULL, JOB_NUMBER},
                                            {"seeds", "answers to each", NULL, JOB_NUMBER},
                                            {"reading", "what it says", NULL, JOB_TEXT},
                                            {0}}},
    {.rows = group_rows,
     .columns =
         (const struct job_column[]){
             {"of", "positions", NULL, JOB_TEXT},
             {"positions", "number", NULL, JOB_NUMBER},
             {"lost_percent", "chance of winning lost", "%", JOB_NUMBER},
             {"interval_percent", "95 % interval", "%", JOB_INTERVAL},
             {"lost_points", "points lost", "points/end", JOB_NUMBER},
             {"points_interval", "95 % interval", "points/end", JOB_INTERVAL},
             {"agreement_percent", "seeds agree", "%", JOB_TENTHS},
             {"throws", "throws of an answer", NULL, JOB_NUMBER},
             {"effort.time_ms", "time of an answer", "ms", JOB_NUMBER},
             {0}}},
    {0}};

/* ---- diagnose ---- */

static const struct field diagnose_fields[] = {
    PROFILE, WHOLE("seconds", 1, 600, 10, "seconds to measure"), SEED, {0}};

static double diagnose_estimate_s(const json_t *spec)
{
    return json_number_value(json_object_get(spec, "seconds"));
}

static const struct job_view diagnose_views[] = {
    {.columns =
         (const struct job_column[]){{"profile", "profile", NULL, JOB_TEXT},
                                     {"seconds", "measured for", NULL, JOB_DURATION},
                                     {"throws_per_s", "simulator", "throws/s", JOB_NUMBER},
                                     {"search_throws_per_s", "search", "throws/s", JOB_NUMBER},
                                     {0}}},
    {0}};
static const struct job_curve diagnose_curves[] = {
    {"throws_per_s", "Throws of the simulator", "throws of the simulator alone", "1/s", 0, 0},
    {"search_throws_per_s", "Throws of the search", "throws of the search", "1/s", 0, 0},
    {0}};

/* ---- poker-match ---- */

#define POKER_PLAYER(key, text)                         \
    {                                                   \
        .name = key, .type = FIELD_POKER, .about = text \
    }
static const struct field poker_fields[] = {
    POKER_PLAYER("a", "the player of hold'em whose winnings are shown"),
    POKER_PLAYER("b", "the other player"),
    WHOLE("sessions", 1, 100000, 20, "sessions; players forget everything between them"),
    WHOLE("hands", 1, 1000000, 1000, "hands of a session, each played twice with swapped seats"),
    SEED,
    THREADS,
    {0}};

static const char *const blocks_rows[] = {"by_hand", NULL};
static const char *const after_rows[] = {"after_switch", NULL};
static const struct job_column poker_columns[] = {
    {"hand", "hand from", NULL, JOB_NUMBER},
    {"mbb_per_hand", "a wins", "mbb/hand", JOB_SIGNED},
    {"pairs", "pairs", NULL, JOB_NUMBER},
    {0}};
static const struct job_view poker_views[] = {
    {.columns = (const struct job_column[]){{"a.player", "a", NULL, JOB_TEXT},
                                            {"b.player", "b", NULL, JOB_TEXT},
                                            {"sessions", "sessions", NULL, JOB_NUMBER},
                                            {"pairs", "pairs of hands", NULL, JOB_NUMBER},
                                            {"mbb_per_hand", "a wins", "mbb/hand", JOB_SIGNED},
                                            {"interval", "95 % interval", "mbb/hand", JOB_INTERVAL},
                                            {0}}},
    {.rows = side_rows,
     .columns = (const struct job_column[]){{"player", "player", NULL, JOB_TEXT},
                                            {"played_percent", "plays", "%", JOB_TENTHS},
                                            {"raise_percent", "raises", "%", JOB_TENTHS},
                                            {"fold_percent", "folds", "%", JOB_TENTHS},
                                            {"decisions", "decisions", NULL, JOB_NUMBER},
                                            {0}}},
    {.rows = blocks_rows, .columns = poker_columns},
    {.rows = after_rows, .columns = poker_columns},
    {0}};
static const struct job_curve poker_curves[] = {
    {"mbb_per_hand", "Winnings", "what a wins so far, with its 95 % interval", "mbb/hand", 0, 0},
    {0}};

/* ---- review ---- */

#define REVIEW_LINES_MAX 513 /* a line for the game, one for each shot */

static const struct field review_fields[] = {
    {.name = "game",
     .type = FIELD_GAME,
     .absent = FIELD_LEFT_OUT,
     .about = "the game, by its id in GET /v1/matches/{id}/games"},
    {.name = "record",
     .type = FIELD_RECORD,
     .absent = FIELD_LEFT_OUT,
     .list = {.least = 2, .most = REVIEW_LINES_MAX},
     .about =
         "or the game itself: the lines of GET /v1/games/{id}, or others of that form; without "
         "\"intended\" in a line the call is estimated, and \"hand\" is that of the thrower"},
    {.name = "judge",
     .type = FIELD_PLAYER,
     .absent = FIELD_DEFAULT,
     .player = "rink:opponent=best",
     .about = "the player that judges the shots of both sides: rink with any settings"},
    HAND,
    WHOLE("throws", 64, 16384, 2048, "throws that value each call and each best shot"),
    SEED,
    THREADS,
    LIMITS,
    {0}};

static void review_finish(const struct strict_place *place, json_t *spec)
{
    if (!json_object_get(spec, "game") && !json_object_get(spec, "record"))
        strict_refuse(place, "missing", "needs \"game\" or \"record\"");
}

static const char *const team_rows[] = {"teams", NULL};
static const char *const key_rows[] = {"key", NULL};
static const struct job_view review_views[] = {
    {.columns =
         (const struct job_column[]){{"profile", "profile", NULL, JOB_TEXT},
                                     {"winner", "winner", NULL, JOB_TEXT},
                                     {"check.execution_loss",
                                      "mean loss of the execution, 0 if the "
                                      "hand is the assumed one",
                                      NULL, JOB_SHARE},
                                     {"check.execution_loss_error", "+- (95 %)", NULL, JOB_SHARE},
                                     {0}}},
    {.rows = team_rows,
     .columns =
         (const struct job_column[]){{"team", "team", NULL, JOB_TEXT},
                                     {"player", "player", NULL, JOB_TEXT},
                                     {"shots", "shots", NULL, JOB_NUMBER},
                                     {"success_percent", "succeed", "%", JOB_TENTHS},
                                     {"mistakes", "mistakes", NULL, JOB_NUMBER},
                                     {"call_sum", "wins lost by all calls", NULL, JOB_NUMBER},
                                     {"execution_sum", "by all throws", NULL, JOB_NUMBER},
                                     {0}}},
    {.rows = team_rows,
     .columns = (const struct job_column[]){{"team", "team", NULL, JOB_TEXT},
                                            {"ends", "ends", NULL, JOB_FIGURES},
                                            {0}}},
    {.rows = key_rows,
     .columns = (const struct job_column[]){{"end", "calls that cost most: end", NULL, JOB_PLACE},
                                            {"shot", "shot", NULL, JOB_PLACE},
                                            {"team", "team", NULL, JOB_TEXT},
                                            {"called.kind", "called", NULL, JOB_TEXT},
                                            {"best.kind", "better", NULL, JOB_TEXT},
                                            {"call.win", "chance of winning lost", NULL, JOB_SHARE},
                                            {"call.win_interval", "95 % interval", NULL,
                                             JOB_SHARE_INTERVAL},
                                            {0}}},
    {0}};

/* ---- compete ---- */

static const char *const protocols[] = {"dc3", "dc4", "dc2", NULL};
static const char *const only_dc4[] = {"dc4", NULL};
static const char *const logs_in[] = {"dc4", "dc2", NULL};
static const char *const teams[] = {"team0", "team1", NULL};
#define LINE(key, bytes, text)                                              \
    {                                                                       \
        .name = key, .type = FIELD_TEXT, .whole.most = bytes, .about = text \
    }
#define SECONDS_MAX 86400
static const struct field compete_fields[] = {
    CHOICE("protocol", protocols, "what the server speaks: Digital Curling 3, 4 or 2"),
    LINE("server", 256, "HOST:PORT, whose port decides the team; for dc4 the URL without a path"),
    {.name = "player",
     .type = FIELD_PLAYER,
     .absent = FIELD_DEFAULT,
     .player = "rink",
     .about = "the player that plays"},
    {.name = "name",
     .type = FIELD_TEXT,
     .absent = FIELD_DEFAULT,
     .whole.most = 32,
     .player = "rink",
     .about = "name of the team"},
    {.name = "match",
     .type = FIELD_TEXT,
     .whole.most = 64,
     .by = "protocol",
     .only = only_dc4,
     .about = "id of the match"},
    {.name = "team",
     .type = FIELD_CHOICE,
     .absent = FIELD_DEFAULT,
     .choices = teams,
     .by = "protocol",
     .only = only_dc4,
     .about = "the team that is asked for"},
    {.name = "user",
     .type = FIELD_TEXT,
     .absent = FIELD_LEFT_OUT,
     .whole.most = 64,
     .by = "protocol",
     .only = logs_in,
     .about = "user to log in with"},
    {.name = "credentials",
     .type = FIELD_TEXT,
     .absent = FIELD_LEFT_OUT,
     .whole.most = 64,
     .by = "protocol",
     .only = logs_in,
     .about = "name of a file in the folder credentials of the data folder; its first line is the "
              "password"},
    NUMBER("reserve", 0.0, 0.9, 0.05, "share of the time that is kept"),
    WHOLE("wait", 0, SECONDS_MAX, 60, "seconds in which a server may begin to answer"),
    WHOLE("silence", 1, SECONDS_MAX, 3600,
          "seconds without a word of the server after which the game is given up"),
    SEED,
    THREADS,
    {0}};

static void compete_finish(const struct strict_place *place, json_t *spec)
{
    const char *protocol = json_string_value(json_object_get(spec, "protocol"));
    static const char *const needed[] = {"user", "credentials", NULL};

    for (int k = 0; protocol && strcmp(protocol, "dc4") == 0 && needed[k]; k++) {
        const struct strict_place member = strict_member(place, needed[k]);
        if (!json_object_get(spec, needed[k]))
            strict_refuse(&member, "missing", "needed for dc4");
    }
}

static const struct job_view compete_views[] = {
    {.columns = (const struct job_column[]){{"a.player", "ours", NULL, JOB_TEXT},
                                            {"b.player", "the other team", NULL, JOB_TEXT},
                                            {"profile", "profile", NULL, JOB_TEXT},
                                            {"ends", "ends", NULL, JOB_NUMBER},
                                            {"team", "our team", NULL, JOB_TEXT},
                                            {"end", "ended", NULL, JOB_TEXT},
                                            {"winner", "winner", NULL, JOB_TEXT},
                                            {"reason", "why", NULL, JOB_TEXT},
                                            {"points", "points", NULL, JOB_FIGURES},
                                            {"end_number", "in end", NULL, JOB_NUMBER},
                                            {"shot", "at shot", NULL, JOB_NUMBER},
                                            {"win", "our chance of winning", NULL, JOB_NUMBER},
                                            {"decisions", "our shots", NULL, JOB_NUMBER},
                                            {"fallbacks", "not by a full search", NULL, JOB_NUMBER},
                                            {"used_s", "time used", NULL, JOB_DURATION},
                                            {"left_s", "time left", NULL, JOB_DURATION},
                                            {"log", "log in the job's folder", NULL, JOB_TEXT},
                                            {0}}},
    {0}};

/* ---- host ---- */

static const char *const host_protocols[] = {"dc3", "dc4", NULL};
static const char *const host_profiles[] = {"dc3",         "dc3-four-rock", "dc4",
                                            "dc4-no-tick", "dc4-modified",  NULL};
static const char *const engines[] = {"box2d", "fast", NULL};
static const char *const trajectories[] = {"kept", "sent", NULL};
#define PORT(key, team) \
    WHOLE(key, 0, 65535, 0, "port of " team "; 0: any free one, which the job tells")
#define SEATED(key, text)                                                                    \
    {                                                                                        \
        .name = key, .type = FIELD_PLAYER, .absent = FIELD_LEFT_OUT,                         \
        .about = "a player of ours that plays " text "; absent: a client connects and plays" \
    }
static const struct field host_fields[] = {
    CHOICE("protocol", host_protocols, "what clients speak: Digital Curling 3 or 4"),
    {.name = "listen",
     .type = FIELD_TEXT,
     .absent = FIELD_DEFAULT,
     .whole.most = 64,
     .player = "127.0.0.1",
     .about = "address at which clients connect"},
    PORT("port0", "team0, which throws first; for dc4 of both"),
    PORT("port1", "team1, for dc3"),
    SEATED("team0", "team0"),
    SEATED("team1", "team1"),
    {.name = "profile",
     .type = FIELD_CHOICE,
     .absent = FIELD_LEFT_OUT,
     .choices = host_profiles,
     .about = "rules: for dc3 with five rocks or four, for dc4 with or without ticks, or mixed "
              "doubles (dc4-modified); absent: as the protocol"},
    WHOLE("pattern", 0, 5, 0, "places of the guard in mixed doubles"),
    WHOLE("ends", 1, PAIR_ENDS_MAX, 8, "ends of the game; extra ends follow a tie"),
    NUMBER("time", 0.1, SECONDS_MAX, 219.0, "seconds of each team for all ends"),
    NUMBER("extra_end_time", 0.1, SECONDS_MAX, 30.0,
           "seconds of each team for each extra end; for dc4 for all together"),
    NUMBER("stddev_speed", 0.0, 10.0, 0.0076, "error of each hand in speed, m/s"),
    NUMBER("stddev_angle", 0.0, 3.2, 0.0018, "error of each hand in angle, rad"),
    NUMBER("max_speed", 0.0, 6.0, 4.0, "faster shots are slowed down to this, m/s"),
    CHOICE("engine", engines, "what throws: box2d as the official server, or the fast one"),
    CHOICE("trajectory", trajectories, "paths of stones: in the files alone, or sent to clients"),
    WHOLE("wait", 1, SECONDS_MAX, 600, "seconds in which both teams have to be ready"),
    LIMIT("seed", 0, INT64_MAX, "seed of the noise; absent: drawn"),
    THREADS,
    {0}};

static void host_finish(const struct strict_place *place, json_t *spec)
{
    const char *protocol = json_string_value(json_object_get(spec, "protocol"));
    const char *profile = json_string_value(json_object_get(spec, "profile"));
    const struct strict_place member = strict_member(place, "profile");

    if (protocol && profile && strncmp(profile, protocol, strlen(protocol)) != 0)
        strict_refuse(&member, "value", "is not played by %s", protocol);
    else if (protocol && !profile)
        json_object_set_new(spec, "profile", json_string(protocol));
}

static double host_estimate_s(const json_t *spec)
{
    return json_number_value(json_object_get(spec, "wait")) +
           2.0 * json_number_value(json_object_get(spec, "time"));
}

static const struct job_view host_views[] = {
    {.columns = (const struct job_column[]){{"ports", "ports", NULL, JOB_FIGURES},
                                            {"match", "id of the match", NULL, JOB_TEXT},
                                            {"names.team0", "team0", NULL, JOB_TEXT},
                                            {"names.team1", "team1", NULL, JOB_TEXT},
                                            {"profile", "profile", NULL, JOB_TEXT},
                                            {"ends", "ends", NULL, JOB_NUMBER},
                                            {"end", "ended", NULL, JOB_TEXT},
                                            {"winner", "winner", NULL, JOB_TEXT},
                                            {"reason", "why", NULL, JOB_TEXT},
                                            {"points", "points", NULL, JOB_FIGURES},
                                            {"end_number", "in end", NULL, JOB_NUMBER},
                                            {"shot", "at shot", NULL, JOB_NUMBER},
                                            {"shots", "shots", NULL, JOB_NUMBER},
                                            {"left", "time left", "s", JOB_FIGURES},
                                            {0}}},
    {0}};

/* ---- external ---- */

static void refuse_name(const struct strict_place *place, const json_t *spec, const char *field)
{
    const char *name = json_string_value(json_object_get(spec, field));
    const struct strict_place member = strict_member(place, field);
    static const char good[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";

    if (name && strspn(name, good) < strlen(name))
        strict_refuse(&member, "value", "must be letters, digits, hyphens and underscores");
}

#define PROGRAM_NAME(key, when, text)                                                    \
    {                                                                                    \
        .name = key, .type = FIELD_TEXT, .absent = when, .whole.most = 63, .about = text \
    }
static const struct field external_fields[] = {
    PROGRAM_NAME("program", FIELD_NEEDED,
                 "name of a file external/NAME.json of the data folder, in which the administrator "
                 "says how the program is run"),
    {.name = "player",
     .type = FIELD_PLAYER,
     .absent = FIELD_DEFAULT,
     .player = "rink",
     .about = "the player against which it plays"},
    PROGRAM_NAME("against", FIELD_LEFT_OUT,
                 "another such program in place of the player, of the same protocol"),
    WHOLE("pairs", 1, 10000, 10, "pairs of games: the same luck of the hands, seats swapped"),
    WHOLE("ends", 1, PAIR_ENDS_MAX, 2, "ends of a game"),
    WHOLE("extra_ends", 0, PAIR_EXTRA_ENDS_MAX, PAIR_EXTRA_ENDS_MAX,
          "most extra ends after a tie; then it is a draw"),
    CHOICE("profile", host_profiles, "rules; of the protocol that the program speaks"),
    {.name = "time",
     .type = FIELD_NUMBER,
     .absent = FIELD_LEFT_OUT,
     .number = {.least = 0.1, .most = SECONDS_MAX},
     .about = "seconds of each side for all ends; absent: time_s of the program's file"},
    NUMBER("extra_end_time", 0.1, SECONDS_MAX, 30.0, "seconds of each side for each extra end"),
    CHOICE("engine", engines, "what throws: box2d as the official server, or the fast one"),
    SEED,
    THREADS,
    {0}};

static void external_finish(const struct strict_place *place, json_t *spec)
{
    refuse_name(place, spec, "program");
    refuse_name(place, spec, "against");
}

static double external_estimate_s(const json_t *spec)
{
    const json_t *time = json_object_get(spec, "time");
    const double games = 2.0 * json_number_value(json_object_get(spec, "pairs"));

    return time ? games * 2.0 * json_number_value(time) : (double)NAN;
}

static const char *const fault_rows[] = {"faults", NULL};
static const struct job_view external_views[] = {
    {.columns =
         (const struct job_column[]){{"a.player", "a", NULL, JOB_TEXT},
                                     {"b.player", "b", NULL, JOB_TEXT},
                                     {"profile", "profile", NULL, JOB_TEXT},
                                     {"ends", "ends", NULL, JOB_NUMBER},
                                     {"pairs", "pairs", NULL, JOB_NUMBER},
                                     {"win_percent", "a wins", "%", JOB_TENTHS},
                                     {"interval_percent", "95 % interval", "%", JOB_INTERVAL},
                                     {"elo", "a - b", "Elo", JOB_SIGNED},
                                     {"elo_interval", "95 % interval of that", "Elo", JOB_INTERVAL},
                                     {0}}},
    {.rows = side_rows,
     .columns = (const struct job_column[]){{"player", "player", NULL, JOB_TEXT},
                                            {"wins", "wins", NULL, JOB_NUMBER},
                                            {"draws", "draws", NULL, JOB_NUMBER},
                                            {"losses", "losses", NULL, JOB_NUMBER},
                                            {"faults", "lost by a fault", NULL, JOB_NUMBER},
                                            {0}}},
    {.rows = fault_rows,
     .columns = (const struct job_column[]){{"player", "lost by a fault", NULL, JOB_TEXT},
                                            {"pair", "pair", NULL, JOB_NUMBER},
                                            {"game", "game", NULL, JOB_NUMBER},
                                            {"why", "why", NULL, JOB_TEXT},
                                            {"folder", "in the job's folder", NULL, JOB_TEXT},
                                            {0}}},
    {0}};

/* ---- import ---- */

#define IMPORT_LINES_MAX 4096 /* some for each shot of the longest game that is kept */

static const struct field import_fields[] = {
    {.name = "log",
     .type = FIELD_RECORD,
     .list = {.least = 2, .most = IMPORT_LINES_MAX},
     .about =
         "the lines of a log of one game from its first shot on, also of one that was broken "
         "off: game.dcl2 of a server of Digital Curling 3, with the shots that it keeps beside "
         "it as further lines, or the messages of that protocol by themselves, the states "
         "that a server of Digital Curling 4 sent, as our host, our client or the official "
         "Python client keeps them or by themselves, a log of our client, or a record as GET "
         "/v1/games/{id} answers it"},
    {.name = "file",
     .type = FIELD_TEXT,
     .absent = FIELD_LEFT_OUT,
     .whole.most = 65,
     .about =
         "SHA-256 of the file that they were, with bare newlines and no mark at its beginning, in "
         "two halves with a hyphen between them, by which POST /v1/games knows it again"},
    {.name = "game",
     .type = FIELD_TEXT,
     .absent = FIELD_LEFT_OUT,
     .whole.most = LOG_GAME_MAX - 1,
     .about = "the id that its server gave the game, and its teams, by which POST /v1/games knows "
              "it again; set there alone"},
    {.name = "states",
     .type = FIELD_WHOLE,
     .absent = FIELD_LEFT_OUT,
     .whole = {.least = 0, .most = INT32_MAX},
     .about = "how many states the log tells; set by POST /v1/games alone"},
    {.name = "lines",
     .type = FIELD_WHOLES,
     .absent = FIELD_LEFT_OUT,
     .whole = {.least = 1, .most = INT32_MAX},
     .list = {.least = 2, .most = IMPORT_LINES_MAX},
     .about = "their numbers in that file if it has other lines, too, by which errors name them"},
    {0}};

/* The word of a caller would make another game of the same id unknown. */
static void import_finish(const struct strict_place *place, json_t *spec)
{
    (void)place;
    json_object_del(spec, "game");
    json_object_del(spec, "states");
}

static const struct job_view import_views[] = {
    {.columns = (const struct job_column[]){{"a.player", "team0", NULL, JOB_TEXT},
                                            {"b.player", "team1", NULL, JOB_TEXT},
                                            {"profile", "profile", NULL, JOB_TEXT},
                                            {"ends", "ends", NULL, JOB_NUMBER},
                                            {"winner", "winner", NULL, JOB_TEXT},
                                            {"reason", "why", NULL, JOB_TEXT},
                                            {"points", "points", NULL, JOB_FIGURES},
                                            {"shots", "shots", NULL, JOB_NUMBER},
                                            {"skipped", "lines of no game", NULL, JOB_NUMBER},
                                            {0}}},
    {0}};

/* ---- rate ---- */

static const struct field rate_fields[] = {
    {.name = "profile", .type = FIELD_PROFILE, .about = "profile of the games"},
    LENGTH,
    {.name = "anchor",
     .type = FIELD_PLAYER,
     .absent = FIELD_DEFAULT,
     .player = "ai-simple",
     .about = "the player with Elo 0, if it is on the ladder"},
    {0}};
static const struct job_view rate_views[] = {
    {.rows = ladder_rows,
     .columns = (const struct job_column[]){{"player", "player", NULL, JOB_TEXT},
                                            {"elo", "Elo", NULL, JOB_TENTHS},
                                            {"interval", "95 % interval", "Elo", JOB_INTERVAL},
                                            {"pairs", "pairs", NULL, JOB_NUMBER},
                                            {0}}},
    {0}};

/* ---- the table ---- */

static const struct job_kind kinds[] = {
    {.name = "train",
     .about = "Trains a policy, with one run for each seed",
     .program = "rink-learn",
     .scope = "train",
     .has_tasks = true,
     .fields = train_fields,
     .finish = train_finish,
     .trial = JOB_TRIED_BY_PROGRAM,
     .runs = JOB_RUNS_EACH_SEED,
     .makes_models = true,
     .views = train_views,
     .curves = train_curves},
    {.name = "match",
     .about = "Pairs of games between two players",
     .program = "rink-evaluate",
     .scope = "train",
     .has_tasks = true,
     .fields = match_fields,
     .finish = match_finish,
     .estimate_s = play_estimate_s,
     .bound = "an upper bound: the time limit of each move",
     .trial = JOB_TRIED_BY_WORKER,
     .plays_games = true,
     .keeps = JOB_KEEPS_MATCH,
     .followed_by = "rate",
     .views = match_views},
    {.name = "tournament",
     .about = "A round robin between players, and their ladder",
     .program = "rink-evaluate",
     .scope = "train",
     .has_tasks = true,
     .fields = tournament_fields,
     .finish = hand_finish,
     .estimate_s = play_estimate_s,
     .bound = "an upper bound: the time limit of each move",
     .trial = JOB_TRIED_BY_WORKER,
     .plays_games = true,
     .keeps = JOB_KEEPS_TOURNAMENT,
     .followed_by = "rate",
     .views = tournament_views},
    {.name = "exploitability",
     .about = "How many points a set of responders wins from a player",
     .program = "rink-evaluate",
     .scope = "train",
     .has_tasks = true,
     .fields = exploitability_fields,
     .trial = JOB_TRIED_BY_WORKER,
     .keeps = JOB_KEEPS_EXPLOITABILITY,
     .views = exploitability_views},
    {.name = "regret",
     .about =
         "How much less the shots of a player are worth than the best that a referee knows, at "
         "positions that stay the same",
     .program = "rink-evaluate",
     .scope = "train",
     .has_tasks = true,
     .fields = regret_fields,
     .trial = JOB_TRIED_BY_WORKER,
     .views = regret_views},
    {.name = "poker-match",
     .about = "Hands of heads-up hold'em between two players",
     .program = "rink-evaluate",
     .scope = "train",
     .has_tasks = true,
     .fields = poker_fields,
     .trial = JOB_TRIED_BY_WORKER,
     .runs = JOB_RUNS_ONE,
     .views = poker_views,
     .curves = poker_curves},
    {.name = "compete",
     .about = "A game on a server of Digital Curling 2, 3 or 4",
     .program = "rink-compete",
     .scope = "admin",
     .asks_worker = true,
     .fields = compete_fields,
     .finish = compete_finish,
     .no_estimate = "the server decides how long the game takes",
     .plays_games = true,
     .keeps = JOB_KEEPS_GAMES,
     .views = compete_views},
    {.name = "host",
     .about = "A game of Digital Curling 3 or 4 that this machine hosts for clients",
     .program = "rink-compete",
     .scope = "admin",
     .fields = host_fields,
     .finish = host_finish,
     .is_hosted = true,
     .estimate_s = host_estimate_s,
     .bound = "an upper bound without extra ends: the wait for both teams and their clocks",
     .plays_games = true,
     .hides_calls = true,
     .keeps = JOB_KEEPS_GAMES,
     .views = host_views},
    {.name = "external",
     .about = "A match against a program of somebody else, which this machine runs",
     .program = "rink-compete",
     .scope = "admin",
     .asks_worker = true,
     .fields = external_fields,
     .finish = external_finish,
     .estimate_s = external_estimate_s,
     .bound = "an upper bound without extra ends: the clocks of both sides in all games",
     .no_estimate = "its clocks are in the file of the program; with \"time\" they bound it",
     .plays_games = true,
     .keeps = JOB_KEEPS_MATCH,
     .followed_by = "rate",
     .views = external_views},
    {.name = "import",
     .about =
         "A game that was played elsewhere, from a log of Digital Curling 3 or 4 or from a record",
     .program = "rink-compete",
     .scope = "train",
     .asks_worker = true,
     .fields = import_fields,
     .finish = import_finish,
     .trial = JOB_TRIED_BY_WORKER,
     .plays_games = true,
     .keeps = JOB_KEEPS_GAMES,
     .views = import_views},
    {.name = "diagnose",
     .about = "Measures how fast this machine simulates and searches",
     .program = "rink-evaluate",
     .scope = "train",
     .fields = diagnose_fields,
     .estimate_s = diagnose_estimate_s,
     .bound = "its own seconds",
     .runs = JOB_RUNS_ONE,
     .views = diagnose_views,
     .curves = diagnose_curves},
    {.name = "review",
     .about = "A game judged by one player for both sides: what each call and each throw cost",
     .program = "rink-evaluate",
     .scope = "train",
     .asks_worker = true,
     .fields = review_fields,
     .trial = JOB_TRIED_BY_WORKER,
     .finish = review_finish,
     .input = JOB_GETS_RECORD,
     .views = review_views},
    {.name = "rate",
     .about = "The ladder of all games with one profile and length",
     .program = "rink-evaluate",
     .scope = "train",
     .is_internal = true,
     .fields = rate_fields,
     .input = JOB_GETS_PAIRINGS,
     .keeps = JOB_KEEPS_LADDER,
     .views = rate_views},
};

enum { KINDS = sizeof kinds / sizeof kinds[0] };
_Static_assert(sizeof kinds <= JOB_KINDS_MAX * sizeof kinds[0], "JOB_KINDS_MAX is too small");

const struct job_kind *job_kind_at(int index)
{
    return index >= 0 && index < KINDS ? &kinds[index] : NULL;
}

const struct job_kind *job_kind_find(const char *name)
{
    for (int k = 0; name && k < KINDS; k++)
        if (strcmp(kinds[k].name, name) == 0)
            return &kinds[k];
    return NULL;
}

int job_value_find(const char *const *values, const char *name)
{
    for (int k = 0; values[k]; k++)
        if (strcmp(values[k], name) == 0)
            return k;
    return -1;
}

bool job_kind_is_internal(const char *name)
{
    const struct job_kind *kind = job_kind_find(name);

    return kind && kind->is_internal;
}

const char *job_kind_names(const char *separator, char ret_names[JOB_KIND_NAMES_MAX])
{
    size_t used = 0;

    ret_names[0] = '\0';
    for (int k = 0; k < KINDS && used < JOB_KIND_NAMES_MAX; k++)
        if (!kinds[k].is_internal)
            used += (size_t)snprintf(ret_names + used, JOB_KIND_NAMES_MAX - used, "%s%s",
                                     used ? separator : "", kinds[k].name);
    return ret_names;
}

const char *job_format_name(enum job_format format)
{
    static const char *const names[] = {
#define X(name, text) text,
        JOB_FORMATS(X)
#undef X
    };
    return names[format];
}
