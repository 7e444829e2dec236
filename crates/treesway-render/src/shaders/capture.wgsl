// Pictures of a tree for its impostor: what light needs, not the light.

struct View {
    clip_from_tree: mat4x4<f32>,
    right: vec4<f32>,
    up: vec4<f32>,
    towards: vec4<f32>,
}

@group(0) @binding(0) var<uniform> view: View;

struct SitterVertex {
    @location(0) position: vec3<f32>,
    @location(1) own: f32,
    @location(2) normal: vec3<f32>,
    @location(3) openness: f32,
    @location(4) outward: vec3<f32>,
    @location(5) uv: vec2<f32>,
}

struct SitterPoint {
    @builtin(position) clip: vec4<f32>,
    @location(0) normal: vec3<f32>,
    @location(1) outward: vec3<f32>,
    @location(2) uv: vec2<f32>,
    @location(3) own: f32,
    @location(4) openness: f32,
}

struct Picture {
    @location(0) colour: vec4<f32>,
    @location(1) normal: vec4<f32>,  // and 1 for leaves
    @location(2) outward: vec4<f32>, // and openness
    @builtin(sample_mask) mask: u32,
}

@vertex
fn capture_point(vertex: SitterVertex) -> SitterPoint {
    var point: SitterPoint;
    point.clip = view.clip_from_tree * vec4<f32>(vertex.position, 1.0);
    point.normal = vertex.normal;
    point.outward = vertex.outward;
    point.uv = vertex.uv;
    point.own = vertex.own;
    point.openness = vertex.openness;
    return point;
}

// A direction in the picture's axes, 0 to 1.
fn as_seen(v: vec3<f32>) -> vec3<f32> {
    let n = normalize(v);
    return 0.5 + 0.5 * vec3<f32>(dot(n, view.right.xyz), dot(n, view.up.xyz), dot(n, view.towards.xyz));
}

@fragment
fn capture_bark(point: SitterPoint) -> Picture {
    let texel = textureSample(surface_colour, surface_sampler, point.uv).rgb;
    var picture: Picture;
    picture.colour = vec4<f32>(aged(texel, abs(point.own)), 1.0);
    picture.normal = vec4<f32>(as_seen(point.normal), 0.0);
    picture.outward = vec4<f32>(as_seen(point.normal), point.openness);
    picture.mask = 15u;
    return picture;
}

@fragment
fn capture_leaf(point: SitterPoint) -> Picture {
    let texel = textureSample(surface_colour, surface_sampler, point.uv);
    // The side that is seen.
    let facing = select(-1.0, 1.0, dot(point.normal, view.towards.xyz) > 0.0);
    var picture: Picture;
    picture.colour = vec4<f32>(varied(texel.rgb, point.own), 1.0);
    picture.normal = vec4<f32>(as_seen(point.normal * facing), 1.0);
    picture.outward = vec4<f32>(as_seen(point.outward), point.openness);
    picture.mask = samples(sharpened(texel.a, point.uv), u32(point.own * 1024.0));
    return picture;
}
