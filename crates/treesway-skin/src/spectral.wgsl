// What `deform.rs`, `leaf.rs` and the sampling of `texture.rs` of the engine's spectral solver do, for the vertex shader.
// Whoever uses it declares, with bindings of their own:
//   var<uniform> spectral: SpectralFrame;
//   var<storage, read> spectral_branches: array<SpectralBranch>;
//   var<storage, read> spectral_phases: array<vec4<f32>>;   // of each branch, reduced by the CPU
//   var spectral_motion: texture_2d_array<f32>;              // r, g: motion along r and s; a layer a level
//   var spectral_leaves: texture_2d_array<f32>;              // flap, sway, twist; planes xy, yz, xz
// Texels are loaded and mixed here: filtering hardware has 8 bits for where it is between two of them.

// Chosen when a pipeline is made, so that what is not chosen costs nothing: adapters that mask branches instead of skipping them run both sides of an `if`.
override SPECTRAL_BENDING: u32 = 0u; // 0 exact, 1 printed, 2 simple
override SPECTRAL_STRANDS: u32 = 2u; // 1 or 2

struct SpectralBranch {
    origin: vec3<f32>,    // m
    length: f32,          // m
    axis: vec3<f32>,      // t
    c2: f32,
    side: vec3<f32>,      // r; s = t × r
    c4: f32,
    motion: vec2<f32>,    // texture lengths per s
    at_parent: f32,       // 0 to 1
    parent: u32,          // 0xffffffff: none
    amplitude: vec2<f32>, // lengths of the branch
    push: f32,
    layer: u32,
    start: vec4<f32>,
}

struct SpectralFrame {
    wind: vec3<f32>,
    turbulence: f32,
    leaf_offset: vec3<f32>,
    leaf_scale: f32,
    leaf_weights: vec3<f32>, // of the planes xy, yz, xz
    flutter: f32,
    bending: u32,            // what SPECTRAL_BENDING and SPECTRAL_STRANDS are to be
    strands: u32,
    depth: u32,
    size: u32,               // a power of two
}

struct SpectralPoint {
    position: vec3<f32>,
    normal: vec3<f32>,
}

const SPECTRAL_SECOND_STRAND: f32 = 1.0066;
const SPECTRAL_PRINTED: u32 = 1u;
const SPECTRAL_SIMPLE: u32 = 2u;

// The four texels around a place and how far it is between them.
struct SpectralTexels {
    low: vec2<i32>,
    high: vec2<i32>,
    part: vec2<f32>,
}

fn spectral_texels(at: vec2<f32>) -> SpectralTexels {
    let last = vec2<i32>(i32(spectral.size) - 1);
    let place = (at - floor(at)) * f32(spectral.size);
    let whole = vec2<i32>(place);
    return SpectralTexels(whole & last, (whole + 1) & last, place - vec2<f32>(whole));
}

fn spectral_noise(at: vec2<f32>, layer: u32) -> vec2<f32> {
    let t = spectral_texels(at);
    let a = textureLoad(spectral_motion, t.low, layer, 0).xy;
    let b = textureLoad(spectral_motion, vec2<i32>(t.high.x, t.low.y), layer, 0).xy;
    let c = textureLoad(spectral_motion, vec2<i32>(t.low.x, t.high.y), layer, 0).xy;
    let d = textureLoad(spectral_motion, t.high, layer, 0).xy;
    let low = a + (b - a) * t.part.x;
    let high = c + (d - c) * t.part.x;
    return low + (high - low) * t.part.y;
}

fn spectral_leaf_noise(at: vec2<f32>, plane: u32) -> vec3<f32> {
    let t = spectral_texels(at);
    let a = textureLoad(spectral_leaves, t.low, plane, 0).xyz;
    let b = textureLoad(spectral_leaves, vec2<i32>(t.high.x, t.low.y), plane, 0).xyz;
    let c = textureLoad(spectral_leaves, vec2<i32>(t.low.x, t.high.y), plane, 0).xyz;
    let d = textureLoad(spectral_leaves, t.high, plane, 0).xyz;
    let low = a + (b - a) * t.part.x;
    let high = c + (d - c) * t.part.x;
    return low + (high - low) * t.part.y;
}

