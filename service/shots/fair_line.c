/* Callers, each with a line, and whose turn it is. See fair_line.h. */
#include "service/shots/fair_line.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct fair_caller {
    LIST_ENTRY(fair_caller) link;
    char *name;
    TAILQ_HEAD(places, fair_place) places; /* waiting places */
    int waiting, served;
    int64_t turn; /* grows; the smallest is next */
};

static struct fair_caller *find_caller(const struct fair_line *line, const char *name)
{
    struct fair_caller *caller = LIST_FIRST(&line->callers);

    while (caller && strcmp(caller->name, name) != 0)
        caller = LIST_NEXT(caller, link);
    return caller;
}

static struct fair_caller *add_caller(struct fair_line *line, const char *name)
{
    struct fair_caller *caller = calloc(1, sizeof *caller);
    char *copy = caller ? strdup(name) : NULL;

    if (!copy) {
        free(caller);
        return NULL;
    }
    /* Its turn comes after all callers but the last one served, so leaving and coming back gains
     * nothing. */
    *caller = (struct fair_caller){.name = copy, .turn = line->turns - 1};
    TAILQ_INIT(&caller->places);
    LIST_INSERT_HEAD(&line->callers, caller, link);
    return caller;
}

enum api_error fair_line_join(struct fair_line *line, struct fair_place *place, const char *name)
{
    struct fair_caller *caller = find_caller(line, name);

    assert(place->state == FAIR_OUTSIDE);
    if (!caller)
        caller = add_caller(line, name);
    if (!caller)
        return API_NO_MEMORY;
    *place = (struct fair_place){.caller = caller, .state = FAIR_WAITING};
    TAILQ_INSERT_TAIL(&caller->places, place, in_line);
    caller->waiting++;
    line->waiting++;
    return API_OK;
}

/* Takes a waiting place out of its caller's line. */
static void stop_waiting(struct fair_line *line, struct fair_place *place)
{
    struct fair_caller *caller = place->caller;

    TAILQ_REMOVE(&caller->places, place, in_line);
    caller->waiting--;
    line->waiting--;
    assert(caller->waiting >= 0 && line->waiting >= caller->waiting);
    assert((caller->waiting == 0) == TAILQ_EMPTY(&caller->places));
}

struct fair_place *fair_line_first(const struct fair_line *line)
{
    const struct fair_caller *best = NULL, *caller;

    LIST_FOREACH (caller, &line->callers, link)
        if (caller->waiting > 0 && (!best || caller->served < best->served ||
                                    (caller->served == best->served && caller->turn <= best->turn)))
            best = caller;
    return best ? TAILQ_FIRST(&best->places) : NULL;
}

void fair_line_serve(struct fair_line *line, struct fair_place *place)
{
    assert(place->state == FAIR_WAITING);
    stop_waiting(line, place);
    place->state = FAIR_SERVED;
    place->caller->served++;
    place->caller->turn = line->turns += 2;
}

void fair_line_return(struct fair_line *line, struct fair_place *place)
{
    assert(place->state == FAIR_SERVED);
    place->state = FAIR_WAITING;
    place->caller->served--;
    TAILQ_INSERT_HEAD(&place->caller->places, place, in_line);
    place->caller->waiting++;
    line->waiting++;
}

void fair_line_leave(struct fair_line *line, struct fair_place *place)
{
    struct fair_caller *caller = place->caller;

    if (place->state == FAIR_OUTSIDE)
        return;
    if (place->state == FAIR_WAITING)
        stop_waiting(line, place);
    else
        caller->served--;
    *place = (struct fair_place){.state = FAIR_OUTSIDE};
    if (caller->waiting == 0 && caller->served == 0) {
        LIST_REMOVE(caller, link);
        free(caller->name);
        free(caller);
    }
}

bool fair_place_is_of(const struct fair_place *place, const char *name)
{
    return place->caller && strcmp(place->caller->name, name) == 0;
}

bool fair_line_serves(const struct fair_line *line, const char *name)
{
    const struct fair_caller *caller = find_caller(line, name);

    return caller && caller->served > 0;
}

bool fair_place_is_further(const struct fair_place *place)
{
    return place->caller->served - (place->state == FAIR_SERVED) > 0;
}

int fair_line_unserved(const struct fair_line *line)
{
    const struct fair_caller *caller;
    int count = 0;

    LIST_FOREACH (caller, &line->callers, link)
        count += caller->waiting > 0 && caller->served == 0;
    return count;
}

struct fair_place *fair_line_walk(const struct fair_line *line, const struct fair_place *place)
{
    if (place && TAILQ_NEXT(place, in_line))
        return TAILQ_NEXT(place, in_line);
    const struct fair_caller *caller =
        place ? LIST_NEXT(place->caller, link) : LIST_FIRST(&line->callers);
    while (caller && caller->waiting == 0)
        caller = LIST_NEXT(caller, link);
    return caller ? TAILQ_FIRST(&caller->places) : NULL;
}

int fair_line_ahead(const struct fair_line *line, const char *name)
{
    const struct fair_caller *own = find_caller(line, name), *caller;
    int own_waiting = own ? own->waiting : 0, ahead = own_waiting;

    /* Every other caller has a turn for each of this one's. */
    LIST_FOREACH (caller, &line->callers, link)
        if (caller != own)
            ahead += caller->waiting < own_waiting + 1 ? caller->waiting : own_waiting + 1;
    return ahead;
}

/* Questions of a caller, waiting and served. */
static int held(const struct fair_caller *caller)
{
    return caller->waiting + caller->served;
}

bool fair_line_is_new(const struct fair_line *line, const char *name)
{
    return !LIST_EMPTY(&line->callers) && !find_caller(line, name);
}

struct fair_place *fair_line_victim(const struct fair_line *line, const char *name,
                                    enum api_error *ret_error)
{
    const struct fair_caller *own = find_caller(line, name), *greediest = NULL, *caller;
    int own_waiting = own ? own->waiting : 0;

    LIST_FOREACH (caller, &line->callers, link)
        if (caller->waiting > 0 && (!greediest || held(caller) > held(greediest)))
            greediest = caller;
    if (greediest && greediest != own && held(greediest) >= (own ? held(own) : 0) + 2)
        return TAILQ_LAST(&greediest->places, places);
    *ret_error = own_waiting > 0 && own_waiting < line->waiting ? API_SHARE_FULL : API_BUSY;
    return NULL;
}
