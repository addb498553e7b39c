/* Shot queries: askers and thoughts. See shots.h.
 *
 * A thought is a question to the pool; all its askers get its answer. If the deadline of the first
 * asker stops the thought, it starts again for askers with more time. */
#include "service/shots/shots.h"

#include "api/base/clock.h"
#include "models/tables/profiles.h"
#include "service/base/base.h"
#include "service/base/config.h"
#include "service/base/events.h"
#include "service/base/log.h"
#include "service/base/metrics.h"
#include "service/shots/kept_shots.h"
#include "service/shots/pool.h"
#include "service/shots/shot_errors.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <uv.h>

/* Default time between partial answers of an asynchronous query. */
enum { REPORT_MS = 250 };

/* The mean thinking time: weight of the newest one, and the mean before the first. */
#define NEWEST_SHARE  0.2
#define FIRST_GUESS_S 0.5

/* A question that runs for longer keeps no other caller out (pool.h). */
#define LONG_S 1.0

/* A search that should have ended for so long is killed. */
#define OVERRUN_S 10.0

/* Askers whose deadline is later by at least this get a new thought. */
#define LATER_S 0.1

struct asker {
    struct asker *next;
    struct thought *thought;
    struct shot_caller caller; /* without name and id */
    char *name;
    json_t *id; /* for the answer */
    double deadline_s;
};

struct thought {
    LIST_ENTRY(thought) link;
    struct shots *shots;
    struct pool_question question;
    char *key; /* queries with the same key share the answer; NULL: a simulation, which is not
                  shared */
    bool reports, is_ending; /* it has partial answers; it got a stop */
    json_t *latest;          /* the newest partial answer; NULL: none yet */
    struct asker *askers;
};

/* The first throw on each ice takes tens of milliseconds; spend them before the first
 * caller comes. */
#define NO_STONES "[null,null,null,null,null,null,null,null]"
#define WARM_UP                                                                             \
    "{\"id\":0,\"profile\":\"%s\",\"player\":\"ai-simple\",\"limits\":{\"simulations\":1}," \
    "\"state\":"                                                                            \
    "{\"end\":0,\"shot\":0,\"hammer\":\"team1\",\"scores\":{\"team0\":[],\"team1\":[]},"    \
    "\"stones\":"                                                                           \
    "{\"team0\":" NO_STONES ",\"team1\":" NO_STONES "}}}"
enum { WARM_UP_BYTES = sizeof WARM_UP + 64 };

struct shots {
    const struct base *base;
    struct pool *search, *simulate;
    char threads[16];
    const char *search_argv[5];
    LIST_HEAD(, thought) thoughts;
    struct kept_shots kept;
    double think_s; /* mean of recent thinking times */
    atomic_bool has_bad_weights;
    int pools;
    void (*stopped)(void *context);
    void *stopped_context;
    char warm_up_texts[ICE_PROFILES_MAX][WARM_UP_BYTES];
    const char *warm_ups[ICE_PROFILES_MAX + 1]; /* NULL at the end */
};

/* One query for the first profile of each ice. */
static void write_warm_ups(struct shots *shots)
{
    const struct ice_profile *ice;
    const struct profile *profile;
    int count = 0;

    for (int k = 0; (ice = ice_profile_at(k)) != NULL; k++)
        for (int p = 0; (profile = profile_at(p)) != NULL; p++)
            if (profile->ice == ice && profile->rules.preplaced == 0) {
                snprintf(shots->warm_up_texts[count], WARM_UP_BYTES, WARM_UP, profile->name);
                shots->warm_ups[count] = shots->warm_up_texts[count];
                count++;
                break;
            }
}

static const char *const simulate_greetings[] = {"{\"id\":0}",
                                                 NULL}; /* an error is an answer, too */

/* ---- answering an asker ---- */

static void asker_free(struct asker *asker)
{
    json_decref(asker->id);
    free(asker->name);
    free(asker);
}

/* A copy of the answer with the asker's own id and waiting time. NULL: memory is short. */
static json_t *answer_for(const struct asker *asker, json_t *answer)
{
    json_t *copy = json_copy(answer);
    json_t *queue = json_object_get(answer, "queue_ms");
    double own_s = fmax(0.0, asker->thought->question.taken_s - asker->caller.arrived_s);
    double waited_ms = 1000.0 * own_s + json_number_value(queue);

    if (copy && json_object_set(copy, "id", asker->id) == 0 &&
        (!queue ||
         json_object_set_new(copy, "queue_ms", json_real(round(1000.0 * waited_ms) / 1000.0)) == 0))
        return copy;
    json_decref(copy);
    return NULL;
}

