/** OpenAPI 3.1 derived from the contract: the served document and `docs/openapi.json` come from here. */
import * as z from 'zod/mini';
import {
  type Access,
  type AnySchema,
  addressesOf,
  changesSomething,
  type Endpoint,
  isQueryMember,
  type Method,
  pathNames,
} from './endpoint.ts';
import { type ErrorCode, errorCodes } from './error-codes.ts';
import { eventStreamType } from './event-stream.ts';
import { type FileFormat, fileTypes, isFileFormat } from './file-types.ts';
import { exampleOfSchema } from './openapi-example.ts';
import { scopes } from './scopes.ts';

type Members = Record<string, unknown>;

/** An endpoint with its place in the contract, `users.list`. */
export interface NamedEndpoint {
  readonly name: string;
  readonly endpoint: Endpoint;
}

/** Every endpoint of a table, in order of declaration. */
export function endpointsOf(table: object): NamedEndpoint[] {
  return Object.entries(table).flatMap(([resource, group]: [string, object]) =>
    Object.entries(group).map(([name, endpoint]: [string, Endpoint]) => ({ name: `${resource}.${name}`, endpoint })),
  );
}

/** Beside machine tokens, which only go where an endpoint names their scope. */
const securityOfAccess: Record<Access, readonly Members[]> = {
  public: [],
  optional: [{}, { session: [], userId: [] }, { accessToken: [] }],
  user: [{ session: [], userId: [] }, { accessToken: [] }],
  admin: [{ session: [], userId: [] }, { accessToken: [] }],
  root: [{ session: [], userId: [] }, { accessToken: [] }],
  key: [{ relayKey: [] }],
  'key-read': [{ relayKey: [] }],
};

function securityOf({ access, scope, ownKey }: Endpoint): Members[] {
  const others = securityOfAccess[access];
  const isForUsers = access !== 'public' && (!access.startsWith('key') || ownKey !== undefined);
  return [...others, ...(isForUsers && scope !== undefined ? [{ machineToken: scope === 'any' ? [] : [scope] }] : [])];
}

/** The document for the endpoints given. Pure: the same contract gives the same text. */
export function openApiOf(endpoints: readonly NamedEndpoint[], version: string): Members {
  const paths: Record<string, Members> = {};
  for (const { name, endpoint } of endpoints) {
    addressesOf(endpoint).forEach((address, index) => {
      const path = address.path.replace(/:([a-z_]+)/g, '{$1}');
      const operationId = index === 0 ? name : `${name}.${index}`;
      (paths[path] ??= {})[address.method.toLowerCase()] = operationOf(endpoint, address.method, operationId);
    });
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Tollgate management API',
      version,
      description:
        'Every path is answered with and without a trailing slash. A refusal is an envelope with success false, a stable code and a message in the language of Accept-Language. Answers of limited calls carry X-RateLimit-Limit-Requests, X-RateLimit-Remaining-Requests and X-RateLimit-Reset-Requests (seconds, with an s) of the tightest limit; a 429 carries Retry-After.',
    },
    paths,
    'x-error-codes': errorTable(endpoints),
    components: {
      securitySchemes: {
        session: { type: 'apiKey', in: 'cookie', name: 'session' },
        userId: { type: 'apiKey', in: 'header', name: 'Tollgate-User', description: 'Id of the signed-in user' },
        accessToken: { type: 'http', scheme: 'bearer', description: 'System access token' },
        machineToken: {
          type: 'http',
          scheme: 'bearer',
          description:
            'Machine token, tgm_..., for calls that name a scope it holds (none named: any token); resource:write includes resource:read. It acts as its user, at most with the role they had when it was made. Calls that do not name machineToken refuse it.',
          'x-scopes': scopes,
        },
        relayKey: { type: 'http', scheme: 'bearer', description: 'Relay key, sk-...' },
      },
      schemas: { Failure: failureSchema() },
    },
  };
}

/** Kind and texts of every code that these endpoints may answer, the generic ones included. */
function errorTable(endpoints: readonly NamedEndpoint[]): Members {
  const named = endpoints.flatMap(({ endpoint }) => endpoint.errors ?? []);
  const codes = [...new Set<ErrorCode>([...genericErrors, ...named])].sort();
  return Object.fromEntries(
    codes.map((code) => {
      const { kind, en, zh } = errorCodes[code];
      return [code, { kind, en, zh }];
    }),
  );
}

