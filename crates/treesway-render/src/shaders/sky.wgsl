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

// Woods and hills along the horizon, the farther the paler.
fn hills(behind: vec3<f32>, direction: vec3<f32>) -> vec3<f32> {
    var colour = behind;
    if (!DETAIL || direction.y > 0.08) {
        return colour;
    }
    let round = atan2(direction.z, direction.x);
    for (var i = 0u; i < 3u; i += 1u) {
        let far = 1.0 - 0.5 * f32(i);
        // Nearer ridges are lower and rougher: single trees show.
        let scale = mix(60.0, 9.0, far);
        let ridge = fractal(vec2<f32>(round * scale, 3.7 * f32(i)), 5u);
        let height = mix(0.010, 0.030, far) * (0.35 + ridge);
        let wood = vec3<f32>(0.035, 0.055, 0.025) * (frame.sun * 0.35 + ambient(vec3<f32>(0.0, 1.0, 0.0)));
        let seen = mix(wood, behind, mix(0.51, 0.86, far));
        colour = mix(colour, seen, smoothstep(height + frame.pixel_angle, height, direction.y));
    }
    return colour;
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
        let soft = smoothstep(0.50, 0.80, cover) * smoothstep(0.02, 0.22, direction.y);
        let lit = frame.sun * (0.34 + 0.35 * pow(max(towards, 0.0), 8.0)) + frame.zenith * 0.6;
        colour = mix(colour, lit, soft * 0.8);
    }
    colour = hills(colour, direction);
    // The disc itself is half a degree wide.
    colour += frame.sun * 40.0 * smoothstep(0.999982, 0.999992, towards);
    return developed(colour);
}
