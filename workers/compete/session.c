/* The loop of a conversation. See session.h. */
#include "workers/compete/session.h"

#include "api/base/build_json.h"
#include "api/curling/game_json.h"
#include "workers/match_clock.h"

#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Without a clock of the server a decision is awaited for this long. */
#define PATIENCE_S 600.0
/* So many decisions in a row whose time holds the loss of a connection teach nothing about the
 * network; then it is one that loses them often. */
enum { LOSSES_FORGIVEN = 2 };
/* A choice of a setup costs no time of the clock, but the other team waits. */
#define SETUP_S 2.0

static const struct {
    const char *word, *text;
    int status;
} ends[] = {
#define X(name, word, status, text) [name] = {word, text, status},
    SESSION_ENDS(X)
#undef X
};

const char *session_word(enum session_end end)
{
    return ends[end].word;
}

const char *session_text(enum session_end end)
{
    return ends[end].text;
}

int session_status(enum session_end end)
{
    return ends[end].status;
}

struct course {
    const struct session *session;
    struct transport *transport;
    struct session_report *report;
    struct talk talk;
    struct match_clock clock;
    double win; /* our chance as last seen */

    struct thought *thought; /* NULL: none is under way */
    struct clock_plan plan;
    double asked_s;                       /* when the position came */
    double stop_at_s;                     /* when an answer must be sent */
    int period;                           /* of the clock at the decision before */
    double remaining_s, own_s, planned_s; /* of the decision before; remaining_s < 0: none */
    int losses, losses_then[2];           /* of the connection; at the last two decisions */
    int forgiven;                         /* decisions in a row that were not measured */
    struct decision remembered;           /* with a memory */
    double begun_s;                       /* when there was a connection */
    bool has_heard, told_quiet, told_no_clock;
    bool is_over;
};

static void finish(struct course *course, enum session_end end, const char *why)
{
    course->is_over = true;
    course->report->end = end;
    snprintf(course->report->why, TALK_WHY_MAX, "%s", why);
}

/* Tells whoever watches, and the log; "" is nothing. */
static void warn(const struct course *course, const char *text)
{
    if (!text[0] || course->session->memory)
        return;
    journal_note(course->session->journal, text);
    fprintf(stderr, "%s: %s\n", course->session->protocol->name, text);
}

/* ---- saying ---- */

static void say_all(struct course *course)
{
    struct talk *talk = &course->talk;

    for (int k = 0; k < talk->sayings; k++) {
        if (!course->is_over) {
            journal_said(course->session->journal, &talk->say[k]);
            if (!course->transport->say(course->transport, &talk->say[k]))
                finish(course, talk->outcome.is_known ? SESSION_OVER : SESSION_CLOSED,
                       course->transport->why);
        }
        free(talk->say[k].text);
    }
    talk->sayings = 0;
    if (talk->note[0])
        journal_note(course->session->journal, talk->note);
    talk->note[0] = '\0';
    warn(course, talk->warning);
    talk->warning[0] = '\0';
}

/* ---- deciding ---- */

static void drop_thought(struct course *course)
{
    if (course->thought)
        thought_end(course->thought);
    course->thought = NULL;
}

/* Learns what the network took for the decision before, unless the connection was lost between the
 * one before that and now: what it took to come back is no delay of every shot. */
static void measure(struct course *course, double remaining_s)
{
    bool had_loss = course->losses > course->losses_then[0];

    course->losses_then[0] = course->losses_then[1];
    course->losses_then[1] = course->losses;
    if (had_loss && course->forgiven++ < LOSSES_FORGIVEN)
        return;
    course->forgiven = 0;
    match_clock_measure(&course->clock, course->remaining_s - remaining_s, course->own_s,
                        course->planned_s);
}

/* Learns from the clock, and plans this decision. */
static void plan_time(struct course *course)
{
    const struct situation *situation = &course->talk.situation;
    const struct clock_turn turn = {
        .remaining_s = situation->remaining_s,
        .shot = situation_own_shot(situation),
        .shots = situation_own_shots(situation),
        .ends_after = situation->clock_ends,
        .win = course->win,
    };

    course->plan = (struct clock_plan){PATIENCE_S, PATIENCE_S};
    if (situation->asks_setup) {
        double part_s = situation->has_clock ? 0.02 * situation->remaining_s : SETUP_S;
        course->plan.think_s = fmin(part_s, SETUP_S);
        return;
    }
    if (!situation->has_clock)
        return;
    if (situation->clock_period == course->period && situation->remaining_s <= course->remaining_s)
        measure(course, situation->remaining_s);
    else
        course->clock.given_s = 0.0; /* the first decision, or the time of extra ends */
    course->period = situation->clock_period;
    course->plan = match_clock_plan(&course->clock, &turn);
}

