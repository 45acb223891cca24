// `describe.js FILE URL` writes JSON to FILE, from Spector's specifications and the mock server at URL:
//   description  one OpenAPI 3.0 description of all services, with the operations that a scenario calls
//   scenarios    the calls of each scenario: the operation, the expected values, and the mock's response
import { readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { compile, NodeHost } from '@typespec/compiler';
import { getOpenAPI3 } from '@typespec/openapi3';

// Works around a bug in the emitter: for a parameter called `constructor`, it looks up the examples in an
// empty object, and gets the function `Object`.
Object.defineProperty(Object, 'length', { value: 0 });

const [file, baseUrl] = process.argv.slice(2);
const suite = join(import.meta.dirname, 'node_modules/@typespec/http-specs');
const files = (folder, name) =>
  readdirSync(join(suite, folder), { recursive: true }).filter((file) => file.endsWith(`/${name}`)).sort();

const merged = {
  openapi: '3.0.0',
  info: { title: 'Spector', version: '1.0.0' },
  paths: {},
  components: {},
};
const owners = new Map();

// Returns the name, with a prefix if another owner already uses it.
function own(kind, name, owner) {
  const first = owners.get(`${kind} ${name}`) ?? owner;
  if (first !== owner) return own(kind, `${owner}_${name}`.replaceAll(/\W+/g, '_'), owner);
  owners.set(`${kind} ${name}`, owner);
  return name;
}

// Returns a copy of a value with renamed references, and adds their targets to the merged description.
function adopt(value, document) {
  if (Array.isArray(value)) return value.map((entry) => adopt(entry, document));
  if (typeof value === 'string') return reference(value, document);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, adopt(part, document)]));
}

function reference(text, document) {
  const [, section, name] = text.match(/^#\/components\/(\w+)\/(.+)$/) ?? [];
  if (!name) return text;
  return `#/components/${section}/${component(section, name, document)}`;
}

function component(section, name, document) {
  const renamed = own(section, name, document.owner);
  const known = (merged.components[section] ??= {});
  if (!Object.hasOwn(known, renamed)) {
    known[renamed] = {};
    known[renamed] = adopt(document.components[section][name], document);
    // A base schema with a discriminator also needs the schemas that extend it.
    const bases = `"#/components/${section}/${name}"`;
    for (const [child, schema] of Object.entries(document.components[section])) {
      if (JSON.stringify(schema.allOf ?? []).includes(bases)) component(section, child, document);
    }
  }
  return renamed;
}

// Returns the OpenAPI documents of a specification, one per version.
async function documents(area) {
  const main = join(suite, 'specs', area, 'main.tsp');
  const program = await compile(NodeHost, main, { noEmit: true, additionalImports: ['@typespec/spector'] });
  const records = await getOpenAPI3(program, { 'openapi-versions': ['3.0.0'] });
  return records.flatMap((record) => (record.versioned ? record.versions : [record]))
    .map(({ version, document }) => ({ version, document: { ...document, owner: `${area}_${version ?? ''}` } }));
}

const escaped = (text) => text.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&');

// Finds the operation for a path of the mock, and returns its path with the server's variables replaced, and
// the values of the path parameters.
function found(candidates, method, uri) {
  const matches = candidates.flatMap(({ version, document }) =>
    Object.entries(document.paths).filter(([, item]) => item[method]).flatMap(([path, item]) => {
      const server = new URL(document.servers?.[0].url.replace('{endpoint}', '') || '/', 'http://localhost');
      const prefix = decodeURI(server.pathname).replace(/\/$/, '').replaceAll('{', '<').replaceAll('}', '>');
      const names = [];
      const pattern = escaped(prefix + path).replaceAll(/[{<]([^}>]+)[}>]/g, (whole, name) => {
        names.push(whole[0] === '<' ? `<${name}>` : name);
        return '([^/]+?)';
      });
      const values = uri.match(new RegExp(`^${pattern}/?$`.replace('//?$', '/?$')))?.slice(1);
      if (!values) return [];
      const at = (name) => values[names.indexOf(name)];
      const resolved = prefix.replaceAll(/<[^>]+>/g, at) + path;
      const path_values = Object.fromEntries(names.map((name, at) => [name, decodeURIComponent(values[at])]));
      const fits = [!version || uri.includes(`:${version}/`), -values.length];
      return [{ document, operation: item[method], path: resolved, values: path_values, fits }];
    }));
  matches.reverse().sort((one, other) => other.fits[0] - one.fits[0] || other.fits[1] - one.fits[1]);
  return matches[0];
}

