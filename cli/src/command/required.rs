//! What stands in for a required parameter: a setting, or several values.

use crate::{
    generated::OPERATIONS,
    operation::{Operation, Parameter},
    service::OWN,
    settings::PREFIX,
};

/// Whether each listing needs one of it.
pub(super) fn is_of_each(parameter: &Parameter) -> bool {
    parameter.required && !parameter.many
}

/// The setting that replaces a required parameter: `DIGITAL_ASSETS_PROFILE_ID` is a `profile_id`.
/// None does where something changes, and the tool's own settings never do.
pub(super) fn setting(operation: &Operation, parameter: &Parameter) -> Option<String> {
    let name = name(parameter);
    let replaces = parameter.required && operation.method == "GET" && !OWN.contains(&name.as_str());
    replaces.then_some(name)
}

/// The names of the settings that some command reads.
pub(crate) fn settings() -> Vec<String> {
    let required = OPERATIONS.iter().flat_map(|operation| operation.parameters);
    let required = required.filter(|parameter| parameter.required).map(name);
    OWN.map(str::to_owned).into_iter().chain(required).collect()
}

fn name(parameter: &Parameter) -> String {
    format!("{PREFIX}{}", parameter.option.replace('-', "_").to_uppercase())
}
