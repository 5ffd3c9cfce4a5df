//! Whether every number of a value is a double: what JSON can say of numbers without changing them.

use std::fmt::Display;

use serde::Serialize;
use serde::ser::{
    Error, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant, Serializer,
};

/// The largest integer up to which every integer is a double: 2⁵³ − 1.
pub(crate) const LARGEST: u64 = (1 << 53) - 1;

/// Writes nothing, and refuses numbers that would become something else: integers that would be
/// rounded, and what is infinite or no number, which `serde_json` writes as `null`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OnlyDoubles;

type Checked = Result<(), serde_json::Error>;

fn exact(held: bool) -> Checked {
    if held {
        return Ok(());
    }
    Err(refused(
        "an integer beyond 2^53 - 1 has no canonical form in JSON",
    ))
}

fn refused(why: impl Display) -> serde_json::Error {
    serde_json::Error::custom(why)
}

/// What is none of these numbers passes.
macro_rules! pass {
    ($($name:ident: $type:ty),+ $(,)?) => {
        $(fn $name(self, _: $type) -> Checked { Ok(()) })+
    };
}

impl Serializer for OnlyDoubles {
    type Ok = ();
    type Error = serde_json::Error;
    type SerializeSeq = Self;
    type SerializeTuple = Self;
    type SerializeTupleStruct = Self;
    type SerializeTupleVariant = Self;
    type SerializeMap = Self;
    type SerializeStruct = Self;
    type SerializeStructVariant = Self;

    pass! {
        serialize_bool: bool,
        serialize_i8: i8,
        serialize_i16: i16,
        serialize_i32: i32,
        serialize_u8: u8,
        serialize_u16: u16,
        serialize_u32: u32,
        serialize_char: char,
        serialize_str: &str,
        serialize_bytes: &[u8],
        serialize_unit_struct: &'static str,
    }

    fn serialize_i64(self, value: i64) -> Checked {
        exact(value.unsigned_abs() <= LARGEST)
    }

    fn serialize_u64(self, value: u64) -> Checked {
        exact(value <= LARGEST)
    }

    fn serialize_i128(self, value: i128) -> Checked {
        exact(value.unsigned_abs() <= u128::from(LARGEST))
    }

    fn serialize_u128(self, value: u128) -> Checked {
        exact(value <= u128::from(LARGEST))
    }

    fn serialize_f32(self, value: f32) -> Checked {
        self.serialize_f64(value.into())
    }

    fn serialize_f64(self, value: f64) -> Checked {
        if value.is_finite() {
            return Ok(());
        }
        Err(refused(format_args!("{value} has no form in JSON")))
    }

    fn serialize_none(self) -> Checked {
        Ok(())
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Checked {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Checked {
        Ok(())
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, _: &'static str) -> Checked {
        Ok(())
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Checked {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        value: &T,
    ) -> Checked {
        value.serialize(self)
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Self, Self::Error> {
        Ok(self)
    }

    fn serialize_tuple(self, _: usize) -> Result<Self, Self::Error> {
        Ok(self)
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Self, Self::Error> {
        Ok(self)
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self, Self::Error> {
        Ok(self)
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Self, Self::Error> {
        Ok(self)
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Self, Self::Error> {
        Ok(self)
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self, Self::Error> {
        Ok(self)
    }

    fn collect_str<T: Display + ?Sized>(self, _: &T) -> Checked {
        Ok(())
    }
}

/// What holds others passes when each of them does.
macro_rules! each {
    ($($of:ident: $name:ident),+ $(,)?) => {
        $(impl $of for OnlyDoubles {
            type Ok = ();
            type Error = serde_json::Error;

            fn $name<T: Serialize + ?Sized>(&mut self, value: &T) -> Checked {
                value.serialize(*self)
            }

            fn end(self) -> Checked {
                Ok(())
            }
        })+
    };
}

each! {
    SerializeSeq: serialize_element,
    SerializeTuple: serialize_element,
    SerializeTupleStruct: serialize_field,
    SerializeTupleVariant: serialize_field,
}

/// The same where they have names.
macro_rules! each_named {
    ($($of:ident),+ $(,)?) => {
        $(impl $of for OnlyDoubles {
            type Ok = ();
            type Error = serde_json::Error;

            fn serialize_field<T: Serialize + ?Sized>(
                &mut self,
                _: &'static str,
                value: &T,
            ) -> Checked {
                value.serialize(*self)
            }

            fn end(self) -> Checked {
                Ok(())
            }
        })+
    };
}

each_named!(SerializeStruct, SerializeStructVariant);

impl SerializeMap for OnlyDoubles {
    type Ok = ();
    type Error = serde_json::Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Checked {
        // A number is written as text, and rounded before.
        key.serialize(*self)
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Checked {
        value.serialize(*self)
    }

    fn end(self) -> Checked {
        Ok(())
    }
}
