//! The table of operations as Python objects. The documentation and the tests use it.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use recto_interface::{FieldKind, Need, OperationKind};

/// Return the table of operations: name, type, accepted extensions and options of each.
#[pyfunction]
pub fn operations(py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
    let rows = PyList::empty(py);
    for kind in OperationKind::ALL {
        let row = PyDict::new(py);
        row.set_item("name", kind.name())?;
        row.set_item("operation_type", kind.wire_name())?;
        row.set_item("accepts", kind.accepts().to_vec())?;
        row.set_item("about", kind.about())?;
        let options = PyList::empty(py);
        for field in kind.fields() {
            let option = PyDict::new(py);
            option.set_item("path", field.path)?;
            option.set_item("required", field.need == Need::Required)?;
            let choices = match field.kind {
                FieldKind::Choice(set) => Some(set.texts.to_vec()),
                _ => None,
            };
            option.set_item("choices", choices)?;
            option.set_item("about", field.about)?;
            options.append(option)?;
        }
        row.set_item("options", options)?;
        rows.append(row)?;
    }
    Ok(rows)
}
