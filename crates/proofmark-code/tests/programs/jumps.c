/* Indirect jumps of which the source says what they are: `goto_` computed gotos, `switch_` jump tables, `tail_` tail calls. So much is
   alive in the interpreters that their tables do not stay in registers. No headers: it is compiled for other machines. */
typedef unsigned long word;

struct state {
    const unsigned char *code;
    word stack[64];
    word (*hook)(struct state *, word);
    void *const *chain;
};

extern word outside(struct state *, word);
word helper(struct state *s, word a) { return a * 31 + s->stack[a & 63]; }
word other(struct state *s, word a) { return a * 17 - s->stack[a & 63]; }
word third(struct state *s, word a) { return a ^ s->stack[a & 63]; }

/* A table of pointers. */
word goto_pointers(struct state *s, word a)
{
    static const void *const labels[] = {&&l0, &&l1, &&l2, &&l3, &&l4, &&l5, &&l6, &&l7, &&l8, &&l9, &&l10, &&l11, &&l12, &&l13, &&l14, &&l15, &&l16, &&l17, &&l18, &&l19, &&l20, &&l21, &&l22, &&l23};
    const unsigned char *pc = s->code;
    word b = 1, c = 2, d = 3, e = 4, f = 5, g = 6, h = 7, k = 8, l = 9, m = 10, n = 11;
    goto *labels[*pc];
l0: a = a * 3 + (b >> 1) + 0; b ^= c + *pc; c += d * 5; d ^= e + 0; e += f; f ^= g * 9; g += h; h = h * 2 + k; k ^= l; l += m * 1; m ^= n; n += a; pc++; goto *labels[*pc];
l1: b += outside(s, c); a = a * 5 + (b >> 2) + 1; b ^= c + *pc; c += d * 6; d ^= e + 1; e += f; f ^= g * 10; g += h; h = h * 3 + k; k ^= l; l += m * 2; m ^= n; n += a; pc++; goto *labels[*pc];
l2: a = a * 7 + (b >> 3) + 2; b ^= c + *pc; c += d * 7; d ^= e + 2; e += f; f ^= g * 11; g += h; h = h * 4 + k; k ^= l; l += m * 3; m ^= n; n += a; pc++; goto *labels[*pc];
l3: a = a * 9 + (b >> 4) + 3; b ^= c + *pc; c += d * 8; d ^= e + 3; e += f; f ^= g * 12; g += h; h = h * 5 + k; k ^= l; l += m * 4; m ^= n; n += a; pc++; goto *labels[*pc];
l4: a = a * 11 + (b >> 5) + 4; b ^= c + *pc; c += d * 9; d ^= e + 4; e += f; f ^= g * 13; g += h; h = h * 6 + k; k ^= l; l += m * 5; m ^= n; n += a; pc++; goto *labels[*pc];
l5: a = a * 13 + (b >> 6) + 5; b ^= c + *pc; c += d * 10; d ^= e + 5; e += f; f ^= g * 14; g += h; h = h * 7 + k; k ^= l; l += m * 6; m ^= n; n += a; pc++; goto *labels[*pc];
l6: a = a * 15 + (b >> 7) + 6; b ^= c + *pc; c += d * 11; d ^= e + 6; e += f; f ^= g * 15; g += h; h = h * 8 + k; k ^= l; l += m * 7; m ^= n; n += a; pc++; goto *labels[*pc];
l7: b += outside(s, c); a = a * 17 + (b >> 1) + 7; b ^= c + *pc; c += d * 12; d ^= e + 7; e += f; f ^= g * 16; g += h; h = h * 9 + k; k ^= l; l += m * 8; m ^= n; n += a; pc++; goto *labels[*pc];
l8: a = a * 19 + (b >> 2) + 8; b ^= c + *pc; c += d * 13; d ^= e + 8; e += f; f ^= g * 17; g += h; h = h * 10 + k; k ^= l; l += m * 9; m ^= n; n += a; pc++; goto *labels[*pc];
l9: a = a * 21 + (b >> 3) + 9; b ^= c + *pc; c += d * 14; d ^= e + 9; e += f; f ^= g * 18; g += h; h = h * 11 + k; k ^= l; l += m * 10; m ^= n; n += a; pc++; goto *labels[*pc];
l10: a = a * 23 + (b >> 4) + 10; b ^= c + *pc; c += d * 15; d ^= e + 10; e += f; f ^= g * 19; g += h; h = h * 12 + k; k ^= l; l += m * 11; m ^= n; n += a; pc++; goto *labels[*pc];
l11: a = a * 25 + (b >> 5) + 11; b ^= c + *pc; c += d * 16; d ^= e + 11; e += f; f ^= g * 20; g += h; h = h * 13 + k; k ^= l; l += m * 12; m ^= n; n += a; pc++; goto *labels[*pc];
l12: a = a * 27 + (b >> 6) + 12; b ^= c + *pc; c += d * 17; d ^= e + 12; e += f; f ^= g * 21; g += h; h = h * 14 + k; k ^= l; l += m * 13; m ^= n; n += a; pc++; goto *labels[*pc];
l13: b += outside(s, c); a = a * 29 + (b >> 7) + 13; b ^= c + *pc; c += d * 18; d ^= e + 13; e += f; f ^= g * 22; g += h; h = h * 15 + k; k ^= l; l += m * 14; m ^= n; n += a; pc++; goto *labels[*pc];
l14: a = a * 31 + (b >> 1) + 14; b ^= c + *pc; c += d * 19; d ^= e + 14; e += f; f ^= g * 23; g += h; h = h * 16 + k; k ^= l; l += m * 15; m ^= n; n += a; pc++; goto *labels[*pc];
l15: a = a * 33 + (b >> 2) + 15; b ^= c + *pc; c += d * 20; d ^= e + 15; e += f; f ^= g * 24; g += h; h = h * 17 + k; k ^= l; l += m * 16; m ^= n; n += a; pc++; goto *labels[*pc];
l16: a = a * 35 + (b >> 3) + 16; b ^= c + *pc; c += d * 21; d ^= e + 16; e += f; f ^= g * 25; g += h; h = h * 18 + k; k ^= l; l += m * 17; m ^= n; n += a; pc++; goto *labels[*pc];
l17: a = a * 37 + (b >> 4) + 17; b ^= c + *pc; c += d * 22; d ^= e + 17; e += f; f ^= g * 26; g += h; h = h * 19 + k; k ^= l; l += m * 18; m ^= n; n += a; pc++; goto *labels[*pc];
l18: a = a * 39 + (b >> 5) + 18; b ^= c + *pc; c += d * 23; d ^= e + 18; e += f; f ^= g * 27; g += h; h = h * 20 + k; k ^= l; l += m * 19; m ^= n; n += a; pc++; goto *labels[*pc];
l19: b += outside(s, c); a = a * 41 + (b >> 6) + 19; b ^= c + *pc; c += d * 24; d ^= e + 19; e += f; f ^= g * 28; g += h; h = h * 21 + k; k ^= l; l += m * 20; m ^= n; n += a; pc++; goto *labels[*pc];
l20: a = a * 43 + (b >> 7) + 20; b ^= c + *pc; c += d * 25; d ^= e + 20; e += f; f ^= g * 29; g += h; h = h * 22 + k; k ^= l; l += m * 21; m ^= n; n += a; pc++; goto *labels[*pc];
l21: a = a * 45 + (b >> 1) + 21; b ^= c + *pc; c += d * 26; d ^= e + 21; e += f; f ^= g * 30; g += h; h = h * 23 + k; k ^= l; l += m * 22; m ^= n; n += a; pc++; goto *labels[*pc];
l22: a = a * 47 + (b >> 2) + 22; b ^= c + *pc; c += d * 27; d ^= e + 22; e += f; f ^= g * 31; g += h; h = h * 24 + k; k ^= l; l += m * 23; m ^= n; n += a; pc++; goto *labels[*pc];
l23:
    return a + b + c + d + e + f + g + h + k + l + m + n;
}