/* Answers an asker and frees it. */
static void answer_asker(struct asker *asker, enum api_error error, json_t *answer)
{
    json_t *copy = answer ? answer_for(asker, answer) : NULL;

    asker->caller.answered(asker->caller.context, error == API_OK && !copy ? API_NO_MEMORY : error,
                           copy);
    json_decref(copy);
    asker_free(asker);
}

/* ---- thoughts ---- */

static void thought_free(struct thought *thought)
{
    json_decref(thought->question.document);
    json_decref(thought->latest);
    free(thought->key);
    free(thought);
}

static void on_partial(struct pool_question *question, json_t *answer)
{
    struct thought *thought =
        (struct thought *)((char *)question - offsetof(struct thought, question));

    json_decref(thought->latest);
    thought->latest = json_incref(answer);
    for (struct asker *asker = thought->askers; asker; asker = asker->next) {
        json_t *copy = asker->caller.partial ? answer_for(asker, answer) : NULL;
        if (copy)
            asker->caller.partial(asker->caller.context, copy);
        json_decref(copy);
    }
}

static void on_thought(struct pool_question *question, enum api_error error, json_t *answer,
                       double waited_s);

static struct pool *pool_of(const struct thought *thought)
{
    return thought->key ? thought->shots->search : thought->shots->simulate;
}

/* Asks a pool; steals document and key. On failure no asker has been answered. */
static enum api_error think(struct shots *shots, json_t *document, char *key, struct asker *askers)
{
    struct thought *thought = calloc(1, sizeof *thought);

    if (!thought) {
        json_decref(document);
        free(key);
        return API_NO_MEMORY;
    }
    double deadline_s = 0.0;
    bool reports = false;
    for (struct asker *asker = askers; asker; asker = asker->next) {
        asker->thought = thought;
        reports = reports || asker->caller.partial;
        deadline_s = fmax(deadline_s, asker->deadline_s);
    }
    *thought = (struct thought){.shots = shots,
                                .question = {.caller = askers->name,
                                             .document = document,
                                             .deadline_s = deadline_s,
                                             .partial = on_partial,
                                             .finished = on_thought},
                                .key = key,
                                .reports = reports,
                                .askers = askers};
    LIST_INSERT_HEAD(&shots->thoughts, thought, link);
    enum api_error error = pool_ask(pool_of(thought), &thought->question);
    if (error != API_OK) {
        LIST_REMOVE(thought, link);
        thought_free(thought);
    }
    return error;
}

/* Takes the askers whose deadline is well after the one that stopped the thought. */
static struct asker *take_later(struct thought *thought)
{
    struct asker *later = NULL, **place = &thought->askers;

    while (*place) {
        struct asker *asker = *place;
        if (asker->deadline_s > thought->question.deadline_s + LATER_S) {
            *place = asker->next;
            asker->next = later;
            later = asker;
        } else {
            place = &asker->next;
        }
    }
    return later;
}

static void count(struct shots *shots, const struct thought *thought, const json_t *answer,
                  double waited_s)
{
    struct metrics *metrics = shots->base->metrics;
    double thought_s = clock_now_s() - thought->question.taken_s;

    if (!thought->key)
        return;
    shots->think_s += NEWEST_SHARE * (thought_s - shots->think_s);
    metrics_observe(metrics, METRIC_SHOT_QUEUE_S, waited_s);
    metrics_observe(metrics, METRIC_SHOT_THINK_S, thought_s);
    metrics_count(metrics, METRIC_SIMULATED_THROWS,
                  json_integer_value(json_object_get(answer, "simulations")));
}

/* Counts a refused question. */
static enum api_error count_refusal(struct shots *shots, enum api_error error)
{
    if (error == API_BUSY || error == API_SHARE_FULL)
        metrics_count(shots->base->metrics, METRIC_SHOTS_REFUSED, 1);
    return error;
}

/* A player that failed says why; one that judges shots has weights. */
static void note_weights(struct shots *shots, enum api_error error, const json_t *answer)
{
    const json_t *first = json_array_get(json_object_get(answer, "errors"), 0);

    if (error == API_OK && json_is_object(json_object_get(answer, "value")))
        shots_note_weights(shots, true);
    if (error != API_INTERNAL || atomic_exchange(&shots->has_bad_weights, true))
        return;
    log_line(LOG_ERROR, "player failed",
             log_text("why", json_string_value(json_object_get(first, "message"))));
}

