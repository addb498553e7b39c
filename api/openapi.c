/* Embeds openapi.yaml and shot_schema.json as texts. */
#include "api/openapi.h"

/* The assembler copies the files and ends each with 0. */
__asm__(".section .rodata\n"
        ".global openapi_yaml\n"
        "openapi_yaml:\n"
        ".incbin \"" API_FOLDER "/openapi.yaml\"\n"
        "openapi_yaml_end:\n"
        ".byte 0\n"
        ".global shot_schema\n"
        "shot_schema:\n"
        ".incbin \"" API_FOLDER "/shot_schema.json\"\n"
        ".byte 0\n"
        ".balign 8\n"
        ".global openapi_yaml_size\n"
        "openapi_yaml_size:\n"
        ".quad openapi_yaml_end - openapi_yaml\n"
        ".previous\n");
