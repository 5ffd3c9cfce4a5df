/* The command: sprig [--check | --list] PROGRAM [ARGUMENT…] */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vm.h"

enum { EXIT_ERROR = 1, EXIT_USAGE = 2 };

typedef enum { MODE_RUN, MODE_CHECK, MODE_LIST } Mode;

static const char usage[] = "usage: sprig [--check | --list] PROGRAM [ARGUMENT...]\n"
                            "  --check  compile only\n"
                            "  --list   compile and list the instructions\n";

/* Compiles and runs the file; the process's exit code. */
static int run_file(Mode mode, const char *path, int argument_count, char **arguments) {
    Source source;
    if (!source_read(&source, path)) {
        return EXIT_ERROR;
    }
    Vm *vm = allocate(sizeof *vm);
    vm->heap = heap_start();
    Program *program = compile(&source, &vm->heap);
    bool good = !source.failed;
    source_free(&source);
    if (good && mode == MODE_LIST) {
        program_print(program, stdout);
    } else if (good && mode == MODE_RUN) {
        good = vm_run(vm, program, path, argument_count, arguments);
    }
    heap_free(&vm->heap);
    program_free(program);
    free(vm);
    if (fflush(stdout) != 0) {
        perror("sprig: cannot write the output");
        good = false;
    }
    return good ? EXIT_SUCCESS : EXIT_ERROR;
}

int main(int argc, char **argv) {
    int next = 1;
    Mode mode = MODE_RUN;
    if (next < argc && strcmp(argv[next], "--check") == 0) {
        mode = MODE_CHECK;
        next++;
    } else if (next < argc && strcmp(argv[next], "--list") == 0) {
        mode = MODE_LIST;
        next++;
    }
    if (next >= argc || strncmp(argv[next], "--", 2) == 0) {
        fputs(usage, stderr);
        return EXIT_USAGE;
    }
    return run_file(mode, argv[next], argc - next - 1, argv + next + 1);
}
