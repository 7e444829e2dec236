// Pictures half as large: the mean of four pixels, which linear filtering gives between them.

@group(0) @binding(0) var colours: texture_2d<f32>;
@group(0) @binding(1) var normals: texture_2d<f32>;
@group(0) @binding(2) var outwards: texture_2d<f32>;
@group(0) @binding(3) var between: sampler;

struct HalvePoint {
    @builtin(position) clip: vec4<f32>,
    @location(0) uv: vec2<f32>,
}

@vertex
fn halve_point(@builtin(vertex_index) index: u32) -> HalvePoint {
    let corner = vec2<f32>(f32(index & 1u), f32(index >> 1u)) * 2.0;
    var point: HalvePoint;
    point.clip = vec4<f32>(corner.x * 2.0 - 1.0, 1.0 - corner.y * 2.0, 0.0, 1.0);
    point.uv = corner;
    return point;
}

struct Halved {
    @location(0) colour: vec4<f32>,
    @location(1) normal: vec4<f32>,
    @location(2) outward: vec4<f32>,
}

@fragment
fn halved(point: HalvePoint) -> Halved {
    var out: Halved;
    out.colour = textureSampleLevel(colours, between, point.uv, 0.0);
    out.normal = textureSampleLevel(normals, between, point.uv, 0.0);
    out.outward = textureSampleLevel(outwards, between, point.uv, 0.0);
    return out;
}
