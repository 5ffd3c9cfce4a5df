//! Lua's sources in a project: a real program that every machine can build.

use std::fs;
use std::path::Path;

use include_dir::{Dir, include_dir};

use super::Project;

/// Lua's sources, where the build script puts them for the demo.
static LUA: Dir<'_> = include_dir!("$OUT_DIR/lua");

/// Lua with a make file (`CC`, `FLAGS` and `LDFLAGS` can be given).
pub(crate) fn project() -> Project {
    let project = Project::new();
    fs::create_dir(project.path("src")).unwrap();
    for file in LUA.files() {
        fs::write(project.path("src").join(file.path()), file.contents()).unwrap();
    }
    let main = Path::new(env!("CARGO_MANIFEST_DIR")).join("demo/lua.c");
    fs::copy(main, project.path("src/lua.c")).unwrap();
    project.write(
        "Makefile",
        "CFLAGS = -O1 -DLUA_USE_POSIX $(FLAGS)\nlua: $(patsubst %.c,%.o,$(wildcard src/*.c))\n\t$(CC) $(LDFLAGS) -o $@ $^ -lm\n",
    );
    project
}

/// Patches `luaL_error`, which a program calls only when something is wrong.
pub(crate) fn patch_an_error(project: &Project) {
    let patched = project.path("src/lauxlib.c");
    let source = fs::read_to_string(&patched).unwrap();
    let error = "int luaL_error (lua_State *L, const char *fmt, ...) {\n  va_list argp;\n";
    assert_eq!(source.matches(error).count(), 1);
    let longer = format!("{error}  lua_checkstack(L, 7); lua_checkstack(L, 9);\n");
    fs::write(&patched, source.replace(error, &longer)).unwrap();
}
