//! Whatever a grammar says, reading and growing it end soon, within bounded memory, with a plant or with one line.

use proptest::prelude::*;
use std::time::{Duration, Instant};
use treesway_grow::{Growth, Limits, Plant, grammars};

/// Small enough for thousands of cases.
const LIMITS: Limits = Limits {
    letters: 20_000,
    arguments: 20_000,
    work: 200_000,
    nesting: 500,
};

/// Reads and grows; a plant that comes out is one that can be cut.
fn survives(bytes: &[u8], file: &str) -> Result<(), TestCaseError> {
    let started = Instant::now();
    let growth = Growth {
        limits: LIMITS,
        ..Growth::default()
    };
    match Plant::read(bytes, file).and_then(|p| p.grow(&growth)) {
        Err(e) => {
            let said = e.to_string();
            prop_assert!(said.starts_with(file) && !said.contains('\n'), "{said}");
        }
        Ok(grown) => {
            let derived = grown.derived.unwrap();
            prop_assert!(derived.letters <= LIMITS.letters);
            prop_assert!(derived.drawn <= derived.letters);
            let cut = treesway::cut(&grown.skeleton, &grown.cut);
            prop_assert!(cut.is_ok(), "{:?}", cut.err());
        }
    }
    prop_assert!(
        started.elapsed() < Duration::from_secs(20),
        "takes too long"
    );
    Ok(())
}

/// Text with words and signs of the language in any order.
fn near_lsys() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "version = 1\n",
        "axiom = ",
        "depth = ",
        "const a = ",
        "angle = ",
        "tropism = ",
        "elasticity = ",
        "taper = ",
        "title = \"x\"\n",
        "F",
        "A",
        "B(",
        "A(x) ",
        "A(x, y) ",
        "-> ",
        ": ",
        "with ",
        "\n",
        "\n    ",
        "[",
        "]",
        "+",
        "-",
        "&",
        "^",
        "\\",
        "/",
        "|",
        "$",
        "!",
        "'",
        "\"",
        "T",
        "~",
        "@",
        "f",
        "(",
        ")",
        ",",
        ".",
        "1",
        "0",
        "2.5",
        "1e300",
        "-1",
        "x",
        "y",
        "a",
        "random(0, 1)",
        "sqrt(",
        "/ 0",
        "* 9",
        "^ 9",
        "and ",
        "or ",
        "not ",
        "< ",
        ">= ",
        "== ",
        "# no\n",
        "é",
        "1e-300",
    ]);
    prop::collection::vec(word, 0..60).prop_map(|words| format!("version = 1\n{}", words.concat()))
}

/// A grammar that is right, with random productions.
fn random_lsys() -> impl Strategy<Value = String> {
    let letter = prop::sample::select(vec![
        "F",
        "F(x)",
        "f",
        "A(x*0.9)",
        "A(x+1)",
        "B(x)",
        "+(x)",
        "-",
        "&(30)",
        "^",
        "/(137)",
        "\\",
        "$",
        "|",
        "!(x)",
        "'",
        "\"(1.1)",
        "T(x)",
        "~",
        "~(x)",
        "@",
        "[A(x)]",
        "[+B(x/2)F]",
        "[F]",
    ]);
    let successor = prop::collection::vec(letter, 1..8).prop_map(|l| l.concat());
    (successor.clone(), successor.clone(), successor, 0..12_u32, 0.01..3.0_f64).prop_map(|(a, b, c, depth, x)| {
        format!("version = 1\ndepth = {depth}\naxiom = F A({x}) B({x})\nA(x) : x > 0.5 -> {a}\nA(x) -> {b}\nB(x) with x -> {c}\nB(x) with 1 -> F(x)\n")
    })
}

fn near_ls() -> impl Strategy<Value = String> {
    let line = prop::collection::vec(
        prop::sample::select(
            "FfZzgABCX[]{}()+-&^<>|%$~t!?:;'\".c0123456789=@#_ \n"
                .chars()
                .collect::<Vec<char>>(),
        ),
        0..120,
    );
    (0.0..9.0_f64, line).prop_map(|(recursion, rest)| {
        let rest: String = rest.into_iter().collect();
        format!("{recursion:.1}\n30\n20\nF{rest}\nA=F[+A{{f+f}}]~(9)A\n@\n")
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        survives(&bytes, "fuzz.lsys")?;
        survives(&bytes, "fuzz.ls")?;
    }

    #[test]
    fn bytes_behind_a_good_start_are_read(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let mut lsys = b"version = 1\naxiom = F A(1)\nA(x) -> F".to_vec();
        lsys.extend(&bytes);
        survives(&lsys, "fuzz.lsys")?;
        let mut ls = b"3\n20\n10\nFA\nA=F".to_vec();
        ls.extend(&bytes);
        survives(&ls, "fuzz.ls")?;
    }

    #[test]
    fn words_of_the_language_in_any_order_are_read(text in near_lsys()) {
        survives(text.as_bytes(), "fuzz.lsys")?;
    }

    #[test]
    fn right_grammars_grow_or_say_why_not(text in random_lsys()) {
        prop_assert!(Plant::read(text.as_bytes(), "fuzz.lsys").is_ok(), "{text}");
        survives(text.as_bytes(), "fuzz.lsys")?;
    }

    #[test]
    fn letters_of_lparser_in_any_order_are_drawn(text in near_ls()) {
        survives(text.as_bytes(), "fuzz.ls")?;
    }

    #[test]
    fn damaged_grammars_are_read(which in 0..7_usize, cut in 0.0..1.0_f64, at in 0.0..1.0_f64, byte in any::<u8>()) {
        let mut bytes = grammars::all()[which].text.as_bytes().to_vec();
        bytes.truncate((bytes.len() as f64 * cut) as usize + 1);
        let at = (bytes.len() as f64 * at) as usize;
        bytes[at] = byte;
        survives(&bytes, "fuzz.lsys")?;
    }
}
