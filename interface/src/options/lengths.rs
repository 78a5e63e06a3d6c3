//! Lengths as people write them: `"1.5cm"` in place of a number and a unit.

use super::json::InvalidOption;
use crate::field::{Field, FieldKind, Object};
use serde_json::{Map, Number, Value};

/// The units that a length may have, with the unit that is sent and the factor.
const UNITS: &[(&str, &str, f64)] = &[("cm", "cm", 1.0), ("mm", "cm", 10.0), ("in", "in", 1.0)];

/// Replaces lengths with a unit in `json` by a number and a unit.
pub(crate) fn read(fields: &[Field], objects: &[Object], json: &Value) -> Result<Value, InvalidOption> {
    let mut json = json.clone();
    let Some(options) = json.as_object_mut() else { return Ok(json) };
    for object in objects {
        let parts: Vec<_> = fields
            .iter()
            .filter(|field| field.kind == FieldKind::Number)
            .filter_map(|field| field.path.split_once('.'))
            .filter_map(|(parent, part)| (parent == object.option).then_some(part))
            .collect();
        let has_unit = fields.iter().any(|field| {
            field.path.split_once('.').is_some_and(|(parent, part)| parent == object.option && part == "unit")
        });
        if let (true, Some(value)) = (has_unit, options.get_mut(object.option)) {
            match value {
                Value::String(text) => *value = Value::Object(of_text(object.option, &parts, text)?),
                Value::Object(given) => of_parts(object.option, &parts, given)?,
                _ => {}
            }
        }
    }
    Ok(json)
}

/// A whole option as text: `"1.5cm"`, or `"6x2cm"` for an option with a width and a height.
fn of_text(option: &str, parts: &[&str], text: &str) -> Result<Map<String, Value>, InvalidOption> {
    let refuse = |wanted: &str| InvalidOption::new(option, format!("{text:?} is not valid; give {wanted}"));
    let both = text.split_once(['x', '\u{d7}']);
    let (lengths, example) = match (parts, both) {
        ([_], _) => (vec![text], "a number and a unit, such as \"1.5cm\""),
        (["width", "height"], Some((width, height))) => (vec![width, height], "a size such as \"6x2cm\""),
        (["width", "height"], None) => return Err(refuse("a size such as \"6x2cm\"")),
        _ => {
            let names = parts.iter().map(|part| format!("`{part}`")).collect::<Vec<_>>().join(", ");
            return Err(refuse(&format!("the distances by name: {names}, each such as \"2cm\"")));
        }
    };
    let last = lengths.last().copied().unwrap_or_default();
    let (_, unit, factor) = split(last).ok_or_else(|| refuse(example))?;
    let mut object = Map::new();
    for (part, length) in parts.iter().zip(lengths) {
        let number = match split(length) {
            Some((number, its, _)) if its == unit => Some(number),
            Some(_) => None,
            None => length.trim().parse().ok().map(|number: f64| number / factor),
        };
        let number = number.and_then(Number::from_f64).ok_or_else(|| refuse(example))?;
        object.insert((*part).to_owned(), Value::Number(number));
    }
    object.insert("unit".to_owned(), Value::String(unit.to_owned()));
    Ok(object)
}

/// Parts as text: `{"top": "2cm"}`. All parts must have the same unit, which becomes the unit of the option.
fn of_parts(option: &str, parts: &[&str], given: &mut Map<String, Value>) -> Result<(), InvalidOption> {
    let stated = given.get("unit").and_then(Value::as_str).map(str::to_owned);
    let mut unit = stated.clone();
    let mut written = Vec::new();
    for part in parts {
        let Some(Value::String(text)) = given.get(*part) else { continue };
        let path = format!("{option}.{part}");
        let Some((number, its, _)) = split(text) else { continue };
        if *unit.get_or_insert_with(|| its.to_owned()) != its {
            let reason = format!("{text:?} has another unit than the other lengths; give one unit for all");
            return Err(InvalidOption::new(&path, reason));
        }
        let number = Number::from_f64(number)
            .ok_or_else(|| InvalidOption::new(&path, format!("{text:?} is not a finite number")))?;
        written.push(((*part).to_owned(), Value::Number(number)));
    }
    let Some(unit) = unit.filter(|_| !written.is_empty()) else { return Ok(()) };
    let is_mixed = parts.iter().any(|part| given.get(*part).is_some_and(Value::is_number));
    if is_mixed && stated.is_none() {
        let reason = "some lengths have a unit and some have none; give each with its unit, or give `unit`";
        return Err(InvalidOption::new(option, reason));
    }
    given.extend(written);
    given.insert("unit".to_owned(), Value::String(unit));
    Ok(())
}

