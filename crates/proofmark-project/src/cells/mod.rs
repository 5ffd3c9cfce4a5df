//! The cells of a matrix: the product of what a project writes down, without looking at the
//! machine.

mod axes;
mod cell;
mod named;
mod names;
mod product;
mod select;

pub use cell::{Axes, Cell};
pub use named::{Cells, cell_named};
pub use product::cells;
