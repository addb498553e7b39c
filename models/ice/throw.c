/* Checks of requests and texts of statuses, for both engines. */
#include "models/ice/throw.h"

const char *throw_status_text(enum throw_status status)
{
    static const char *const texts[] = {
#define X(name, text) [name] = text,
        THROW_STATUSES(X)
#undef X
    };
    return texts[status];
}

enum throw_status throw_check(const struct throw_request *request)
{
    const struct position *before = request->before;

    if (request->stone < 0 || request->stone >= POSITION_STONES ||
        position_has(before, request->stone))
        return THROW_BAD_STONE;
    for (unsigned rest = before->in_play; rest; rest &= rest - 1) {
        struct vec2 at = before->stone[__builtin_ctz(rest)];
        if (!isfinite(at.x) || !isfinite(at.y))
            return THROW_BAD_POSITION;
    }
    double most;
    return ice_shot_check(request->ice, &request->shot, &most) == ICE_SHOT_GOOD ? THROW_OK
                                                                                : THROW_BAD_SHOT;
}
