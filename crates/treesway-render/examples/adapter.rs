//! Which graphics adapter pictures are drawn with; fails where there is none.

use treesway_render::{Headless, NoAdapter};

fn main() -> Result<(), NoAdapter> {
    let gpu = Headless::new()?;
    let drawn_by = if gpu.is_software() {
        "the processor"
    } else {
        "a graphics card"
    };
    println!(
        "{} ({:?}), {drawn_by}",
        gpu.adapter.name, gpu.adapter.backend
    );
    Ok(())
}
