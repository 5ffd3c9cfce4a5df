#include "item.h"
ITEM(three, 3);
ITEM(four, 4);
