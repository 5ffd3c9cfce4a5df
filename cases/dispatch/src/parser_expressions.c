/* Expressions to syntax trees: recursive descent, and precedence climbing for the binary operators. */
#include <string.h>

#include "parser.h"

static NodeList expressions_until(Parser *parser, TokenKind closing, const char *wanted, Node *owner) {
    Growing list = {0};
    while (!at(parser, closing) && !at(parser, TOKEN_END)) {
        Node *item = expression(parser);
        hang(parser, owner, item);
        grow(parser, &list, item);
        if (!accept(parser, TOKEN_COMMA)) {
            break;
        }
    }
    expect(parser, closing, wanted);
    return node_list(list);
}

static int hexadecimal_digit(char c) {
    static const char digits[] = "0123456789abcdef";
    const char *found = c == '\0' ? NULL : strchr(digits, c >= 'A' && c <= 'F' ? c - 'A' + 'a' : c);
    return found == NULL ? -1 : (int)(found - digits);
}

/* The bytes that a string literal stands for. */
static Text unescape(Parser *parser, const Token *token) {
    char *bytes = arena_allocate(parser->arena, token->text.length);
    size_t length = 0;
    const char *next = token->text.start, *end = next + token->text.length;
    while (next < end) {
        char c = *next++;
        if (c == '\\') {
            const char escape = *next++;
            const int high = end - next >= 2 ? hexadecimal_digit(next[0]) : -1;
            const int low = high >= 0 ? hexadecimal_digit(next[1]) : -1;
            if (escape == 'x' && low >= 0) {
                c = (char)(high * 16 + low);
                next += 2;
            } else if (escape == 'n' || escape == 't' || escape == '"' || escape == '\\') {
                c = escape == 'n' ? '\n' : escape == 't' ? '\t' : escape;
            } else {
                const uint32_t column = token->at.column + (uint32_t)(next - token->text.start) - 1;
                source_error(parser->source, (Position){token->at.line, column},
                             "unknown escape; there are \\n, \\t, \\\", \\\\ and \\x41");
                break;
            }
        }
        bytes[length++] = c;
    }
    return (Text){bytes, length};
}

static Node *primary(Parser *parser) {
    const Token token = parser->token;
    switch (token.kind) {
    case TOKEN_NIL:
    case TOKEN_TRUE:
    case TOKEN_FALSE:
    case TOKEN_SELF: {
        advance(parser);
        return new_node(parser,
                        token.kind == TOKEN_NIL    ? NODE_NIL
                        : token.kind == TOKEN_TRUE ? NODE_TRUE
                        : token.kind == TOKEN_SELF ? NODE_SELF
                                                   : NODE_FALSE,
                        token.at);
    }
    case TOKEN_NUMBER: {
        advance(parser);
        Node *node = new_node(parser, NODE_NUMBER, token.at);
        node->number = token.number;
        return node;
    }
    case TOKEN_STRING: {
        Node *node = new_node(parser, NODE_STRING, token.at);
        node->text = unescape(parser, &token);
        advance(parser);
        return node;
    }
    case TOKEN_NAME: {
        advance(parser);
        Node *node = new_node(parser, NODE_NAME, token.at);
        node->text = token.text;
        return node;
    }
    case TOKEN_LEFT_PAREN: {
        advance(parser);
        Node *inner = expression(parser);
        expect(parser, TOKEN_RIGHT_PAREN, "')'");
        return inner;
    }
    case TOKEN_LEFT_BRACKET: {
        advance(parser);
        Node *node = new_node(parser, NODE_ARRAY, token.at);
        node->items = expressions_until(parser, TOKEN_RIGHT_BRACKET, "',' or ']'", node);
        return node;
    }
    default:
        unexpected(parser, "an expression");
        return new_node(parser, NODE_NIL, token.at);
    }
}

static Node *member(Parser *parser, Node *object, Position position) {
    const Text name = expect_name(parser, "the name of a field or method");
    const bool called = accept(parser, TOKEN_LEFT_PAREN);
    Node *node = new_node(parser, called ? NODE_METHOD_CALL : NODE_FIELD, position);
    hang(parser, node, object);
    node->member.object = object;
    node->member.name = name;
    if (called) {
        node->member.arguments = expressions_until(parser, TOKEN_RIGHT_PAREN, "',' or ')'", node);
    }
    return node;
}

/* A primary with what follows it: calls, indices, members. */
static Node *postfix(Parser *parser) {
    Node *left = primary(parser);
    for (;;) {
        const Position position = parser->token.at;
        if (accept(parser, TOKEN_LEFT_PAREN)) {
            Node *node = new_node(parser, NODE_CALL, position);
            hang(parser, node, left);
            node->call.callee = left;
            node->call.arguments = expressions_until(parser, TOKEN_RIGHT_PAREN, "',' or ')'", node);
            left = node;
        } else if (accept(parser, TOKEN_LEFT_BRACKET)) {
            Node *node = new_node(parser, NODE_INDEX, position);
            node->index.array = left;
            node->index.index = expression(parser);
            hang(parser, node, left);
            hang(parser, node, node->index.index);
            expect(parser, TOKEN_RIGHT_BRACKET, "']'");
            left = node;
        } else if (accept(parser, TOKEN_DOT)) {
            left = member(parser, left, position);
        } else {
            return left;
        }
    }
}

