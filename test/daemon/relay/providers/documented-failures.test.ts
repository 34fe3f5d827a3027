/** What vendors say that they refuse with, code by code, leads to the right next step and tells nobody whose account it is. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { UpstreamFailure } from '../../../../daemon/errors.ts';
import { providers } from '../../../../daemon/relay/providers/index.ts';
import { adapterOf, callOf } from '../../../support/adapter-calls.ts';
import { documentedRefusals } from '../../../support/documented-refusals.ts';
import { type RefusalKind, refusalBody, refusalsOf } from '../../../support/refusal-sheets.ts';

const test = suite('documented refusals');

type Fields = UpstreamFailure['fields'];

const disables = ({ retry, health, aboutCredential }: Fields) =>
  retry === 'next-key' && health === 'hard' && aboutCredential;
const isClients = ({ retry, health, status }: Fields) =>
  retry !== 'next-key' && (health === 'none' || health === 'listed') && status < 500;

/** What must hold of each kind. */
const holds: Readonly<Record<RefusalKind, (fields: Fields) => boolean | undefined>> = {
  key: disables,
  credit: disables,
  stale: ({ retry, health, aboutCredential }) => retry === 'next-key' && health === 'soft' && aboutCredential,
  forbidden: ({ retry, health }) => retry !== 'never' && health !== 'hard',
  model: ({ retry, health, aboutCredential }) => retry === 'next-channel' && health === 'none' && !aboutCredential,
  limit: ({ retry, health, status, cooling }) =>
    retry === 'next-key' && health === 'none' && status === 429 && cooling !== undefined,
  request: isClients,
  context: (fields) => isClients(fields) && fields.code === 'context_length_exceeded',
  content: isClients,
  filtered: (fields) => isClients(fields) && fields.code === 'content_filter',
  trouble: ({ retry, health, aboutCredential }) => retry === 'next-channel' && health !== 'hard' && !aboutCredential,
};

/** What a vendor's sheet says nothing of. */
const unsaid: Readonly<Record<string, readonly RefusalKind[]>> = {
  'aiproxy-library': ['model', 'limit'],
  fastgpt: ['model'],
  xunfei: ['model'],
};

const canary = 'key sk-CANARYcanary12345678 of org-Canary1234567, ops@canary.example, 10.11.12.13';

for (const adapter of providers.filter(({ retired }) => retired === undefined)) {
  const { id, speaks } = adapter;
  const call = callOf(adapter, { format: Object.values(speaks)[0]?.[0] ?? 'openai-chat' });

  test(`${id} refuses as its sheet says`, () => {
    for (const refusal of refusalsOf(id)) {
      const { kind, status, code, message } = refusal;
      const body = refusalBody(id, { ...refusal, message: `${message} (${canary})` });
      const { fields } = adapter.readFailure({ status, headers: {}, body, call, nowMs: 0 });
      const { status: shown, retry, health, aboutCredential } = fields;
      const seen = JSON.stringify({ shown, retry, health, aboutCredential });
      assert.ok(holds[kind](fields), `${status} ${code} ${message} is no ${kind}: ${seen}`);
      assert.not.match(fields.clientText, /canary|10\.11\.12/i);
      assert.not.match(fields.operatorText, /sk-CANARY/);
      // Where clients are told another word, operators still have the vendor's number.
      if (/^\d+$/.test(code) && /^(?:context_length_exceeded|content_filter)$/.test(fields.code))
        assert.ok(fields.operatorText.startsWith(`${code}: `), fields.operatorText);
    }
  });

  test(`${id} has a sheet that leaves none of the usual refusals out`, () => {
    const kinds = new Set<RefusalKind>([...refusalsOf(id).map(({ kind }) => kind), ...(unsaid[id] ?? [])]);
    for (const kind of ['key', 'model', 'limit', 'request', 'trouble'] as const) assert.ok(kinds.has(kind), kind);
  });
}

test('Replicate is left alone as long as its body says, unless a header says it', () => {
  const adapter = adapterOf('replicate');
  const body = JSON.stringify({ title: 'Throttled', detail: 'Request was throttled.', status: 429, retry_after: 12 });
  const reply = { status: 429, body, call: callOf(adapter), nowMs: 0 };
  assert.is(adapter.readFailure({ ...reply, headers: {} }).fields.cooling?.retryAfterMs, 12_000);
  assert.is(adapter.readFailure({ ...reply, headers: { 'retry-after': '3' } }).fields.cooling?.retryAfterMs, 3000);
});

test('a limit that ends with the day or later is left alone longest', () => {
  const pauseOf = (id: string, line: { status: number; code?: string; message: string }) => {
    const adapter = adapterOf(id);
    const refusal = { kind: 'limit' as const, code: '', ...line };
    const reply = { headers: {}, call: callOf(adapter), nowMs: 0 };
    const { fields } = adapter.readFailure({ ...reply, status: line.status, body: refusalBody(id, refusal) });
    return [fields.cooling?.scope, fields.cooling?.retryAfterMs];
  };
  const month = 'You are using a Trial key, which is limited to 1000 API calls / month';
  assert.equal(pauseOf('cohere', { status: 429, message: month }), ['key', 300_000]);
  assert.equal(pauseOf('cohere', { status: 429, message: month.replace('month', 'minute') }), ['key', undefined]);
  assert.equal(pauseOf('cloudflare', { status: 429, code: '3036', message: 'm' }), ['key', 300_000]);
  assert.equal(pauseOf('minimax', { status: 200, code: '2056', message: 'm' }), ['key', 300_000]);
  assert.equal(pauseOf('mistral', { status: 429, message: 'Monthly token limit reached' }), ['key', 300_000]);
  const daily = 'Rate limit reached on requests per day (RPD)';
  assert.equal(pauseOf('groq', { status: 429, message: daily }), ['key-model', 300_000]);
  assert.equal(pauseOf('cerebras', { status: 429, message: 'Tokens per day limit exceeded' }), ['key-model', 300_000]);
});

test('a file that is too large for GLM is told by the status that clients know', () => {
  const adapter = adapterOf('zhipu-v4');
  const body = JSON.stringify({ error: { code: '435', message: 'file too large' } });
  const { fields } = adapter.readFailure({ status: 435, headers: {}, body, call: callOf(adapter), nowMs: 0 });
  assert.equal([fields.status, fields.upstreamStatus, fields.retry], [413, 435, 'never']);
});

test('every sheet is some vendor’s', () => {
  for (const id of Object.keys(documentedRefusals)) assert.ok(adapterOf(id));
});

test.run();