/** What any endpoint may answer. */
const genericErrors = [
  'auth_required',
  'session_expired',
  'access_token_invalid',
  'machine_token_expired',
  'machine_token_invalid',
  'machine_token_not_supported',
  'scope_missing',
  'user_header_missing',
  'user_header_mismatch',
  'forbidden_role',
  'user_disabled',
  'invalid_json',
  'invalid_params',
  'method_not_allowed',
  'too_many_requests',
  'internal_error',
  'db_unavailable',
] as const satisfies readonly ErrorCode[];

function failureSchema(): Members {
  return {
    type: 'object',
    required: ['success', 'message', 'code'],
    properties: {
      success: { const: false },
      message: { type: 'string' },
      code: { type: 'string', enum: Object.keys(errorCodes).sort() },
      field: { type: 'string', description: 'Input member at fault' },
    },
  };
}

function operationOf(endpoint: Endpoint, method: Method, operationId: string): Members {
  const tag = operationId.split('.')[0] ?? '';
  const inPath = pathNames(endpoint.path);
  const all = inputMembers(endpoint);
  const members = all.filter(({ name }) => !inPath.includes(name));
  const inQuery = members.filter(({ name }) => isQueryMember(endpoint, method, name));
  const inBody = members.filter(({ name }) => !isQueryMember(endpoint, method, name));
  const pathMembers = inPath.map((name) => all.find((member) => member.name === name) ?? textMember(name));
  return {
    operationId,
    tags: [tag],
    summary: endpoint.description.en,
    'x-summary-zh': endpoint.description.zh,
    'x-access': endpoint.access,
    'x-rate-class': endpoint.rate ?? 'standard',
    // Some GETs do; readers offer to try only what leaves everything as it is.
    'x-changes': changesSomething({ ...endpoint, method }),
    ...errorCodesOf(endpoint),
    ...(endpoint.scope === undefined ? {} : { 'x-scope': endpoint.scope }),
    security: securityOf(endpoint),
    parameters: [
      ...pathMembers.map(({ name, schema }) => ({ name, in: 'path', required: true, schema })),
      ...inQuery.map(({ name, schema, required }) => ({
        name,
        in: 'query',
        ...(required ? { required } : {}),
        schema,
      })),
      ...pageParameters(endpoint),
      ...(endpoint.humanCheck ? [{ name: 'turnstile', in: 'query', schema: { type: 'string' } }] : []),
      ...(endpoint.shape === 'events' ? [{ name: 'Last-Event-ID', in: 'header', schema: { type: 'string' } }] : []),
      ...(endpoint.idempotency ? [{ name: 'Idempotency-Key', in: 'header', schema: { type: 'string' } }] : []),
    ],
    ...(inBody.length > 0 ? { requestBody: bodyOf(endpoint, inBody) } : {}),
    responses: responsesOf(endpoint),
  };
}

/** One member of the input as JSON Schema. */
interface InputMember {
  readonly name: string;
  readonly schema: Members;
  readonly required: boolean;
}

function inputMembers(endpoint: Endpoint): InputMember[] {
  if (!endpoint.input) return [];
  const { properties, required } = jsonSchemaOf(endpoint.input, 'input');
  return Object.entries(isMembers(properties) ? properties : {}).map(([name, schema]) => ({
    name,
    schema: isMembers(schema) ? schema : {},
    required: Array.isArray(required) && required.includes(name),
  }));
}

/** A path member that the input does not name. */
function textMember(name: string): InputMember {
  return { name, schema: { type: 'string' }, required: true };
}

function pageParameters(endpoint: Endpoint): Members[] {
  const { paging } = endpoint;
  if (!paging) return [];
  return [
    {
      name: 'p',
      in: 'query',
      description: 'Page',
      schema: { type: 'integer', minimum: paging.first, default: paging.first },
    },
    {
      name: paging.size,
      in: 'query',
      description: 'Rows of a page',
      schema: { type: 'integer', minimum: 1, maximum: paging.maxSize, default: paging.defaultSize },
    },
  ];
}

