/* The table's choice. See setup_choice.h. */
#include "workers/compete/setup_choice.h"

#include "workers/search/player/win_table.h"

enum setup setup_choose(const struct situation *situation, double *ret_win)
{
    enum setup setup = win_table_setup(&situation->game);

    *ret_win = win_table_of_setup(&situation->game, setup);
    return setup;
}
