// `upgrade.js DESCRIPTION` converts an OpenAPI 3.0 description to OpenAPI 3.1, and prints it as JSON.

import { upgradeFromThreeToThreeOne } from "@scalar/openapi-upgrader/3.0-to-3.1";

import { read } from "./operations.js";

const description = upgradeFromThreeToThreeOne(read(process.argv[2]));
// The license's name is an SPDX expression, for which OpenAPI 3.1 has the field `identifier`.
description.info.license.identifier = description.info.license.name;
console.log(JSON.stringify(description, null, 2));
