// The ground: a plane of grass and soil that fades into the haze.

struct GroundPoint {
    @builtin(position) clip: vec4<f32>,
    @location(0) world: vec3<f32>,
}

// How far the plane reaches, m; the haze hides its end.
const REACH: f32 = 4000.0;

@vertex
fn ground_point(@builtin(vertex_index) index: u32) -> GroundPoint {
    let corner = vec2<f32>(f32(index & 1u), f32(index >> 1u)) * 2.0 - 1.0;
    var point: GroundPoint;
    let at = frame.eye.xz + corner * REACH;
    point.world = vec3<f32>(at.x, frame.ground_height, at.y);
    point.clip = frame.clip_from_world * vec4<f32>(point.world, 1.0);
    return point;
}

// Height of the turf, 0 … 1, and its colour. Detail finer than a pixel is left out, or it would flicker.
fn turf(at: vec2<f32>, footprint: f32) -> vec4<f32> {
    let patches = fractal(at * 0.23, 4u);
    let tufts = fractal(at * 2.7, 3u);
    let blades = mix(noise(at * 60.0) * 0.6 + noise(at * 143.0) * 0.4, 0.5, smoothstep(0.004, 0.03, footprint));
    let fine = mix(tufts, 0.5, smoothstep(0.1, 0.8, footprint));
    let lush = vec3<f32>(0.062, 0.105, 0.022);
    let dry = vec3<f32>(0.17, 0.15, 0.062);
    let soil = vec3<f32>(0.085, 0.062, 0.042);
    var colour = mix(lush, dry, smoothstep(0.35, 0.75, patches) * 0.75);
    colour = mix(soil, colour, smoothstep(0.12, 0.42, fine + 0.35 * patches));
    colour *= 0.55 + 0.5 * fine + 0.4 * blades;
    return vec4<f32>(colour, 0.6 * fine + 0.4 * blades);
}

@fragment
fn ground_colour(point: GroundPoint) -> @location(0) vec4<f32> {
    let away = frame.eye - point.world;
    let distance = length(away);
    let to_eye = away / distance;
    let footprint = distance * frame.pixel_angle / max(to_eye.y, 0.02);
    var albedo = vec3<f32>(0.09, 0.115, 0.04);
    if (on(TEXTURES)) {
        albedo = turf(point.world.xz, footprint).rgb;
    }
    if (!on(LIGHTING)) {
        return as_written(albedo);
    }
    let up = vec3<f32>(0.0, 1.0, 0.0);
    // The sun is a disc: the shadow of a crown is soft. Neighbouring pixels start their taps elsewhere; the turf hides the grain.
    let grain = fract(52.9829189 * fract(dot(point.clip.xy, vec2<f32>(0.06711056, 0.00583715))));
    let shade = sunlit(point.world, up, 0.08, select(0.0, grain * 6.2831853, DETAIL));
    // Below a crown less of the sky is seen.
    let beside = length(point.world.xz - frame.crown.xz) / max(frame.crown_radius, 0.01);
    let open = mix(0.45, 1.0, smoothstep(0.0, 1.4, beside));
    let light = albedo * (frame.sun * max(frame.to_sun.y, 0.0) * shade + ambient(up) * open);
    return developed(through_air(light, point.world));
}
