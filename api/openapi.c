/* Embeds openapi.yaml as a text. */
#include "api/openapi.h"

/* The assembler copies the file and ends it with 0. */
__asm__(".section .rodata\n"
        ".global openapi_yaml\n"
        "openapi_yaml:\n"
        ".incbin \"" API_FOLDER "/openapi.yaml\"\n"
        "openapi_yaml_end:\n"
        ".byte 0\n"
        ".balign 8\n"
        ".global openapi_yaml_size\n"
        "openapi_yaml_size:\n"
        ".quad openapi_yaml_end - openapi_yaml\n"
        ".previous\n");
