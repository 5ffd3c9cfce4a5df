//! Flame graphs and profiles are read back: an SVG is XML with every name in it, a profile is JSON
//! of the format that Firefox's profiler opens.
#![expect(
    clippy::unwrap_used,
    reason = "a test that meets the unexpected should stop there"
)]

use std::time::Duration;

use proofmark_picture::{
    Flames, PictureError, Samples, Stack, TimedStack, flame_difference, flame_graph, gone, profile,
};

fn stack(frames: &[&str], weight: u64) -> Stack {
    Stack {
        frames: frames.iter().map(ToString::to_string).collect(),
        weight,
    }
}

fn flames(stacks: &[Stack]) -> Flames<'_> {
    Flames {
        title: "a <title> & more",
        about: "of a program",
        unit: "samples",
        stacks,
    }
}

/// The titles of the boxes, which a browser shows and searches.
fn boxes(svg: &[u8]) -> Vec<String> {
    let mut reader = quick_xml::Reader::from_reader(std::io::BufReader::new(svg));
    let (mut titles, mut buffer, mut inside) = (Vec::new(), Vec::new(), false);
    loop {
        match reader.read_event_into(&mut buffer).unwrap() {
            quick_xml::events::Event::Eof => return titles,
            quick_xml::events::Event::Start(tag) => {
                inside = tag.name().as_ref() == "title";
                if inside {
                    titles.push(String::new());
                }
            }
            quick_xml::events::Event::End(_) => inside = false,
            quick_xml::events::Event::Text(part) if inside => {
                if let Some(title) = titles.last_mut() {
                    title.push_str(&part);
                }
            }
            quick_xml::events::Event::GeneralRef(part) if inside => {
                if let Some(title) = titles.last_mut() {
                    title.push_str(&format!("&{};", &*part));
                }
            }
            _ => {}
        }
        buffer.clear();
    }
}

#[test]
fn control_characters_of_names_are_in_no_flame_graph() {
    let stacks = [stack(&["ma\u{1b}[2Jin", "f\u{202e}g"], 30)];
    let hostile = Flames {
        title: "a\u{1b}[2J",
        about: "b\u{0}",
        ..flames(&stacks)
    };
    let svg = String::from_utf8(flame_graph(&hostile).unwrap()).unwrap();
    let strange = |one: char| one.is_control() && !"\n\r\t".contains(one);
    assert!(!svg.contains(strange), "{svg}");
    assert!(!svg.contains('\u{202e}'), "{svg}");
    assert!(svg.contains("ma [2Jin"), "{svg}");
}

#[test]
fn a_flame_graph_has_a_box_for_each_stack_and_can_be_searched() {
    let stacks = [
        stack(&["main", "parse<[u8; 4]>"], 30),
        stack(&["main", "run 7"], 60),
        stack(&["main"], 10),
    ];
    let svg = flame_graph(&flames(&stacks)).unwrap();
    let titles = boxes(&svg);
    for (name, expected) in [
        ("main (", "(100 samples, 100.00%)"),
        ("parse&lt;[u8: 4]&gt; (", "(30 samples, 30.00%)"),
        ("run\u{a0}7 (", "(60 samples, 60.00%)"),
    ] {
        let title = titles.iter().find(|title| title.starts_with(name)).unwrap();
        assert!(title.ends_with(expected), "{title}");
    }
    let text = String::from_utf8(svg.clone()).unwrap();
    assert!(text.contains("id=\"search\"") && text.contains("a &lt;title&gt; &amp; more"));
    assert_eq!(
        flame_graph(&flames(&stacks)).unwrap(),
        svg,
        "the same each time"
    );
    assert!(matches!(
        flame_graph(&flames(&[])),
        Err(PictureError::Empty)
    ));
    let nothing = [stack(&["main"], 0)];
    assert!(matches!(
        flame_graph(&flames(&nothing)),
        Err(PictureError::Empty)
    ));
}

#[test]
fn a_difference_says_of_each_box_how_much_it_grew() {
    let base = [
        stack(&["main", "parse"], 50),
        stack(&["main", "old"], 30),
        stack(&["main", "same"], 20),
    ];
    let new = [stack(&["main", "parse"], 80), stack(&["main", "same"], 20)];
    let titles = boxes(&flame_difference(&base, &flames(&new)).unwrap());
    let of = |name: &str| titles.iter().find(|title| title.starts_with(name)).unwrap();
    // Parts of all that the new build weighs.
    assert!(
        of("parse ").ends_with("(80 samples, 80.00%; +30.00%)"),
        "{}",
        of("parse ")
    );
    assert!(
        of("same ").ends_with("(20 samples, 20.00%; 0.00%)"),
        "{}",
        of("same ")
    );
    assert!((gone(&base, &new) - 0.3).abs() < 1e-12);
    assert!(gone(&[], &new).abs() < 1e-12);
    let empty = flame_difference(&base, &flames(&[]));
    assert!(matches!(empty, Err(PictureError::Empty)));
}

#[test]
fn a_profile_has_a_process_for_each_build_and_every_sample() {
    let sample = |at: u64, frames: &[&str]| TimedStack {
        at: Duration::from_micros(at),
        frames: frames.iter().map(ToString::to_string).collect(),
    };
    let builds = [
        Samples {
            name: "base".into(),
            samples: vec![sample(0, &["main", "f"]), sample(200, &["main", "f"])],
        },
        Samples {
            name: "new".into(),
            samples: vec![
                sample(0, &["main"]),
                sample(100, &["main", "g"]),
                sample(300, &[]),
            ],
        },
    ];
    let every = Duration::from_micros(200);
    let json = profile("a title", &builds, every).unwrap();
    let value: serde_json::Value = serde_json::from_slice(&json).unwrap();
    assert_eq!(value["meta"]["product"], "a title");
    assert_eq!(value["meta"]["interval"], 0.2);
    let threads = value["threads"].as_array().unwrap();
    let told: Vec<(&str, u64, u64)> = threads
        .iter()
        .map(|thread| {
            let name = thread["processName"].as_str().unwrap();
            let count = |table: &str| thread[table]["length"].as_u64().unwrap();
            (name, count("samples"), count("stackTable"))
        })
        .collect();
    assert_eq!(told, [("base", 2, 2), ("new", 3, 2)]);
    let text = String::from_utf8(json.clone()).unwrap();
    assert!(
        ["\"main\"", "\"f\"", "\"g\""]
            .iter()
            .all(|name| text.contains(name))
    );
    assert_eq!(
        profile("a title", &builds, every).unwrap(),
        json,
        "the same each time"
    );
    assert!(matches!(profile("t", &[], every), Err(PictureError::Empty)));
}