/* Two tables by turns, with functions called in between. */
word goto_two(struct state *s, word a)
{
    static const void *const even[] = {&&l0, &&l1, &&l2, &&l3, &&l4, &&l5, &&l6, &&l7, &&l8, &&l9, &&l10, &&l11};
    static const void *const odd[] = {&&l8, &&l9, &&l10, &&l11, &&l12, &&l13, &&l14, &&l15, &&l16, &&l17, &&l18, &&l19};
    const unsigned char *pc = s->code;
    word b = 1, c = 2, d = 3, e = 4, f = 5, g = 6, h = 7, k = 8, l = 9, m = 10, n = 11;
    goto *even[*pc];
l0: a = a * 3 + (b >> 1) + 0; b ^= c + *pc; c += d * 5; d ^= e + 0; e += f; f ^= g * 9; g += h; h = h * 2 + k; k ^= l; l += m * 1; m ^= n; n += a; pc++; goto *even[*pc];
l1: b += outside(s, c); a = a * 5 + (b >> 2) + 1; b ^= c + *pc; c += d * 6; d ^= e + 1; e += f; f ^= g * 10; g += h; h = h * 3 + k; k ^= l; l += m * 2; m ^= n; n += a; pc++; goto *odd[*pc];
l2: a = a * 7 + (b >> 3) + 2; b ^= c + *pc; c += d * 7; d ^= e + 2; e += f; f ^= g * 11; g += h; h = h * 4 + k; k ^= l; l += m * 3; m ^= n; n += a; pc++; goto *even[*pc];
l3: a = a * 9 + (b >> 4) + 3; b ^= c + *pc; c += d * 8; d ^= e + 3; e += f; f ^= g * 12; g += h; h = h * 5 + k; k ^= l; l += m * 4; m ^= n; n += a; pc++; goto *odd[*pc];
l4: b += outside(s, c); a = a * 11 + (b >> 5) + 4; b ^= c + *pc; c += d * 9; d ^= e + 4; e += f; f ^= g * 13; g += h; h = h * 6 + k; k ^= l; l += m * 5; m ^= n; n += a; pc++; goto *even[*pc];
l5: a = a * 13 + (b >> 6) + 5; b ^= c + *pc; c += d * 10; d ^= e + 5; e += f; f ^= g * 14; g += h; h = h * 7 + k; k ^= l; l += m * 6; m ^= n; n += a; pc++; goto *odd[*pc];
l6: a = a * 15 + (b >> 7) + 6; b ^= c + *pc; c += d * 11; d ^= e + 6; e += f; f ^= g * 15; g += h; h = h * 8 + k; k ^= l; l += m * 7; m ^= n; n += a; pc++; goto *even[*pc];
l7: b += outside(s, c); a = a * 17 + (b >> 1) + 7; b ^= c + *pc; c += d * 12; d ^= e + 7; e += f; f ^= g * 16; g += h; h = h * 9 + k; k ^= l; l += m * 8; m ^= n; n += a; pc++; goto *odd[*pc];
l8: a = a * 19 + (b >> 2) + 8; b ^= c + *pc; c += d * 13; d ^= e + 8; e += f; f ^= g * 17; g += h; h = h * 10 + k; k ^= l; l += m * 9; m ^= n; n += a; pc++; goto *even[*pc];
l9: a = a * 21 + (b >> 3) + 9; b ^= c + *pc; c += d * 14; d ^= e + 9; e += f; f ^= g * 18; g += h; h = h * 11 + k; k ^= l; l += m * 10; m ^= n; n += a; pc++; goto *odd[*pc];
l10: b += outside(s, c); a = a * 23 + (b >> 4) + 10; b ^= c + *pc; c += d * 15; d ^= e + 10; e += f; f ^= g * 19; g += h; h = h * 12 + k; k ^= l; l += m * 11; m ^= n; n += a; pc++; goto *even[*pc];
l11: a = a * 25 + (b >> 5) + 11; b ^= c + *pc; c += d * 16; d ^= e + 11; e += f; f ^= g * 20; g += h; h = h * 13 + k; k ^= l; l += m * 12; m ^= n; n += a; pc++; goto *odd[*pc];
l12: a = a * 27 + (b >> 6) + 12; b ^= c + *pc; c += d * 17; d ^= e + 12; e += f; f ^= g * 21; g += h; h = h * 14 + k; k ^= l; l += m * 13; m ^= n; n += a; pc++; goto *even[*pc];
l13: b += outside(s, c); a = a * 29 + (b >> 7) + 13; b ^= c + *pc; c += d * 18; d ^= e + 13; e += f; f ^= g * 22; g += h; h = h * 15 + k; k ^= l; l += m * 14; m ^= n; n += a; pc++; goto *odd[*pc];
l14: a = a * 31 + (b >> 1) + 14; b ^= c + *pc; c += d * 19; d ^= e + 14; e += f; f ^= g * 23; g += h; h = h * 16 + k; k ^= l; l += m * 15; m ^= n; n += a; pc++; goto *even[*pc];
l15: a = a * 33 + (b >> 2) + 15; b ^= c + *pc; c += d * 20; d ^= e + 15; e += f; f ^= g * 24; g += h; h = h * 17 + k; k ^= l; l += m * 16; m ^= n; n += a; pc++; goto *odd[*pc];
l16: b += outside(s, c); a = a * 35 + (b >> 3) + 16; b ^= c + *pc; c += d * 21; d ^= e + 16; e += f; f ^= g * 25; g += h; h = h * 18 + k; k ^= l; l += m * 17; m ^= n; n += a; pc++; goto *even[*pc];
l17: a = a * 37 + (b >> 4) + 17; b ^= c + *pc; c += d * 22; d ^= e + 17; e += f; f ^= g * 26; g += h; h = h * 19 + k; k ^= l; l += m * 18; m ^= n; n += a; pc++; goto *odd[*pc];
l18: a = a * 39 + (b >> 5) + 18; b ^= c + *pc; c += d * 23; d ^= e + 18; e += f; f ^= g * 27; g += h; h = h * 20 + k; k ^= l; l += m * 19; m ^= n; n += a; pc++; goto *even[*pc];
l19:
    return a + b + c + d + e + f + g + h + k + l + m + n;
}

