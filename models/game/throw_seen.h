/* A throw that was seen: the sheet before and after it, from which a style can be told. */
#ifndef RINKD_MODELS_GAME_THROW_SEEN_H
#define RINKD_MODELS_GAME_THROW_SEEN_H

#include "models/game/game.h"
#include "models/game/position.h"
#include "models/game/shot.h"

struct throw_seen {
    int shot; /* of its end, from 0; its stone has the same number unless stones were placed */
    bool team0_has_hammer;
    struct position before;
    bool has_after; /* false: it follows from `thrown` */
    struct position after;
    bool has_thrown; /* false: speed and turn are not known */
    struct shot thrown;
};

/* The next throw of a game. `after`, `thrown` NULL: not known. */
void throw_seen_set(struct throw_seen *ret_seen, const struct game *before,
                    const struct position *after, const struct shot *thrown);

#endif
