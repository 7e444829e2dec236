// The sky: what is seen where nothing else is.

struct SkyPoint {
    @builtin(position) clip: vec4<f32>,
    @location(0) far: vec4<f32>, // a point of the ray, homogeneous
}

@vertex
fn sky_point(@builtin(vertex_index) index: u32) -> SkyPoint {
    // One triangle that covers everything, as far away as can be (depth 0).
    let corner = vec2<f32>(f32((index << 1u) & 2u), f32(index & 2u)) * 2.0 - 1.0;
    var point: SkyPoint;
    point.clip = vec4<f32>(corner, 0.0, 1.0);
    // At infinity w vanishes, so that a nearer point of the same ray is taken.
    point.far = frame.world_from_clip * vec4<f32>(corner, 0.5, 1.0);
    return point;
}

@fragment
fn sky_colour(point: SkyPoint) -> @location(0) vec4<f32> {
    let direction = normalize(point.far.xyz / point.far.w - frame.eye);
    var colour = sky(direction);
    if (!on(LIGHTING)) {
        colour = mix(frame.horizon, frame.zenith, max(direction.y, 0.0));
    }
    let towards = dot(direction, frame.to_sun);
    if (DETAIL && direction.y > 0.0) {
        // Thin clouds in a flat layer, which thins out into the haze.
        let at = direction.xz / (direction.y + 0.12) * 1.3;
        let cover = fractal(at, 6u);
        let soft = smoothstep(0.46, 0.82, cover) * smoothstep(0.02, 0.22, direction.y);
        let lit = frame.sun * (0.32 + 0.25 * pow(max(towards, 0.0), 8.0)) + frame.zenith * 0.45;
        colour = mix(colour, lit, soft * 0.75);
    }
    // The disc itself is half a degree wide.
    colour += frame.sun * 30.0 * smoothstep(0.99996, 0.99999, towards);
    return developed(colour);
}