static void answer(struct course *course);

static void begin_thought(struct course *course)
{
    const struct session *session = course->session;
    struct situation *situation = &course->talk.situation;
    struct thought_limits limits = {.repeat = 0};

    drop_thought(course);
    /* dc2 tells it by leaving out the times. */
    if (!situation->has_clock && !situation->asks_setup && !course->told_no_clock &&
        session->protocol != &protocol_dc2)
        warn(course, "the server tells no clock; the player thinks as long as its settings say");
    course->told_no_clock = true;
    situation->theirs = course->talk.theirs;
    course->asked_s = clock_now_s();
    plan_time(course);
    course->stop_at_s = course->asked_s + course->plan.stop_s;
    if (session->memory) {
        if (!session->memory->next(session->memory->context, situation, &course->remembered)) {
            finish(course, SESSION_FAILED, "the log has no decision for this position");
            return;
        }
        limits.repeat = course->remembered.repeat < 0 ? 1 : course->remembered.repeat;
        situation->has_clock = false;
        course->stop_at_s = course->asked_s + PATIENCE_S;
    }
    limits.think_s = course->plan.think_s;
    limits.stop_at_s = course->stop_at_s;
    course->thought = thought_begin(&session->thinker, situation, &limits);
    if (!course->thought)
        answer(course); /* there is no thread: the safe answer goes out at once */
}

/* The decision now, whatever it is. */
static struct decision decide(struct course *course)
{
    const struct session_memory *memory = course->session->memory;
    struct decision decision = course->thought
                                   ? thought_end(course->thought)
                                   : thought_safe(&course->talk.situation, "no thread to think");

    course->thought = NULL;
    if (!memory)
        return decision;
    bool was_searched = course->remembered.repeat >= 0 && !course->remembered.fallback;
    memory->repeated(memory->context, &course->remembered, &decision, was_searched);
    return was_searched ? decision : course->remembered;
}

static void answer(struct course *course)
{
    struct session_report *report = course->report;
    const struct session *session = course->session;
    struct decision decision = decide(course);

    course->talk.protocol->answer(&course->talk, &decision);
    say_all(course);
    const struct situation *situation = &course->talk.situation;
    double own_s = clock_now_s() - course->asked_s;
    journal_thought(session->journal, situation, &course->plan, &decision);
    report->decisions++;
    report->fallbacks += decision.fallback != NULL;
    if (situation->has_clock && !situation->asks_setup) {
        course->remaining_s = situation->remaining_s;
        course->own_s = own_s;
        course->planned_s = course->plan.think_s;
        report->used_s += own_s;
        report->left_s = situation->remaining_s - own_s;
    }
    if (isfinite(decision.win))
        course->win = decision.win;
    if (session->watcher)
        session->watcher->decided(session->watcher->context, &course->talk, &decision);
}

/* ---- hearing ---- */

static void hear(struct course *course, const struct heard *heard)
{
    const struct session *session = course->session;
    struct talk *talk = &course->talk;

    course->has_heard = true;
    journal_heard(session->journal, heard);
    enum talk_next next = talk->protocol->hear(talk, heard);
    say_all(course);
    if (session->watcher)
        session->watcher->heard(session->watcher->context, talk, heard);
    if (course->is_over)
        return;
    switch (next) {
    case TALK_LISTEN:
        break;
    case TALK_THINK:
        begin_thought(course);
        break;
    case TALK_OVER:
        finish(course, SESSION_OVER, "");
        break;
    case TALK_REFUSE:
        finish(course, SESSION_REFUSED, talk->why);
        break;
    case TALK_BROKEN:
        finish(course, SESSION_BROKEN, talk->why);
        break;
    }
}

/* By when the server has to say its next word. */
static double silent_until_s(const struct course *course, double heard_s)
{
    const struct session *session = course->session;
    double until_s = heard_s + session->silence_s;

    if (course->has_heard || session->greeting_until_s <= 0.0)
        return until_s;
    return fmin(until_s, fmax(session->greeting_until_s, course->begun_s + SESSION_QUIET_S));
}

