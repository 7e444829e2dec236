//! The two halves of a binary glTF file, filled piece by piece: JSON that describes, bytes that hold.

use super::GlbError;
use bytemuck::Pod;
use gltf::Glb;
use gltf::json::accessor::{ComponentType, GenericComponentType, Type};
use gltf::json::buffer::{Target, View};
use gltf::json::validation::{Checked, USize64};
use gltf::json::{Accessor, Buffer, Index, Root, Value};
use std::borrow::Cow;
use std::io::Write;

/// A file in the making.
pub(super) struct Document {
    pub(super) root: Root,
    bytes: Vec<u8>,
}

/// What the numbers of an accessor are.
#[derive(Clone, Copy)]
pub(super) struct Kind {
    component: ComponentType,
    shape: Type,
    /// Whole numbers stand for 0 to 1.
    normalized: bool,
}

impl Kind {
    pub(super) const SCALAR: Self = Self::of(ComponentType::F32, Type::Scalar);
    pub(super) const VEC2: Self = Self::of(ComponentType::F32, Type::Vec2);
    pub(super) const VEC3: Self = Self::of(ComponentType::F32, Type::Vec3);
    pub(super) const VEC4: Self = Self::of(ComponentType::F32, Type::Vec4);
    pub(super) const MAT4: Self = Self::of(ComponentType::F32, Type::Mat4);
    pub(super) const INDEX: Self = Self::of(ComponentType::U32, Type::Scalar);
    pub(super) const JOINTS: Self = Self::of(ComponentType::U16, Type::Vec4);
    pub(super) const WEIGHTS: Self = Self::shares(ComponentType::U16);
    pub(super) const TINT: Self = Self::shares(ComponentType::U8);

    const fn of(component: ComponentType, shape: Type) -> Self {
        Self {
            component,
            shape,
            normalized: false,
        }
    }

    const fn shares(component: ComponentType) -> Self {
        Self {
            component,
            shape: Type::Vec4,
            normalized: true,
        }
    }
}

impl Document {
    pub(super) fn new() -> Self {
        let mut root = Root::default();
        root.asset.generator = Some(concat!("treesway ", env!("CARGO_PKG_VERSION")).into());
        Self {
            root,
            bytes: Vec::new(),
        }
    }

    /// Puts data into the file as it lies in memory.
    pub(super) fn view<T: Pod>(&mut self, data: &[T], target: Option<Target>) -> Index<View> {
        let data: &[u8] = bytemuck::cast_slice(data);
        let offset = self.bytes.len();
        self.bytes.extend_from_slice(data);
        // Everything in a file starts at a multiple of four.
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        self.root.push(View {
            buffer: Index::new(0),
            byte_length: data.len().into(),
            byte_offset: Some(offset.into()),
            byte_stride: None,
            name: None,
            target: target.map(Checked::Valid),
            extensions: None,
            extras: None,
        })
    }

    /// Part of a view: `count` elements from a byte on.
    pub(super) fn part(
        &mut self,
        view: Index<View>,
        first_byte: usize,
        count: usize,
        kind: Kind,
    ) -> Index<Accessor> {
        self.root.push(Accessor {
            buffer_view: Some(view),
            byte_offset: Some(USize64::from(first_byte)).filter(|_| first_byte > 0),
            count: count.into(),
            component_type: Checked::Valid(GenericComponentType(kind.component)),
            type_: Checked::Valid(kind.shape),
            normalized: kind.normalized,
            min: None,
            max: None,
            name: None,
            sparse: None,
            extensions: None,
            extras: None,
        })
    }

    /// A view of its own with one accessor.
    pub(super) fn array<T: Pod>(
        &mut self,
        data: &[T],
        kind: Kind,
        target: Option<Target>,
    ) -> Index<Accessor> {
        let view = self.view(data, target);
        self.part(view, 0, data.len(), kind)
    }

    /// The same, and between which numbers its components lie.
    pub(super) fn bounded<const N: usize>(
        &mut self,
        data: &[[f32; N]],
        kind: Kind,
        target: Option<Target>,
    ) -> Index<Accessor>
    where
        [f32; N]: Pod,
    {
        let accessor = self.array(data, kind, target);
        let bound = |choose: fn(f32, f32) -> f32, start: f32| {
            let mut bound = [start; N];
            for element in data {
                for (b, &e) in bound.iter_mut().zip(element) {
                    *b = choose(*b, e);
                }
            }
            Some(Value::from(bound.to_vec()))
        };
        let entry = &mut self.root.accessors[accessor.value()];
        entry.min = bound(f32::min, f32::INFINITY);
        entry.max = bound(f32::max, f32::NEG_INFINITY);
        accessor
    }

    /// Writes the file.
    pub(super) fn write(mut self, out: &mut impl Write) -> Result<(), GlbError> {
        let length = self.bytes.len();
        self.root.push(Buffer {
            byte_length: length.into(),
            name: None,
            uri: None,
            extensions: None,
            extras: None,
        });
        let json = self.root.to_vec().map_err(std::io::Error::from)?;
        // Header, two chunk headers, padding.
        if u32::try_from(length + json.len() + 64).is_err() {
            return Err(GlbError::TooLarge {
                bytes: length + json.len(),
            });
        }
        let glb = Glb {
            header: gltf::binary::Header {
                magic: *b"glTF",
                version: 2,
                length: 0, // found by the writer
            },
            json: Cow::Owned(json),
            bin: Some(Cow::Owned(self.bytes)),
        };
        glb.to_writer(out).map_err(|error| match error {
            gltf::Error::Io(error) => GlbError::Io(error),
            other => GlbError::Io(std::io::Error::other(other)),
        })
    }
}
