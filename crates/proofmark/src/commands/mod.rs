//! The commands, one to a file: each turns its arguments into a plan, has it carried out, and shows
//! the result.

pub(crate) mod attribute;
pub(crate) mod bisect;
pub(crate) mod builds;
pub(crate) mod bundle;
pub(crate) mod capture;
mod comment;
pub(crate) mod compare;
pub(crate) mod confirm;
pub(crate) mod demo;
pub(crate) mod diff;
pub(crate) mod doctor;
mod equal;
pub(crate) mod expect;
pub(crate) mod explain;
mod gates;
pub(crate) mod gc;
pub(crate) mod history;
pub(crate) mod inspect;
pub(crate) mod labels;
pub(crate) mod ledger;
pub(crate) mod matrix;
mod named;
pub(crate) mod null;
pub(crate) mod pin;
mod project;
pub(crate) mod replay;
pub(crate) mod report;
mod revisions;
mod sign;
mod subject;
pub(crate) mod sweep;
pub(crate) mod toolchains;
mod trees;
pub(crate) mod tune;
mod unread;
pub(crate) mod verify;
