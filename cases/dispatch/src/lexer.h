/* The source as tokens. */
#ifndef LEXER_H
#define LEXER_H

#include "source.h"

typedef enum {
    TOKEN_END,
    TOKEN_NAME,
    TOKEN_NUMBER,
    TOKEN_STRING,
    /* keywords */
    TOKEN_AND,
    TOKEN_BREAK,
    TOKEN_CLASS,
    TOKEN_CONTINUE,
    TOKEN_ELSE,
    TOKEN_FALSE,
    TOKEN_FN,
    TOKEN_FOR,
    TOKEN_IF,
    TOKEN_LET,
    TOKEN_NIL,
    TOKEN_NOT,
    TOKEN_OR,
    TOKEN_RETURN,
    TOKEN_SELF,
    TOKEN_TRUE,
    TOKEN_UNTIL,
    TOKEN_WHILE,
    /* signs */
    TOKEN_PLUS,
    TOKEN_MINUS,
    TOKEN_STAR,
    TOKEN_SLASH,
    TOKEN_SLASH_SLASH,
    TOKEN_PERCENT,
    TOKEN_AMPERSAND,
    TOKEN_BAR,
    TOKEN_CARET,
    TOKEN_TILDE,
    TOKEN_SHIFT_LEFT,
    TOKEN_SHIFT_RIGHT,
    TOKEN_EQUAL,
    TOKEN_NOT_EQUAL,
    TOKEN_LESS,
    TOKEN_LESS_EQUAL,
    TOKEN_GREATER,
    TOKEN_GREATER_EQUAL,
    TOKEN_ASSIGN,
    TOKEN_PLUS_ASSIGN,
    TOKEN_MINUS_ASSIGN,
    TOKEN_STAR_ASSIGN,
    TOKEN_DOT,
    TOKEN_DOT_DOT,
    TOKEN_COMMA,
    TOKEN_SEMICOLON,
    TOKEN_LEFT_PAREN,
    TOKEN_RIGHT_PAREN,
    TOKEN_LEFT_BRACKET,
    TOKEN_RIGHT_BRACKET,
    TOKEN_LEFT_BRACE,
    TOKEN_RIGHT_BRACE,
} TokenKind;

typedef struct {
    TokenKind kind;
    Position at;
    Text text;     /* as written; of a string, what is between the quotes */
    double number; /* of a number */
} Token;

typedef struct {
    Source *source;
    const char *next, *end;
    Position at;
} Lexer;

Lexer lexer_start(Source *source);

/* The next token; after an error, or at the end, TOKEN_END for ever. */
Token lexer_next(Lexer *lexer);

#endif
