/* The result of a match, as JSON and as a table. */
#include "workers/evaluate/report/report.h"

#include <math.h>

static const char letters[2] = {'a', 'b'};

const char *report_decision_name(enum sprt_decision decision)
{
    static const char *const names[] = {[SPRT_OPEN] = "open", [SPRT_H0] = "h0", [SPRT_H1] = "h1"};
    return names[decision];
}

static json_t *percent_interval(struct interval interval)
{
    return json_pack("[f, f]", 100.0 * interval.low, 100.0 * interval.high);
}

static json_t *seat_json(const struct match_seat *seat)
{
    json_t *scores = json_array();

    for (int k = 0; k < MATCH_SCORES; k++)
        json_array_append_new(scores, json_integer(seat->scores[k]));
    return json_pack("{s:I, s:o, s:o, s:o}", "ends", (json_int_t)match_ends(seat), "points_per_end",
                     report_number(match_points(seat)), "standard_error",
                     report_number(match_points_error(seat)), "scores", scores);
}

static struct match_games all_games(const struct match_summary *match, int player)
{
    const struct match_games *second = &match->games[player][0], *first = &match->games[player][1];
    return (struct match_games){first->wins + second->wins, first->draws + second->draws,
                                first->losses + second->losses};
}

static json_t *player_json(const struct report_head *head, const struct match_summary *match,
                           int player)
{
    struct match_games games = all_games(match, player);
    char name[REPORT_NAME_MAX];

    report_player_name(&head->players[player], &head->setting->limits, sizeof name, name);
    return json_pack(
        "{s:s, s:o, s:o, s:o, s:{s:o, s:o}, s:o}", "player", name, "games",
        report_games_json(&games), "with_first_hammer", report_games_json(&match->games[player][1]),
        "without_first_hammer", report_games_json(&match->games[player][0]), "ends", "sente",
        seat_json(&match->seats[player][0]), "gote", seat_json(&match->seats[player][1]), "effort",
        report_effort_json(&match->effort[player]));
}

static json_t *pair_score_json(const struct pair_score *score)
{
    return json_pack("{s:I, s:I, s:I, s:o, s:o, s:o, s:o}", "wins", (json_int_t)score->wins,
                     "draws", (json_int_t)score->draws, "losses", (json_int_t)score->losses,
                     "percent", report_number(100.0 * score->share), "interval_percent",
                     percent_interval(score->interval), "bootstrap_percent",
                     percent_interval(score->bootstrap), "percent_of_decided",
                     report_number(100.0 * score->share_of_decided));
}

static json_t *sprt_json(const struct sprt *sprt, const struct match_summary *match)
{
    struct interval bounds = sprt_bounds(sprt);
    return json_pack("{s:f, s:f, s:f, s:f, s:f, s:[f, f], s:s}", "elo0", sprt->elo0, "elo1",
                     sprt->elo1, "alpha", sprt->alpha, "beta", sprt->beta, "log_likelihood_ratio",
                     sprt_ratio(sprt, match->half_points), "bounds", bounds.low, bounds.high,
                     "decision", report_decision_name(sprt_decide(sprt, match->half_points)));
}

json_t *report_match_json(const struct report_head *head, const struct match_summary *match,
                          const struct sprt *sprt)
{
    json_t *root = report_head_json("match", head, match->pairs), *bins = json_array();

    for (int h = 0; h < PENTANOMIAL; h++)
        json_array_append_new(bins, json_integer(match->half_points[h]));
    json_t *result = json_pack(
        "{s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:[o, o], s:o, s:o, s:o}", "games",
        (json_int_t)(2 * match->pairs), "conceded", (json_int_t)match->conceded,
        "games_with_extra_ends", (json_int_t)match->with_extra_ends, "win_percent",
        report_number(100.0 * match->score), "pentanomial", bins, "interval_percent",
        percent_interval(match->pentanomial), "bootstrap_percent",
        percent_interval(match->bootstrap), "elo", report_number(elo_of_score(match->score)),
        "elo_interval", report_number(elo_of_score(match->pentanomial.low)),
        report_number(elo_of_score(match->pentanomial.high)), "pair_score",
        pair_score_json(&match->pair_score), "a", player_json(head, match, 0), "b",
        player_json(head, match, 1));
    if (sprt && json_object_set_new(result, "sprt", sprt_json(sprt, match)) != 0) {
        json_decref(result);
        result = NULL;
    }
    if (!root || !result || json_object_update(root, result) != 0) {
        json_decref(root);
        root = NULL;
    }
    json_decref(result);
    return root;
}

/* ---- text ---- */

