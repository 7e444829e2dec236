//! Undo and redo: every edit leaves the project that was before it.

use crate::project::Project;

/// Most edits that can be undone; a project takes a few kilobytes.
const MOST: usize = 500;

/// Projects before and after the present one.
#[derive(Default)]
pub struct History {
    past: Vec<Entry>,
    future: Vec<Entry>,
    /// The last edit goes on: a slider is being dragged.
    open: bool,
}

struct Entry {
    project: Project,
    /// What the edit between this project and its neighbour did.
    what: String,
}

impl History {
    /// Notes an edit: `before` is the project it changed. Edits of the same kind are one as long as they go on.
    pub fn note(&mut self, before: Project, what: &str) {
        self.future.clear();
        let goes_on = self.open && self.past.last().is_some_and(|entry| entry.what == what);
        self.open = true;
        if goes_on {
            return;
        }
        if self.past.len() == MOST {
            self.past.remove(0);
        }
        self.past.push(Entry {
            project: before,
            what: what.into(),
        });
    }

    /// The next edit is another one.
    pub fn close(&mut self) {
        self.open = false;
    }

    /// Back before the last edit.
    pub fn undo(&mut self, present: &mut Project) -> Option<String> {
        Self::go(&mut self.past, &mut self.future, present)
    }

    /// After the edit that was undone last.
    pub fn redo(&mut self, present: &mut Project) -> Option<String> {
        Self::go(&mut self.future, &mut self.past, present)
    }

    fn go(from: &mut Vec<Entry>, to: &mut Vec<Entry>, present: &mut Project) -> Option<String> {
        let Entry { project, what } = from.pop()?;
        to.push(Entry {
            project: core::mem::replace(present, project),
            what: what.clone(),
        });
        Some(what)
    }

    /// What undo would take back.
    pub fn last(&self) -> Option<&str> {
        self.past.last().map(|entry| &*entry.what)
    }

    /// What redo would do again.
    pub fn next(&self) -> Option<&str> {
        self.future.last().map(|entry| &*entry.what)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_speed(speed: f32) -> Project {
        let mut project =
            Project::parse("version = 1\n[[tree]]\nspecies = 'oak'\n", "oak").unwrap();
        project.set("wind.speed", speed);
        project
    }

    #[test]
    fn a_drag_is_one_edit_and_the_next_drag_another() {
        let mut history = History::default();
        let mut present = with_speed(0.0);
        for speed in [1.0, 2.0, 3.0] {
            history.note(present.clone(), "Wind speed");
            present = with_speed(speed);
        }
        history.close();
        history.note(present.clone(), "Wind speed");
        present = with_speed(9.0);
        assert_eq!(history.undo(&mut present).as_deref(), Some("Wind speed"));
        assert_eq!(present, with_speed(3.0));
        history.undo(&mut present);
        assert_eq!(present, with_speed(0.0));
        assert!(history.undo(&mut present).is_none());
        history.redo(&mut present);
        history.redo(&mut present);
        assert_eq!(present, with_speed(9.0));
    }

    #[test]
    fn an_edit_after_undo_forgets_what_was_undone() {
        let mut history = History::default();
        let mut present = with_speed(0.0);
        history.note(present.clone(), "a");
        present = with_speed(1.0);
        history.undo(&mut present);
        history.note(present.clone(), "b");
        assert!(history.next().is_none());
    }
}
