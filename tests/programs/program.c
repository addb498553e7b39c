/* Runs programs with fork, exec and wait. */
#include "tests/programs/program.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void require(int condition, const char *what)
{
    if (!condition) {
        perror(what);
        abort();
    }
}

static int wait_for(pid_t pid)
{
    int status;

    require(waitpid(pid, &status, 0) == pid, "waitpid");
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static pid_t start(const char *const *argv, int in, int out, int err)
{
    pid_t pid = fork();

    require(pid >= 0, "fork");
    if (pid == 0) {
        if (dup2(in, 0) == 0 && dup2(out, 1) == 1 && (err < 0 || dup2(err, 2) == 2))
            execv(argv[0], (char *const *)(size_t)argv);
        _exit(127);
    }
    return pid;
}

static FILE *temporary(void)
{
    FILE *file = tmpfile();

    require(file != NULL, "tmpfile");
    return file;
}

static char *read_all(FILE *file, size_t *ret_length)
{
    require(fseek(file, 0, SEEK_END) == 0, "fseek");
    long length = ftell(file);
    require(length >= 0, "ftell");
    rewind(file);
    char *text = malloc((size_t)length + 1);
    require(text && fread(text, 1, (size_t)length, file) == (size_t)length, "read");
    text[length] = '\0';
    *ret_length = (size_t)length;
    fclose(file);
    return text;
}

struct program_run program_run(const char *const *argv, const char *input, size_t input_length)
{
    struct program_run run;
    FILE *in = temporary(), *out = temporary(), *err = temporary();
    size_t length;

    require(fwrite(input, 1, input_length, in) == input_length && fflush(in) == 0, "write");
    rewind(in);
    run.status = wait_for(start(argv, fileno(in), fileno(out), fileno(err)));
    fclose(in);
    run.output = read_all(out, &run.length);
    run.errors = read_all(err, &length);
    return run;
}

void program_free(struct program_run *run)
{
    free(run->output);
    free(run->errors);
}

struct program_talk program_start(const char *const *argv)
{
    int to[2], from[2];
    struct program_talk talk;

    require(pipe2(to, O_CLOEXEC) == 0 && pipe2(from, O_CLOEXEC) == 0, "pipe2");
    talk.pid = start(argv, to[0], from[1], -1);
    close(to[0]);
    close(from[1]);
    talk.to = fdopen(to[1], "w");
    talk.from = fdopen(from[0], "r");
    require(talk.to && talk.from, "fdopen");
    return talk;
}

int program_finish(struct program_talk *talk)
{
    fclose(talk->to);
    fclose(talk->from);
    return wait_for(talk->pid);
}

int program_make_folder(void **state)
{
    char *folder = strdup("/tmp/rinkd-program-XXXXXX");

    *state = folder;
    return folder && mkdtemp(folder) ? 0 : -1;
}

int program_remove_folder(void **state)
{
    char command[128];

    snprintf(command, sizeof command, "rm -rf '%s'", (char *)*state);
    int status = system(command);
    free(*state);
    return status;
}
