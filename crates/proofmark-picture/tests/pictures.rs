//! Pictures are read back: an SVG is XML with every name in it, a PNG has the colours and ink.
#![expect(
    clippy::unwrap_used,
    reason = "a test that meets the unexpected should stop there"
)]

use proofmark_picture::{
    Bar, Bars, Format, HeatCell, HeatMap, LevelLine, Mark, PictureError, Span, Theme, Timeline,
    bars, heat_maps, on_scale, timelines,
};

fn map() -> HeatMap {
    let cell = |value: f64| {
        Some(HeatCell {
            value,
            text: format!("{:+.0}", (value - 1.0) * 100.0),
        })
    };
    let row = |row: u32| {
        (0..16)
            .map(|column| {
                if (row, column) == (2, 5) {
                    None
                } else {
                    cell(1.0 + f64::from((row * 16 + column) % 32) / 100.0)
                }
            })
            .collect()
    };
    HeatMap {
        title: "countdown <f> & others".into(),
        about: "time at each address ÷ as shipped".into(),
        columns: (0..16).map(|column| format!("{column:x}")).collect(),
        rows: (0..8).map(|row| format!("0x4011{row:x}0")).collect(),
        cells: (0..8).map(row).collect(),
        scale: "time ÷ as shipped".into(),
        marked: vec![(0, 3)],
    }
}

fn text_of(svg: &[u8]) -> String {
    let mut reader = quick_xml::Reader::from_reader(std::io::BufReader::new(svg));
    let mut text = String::new();
    let mut buffer = Vec::new();
    loop {
        match reader.read_event_into(&mut buffer).unwrap() {
            quick_xml::events::Event::Eof => return text,
            quick_xml::events::Event::Text(part) => {
                text.push_str(&part);
                text.push('\n');
            }
            _ => {}
        }
        buffer.clear();
    }
}

#[test]
fn an_svg_holds_every_name_and_every_value() {
    let svg = heat_maps(&[map()], Format::Svg, Theme::Light).unwrap();
    let text = text_of(&svg);
    for row in 0..8 {
        assert!(text.contains(&format!("0x4011{row:x}0")), "{text}");
    }
    let values = text.lines().filter(|line| line.trim().starts_with('+'));
    assert_eq!(values.count(), 127, "{text}");
    assert!(text.contains("countdown"));
}

#[test]
fn control_characters_of_names_are_in_no_svg() {
    let mut hostile = map();
    hostile.title = "f\u{1b}[2J\u{1b}[1m\u{9b}\u{202e}\u{ffff}\r".into();
    hostile.rows[0] = "\u{0}row".into();
    let svg = heat_maps(&[hostile], Format::Svg, Theme::Light).unwrap();
    let text = String::from_utf8(svg).unwrap();
    let strange = |one: char| one.is_control() && one != '\n';
    assert!(!text.contains(strange), "{text}");
    assert!(!text.contains(['\u{202e}', '\u{ffff}']), "{text}");
    assert!(text.contains("f\u{fffd}[2J\u{fffd}[1m\u{fffd}"), "{text}");
}

/// The pixels of a PNG, by rows of red, green and blue.
fn pixels(data: &[u8]) -> (u32, Vec<u8>) {
    let mut reader = png::Decoder::new(std::io::Cursor::new(data))
        .read_info()
        .unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    (info.width, pixels)
}

#[test]
fn a_png_has_the_colours_of_the_scale_and_ink_for_the_names() {
    for theme in [Theme::Light, Theme::Dark] {
        let (_, pixels) = pixels(&heat_maps(&[map()], Format::Png, theme).unwrap());
        let count = |colour: [u8; 3]| pixels.chunks_exact(3).filter(|one| *one == colour).count();
        for place in [0.0, 1.0] {
            let colour = on_scale(place);
            assert!(
                count([colour.0, colour.1, colour.2]) > 2000,
                "{theme:?} {place}"
            );
        }
        // Letters have edges of many greys.
        let greys: std::collections::BTreeSet<u8> = pixels
            .chunks_exact(3)
            .filter(|one| one[0].abs_diff(one[1]) < 8 && one[1].abs_diff(one[2]) < 8)
            .map(|one| one[0])
            .collect();
        assert!(greys.len() > 40, "no text was drawn: {} greys", greys.len());
    }
}

