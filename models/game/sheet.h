/* The sheet in the frame that the whole project uses: the shot frame of Digital Curling 3/4.
 * Metres; origin = the thrower's hack, +y down the sheet towards the far house, +x to the right.
 * Other frames (Digital Curling 2) are converted at input and output (frame.h). */
#ifndef RINKD_MODELS_GAME_SHEET_H
#define RINKD_MODELS_GAME_SHEET_H

#define SHEET_TEE_X        0.0
#define SHEET_TEE_Y        38.405
#define SHEET_HOG_LINE_Y   32.004 /* far hog line: a delivered stone must cross it */
#define SHEET_BACK_LINE_Y  40.234
#define SHEET_WIDTH        4.75
#define SHEET_HOUSE_RADIUS 1.829
#define STONE_RADIUS       0.145

/* A stone is in the house, or touches it, when its centre is nearer to the tee than this. Digital
 * Curling 2 has a house that is 6 mm wider (models/tables/profiles.c). */
#define SHEET_TOUCHES_HOUSE (SHEET_HOUSE_RADIUS + STONE_RADIUS)

#endif
