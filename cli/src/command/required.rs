//! Determines which settings can replace required parameters, and which parameters take one value
//! per listing.

use crate::{
    generated::OPERATIONS,
    operation::{Operation, Parameter},
    service::own,
    settings::PREFIX,
};

/// Whether the parameter is required and takes a single value. If a command reads several listings,
/// each listing has its own value for such a parameter.
pub(super) fn is_of_each(parameter: &Parameter) -> bool {
    parameter.required && !parameter.many
}

/// The setting that can replace a required parameter, such as `DIGITAL_ASSETS_PROFILE_ID` for
/// `profile_id`.
///
/// `None` if the parameter is optional, if the operation's method isn't GET, or if one of the
/// tool's own settings has the same name.
pub(super) fn setting(operation: &Operation, parameter: &Parameter) -> Option<String> {
    let name = name(parameter);
    let replaces = parameter.required && operation.method == "GET";
    (replaces && own().all(|own| own != name)).then_some(name)
}

/// The names of all known settings: the tool's own settings, and the settings for required
/// parameters.
pub(crate) fn settings() -> Vec<String> {
    let required = OPERATIONS.iter().flat_map(|operation| operation.parameters);
    let required = required.filter(|parameter| parameter.required).map(name);
    own().chain(required).collect()
}

fn name(parameter: &Parameter) -> String {
    format!("{PREFIX}{}", parameter.option.replace('-', "_").to_uppercase())
}
