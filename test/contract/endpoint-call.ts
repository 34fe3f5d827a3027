/** Calls of contract endpoints by hand, with inputs that the typed client would not let pass. */
import * as z from 'zod/mini';
import { type Endpoint, isQueryMember, pathNames } from '../../daemon/contract/endpoint.ts';
import { eventStreamType, readEvents } from '../../daemon/contract/event-stream.ts';

/** Values by member name that most endpoints accept; what is missing here is made up from the schema. */
const known: Readonly<Record<string, unknown>> = {
  action: 'enable',
  allow_ips: '',
  base_url: 'http://127.0.0.1:9',
  by: 'model',
  code: 'a-code',
  email: 'someone@example.org',
  endpoint: 'chat',
  expired_time: -1,
  group: 'default',
  groups: ['default'],
  key: 'Notice',
  max_uses: -1,
  model_mapping: '{}',
  month: '2026-11',
  name: 'a name',
  notify_type: 'email',
  param_override: '{}',
  password: 'a good password',
  password2: 'a good password',
  quota_warning_threshold: 1,
  setting: '{}',
  status_code_mapping: '{}',
  tag: 'tag',
  username: 'someone',
  valid_from: 0,
  valid_until: 0,
  value: 'a notice',
};

/** An input that an endpoint may well accept; `given` wins over what this file knows. */
export function plausibleInput(
  endpoint: Endpoint,
  wanted: 'all members' | 'required members',
  given: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  const shape = endpoint.input?._zod.def.shape ?? {};
  const input: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(shape)) {
    if (wanted === 'required members' && schema instanceof z.ZodMiniOptional) continue;
    input[name] = given[name] ?? known[name] ?? sampleOf(schema);
  }
  return input;
}

/** A value of the type that a schema names first. */
function sampleOf(schema: z.core.$ZodType): unknown {
  if (schema instanceof z.ZodMiniNumber) return 1;
  if (schema instanceof z.ZodMiniBoolean) return true;
  if (schema instanceof z.ZodMiniEnum) return schema.options[0];
  if (schema instanceof z.ZodMiniRecord) return {};
  if (schema instanceof z.ZodMiniArray) return [sampleOf(schema._zod.def.element)];
  if (schema instanceof z.ZodMiniUnion) return sampleOf(schema._zod.def.options[0] ?? schema);
  if (schema instanceof z.ZodMiniPipe) return sampleOf(schema._zod.def.in);
  if (schema instanceof z.ZodMiniObject) {
    return Object.fromEntries(
      Object.entries(schema._zod.def.shape).map(([name, member]) => [name, known[name] ?? sampleOf(member)]),
    );
  }
  const isWrapper =
    schema instanceof z.ZodMiniOptional ||
    schema instanceof z.ZodMiniNullable ||
    schema instanceof z.ZodMiniDefault ||
    schema instanceof z.ZodMiniCatch;
  return isWrapper ? sampleOf(schema._zod.def.innerType) : 'text';
}

export interface EndpointCall {
  readonly url: string;
  readonly endpoint: Endpoint;
  readonly input: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
}

/** Sends an input as the endpoint takes it: path, query and body. */
export function callEndpoint({ url, endpoint, input, headers }: EndpointCall): Promise<Response> {
  const { method } = endpoint;
  let { path } = endpoint;
  const query = new URLSearchParams();
  const body: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(input)) {
    if (pathNames(path).includes(name)) path = path.replace(`:${name}`, encodeURIComponent(textOf(value)));
    else if (!isQueryMember(endpoint, method, name)) body[name] = value;
    else if (value !== undefined) query.set(name, textOf(value));
  }
  const hasBody = method === 'POST' || method === 'PUT';
  return fetch(`${url}${path}${query.size > 0 ? `?${query}` : ''}`, {
    method,
    redirect: 'manual',
    headers: { 'Content-Type': 'application/json', ...headers },
    ...(hasBody ? { body: JSON.stringify(body) } : {}),
  });
}

/** The body of an answer; of a stream of events, which has no end, all up to the word that it is ready. */
export async function answerText(response: Response): Promise<string> {
  if (!isEventStream(response) || !response.body) return response.text();
  let text = '';
  for await (const event of readEvents(response.body)) {
    text += JSON.stringify(event);
    if (event.event === 'ready') break;
  }
  return text;
}

/** Whether the answer is a stream of events. */
export function isEventStream(response: Response): boolean {
  return response.headers.get('content-type') === eventStreamType;
}

/** A value as path and query carry it, lists by commas; kept below the size of a header block. */
export function textOf(value: unknown): string {
  const isList = Array.isArray(value) && value.every((item) => typeof item !== 'object');
  const text = isList ? value.join(',') : typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return text.slice(0, 8000).replace(/[\ud800-\udfff]/g, '?');
}
