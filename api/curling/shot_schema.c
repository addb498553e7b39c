/* Embeds shot_schema.json as a text. A file of its own: the programs that read shot queries do
 * without the contract, which is fifty times as long. */
#include "api/base/openapi.h"

__asm__(".section .rodata\n"
        ".global shot_schema\n"
        "shot_schema:\n"
        ".incbin \"" API_FOLDER "/curling/shot_schema.json\"\n"
        ".byte 0\n"
        ".previous\n");
