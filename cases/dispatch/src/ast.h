/* The syntax tree: what the parser makes and the compiler reads. All of it lives in one arena. */
#ifndef AST_H
#define AST_H

#include "lexer.h"
#include "memory.h"

typedef struct Node Node;

typedef struct {
    Node **items;
    size_t count;
} NodeList;

typedef enum {
    /* expressions */
    NODE_NIL,
    NODE_TRUE,
    NODE_FALSE,
    NODE_SELF,
    NODE_NUMBER,      /* number */
    NODE_STRING,      /* text, escapes already replaced */
    NODE_NAME,        /* text */
    NODE_UNARY,       /* unary: - and ~ */
    NODE_NOT,         /* value */
    NODE_BINARY,      /* binary: arithmetic and bits */
    NODE_COMPARE,     /* binary */
    NODE_AND,         /* binary */
    NODE_OR,          /* binary */
    NODE_CONCAT,      /* items, two or more */
    NODE_ARRAY,       /* items */
    NODE_CALL,        /* call */
    NODE_METHOD_CALL, /* member, with arguments */
    NODE_FIELD,       /* member, without */
    NODE_INDEX,       /* index */
    /* statements */
    NODE_LET,        /* let */
    NODE_ASSIGN,     /* assign */
    NODE_IF,         /* branch; otherwise may be NULL */
    NODE_WHILE,      /* branch; otherwise is NULL */
    NODE_FOR,        /* loop */
    NODE_RETURN,     /* value, may be NULL */
    NODE_BREAK,
    NODE_CONTINUE,
    NODE_BLOCK,      /* items */
    NODE_EXPRESSION, /* value */
} NodeKind;

struct Node {
    NodeKind kind;
    Position at;
    unsigned height; /* levels of the expression below and with it */
    union {
        double number;
        Text text;
        Node *value;
        NodeList items;
        struct {
            TokenKind sign;
            Node *operand;
        } unary;
        struct {
            TokenKind sign;
            Node *left, *right;
        } binary;
        struct {
            Node *callee;
            NodeList arguments;
        } call;
        struct {
            Node *object;
            Text name;
            NodeList arguments;
        } member;
        struct {
            Node *array, *index;
        } index;
        struct {
            Text name;
            Node *value;
        } let;
        struct {
            TokenKind sign; /* =, or the compound one */
            Node *target, *value;
        } assign;
        struct {
            Node *condition, *then, *otherwise;
        } branch;
        struct {
            Text name;
            Node *first, *limit, *body;
        } loop;
    };
};

typedef struct {
    Text name;
    Position at;
    Text *parameters;
    size_t parameter_count;
    Node *body;
} FunctionTree;

typedef struct {
    Text name;
    Position at;
    Text *fields;
    size_t field_count;
    FunctionTree **methods;
    size_t method_count;
} ClassTree;

typedef struct {
    FunctionTree **functions;
    size_t function_count;
    ClassTree **classes;
    size_t class_count;
    NodeList statements; /* those outside all functions, in order */
} ProgramTree;

/* Parses the source; what is wrong is reported there, and then the tree must not be used. */
ProgramTree *parse(Source *source, Arena *arena);

#endif
