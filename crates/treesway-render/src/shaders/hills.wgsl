// Where the ground is: level, or triangles over a grid of heights with level ground around them. `hills.rs` holds the same struct.

struct Hills {
    corner: vec2<f32>, // of the first height, x and z, m
    cell: f32,         // from one to the next, m
    columns: u32,      // along x; 0 where all is level
    rows: u32,
    heights: array<f32>,
}

@group(1) @binding(0) var<storage, read> hills: Hills;

// Height of a crossing, m; of those beyond the edge that of the edge.
fn height_of(crossing: vec2<i32>) -> f32 {
    let last = vec2<i32>(i32(hills.columns), i32(hills.rows)) - 1;
    let at = clamp(crossing, vec2<i32>(0), last);
    return hills.heights[u32(at.y) * hills.columns + u32(at.x)];
}

// Between its neighbours, so that the light on hills has no edges.
fn normal_of(crossing: vec2<i32>) -> vec3<f32> {
    let x = vec2<i32>(1, 0);
    let z = vec2<i32>(0, 1);
    let slope = vec2<f32>(
        height_of(crossing - x) - height_of(crossing + x),
        height_of(crossing - z) - height_of(crossing + z),
    );
    return normalize(vec3<f32>(slope.x, 2.0 * hills.cell, slope.y));
}

// In cells from the first height.
fn on_grid(at: vec2<f32>) -> vec2<f32> {
    return (at - hills.corner) / max(hills.cell, 1e-9);
}

fn has_hills(at: vec2<f32>) -> bool {
    let grid = on_grid(at);
    let last = vec2<f32>(f32(hills.columns), f32(hills.rows)) - 1.0;
    return hills.columns > 0u && all(grid >= vec2<f32>(0.0)) && all(grid <= last);
}

// Under a place, m. Cells are divided between the corners that come second and third, as the engine does it.
fn ground_at(at: vec2<f32>) -> f32 {
    if (!has_hills(at)) {
        return frame.ground_height;
    }
    let grid = on_grid(at);
    let last = vec2<f32>(f32(hills.columns), f32(hills.rows)) - 2.0;
    let cell = min(floor(grid), last);
    let part = grid - cell;
    let first = vec2<i32>(cell);
    let second = height_of(first + vec2<i32>(1, 0));
    let third = height_of(first + vec2<i32>(0, 1));
    if (part.x + part.y <= 1.0) {
        let h = height_of(first);
        return h + (second - h) * part.x + (third - h) * part.y;
    }
    let h = height_of(first + vec2<i32>(1, 1));
    return h + (third - h) * (1.0 - part.x) + (second - h) * (1.0 - part.y);
}
