//! `--set key=value`: changes to a scene from the command line.

use super::file::{SceneFile, TreeTable};
use serde::de::DeserializeOwned;
use toml::{Table, Value};
use treesway_grow::text::{nearest, quoted};
use treesway_grow::{Beam, Broadleaf, Fork, Stems};

/// Applies one setting to the tables of a scene; whether the value fits is checked by reading them again.
pub(super) fn apply(scene: &mut Table, setting: &str) -> Result<(), String> {
    let (key, value) = setting
        .split_once('=')
        .filter(|(key, _)| !key.trim().is_empty())
        .ok_or("expected key=value, for example run.seconds=5")?;
    let (key, value) = (key.trim(), value_of(value.trim()));
    let path: Vec<&str> = key.split('.').collect();
    if path.len() > 1 || known_keys::<SceneFile>().iter().any(|k| k == key) {
        let mut root = Value::Table(core::mem::take(scene));
        let done = set_at(&mut root, &path, &value);
        if let Value::Table(root) = root {
            *scene = root;
        }
        return done;
    }
    set_in_trees(scene, key, &value)
}

/// A TOML value, or a string where it is none.
fn value_of(text: &str) -> Value {
    let parsed: Option<Table> = toml::from_str(&format!("value = {text}")).ok();
    parsed
        .and_then(|mut table| table.remove("value"))
        .unwrap_or_else(|| Value::String(text.into()))
}

/// Sets the value at a path below `here`. Missing tables are made; a list is entered by number, or everywhere without one.
fn set_at(here: &mut Value, path: &[&str], value: &Value) -> Result<(), String> {
    let Some((step, rest)) = path.split_first() else {
        *here = value.clone();
        return Ok(());
    };
    match here {
        Value::Table(table) => {
            let next = table
                .entry(*step)
                .or_insert_with(|| Value::Table(Table::new()));
            set_at(next, rest, value)
        }
        Value::Array(list) => {
            let Ok(number) = step.parse::<usize>() else {
                return list
                    .iter_mut()
                    .try_for_each(|entry| set_at(entry, path, value));
            };
            let length = list.len();
            let entry = list.get_mut(number);
            let entry = entry.ok_or_else(|| {
                format!("there is no entry {number}; expected a number below {length}")
            })?;
            set_at(entry, rest, value)
        }
        _ => Err(format!(
            "`{step}` lies within a plain value; expected a shorter key"
        )),
    }
}

/// Sets a bare key in every tree that has it, first among the parameters of what grows there.
fn set_in_trees(scene: &mut Table, key: &str, value: &Value) -> Result<(), String> {
    let mut known = known_keys::<SceneFile>();
    let mut found = false;
    let trees = scene.get_mut("tree").and_then(Value::as_array_mut);
    for tree in trees.into_iter().flatten() {
        let builtin = tree
            .get("builtin")
            .and_then(Value::as_str)
            .unwrap_or("")
            .to_string();
        let of_source = source_keys(&builtin);
        let of_tree = known_keys::<TreeTable>();
        let has = |keys: &[String]| keys.iter().any(|k| k == key);
        if has(&of_source) {
            set_at(tree, &[&builtin, key], value)?;
            found = true;
        } else if has(&of_tree) {
            set_at(tree, &[key], value)?;
            found = true;
        }
        known.extend(of_source.into_iter().chain(of_tree));
    }
    if found {
        return Ok(());
    }
    let near = nearest(key, known.iter().map(String::as_str)).unwrap_or("tree");
    Err(format!(
        "unknown key `{key}`, did you mean `{near}`? Expected a parameter of the trees or a dotted path"
    ))
}

fn source_keys(builtin: &str) -> Vec<String> {
    match builtin {
        "beam" => known_keys::<Beam>(),
        "fork" => known_keys::<Fork>(),
        "broadleaf" => known_keys::<Broadleaf>(),
        "stems" => known_keys::<Stems>(),
        _ => Vec::new(),
    }
}

/// The keys that a table has, as its own error message lists them.
fn known_keys<T: DeserializeOwned>() -> Vec<String> {
    let strange = Table::from_iter([("?".to_string(), Value::Boolean(true))]);
    match T::deserialize(Value::Table(strange)) {
        Ok(_) => Vec::new(),
        Err(error) => quoted(error.message()).skip(1).map(String::from).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_know_their_keys() {
        assert_eq!(
            known_keys::<Beam>(),
            [
                "length",
                "base_radius",
                "tip_radius",
                "direction",
                "segments"
            ]
        );
        assert!(known_keys::<TreeTable>().contains(&"bodies".to_string()));
        assert!(!known_keys::<Broadleaf>().contains(&"bodies".to_string()));
    }

    #[test]
    fn values_are_toml_or_strings() {
        assert_eq!(value_of("3"), Value::Integer(3));
        assert_eq!(value_of("[1, 2]").as_array().map(Vec::len), Some(2));
        assert_eq!(value_of("coupled"), Value::String("coupled".into()));
    }
}
