// `oidc-server.js DESCRIPTION CERTIFICATES [SECONDS]` runs the third-party authorization server oidc-provider,
// together with the operations of an OpenAPI description. An operation returns its example if the token has its
// scope. The server uses TLS with the certificates from tests/tls, and also authenticates clients by certificate.
// SECONDS is the lifetime of a token.
//
// It listens on 127.0.0.1, and prints `export NAME=value` lines as soon as it accepts connections.

import { X509Certificate, generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import { join } from "node:path";

import { Provider } from "oidc-provider";

import { answer, operations, read } from "./operations.js";

const description = read(process.argv[2]);
const certificates = process.argv[3];
const seconds = Number(process.argv[4] ?? 3);

const served = operations(description);
const scopes = served.flatMap(({ scopes }) => scopes);

// A secret with all characters that must be encoded in a form or a Basic header (RFC 6749, section 2.3.1).
const secret = (name) => `${name}'s secret +%2F:&=? not for logs`;
const client = (client_id, token_endpoint_auth_method, granted) => ({
  client_id,
  client_secret: secret(client_id),
  token_endpoint_auth_method,
  grant_types: ["client_credentials"],
  redirect_uris: [],
  response_types: [],
  scope: granted.join(" "),
});

// A client for each signature algorithm of assertions (RFC 7523).
const keys = {
  RS256: generateKeyPairSync("rsa", { modulusLength: 2048 }),
  PS256: generateKeyPairSync("rsa", { modulusLength: 2048 }),
  ES256: generateKeyPairSync("ec", { namedCurve: "P-256" }),
  EdDSA: generateKeyPairSync("ed25519"),
};
const signing = (alg) => ({
  ...client(alg, "private_key_jwt", scopes),
  client_secret: undefined,
  token_endpoint_auth_signing_alg: alg,
  jwks: { keys: [{ ...keys[alg].publicKey.export({ format: "jwk" }), kid: `${alg} key`, alg, use: "sig" }] },
});

// A client for each method of authentication with a certificate (RFC 8705, sections 2.1 and 2.2).
const pem = (name) => readFileSync(join(certificates, name));
const own = new X509Certificate(pem("self-signed.pem"));
const certified = [
  { ...client("certified", "tls_client_auth", scopes), tls_client_auth_san_dns: "backoffice" },
  {
    ...client("self-signed", "self_signed_tls_client_auth", scopes),
    jwks: { keys: [{ ...own.publicKey.export({ format: "jwk" }), x5c: [own.raw.toString("base64")] }] },
  },
].map((known) => ({ ...known, client_secret: undefined }));

const server = createServer({
  cert: pem("server.pem"),
  key: pem("server.key"),
  ca: pem("authority.pem"),
  requestCert: true,
  // Also accepts self-signed client certificates.
  rejectUnauthorized: false,
});
server.listen(0, "127.0.0.1");
await once(server, "listening");
const url = `https://localhost:${server.address().port}`;

const provider = new Provider(url, {
  clients: [
    client("body", "client_secret_post", scopes),
    client("basic", "client_secret_basic", scopes),
    client("narrow", "client_secret_post", ["rewards:read_monitoring_address"]),
    ...Object.keys(keys).map(signing),
    ...certified,
  ],
  scopes,
  features: {
    clientCredentials: { enabled: true },
    devInteractions: { enabled: false },
    mTLS: {
      enabled: true,
      tlsClientAuth: true,
      selfSignedTlsClientAuth: true,
      getCertificate: ({ req }) => req.socket.getPeerX509Certificate(),
      certificateAuthorized: ({ req }) => req.socket.authorized,
      certificateSubjectMatches: ({ req }, property, expected) =>
        property === "tls_client_auth_san_dns" &&
        req.socket.getPeerX509Certificate().subjectAltName === `DNS:${expected}`,
    },
  },
  ttl: { ClientCredentials: seconds },
  routes: { token: "/oauth2/token" },
  clientAuthMethods: [
    "client_secret_post",
    "client_secret_basic",
    "private_key_jwt",
    "tls_client_auth",
    "self_signed_tls_client_auth",
  ],
  enabledJWA: { clientAuthSigningAlgValues: Object.keys(keys) },
});
const authorize = provider.callback();

function refuse(response, status, error) {
  response.writeHead(status, { "Content-Type": "application/problem+json" });
  response.end(JSON.stringify({ status, title: error }));
}

server.on("request", async (request, response) => {
  const { pathname } = new URL(request.url, url);
  const operation = served.find((it) => it.method === request.method && it.pathPattern.test(pathname));
  if (!operation) return authorize(request, response);

  const [, value] = /^Bearer (.+)$/i.exec(request.headers.authorization ?? "") ?? [];
  const token = value && (await provider.ClientCredentials.find(value));
  if (!token?.isValid) return refuse(response, 401, "invalid_token");
  const granted = token.scope?.split(" ") ?? [];
  if (!operation.scopes.every((scope) => granted.includes(scope))) return refuse(response, 403, "insufficient_scope");
  const { next_page_cursor, ...body } = answer(operation);
  response.writeHead(200, { "Content-Type": "application/json" });
  response.end(JSON.stringify(body));
});

const { profile_id } = description.components.schemas.QuoteExecution.properties;
const { institution_id } = description.components.schemas.AddInstitutionMembersRequest.properties;
for (const [name, value] of Object.entries({
  BASE_URL: url,
  AUTH_URL: `${url}/oauth2/token`,
  CLIENT_ID: "body",
  CLIENT_SECRET: secret("body"),
  BASIC_CLIENT_ID: "basic",
  BASIC_CLIENT_SECRET: secret("basic"),
  NARROW_CLIENT_ID: "narrow",
  NARROW_CLIENT_SECRET: secret("narrow"),
  ISSUER: url,
  ...Object.fromEntries(
    Object.entries(keys).map(([alg, { privateKey }]) => [
      `${alg.toUpperCase()}_KEY`,
      // Replaces line breaks, because each variable is printed on one line.
      privateKey.export({ format: "pem", type: "pkcs8" }).replaceAll("\n", "|"),
    ]),
  ),
  TOKEN_SECONDS: seconds,
  PROFILE_ID: profile_id.example,
  INSTITUTION_ID: institution_id.example,
})) {
  console.log(`export DIGITAL_ASSETS_${name}='${String(value).replaceAll("'", "'\\''")}'`);
}
