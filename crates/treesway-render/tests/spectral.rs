//! The GPU puts every point of a spectral tree where the CPU does.

#[path = "common/compute.rs"]
mod compute;

use compute::{computed, filled};
use treesway::glam::{Quat, Vec3};
use treesway::spectral::{Bending, SpectralSettings, SpectralTree, SpectralWind, TextureKind};
use treesway_io::Scene;
use treesway_render::Headless;
use treesway_render::wgpu::util::{DeviceExt, TextureDataOrder};
use treesway_render::wgpu::*;
use treesway_skin::{Detail, SPECTRAL_WGSL, Skin, SpectralSkin};

/// Runs the shared functions on points that are handed over as plain numbers: position and branch, normal and x, base of a leaf, its turn.
const PROGRAM: &str = "
@group(0) @binding(0) var<uniform> spectral: SpectralFrame;
@group(0) @binding(1) var<storage, read> spectral_branches: array<SpectralBranch>;
@group(0) @binding(2) var<storage, read> spectral_phases: array<vec4<f32>>;
@group(0) @binding(3) var spectral_motion: texture_2d_array<f32>;
@group(0) @binding(4) var spectral_leaves: texture_2d_array<f32>;
@group(0) @binding(5) var<storage, read> points: array<array<vec4<f32>, 4>>;
@group(0) @binding(6) var<storage, read_write> out: array<vec4<f32>>;

@compute @workgroup_size(64)
fn place(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x >= arrayLength(&points)) {
        return;
    }
    let p = points[id.x];
    let branch = bitcast<u32>(p[0].w);
    var placed = spectral_bark(p[0].xyz, p[1].xyz, branch, p[1].w, 0.37, spectral.wind);
    if (p[2].w > 0.5) {
        placed = spectral_leaf(p[0].xyz, p[1].xyz, p[2].xyz, p[3], branch, p[1].w, 0.37, spectral.wind);
    }
    out[2u * id.x] = vec4<f32>(placed.position, 0.0);
    out[2u * id.x + 1u] = vec4<f32>(placed.normal, 0.0);
}
";
const MAPLE: &str = r#"
    version = 1
    [[tree]]
    species = "maple"
    bodies = 3000
"#;
/// As in the program, s.
const LAG: f32 = 0.37;

/// A point with its normal and place, and the leaf it is of.
struct Point {
    position: Vec3,
    normal: Vec3,
    at: treesway::spectral::SpectralVertex,
    leaf: Option<(Vec3, Quat)>,
}

impl Point {
    fn numbers(&self) -> [[f32; 4]; 4] {
        let ([x, y, z], [a, b, c]) = (self.position.to_array(), self.normal.to_array());
        let (base, turn) = self.leaf.unwrap_or((Vec3::ZERO, Quat::IDENTITY));
        let is_leaf = f32::from(u8::from(self.leaf.is_some()));
        [
            [x, y, z, f32::from_bits(self.at.branch)],
            [a, b, c, self.at.x],
            [base.x, base.y, base.z, is_leaf],
            turn.to_array(),
        ]
    }
}

fn points(skin: &Skin, at: &SpectralSkin) -> Vec<Point> {
    let bark = skin.bark.vertices.iter().zip(&at.bark).step_by(7);
    let mut list: Vec<Point> = bark
        .map(|(v, &at)| Point {
            position: v.position.into(),
            normal: v.normal.into(),
            at,
            leaf: None,
        })
        .collect();
    for (pieces, at) in skin.leaves.iter().zip(&at.leaves) {
        for (instance, &at) in pieces.instances.iter().zip(at).step_by(5) {
            let (base, turn) = (
                Vec3::from(instance.position),
                Quat::from_array(instance.rotation),
            );
            let vertices = pieces.mesh.vertices.iter().step_by(3);
            list.extend(vertices.map(|v| Point {
                position: base + turn * (Vec3::from(v.position) * Vec3::from(instance.scale)),
                normal: turn * Vec3::from(v.normal),
                at,
                leaf: Some((base, turn)),
            }));
        }
    }
    list
}

fn texture(
    gpu: &Headless,
    format: TextureFormat,
    size: u32,
    layers: u32,
    texels: &[u8],
) -> TextureView {
    let descriptor = TextureDescriptor {
        label: None,
        size: Extent3d {
            width: size,
            height: size,
            depth_or_array_layers: layers,
        },
        mip_level_count: 1,
        sample_count: 1,
        dimension: TextureDimension::D2,
        format,
        usage: TextureUsages::TEXTURE_BINDING,
        view_formats: &[],
    };
    let texture = gpu.device.create_texture_with_data(
        &gpu.queue,
        &descriptor,
        TextureDataOrder::LayerMajor,
        texels,
    );
    texture.create_view(&TextureViewDescriptor {
        dimension: Some(TextureViewDimension::D2Array),
        ..Default::default()
    })
}

