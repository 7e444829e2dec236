//! A compute shader run on points, to compare what it writes with what the CPU finds.

use treesway_render::Headless;
use treesway_render::wgpu::util::{BufferInitDescriptor, DeviceExt};
use treesway_render::wgpu::*;

/// A buffer of these bytes.
pub fn filled(gpu: &Headless, contents: &[u8], usage: BufferUsages) -> Buffer {
    gpu.device.create_buffer_init(&BufferInitDescriptor {
        label: None,
        contents,
        usage,
    })
}

/// What an entry point, with these constants, writes into its last binding, two vectors for each of `count` points, of which a workgroup does so many.
pub fn computed(
    gpu: &Headless,
    source: String,
    (entry, constants): (&str, &[(&str, f64)]),
    inputs: Vec<BindingResource>,
    count: u32,
    workgroup: u32,
) -> Vec<[f32; 4]> {
    let device = &gpu.device;
    let module = device.create_shader_module(ShaderModuleDescriptor {
        label: None,
        source: ShaderSource::Wgsl(source.into()),
    });
    let pipeline = device.create_compute_pipeline(&ComputePipelineDescriptor {
        label: None,
        layout: None,
        module: &module,
        entry_point: Some(entry),
        compilation_options: PipelineCompilationOptions {
            constants,
            ..Default::default()
        },
        cache: None,
    });
    let size = u64::from(count) * 32;
    let buffer = |usage| {
        device.create_buffer(&BufferDescriptor {
            label: None,
            size,
            usage,
            mapped_at_creation: false,
        })
    };
    let out = buffer(BufferUsages::STORAGE | BufferUsages::COPY_SRC);
    let entries: Vec<_> = inputs
        .into_iter()
        .chain([out.as_entire_binding()])
        .enumerate()
        .map(|(i, resource)| BindGroupEntry {
            binding: i as u32,
            resource,
        })
        .collect();
    let bindings = device.create_bind_group(&BindGroupDescriptor {
        label: None,
        layout: &pipeline.get_bind_group_layout(0),
        entries: &entries,
    });
    let copy = buffer(BufferUsages::COPY_DST | BufferUsages::MAP_READ);
    let mut encoder = device.create_command_encoder(&Default::default());
    {
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &bindings, &[]);
        pass.dispatch_workgroups(count.div_ceil(workgroup), 1, 1);
    }
    encoder.copy_buffer_to_buffer(&out, 0, &copy, 0, size);
    gpu.queue.submit([encoder.finish()]);
    copy.map_async(MapMode::Read, .., |done| done.unwrap());
    device.poll(PollType::wait_indefinitely()).unwrap();
    let bytes = copy.get_mapped_range(..).unwrap();
    bytemuck::cast_slice(&bytes).to_vec()
}
