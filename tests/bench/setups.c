/* bench_setups [ENDS [PROFILE]]: prints when the power play pays in mixed doubles, by the table of
 * winning probabilities: for each end and lead of the team that chooses, its chance of winning in
 * per cent with the stone in the house, and what the power play adds to it now. Both teams still
 * have theirs; a tie is a draw. */
#include "models/tables/profiles.h"
#include "workers/search/player/win_table.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST_LEAD = 4 };

int main(int count, char **arguments)
{
    int ends = count > 1 ? atoi(arguments[1]) : 8;
    const struct rules *rules = rules_find(count > 2 ? arguments[2] : "dc4-modified");
    struct game game;

    if (!rules || rules->preplaced == 0 || game_start(rules, ends, 0, 1, &game) != GAME_OK) {
        fprintf(stderr, "usage: bench_setups [ENDS [PROFILE]]\n");
        return 2;
    }
    printf("end  lead  house  power play  choice\n");
    for (game.end = ends > 1 ? 1 : 0; game.end < ends; game.end++)
        for (int lead = -MOST_LEAD; lead <= MOST_LEAD; lead++) {
            game.scores[lead < 0 ? 0 : 1][0] = (int8_t)abs(lead);
            game.scores[lead < 0 ? 1 : 0][0] = 0;
            double house = win_table_of_setup(&game, SETUP_HOUSE);
            printf("%3d  %+4d  %5.1f  %+10.1f  %s\n", game.end + 1, lead, 100.0 * house,
                   100.0 * (win_table_of_setup(&game, SETUP_LEFT) - house),
                   setup_word(win_table_setup(&game)));
        }
    return 0;
}
