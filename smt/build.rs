//! Fails with advice when the pinned Z3 has not been set up, before the linker finds an older one.

use std::env;
use std::path::Path;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=Z3_LIBRARY_PATH_OVERRIDE");
    let Ok(folder) = env::var("Z3_LIBRARY_PATH_OVERRIDE") else {
        println!("cargo::error=Z3_LIBRARY_PATH_OVERRIDE is not set: call cargo from inside the repository");
        return;
    };
    let folder = Path::new(&folder);
    println!("cargo::rerun-if-changed={}", folder.display());
    let present = ["libz3.so", "libz3.dylib", "libz3.a"].iter().any(|name| folder.join(name).exists());
    if !present {
        println!("cargo::error=no libz3 in {}: run `cargo xtask setup` first", folder.display());
    }
}
