//! Converts options into JSON, and JSON from the service into Python objects.

use crate::errors;
use crate::spelling::{Spelling, camel_case};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyList, PyMapping, PyString, PyTuple};
use recto_interface::{FieldKind, OperationKind};
use serde_json::{Map, Number, Value};

/// How deep options may be nested. The options of the interface are nested two levels deep.
const DEPTH: usize = 8;

/// Converts options into JSON, with the names in the interface's case. Leaves out options that are `None`. Also
/// returns the case that the caller used.
pub fn options(
    py: Python<'_>,
    kind: OperationKind,
    options: Option<&Bound<'_, PyMapping>>,
) -> PyResult<(Value, Spelling)> {
    let mut reading = Reading { py, kind, spelling: Spelling::Python };
    let options = match options {
        Some(options) => reading.object(options.items()?.iter().map(|item| item.extract()), "", DEPTH)?,
        None => Value::Null,
    };
    Ok((options, reading.spelling))
}

struct Reading<'py> {
    py: Python<'py>,
    kind: OperationKind,
    spelling: Spelling,
}

impl<'py> Reading<'py> {
    fn object(
        &mut self,
        items: impl Iterator<Item = PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)>>,
        path: &str,
        depth: usize,
    ) -> PyResult<Value> {
        let mut object = Map::new();
        for item in items {
            let (name, value) = item?;
            let name: String = name.extract()?;
            if name.contains(|letter: char| letter.is_ascii_uppercase()) {
                self.spelling = Spelling::Interface;
            }
            if !value.is_none() {
                let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                object.insert(camel_case(&name), self.json(&value, &path, depth)?);
            }
        }
        Ok(Value::Object(object))
    }

    fn json(&mut self, value: &Bound<'py, PyAny>, path: &str, depth: usize) -> PyResult<Value> {
        let py = self.py;
        let refuse = |what: &str| Err(errors::invalid(py, "start", &format!("option {path}: {what}")));
        let Some(depth) = depth.checked_sub(1) else { return refuse("it is nested too deeply") };
        if let Ok(text) = value.cast::<PyString>() {
            return match text.to_str() {
                Ok(text) => Ok(Value::String(text.to_owned())),
                Err(_) => refuse("it contains characters that are not valid Unicode"),
            };
        }
        if let Ok(truth) = value.cast::<PyBool>() {
            return Ok(Value::Bool(truth.is_true()));
        }
        // The classes in `recto.options` list their fields in `__slots__`.
        if let Ok(slots) = value.getattr("__slots__").and_then(|slots| Ok(slots.cast_into::<PyTuple>()?)) {
            return self.object(
                slots.iter().map(|name| Ok((name.clone(), value.getattr(name.cast::<PyString>()?)?))),
                path,
                depth,
            );
        }
        if let Ok(tuple) = value.cast::<PyTuple>() {
            let Some(names) = self.names_of_pair(path).filter(|names| names.len() == tuple.len()) else {
                let parts = errors::parts_by_name(self.kind, &camel_case(path), self.spelling);
                let advice = parts.map_or_else(String::new, |parts| format!("; give {parts}"));
                return refuse(&format!("a tuple is not a valid value{advice}"));
            };
            let names = names.into_iter().map(|name| PyString::new(py, name).into_any());
            return self.object(names.zip(tuple.iter()).map(Ok), path, depth);
        }
        if let Ok(mapping) = value.cast::<PyMapping>() {
            let items = mapping.items()?;
            return self.object(items.iter().map(|item| item.extract()), path, depth);
        }
        if let Ok(list) = value.cast::<PyList>() {
            let items: PyResult<Vec<Value>> = list.iter().map(|item| self.json(&item, path, depth)).collect();
            return Ok(Value::Array(items?));
        }
        if !value.is_instance_of::<PyFloat>() {
            if let Ok(number) = value.extract::<i64>() {
                return Ok(number.into());
            }
            if let Ok(number) = value.extract::<u64>() {
                return Ok(number.into());
            }
        }
        match value.extract::<f64>() {
            Ok(number) => match Number::from_f64(number) {
                Some(number) => Ok(Value::Number(number)),
                None => refuse(&format!("{number} is not a finite number")),
            },
            Err(_) => refuse(&format!("a value of type {} is not valid", value.get_type().name()?)),
        }
    }
}

impl Reading<'_> {
    /// The names of the fields, if the option consists of two whole numbers: only such an option may be given as a
    /// tuple.
    fn names_of_pair(&self, path: &str) -> Option<Vec<&'static str>> {
        let option = camel_case(path);
        let parts: Vec<_> = self
            .kind
            .fields()
            .iter()
            .filter_map(|field| Some((field, field.path.split_once('.')?)))
            .filter(|(_, (parent, _))| *parent == option)
            .collect();
        let is_pair = parts.len() == 2
            && parts.iter().all(|(field, _)| matches!(field.kind, FieldKind::Integer { .. }));
        is_pair.then(|| parts.into_iter().map(|(_, (_, name))| name).collect())
    }
}

/// Converts JSON into Python objects: dict, list, str, int, float, bool, None.
pub fn python<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        Value::Null => py.None().into_bound(py),
        Value::Bool(truth) => PyBool::new(py, *truth).to_owned().into_any(),
        Value::Number(number) => match (number.as_i64(), number.as_u64()) {
            (Some(number), _) => number.into_pyobject(py)?.into_any(),
            (None, Some(number)) => number.into_pyobject(py)?.into_any(),
            (None, None) => number.as_f64().into_pyobject(py)?,
        },
        Value::String(text) => PyString::new(py, text).into_any(),
        Value::Array(items) => {
            let list = PyList::empty(py);
            for item in items {
                list.append(python(py, item)?)?;
            }
            list.into_any()
        }
        Value::Object(fields) => {
            let dict = PyDict::new(py);
            for (name, value) in fields {
                dict.set_item(name, python(py, value)?)?;
            }
            dict.into_any()
        }
    })
}