/* A table of distances between labels. */
word goto_distances(struct state *s, word a)
{
    static const int labels[] = {&&l0 - &&l0, &&l1 - &&l0, &&l2 - &&l0, &&l3 - &&l0, &&l4 - &&l0, &&l5 - &&l0, &&l6 - &&l0, &&l7 - &&l0, &&l8 - &&l0, &&l9 - &&l0, &&l10 - &&l0, &&l11 - &&l0, &&l12 - &&l0, &&l13 - &&l0, &&l14 - &&l0, &&l15 - &&l0};
    const unsigned char *pc = s->code;
    word b = 1, c = 2, d = 3, e = 4, f = 5, g = 6, h = 7, k = 8, l = 9, m = 10, n = 11;
    goto *(&&l0 + labels[*pc]);
l0: a = a * 3 + (b >> 1) + 0; b ^= c + *pc; c += d * 5; d ^= e + 0; e += f; f ^= g * 9; g += h; h = h * 2 + k; k ^= l; l += m * 1; m ^= n; n += a; pc++; goto *(&&l0 + labels[*pc]);
l1: b += outside(s, c); a = a * 5 + (b >> 2) + 1; b ^= c + *pc; c += d * 6; d ^= e + 1; e += f; f ^= g * 10; g += h; h = h * 3 + k; k ^= l; l += m * 2; m ^= n; n += a; pc++; goto *(&&l0 + labels[*pc]);
l2: a = a * 7 + (b >> 3) + 2; b ^= c + *pc; c += d * 7; d ^= e + 2; e += f; f ^= g * 11; g += h; h = h * 4 + k; k ^= l; l += m * 3; m ^= n; n += a; pc++; goto *(&&l0 + labels[*pc]);
l3: a = a * 9 + (b >> 4) + 3; b ^= c + *pc; c += d * 8; d ^= e + 3; e += f; f ^= g * 12; g += h; h = h * 5 + k; k ^= l; l += m * 4; m ^= n; n += a; pc++; goto *(&&l0 + labels[*pc]);
l4: a = a * 11 + (b >> 5) + 4; b ^= c + *pc; c += d * 9; d ^= e + 4; e += f; f ^= g * 13; g += h; h = h * 6 + k; k ^= l; l += m * 5; m ^= n; n += a; pc++; goto *(&&l0 + labels[*pc]);
l5: a = a * 13 + (b >> 6) + 5; b ^= c + *pc; c += d * 10; d ^= e + 5; e += f; f ^= g * 14; g += h; h = h * 7 + k; k ^= l; l += m * 6; m ^= n; n += a; pc++; goto *(&&l0 + labels[*pc]);
l6: b += outside(s, c); a = a * 15 + (b >> 7) + 6; b ^= c + *pc; c += d * 11; d ^= e + 6; e += f; f ^= g * 15; g += h; h = h * 8 + k; k ^= l; l += m * 7; m ^= n; n += a; pc++; goto *(&&l0 + labels[*pc]);
l7: a = a * 17 + (b >> 1) + 7; b ^= c + *pc; c += d * 12; d ^= e + 7; e += f; f ^= g * 16; g += h; h = h * 9 + k; k ^= l; l += m * 8; m ^= n; n += a; pc++; goto *(&&l0 + labels[*pc]);
l8: a = a * 19 + (b >> 2) + 8; b ^= c + *pc; c += d * 13; d ^= e + 8; e += f; f ^= g * 17; g += h; h = h * 10 + k; k ^= l; l += m * 9; m ^= n; n += a; pc++; goto *(&&l0 + labels[*pc]);
l9: a = a * 21 + (b >> 3) + 9; b ^= c + *pc; c += d * 14; d ^= e + 9; e += f; f ^= g * 18; g += h; h = h * 11 + k; k ^= l; l += m * 10; m ^= n; n += a; pc++; goto *(&&l0 + labels[*pc]);
l10: a = a * 23 + (b >> 4) + 10; b ^= c + *pc; c += d * 15; d ^= e + 10; e += f; f ^= g * 19; g += h; h = h * 12 + k; k ^= l; l += m * 11; m ^= n; n += a; pc++; goto *(&&l0 + labels[*pc]);
l11: b += outside(s, c); a = a * 25 + (b >> 5) + 11; b ^= c + *pc; c += d * 16; d ^= e + 11; e += f; f ^= g * 20; g += h; h = h * 13 + k; k ^= l; l += m * 12; m ^= n; n += a; pc++; goto *(&&l0 + labels[*pc]);
l12: a = a * 27 + (b >> 6) + 12; b ^= c + *pc; c += d * 17; d ^= e + 12; e += f; f ^= g * 21; g += h; h = h * 14 + k; k ^= l; l += m * 13; m ^= n; n += a; pc++; goto *(&&l0 + labels[*pc]);
l13: a = a * 29 + (b >> 7) + 13; b ^= c + *pc; c += d * 18; d ^= e + 13; e += f; f ^= g * 22; g += h; h = h * 15 + k; k ^= l; l += m * 14; m ^= n; n += a; pc++; goto *(&&l0 + labels[*pc]);
l14: a = a * 31 + (b >> 1) + 14; b ^= c + *pc; c += d * 19; d ^= e + 14; e += f; f ^= g * 23; g += h; h = h * 16 + k; k ^= l; l += m * 15; m ^= n; n += a; pc++; goto *(&&l0 + labels[*pc]);
l15:
    return a + b + c + d + e + f + g + h + k + l + m + n;
}

