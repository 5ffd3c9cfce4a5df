/* Tokens to syntax tree, by recursive descent; binary operators by precedence climbing. After the first error the lexer gives
 * nothing but TOKEN_END, so that every loop here ends by itself. */
#include <string.h>

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

static Node *expression(Parser *parser);
static Node *statement(Parser *parser);

static void grow(Parser *parser, Growing *list, void *item) {
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

static NodeList node_list(Growing list) { return (NodeList){(Node **)list.items, list.count}; }

static void advance(Parser *parser) { parser->token = lexer_next(&parser->lexer); }

static bool at(const Parser *parser, TokenKind kind) { return parser->token.kind == kind; }

static bool accept(Parser *parser, TokenKind kind) {
    if (!at(parser, kind)) {
        return false;
    }
    advance(parser);
    return true;
}

/* Reports that something else was wanted here, and stops the lexer. */
static void unexpected(Parser *parser, const char *wanted) {
    const Token *token = &parser->token;
    if (token->kind == TOKEN_END) {
        source_error(parser->source, token->at, "expected %s, found the end of the file", wanted);
    } else {
        const int length = token->text.length > 40 ? 40 : (int)token->text.length;
        source_error(parser->source, token->at, "expected %s, found '%.*s'", wanted, length, token->text.start);
    }
    advance(parser);
}

static void expect(Parser *parser, TokenKind kind, const char *wanted) {
    if (!accept(parser, kind)) {
        unexpected(parser, wanted);
    }
}

static Text expect_name(Parser *parser, const char *wanted) {
    const Text name = parser->token.text;
    expect(parser, TOKEN_NAME, wanted);
    return name;
}

static Node *new_node(Parser *parser, NodeKind kind, Position position) {
    Node *node = arena_allocate(parser->arena, sizeof *node);
    node->kind = kind;
    node->at = position;
    node->height = 1;
    return node;
}

/* Notes that the child hangs below the node, and refuses trees too high to walk. */
static void hang(Parser *parser, Node *node, const Node *child) {
    if (child->height >= node->height) {
        node->height = child->height + 1;
    }
    if (node->height > DEPTH_LIMIT) {
        source_error(parser->source, node->at, "more than %d levels of nesting", DEPTH_LIMIT);
    }
}

/* Enters one level of recursion; false, with the error reported, when it is one too many. */
static bool enter(Parser *parser) {
    if (++parser->depth <= DEPTH_LIMIT) {
        return true;
    }
    source_error(parser->source, parser->token.at, "more than %d levels of nesting", DEPTH_LIMIT);
    advance(parser);
    return false;
}

static void leave(Parser *parser) { parser->depth--; }

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

static Node *expression(Parser *parser) { return operators(parser, 1); }

static Node *block(Parser *parser) {
    Growing list = {0};
    Node *node = new_node(parser, NODE_BLOCK, parser->token.at);
    expect(parser, TOKEN_LEFT_BRACE, "'{'");
    while (!at(parser, TOKEN_RIGHT_BRACE) && !at(parser, TOKEN_END)) {
        grow(parser, &list, statement(parser));
    }
    expect(parser, TOKEN_RIGHT_BRACE, "'}'");
    node->items = node_list(list);
    return node;
}

static Node *let_statement(Parser *parser, Position position) {
    Node *node = new_node(parser, NODE_LET, position);
    node->at = parser->token.at;
    node->let.name = expect_name(parser, "the name of a variable");
    expect(parser, TOKEN_ASSIGN, "'='");
    node->let.value = expression(parser);
    expect(parser, TOKEN_SEMICOLON, "';'");
    return node;
}

static Node *if_statement(Parser *parser, Position position) {
    Node *node = new_node(parser, NODE_IF, position);
    node->branch.condition = expression(parser);
    node->branch.then = block(parser);
    if (accept(parser, TOKEN_ELSE)) {
        node->branch.otherwise = at(parser, TOKEN_IF) ? statement(parser) : block(parser);
    }
    return node;
}

static Node *while_statement(Parser *parser, Position position) {
    Node *node = new_node(parser, NODE_WHILE, position);
    node->branch.condition = expression(parser);
    node->branch.then = block(parser);
    return node;
}

static Node *for_statement(Parser *parser, Position position) {
    Node *node = new_node(parser, NODE_FOR, position);
    node->loop.name = expect_name(parser, "the name of the loop's variable");
    expect(parser, TOKEN_ASSIGN, "'='");
    node->loop.first = expression(parser);
    expect(parser, TOKEN_UNTIL, "'until'");
    node->loop.limit = expression(parser);
    node->loop.body = block(parser);
    return node;
}

static Node *return_statement(Parser *parser, Position position) {
    Node *node = new_node(parser, NODE_RETURN, position);
    if (!at(parser, TOKEN_SEMICOLON)) {
        node->value = expression(parser);
    }
    expect(parser, TOKEN_SEMICOLON, "';'");
    return node;
}

static Node *assignment_or_call(Parser *parser, Position position) {
    Node *target = expression(parser);
    const Token sign = parser->token;
    Node *node;
    if (accept(parser, TOKEN_ASSIGN) || accept(parser, TOKEN_PLUS_ASSIGN) || accept(parser, TOKEN_MINUS_ASSIGN) ||
        accept(parser, TOKEN_STAR_ASSIGN)) {
        if (target->kind != NODE_NAME && target->kind != NODE_FIELD && target->kind != NODE_INDEX) {
            source_error(parser->source, target->at, "only a variable, a field or an element can be assigned to");
        }
        node = new_node(parser, NODE_ASSIGN, sign.at);
        node->assign.sign = sign.kind;
        node->assign.target = target;
        node->assign.value = expression(parser);
    } else {
        if (target->kind != NODE_CALL && target->kind != NODE_METHOD_CALL) {
            source_error(parser->source, target->at, "this value is not used; expected a call or an assignment");
        }
        node = new_node(parser, NODE_EXPRESSION, position);
        node->value = target;
    }
    expect(parser, TOKEN_SEMICOLON, "';'");
    return node;
}

static Node *jump_statement(Parser *parser, NodeKind kind, Position position) {
    expect(parser, TOKEN_SEMICOLON, "';'");
    return new_node(parser, kind, position);
}

static Node *unguarded_statement(Parser *parser) {
    const Position position = parser->token.at;
    if (at(parser, TOKEN_LEFT_BRACE)) {
        return block(parser);
    }
    if (accept(parser, TOKEN_LET)) {
        return let_statement(parser, position);
    }
    if (accept(parser, TOKEN_IF)) {
        return if_statement(parser, position);
    }
    if (accept(parser, TOKEN_WHILE)) {
        return while_statement(parser, position);
    }
    if (accept(parser, TOKEN_FOR)) {
        return for_statement(parser, position);
    }
    if (accept(parser, TOKEN_RETURN)) {
        return return_statement(parser, position);
    }
    if (accept(parser, TOKEN_BREAK)) {
        return jump_statement(parser, NODE_BREAK, position);
    }
    if (accept(parser, TOKEN_CONTINUE)) {
        return jump_statement(parser, NODE_CONTINUE, position);
    }
    return assignment_or_call(parser, position);
}

static Node *statement(Parser *parser) {
    if (!enter(parser)) {
        return new_node(parser, NODE_BLOCK, parser->token.at);
    }
    Node *node = unguarded_statement(parser);
    leave(parser);
    return node;
}

/* Names between the opening sign, already consumed, and the closing one. */
static size_t names(Parser *parser, Text **result, TokenKind closing, const char *wanted, const char *what) {
    Growing list = {0};
    while (!at(parser, closing) && !at(parser, TOKEN_END)) {
        Text name = expect_name(parser, what);
        grow(parser, &list, arena_copy(parser->arena, &name, sizeof name));
        if (!accept(parser, TOKEN_COMMA)) {
            break;
        }
    }
    expect(parser, closing, wanted);
    *result = arena_allocate(parser->arena, list.count * sizeof **result);
    for (size_t i = 0; i < list.count; i++) {
        (*result)[i] = *(Text *)list.items[i];
    }
    return list.count;
}

/* A function or method; `fn` is already consumed. */
static FunctionTree *function(Parser *parser) {
    FunctionTree *function = arena_allocate(parser->arena, sizeof *function);
    function->at = parser->token.at;
    function->name = expect_name(parser, "the name of the function");
    expect(parser, TOKEN_LEFT_PAREN, "'('");
    function->parameter_count =
        names(parser, &function->parameters, TOKEN_RIGHT_PAREN, "',' or ')'", "the name of a parameter");
    function->body = block(parser);
    return function;
}

/* `class Name { field, field; fn method(…) {…} … }`; `class` is already consumed. */
static ClassTree *class_definition(Parser *parser) {
    Growing methods = {0};
    ClassTree *class = arena_allocate(parser->arena, sizeof *class);
    class->at = parser->token.at;
    class->name = expect_name(parser, "the name of the class");
    expect(parser, TOKEN_LEFT_BRACE, "'{'");
    class->field_count = names(parser, &class->fields, TOKEN_SEMICOLON, "',' or ';'", "the name of a field");
    while (accept(parser, TOKEN_FN)) {
        grow(parser, &methods, function(parser));
    }
    expect(parser, TOKEN_RIGHT_BRACE, "'fn' or '}'");
    class->methods = (FunctionTree **)methods.items;
    class->method_count = methods.count;
    return class;
}

ProgramTree *parse(Source *source, Arena *arena) {
    Parser parser = {.source = source, .arena = arena, .lexer = lexer_start(source)};
    Growing functions = {0}, classes = {0}, statements = {0};
    advance(&parser);
    while (!at(&parser, TOKEN_END)) {
        if (accept(&parser, TOKEN_FN)) {
            grow(&parser, &functions, function(&parser));
        } else if (accept(&parser, TOKEN_CLASS)) {
            grow(&parser, &classes, class_definition(&parser));
        } else {
            grow(&parser, &statements, statement(&parser));
        }
    }
    ProgramTree *tree = arena_allocate(arena, sizeof *tree);
    *tree = (ProgramTree){
        .functions = (FunctionTree **)functions.items,
        .function_count = functions.count,
        .classes = (ClassTree **)classes.items,
        .class_count = classes.count,
        .statements = node_list(statements),
    };
    return tree;
}
