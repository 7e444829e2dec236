//! The ground that is drawn: level, or the triangles of a height field and level around them.

use crate::memory::Memory;
use crate::pipelines::Layouts;
use std::sync::Arc;
use treesway::{Ground, HeightField};
use wgpu::*;

/// What the GPU knows of the ground. `hills.wgsl` holds the same struct, with the heights behind it.
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct Head {
    corner: [f32; 2],
    cell: f32,
    columns: u32,
    rows: u32,
}

/// The ground on the GPU.
pub(crate) struct Hills {
    ground: Ground,
    /// Of the level ground, m; none where nothing was said of it.
    pub(crate) level: Option<f32>,
    /// Group 1 of ground and grass.
    pub(crate) bindings: BindGroup,
    /// Quadrangles that are drawn: level ground, cells, and what closes the gap between the outermost of them and level ground.
    pub(crate) pieces: u32,
}

impl Hills {
    /// Whether it is this ground.
    pub(crate) fn are_of(&self, ground: &Ground) -> bool {
        match (&self.ground, ground) {
            (Ground::Field(mine), Ground::Field(other)) => Arc::ptr_eq(mine, other),
            (mine, other) => mine == other,
        }
    }

    pub(crate) fn new(
        device: &Device,
        memory: &Memory,
        layouts: &Layouts,
        ground: &Ground,
    ) -> Self {
        let (level, field) = match ground {
            Ground::Plane(height) => (Some(*height), None),
            Ground::Field(field) => (Some(least_at_rim(field)), Some(field.as_ref())),
            _ => (None, None),
        };
        let (head, heights) = match field {
            None => (bytemuck::Zeroable::zeroed(), vec![0.0]),
            Some(field) => {
                let (corner, cell) = field.extent();
                let [columns, rows] = field.size();
                let crossings = (0..rows).flat_map(|r| (0..columns).map(move |c| (c, r)));
                let heights = crossings.map(|(c, r)| field.height(c, r)).collect();
                let head = Head {
                    corner,
                    cell,
                    columns: columns as u32,
                    rows: rows as u32,
                };
                (head, heights)
            }
        };
        let mut bytes = bytemuck::bytes_of(&head).to_vec();
        bytes.extend_from_slice(bytemuck::cast_slice(&heights));
        let buffer = memory.filled("hills", BufferUsages::STORAGE, &bytes);
        let bindings = device.create_bind_group(&BindGroupDescriptor {
            label: Some("hills"),
            layout: &layouts.hills,
            entries: &[BindGroupEntry {
                binding: 0,
                resource: buffer.as_entire_binding(),
            }],
        });
        let [across, along] = [head.columns, head.rows].map(|n| n.saturating_sub(1));
        Self {
            ground: ground.clone(),
            level,
            bindings,
            pieces: 1 + across * along + 2 * (across + along),
        }
    }
}

fn least_at_rim(field: &HeightField) -> f32 {
    let [columns, rows] = field.size();
    let lengthwise = (0..columns).flat_map(|c| [(c, 0), (c, rows - 1)]);
    let sideways = (0..rows).flat_map(|r| [(0, r), (columns - 1, r)]);
    let rim = lengthwise.chain(sideways).map(|(c, r)| field.height(c, r));
    rim.fold(f32::INFINITY, f32::min)
}
