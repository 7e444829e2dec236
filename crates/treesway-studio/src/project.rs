//! What is edited: a scene file, as a value.
//!
//! A project is the tables of a scene file and nothing else, so that every command of the program reads what the studio saves. An edit sets
//! or removes a value at a dotted path (`tree.0.params.curves.bend`); what a file leaves out stays left out, and keeps the default of its
//! source.

use serde::Serialize;
use treesway_io::{Scene, SceneError};

/// A scene that is being edited.
#[derive(Clone, Debug, PartialEq)]
pub struct Project {
    /// What messages call it; files that the scene names lie beside it.
    name: String,
    table: toml::Table,
}

impl Project {
    /// Reads a scene file; `name` is its path, or the name of a scene that comes with the program.
    pub fn parse(text: &str, name: &str) -> Result<Self, SceneError> {
        Scene::parse(text, name)?;
        Ok(Self {
            name: name.into(),
            table: toml::from_str(text).expect("a scene is TOML"),
        })
    }

    /// The file again, without its comments.
    pub fn to_toml(&self) -> String {
        toml::to_string(&self.table).expect("what was read can be written")
    }

    /// What it says, checked.
    pub fn scene(&self) -> Result<Scene, SceneError> {
        Scene::parse(&self.to_toml(), &self.name)
    }

    /// What messages call it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// From now on, files that the scene names are looked for beside this one.
    pub fn rename(&mut self, name: &str) {
        self.name = name.into();
    }

    /// The value at a dotted path; numbers are places in lists.
    pub fn get(&self, path: &str) -> Option<&toml::Value> {
        let (first, rest) = split(path);
        rest.iter()
            .try_fold(self.table.get(first)?, |value, key| match value {
                toml::Value::Array(list) => list.get(key.parse::<usize>().ok()?),
                toml::Value::Table(table) => table.get(*key),
                _ => None,
            })
    }

    /// Sets the value at a dotted path; tables on the way are made.
    pub fn set(&mut self, path: &str, value: impl Serialize) {
        let mut value = toml::Value::try_from(value).expect("every field has a form in TOML");
        tidy(&mut value);
        let (folder, key) = path.rsplit_once('.').unwrap_or(("", path));
        if let Some(table) = self.table_at(folder) {
            table.insert(key.into(), value);
        }
    }

    /// Sets a value of the first table of a list, which is made where there is none.
    pub fn set_first(&mut self, list: &str, key: &str, value: impl Serialize) {
        if self.get(list).is_none() {
            self.set(list, vec![toml::Table::new()]);
        }
        self.set(&format!("{list}.0.{key}"), value);
    }

    /// Removes the value at a dotted path, if there is one.
    pub fn remove(&mut self, path: &str) {
        let (folder, key) = path.rsplit_once('.').unwrap_or(("", path));
        if (folder.is_empty() || self.get(folder).is_some())
            && let Some(table) = self.table_at(folder)
        {
            table.remove(key);
        }
    }

    /// The table at a dotted path, made where there is none; none where something else is in the way.
    fn table_at(&mut self, path: &str) -> Option<&mut toml::Table> {
        let mut table = &mut self.table;
        let mut keys = path.split('.').filter(|key| !key.is_empty()).peekable();
        while let Some(key) = keys.next() {
            let empty = || toml::Value::Table(toml::Table::new());
            let mut value = table.entry(key).or_insert_with(empty);
            while let toml::Value::Array(list) = value {
                value = list.get_mut(keys.next()?.parse::<usize>().ok()?)?;
            }
            table = value.as_table_mut()?;
        }
        Some(table)
    }
}

fn split(path: &str) -> (&str, Vec<&str>) {
    let mut keys = path.split('.');
    (keys.next().unwrap_or_default(), keys.collect())
}

/// Writes single-precision numbers with the digits that they have: 0.1 and not 0.10000000149.
fn tidy(value: &mut toml::Value) {
    match value {
        toml::Value::Float(x) => {
            let single = *x as f32;
            if f64::from(single) == *x
                && let Ok(short) = single.to_string().parse()
            {
                *x = short;
            }
        }
        toml::Value::Array(list) => list.iter_mut().for_each(tidy),
        toml::Value::Table(table) => table.iter_mut().for_each(|(_, value)| tidy(value)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OAK: &str = "version = 1\n[[tree]]\nspecies = 'oak'\nbodies = 500\n";

    #[test]
    fn values_are_set_found_and_removed_by_path() {
        let mut project = Project::parse(OAK, "oak.toml").unwrap();
        let before = project.clone();
        assert_eq!(
            project.get("tree.0.bodies"),
            Some(&toml::Value::Integer(500))
        );
        project.set("tree.0.params.wood.density", 0.1_f32);
        assert!(
            project.to_toml().contains("density = 0.1\n"),
            "{}",
            project.to_toml()
        );
        project.set("wind.speed", 6.5_f32);
        assert_eq!(project.scene().unwrap().file.wind.unwrap().speed, 6.5);
        project.remove("wind");
        project.remove("tree.0.params");
        project.remove("tree.0.nothing.of.this");
        assert_eq!(project, before);
    }

    #[test]
    fn what_is_no_scene_is_refused_with_its_line() {
        let error = Project::parse("version = 1\nwnd = 3\n", "x.toml").unwrap_err();
        assert!(
            error.to_string().starts_with("x.toml:2: unknown key `wnd`"),
            "{error}"
        );
    }
}