static void on_thought(struct pool_question *question, enum api_error error, json_t *answer,
                       double waited_s)
{
    struct thought *thought =
        (struct thought *)((char *)question - offsetof(struct thought, question));
    struct shots *shots = thought->shots;
    const char *stopped = json_string_value(json_object_get(answer, "stopped"));

    LIST_REMOVE(thought, link);
    if (error == API_OK)
        error = shot_errors_code(answer);
    note_weights(shots, error, answer);
    if (error == API_OK)
        count(shots, thought, answer, waited_s);

    bool was_late = !question->is_bounded &&
                    (error == API_DEADLINE || (stopped && strcmp(stopped, "timeout") == 0));
    struct asker *later = was_late && thought->key ? take_later(thought) : NULL;
    while (thought->askers) {
        struct asker *asker = thought->askers;
        thought->askers = asker->next;
        if (error == API_OK && thought->key)
            metrics_count(shots->base->metrics, METRIC_SHOTS_ANSWERED, 1);
        count_refusal(shots, error);
        answer_asker(asker, error, answer);
    }
    if (later) {
        char *key = thought->key;
        thought->key = NULL;
        enum api_error again = think(shots, json_incref(question->document), key, later);
        for (struct asker *asker = later, *next; asker && again != API_OK; asker = next) {
            next = asker->next;
            answer_asker(asker, again, NULL);
        }
    }
    thought_free(thought);
}

/* Takes an asker off its thought. The thought ends when no asker is left. */
static void leave(struct asker *asker)
{
    struct thought *thought = asker->thought;
    struct asker **place = &thought->askers;

    while (*place != asker)
        place = &(*place)->next;
    *place = asker->next;
    if (thought->askers)
        return;
    thought->is_ending = true;
    pool_cancel(pool_of(thought), &thought->question);
}

void shots_hang_up(struct asker *asker)
{
    leave(asker);
    asker_free(asker);
}

/* ---- asking ---- */

/* Whether the answer would come too late. */
static bool is_hopeless(const struct shots *shots, const char *caller, const json_t *query,
                        double left_s)
{
    double time_ms =
        json_number_value(json_object_get(json_object_get(query, "limits"), "time_ms"));
    double wait_s = pool_wait_s(shots->search, caller, shots->think_s);
    double need_s = time_ms > 0.0 ? 1e-3 * time_ms : shots->think_s;

    /* A short deadline still gets a partial answer after half its time. */
    return wait_s > 0.0 && wait_s + fmin(need_s, 0.5 * left_s) > left_s;
}

/* Whether this thought can answer the asker: same query, ends within the asker's time, and does not
 * wait for another caller's turn. */
static bool is_shared(const struct thought *thought, const char *key, const struct asker *asker)
{
    const struct fair_place *place = &thought->question.place;

    return thought->key && strcmp(thought->key, key) == 0 &&
           (thought->reports || !asker->caller.partial) && !thought->is_ending &&
           thought->question.deadline_s <= asker->deadline_s &&
           (place->state == FAIR_SERVED || fair_place_is_of(place, asker->name));
}

static struct thought *find_thought(const struct shots *shots, const char *key,
                                    const struct asker *asker)
{
    struct thought *thought = LIST_FIRST(&shots->thoughts);

    while (thought && !is_shared(thought, key, asker))
        thought = LIST_NEXT(thought, link);
    return thought;
}

/* Gives the answer the id of the question, if it has one. */
static void take_id(struct asker *asker, json_t *question)
{
    json_t *id = json_object_get(question, "id");

    if (id) {
        json_decref(asker->id);
        asker->id = json_incref(id);
    }
}

/* Moves the asker's own members out of the query; the rest, as text, is the key of its thought. The
 * caller owns the key; NULL: memory is short. */
static char *make_key(struct shots *shots, struct asker *asker, json_t *query)
{
    const char *player = shots->base->config->player;
    json_t *timeout = json_object_get(query, "timeout_ms");
    double timeout_ms = timeout ? json_number_value(timeout) : SHOTS_TIMEOUT_MS;
    bool good = true;

    asker->deadline_s = asker->caller.arrived_s + 1e-3 * timeout_ms;
    take_id(asker, query);
    json_object_del(query, "id");
    json_object_del(query, "timeout_ms");
    if (player[0] && !json_object_get(query, "player"))
        good = json_object_set_new(query, "player", json_string(player)) == 0;
    json_t *interval = json_incref(json_object_get(query, "report_interval_ms"));
    json_object_del(query, "report_interval_ms");
    char *key = good ? json_dumps(query, JSON_COMPACT | JSON_SORT_KEYS) : NULL;
    if (asker->caller.partial && !interval)
        interval = json_integer(REPORT_MS);
    if (asker->caller.partial)
        json_object_set(query, "report_interval_ms", interval);
    json_decref(interval);
    return key;
}

