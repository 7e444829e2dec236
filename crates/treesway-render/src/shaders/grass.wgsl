// Blades of grass, one for each cell of a square grid around the middle of what is seen. They need no buffers: a blade's place, height and
// bend follow from the number of its cell.

struct BladePoint {
    @builtin(position) clip: vec4<f32>,
    @location(0) world: vec3<f32>,
    @location(1) along: f32,                          // 0 at the ground, 1 at the tip
    @location(2) @interpolate(flat) root: vec2<f32>,
}

@vertex
fn blade_point(@builtin(vertex_index) corner: u32, @builtin(instance_index) number: u32) -> BladePoint {
    let row = i32(GRASS_ROW);
    let within = vec2<i32>(i32(number) % row, i32(number) / row) - row / 2;
    // Cells are those of the world, so that blades stay where they are when the view moves.
    let cell = vec2<i32>(round(frame.meadow / frame.meadow_cell)) + within;
    let random = vec2<f32>(hash(cell), hash(cell + vec2<i32>(7919, 104729)));
    let root = (vec2<f32>(cell) + random - 0.5) * frame.meadow_cell;
    let other = fract(random.x * 71.7 + random.y * 13.3);

    // Shorter towards the edge, where the bare turf goes on, and in dry places.
    let rim = length(vec2<f32>(within)) / (0.5 * f32(row));
    let fade = 1.0 - smoothstep(0.5, 0.95, rim);
    let height = (0.5 + random.x) * clamp(1.1 * frame.meadow_cell, 0.03, 0.11) * fade * (0.5 + noise(root * 0.9))
        * (1.0 - 0.8 * snow_on_ground());
    let foot = vec3<f32>(root.x, ground_at(root), root.y);
    let away = foot - frame.eye;
    let distance = length(away);
    // As wide as a pixel at least, or blades far away would sparkle.
    let width = max(0.004, 0.9 * frame.pixel_angle * distance) * sqrt(fade);
    let side = normalize(vec3<f32>(-away.z, 0.0, away.x));
    let angle = other * 6.2831853;
    let lean = vec3<f32>(cos(angle), 0.0, sin(angle)) * height * (0.15 + 0.6 * random.y);

    var point: BladePoint;
    point.along = f32(corner == 2u);
    let across = select(0.0, 0.5, corner == 1u) - select(0.0, 0.5, corner == 0u);
    point.world = foot + side * across * width + point.along * (vec3<f32>(0.0, height, 0.0) + lean);
    point.root = root;
    point.clip = frame.clip_from_world * vec4<f32>(point.world, 1.0);
    return point;
}

@fragment
fn blade_colour(point: BladePoint) -> @location(0) vec4<f32> {
    let away = point.world - frame.eye;
    let vary = hash(vec2<i32>(floor(point.root / frame.meadow_cell)));
    // Deep in the turf little light arrives.
    let depth = mix(0.35, 1.0, point.along);
    var albedo = turf(point.root, 0.05) * mix(vec3<f32>(0.85, 0.95, 0.8), vec3<f32>(1.30, 1.20, 0.85), vary) * depth;
    albedo = mix(albedo, vec3<f32>(0.75, 0.78, 0.83), snow_on_ground() * smoothstep(0.0, 0.6, snow_on_ground() + vary - 0.5));
    if (!on(LIGHTING)) {
        return as_written(albedo);
    }
    let up = vec3<f32>(0.0, 1.0, 0.0);
    let shade = sunlit(point.world, up, 0.06, vary * 6.2831853);
    // Blades stand: a low sun meets them squarer than the ground, and shines through them.
    let against = pow(max(dot(normalize(away), frame.to_sun), 0.0), 3.0);
    let direct = frame.sun * shade * (0.35 + 0.5 * max(frame.to_sun.y, 0.0) + 0.8 * against * point.along);
    let light = albedo * (direct + ambient(up) * sky_seen(point.world));
    return developed(through_air(light, point.world));
}