/* Nothing came in time: tells it, or gives up. */
static void stay_quiet(struct course *course, double silent_s)
{
    bool speaks_first = !course->session->protocol->begin;
    char why[TALK_WHY_MAX];

    snprintf(why, sizeof why, "connected, but the server %s%s",
             speaks_first ? "says nothing" : "does not answer",
             speaks_first ? "; is it the wrong port, or one that another client has?" : " yet");
    if (clock_now_s() >= silent_s) {
        finish(course, SESSION_SILENT, course->has_heard ? session_text(SESSION_SILENT) : why);
    } else if (!course->has_heard && !course->told_quiet &&
               clock_now_s() >= course->begun_s + SESSION_QUIET_S) {
        course->told_quiet = true;
        warn(course, why);
    }
}

static void step(struct course *course, double *heard_s)
{
    const struct session *session = course->session;
    struct transport *transport = course->transport;
    double silent_s = silent_until_s(course, *heard_s);
    double until_s = course->thought ? course->stop_at_s : silent_s;
    struct heard heard;

    if (!course->has_heard && !course->told_quiet)
        until_s = fmin(until_s, course->begun_s + SESSION_QUIET_S);
    enum transport_event event = transport->wait(
        transport, course->thought ? thought_fd(course->thought) : -1, until_s, &heard);

    switch (event) {
    case TRANSPORT_HEARD:
        *heard_s = clock_now_s();
        hear(course, &heard);
        break;
    case TRANSPORT_READY:
        answer(course);
        *heard_s = clock_now_s();
        break;
    case TRANSPORT_QUIET:
        if (course->thought && clock_now_s() >= course->stop_at_s)
            answer(course);
        else if (!course->thought)
            stay_quiet(course, silent_s);
        break;
    case TRANSPORT_LOST:
        journal_note(session->journal, transport->why);
        course->losses++;
        break;
    case TRANSPORT_CLOSED:
        finish(course, course->talk.outcome.is_known ? SESSION_OVER : SESSION_CLOSED,
               transport->why);
        break;
    }
    if (!course->is_over && atomic_load(session->cancel))
        finish(course, SESSION_STOPPED, session_text(SESSION_STOPPED));
}

void session_run(const struct session *session, struct transport *transport,
                 struct session_report *ret_report)
{
    struct course course = {.session = session,
                            .transport = transport,
                            .report = ret_report,
                            .clock = match_clock_start(session->reserve),
                            .win = NAN,
                            .begun_s = clock_now_s(),
                            .remaining_s = -1.0};
    double heard_s = course.begun_s;

    *ret_report = (struct session_report){.team = -1, .left_s = NAN, .outcome = {.winner = -1}};
    if (!talk_begin(&course.talk, session->protocol, &session->talk)) {
        finish(&course, SESSION_FAILED, "out of memory");
        return;
    }
    say_all(&course);
    while (!course.is_over)
        step(&course, &heard_s);
    drop_thought(&course);
    const struct talk *talk = &course.talk;
    ret_report->outcome = talk->outcome;
    ret_report->team = talk->team;
    memcpy(ret_report->names, talk->names, sizeof talk->names);
    if (ret_report->end == SESSION_OVER && talk->outcome.lost > 0 &&
        strcmp(talk->outcome.reason, "time_limit") == 0)
        ret_report->end = SESSION_LATE;
    talk_end(&course.talk);
}

json_t *session_json(const struct session_report *report)
{
    const struct outcome *outcome = &report->outcome;
    json_t *object =
        json_pack("{s:s, s:s, s:i, s:i, s:i, s:f}", "end", session_word(report->end), "why",
                  report->why, "games", outcome->games, "decisions", report->decisions, "fallbacks",
                  report->fallbacks, "used_s", report->used_s);
    bool good = build_add(object, "left_s", build_real(report->left_s));

    good = build_add(object, "team",
                     report->team < 0 ? json_null() : json_string(game_team_name(report->team))) &&
           good;
    if (outcome->is_known)
        good = build_add(object, "winner",
                         outcome->winner < 0 ? json_null()
                                             : json_string(game_team_name(outcome->winner))) &&
               build_add(object, "reason", json_string(outcome->reason)) &&
               build_add(object, "won", json_integer(outcome->won)) &&
               build_add(object, "lost", json_integer(outcome->lost)) &&
               build_add(object, "points",
                         json_pack("{s:i, s:i}", "team0", outcome->points[0], "team1",
                                   outcome->points[1])) &&
               good;
    return build_done(object, good);
}
