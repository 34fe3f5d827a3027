import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import * as z from 'zod/mini';
import { endpoint, pagedFromZero } from '../../../daemon/contract/endpoint.ts';
import { TollgateError } from '../../../daemon/errors.ts';
import { implement, type RawCall } from '../../../daemon/http/implement.ts';
import { assertQuick } from '../../support/processor-time.ts';

const input = suite('input of an endpoint');

const echo = endpoint({
  method: 'PUT',
  path: '/api/echo/:id',
  access: 'public',
  shape: 'data',
  description: { en: '', zh: '' },
  query: ['verbose', 'limit', 'tags', 'kind'],
  paging: pagedFromZero,
  input: z.object({
    id: z.int(),
    verbose: z.optional(z.boolean()),
    limit: z.optional(z.nullable(z.int())),
    tags: z.optional(z.array(z.string())),
    kind: z.optional(z.enum(['a', 'b'])),
    name: z.optional(z.string()),
    threshold: z.optional(z.number({ error: 'threshold_invalid' })),
  }),
  output: z.unknown(),
});

function call(sent: { path?: Record<string, string>; query?: string; body?: Record<string, unknown> }): RawCall {
  return {
    method: 'PUT',
    pathMembers: sent.path ?? { id: '7' },
    query: new URLSearchParams(sent.query ?? ''),
    body: sent.body ?? {},
    actor: undefined,
    caller: undefined,
    request: {
      requestId: 'r',
      clientAddress: '',
      isLocal: true,
      isSecure: false,
      userAgent: '',
      language: 'en',
      header: () => undefined,
    },
    session: { id: undefined, set: () => undefined, clear: () => undefined },
  };
}

const route = implement(echo, ({ input: read, page }) => ({
  items: [{ ...read, page: page.page, size: page.pageSize }],
  total: 1,
}));

const list = implement(endpoint({ ...echo, method: 'GET', path: '/api/echo', input: z.object({}) }), () => ({
  items: [],
  total: 0,
}));

async function read(sent: Parameters<typeof call>[0]): Promise<unknown> {
  const { value } = await route.answer(call(sent));
  const items = typeof value === 'object' && value !== null ? Reflect.get(value, 'items') : undefined;
  return Array.isArray(items) ? items[0] : undefined;
}

async function refusal(sent: Parameters<typeof call>[0]): Promise<[string, string | undefined]> {
  const error = await route.answer(call(sent)).catch((thrown: unknown) => thrown);
  assert.instance(error, TollgateError);
  return error instanceof TollgateError ? [error.code, error.field] : ['', undefined];
}

const plain = { page: 1, size: 10 };

input('makes one object of path, query and body, and drops what is not declared', async () => {
  const body = { name: 'n', id: 99, verbose: true, unknown: 1 };
  assert.equal(await read({ body }), { id: 7, name: 'n', ...plain });
  assert.equal(await read({ query: 'verbose=1&name=q', body }), { id: 7, verbose: true, name: 'n', ...plain });
});

input('reads the spellings of true, and takes everything else for false', async () => {
  for (const text of ['true', 'True', 'TRUE', 't', 'T', '1']) {
    assert.equal(await read({ query: `verbose=${text}` }), { id: 7, verbose: true, ...plain });
  }
  for (const text of ['', '0', 'yes', 'on', 'false']) {
    assert.equal(await read({ query: `verbose=${text}` }), { id: 7, verbose: false, ...plain });
  }
});

input('reads numbers, and takes emptied fields for absent', async () => {
  assert.equal(await read({ query: 'limit=25' }), { id: 7, limit: 25, ...plain });
  for (const text of ['', 'NaN', 'undefined'])
    assert.equal(await read({ query: `limit=${text}` }), { id: 7, ...plain });
  assert.equal(await refusal({ query: 'limit=2x' }), ['invalid_params', 'limit']);
  assert.equal(await refusal({ query: 'limit=1.5' }), ['invalid_params', 'limit']);
  assert.equal(await refusal({ query: 'limit=9007199254740993' }), ['invalid_params', 'limit']);
});

input('reads lists by commas, and an empty choice as none', async () => {
  assert.equal(await read({ query: 'tags=a,b&kind=' }), { id: 7, tags: ['a', 'b'], ...plain });
  assert.equal(await refusal({ query: 'kind=c' }), ['invalid_params', 'kind']);
});

input('reads the page beside the input', async () => {
  assert.equal(await read({ query: 'p=2&page_size=50' }), { id: 7, page: 3, size: 50 });
});

input('names the member at fault, with the code that the schema gives it', async () => {
  assert.equal(await refusal({ body: { name: 5 } }), ['invalid_params', 'name']);
  assert.equal(await refusal({ body: { threshold: 'x' } }), ['threshold_invalid', 'threshold']);
});

input('refuses the character that PostgreSQL cannot store, at any depth', async () => {
  assert.equal(await refusal({ body: { name: 'a\u0000b' } }), ['invalid_params', 'name']);
  assert.equal(await refusal({ body: { name: { deep: ['\u0000'] } } }), ['invalid_params', 'name']);
});

input('refuses half of a character, which databases and password hashes would take for another half', async () => {
  const sent: unknown = JSON.parse('["a\\ud83d", "\\ude00", {"\\ud800": 1}]');
  for (const half of Array.isArray(sent) ? sent : []) {
    assert.equal(await refusal({ body: { name: half } }), ['invalid_params', 'name']);
  }
  assert.equal(await read({ body: { name: '\ud83d\ude00' } }), { id: 7, name: '😀', page: 1, size: 10 });
});

input('refuses a name that no schema keeps, at any depth', async () => {
  const value: unknown = JSON.parse('{"deep":[{"__proto__":1}]}');
  assert.equal(await refusal({ body: { name: value } }), ['invalid_params', 'name.deep.0.__proto__']);
});

input('is looked through in a time in which it can be read', async () => {
  // Parsed in a fifth of it; as entries these took three times as long.
  await assertQuick(1000, () => read({ body: { unknown: Array(700_000).fill(1) } }));
});

input(
  'takes of a query in which names stand twice the first, and any number of names in a time that grows with them',
  async () => {
    assert.equal(await read({ query: 'limit=5&name=n&limit=6' }), { id: 7, limit: 5, ...plain });
    // Asked for name by name this took seconds.
    const many = Array.from({ length: 30_000 }, (_, at) => `${at}=`).join('&');
    await assertQuick(1000, () => list.answer({ ...call({ query: many }), method: 'GET' }));
  },
);

input.run();
