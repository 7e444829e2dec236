// What `skinning.rs` does, for the vertex shader: linear blend of bodies that move rigidly, and blades that bend.

struct BodyTransform {
    rotation: vec4<f32>,    // quaternion, x y z w
    translation: vec3<f32>, // m
    shown: f32,             // 0: not drawn; from 1 to 2: under snow
    bend: vec4<f32>,        // of a leaf, rad: its sides of +x and −x about the midrib, curl of the midrib
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

// Turned about the midrib as the side of a blade is that lies at x.
fn turned_side(bend: vec4<f32>, x: f32, v: vec3<f32>) -> vec3<f32> {
    let angle = select(bend.x, -bend.y, x < 0.0);
    let s = sin(angle);
    let c = cos(angle);
    return vec3<f32>(c * v.x - s * v.y, s * v.x + c * v.y, v.z);
}

// A point of a leaf or fruit, from units of its instance's scale to the rest pose, bent.
fn piece_point_at_rest(body: BodyTransform, position: vec3<f32>, rotation: vec4<f32>, scale: vec3<f32>, point: vec3<f32>) -> vec3<f32> {
    let at = point * scale;
    var bent = turned_side(body.bend, at.x, at);
    bent.y += body.bend.z * at.z * at.z / scale.z;
    return rotated(rotation, bent) + position;
}

// Its normal.
fn piece_normal_at_rest(body: BodyTransform, rotation: vec4<f32>, scale: vec3<f32>, point: vec3<f32>, normal: vec3<f32>) -> vec3<f32> {
    let at = point * scale;
    var bent = turned_side(body.bend, at.x, normalize(normal / scale));
    bent.z -= 2.0 * body.bend.z * at.z / scale.z * bent.y;
    return rotated(rotation, normalize(bent));
}
