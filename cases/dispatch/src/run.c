/* The interpreter's loop: the opcodes' bodies put together by the dispatcher that the build chose. */
#include "operations.h"
#include "vm.h"

#if defined DISPATCH_SWITCH
#include "dispatch_switch.h"
#elif defined DISPATCH_GOTO
#include "dispatch_goto.h"
#elif defined DISPATCH_TAIL
#include "dispatch_tail.h"
#elif defined DISPATCH_COUNT
#include "dispatch_count.h"
#else
#error "choose a dispatcher: make DISPATCH=switch, goto, tail or tail-plain"
#endif

DISPATCH_BEGIN
#include "ops.inc"
DISPATCH_END
