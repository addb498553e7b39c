/* The weights in models/weights/, as bytes inside the program. */
#include "models/networks/end_value.h"

#include <pthread.h>
#include <string.h>

/* The assembler copies a file in; `name` and `name_end` are its first byte and the one after it. */
#define EMBED(name, file)                                                                        \
    __asm__(".section .rodata\n.balign 8\n.global " #name "\n.global " #name "_end\n" #name      \
            ":\n.incbin \"" WEIGHTS_FOLDER "/" file "\"\n" #name "_end:\n.byte 0\n.previous\n"); \
    extern const unsigned char name[], name##_end[];

EMBED(end_value_dc2, "end_value_dc2.safetensors")
EMBED(end_value_dc2_for_sente, "end_value_dc2_for_sente.safetensors")
EMBED(end_value_dc3, "end_value_dc3.safetensors")
EMBED(end_value_dc3_for_sente, "end_value_dc3_for_sente.safetensors")
EMBED(end_value_dc3_for_gote, "end_value_dc3_for_gote.safetensors")

enum play { BEST, FOR_SENTE, FOR_GOTE };

#define SHIPPED(ice, play, name, ...)                            \
    {                                                            \
        ice, play, {__VA_ARGS__}, name, name##_end, false, false \
    }

/* The cards beside the weights say the same of the opponents. */
static struct shipped {
    const char *ice;
    enum play play;
    struct end_value_opponent opponent; /* unless BEST */
    const unsigned char *bytes, *end;
    bool read, good;
} all[] = {
    SHIPPED("dc2", BEST, end_value_dc2, NULL, 0.0),
    SHIPPED("dc2", FOR_SENTE, end_value_dc2_for_sente, "ai-simple", 0.3),
    SHIPPED("dc3", BEST, end_value_dc3, NULL, 0.0),
    SHIPPED("dc3", FOR_SENTE, end_value_dc3_for_sente, "dc3-rulebased", 0.3),
    SHIPPED("dc3", FOR_GOTE, end_value_dc3_for_gote, "dc3-rulebased", 0.3),
};

/* Beside the table, so that a program holds no zeros for them. */
static struct end_value values[sizeof all / sizeof all[0]];

/* Each is read when it is first asked for: most programs need one ice, some of them one seat. */
static const struct end_value *find(const char *ice, enum play play,
                                    struct end_value_opponent *ret_opponent)
{
    static pthread_mutex_t reading = PTHREAD_MUTEX_INITIALIZER;
    const struct end_value *found = NULL;

    /* dc4 is the same ice as dc3; what its rules change is rare. */
    if (strcmp(ice, "dc4") == 0)
        ice = "dc3";
    pthread_mutex_lock(&reading);
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) {
        struct shipped *one = &all[k];
        if (strcmp(ice, one->ice) != 0 || play != one->play)
            continue;
        if (!one->read)
            one->good = end_value_read(one->bytes, (size_t)(one->end - one->bytes), &values[k]);
        one->read = true;
        if (!one->good)
            continue;
        found = &values[k];
        *ret_opponent = one->opponent;
    }
    pthread_mutex_unlock(&reading);
    return found;
}

const struct end_value *end_value_shipped(const char *ice)
{
    struct end_value_opponent none;
    return find(ice, BEST, &none);
}

const struct end_value *end_value_shipped_for(const char *ice, enum seat seat,
                                              struct end_value_opponent *ret_opponent)
{
    return find(ice, seat == SEAT_SENTE ? FOR_SENTE : FOR_GOTE, ret_opponent);
}
