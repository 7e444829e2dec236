// The ground: hills, and around them a plane of grass and soil that fades into the haze.

struct GroundPoint {
    @builtin(position) clip: vec4<f32>,
    @location(0) world: vec3<f32>,
    @location(1) normal: vec3<f32>,
    @location(2) @interpolate(flat) is_plane: u32,
}

// How far the plane reaches, m; the haze hides its end.
const REACH: f32 = 4000.0;

// Pieces are strips of four corners: first the plane, then the cells of the hills, then what closes the gap between their outermost edges and the plane.
@vertex
fn ground_point(@builtin(vertex_index) index: u32, @builtin(instance_index) piece: u32) -> GroundPoint {
    let corner = vec2<i32>(i32(index & 1u), i32(index >> 1u));
    var point: GroundPoint;
    point.normal = vec3<f32>(0.0, 1.0, 0.0);
    point.is_plane = u32(piece == 0u);
    if (piece == 0u) {
        let at = frame.eye.xz + (2.0 * vec2<f32>(corner) - 1.0) * REACH;
        point.world = vec3<f32>(at.x, frame.ground_height, at.y);
    } else {
        let across = i32(hills.columns) - 1;
        let along = i32(hills.rows) - 1;
        var number = i32(piece) - 1;
        var crossing = vec2<i32>(number % across, number / across) + corner;
        var below = false;
        if (number >= across * along) {
            number -= across * along;
            // Edges at the first and last row, then at the first and last column.
            if (number < 2 * across) {
                crossing = vec2<i32>(number % across + corner.x, (number / across) * along);
            } else {
                number -= 2 * across;
                crossing = vec2<i32>((number / along) * across, number % along + corner.x);
            }
            below = corner.y == 1;
        }
        let at = hills.corner + vec2<f32>(crossing) * hills.cell;
        point.world = vec3<f32>(at.x, select(height_of(crossing), frame.ground_height, below), at.y);
        point.normal = normal_of(crossing);
    }
    point.clip = frame.clip_from_world * vec4<f32>(point.world, 1.0);
    return point;
}

@fragment
fn ground_colour(point: GroundPoint) -> @location(0) vec4<f32> {
    if (point.is_plane == 1u && has_hills(point.world.xz)) {
        discard;
    }
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
    let normal = normalize(point.normal);
    // The sun is a disc: the shadow of a crown is soft. Neighbouring pixels start their taps elsewhere; the turf hides the grain.
    let grain = fract(52.9829189 * fract(dot(point.clip.xy, vec2<f32>(0.06711056, 0.00583715))));
    let shade = sunlit(point.world, normal, 0.08, select(0.0, grain * 6.2831853, DETAIL));
    let light = albedo * (frame.sun * max(dot(normal, frame.to_sun), 0.0) * shade + ambient(normal) * sky_seen(point.world));
    return developed(through_air(light, point.world));
}
