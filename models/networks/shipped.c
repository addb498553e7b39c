/* The weights in models/weights/, as bytes inside the program. */
#include "models/networks/end_value.h"

#include <pthread.h>
#include <string.h>

/* The assembler copies a file in; `name` and `name_end` are its first byte and the one after it. */
#define EMBED(name, file)                                                                   \
    __asm__(".section .rodata\n.balign 8\n.global " #name "\n.global " #name "_end\n" #name \
            ":\n.incbin \"" WEIGHTS "/" file "\"\n" #name "_end:\n.byte 0\n.previous\n");   \
    extern const unsigned char name[], name##_end[];

EMBED(end_value_dc2, "end_value_dc2.safetensors")
EMBED(end_value_dc2_for_sente, "end_value_dc2_for_sente.safetensors")
EMBED(end_value_dc2_for_gote, "end_value_dc2_for_gote.safetensors")
EMBED(end_value_dc3, "end_value_dc3.safetensors")
EMBED(end_value_dc3_for_sente, "end_value_dc3_for_sente.safetensors")
EMBED(end_value_dc3_for_gote, "end_value_dc3_for_gote.safetensors")

enum play { BEST, FOR_SENTE, FOR_GOTE, PLAYS };

struct shipped {
    const char *ice;
    const unsigned char *bytes[PLAYS], *end[PLAYS];
    struct end_value value[PLAYS];
    bool good[PLAYS];
};

#define BYTES(name)                             \
    {                                           \
        name, name##_for_sente, name##_for_gote \
    }
#define ENDS(name)                                            \
    {                                                         \
        name##_end, name##_for_sente_end, name##_for_gote_end \
    }

static struct shipped all[] = {
    {.ice = "dc2", .bytes = BYTES(end_value_dc2), .end = ENDS(end_value_dc2)},
    {.ice = "dc3", .bytes = BYTES(end_value_dc3), .end = ENDS(end_value_dc3)}};

static void read_files(void)
{
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++)
        for (int play = 0; play < PLAYS; play++)
            all[k].good[play] =
                end_value_read(all[k].bytes[play], (size_t)(all[k].end[play] - all[k].bytes[play]),
                               &all[k].value[play]);
}

static const struct end_value *find(const char *ice, enum play play)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    /* dc4 is the same ice as dc3; what its rules change is rare. */
    if (strcmp(ice, "dc4") == 0)
        ice = "dc3";
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++)
        if (strcmp(ice, all[k].ice) == 0) {
            pthread_once(&once, read_files);
            return all[k].good[play] ? &all[k].value[play] : NULL;
        }
    return NULL;
}

const struct end_value *end_value_shipped(const char *ice)
{
    return find(ice, BEST);
}

const struct end_value *end_value_shipped_against(const char *ice, enum seat fallible)
{
    return find(ice, fallible == SEAT_GOTE ? FOR_SENTE : FOR_GOTE);
}
