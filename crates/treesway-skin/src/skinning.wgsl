// What `skinning.rs` does, for the vertex shader: linear blend of bodies that move rigidly.

struct BodyTransform {
    rotation: vec4<f32>,    // quaternion, x y z w
    translation: vec3<f32>, // m
    shown: f32,             // 0: not drawn; from 1 to 2: under snow
}

fn rotated(q: vec4<f32>, v: vec3<f32>) -> vec3<f32> {
    let t = 2.0 * cross(q.xyz, v);
    return v + q.w * t + cross(q.xyz, t);
}

fn carried_point(body: BodyTransform, at_rest: vec3<f32>) -> vec3<f32> {
    return rotated(body.rotation, at_rest) + body.translation;
}

fn blended_point(first: BodyTransform, second: BodyTransform, weight: f32, at_rest: vec3<f32>) -> vec3<f32> {
    return mix(carried_point(first, at_rest), carried_point(second, at_rest), weight);
}

fn blended_normal(first: BodyTransform, second: BodyTransform, weight: f32, at_rest: vec3<f32>) -> vec3<f32> {
    return normalize(mix(rotated(first.rotation, at_rest), rotated(second.rotation, at_rest), weight));
}

// A point of a leaf or fruit, from units of its instance's scale to the rest pose.
fn piece_point_at_rest(position: vec3<f32>, rotation: vec4<f32>, scale: vec3<f32>, point: vec3<f32>) -> vec3<f32> {
    return rotated(rotation, point * scale) + position;
}

fn piece_normal_at_rest(rotation: vec4<f32>, scale: vec3<f32>, normal: vec3<f32>) -> vec3<f32> {
    return rotated(rotation, normalize(normal / scale));
}
