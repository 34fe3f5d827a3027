/** Reads an OpenAPI document of ours into what a page shows of each operation. */
export type Members = Readonly<Record<string, unknown>>;

export interface Field {
  readonly name: string;
  /** `path`, `query`, `header` or `body`. */
  readonly place: string;
  readonly type: string;
  readonly required: boolean;
}

export interface Operation {
  readonly id: string;
  readonly tag: string;
  /** Upper case. */
  readonly method: string;
  readonly path: string;
  readonly summary: { readonly en: string; readonly zh: string };
  readonly access: string;
  /** What a machine token needs, `any` for no more than being one, `none` where it is refused; undefined where nobody signs in. */
  readonly scope?: string | undefined;
  /** False for calls that only read. */
  readonly changes: boolean;
  readonly parameters: readonly Field[];
  readonly body: readonly Field[];
  readonly bodyExample: unknown;
  /** Example of a success; undefined for files and texts. */
  readonly answer: unknown;
  /** Of a success, such as `application/json`. */
  readonly answerType: string;
  readonly errorCodes: readonly string[];
}

/** In the order of the document. */
export function operationsOf(document: Members): Operation[] {
  return Object.entries(membersOf(document.paths)).flatMap(([path, methods]) =>
    Object.entries(membersOf(methods)).map(([method, operation]) => operationOf(path, method, membersOf(operation))),
  );
}

function operationOf(path: string, method: string, operation: Members): Operation {
  const body = jsonOf(membersOf(operation.requestBody));
  const answer = jsonOf(membersOf(membersOf(operation.responses)['200']));
  return {
    id: textOf(operation.operationId),
    tag: textOf(listOf(operation.tags)[0]),
    method: method.toUpperCase(),
    path,
    summary: { en: textOf(operation.summary), zh: textOf(operation['x-summary-zh']) },
    access: textOf(operation['x-access']),
    scope: scopeOf(operation),
    changes: operation['x-changes'] !== false,
    parameters: listOf(operation.parameters).map(membersOf).map(parameterField),
    body: bodyFields(membersOf(body.schema)),
    bodyExample: body.example,
    answer: answer.example,
    answerType: Object.keys(membersOf(membersOf(membersOf(operation.responses)['200']).content))[0] ?? '',
    errorCodes: listOf(operation['x-error-codes']).map(textOf),
  };
}

function scopeOf(operation: Members): string | undefined {
  const scope = textOf(operation['x-scope']);
  const access = textOf(operation['x-access']);
  if (scope !== '') return scope;
  return access === 'public' || access.startsWith('key') ? undefined : 'none';
}

function jsonOf(content: Members): Members {
  return membersOf(membersOf(content.content)['application/json']);
}

function parameterField(parameter: Members): Field {
  return {
    name: textOf(parameter.name),
    place: textOf(parameter.in),
    type: typeOf(membersOf(parameter.schema)),
    required: parameter.required === true,
  };
}

function bodyFields(schema: Members): Field[] {
  const required = listOf(schema.required);
  return Object.entries(membersOf(schema.properties)).map(([name, member]) => ({
    name,
    place: 'body',
    type: typeOf(membersOf(member)),
    required: required.includes(name),
  }));
}

/** A schema in a few words. */
function typeOf(schema: Members): string {
  const options = listOf(schema.anyOf ?? schema.oneOf).map((option) => typeOf(membersOf(option)));
  if (options.length > 0) return [...new Set(options)].join(' | ');
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if ('const' in schema) return JSON.stringify(schema.const);
  const type = textOf(schema.type) || 'any';
  if (type === 'array') return `${typeOf(membersOf(schema.items))}[]`;
  const initial = 'default' in schema ? ` = ${JSON.stringify(schema.default)}` : '';
  return `${type}${initial}`;
}

/** The value as an object; an empty one for anything else. */
export function membersOf(value: unknown): Members {
  return isMembers(value) ? value : {};
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value as a list; an empty one for anything else. */
function listOf<Item = unknown>(value: readonly Item[] | unknown): readonly Item[] {
  return Array.isArray(value) ? value : [];
}

/** The value as a text; "" for anything else. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