#[test]
fn nothing_is_no_picture_and_one_value_is_one() {
    assert!(matches!(
        heat_maps(&[], Format::Svg, Theme::Light),
        Err(PictureError::Empty)
    ));
    let mut bare = map();
    bare.cells = vec![vec![None; 16]; 8];
    assert!(matches!(
        heat_maps(&[bare], Format::Png, Theme::Light),
        Err(PictureError::Empty)
    ));
    let mut flat = map();
    for cell in flat.cells.iter_mut().flatten().flatten() {
        cell.value = 1.0;
    }
    heat_maps(&[flat], Format::Png, Theme::Dark).unwrap();
}

#[test]
fn a_timeline_has_its_values_its_levels_and_its_marks() {
    let line = Timeline {
        title: "call of f".into(),
        about: "recorded elsewhere".into(),
        unit: "ms".into(),
        values: (0..40)
            .map(|at| if at < 25 { 17.0 } else { 29.0 })
            .map(Some)
            .collect(),
        names: (0..40).map(|at| format!("c{at}")).collect(),
        levels: vec![
            LevelLine {
                at: 0..25,
                value: 17.0,
            },
            LevelLine {
                at: 25..40,
                value: 29.0,
            },
        ],
        marks: vec![Mark {
            at: 25,
            text: "c25 +71 %".into(),
        }],
        ..Timeline::default()
    };
    let svg = timelines(std::slice::from_ref(&line), Format::Svg, Theme::Light).unwrap();
    let text = text_of(&svg);
    for part in ["call of f", "recorded elsewhere", "ms", "c25 +71 %"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let svg = String::from_utf8(svg).unwrap();
    assert_eq!(svg.matches("<circle").count(), 40);
    let png = timelines(std::slice::from_ref(&line), Format::Png, Theme::Dark).unwrap();
    assert_eq!(&png[1..4], b"PNG");
    let empty = Timeline {
        values: vec![Some(f64::NAN), None],
        ..line.clone()
    };
    let refused = timelines(&[empty], Format::Svg, Theme::Light);
    assert!(matches!(refused, Err(PictureError::Empty)));
    assert!(matches!(
        timelines(&[], Format::Svg, Theme::Light),
        Err(PictureError::Empty)
    ));
    // Where nobody measured there is nothing, where it was tried in vain there is a cross.
    let few = Timeline {
        values: vec![Some(1.0), None, None, Some(2.0)],
        names: ["a", "b", "c", "d"].map(str::to_owned).to_vec(),
        spans: vec![Span {
            at: 3,
            low: 1.5,
            high: 2.5,
        }],
        lacking: vec![1],
        levels: Vec::new(),
        marks: Vec::new(),
        ..line
    };
    let plain = Timeline {
        spans: Vec::new(),
        lacking: Vec::new(),
        ..few.clone()
    };
    let svg = |line: &Timeline| {
        let svg = timelines(std::slice::from_ref(line), Format::Svg, Theme::Light).unwrap();
        String::from_utf8(svg).unwrap()
    };
    let (few, plain) = (svg(&few), svg(&plain));
    assert_eq!(few.matches("<circle").count(), 2, "{few}");
    let strokes = |svg: &str| svg.matches("<line").count() + svg.matches("<polyline").count();
    assert!(strokes(&few) > strokes(&plain), "{few}");
    for name in ["a", "b", "c", "d"] {
        let text = text_of(few.as_bytes());
        assert_eq!(
            text.split_whitespace().filter(|word| *word == name).count(),
            1,
            "{text}"
        );
    }
}

fn shares() -> Bars {
    let bar = |name: &str, share: f64, stands_out| Bar {
        name: name.into(),
        share: [share - 0.05, share, share + 0.1],
        beside: Some(share + 0.05),
        stands_out,
        text: format!("{:.0} %", share * 100.0),
    };
    Bars {
        title: "Whose place <matters>".into(),
        about: "each with its interval".into(),
        axis: "share".into(),
        bars: vec![
            bar("work", 0.7, true),
            bar("a_name_of_more_letters_than_there_is_room_for", 0.1, false),
        ],
    }
}

#[test]
fn bars_have_their_names_and_values_and_stand_where_their_shares_are() {
    let text = text_of(&bars(&shares(), Format::Svg, Theme::Light).unwrap());
    for word in [
        "Whose place",
        "work",
        "70 %",
        "100 %",
        "a_name_of_more_letters_than_t…",
    ] {
        assert!(text.contains(word), "{word}: {text}");
    }
    for theme in [Theme::Light, Theme::Dark] {
        let png = bars(&shares(), Format::Png, theme).unwrap();
        assert_eq!(&png[1..4], b"PNG");
    }
    let none = Bars {
        bars: Vec::new(),
        ..shares()
    };
    assert!(matches!(
        bars(&none, Format::Svg, Theme::Light),
        Err(PictureError::Empty)
    ));
}