const separators = { spaceDelimited: ' ', pipeDelimited: '|' };

// Returns a parameter's value as a list of strings, or undefined if the parameter isn't sent.
function texts(parameter, expected) {
  const { schema = {}, style, explode = (style ?? 'form') === 'form' && parameter.in === 'query' } = parameter;
  if (expected === undefined) {
    return parameter.required && schema.enum?.length === 1 ? [String(schema.enum[0])] : undefined;
  }
  if (Array.isArray(expected)) return expected.map(String);
  if (schema.type !== 'array' || explode) return [String(expected)];
  return String(expected).split(separators[style] ?? ',');
}

// Scenarios that OpenAPI 3.0 can't express, although their operations are supported.
const UNSAID = {
  Payload_JsonMergePatch_updateResource: 'its nulls remove fields, but the OpenAPI description has no nulls',
  Payload_JsonMergePatch_updateOptionalResource: 'its nulls remove fields, but the OpenAPI description has no nulls',
};

// The header with the API key, which isn't a parameter.
const API_KEY = 'x-ms-api-key';

// Returns the call that the mock expects, and the mock's response.
function played(api, candidates) {
  const uri = api.uri.replaceAll('\\', '');
  const match = found(candidates, api.method, uri);
  if (!match) return { unsaid: `no operation for ${api.method} ${uri}` };
  const { document, path, values } = match;
  const type = api.response.body?.contentType ?? 'application/json';
  if (!type.endsWith('json') && match.operation.responses[api.response.status]?.content?.['application/json']) {
    return { unsaid: `its response is ${type}, although the operation can also return JSON` };
  }
  const resolve = (part) => part.$ref ? document.components[part.$ref.split('/')[2]][part.$ref.split('/')[3]] : part;
  (merged.paths[path] ??= {})[api.method] ??= {
    ...adopt(match.operation, document),
    operationId: own('operation', match.operation.operationId, `${document.owner}${path}`),
    security: adoptedSecurity(match.operation.security ?? document.security ?? [], document),
  };
  const { query = {}, headers = {}, body } = api.request ?? {};
  const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const given = {};
  const left = new Set([...Object.keys(query), ...Object.keys(lower)]);
  for (const parameter of match.operation.parameters?.map(resolve) ?? []) {
    const { name } = parameter;
    const place = { query, header: lower, path: values }[parameter.in] ?? {};
    const key = parameter.in === 'header' ? name.toLowerCase() : name;
    left.delete(key);
    const schema = parameter.schema && resolve(parameter.schema);
    const list = texts({ ...parameter, schema }, place[key]);
    if (list) given[name] = list;
  }
  for (const name of ['accept', 'authorization', 'content-type', API_KEY]) left.delete(name);
  return {
    method: api.method.toUpperCase(),
    path,
    given,
    key: lower[API_KEY],
    ignored: [...left],
    body: body && !body.kind ? raw(body) : match.operation.requestBody?.required ? '{}' : undefined,
    status: api.response.status,
    // A response that is created by a handler isn't known here.
    answer: api.response.body ? raw(api.response.body) : api.handler ? undefined : 'null',
  };
}

function adoptedSecurity(security, document) {
  return security.map((schemes) => Object.fromEntries(Object.entries(schemes)
    .map(([name, scopes]) => [component('securitySchemes', name, document), scopes])));
}

function raw({ rawContent }) {
  if (typeof rawContent === 'string') return rawContent;
  return Buffer.isBuffer(rawContent) ? rawContent.toString('base64') : rawContent?.serialize({ baseUrl });
}

const scenarios = [];
for (const mock of files('dist/specs', 'mockapi.js')) {
  const area = dirname(mock);
  const { Scenarios } = await import(join(suite, 'dist/specs', mock));
  const candidates = await documents(area);
  for (const [name, { apis }] of Object.entries(Scenarios)) {
    scenarios.push({ area, name, calls: [apis].flat().map((api) => played(api, candidates)), unsaid: UNSAID[name] });
  }
}
writeFileSync(file, JSON.stringify({ description: merged, scenarios }, null, 1));
