/* Finds engines by name. Separate from throw.c, so only programs with that choice link Box2D. */
#include "models/ice/throw.h"

#include <string.h>

throw_engine *throw_engine_find(const char *name, const char **ret_reason)
{
    if (strcmp(name, "fast") == 0)
        return throw_fast;
    if (strcmp(name, "box2d") == 0) {
#if RINKD_BOX2D
        return throw_box2d;
#else
        *ret_reason = "this build has no Box2D (RINKD_BOX2D=OFF); the engine fast is always there";
        return NULL;
#endif
    }
    *ret_reason = "the engines are fast and box2d";
    return NULL;
}
