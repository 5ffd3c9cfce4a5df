/* An array of labels that is local to its function, and a switch: clang names neither table. */
extern int tell(int);

int goto_local(const unsigned char *code, int a)
{
    void *labels[] = {&&add, &&times, &&end};
    goto *labels[*code++];
add:
    a += tell(3);
    goto *labels[*code++];
times:
    a *= tell(5);
    goto *labels[*code++];
end:
    return a;
}

int switch_dense(int what, int a)
{
    switch (what) {
    case 0: return tell(a + 1);
    case 1: return tell(a * 3) + 2;
    case 2: return tell(a ^ 9) * 2;
    case 3: return tell(a - 7) - 1;
    case 4: return tell(a << 2) ^ 5;
    case 5: return tell(a >> 2) | 8;
    default: return a;
    }
}
