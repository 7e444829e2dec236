//! Messages about files people write: the line of a field, the nearest known name, one line for everything.

/// The one of `known` that is written most like `found`.
pub fn nearest<'a>(found: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    known
        .into_iter()
        .min_by_key(|k| strsim::damerau_levenshtein(found, k))
}

/// Line of a byte of the text, from 1.
pub fn line_at(text: &str, byte: usize) -> usize {
    1 + text.bytes().take(byte).filter(|&b| b == b'\n').count()
}

/// Line of the value at a dotted path of a TOML text, or of the nearest table around it that the text has.
pub fn line_of(text: &str, path: &str) -> Option<usize> {
    use toml::de::{DeTable, DeValue};
    let root = DeTable::parse(text).ok()?;
    let mut line = None;
    let mut steps = path.split('.');
    let mut value = root.get_ref().get(steps.next()?);
    while let Some(here) = value {
        line = Some(line_at(text, here.span().start));
        let Some(step) = steps.next() else { break };
        value = match here.get_ref() {
            DeValue::Table(table) => table.get(step),
            DeValue::Array(array) => step.parse().ok().and_then(|i: usize| array.get(i)),
            _ => None,
        };
    }
    line
}

/// A message of serde or a parser on one line; an unknown name with the nearest known one.
pub fn explain(message: &str) -> String {
    let message = message.trim().replace('\n', "; ");
    for (kind, ours) in [
        ("unknown field `", "unknown key"),
        ("unknown variant `", "unknown value"),
    ] {
        if !message.starts_with(kind) {
            continue;
        }
        let mut names = quoted(&message);
        let Some(found) = names.next() else { continue };
        let known: Vec<&str> = names.collect();
        if let Some(near) = nearest(found, known.iter().copied()) {
            let known = known.join(", ");
            return format!("{ours} `{found}`, did you mean `{near}`? Expected one of: {known}");
        }
    }
    message
}

/// The same for a TOML file, with the dotted path of the key whose value is wrong before it.
pub fn explain_with_key(mut error: toml::de::Error) -> String {
    let message = explain(error.message());
    // Without the text beside it, the error names the key on a line of its own.
    error.set_input(None);
    let shown = error.to_string();
    let key = shown.lines().find_map(|line| line.strip_prefix("in `"));
    match key.and_then(|line| line.strip_suffix('`')) {
        Some(key) if !message.starts_with("unknown") => format!("{key}: {message}"),
        _ => message,
    }
}

/// What stands between backquotes; serde quotes names so.
pub fn quoted(message: &str) -> impl Iterator<Item = &str> {
    message.split('`').skip(1).step_by(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_names_come_with_the_nearest() {
        let said = explain("unknown field `dencity`, expected one of `radius`, `density`");
        assert_eq!(
            said,
            "unknown key `dencity`, did you mean `density`? Expected one of: radius, density"
        );
        assert_eq!(explain("a\nb"), "a; b");
    }

    #[test]
    fn lines_are_those_of_the_value_or_the_table_around_it() {
        let text = "version = 1\n[[tree]]\nseed = 1\n[[tree]]\n[tree.cut]\nforks = 'along'\n";
        assert_eq!(line_of(text, "version"), Some(1));
        assert_eq!(line_of(text, "tree.0.seed"), Some(3));
        assert_eq!(line_of(text, "tree.1.cut.forks"), Some(6));
        assert_eq!(line_of(text, "tree.1.cut.segment_length"), Some(5));
        assert_eq!(line_of(text, "wind.speed"), None);
    }
}
