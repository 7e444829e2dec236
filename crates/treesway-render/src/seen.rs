//! Which bodies of a tree are seen: those that carry a point of its meshes. Of a tree of millions of bodies most are twigs and leaves that no triangle is
//! left for; where they are is then neither asked for nor uploaded.

use std::borrow::Cow;
use treesway::BodyId;
use treesway_skin::Skin;

/// Bodies in the order in which the GPU knows them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Seen {
    /// Ascending, the root first.
    ids: Vec<BodyId>,
    /// By id the place in `ids`; empty where all are seen, whose place is their id.
    numbers: Vec<u32>,
}

impl Seen {
    /// All of so many.
    pub(crate) fn all(count: usize) -> Self {
        Self {
            ids: (0..count as u32).map(BodyId).collect(),
            numbers: Vec::new(),
        }
    }

    /// Those of a skin; all of them where leaving some out is not worth it.
    pub(crate) fn of(skin: &Skin) -> Self {
        let count = skin.rest.len();
        let mut is_seen = vec![false; count];
        if let Some(root) = is_seen.first_mut() {
            *root = true;
        }
        for vertex in &skin.bark.vertices {
            for body in vertex.bodies {
                is_seen[body as usize] = true;
            }
        }
        for pieces in skin.leaves.iter().chain(&skin.fruit) {
            for instance in &pieces.instances {
                is_seen[instance.body as usize] = true;
            }
        }
        let ids: Vec<BodyId> = (0..count as u32)
            .map(BodyId)
            .filter(|id| is_seen[id.index()])
            .collect();
        if 2 * ids.len() > count {
            return Self::all(count);
        }
        let mut numbers = vec![0; count];
        for (number, id) in ids.iter().enumerate() {
            numbers[id.index()] = number as u32;
        }
        Self { ids, numbers }
    }

    pub(crate) fn is_whole(&self) -> bool {
        self.numbers.is_empty()
    }

    pub(crate) fn ids(&self) -> &[BodyId] {
        &self.ids
    }

    /// The place of one that is seen.
    pub(crate) fn number(&self, id: u32) -> usize {
        if self.is_whole() {
            return id as usize;
        }
        self.numbers[id as usize] as usize
    }

    /// Vertices or instances with numbers in place of ids.
    pub(crate) fn numbered<'a, T: Clone>(
        &self,
        list: &'a [T],
        set: impl Fn(&mut T, &dyn Fn(u32) -> u32),
    ) -> Cow<'a, [T]> {
        if self.is_whole() {
            return Cow::Borrowed(list);
        }
        let mut numbered = list.to_vec();
        for one in &mut numbered {
            set(one, &|id| self.number(id) as u32);
        }
        Cow::Owned(numbered)
    }
}
