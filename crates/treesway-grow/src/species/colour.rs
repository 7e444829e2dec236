//! Colours as species files write them.

use serde::{Deserialize, Serialize};

/// sRGB, a byte a channel; in files `#rrggbb`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Colour(pub [u8; 3]);

impl TryFrom<String> for Colour {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let digits = text.strip_prefix('#').filter(|d| d.len() == 6);
        let digits = digits.filter(|d| d.bytes().all(|b| b.is_ascii_hexdigit()));
        let number = digits.and_then(|d| u32::from_str_radix(d, 16).ok());
        let [_, rgb @ ..] = number
            .ok_or_else(|| format!("is {text:?}; expected a colour such as \"#5a4636\""))?
            .to_be_bytes();
        Ok(Self(rgb))
    }
}

impl From<Colour> for String {
    fn from(colour: Colour) -> Self {
        colour.to_string()
    }
}

impl core::fmt::Display for Colour {
    fn fmt(&self, f: &mut core::fmt::Formatter) -> core::fmt::Result {
        let [r, g, b] = self.0;
        write!(f, "#{r:02x}{g:02x}{b:02x}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_six_digits_are_a_colour() {
        let read = |text: &str| Colour::try_from(text.to_owned());
        assert_eq!(read("#0a7Fff"), Ok(Colour([10, 127, 255])));
        assert_eq!(Colour([10, 127, 255]).to_string(), "#0a7fff");
        for wrong in [
            "", "red", "#fff", "0a7fff", "#0a7ff", "#0a7ffff", "#+a7fff", "#ü7fff",
        ] {
            let said = read(wrong).unwrap_err();
            assert!(
                said.starts_with(&format!("is {wrong:?}; expected")),
                "{said}"
            );
        }
    }
}
