//! What stands in for a required parameter: a setting, or several values.

use crate::{
    operation::{Operation, Parameter},
    service::OWN,
};

/// Whether each listing needs one of it.
pub(super) fn is_of_each(parameter: &Parameter) -> bool {
    parameter.required && !parameter.many
}

/// The setting that replaces a required parameter: `DIGITAL_ASSETS_PROFILE_ID` is a `profile_id`.
/// None does where something changes, and the tool's own settings never do.
pub(super) fn setting(operation: &Operation, parameter: &Parameter) -> Option<String> {
    let name = format!("DIGITAL_ASSETS_{}", parameter.option.replace('-', "_").to_uppercase());
    let replaces = parameter.required && operation.method == "GET" && !OWN.contains(&name.as_str());
    replaces.then_some(name)
}