// How far the tip of a branch is away along r and s, in its lengths (Eq. 11, 18, 19).
fn spectral_away(index: u32, lag: f32, wind: vec3<f32>) -> vec2<f32> {
    let phase = spectral_phases[index];
    let layer = spectral_branches[index].layer;
    let way = spectral_branches[index].motion * lag;
    var noise = spectral_noise(phase.xy + way, layer);
    if (SPECTRAL_STRANDS > 1u) {
        let more = spectral_noise(phase.zw + SPECTRAL_SECOND_STRAND * way, layer);
        noise = (noise + more) * 0.70710678;
    }
    let side = spectral_branches[index].side;
    let other = cross(spectral_branches[index].axis, side);
    let held = spectral_branches[index].push * vec2<f32>(dot(side, wind), dot(other, wind));
    return spectral.turbulence * spectral_branches[index].amplitude * noise + held;
}

// Turns v in the plane of `axis` and `towards`, by which axis → (axis + slope towards)/√(1 + slope²).
fn spectral_turned(v: vec3<f32>, axis: vec3<f32>, towards: vec3<f32>, slope: f32) -> vec3<f32> {
    let c = 1.0 / sqrt(1.0 + slope * slope);
    let s = slope * c;
    let along = dot(v, axis);
    let aside = dot(v, towards);
    return v + axis * ((c - 1.0) * along - s * aside) + towards * ((c - 1.0) * aside + s * along);
}

// u and u′ of Eq. 7.
fn spectral_bent(c2: f32, c4: f32, x: f32) -> vec2<f32> {
    let square = x * x;
    return vec2<f32>(square * (c2 + c4 * square), x * (2.0 * c2 + 4.0 * c4 * square));
}

// d/s, u/s and u′ at the corrected x along one direction (Eq. 8–10, 21).
fn spectral_corrected(c2: f32, c4: f32, amplitude: f32, x: f32) -> vec3<f32> {
    let u = amplitude * spectral_bent(c2, c4, x);
    let s = sqrt(1.0 + u.y * u.y);
    let back = u.x * u.y / ((s + 1.0) * s);
    return vec3<f32>(back, u.x / s, amplitude * spectral_bent(c2, c4, x - back).y);
}

// One level: what a branch does at x to a point that finer levels have brought from `at_rest` to `p`.
fn spectral_level(index: u32, x: f32, lag: f32, wind: vec3<f32>, at_rest: vec3<f32>, p: SpectralPoint) -> SpectralPoint {
    let away = spectral_away(index, lag, wind);
    let axis = spectral_branches[index].axis;
    let side = spectral_branches[index].side;
    let other = cross(axis, side);
    let c2 = spectral_branches[index].c2;
    let c4 = spectral_branches[index].c4;
    let len = spectral_branches[index].length;
    if (SPECTRAL_BENDING == SPECTRAL_SIMPLE) {
        let u = len * spectral_bent(c2, c4, x).x;
        return SpectralPoint(p.position + (side * away.x + other * away.y) * u, p.normal);
    }
    if (SPECTRAL_BENDING == SPECTRAL_PRINTED) {
        let r = spectral_corrected(c2, c4, away.x, x);
        let s = spectral_corrected(c2, c4, away.y, x);
        let shift = (side * r.y + other * s.y - axis * (r.x + s.x)) * len;
        let lean = side * r.z + other * s.z;
        let offset = p.position - at_rest;
        return SpectralPoint(at_rest + offset + lean * dot(axis, offset) + shift, p.normal - axis * dot(lean, p.normal));
    }
    let far = length(away);
    let towards = (side * away.x + other * away.y) / max(far, 1e-9);
    // Gauss's four points of the integrals of the slope's cosine and sine.
    let at = x * vec4<f32>(0.06943184, 0.3300095, 0.6699905, 0.93056816);
    let slopes = far * at * (2.0 * c2 + 4.0 * c4 * at * at);
    let share = vec4<f32>(0.17392742, 0.32607257, 0.32607257, 0.17392742) / sqrt(1.0 + slopes * slopes);
    let shift = (axis * (dot(share, vec4<f32>(1.0)) - 1.0) + towards * dot(share, slopes)) * (len * x);
    let centre = spectral_branches[index].origin + axis * (len * x);
    let slope = far * spectral_bent(c2, c4, x).y;
    return SpectralPoint(
        centre + shift + spectral_turned(p.position - centre, axis, towards, slope),
        spectral_turned(p.normal, axis, towards, slope),
    );
}

