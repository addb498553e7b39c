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

#define SHIPPED(name)                         \
    {                                         \
#name, name, name##_end, false, false \
    }

static struct shipped {
    const char *file;
    const unsigned char *bytes, *end;
    bool read, good;
} all[] = {
    SHIPPED(end_value_dc2),           SHIPPED(end_value_dc2_for_sente), SHIPPED(end_value_dc3),
    SHIPPED(end_value_dc3_for_sente), SHIPPED(end_value_dc3_for_gote),
};

/* Beside the table, so that a program holds no zeros for them. */
static struct end_value values[sizeof all / sizeof all[0]];

/* Each is read when it is first asked for: most programs need one ice, some of them one seat. */
const struct end_value *end_value_shipped(const char *file)
{
    static pthread_mutex_t reading = PTHREAD_MUTEX_INITIALIZER;
    const struct end_value *found = NULL;

    pthread_mutex_lock(&reading);
    for (size_t k = 0; file && k < sizeof all / sizeof all[0]; k++) {
        struct shipped *one = &all[k];
        if (strcmp(file, one->file) != 0)
            continue;
        if (!one->read)
            one->good = end_value_read(one->bytes, (size_t)(one->end - one->bytes), &values[k]);
        one->read = true;
        found = one->good ? &values[k] : NULL;
    }
    pthread_mutex_unlock(&reading);
    return found;
}
