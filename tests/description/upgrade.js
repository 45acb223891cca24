// `upgrade.js DESCRIPTION` prints a description in OpenAPI 3.0 as one in OpenAPI 3.1, in JSON.

import { upgradeFromThreeToThreeOne } from "@scalar/openapi-upgrader/3.0-to-3.1";

import { read } from "./operations.js";

console.log(JSON.stringify(upgradeFromThreeToThreeOne(read(process.argv[2])), null, 2));