static void games_text(FILE *out, const char *what, const struct match_games *games)
{
    double all = (double)(games->wins + games->draws + games->losses);
    double won = (double)games->wins + 0.5 * (double)games->draws;

    fprintf(out, "  %-22s %7lld wins %7lld draws %7lld losses", what, (long long)games->wins,
            (long long)games->draws, (long long)games->losses);
    if (all > 0.0)
        fprintf(out, "  %6.2f %%", 100.0 * won / all);
    fputc('\n', out);
}

static void ends_text(FILE *out, const char *what, const struct match_seat *seat)
{
    double error = match_points_error(seat);

    if (match_ends(seat) == 0)
        return;
    fprintf(out, "  %-22s %+7.3f points an end, ", what, match_points(seat));
    if (isfinite(error))
        fprintf(out, "standard error %.3f, ", error);
    fprintf(out, "%lld ends\n", (long long)match_ends(seat));
}

static void pair_score_text(FILE *out, const struct pair_score *score)
{
    fprintf(out,
            "a wins %.2f %% of pairs by the score of both games together (95 %%: %.2f to %.2f by "
            "pairs, %.2f to %.2f by bootstrap): %lld won, %lld drawn, %lld lost",
            100.0 * score->share, 100.0 * score->interval.low, 100.0 * score->interval.high,
            100.0 * score->bootstrap.low, 100.0 * score->bootstrap.high, (long long)score->wins,
            (long long)score->draws, (long long)score->losses);
    if (score->wins + score->losses > 0)
        fprintf(out, "; %.2f %% of those decided", 100.0 * score->share_of_decided);
    fputc('\n', out);
}

static void player_text(FILE *out, const struct report_head *head,
                        const struct match_summary *match, int player)
{
    struct match_games games = all_games(match, player);
    const struct pair_effort *effort = &match->effort[player];
    char name[PLAYER_SPEC_MAX];

    player_write(&head->players[player], sizeof name, name);
    fprintf(out, "\n%c: %s\n", letters[player], name);
    games_text(out, "all games", &games);
    games_text(out, "with first hammer", &match->games[player][1]);
    games_text(out, "without first hammer", &match->games[player][0]);
    ends_text(out, "without hammer (sente)", &match->seats[player][0]);
    ends_text(out, "with hammer (gote)", &match->seats[player][1]);
    fprintf(out, "  %-22s %7.3f ms processor time, %.1f simulations\n", "a move",
            1000.0 * report_per_move(effort->cpu_s, effort),
            report_per_move((double)effort->simulations, effort));
}

void report_match_text(FILE *out, const struct report_head *head, const struct match_summary *match,
                       const struct sprt *sprt)
{
    report_head_text(out, head);
    for (int player = 0; player < 2; player++)
        player_text(out, head, match, player);
    if (match->pairs == 0) {
        fprintf(out, "\nno pair was finished\n");
        return;
    }
    fprintf(out,
            "\na wins %.2f %% of %lld games (95 %%: %.2f to %.2f by pairs, %.2f to %.2f by "
            "bootstrap)\n",
            100.0 * match->score, (long long)(2 * match->pairs), 100.0 * match->pentanomial.low,
            100.0 * match->pentanomial.high, 100.0 * match->bootstrap.low,
            100.0 * match->bootstrap.high);
    fprintf(out, "Elo %+.1f (%+.1f to %+.1f)\n", elo_of_score(match->score),
            elo_of_score(match->pentanomial.low), elo_of_score(match->pentanomial.high));
    fprintf(out, "pairs with 0, 1/2, 1, 3/2, 2 points of a:");
    for (int h = 0; h < PENTANOMIAL; h++)
        fprintf(out, " %lld", (long long)match->half_points[h]);
    fputc('\n', out);
    pair_score_text(out, &match->pair_score);
    report_extra_text(out, head, match->with_extra_ends);
    if (sprt) {
        struct interval bounds = sprt_bounds(sprt);
        enum sprt_decision decision = sprt_decide(sprt, match->half_points);
        fprintf(out,
                "sequential test of %g against %g Elo: %s (log-likelihood ratio %+.2f, bounds "
                "%.2f and %.2f)\n",
                sprt->elo0, sprt->elo1, report_decision_name(decision),
                sprt_ratio(sprt, match->half_points), bounds.low, bounds.high);
        if (decision != SPRT_OPEN)
            fprintf(out, "the test chose when to stop: the shares above and their intervals tend "
                         "to lie too far from the middle of its hypotheses\n");
    }
    if (head->interrupted)
        fprintf(out, "interrupted: %lld of %lld pairs\n", (long long)match->pairs,
                (long long)head->pairs);
}
