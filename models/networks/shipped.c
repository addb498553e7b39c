/* The weights in models/weights/, as bytes inside the program. */
#include "models/networks/end_value.h"

#include <pthread.h>
#include <string.h>

/* The assembler copies a file in; `name` and `name_end` are its first byte and the one after it. */
#define EMBED(name, file)                                                                   \
    __asm__(".section .rodata\n.balign 8\n.global " #name "\n.global " #name "_end\n" #name \
            ":\n.incbin \"" WEIGHTS "/" file "\"\n" #name "_end:\n.byte 0\n.previous\n");   \
    extern const unsigned char name[], name##_end[];

EMBED(end_value_dc2_file, "end_value_dc2.safetensors")
EMBED(end_value_dc3_file, "end_value_dc3.safetensors")

static struct end_value dc2, dc3;
static bool dc2_good, dc3_good;

static void read_files(void)
{
    dc2_good = end_value_read(end_value_dc2_file,
                              (size_t)(end_value_dc2_file_end - end_value_dc2_file), &dc2);
    dc3_good = end_value_read(end_value_dc3_file,
                              (size_t)(end_value_dc3_file_end - end_value_dc3_file), &dc3);
}

const struct end_value *end_value_shipped(const char *ice)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, read_files);
    if (strcmp(ice, "dc2") == 0)
        return dc2_good ? &dc2 : NULL;
    /* dc4 is the same ice as dc3; what its rules change is rare. */
    if (strcmp(ice, "dc3") == 0 || strcmp(ice, "dc4") == 0)
        return dc3_good ? &dc3 : NULL;
    return NULL;
}
