//! Draws trees with wgpu.