/* Joins a thought or begins one; steals the query. */
static enum api_error begin(struct shots *shots, struct asker *asker, json_t *query)
{
    char *key = make_key(shots, asker, query);
    struct thought *same = key ? find_thought(shots, key, asker) : NULL;

    if (key && same) {
        asker->thought = same;
        asker->next = same->askers;
        same->askers = asker;
        metrics_count(shots->base->metrics, METRIC_SHOTS_SHARED, 1);
        free(key);
        json_decref(query);
        return API_OK;
    }
    if (key && !is_hopeless(shots, asker->name, query, asker->deadline_s - clock_now_s()))
        return think(shots, query, key, asker);
    json_decref(query);
    free(key);
    return key ? API_BUSY : API_NO_MEMORY;
}

static struct asker *asker_new(const struct shot_caller *caller)
{
    struct asker *asker = calloc(1, sizeof *asker);

    if (!asker)
        return NULL;
    asker->caller = *caller;
    asker->name = strdup(caller->name);
    asker->id = json_string(caller->id);
    if (!asker->name || !asker->id) {
        asker_free(asker);
        return NULL;
    }
    return asker;
}

enum api_error shots_ask(struct shots *shots, json_t *question, const struct shot_caller *caller,
                         struct asker **ret_asker)
{
    struct asker *asker = asker_new(caller);
    enum api_error error;

    if (!asker) {
        json_decref(question);
        return API_NO_MEMORY;
    }
    *ret_asker = asker; /* set now, as begin() and think() may free it */
    if (caller->simulate_ms > 0) {
        asker->deadline_s = caller->arrived_s + 1e-3 * (double)caller->simulate_ms;
        take_id(asker, question);
        error = think(shots, question, NULL, asker);
    } else {
        error = begin(shots, asker, question);
    }
    if (error != API_OK)
        asker_free(asker);
    return count_refusal(shots, error);
}

/* ---- asynchronous queries ---- */

struct topic_name shot_topic(const char *id)
{
    struct topic_name topic;

    snprintf(topic.text, sizeof topic.text, "shot/%s", id);
    return topic;
}

static void on_kept_partial(void *context, json_t *answer)
{
    const struct kept_shot *kept = context;

    events_publish(kept->events, shot_topic(kept->id).text, "partial", json_incref(answer), false);
}

static void on_kept_answered(void *context, enum api_error error, json_t *answer)
{
    struct kept_shot *kept = context;

    kept_shot_end(kept, error, answer);
    kept->last_event =
        events_publish(kept->events, shot_topic(kept->id).text, error == API_OK ? "done" : "failed",
                       kept_shot_json(kept), true);
    if (kept->last_event == 0) /* memory is short; later readers still learn that it has ended */
        kept->last_event = clock_wall_ms() * 1000;
}

enum api_error shots_ask_async(struct shots *shots, json_t *query, const char *name,
                               double arrived_s, json_t **ret_shot)
{
    struct kept_shot *kept;
    /* Those that share a thought take no place in the line, so the line cannot limit them. */
    enum api_error error = kept_shots_add(&shots->kept, name, &kept);

    if (error != API_OK) {
        json_decref(query);
        return count_refusal(shots, error);
    }
    kept->events = shots->base->events;
    const struct shot_caller caller = {.name = name,
                                       .id = kept->id,
                                       .arrived_s = arrived_s,
                                       .partial = on_kept_partial,
                                       .answered = on_kept_answered,
                                       .context = kept};
    error = shots_ask(shots, query, &caller, &kept->asker);
    if (error == API_OK)
        *ret_shot = kept_shot_json(kept);
    else
        kept_shot_drop(kept);
    return error;
}

enum api_error shots_get(struct shots *shots, const char *id, json_t **ret_shot,
                         int64_t *ret_last_event)
{
    const struct kept_shot *kept = kept_shots_find(&shots->kept, id);
    json_t *shot = kept ? kept_shot_json(kept) : NULL;

    if (!shot)
        return kept ? API_NO_MEMORY : API_NOT_FOUND;
    *ret_shot = shot;
    *ret_last_event = kept->last_event;
    return API_OK;
}

