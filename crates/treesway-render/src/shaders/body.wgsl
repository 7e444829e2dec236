// Bodies of the tree that is drawn, and its surface.

@group(1) @binding(0) var<storage, read> transforms: array<BodyTransform>;
@group(1) @binding(1) var<storage, read> colours: array<u32>; // sRGB, a byte a channel

@group(2) @binding(0) var surface_colour: texture_2d<f32>;
@group(2) @binding(1) var surface_normal: texture_2d<f32>;   // xyz in tangent space; w height
@group(2) @binding(2) var surface_material: texture_2d<f32>; // occlusion, roughness, −, translucency
@group(2) @binding(3) var surface_sampler: sampler;

// Colour that a body was given, linear.
fn colour_of(body: u32) -> vec3<f32> {
    let encoded_colour = unpack4x8unorm(colours[body]).rgb;
    return pow(encoded_colour, vec3<f32>(2.2));
}

// Occlusion, roughness, −, translucency; without detail what they are about.
fn material_at(uv: vec2<f32>) -> vec4<f32> {
    if (!DETAIL) {
        return vec4<f32>(1.0, 0.7, 0.0, 0.5);
    }
    return textureSample(surface_material, surface_sampler, uv);
}

// Nowhere: outside of what is drawn.
fn hidden() -> vec4<f32> {
    return vec4<f32>(0.0, 0.0, 2.0, 1.0);
}

// Normal of the triangle, towards the eye.
fn face_normal(world: vec3<f32>) -> vec3<f32> {
    let n = normalize(cross(dpdx(world), dpdy(world)));
    return select(-n, n, dot(n, frame.eye - world) > 0.0);
}

// Light on something plain: sun and sky, no gloss.
fn plain_light(albedo: vec3<f32>, normal: vec3<f32>, openness: f32, world: vec3<f32>) -> vec3<f32> {
    let direct = frame.sun * max(dot(normal, frame.to_sun), 0.0) * sunlit(world, normal, 0.02, 0.0);
    return albedo * (direct + ambient(normal) * openness);
}
