/* Error sentences. */
#include "workers/learn/training/train_status.h"

#include <stdarg.h>
#include <stdio.h>

enum train_status train_fail(char *ret_error, enum train_status status, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(ret_error, TRAIN_ERROR_MAX, format, arguments);
    va_end(arguments);
    return status;
}
