// Bodies of the tree that is drawn, and its surface.

@group(1) @binding(0) var<storage, read> transforms: array<BodyTransform>;
@group(1) @binding(1) var<storage, read> colours: array<u32>; // sRGB, a byte a channel

@group(2) @binding(0) var surface_colour: texture_2d<f32>;
@group(2) @binding(1) var surface_normal: texture_2d<f32>;   // xyz in tangent space; w height
@group(2) @binding(2) var surface_material: texture_2d<f32>; // occlusion, roughness, −, translucency
@group(2) @binding(3) var surface_sampler: sampler;

// Colour that a body was given, linear; alpha 0 if it has none.
fn colour_of(body: u32) -> vec4<f32> {
    let encoded_colour = unpack4x8unorm(colours[body]);
    return vec4<f32>(pow(encoded_colour.rgb, vec3<f32>(2.2)), encoded_colour.a);
}

// A colour of the texture, or if textures are off the smallest level of it, which has no pattern.
fn patterned(texel: vec3<f32>) -> vec3<f32> {
    if (on(TEXTURES)) {
        return texel;
    }
    return textureSampleLevel(surface_colour, surface_sampler, vec2<f32>(0.5), 16.0).rgb;
}

// Where a point of a body is drawn; nowhere, if the body is not shown.
fn projected(clip_from_world: mat4x4<f32>, world: vec3<f32>, body: BodyTransform) -> vec4<f32> {
    return select(hidden(), clip_from_world * vec4<f32>(world, 1.0), body.shown >= 0.5);
}

// How much snow lies on a body, 0 to 1.
fn snow_on(body: BodyTransform) -> f32 {
    return max(body.shown - 1.0, 0.0);
}

// Occlusion, roughness, −, translucency; what they are about.
fn plain_material() -> vec4<f32> {
    return vec4<f32>(1.0, 0.7, 0.0, 0.5);
}

// What they are at a point of the surface, with detail.
fn material_at(uv: vec2<f32>) -> vec4<f32> {
    if (!DETAIL) {
        return plain_material();
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

// Colours that stand for something: shaded just enough to show the form, as from the camera, so that they can be told apart.
fn diagram(colour: vec3<f32>, normal: vec3<f32>, openness: f32, world: vec3<f32>) -> vec4<f32> {
    let facing = abs(dot(normal, normalize(frame.eye - world)));
    return as_written(colour * (0.6 + 0.4 * facing) * mix(0.75, 1.0, openness));
}

// Light on something plain: sun and sky, no gloss.
fn plain_light(albedo: vec3<f32>, normal: vec3<f32>, openness: f32, world: vec3<f32>) -> vec3<f32> {
    let direct = frame.sun * max(dot(normal, frame.to_sun), 0.0) * sunlit(world, normal, 0.02, 0.0);
    return albedo * (direct + ambient(normal) * openness);
}
