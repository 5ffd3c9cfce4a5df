//! How RFC 8785 differs from JSON as it is usually written: the members of an object are in the
//! order of their names, and numbers are written as ECMAScript does.

use std::cell::RefCell;
use std::io::{self, Write};

use serde_json::ser::Formatter;

/// What has been written so far. Who writes and who puts in order both hold it.
pub(super) type Text = RefCell<Vec<u8>>;

/// Writes to the end of a text.
pub(super) struct Pen<'t>(pub(super) &'t Text);

impl Write for Pen<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_all(bytes)?;
        Ok(bytes.len())
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Puts what a [`Pen`] writes into canonical order.
pub(super) struct Order<'t> {
    text: &'t Text,
    /// Those that have not ended, the innermost last.
    objects: Vec<Object>,
}

/// An object whose members stand in the text one behind the other, without marks between them.
struct Object {
    start: usize,
    members: Vec<Member>,
}

/// Where a member stands: its name from `name` to `value`, then its value to `end`.
struct Member {
    name: usize,
    value: usize,
    end: usize,
}

impl<'t> Order<'t> {
    pub(super) fn new(text: &'t Text) -> Order<'t> {
        Order {
            text,
            objects: Vec::new(),
        }
    }

    fn member(&mut self) -> io::Result<&mut Member> {
        let object = self.objects.last_mut();
        object
            .and_then(|object| object.members.last_mut())
            .ok_or_else(|| wrong("a value stands outside of an object"))
    }
}

impl Object {
    /// The object as it is to be; `written` is what stands behind its start.
    fn in_order(&self, written: &[u8]) -> io::Result<Vec<u8>> {
        let part = |from: usize, to: usize| &written[from - self.start..to - self.start];
        let mut members = Vec::with_capacity(self.members.len());
        for Member { name, value, end } in &self.members {
            let (quoted, value) = (part(*name, *value), part(*value, *end));
            let name: String = serde_json::from_slice(quoted)?;
            members.push((name, quoted, value));
        }
        // By UTF-16 code units, as the standard says: not quite the order of UTF-8.
        members.sort_by(|(one, ..), (other, ..)| one.encode_utf16().cmp(other.encode_utf16()));
        if members.windows(2).any(|pair| pair[0].0 == pair[1].0) {
            return Err(wrong("an object has two members of one name"));
        }
        let mut text = Vec::with_capacity(written.len() + 2 * members.len() + 2);
        text.push(b'{');
        for (place, (_, name, value)) in members.into_iter().enumerate() {
            if place > 0 {
                text.push(b',');
            }
            text.extend_from_slice(name);
            text.push(b':');
            text.extend_from_slice(value);
        }
        text.push(b'}');
        Ok(text)
    }
}

impl Formatter for Order<'_> {
    fn write_f32<W: ?Sized + Write>(&mut self, writer: &mut W, value: f32) -> io::Result<()> {
        self.write_f64(writer, value.into())
    }

    fn write_f64<W: ?Sized + Write>(&mut self, writer: &mut W, value: f64) -> io::Result<()> {
        let mut digits = ryu_js::Buffer::new();
        writer.write_all(digits.format(value).as_bytes())
    }

    fn write_number_str<W: ?Sized + Write>(
        &mut self,
        _writer: &mut W,
        _value: &str,
    ) -> io::Result<()> {
        Err(wrong(
            "a number that is text already may be in another form",
        ))
    }

    fn write_raw_fragment<W: ?Sized + Write>(
        &mut self,
        _writer: &mut W,
        _fragment: &str,
    ) -> io::Result<()> {
        Err(wrong("JSON that is text already may be in another form"))
    }

    fn begin_object<W: ?Sized + Write>(&mut self, _writer: &mut W) -> io::Result<()> {
        self.objects.push(Object {
            start: self.text.borrow().len(),
            members: Vec::new(),
        });
        Ok(())
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, _: &mut W, _: bool) -> io::Result<()> {
        let here = self.text.borrow().len();
        if let Some(object) = self.objects.last_mut() {
            object.members.push(Member {
                name: here,
                value: here,
                end: here,
            });
        }
        Ok(())
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, _writer: &mut W) -> io::Result<()> {
        self.member()?.value = self.text.borrow().len();
        Ok(())
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, _writer: &mut W) -> io::Result<()> {
        self.member()?.end = self.text.borrow().len();
        Ok(())
    }

    fn end_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        let ended = self.objects.pop();
        let object = ended.ok_or_else(|| wrong("an object ends that has not begun"))?;
        let written = self.text.borrow_mut().split_off(object.start);
        writer.write_all(&object.in_order(&written)?)
    }
}

fn wrong(what: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}