/// Positions and normals as the GPU has them.
fn on_gpu(gpu: &Headless, tree: &SpectralTree, seconds: f64, points: &[Point]) -> Vec<[f32; 4]> {
    let mut phases = Vec::new();
    tree.model.phases(seconds, &mut phases);
    let numbers: Vec<_> = points.iter().map(Point::numbers).collect();
    let (textures, storage) = (&tree.textures, BufferUsages::STORAGE);
    let motion = textures.layers.concat();
    let leaves = textures.leaves.concat();
    let layers = textures.layers.len() as u32;
    let views = [
        texture(
            gpu,
            TextureFormat::Rg32Float,
            textures.size,
            layers,
            bytemuck::cast_slice(&motion),
        ),
        texture(
            gpu,
            TextureFormat::Rgba32Float,
            textures.size,
            3,
            bytemuck::cast_slice(&leaves),
        ),
    ];
    let buffers = [
        filled(
            gpu,
            bytemuck::bytes_of(&tree.model.frame(seconds)),
            BufferUsages::UNIFORM,
        ),
        filled(gpu, bytemuck::cast_slice(&tree.model.branches), storage),
        filled(gpu, bytemuck::cast_slice(&phases), storage),
        filled(gpu, bytemuck::cast_slice(&numbers), storage),
    ];
    let resources = vec![
        buffers[0].as_entire_binding(),
        buffers[1].as_entire_binding(),
        buffers[2].as_entire_binding(),
        BindingResource::TextureView(&views[0]),
        BindingResource::TextureView(&views[1]),
        buffers[3].as_entire_binding(),
    ];
    let source = format!("{SPECTRAL_WGSL}\n{PROGRAM}");
    let frame = tree.model.frame(seconds);
    let constants = [
        ("SPECTRAL_BENDING", f64::from(frame.bending)),
        ("SPECTRAL_STRANDS", f64::from(frame.strands)),
    ];
    let entry = ("place", &constants[..]);
    computed(gpu, source, entry, resources, points.len() as u32, 64)
}

#[test]
fn cpu_matches_gpu_vertex_by_vertex() {
    let gpu = Headless::new().unwrap_or_else(|e| panic!("{e}"));
    let scene = Scene::parse(MAPLE, "test").unwrap();
    let (simulation, models) = scene.build_to_draw().unwrap();
    let tree = &simulation.world().trees()[0];
    let skin = Skin::new(
        &models[0].bodies,
        &models[0].look,
        &Detail::for_screen(60.0),
    );
    let wind = SpectralWind {
        velocity: Vec3::new(9.0, 0.0, 4.0),
        intensity: 0.3,
        ..SpectralWind::default()
    };
    let ways = [
        (Bending::Exact, TextureKind::Corrected),
        (Bending::Printed, TextureKind::Radial),
        (Bending::Simple, TextureKind::Corrected),
    ];
    for (bending, texture) in ways {
        let settings = SpectralSettings {
            bending,
            texture,
            ..SpectralSettings::default()
        };
        let spectral = SpectralTree::of(tree, &wind, &settings);
        let points = points(&skin, &skin.spectral(&spectral));
        // An hour later it is as sharp.
        for seconds in [1.7, 3600.9] {
            let found = on_gpu(&gpu, &spectral, seconds, &points);
            let (model, frame) = (&spectral.model, spectral.model.frame(seconds));
            let (mut phases, mut away) = (Vec::new(), Vec::new());
            model.phases(seconds, &mut phases);
            model.away(&spectral.textures, &frame, &phases, LAG, &mut away);
            let (mut off, mut turned, mut moved) = (0.0_f32, 0.0_f32, 0.0_f32);
            for (point, found) in points.iter().zip(found.chunks_exact(2)) {
                let [position, normal] = match point.leaf {
                    Some(leaf) => model.leaf(
                        &spectral.textures,
                        &frame,
                        &away,
                        point.at,
                        leaf,
                        [point.position, point.normal],
                    ),
                    None => {
                        let [p, n, _] = model.bark(
                            &frame,
                            &away,
                            point.at,
                            [point.position, point.normal, Vec3::Y],
                        );
                        [p, n]
                    }
                };
                let [p, n] = [found[0], found[1]].map(|v| Vec3::new(v[0], v[1], v[2]));
                off = off.max(p.distance(position));
                turned = turned.max(n.angle_between(normal).to_degrees());
                moved = moved.max(point.position.distance(position));
            }
            println!(
                "{bending:?} after {seconds} s: {} points, moved by up to {moved:.3} m, off by {off:.2e} m and {turned:.3}°; height {:.2} m",
                points.len(),
                model.height
            );
            assert!(moved > 0.1, "{moved}");
            assert!(off < 1e-4 * model.height, "{bending:?}: {off} m");
            assert!(turned < 1.0, "{bending:?}: {turned}°");
        }
    }
}
