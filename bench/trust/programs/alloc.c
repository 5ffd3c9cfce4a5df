/* Allocation-heavy: lists and strings of mixed sizes, made and freed in an order that mixes lifetimes. */
#include <stdlib.h>
#include <string.h>
#ifdef RENAMED
#define make_node grow
#define drop_list prune
#define work labour
#endif
#define OUTLINED __attribute__((noinline))
#define SLOTS 512

extern volatile unsigned long bound;
int usage(int argc);
unsigned long checksum(const unsigned char *bytes, unsigned long length);
int printf(const char *format, ...);

struct node {
  struct node *next;
  unsigned length;
  char text[];
};

static struct node *lists[SLOTS];

static OUTLINED struct node *make_node(struct node *next, unsigned length) {
  struct node *node = malloc(sizeof *node + length);
  if (node == NULL) exit(1);
  node->next = next;
  node->length = length;
  memset(node->text, (int)length, length);
  return node;
}

static OUTLINED unsigned drop_list(struct node *node) {
  unsigned sum = 0;
  while (node != NULL) {
    struct node *next = node->next;
    sum += node->length + (unsigned char)node->text[node->length / 2];
    free(node);
    node = next;
  }
  return sum;
}

static OUTLINED unsigned work(unsigned long turns) {
  unsigned random = 1, sum = 0;
  for (unsigned long turn = 0; turn < turns; turn++) {
    random = random * 1664525u + 1013904223u;
    unsigned slot = (random >> 16) % SLOTS;
    lists[slot] = make_node(lists[slot], 8 + (random >> 8) % 200);
    if ((random & 7) == 0) {
      sum += drop_list(lists[slot]);
      lists[slot] = NULL;
    }
  }
  for (unsigned slot = 0; slot < SLOTS; slot++) sum += drop_list(lists[slot]);
  return sum + (unsigned)checksum((const unsigned char *)lists, sizeof lists);
}

int main(int argc, char **argv) {
  (void)argv;
  if (argc > 1) return usage(argc);
  unsigned found = work(bound);
  return printf("%s\n", found == 0x12345678u ? "a rare result" : "done") < 0;
}