/// Splits `15mm` into its number in the unit that is sent (1.5), that unit (`cm`), and the factor between the two units
/// (10).
fn split(text: &str) -> Option<(f64, &'static str, f64)> {
    let text = text.trim();
    UNITS.iter().find_map(|(written, sent, factor)| {
        let number: f64 = text.strip_suffix(written)?.trim_end().parse().ok()?;
        number.is_finite().then_some((number / factor, *sent, *factor))
    })
}

#[cfg(test)]
mod tests {
    use crate::{OperationKind, Options};
    use serde_json::{Value, json};

    fn read(kind: OperationKind, options: &Value) -> Result<Value, String> {
        let read = Options::from_user_json(kind, options).map_err(|refused| refused.to_string())?;
        Ok(read.to_json().unwrap_or_default())
    }

    #[test]
    fn a_length_may_be_written_with_its_unit() {
        let image = |margin: Value| read(OperationKind::ImageToPdf, &json!({"pageMargin": margin}));
        for margin in [
            json!("1.5cm"),
            json!(" 15 mm "),
            json!({"margin": "1.5cm"}),
            json!({"margin": "15mm", "unit": "cm"}),
        ] {
            assert_eq!(image(margin).unwrap(), json!({"pageMargin": {"margin": 1.5, "unit": "cm"}}));
        }
        let text = |margin: Value| read(OperationKind::StampText, &json!({"text": "a", "margin": margin}));
        let sent = text(json!({"top": "2in", "right": "1 in"})).unwrap();
        assert_eq!(sent["margin"], json!({"top": 2.0, "right": 1.0, "unit": "in"}));
        let code = |size: Value| {
            read(OperationKind::StampBarcode, &json!({"type": "code128", "value": "a", "stampSize": size}))
        };
        for size in
            [json!("6x2cm"), json!("6cm x 2cm"), json!("60x20mm"), json!({"width": "6cm", "height": "2cm"})]
        {
            assert_eq!(code(size).unwrap()["stampSize"], json!({"width": 6.0, "height": 2.0, "unit": "cm"}));
        }
        let qr = read(OperationKind::StampQr, &json!({"value": "a", "stampSize": "3cm"})).unwrap();
        assert_eq!(qr["stampSize"], json!({"side": 3.0, "unit": "cm"}));
    }

    #[test]
    fn an_unclear_length_is_refused() {
        let image = |margin: Value| read(OperationKind::ImageToPdf, &json!({"pageMargin": margin}));
        for margin in [json!("1.5"), json!("cm"), json!("1.5 furlongs"), json!("infcm"), json!("NaNcm")] {
            assert!(image(margin).unwrap_err().contains("1.5cm"));
        }
        assert!(image(json!({"margin": "1in", "unit": "cm"})).unwrap_err().contains("one unit"));
        assert!(image(json!("-1cm")).unwrap_err().contains("negative"));
        let text = |margin: Value| read(OperationKind::StampText, &json!({"text": "a", "margin": margin}));
        assert!(text(json!("2cm")).unwrap_err().contains("`top`"));
        assert!(text(json!({"top": "2cm", "right": 1})).unwrap_err().contains("`unit`"));
        assert!(text(json!({"top": "2cm", "right": "1in"})).unwrap_err().contains("one unit"));
    }
}