/* Behind a range check, as a switch has one. */
word goto_checked(struct state *s, word a)
{
    static const void *const labels[] = {&&l0, &&l1, &&l2, &&l3, &&l4, &&l5};
    word i = s->stack[a & 63];
    if (i > 5)
        return outside(s, a);
    a += outside(s, i);
    goto *labels[i];
l0: a = a * 3 + outside(s, a); i = a % 6; if (a & 1) goto *labels[i];
l1: a = a * 4 + outside(s, a); i = a % 6; if (a & 2) goto *labels[i];
l2: a = a * 5 + outside(s, a); i = a % 6; if (a & 4) goto *labels[i];
l3: a = a * 6 + outside(s, a); i = a % 6; if (a & 8) goto *labels[i];
l4: a = a * 7 + outside(s, a); i = a % 6; if (a & 16) goto *labels[i];
l5:
    return a;
}

/* Many cases, much alive. */
word switch_large(struct state *s, word a)
{
    const unsigned char *pc = s->code;
    word b = 1, c = 2, d = 3, e = 4, f = 5, g = 6, h = 7, k = 8, l = 9, m = 10, n = 11;
    for (;;) {
        switch (*pc++) {
        case 0: a = a * 3 + (b >> 1) + 0; b ^= c + *pc; c += d * 5; d ^= e + 0; e += f; f ^= g * 9; g += h; h = h * 2 + k; k ^= l; l += m * 1; m ^= n; n += a; break;
        case 1: b += outside(s, c); a = a * 5 + (b >> 2) + 1; b ^= c + *pc; c += d * 6; d ^= e + 1; e += f; f ^= g * 10; g += h; h = h * 3 + k; k ^= l; l += m * 2; m ^= n; n += a; break;
        case 2: a = a * 7 + (b >> 3) + 2; b ^= c + *pc; c += d * 7; d ^= e + 2; e += f; f ^= g * 11; g += h; h = h * 4 + k; k ^= l; l += m * 3; m ^= n; n += a; break;
        case 3: a = a * 9 + (b >> 4) + 3; b ^= c + *pc; c += d * 8; d ^= e + 3; e += f; f ^= g * 12; g += h; h = h * 5 + k; k ^= l; l += m * 4; m ^= n; n += a; break;
        case 4: a = a * 11 + (b >> 5) + 4; b ^= c + *pc; c += d * 9; d ^= e + 4; e += f; f ^= g * 13; g += h; h = h * 6 + k; k ^= l; l += m * 5; m ^= n; n += a; break;
        case 5: a = a * 13 + (b >> 6) + 5; b ^= c + *pc; c += d * 10; d ^= e + 5; e += f; f ^= g * 14; g += h; h = h * 7 + k; k ^= l; l += m * 6; m ^= n; n += a; break;
        case 6: a = a * 15 + (b >> 7) + 6; b ^= c + *pc; c += d * 11; d ^= e + 6; e += f; f ^= g * 15; g += h; h = h * 8 + k; k ^= l; l += m * 7; m ^= n; n += a; break;
        case 7: b += outside(s, c); a = a * 17 + (b >> 1) + 7; b ^= c + *pc; c += d * 12; d ^= e + 7; e += f; f ^= g * 16; g += h; h = h * 9 + k; k ^= l; l += m * 8; m ^= n; n += a; break;
        case 8: a = a * 19 + (b >> 2) + 8; b ^= c + *pc; c += d * 13; d ^= e + 8; e += f; f ^= g * 17; g += h; h = h * 10 + k; k ^= l; l += m * 9; m ^= n; n += a; break;
        case 9: a = a * 21 + (b >> 3) + 9; b ^= c + *pc; c += d * 14; d ^= e + 9; e += f; f ^= g * 18; g += h; h = h * 11 + k; k ^= l; l += m * 10; m ^= n; n += a; break;
        case 10: a = a * 23 + (b >> 4) + 10; b ^= c + *pc; c += d * 15; d ^= e + 10; e += f; f ^= g * 19; g += h; h = h * 12 + k; k ^= l; l += m * 11; m ^= n; n += a; break;
        case 11: a = a * 25 + (b >> 5) + 11; b ^= c + *pc; c += d * 16; d ^= e + 11; e += f; f ^= g * 20; g += h; h = h * 13 + k; k ^= l; l += m * 12; m ^= n; n += a; break;
        case 12: a = a * 27 + (b >> 6) + 12; b ^= c + *pc; c += d * 17; d ^= e + 12; e += f; f ^= g * 21; g += h; h = h * 14 + k; k ^= l; l += m * 13; m ^= n; n += a; break;
        case 13: b += outside(s, c); a = a * 29 + (b >> 7) + 13; b ^= c + *pc; c += d * 18; d ^= e + 13; e += f; f ^= g * 22; g += h; h = h * 15 + k; k ^= l; l += m * 14; m ^= n; n += a; break;
        case 14: a = a * 31 + (b >> 1) + 14; b ^= c + *pc; c += d * 19; d ^= e + 14; e += f; f ^= g * 23; g += h; h = h * 16 + k; k ^= l; l += m * 15; m ^= n; n += a; break;
        case 15: a = a * 33 + (b >> 2) + 15; b ^= c + *pc; c += d * 20; d ^= e + 15; e += f; f ^= g * 24; g += h; h = h * 17 + k; k ^= l; l += m * 16; m ^= n; n += a; break;
        case 16: a = a * 35 + (b >> 3) + 16; b ^= c + *pc; c += d * 21; d ^= e + 16; e += f; f ^= g * 25; g += h; h = h * 18 + k; k ^= l; l += m * 17; m ^= n; n += a; break;
        case 17: a = a * 37 + (b >> 4) + 17; b ^= c + *pc; c += d * 22; d ^= e + 17; e += f; f ^= g * 26; g += h; h = h * 19 + k; k ^= l; l += m * 18; m ^= n; n += a; break;
        case 18: a = a * 39 + (b >> 5) + 18; b ^= c + *pc; c += d * 23; d ^= e + 18; e += f; f ^= g * 27; g += h; h = h * 20 + k; k ^= l; l += m * 19; m ^= n; n += a; break;
        case 19: b += outside(s, c); a = a * 41 + (b >> 6) + 19; b ^= c + *pc; c += d * 24; d ^= e + 19; e += f; f ^= g * 28; g += h; h = h * 21 + k; k ^= l; l += m * 20; m ^= n; n += a; break;
        case 20: a = a * 43 + (b >> 7) + 20; b ^= c + *pc; c += d * 25; d ^= e + 20; e += f; f ^= g * 29; g += h; h = h * 22 + k; k ^= l; l += m * 21; m ^= n; n += a; break;
        case 21: a = a * 45 + (b >> 1) + 21; b ^= c + *pc; c += d * 26; d ^= e + 21; e += f; f ^= g * 30; g += h; h = h * 23 + k; k ^= l; l += m * 22; m ^= n; n += a; break;
        case 22: a = a * 47 + (b >> 2) + 22; b ^= c + *pc; c += d * 27; d ^= e + 22; e += f; f ^= g * 31; g += h; h = h * 24 + k; k ^= l; l += m * 23; m ^= n; n += a; break;
        default:
        return a + b + c + d + e + f + g + h + k + l + m + n;
        }
    }
}