/* Ends an asker with the newest partial answer, while others go on. */
static enum api_error stop_asking(struct asker *asker)
{
    const struct thought *thought = asker->thought;
    json_t *latest = json_copy(thought->latest);

    if (thought->latest && (!latest || json_object_set_new(latest, "is_final", json_true()) != 0 ||
                            json_object_set_new(latest, "stopped", json_string("cancel")) != 0)) {
        json_decref(latest);
        return API_NO_MEMORY;
    }
    leave(asker);
    answer_asker(asker, latest ? API_OK : API_CANCELLED, latest);
    json_decref(latest);
    return API_OK;
}

enum api_error shots_cancel(struct shots *shots, const char *id)
{
    struct kept_shot *kept = kept_shots_find(&shots->kept, id);

    if (!kept)
        return API_NOT_FOUND;
    struct asker *asker = kept->asker;
    if (asker && !asker->next && asker->thought->askers == asker) {
        /* With no other asker, it gets what there is so far. */
        asker->thought->is_ending = true;
        pool_cancel(shots->search, &asker->thought->question);
    } else if (asker) {
        return stop_asking(asker);
    }
    return API_OK;
}

/* ---- life ---- */

static void on_pool_stopped(void *context)
{
    struct shots *shots = context;

    if (--shots->pools > 0)
        return;
    kept_shots_free(&shots->kept);
    if (shots->stopped)
        shots->stopped(shots->stopped_context);
    free(shots);
}

enum api_error shots_start(const struct base *base, struct shots **ret_shots)
{
    const struct config *config = base->config;
    struct shots *shots = calloc(1, sizeof *shots);

    if (!shots)
        return API_NO_MEMORY;
    shots->base = base;
    shots->think_s = FIRST_GUESS_S;
    write_warm_ups(shots);
    snprintf(shots->threads, sizeof shots->threads, "%d", config->search_threads);
    static const char *const simulate_argv[] = {"rink-simulate", "--threads", "1", NULL};
    memcpy(shots->search_argv,
           (const char *[]){"rink-search", "--stdio", "--threads", shots->threads, NULL},
           sizeof shots->search_argv);
    const struct pool_settings search_settings = {.name = "search",
                                                  .argv = shots->search_argv,
                                                  .processes = config->search_processes,
                                                  .waiting_max = config->search_waiting_max,
                                                  .long_s = LONG_S,
                                                  .most_ms = config->search_max_ms,
                                                  .overrun_s = OVERRUN_S,
                                                  .can_cancel = true,
                                                  .greetings = shots->warm_ups};
    const struct pool_settings simulate_settings = {.name = "simulate",
                                                    .argv = simulate_argv,
                                                    .processes = 1,
                                                    .waiting_max = config->search_waiting_max,
                                                    .long_s = LONG_S,
                                                    .greetings = simulate_greetings};

    enum api_error error = pool_start(base, &search_settings, &shots->search);
    if (error != API_OK) {
        free(shots);
        return error;
    }
    shots->pools = 1;
    error = pool_start(base, &simulate_settings, &shots->simulate);
    if (error != API_OK) {
        pool_stop(shots->search, on_pool_stopped, shots);
        return error;
    }
    shots->pools = 2;
    *ret_shots = shots;
    return API_OK;
}

void shots_note_weights(struct shots *shots, bool are_good)
{
    atomic_store(&shots->has_bad_weights, !are_good);
}

int shots_why_not_ready(const struct shots *shots, const char *ret_reasons[SHOTS_REASONS_MAX])
{
    int reasons = 0;

    if (!pool_is_ready(shots->search))
        ret_reasons[reasons++] = "the search workers are starting";
    if (!pool_is_ready(shots->simulate))
        ret_reasons[reasons++] = "the simulation worker is starting";
    if (atomic_load(&shots->has_bad_weights))
        ret_reasons[reasons++] =
            "weights of the players are missing or damaged; the log says which";
    return reasons;
}

int shots_waiting(const struct shots *shots)
{
    return pool_waiting(shots->search);
}

int shots_thinking(const struct shots *shots)
{
    return pool_busy(shots->search);
}

void shots_stop(struct shots *shots, void (*stopped)(void *context), void *context)
{
    shots->stopped = stopped;
    shots->stopped_context = context;
    pool_stop(shots->search, on_pool_stopped, shots);
    pool_stop(shots->simulate, on_pool_stopped, shots);
}
