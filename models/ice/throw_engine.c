/* The engines by name. Apart from throw.c, so that only programs that offer the choice link Box2D.
 */
#include "models/ice/throw.h"

#include <string.h>

throw_engine *throw_engine_find(const char *name)
{
    if (strcmp(name, "fast") == 0)
        return throw_fast;
    if (strcmp(name, "box2d") == 0)
        return throw_box2d;
    return NULL;
}
