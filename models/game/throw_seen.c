/* A throw that was seen. See throw_seen.h. */
#include "models/game/throw_seen.h"

#include <string.h>

/* Assigns one member after the other: gcc 12 with -ftrivial-auto-var-init=pattern loses stones of
 * positions that are copied in an initializer. */
void throw_seen_set(struct throw_seen *ret_seen, const struct game *before,
                    const struct position *after, const struct shot *thrown)
{
    memset(ret_seen, 0, sizeof *ret_seen);
    ret_seen->shot = before->shot;
    ret_seen->team0_has_hammer = game_team0_has_hammer(before);
    ret_seen->before = before->position;
    ret_seen->has_after = after != NULL;
    if (after)
        ret_seen->after = *after;
    ret_seen->has_thrown = thrown != NULL;
    if (thrown)
        ret_seen->thrown = *thrown;
}
