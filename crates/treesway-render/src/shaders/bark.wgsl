// Trunk, branches and twigs; also lines, which use the same vertices.

struct BarkVertex {
    @location(0) position: vec3<f32>,
    @location(1) weight: f32,
    @location(2) normal: vec3<f32>,
    @location(3) radius: f32,
    @location(4) uv: vec2<f32>,
    @location(5) bodies: vec2<u32>,
    @location(6) openness: f32,
}

struct BarkPoint {
    @builtin(position) clip: vec4<f32>,
    @location(0) world: vec3<f32>,
    @location(1) normal: vec3<f32>,
    @location(2) uv: vec2<f32>,
    @location(3) radius: f32,
    @location(4) openness: f32,
    @location(5) colour: vec3<f32>,
    @location(6) snow: f32,
}

@vertex
fn bark_point(vertex: BarkVertex) -> BarkPoint {
    let first = transforms[vertex.bodies.x];
    let second = transforms[vertex.bodies.y];
    var point: BarkPoint;
    point.world = blended_point(first, second, vertex.weight, vertex.position);
    point.normal = blended_normal(first, second, vertex.weight, vertex.normal);
    point.uv = vertex.uv;
    point.radius = vertex.radius;
    point.openness = vertex.openness;
    point.snow = mix(snow_on(first), snow_on(second), vertex.weight);
    point.clip = projected(frame.clip_from_world, point.world, first);
    if (on(COLOURED)) {
        point.colour = mix(colour_of(vertex.bodies.x), colour_of(vertex.bodies.y), vertex.weight).rgb;
    }
    return point;
}

@vertex
fn bark_shadow(vertex: BarkVertex) -> @builtin(position) vec4<f32> {
    let first = transforms[vertex.bodies.x];
    let world = blended_point(first, transforms[vertex.bodies.y], vertex.weight, vertex.position);
    return projected(frame.shadow_from_world, world, first);
}

// Turns a normal of the texture into the world. The tangents follow from how position and texture coordinates change from pixel to
// pixel, so that vertices carry none.
fn relief(point: BarkPoint, normal: vec3<f32>, strength: f32) -> vec3<f32> {
    let along_x = dpdx(point.world);
    let along_y = dpdy(point.world);
    let uv_x = dpdx(point.uv);
    let uv_y = dpdy(point.uv);
    let texel = textureSample(surface_normal, surface_sampler, point.uv).xyz * 2.0 - 1.0;
    let side_x = cross(along_y, normal);
    let side_y = cross(normal, along_x);
    let tangent = side_x * uv_x.x + side_y * uv_y.x;
    let up = side_x * uv_x.y + side_y * uv_y.y;
    let scale = inverseSqrt(max(max(dot(tangent, tangent), dot(up, up)), 1e-20));
    // y of the texture runs against v.
    let bent = (tangent * texel.x - up * texel.y) * scale * strength;
    return normalize(normal * texel.z + bent);
}

// Pale bark, of birches and aspens, comes with age: shoots are as dark as those of other trees.
fn aged(albedo: vec3<f32>, radius: f32) -> vec3<f32> {
    let young = 1.0 - smoothstep(0.003, 0.02, radius);
    return albedo * mix(1.0, min(1.0, 0.1 / max(dot(albedo, vec3<f32>(0.21, 0.72, 0.07)), 0.01)), young);
}

@fragment
fn bark_colour(point: BarkPoint, @builtin(front_facing) front: bool) -> @location(0) vec4<f32> {
    return bark_lit(point, front);
}

fn bark_lit(point: BarkPoint, front: bool) -> vec4<f32> {
    let to_eye = normalize(frame.eye - point.world);
    var normal = normalize(point.normal) * select(-1.0, 1.0, front);
    if (on(FLAT)) {
        normal = face_normal(point.world);
    }
    // Both are sampled outside of branches that differ between pixels.
    let texel = textureSample(surface_colour, surface_sampler, point.uv).rgb;
    let material = material_at(point.uv);
    let bare = point.radius < 0.0; // torn wood
    let radius = abs(point.radius);
    // Young bark is smooth: relief grows with the radius, and is whole from 6 cm on.
    let roughened = smoothstep(0.004, 0.06, radius);
    if (DETAIL && on(TEXTURES) && !on(FLAT)) {
        normal = relief(point, normal, mix(0.15, 1.0, roughened));
    }
    var albedo = aged(patterned(texel), radius);
    if (bare && on(TEXTURES)) {
        // Fresh wood, in fibres along the branch.
        let fibre = 0.5 + 0.5 * sin(point.uv.x * 180.0 + 3.0 * sin(point.uv.x * 41.0));
        albedo = mix(vec3<f32>(0.45, 0.31, 0.17), vec3<f32>(0.66, 0.52, 0.33), fibre);
    }
    albedo = snowed(albedo, normal, point.snow);
    if (on(COLOURED)) {
        albedo = point.colour;
    }
    if (!on(LIGHTING)) {
        return as_written(albedo);
    }
    if (on(COLOURED)) {
        return diagram(albedo, normal, point.openness, point.world);
    }
    if (on(FLAT)) {
        return developed(through_air(plain_light(albedo, normal, point.openness, point.world), point.world));
    }
    let shade = sunlit(point.world, normalize(point.normal), 0.03, 0.0);
    let occlusion = mix(1.0, material.r, roughened) * point.openness;
    let direct = frame.sun * shade * max(dot(normal, frame.to_sun), 0.0);
    var light = albedo * (direct + ambient(normal) * occlusion);
    if (DETAIL) {
        light += frame.sun * shade * highlight(normal, to_eye, mix(0.5, 0.95, material.g)) * 0.6;
    }
    return developed(through_air(light, point.world));
}

@fragment
fn line_colour(point: BarkPoint) -> @location(0) vec4<f32> {
    return as_written(select(vec3<f32>(0.02, 0.02, 0.025), point.colour, on(COLOURED)));
}
