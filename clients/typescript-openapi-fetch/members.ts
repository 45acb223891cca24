// Adds a member to an institution.

import createClient from "openapi-fetch";

import type { paths } from "./schema.js";

const env = (name: string): string => {
  const value = process.env[`DIGITAL_ASSETS_${name}`];
  if (!value) throw new Error(`DIGITAL_ASSETS_${name} isn't set`);
  return value;
};

async function token(scope: string): Promise<string> {
  const response = await fetch(env("AUTH_URL"), {
    method: "POST",
    body: new URLSearchParams({
      grant_type: "client_credentials",
      client_id: env("CLIENT_ID"),
      client_secret: env("CLIENT_SECRET"),
      scope,
    }),
  });
  if (!response.ok) throw new Error(`token endpoint: status ${response.status}`);
  const { access_token } = (await response.json()) as { access_token: string };
  return access_token;
}

const api = createClient<paths>({
  baseUrl: env("BASE_URL"),
  headers: { Authorization: `Bearer ${await token("identity:write_identity")}` },
});

const { data, response } = await api.POST("/v2/identity/institution-members", {
  body: {
    institution_id: env("INSTITUTION_ID"),
    members: [{ identity_id: env("IDENTITY_ID"), roles: ["ROLE_NAME"] }],
  },
});
// After a timeout or a 5xx, the members may have been added. Check whether they were before you retry.
if (!data) throw new Error(`status ${response.status}`);
for (const it of data.members) console.log(it.id, it.identity_id);
