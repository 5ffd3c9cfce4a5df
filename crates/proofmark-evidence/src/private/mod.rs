//! The private part of a record: what names a person or a place. It is an object of its own, to
//! which the public record refers by a commitment, so that the record can be given away without it
//! and keeps its name.
//!
//! Every field of a record says beside its type, in [`parts!`], which it is:
//!
//! | word | the field |
//! | --- | --- |
//! | `open` | is public: a number, a digest, a word of proofmark's own |
//! | `mixed` | is public but for what it says of persons and places |
//! | `source` | is a part of sources: public, and private as a whole where it names a person or a machine |
//! | `whole` | is private, whatever it says |
//! | `inner` | has fields of its own |

mod names;
mod part;
mod terms;

use proofmark_terms::OsText;

pub use names::{is_left_out, names_here};
pub(crate) use part::{Here, Part, TakenOut, checked, put_back};
pub use part::{Privacy, PrivateParts};

/// What has fields that may be private.
pub(crate) trait Parts {
    /// Hands each of them over, always in the same order.
    fn each(&mut self, hand: &mut Hand<'_>);
}

/// Takes a field that may be private.
pub(crate) type Hand<'h> = dyn FnMut(Class, &mut dyn Text) + 'h;

/// How much of a field is private.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    /// What it says of persons and places.
    Mixed,
    /// All of it where it names a person or a machine; a slash is no path in it.
    Source,
    /// All of it.
    Whole,
}

/// A text in a record.
pub(crate) trait Text {
    /// What it says.
    fn get(&self) -> OsText;

    /// Has it say something else; false where it cannot.
    fn set(&mut self, text: OsText) -> bool;
}

impl Text for String {
    fn get(&self) -> OsText {
        self.as_str().into()
    }

    fn set(&mut self, text: OsText) -> bool {
        let text = text.into_os_string().into_string();
        text.map(|text| *self = text).is_ok()
    }
}

impl Text for OsText {
    fn get(&self) -> OsText {
        self.clone()
    }

    fn set(&mut self, text: OsText) -> bool {
        *self = text;
        true
    }
}

/// What holds texts of one class.
pub(crate) trait Texts {
    /// Hands each of them over.
    fn texts(&mut self, class: Class, hand: &mut Hand<'_>);
}

impl Texts for String {
    fn texts(&mut self, class: Class, hand: &mut Hand<'_>) {
        hand(class, self);
    }
}

impl Texts for OsText {
    fn texts(&mut self, class: Class, hand: &mut Hand<'_>) {
        hand(class, self);
    }
}

/// A variable: its name is never private as a whole.
impl Texts for (OsText, OsText) {
    fn texts(&mut self, class: Class, hand: &mut Hand<'_>) {
        hand(Class::Mixed, &mut self.0);
        hand(class, &mut self.1);
    }
}

impl<T: Texts> Texts for Vec<T> {
    fn texts(&mut self, class: Class, hand: &mut Hand<'_>) {
        self.iter_mut().for_each(|one| one.texts(class, hand));
    }
}

impl<T: Texts, const N: usize> Texts for [T; N] {
    fn texts(&mut self, class: Class, hand: &mut Hand<'_>) {
        self.iter_mut().for_each(|one| one.texts(class, hand));
    }
}

impl<T: Texts> Texts for Option<T> {
    fn texts(&mut self, class: Class, hand: &mut Hand<'_>) {
        self.iter_mut().for_each(|one| one.texts(class, hand));
    }
}

impl<T: Parts> Parts for Vec<T> {
    fn each(&mut self, hand: &mut Hand<'_>) {
        self.iter_mut().for_each(|one| one.each(hand));
    }
}

impl<T: Parts> Parts for Option<T> {
    fn each(&mut self, hand: &mut Hand<'_>) {
        self.iter_mut().for_each(|one| one.each(hand));
    }
}

impl<T: Parts, const N: usize> Parts for [T; N] {
    fn each(&mut self, hand: &mut Hand<'_>) {
        self.iter_mut().for_each(|one| one.each(hand));
    }
}

impl<T: Parts> Parts for Box<T> {
    fn each(&mut self, hand: &mut Hand<'_>) {
        self.as_mut().each(hand);
    }
}

/// Says of each field of a type what it is. A field that is not named here does not compile.
macro_rules! parts {
    (enum $name:ident {
        $($variant:ident $(($inner:ident))? $({ $($field:ident: $class:ident),+ $(,)? })?),+ $(,)?
    }) => {
        impl $crate::private::Parts for $name {
            fn each(&mut self, hand: &mut $crate::private::Hand<'_>) {
                let _ = &hand;
                match self {
                    $($name::$variant $(($inner))? $({ $($field),+ })? => {
                        $($crate::private::parts!(@ inner $inner hand);)?
                        $($($crate::private::parts!(@ $class $field hand);)+)?
                    })+
                }
            }
        }
    };
    ($name:ident { $($field:ident: $class:ident),+ $(,)? }) => {
        impl $crate::private::Parts for $name {
            fn each(&mut self, hand: &mut $crate::private::Hand<'_>) {
                let _ = &hand;
                let $name { $($field),+ } = self;
                $($crate::private::parts!(@ $class $field hand);)+
            }
        }
    };
    (@ open $field:ident $hand:ident) => { let _ = $field; };
    (@ inner $field:ident $hand:ident) => { $crate::private::Parts::each($field, $hand) };
    (@ mixed $field:ident $hand:ident) => {
        $crate::private::Texts::texts($field, $crate::private::Class::Mixed, $hand)
    };
    (@ source $field:ident $hand:ident) => {
        $crate::private::Texts::texts($field, $crate::private::Class::Source, $hand)
    };
    (@ whole $field:ident $hand:ident) => {
        $crate::private::Texts::texts($field, $crate::private::Class::Whole, $hand)
    };
}

pub(crate) use parts;
