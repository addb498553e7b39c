/* Callers, each with its line, and whose turn it is. See fair_line.h. */
#include "service/shots/fair_line.h"

#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct fair_caller {
    struct fair_caller *next;
    char *name;
    struct fair_place *first, **last;
    int waiting, served;
    int64_t turn; /* grows; the smallest is next */
};

static struct fair_caller *find_caller(const struct fair_line *line, const char *name)
{
    struct fair_caller *caller = line->callers;

    while (caller && strcmp(caller->name, name) != 0)
        caller = caller->next;
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
    /* Its turn is after all callers but the last one served, so leaving and coming back gains
     * nothing. */
    *caller = (struct fair_caller){
        .next = line->callers, .name = copy, .last = &caller->first, .turn = line->turns - 1};
    line->callers = caller;
    return caller;
}

static void forget_caller(struct fair_line *line, struct fair_caller *caller)
{
    struct fair_caller **place = &line->callers;

    while (*place != caller)
        place = &(*place)->next;
    *place = caller->next;
    free(caller->name);
    free(caller);
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
    *caller->last = place;
    caller->last = &place->next;
    caller->waiting++;
    line->waiting++;
    return API_OK;
}

/* Takes a waiting place out of its caller's line. */
static void stop_waiting(struct fair_line *line, struct fair_place *place)
{
    struct fair_caller *caller = place->caller;
    struct fair_place **at = &caller->first;

    while (*at != place)
        at = &(*at)->next;
    *at = place->next;
    if (!*at)
        caller->last = at;
    caller->waiting--;
    line->waiting--;
    assert(caller->waiting >= 0 && line->waiting >= caller->waiting);
    assert((caller->waiting == 0) == (caller->first == NULL));
}

struct fair_place *fair_line_first(const struct fair_line *line)
{
    const struct fair_caller *best = NULL;

    for (const struct fair_caller *caller = line->callers; caller; caller = caller->next)
        if (caller->first && (!best || caller->served < best->served ||
                              (caller->served == best->served && caller->turn <= best->turn)))
            best = caller;
    return best ? best->first : NULL;
}

void fair_line_serve(struct fair_line *line, struct fair_place *place)
{
    assert(place->state == FAIR_WAITING);
    stop_waiting(line, place);
    place->state = FAIR_SERVED;
    place->caller->served++;
    place->caller->turn = line->turns += 2;
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
    if (caller->waiting == 0 && caller->served == 0)
        forget_caller(line, caller);
}

bool fair_place_is_of(const struct fair_place *place, const char *name)
{
    return place->caller && strcmp(place->caller->name, name) == 0;
}

struct fair_place *fair_line_walk(const struct fair_line *line, const struct fair_place *place)
{
    if (place && place->next)
        return place->next;
    const struct fair_caller *caller = place ? place->caller->next : line->callers;
    while (caller && !caller->first)
        caller = caller->next;
    return caller ? caller->first : NULL;
}

int fair_line_ahead(const struct fair_line *line, const char *name)
{
    const struct fair_caller *own = find_caller(line, name);
    int own_waiting = own ? own->waiting : 0, ahead = own_waiting;

    /* Every other caller has a turn for each of ours. */
    for (const struct fair_caller *caller = line->callers; caller; caller = caller->next)
        if (caller != own)
            ahead += caller->waiting < own_waiting + 1 ? caller->waiting : own_waiting + 1;
    return ahead;
}

struct fair_place *fair_line_victim(const struct fair_line *line, const char *name,
                                    enum api_error *ret_error)
{
    const struct fair_caller *own = find_caller(line, name), *greediest = NULL;
    int own_waiting = own ? own->waiting : 0;

    for (const struct fair_caller *caller = line->callers; caller; caller = caller->next)
        if (!greediest || caller->waiting > greediest->waiting)
            greediest = caller;
    if (greediest && greediest->waiting >= own_waiting + 2)
        return (struct fair_place *)(void *)((char *)greediest->last -
                                             offsetof(struct fair_place, next));
    *ret_error = own_waiting > 0 && own_waiting < line->waiting ? API_SHARE_FULL : API_BUSY;
    return NULL;
}
