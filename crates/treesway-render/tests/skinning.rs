//! The GPU puts every point where the CPU does.

#[path = "common/compute.rs"]
mod compute;

use compute::{computed, filled};
use treesway::glam::{EulerRot, Quat, Vec3};
use treesway_render::Headless;
use treesway_render::wgpu::{Buffer, BufferUsages};
use treesway_skin::{BarkVertex, BodyTransform, Instance, PieceVertex, SKINNING_WGSL, skinning};

/// Runs the shared functions on vertices that are handed over as plain numbers.
const PROGRAM: &str = "
@group(0) @binding(0) var<storage, read> transforms: array<BodyTransform>;
@group(0) @binding(1) var<storage, read> points: array<array<vec4<f32>, 4>>;
@group(0) @binding(2) var<storage, read_write> out: array<vec4<f32>>;

@compute @workgroup_size(1)
fn bark(@builtin(global_invocation_id) id: vec3<u32>) {
    let p = points[id.x];
    let first = transforms[bitcast<u32>(p[2].x)];
    let second = transforms[bitcast<u32>(p[2].y)];
    out[2u * id.x] = vec4<f32>(blended_point(first, second, p[0].w, p[0].xyz), 0.0);
    out[2u * id.x + 1u] = vec4<f32>(blended_normal(first, second, p[0].w, p[1].xyz), 0.0);
}

@compute @workgroup_size(1)
fn piece(@builtin(global_invocation_id) id: vec3<u32>) {
    // Vertex: position and normal of the first; instance: the rest.
    let p = points[id.x];
    let q = points[id.x + 1u];
    let body = transforms[bitcast<u32>(q[0].w)];
    let at_rest = piece_point_at_rest(body, q[0].xyz, q[1], q[2].xyz, p[0].xyz);
    out[2u * id.x] = vec4<f32>(carried_point(body, at_rest), 0.0);
    let normal = piece_normal_at_rest(body, q[1], q[2].xyz, p[0].xyz, p[1].xyz);
    out[2u * id.x + 1u] = vec4<f32>(rotated(body.rotation, normal), 0.0);
}
";

/// Numbers that look random, −1 to 1.
fn random(i: u32) -> f32 {
    (i.wrapping_mul(2_654_435_761) >> 8) as f32 / (1 << 23) as f32 - 1.0
}

fn vector(i: u32) -> Vec3 {
    Vec3::new(random(3 * i), random(3 * i + 1), random(3 * i + 2))
}

fn transforms() -> Vec<BodyTransform> {
    let turned = (0..40).map(|i| {
        let angles = vector(1000 + i) * 3.0;
        BodyTransform {
            rotation: Quat::from_euler(EulerRot::XYZ, angles.x, angles.y, angles.z).to_array(),
            translation: (vector(2000 + i) * 4.0).to_array(),
            shown: 1.0,
            bend: [0.5, 0.3, 0.2, 0.0].map(|most| most * random(i + 3000)),
        }
    });
    turned.collect()
}

/// What an entry point writes for `count` points.
fn run(entry: &str, points: &[f32], count: u32) -> Vec<[f32; 4]> {
    let gpu = Headless::new().unwrap_or_else(|e| panic!("{e}"));
    let inputs = [
        bytemuck::cast_slice(&transforms()),
        bytemuck::cast_slice(points),
    ]
    .map(|bytes| filled(&gpu, bytes, BufferUsages::STORAGE));
    let source = format!("{SKINNING_WGSL}\n{PROGRAM}");
    let inputs = inputs.iter().map(Buffer::as_entire_binding).collect();
    computed(&gpu, source, (entry, &[]), inputs, count, 1)
}

fn near(found: [f32; 4], wanted: Vec3, what: &str) {
    let off = (Vec3::new(found[0], found[1], found[2]) - wanted).length();
    assert!(off < 1e-5, "{what}: off by {off}");
}

#[test]
fn bark_is_where_the_cpu_puts_it() {
    let vertices: Vec<BarkVertex> = (0..200)
        .map(|i| BarkVertex {
            position: vector(i).to_array(),
            weight: random(i + 77) * 0.5 + 0.5,
            normal: vector(i + 500).normalize().to_array(),
            bodies: [i % 40, i * 7 % 40],
            ..BarkVertex::default()
        })
        .collect();
    let numbers: Vec<f32> = vertices
        .iter()
        .flat_map(|v| {
            let ([x, y, z], [nx, ny, nz]) = (v.position, v.normal);
            let [a, b] = v.bodies.map(f32::from_bits);
            [
                x, y, z, v.weight, nx, ny, nz, 0.0, a, b, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
            ]
        })
        .collect();
    let found = run("bark", &numbers, 200);
    for (vertex, found) in vertices.iter().zip(found.chunks_exact(2)) {
        let wanted = skinning::bark(vertex, &transforms());
        near(found[0], wanted.position, "position");
        near(found[1], wanted.normal, "normal");
    }
}

#[test]
fn leaves_are_where_the_cpu_puts_them() {
    for i in 0..20 {
        let vertex = PieceVertex {
            position: vector(i).to_array(),
            normal: vector(i + 300).normalize().to_array(),
            ..PieceVertex::default()
        };
        let turn = vector(i + 60) * 2.0;
        let instance = Instance {
            position: vector(i + 90).to_array(),
            body: i,
            rotation: Quat::from_euler(EulerRot::XYZ, turn.x, turn.y, turn.z).to_array(),
            scale: (vector(i + 120) * 0.4 + 0.6).to_array(),
            ..Instance::default()
        };
        let ([x, y, z], [nx, ny, nz]) = (vertex.position, vertex.normal);
        let ([ix, iy, iz], [sx, sy, sz]) = (instance.position, instance.scale);
        let [qx, qy, qz, qw] = instance.rotation;
        let mut numbers = vec![x, y, z, 0.0, nx, ny, nz, 0.0];
        numbers.resize(16, 0.0);
        numbers.extend([ix, iy, iz, f32::from_bits(i), qx, qy, qz, qw, sx, sy, sz]);
        numbers.resize(32, 0.0);
        let found = run("piece", &numbers, 1);
        let wanted = skinning::piece(&vertex, &instance, &transforms());
        near(found[0], wanted.position, "position");
        near(found[1], wanted.normal, "normal");
    }
}
