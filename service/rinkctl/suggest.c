/* Distances between words. See suggest.h. */
#include "service/rinkctl/suggest.h"

#include <string.h>

enum { WORD_MOST = 32 };

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* How many letters have to be added, left out, changed or swapped with their neighbour. */
static int distance_of(const char *a, const char *b)
{
    const int rows = (int)strlen(a), columns = (int)strlen(b);
    int table[WORD_MOST + 1][WORD_MOST + 1];

    if (rows > WORD_MOST || columns > WORD_MOST)
        return 2 * WORD_MOST;
    for (int i = 0; i <= rows; i++) {
        for (int j = 0; j <= columns; j++) {
            if (i == 0 || j == 0) {
                table[i][j] = i + j;
                continue;
            }
            table[i][j] = least(least(table[i - 1][j], table[i][j - 1]) + 1,
                                table[i - 1][j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                table[i][j] = least(table[i][j], table[i - 2][j - 2] + 1);
        }
    }
    return table[rows][columns];
}

void suggestion_try(struct suggestion *suggestion, const char *known)
{
    const size_t length = strlen(suggestion->wanted);
    const int most = 1 + (int)length / 4;
    int distance = distance_of(suggestion->wanted, known);

    /* A beginning is near, however much is missing. */
    if (length > 1 && strncmp(suggestion->wanted, known, length) == 0)
        distance = most;
    if (distance <= most && (!suggestion->best || distance < suggestion->distance)) {
        suggestion->best = known;
        suggestion->distance = distance;
    }
}