/* Two of them. */
word switch_two(struct state *s, word a)
{
    switch (a) {
    case 3: a = outside(s, a * 7) + 0; break;
    case 4: a = outside(s, a * 8) + 2; break;
    case 5: a = outside(s, a * 11) + 8; break;
    case 6: a = outside(s, a * 16) + 7; break;
    case 7: a = outside(s, a * 23) + 10; break;
    case 8: a = outside(s, a * 32) + 6; break;
    case 9: a = outside(s, a * 43) + 6; break;
    case 10: a = outside(s, a * 56) + 10; break;
    case 11: a = outside(s, a * 71) + 7; break;
    case 12: a = outside(s, a * 88) + 8; break;
    case 13: a = outside(s, a * 107) + 2; break;
    case 14: a = outside(s, a * 128) + 0; break;
    default: return a;
    }
    switch (s->stack[a & 63]) {
    case 0: a ^= outside(s, a + 0) * 2; break;
    case 1: a ^= outside(s, a + 1) * 4; break;
    case 2: a ^= outside(s, a + 8) * 6; break;
    case 3: a ^= outside(s, a + 8) * 3; break;
    case 4: a ^= outside(s, a + 7) * 5; break;
    case 5: a ^= outside(s, a + 11) * 2; break;
    case 6: a ^= outside(s, a + 7) * 4; break;
    case 7: a ^= outside(s, a + 1) * 6; break;
    case 8: a ^= outside(s, a + 18) * 3; break;
    case 9: a ^= outside(s, a + 7) * 5; break;
    case 10: a ^= outside(s, a + 12) * 2; break;
    case 11: a ^= outside(s, a + 1) * 4; break;
    case 12: a ^= outside(s, a + 18) * 6; break;
    case 13: a ^= outside(s, a + 12) * 3; break;
    case 14: a ^= outside(s, a + 8) * 5; break;
    case 15: a ^= outside(s, a + 12) * 2; break;
    case 16: a ^= outside(s, a + 11) * 4; break;
    case 17: a ^= outside(s, a + 11) * 6; break;
    case 18: a ^= outside(s, a + 18) * 3; break;
    case 19: a ^= outside(s, a + 0) * 5; break;
    case 20: a ^= outside(s, a + 1) * 2; break;
    case 21: a ^= outside(s, a + 8) * 4; break;
    case 22: a ^= outside(s, a + 8) * 6; break;
    case 23: a ^= outside(s, a + 7) * 3; break;
    case 24: a ^= outside(s, a + 11) * 5; break;
    case 25: a ^= outside(s, a + 7) * 2; break;
    case 26: a ^= outside(s, a + 1) * 4; break;
    case 27: a ^= outside(s, a + 18) * 6; break;
    case 28: a ^= outside(s, a + 7) * 3; break;
    case 29: a ^= outside(s, a + 12) * 5; break;
    case 30: a ^= outside(s, a + 1) * 2; break;
    case 31: a ^= outside(s, a + 18) * 4; break;
    case 32: a ^= outside(s, a + 12) * 6; break;
    case 33: a ^= outside(s, a + 8) * 3; break;
    case 34: a ^= outside(s, a + 12) * 5; break;
    case 35: a ^= outside(s, a + 11) * 2; break;
    case 36: a ^= outside(s, a + 11) * 4; break;
    case 37: a ^= outside(s, a + 18) * 6; break;
    case 38: a ^= outside(s, a + 0) * 3; break;
    case 39: a ^= outside(s, a + 1) * 5; break;
    }
    return outside(s, a);
}

/* The target is a pointer, behind an early way out and with a frame on another path. */
word tail_pointer(struct state *s, word a)
{
    if (s->hook != helper)
        return s->hook(s, a);
    a = outside(s, a);
    s->stack[a & 63] = outside(s, a + 1);
    return a;
}

word tail_after(struct state *s, word a)
{
    word b = outside(s, a), c = outside(s, b);
    return s->hook(s, b * c + a);
}

/* The target is one of a table. */
word tail_table(struct state *s, word a)
{
    static word (*const table[])(struct state *, word) = {helper, other, third, outside};
    return table[a & 3](s, a + 1);
}

word tail_table_after(struct state *s, word a)
{
    static word (*const table[])(struct state *, word) = {helper, other, third, outside};
    word b = outside(s, a), c = outside(s, b);
    return table[c & 3](s, a + b);
}
