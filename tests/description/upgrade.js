// `upgrade.js DESCRIPTION` prints a description in OpenAPI 3.0 as one in OpenAPI 3.1, in JSON.

import { upgradeFromThreeToThreeOne } from "@scalar/openapi-upgrader/3.0-to-3.1";

import { read } from "./operations.js";

const description = upgradeFromThreeToThreeOne(read(process.argv[2]));
// OpenAPI 3.1 has a place for the expression of SPDX that the name is.
description.info.license.identifier = description.info.license.name;
console.log(JSON.stringify(description, null, 2));
