/* What the parts of the parser share: the token that is next, lists that grow, and errors. */
#ifndef PARSER_H
#define PARSER_H

#include "ast.h"

/* How deep a tree may be: the parser and the compiler recurse on it. */
enum { DEPTH_LIMIT = 200 };

typedef struct {
    Source *source;
    Arena *arena;
    Lexer lexer;
    Token token; /* not consumed yet */
    unsigned depth;
} Parser;

/* A list that grows in a scratch buffer of the arena. */
typedef struct {
    void **items;
    size_t count, capacity;
} Growing;

void grow(Parser *parser, Growing *list, void *item);
NodeList node_list(Growing list);

void advance(Parser *parser);
bool at(const Parser *parser, TokenKind kind);
bool accept(Parser *parser, TokenKind kind); /* consumes it, if it is next */
void expect(Parser *parser, TokenKind kind, const char *wanted);
Text expect_name(Parser *parser, const char *wanted);

/* Reports that something else was wanted here, and stops the lexer. */
void unexpected(Parser *parser, const char *wanted);

Node *new_node(Parser *parser, NodeKind kind, Position position);

/* Notes that the child hangs below the node, and refuses trees too high to walk. */
void hang(Parser *parser, Node *node, const Node *child);

/* Enters one level of recursion; false, with the error reported, when it is one too many. */
bool enter(Parser *parser);
void leave(Parser *parser);

/* parser_expressions.c */
Node *expression(Parser *parser);

#endif
