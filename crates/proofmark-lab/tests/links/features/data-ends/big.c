int big[COUNT];
