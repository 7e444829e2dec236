//! Wind by place: a map of cells that are painted.

use crate::app::Studio;
use crate::theme::{card, palette};
use crate::widgets::{Number, arrow, wide_button};
use eframe::egui::{Rect, Role, Sense, Stroke, Ui, WidgetInfo, pos2, vec2};
use treesway::glam::{Vec2, Vec3};
use treesway::{WindCell, WindGrid};
use treesway_io::scene::WindTable;

/// Cells along each edge of a new map.
const CELLS: usize = 6;

/// Edge of the map, points.
const SIZE: f32 = 216.0;

/// A map over all trees, with the same wind everywhere.
fn over(trees: &[Vec2], velocity: Vec3) -> WindGrid {
    let all = || trees.iter().copied();
    let least = all().fold(Vec2::INFINITY, Vec2::min);
    let most = all().fold(Vec2::NEG_INFINITY, Vec2::max);
    // Crowns reach over a few metres about where trees stand.
    let extent = (most - least).max_element() + 12.0;
    let corner = (least + most) / 2.0 - Vec2::splat(extent / 2.0);
    WindGrid {
        corner: corner.to_array(),
        cell_size: extent / CELLS as f32,
        columns: CELLS,
        cells: vec![
            WindCell {
                velocity,
                ..WindCell::default()
            };
            CELLS * CELLS
        ],
        ..WindGrid::default()
    }
}

impl Studio {
    /// The map, or a button that makes one.
    pub(super) fn wind_map_card(&mut self, ui: &mut Ui, wind: &WindTable, brush: Vec3) {
        let window = ui.ctx().clone();
        let Some(stage) = &self.stage else {
            return;
        };
        let trees = stage.file().trees.iter();
        let trees: Vec<Vec2> = trees
            .map(|tree| Vec2::new(tree.at.x as f32, tree.at.z as f32))
            .collect();
        card(ui, "Wind by place", |ui| {
            let Some(grid) = &wind.grid else {
                let tip = "A map over the ground, whose cells have a wind of their own";
                if wide_button(ui, "Paint it cell by cell", tip).clicked() {
                    let grid = over(&trees, brush);
                    self.edit(&window, "Wind map", |p| p.set("wind.grid", grid));
                }
                return;
            };
            ui.weak("Paint cells with the wind set above, and with these gusts:");
            self.brush_rows(ui);
            let painted = WindCell {
                velocity: brush,
                ..self.brush
            };
            if let Some(cell) = map(ui, grid, &trees)
                && grid.cells[cell] != painted
            {
                let mut cells = grid.cells.clone();
                cells[cell] = painted;
                self.edit(&window, "Paint wind", |p| p.set("wind.grid.cells", cells));
            }
            let rows = [(
                "Cell",
                "wind.grid.cell_size",
                "Edge of a cell",
                Number::log(0.5..=50.0, " m"),
                grid.cell_size,
            )];
            self.number_rows(ui, rows);
            let tip = "The same wind everywhere again";
            if wide_button(ui, "Remove the map", tip).clicked() {
                self.edit(&window, "Remove wind map", |p| p.remove("wind.grid"));
            }
        });
    }
}

impl Studio {
    /// What cells are painted with, besides the wind.
    fn brush_rows(&mut self, ui: &mut Ui) {
        let brush = &mut self.brush;
        let mut octaves = brush.octaves as f32;
        let rows = [
            (
                "Gusts",
                "Largest change of a cell's wind over its mean",
                Number::linear(0.0..=1.0, ""),
                &mut brush.strength,
            ),
            (
                "Period",
                "Of its slowest gusts",
                Number::log(0.2..=60.0, " s"),
                &mut brush.period,
            ),
            (
                "Octaves",
                "How many, each twice as fast as the one before",
                Number::whole(1.0..=8.0),
                &mut octaves,
            ),
            (
                "Persistence",
                "Amplitude of an octave over that of the one before",
                Number::linear(0.0..=1.0, ""),
                &mut brush.persistence,
            ),
            (
                "Phase",
                "Where it starts: cells of other phases have their gusts at other times",
                Number::linear(0.0..=1.0, " turns"),
                &mut brush.phase,
            ),
        ];
        for (name, tip, number, value) in rows {
            if let Some(now) = number.row(ui, name, tip, *value) {
                *value = now;
            }
        }
        brush.octaves = octaves.round().clamp(1.0, 32.0) as u32;
    }
}

/// The ground from above, +x to the right and +z down as on the compass: winds as arrows, trees as dots. The cell that is being painted.
fn map(ui: &mut Ui, grid: &WindGrid, trees: &[Vec2]) -> Option<usize> {
    let rows = grid.cells.len().div_ceil(grid.columns.max(1)).max(1);
    let edge = SIZE / grid.columns.max(rows) as f32;
    let size = vec2(edge * grid.columns as f32, edge * rows as f32);
    let (rect, response) = ui.allocate_exact_size(size, Sense::click_and_drag());
    response.widget_info(|| WidgetInfo::labeled(Role::Canvas, true, "Wind map"));
    let colours = palette(ui);
    let painter = ui.painter_at(rect);
    let fastest = grid.cells.iter().map(|cell| cell.velocity.length());
    let fastest = fastest.fold(1.0, f32::max);
    for (i, cell) in grid.cells.iter().enumerate() {
        let at = vec2((i % grid.columns) as f32, (i / grid.columns) as f32) * edge;
        let square = Rect::from_min_size(rect.min + at, vec2(edge, edge));
        let strength = cell.velocity.length() / fastest;
        let fill = colours.accent.gamma_multiply(0.08 + 0.3 * strength);
        painter.rect_filled(square.shrink(1.0), 3, fill);
        let way = vec2(cell.velocity.x, cell.velocity.z) / fastest * (0.42 * edge);
        let middle = square.center();
        arrow(
            &painter,
            middle - way,
            middle + way,
            Stroke::new(1.5, colours.text),
        );
    }
    for tree in trees {
        let at = (*tree - Vec2::from_array(grid.corner)) / grid.cell_size * edge;
        let at = rect.min + vec2(at.x, at.y);
        painter.circle(at, 4.0, colours.force, Stroke::new(1.0, colours.card));
    }
    let pressed = response.dragged() || response.clicked();
    let at = response.interact_pointer_pos().filter(|_| pressed)?;
    let cell = (at - rect.min) / edge;
    let inside = Rect::from_min_max(pos2(0.0, 0.0), pos2(grid.columns as f32, rows as f32));
    if !inside.contains(cell.to_pos2()) {
        return None;
    }
    let i = cell.y as usize * grid.columns + (cell.x as usize).min(grid.columns - 1);
    (i < grid.cells.len()).then_some(i)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_map_holds_all_trees_well_inside() {
        let trees = [Vec2::new(-4.0, 2.0), Vec2::new(30.0, 9.0)];
        let grid = over(&trees, Vec3::X);
        assert_eq!(grid.cells.len(), grid.columns * grid.columns);
        for tree in trees {
            let cell = (tree - Vec2::from_array(grid.corner)) / grid.cell_size;
            assert!(cell.min_element() > 0.5, "{cell}");
            assert!(cell.max_element() < CELLS as f32 - 0.5, "{cell}");
        }
    }
}
