/* Runs commands in turn as a shell would start them, and prints what each has used: a line for each round, microseconds of CPU time of each
   image. The order is drawn anew for each round.

   bare ROUNDS SEED GROUP PREPARE IMAGES IMAGE… COMMAND…

   `{}` in the command stands for the image. PREPARE, if not empty, is run by the shell before each run. Without a GROUP the time is what
   wait4 tells of the program and of those that it waited for, and of orphans, which this process adopts. With one (a folder in which
   cpuacct.usage or cpu.stat accounts for the group that this process is in) it is that of everything, less this process's own: for children
   that the kernel reaps by itself, of which nobody is told. */
#define _GNU_SOURCE
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { MOST = 16, WORDS = 64 };

static void die(const char *what) {
    fprintf(stderr, "bare: %s: %s\n", what, strerror(errno));
    exit(1);
}

static double used(const struct rusage *usage) {
    return (usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) * 1e6 + usage->ru_utime.tv_usec + usage->ru_stime.tv_usec;
}

/* Microseconds of the group, less those of this process itself. */
static double of_group(const char *group) {
    char path[4200], line[256];
    double found = -1, number;
    snprintf(path, sizeof path, "%s/cpuacct.usage", group);
    FILE *file = fopen(path, "r");
    if (file) {
        if (fscanf(file, "%lf", &number) == 1)
            found = number / 1e3;
    } else {
        snprintf(path, sizeof path, "%s/cpu.stat", group);
        file = fopen(path, "r");
        while (file && fgets(line, sizeof line, file))
            if (sscanf(line, "usage_usec %lf", &number) == 1)
                found = number;
    }
    if (!file || found < 0)
        die(group);
    fclose(file);
    struct rusage own;
    getrusage(RUSAGE_SELF, &own);
    return found - used(&own);
}

static double run(char *image, char **words, int count, const char *group, posix_spawn_file_actions_t *files) {
    char *argv[WORDS + 1] = {0};
    for (int word = 0; word < count; word++)
        argv[word] = strcmp(words[word], "{}") == 0 ? image : words[word];
    double before = *group ? of_group(group) : 0, sum = 0;
    pid_t child, ended;
    errno = posix_spawnp(&child, argv[0], files, 0, argv, environ);
    if (errno)
        die(argv[0]);
    int status;
    struct rusage usage;
    while ((ended = wait4(-1, &status, 0, &usage)) > 0) {
        sum += used(&usage);
        if (ended == child && status != 0) {
            fprintf(stderr, "bare: %s ended with status %x\n", image, status);
            exit(1);
        }
    }
    return *group ? of_group(group) - before : sum;
}

int main(int count, char **words) {
    if (count < 8) {
        fprintf(stderr, "usage: bare ROUNDS SEED GROUP PREPARE IMAGES IMAGE… COMMAND…\n");
        return 2;
    }
    int rounds = atoi(words[1]), images = atoi(words[5]);
    if (images < 1 || images > MOST || count < 7 + images || count - 6 - images > WORDS)
        return 2;
    srandom(atoi(words[2]));
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", 0, 0);
    posix_spawn_file_actions_addopen(&files, 1, "/dev/null", 1, 0);
    for (int round = 0; round < rounds; round++) {
        int order[MOST];
        double took[MOST];
        for (int image = 0; image < images; image++) {
            int other = random() % (image + 1);
            order[image] = order[other];
            order[other] = image;
        }
        for (int place = 0; place < images; place++) {
            if (*words[4] && system(words[4]) != 0)
                die(words[4]);
            took[order[place]] = run(words[6 + order[place]], words + 6 + images, count - 6 - images, words[3], &files);
        }
        for (int image = 0; image < images; image++)
            printf("%.0f%c", took[image], image + 1 < images ? ' ' : '\n');
    }
}
