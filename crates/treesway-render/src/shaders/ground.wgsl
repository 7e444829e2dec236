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

@fragment
fn ground_colour(point: GroundPoint) -> @location(0) vec4<f32> {
    let away = frame.eye - point.world;
    let distance = length(away);
    let to_eye = away / distance;
    let footprint = distance * frame.pixel_angle / max(to_eye.y, 0.02);
    var albedo = vec3<f32>(0.09, 0.115, 0.04);
    if (on(TEXTURES)) {
        albedo = turf(point.world.xz, footprint) * vec3<f32>(0.92, 0.90, 0.70);
        // Far away fields give way to woods.
        albedo = mix(albedo, vec3<f32>(0.035, 0.055, 0.025), smoothstep(120.0, 700.0, distance));
    }
    // In thin snow the turf shows in patches.
    let patches = clamp(2.0 * snow_on_ground() - 0.8 * noise(point.world.xz * 1.7), 0.0, 1.0);
    albedo = mix(albedo, vec3<f32>(0.78, 0.81, 0.86), patches);
    if (!on(LIGHTING)) {
        return as_written(albedo);
    }
    let up = vec3<f32>(0.0, 1.0, 0.0);
    // The sun is a disc: the shadow of a crown is soft. Neighbouring pixels start their taps elsewhere; the turf hides the grain.
    let grain = fract(52.9829189 * fract(dot(point.clip.xy, vec2<f32>(0.06711056, 0.00583715))));
    let shade = sunlit(point.world, up, 0.08, select(0.0, grain * 6.2831853, DETAIL));
    let light = albedo * (frame.sun * max(frame.to_sun.y, 0.0) * shade + ambient(up) * sky_seen(point.world));
    return developed(through_air(light, point.world));
}
