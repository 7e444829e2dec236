// What ground and grass have in common.

// Colour of the turf. Detail finer than a pixel (`footprint`, m) is left out, or it would flicker.
fn turf(at: vec2<f32>, footprint: f32) -> vec3<f32> {
    let lush = vec3<f32>(0.070, 0.112, 0.024);
    let dry = vec3<f32>(0.165, 0.150, 0.058);
    let soil = vec3<f32>(0.085, 0.062, 0.042);
    if (!DETAIL) {
        return mix(lush, dry, smoothstep(0.2, 1.0, noise(at * 0.2)) * 0.6);
    }
    let patches = fractal(at * 0.13, 4u);
    let tufts = mix(fractal(at * 2.3 + 40.0, 3u), 0.5, smoothstep(0.1, 0.8, footprint));
    let blades = mix(noise(at * 60.0) * 0.6 + noise(at * 143.0) * 0.4, 0.5, smoothstep(0.004, 0.03, footprint));
    var colour = mix(lush, dry, smoothstep(0.35, 0.80, patches) * 0.6);
    colour = mix(soil, colour, smoothstep(0.10, 0.38, tufts + 0.35 * patches));
    return colour * (0.50 + 0.60 * tufts + 0.40 * blades);
}

// Below a crown less of the sky is seen.
fn sky_seen(world: vec3<f32>) -> f32 {
    let beside = length(world.xz - frame.crown.xz) / max(frame.crown_radius, 0.01);
    return mix(0.45, 1.0, smoothstep(0.0, 1.4, beside));
}