static Node *unary(Parser *parser) {
    const Token sign = parser->token;
    if (sign.kind != TOKEN_MINUS && sign.kind != TOKEN_TILDE) {
        return postfix(parser);
    }
    advance(parser);
    if (!enter(parser)) {
        return new_node(parser, NODE_NIL, sign.at);
    }
    Node *operand = unary(parser);
    leave(parser);
    if (sign.kind == TOKEN_MINUS && operand->kind == NODE_NUMBER) {
        operand->number = -operand->number;
        operand->at = sign.at;
        return operand;
    }
    Node *node = new_node(parser, NODE_UNARY, sign.at);
    hang(parser, node, operand);
    node->unary.sign = sign.kind;
    node->unary.operand = operand;
    return node;
}

/* How tightly a binary operator holds its operands; 0 for all that is none. */
static int binding(TokenKind kind) {
    switch (kind) {
    case TOKEN_OR:
        return 1;
    case TOKEN_AND:
        return 2;
    case TOKEN_EQUAL:
    case TOKEN_NOT_EQUAL:
    case TOKEN_LESS:
    case TOKEN_LESS_EQUAL:
    case TOKEN_GREATER:
    case TOKEN_GREATER_EQUAL:
        return 4;
    case TOKEN_DOT_DOT:
        return 5;
    case TOKEN_BAR:
        return 6;
    case TOKEN_CARET:
        return 7;
    case TOKEN_AMPERSAND:
        return 8;
    case TOKEN_SHIFT_LEFT:
    case TOKEN_SHIFT_RIGHT:
        return 9;
    case TOKEN_PLUS:
    case TOKEN_MINUS:
        return 10;
    case TOKEN_STAR:
    case TOKEN_SLASH:
    case TOKEN_SLASH_SLASH:
    case TOKEN_PERCENT:
        return 11;
    default:
        return 0;
    }
}

enum { BINDING_NOT = 3, BINDING_COMPARE = 4 };

static Node *operators(Parser *parser, int loosest);

/* An operand of an operator that binds as tightly as said, or what `not` precedes. */
static Node *operand(Parser *parser, int loosest) {
    const Position position = parser->token.at;
    if (loosest > BINDING_NOT || !accept(parser, TOKEN_NOT)) {
        return unary(parser);
    }
    Node *node = new_node(parser, NODE_NOT, position);
    node->value = operators(parser, BINDING_NOT);
    hang(parser, node, node->value);
    return node;
}

/* `a .. b .. c` is one node, so that it is built with one copy. */
static Node *concatenation(Parser *parser, Node *first, Position position) {
    Growing list = {0};
    Node *node = new_node(parser, NODE_CONCAT, position);
    hang(parser, node, first);
    grow(parser, &list, first);
    do {
        Node *next = operators(parser, binding(TOKEN_DOT_DOT) + 1);
        hang(parser, node, next);
        grow(parser, &list, next);
    } while (accept(parser, TOKEN_DOT_DOT));
    node->items = node_list(list);
    return node;
}

static Node *binary(Parser *parser, Token sign, Node *left) {
    const int strength = binding(sign.kind);
    Node *right = operators(parser, strength + 1);
    Node *node = new_node(parser,
                          sign.kind == TOKEN_AND         ? NODE_AND
                          : sign.kind == TOKEN_OR        ? NODE_OR
                          : strength == BINDING_COMPARE ? NODE_COMPARE
                                                        : NODE_BINARY,
                          sign.at);
    hang(parser, node, left);
    hang(parser, node, right);
    node->binary.sign = sign.kind;
    node->binary.left = left;
    node->binary.right = right;
    if (strength == BINDING_COMPARE && binding(parser->token.kind) == BINDING_COMPARE) {
        source_error(parser->source, parser->token.at, "comparisons do not chain; write 'a < b and b < c'");
        advance(parser);
    }
    return node;
}

/* Everything that operators of at least this strength join. */
static Node *operators(Parser *parser, int loosest) {
    if (!enter(parser)) {
        return new_node(parser, NODE_NIL, parser->token.at);
    }
    Node *left = operand(parser, loosest);
    for (;;) {
        const Token sign = parser->token;
        const int strength = binding(sign.kind);
        if (strength == 0 || strength < loosest) {
            leave(parser);
            return left;
        }
        advance(parser);
        left = sign.kind == TOKEN_DOT_DOT ? concatenation(parser, left, sign.at) : binary(parser, sign, left);
    }
}

Node *expression(Parser *parser) { return operators(parser, 1); }
