/* Mirror symmetry: the sheet, the rules and the ice look the same in a mirror along the centre line
 * (x -> -x), with the spin reversed. Mirroring twice gives back what was there. */
#ifndef RINKD_MODELS_GAME_SYMMETRY_H
#define RINKD_MODELS_GAME_SYMMETRY_H

#include "models/game/position.h"
#include "models/game/shot.h"

/* The mirror image; every stone keeps its index and the score its sign. */
struct position position_mirror(const struct position *position);

/* The throw that does in the mirrored position what `shot` does here. */
struct shot shot_mirror(const struct shot *shot);

#endif
