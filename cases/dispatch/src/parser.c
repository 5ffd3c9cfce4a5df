/* Statements, functions and classes to a syntax tree, by recursive descent. */
#include "parser.h"

static Node *statement(Parser *parser);

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
