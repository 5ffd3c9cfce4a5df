//! Puts the sources of Lua 5.4, which a crate carries, where the demo can embed them, and says how
//! the program is linked for tests.

use std::path::{Path, PathBuf};
use std::{env, fs};

type Error = Box<dyn std::error::Error>;

fn main() -> Result<(), Error> {
    println!("cargo::rerun-if-changed=build.rs");
    // The program stands in for every compiler and linker of a build that it captures. An
    // unoptimised one has 230,000 addresses to relocate each time that it starts, unless its place
    // is fixed.
    let of_gnu = env::var("CARGO_CFG_TARGET_ENV").is_ok_and(|libc| libc == "gnu");
    if of_gnu && env::var("PROFILE")? == "debug" {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
    let sources = lua_sources()?;
    let embedded = PathBuf::from(env::var("OUT_DIR")?).join("lua");
    if embedded.exists() {
        fs::remove_dir_all(&embedded)?;
    }
    fs::create_dir_all(&embedded)?;
    for entry in fs::read_dir(&sources)? {
        let path = entry?.path();
        let (Some(name), Some(extension)) = (path.file_name(), path.extension()) else {
            continue;
        };
        if extension == "c" || extension == "h" {
            fs::copy(&path, embedded.join(name))?;
        }
    }
    Ok(())
}

/// The folder of Lua 5.4 in the crate `lua-src`, wherever cargo has put that crate.
fn lua_sources() -> Result<PathBuf, Error> {
    // What is on the disk is enough where all crates of the workspace are; on a fresh machine those
    // that only tests need are missing.
    let metadata = metadata(&["--offline"]).or_else(|_| metadata(&[]))?;
    let package = metadata
        .packages
        .iter()
        .find(|package| package.name.as_str() == "lua-src");
    let crate_folder = package
        .and_then(|package| package.manifest_path.parent())
        .ok_or("the crate lua-src is not among the dependencies")?;
    let mut versions: Vec<PathBuf> = fs::read_dir(crate_folder)?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| {
            path.file_name()
                .is_some_and(|name| name.to_string_lossy().starts_with("lua-5.4"))
        })
        .collect();
    versions.sort();
    versions
        .pop()
        .ok_or_else(|| "the crate lua-src carries no Lua 5.4".into())
}

/// What cargo knows about the workspace and where its crates are.
fn metadata(options: &[&str]) -> Result<cargo_metadata::Metadata, Error> {
    let platform = ["--filter-platform".to_owned(), env::var("TARGET")?];
    Ok(cargo_metadata::MetadataCommand::new()
        .cargo_path(env::var("CARGO")?)
        .manifest_path(Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("Cargo.toml"))
        .other_options(
            platform
                .into_iter()
                .chain(options.iter().map(|&option| option.to_owned()))
                .collect::<Vec<String>>(),
        )
        .exec()?)
}
