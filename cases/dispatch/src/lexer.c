/* Cuts the source into tokens. */
#include "lexer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *word;
    TokenKind kind;
} keywords[] = {
    {"and", TOKEN_AND},     {"break", TOKEN_BREAK}, {"class", TOKEN_CLASS},   {"continue", TOKEN_CONTINUE},
    {"else", TOKEN_ELSE},   {"false", TOKEN_FALSE}, {"fn", TOKEN_FN},         {"for", TOKEN_FOR},
    {"if", TOKEN_IF},       {"let", TOKEN_LET},     {"nil", TOKEN_NIL},       {"not", TOKEN_NOT},
    {"or", TOKEN_OR},       {"self", TOKEN_SELF},   {"return", TOKEN_RETURN}, {"true", TOKEN_TRUE},
    {"until", TOKEN_UNTIL}, {"while", TOKEN_WHILE},
};

/* Longer signs before the shorter ones that they begin with. */
static const struct {
    const char *sign;
    TokenKind kind;
} signs[] = {
    {"//", TOKEN_SLASH_SLASH}, {"<<", TOKEN_SHIFT_LEFT},   {">>", TOKEN_SHIFT_RIGHT},  {"==", TOKEN_EQUAL},
    {"!=", TOKEN_NOT_EQUAL},   {"<=", TOKEN_LESS_EQUAL},   {">=", TOKEN_GREATER_EQUAL}, {"+=", TOKEN_PLUS_ASSIGN},
    {"-=", TOKEN_MINUS_ASSIGN}, {"*=", TOKEN_STAR_ASSIGN}, {"..", TOKEN_DOT_DOT},      {"+", TOKEN_PLUS},
    {"-", TOKEN_MINUS},        {"*", TOKEN_STAR},          {"/", TOKEN_SLASH},         {"%", TOKEN_PERCENT},
    {"&", TOKEN_AMPERSAND},    {"|", TOKEN_BAR},           {"^", TOKEN_CARET},         {"~", TOKEN_TILDE},
    {"<", TOKEN_LESS},         {">", TOKEN_GREATER},       {"=", TOKEN_ASSIGN},        {".", TOKEN_DOT},
    {",", TOKEN_COMMA},        {";", TOKEN_SEMICOLON},     {"(", TOKEN_LEFT_PAREN},    {")", TOKEN_RIGHT_PAREN},
    {"[", TOKEN_LEFT_BRACKET}, {"]", TOKEN_RIGHT_BRACKET}, {"{", TOKEN_LEFT_BRACE},    {"}", TOKEN_RIGHT_BRACE},
};

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

static bool is_hexadecimal(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

Lexer lexer_start(Source *source) {
    const Text text = source->text;
    return (Lexer){source, text.start, text.start + text.length, {1, 1}};
}

static char peek(const Lexer *lexer, size_t ahead) {
    return (size_t)(lexer->end - lexer->next) > ahead ? lexer->next[ahead] : '\0';
}

static void skip(Lexer *lexer, size_t count) {
    for (; count > 0; count--) {
        if (*lexer->next++ == '\n') {
            lexer->at.line++;
            lexer->at.column = 1;
        } else {
            lexer->at.column++;
        }
    }
}

static void skip_space(Lexer *lexer) {
    while (lexer->next < lexer->end) {
        const char c = *lexer->next;
        if (c == '#') {
            while (lexer->next < lexer->end && *lexer->next != '\n') {
                skip(lexer, 1);
            }
        } else if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
            skip(lexer, 1);
        } else {
            return;
        }
    }
}

static Token token(Lexer *lexer, TokenKind kind, size_t length) {
    const Token result = {.kind = kind, .at = lexer->at, .text = {lexer->next, length}};
    skip(lexer, length);
    return result;
}

static Token end_token(Lexer *lexer) {
    lexer->next = lexer->end;
    return (Token){.kind = TOKEN_END, .at = lexer->at, .text = {lexer->end, 0}};
}

static size_t count_digits(const Lexer *lexer, size_t from) {
    while (is_digit(peek(lexer, from))) {
        from++;
    }
    return from;
}

/* Length of a decimal number: digits, then perhaps a fraction, then perhaps an exponent. `1..2` is not a fraction. */
static size_t decimal_length(const Lexer *lexer) {
    size_t length = count_digits(lexer, 0);
    if (peek(lexer, length) == '.' && is_digit(peek(lexer, length + 1))) {
        length = count_digits(lexer, length + 1);
    }
    if (peek(lexer, length) == 'e' || peek(lexer, length) == 'E') {
        const size_t sign = peek(lexer, length + 1) == '-' || peek(lexer, length + 1) == '+' ? 1 : 0;
        if (is_digit(peek(lexer, length + 1 + sign))) {
            length = count_digits(lexer, length + 1 + sign);
        }
    }
    return length;
}

static Token number_token(Lexer *lexer) {
    size_t length;
    if (peek(lexer, 0) == '0' && peek(lexer, 1) == 'x' && is_hexadecimal(peek(lexer, 2))) {
        for (length = 2; is_hexadecimal(peek(lexer, length));) {
            length++;
        }
    } else {
        length = decimal_length(lexer);
    }
    char digits[64];
    if (length >= sizeof digits || is_letter(peek(lexer, length))) {
        source_error(lexer->source, lexer->at, length >= sizeof digits ? "number is too long" : "letter after a number");
        return end_token(lexer);
    }
    memcpy(digits, lexer->next, length);
    digits[length] = '\0';
    Token result = token(lexer, TOKEN_NUMBER, length);
    result.number = strtod(digits, NULL);
    return result;
}

static Token string_token(Lexer *lexer) {
    const Position at = lexer->at;
    size_t length = 1;
    while (peek(lexer, length) != '"') {
        if (peek(lexer, length) == '\\') {
            length++;
        }
        if ((size_t)(lexer->end - lexer->next) <= length || peek(lexer, length) == '\n') {
            source_error(lexer->source, at, "string does not end on its line");
            return end_token(lexer);
        }
        length++;
    }
    Token result = token(lexer, TOKEN_STRING, length + 1);
    result.text = (Text){result.text.start + 1, length - 1};
    return result;
}

static Token name_token(Lexer *lexer) {
    size_t length = 1;
    while (is_letter(peek(lexer, length)) || is_digit(peek(lexer, length))) {
        length++;
    }
    const Text text = {lexer->next, length};
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++) {
        if (text_is(text, keywords[i].word)) {
            return token(lexer, keywords[i].kind, length);
        }
    }
    return token(lexer, TOKEN_NAME, length);
}

Token lexer_next(Lexer *lexer) {
    skip_space(lexer);
    if (lexer->source->failed || lexer->next == lexer->end) {
        return end_token(lexer);
    }
    const char c = *lexer->next;
    if (is_digit(c)) {
        return number_token(lexer);
    }
    if (is_letter(c)) {
        return name_token(lexer);
    }
    if (c == '"') {
        return string_token(lexer);
    }
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        const size_t length = strlen(signs[i].sign);
        if (c == signs[i].sign[0] && (length == 1 || peek(lexer, 1) == signs[i].sign[1])) {
            return token(lexer, signs[i].kind, length);
        }
    }
    if (c >= ' ' && c <= '~') {
        source_error(lexer->source, lexer->at, "unexpected character '%c'", c);
    } else {
        source_error(lexer->source, lexer->at, "unexpected byte 0x%02x", (unsigned char)c);
    }
    return end_token(lexer);
}
