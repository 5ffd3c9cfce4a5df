/* Tokens, nodes and lists for the parser. After the first error the lexer gives nothing but TOKEN_END, so that every loop of the
 * parser ends by itself. */
#include "parser.h"

#include <string.h>

void grow(Parser *parser, Growing *list, void *item) {
    if (list->count == list->capacity) {
        list->capacity = list->capacity == 0 ? 4 : list->capacity * 2;
        void **wider = arena_allocate(parser->arena, list->capacity * sizeof *wider);
        if (list->count > 0) {
            memcpy(wider, list->items, list->count * sizeof *wider);
        }
        list->items = wider;
    }
    list->items[list->count++] = item;
}

NodeList node_list(Growing list) { return (NodeList){(Node **)list.items, list.count}; }

void advance(Parser *parser) { parser->token = lexer_next(&parser->lexer); }

bool at(const Parser *parser, TokenKind kind) { return parser->token.kind == kind; }

bool accept(Parser *parser, TokenKind kind) {
    if (!at(parser, kind)) {
        return false;
    }
    advance(parser);
    return true;
}

void unexpected(Parser *parser, const char *wanted) {
    const Token *token = &parser->token;
    if (token->kind == TOKEN_END) {
        source_error(parser->source, token->at, "expected %s, found the end of the file", wanted);
    } else {
        const int length = token->text.length > 40 ? 40 : (int)token->text.length;
        source_error(parser->source, token->at, "expected %s, found '%.*s'", wanted, length, token->text.start);
    }
    advance(parser);
}

void expect(Parser *parser, TokenKind kind, const char *wanted) {
    if (!accept(parser, kind)) {
        unexpected(parser, wanted);
    }
}

Text expect_name(Parser *parser, const char *wanted) {
    const Text name = parser->token.text;
    expect(parser, TOKEN_NAME, wanted);
    return name;
}

Node *new_node(Parser *parser, NodeKind kind, Position position) {
    Node *node = arena_allocate(parser->arena, sizeof *node);
    node->kind = kind;
    node->at = position;
    node->height = 1;
    return node;
}

void hang(Parser *parser, Node *node, const Node *child) {
    if (child->height >= node->height) {
        node->height = child->height + 1;
    }
    if (node->height > DEPTH_LIMIT) {
        source_error(parser->source, node->at, "more than %d levels of nesting", DEPTH_LIMIT);
    }
}

bool enter(Parser *parser) {
    if (++parser->depth <= DEPTH_LIMIT) {
        return true;
    }
    source_error(parser->source, parser->token.at, "more than %d levels of nesting", DEPTH_LIMIT);
    advance(parser);
    return false;
}

void leave(Parser *parser) { parser->depth--; }