function bodyOf(endpoint: Endpoint, members: readonly InputMember[]): Members {
  const required = members.filter((member) => member.required).map(({ name }) => name);
  const schema = {
    type: 'object',
    ...(required.length > 0 ? { required } : {}),
    properties: Object.fromEntries(members.map(({ name, schema }) => [name, schema])),
  };
  return {
    required: required.length > 0,
    content: {
      'application/json': {
        schema,
        example: endpoint.example?.input ?? exampleOfSchema(schema),
      },
    },
  };
}

function errorCodesOf({ errors = [], idempotency }: Endpoint): Members {
  const codes = idempotency ? [...errors, 'idempotency_conflict', 'idempotency_unanswered'] : errors;
  return codes.length > 0 ? { 'x-error-codes': codes } : {};
}

function responsesOf(endpoint: Endpoint): Members {
  const failure = { description: 'Refused', content: refusal };
  return {
    '200': { description: 'Success, or a refusal with success false', content: contentOf(endpoint) },
    ...(endpoint.refusalStatus ? { [endpoint.refusalStatus]: failure } : {}),
    ...(endpoint.access === 'public' ? {} : { '401': failure }),
    ...(endpoint.idempotency ? { '409': failure } : {}),
    ...(endpoint.rate === 'unlimited' ? {} : { '429': failure }),
    default: failure,
  };
}

const refused = { $ref: '#/components/schemas/Failure' };
const refusal = {
  'application/json': {
    schema: refused,
    example: { success: false, message: errorCodes.invalid_params.en, code: 'invalid_params' },
  },
};

function filesOf(endpoint: Endpoint): Members {
  const rows = { type: 'array', items: { type: 'object' } };
  const files: Members = {};
  for (const format of formatsOf(endpoint)) {
    const isJson = format === 'json';
    files[fileTypes[format]] = isJson
      ? { schema: { anyOf: [rows, refused] }, example: [] }
      : { schema: { type: 'string' } };
  }
  // Readers take the first for what the call is for.
  return { ...files, ...(fileTypes.json in files ? {} : refusal) };
}

function formatsOf({ fileFormat, input }: Endpoint): readonly FileFormat[] {
  if (fileFormat) return [fileFormat];
  const { properties } = input ? jsonSchemaOf(input, 'input') : {};
  const chosen = isMembers(properties) && isMembers(properties.format) ? properties.format.enum : [];
  return Array.isArray(chosen) ? chosen.filter(isFileFormat) : [];
}

function contentOf(endpoint: Endpoint): Members {
  const output = endpoint.output ? jsonSchemaOf(endpoint.output, 'output') : { type: 'null' };
  if (endpoint.shape === 'text') return { 'text/plain': { schema: { type: 'string' } } };
  if (endpoint.shape === 'file') return filesOf(endpoint);
  if (endpoint.shape === 'events') return { [eventStreamType]: { schema: output }, ...refusal };
  const schema = answerSchema(endpoint, output);
  const example = endpoint.example?.output === undefined ? exampleOfSchema(schema) : exampleOf(endpoint);
  return { 'application/json': { schema, example } };
}

function exampleOf(endpoint: Endpoint): unknown {
  const output = endpoint.example?.output;
  return endpoint.shape === 'data' ? { success: true, message: '', data: output } : output;
}

function answerSchema(endpoint: Endpoint, output: Members): Members {
  const siblings = endpoint.siblings ? jsonSchemaOf(endpoint.siblings, 'output').properties : undefined;
  const extra = isMembers(siblings) ? siblings : {};
  const counts = endpoint.paging
    ? { total: { type: 'integer' }, page: { type: 'integer' }, page_size: { type: 'integer' } }
    : {};
  const rows = { type: 'array', items: output };
  switch (endpoint.shape) {
    case 'bare':
      return output;
    case 'beside':
      return enveloped(isMembers(output.properties) ? output.properties : {});
    case 'page':
      return enveloped({ data: { type: 'object', properties: { items: rows, ...counts, ...extra } } });
    case 'list':
      return enveloped({ data: rows, ...counts, ...extra });
    default:
      return enveloped({ data: output });
  }
}

function enveloped(members: Members): Members {
  return {
    type: 'object',
    required: ['success', 'message'],
    properties: { success: { type: 'boolean' }, message: { type: 'string' }, ...members },
  };
}

function jsonSchemaOf(schema: AnySchema, io: 'input' | 'output'): Members {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  return rest;
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