// Own level first, then that of the parent, and so on to the trunk.
fn spectral_carried(at_rest: vec3<f32>, start: SpectralPoint, branch: u32, x: f32, lag: f32, wind: vec3<f32>) -> SpectralPoint {
    var p = start;
    var index = branch;
    var along = x;
    let count = arrayLength(&spectral_branches);
    for (var i = 0u; i < spectral.depth; i += 1u) {
        if (index >= count) {
            break;
        }
        p = spectral_level(index, along, lag, wind, at_rest, p);
        along = spectral_branches[index].at_parent;
        index = spectral_branches[index].parent;
    }
    if (SPECTRAL_BENDING == SPECTRAL_PRINTED) {
        p.normal = normalize(p.normal);
    }
    return p;
}

// Where a point of the bark is. `lag`, s: how far its tree is ahead; `wind`: that of the frame, in the tree's space.
fn spectral_bark(position: vec3<f32>, normal: vec3<f32>, branch: u32, x: f32, lag: f32, wind: vec3<f32>) -> SpectralPoint {
    return spectral_carried(position, SpectralPoint(position, normal), branch, x, lag, wind);
}

fn spectral_rotated(q: vec4<f32>, v: vec3<f32>) -> vec3<f32> {
    let t = 2.0 * cross(q.xyz, v);
    return v + q.w * t + cross(q.xyz, t);
}

// Where a point of a leaf is, whose base and turn (quaternion; z along it, y its normal) are those of the pose at rest.
fn spectral_leaf(position: vec3<f32>, normal: vec3<f32>, base: vec3<f32>, turn: vec4<f32>, branch: u32, x: f32, lag: f32, wind: vec3<f32>) -> SpectralPoint {
    let q = position * spectral.leaf_scale + spectral.leaf_offset;
    let slopes = (spectral_leaf_noise(q.xy, 0u) * spectral.leaf_weights.x
        + spectral_leaf_noise(q.yz, 1u) * spectral.leaf_weights.y
        + spectral_leaf_noise(q.xz, 2u) * spectral.leaf_weights.z) * spectral.flutter;
    let across = spectral_rotated(turn, vec3<f32>(1.0, 0.0, 0.0));
    let up = spectral_rotated(turn, vec3<f32>(0.0, 1.0, 0.0));
    let along = spectral_rotated(turn, vec3<f32>(0.0, 0.0, 1.0));
    if (SPECTRAL_BENDING == SPECTRAL_SIMPLE) {
        let arm = position - base;
        let reach = dot(arm, along);
        let moved = up * (slopes.x * reach + slopes.z * dot(arm, across)) + across * (slopes.y * reach);
        return spectral_carried(position, SpectralPoint(position + moved, normal), branch, x, lag, wind);
    }
    let slope = length(slopes.xy);
    let towards = (up * slopes.x + across * slopes.y) / max(slope, 1e-9);
    let arm = spectral_turned(spectral_turned(position - base, across, up, slopes.z), along, towards, slope);
    let facing = spectral_turned(spectral_turned(normal, across, up, slopes.z), along, towards, slope);
    return spectral_carried(position, SpectralPoint(base + arm, facing), branch, x, lag, wind);
}
