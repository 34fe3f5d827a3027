/**
 * Every refusal of Spark's sheet as its socket tells it, in a frame, before the first words: what clients of each dialect
 * are told, and what becomes of the key (relay.md 4.3, 12.8). Runs once: it looks at what goes over the wire.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { XunfeiUrlSigner } from '../../daemon/upstream/auth/xunfei-url.ts';
import { type FakeSocketUpstream, startFakeSocketUpstream } from '../support/fake-socket-upstream.ts';
import { GatewayHarness } from '../support/gateway-harness.ts';
import { type RefusalKind, refusalsOf } from '../support/refusal-sheets.ts';

interface World {
  sockets: FakeSocketUpstream;
  harness: GatewayHarness;
}

const test = suite<World>('Spark refuses over its socket');
const model = 'Spark-Max';
const parts = ['12345678', 'canarySecret0123456789abcdefABCD', 'canaryKey0123456789abcdefABCDEFG'];
let channel = 0;

test.before(async (world) => {
  world.sockets = await startFakeSocketUpstream();
  world.harness = await GatewayHarness.start({
    channels: [],
    options: { ModelRatio: { [model]: 1 }, AutomaticDisableChannelEnabled: true },
    signers: { 'xunfei-url': new XunfeiUrlSigner(Date.now) },
  });
});
test.after(async ({ harness, sockets }) => {
  await harness.stop();
  await sockets.close();
});

const messages = [{ role: 'user', content: 'hi' }];
const dialects: readonly (readonly [path: string, body: object])[] = [
  ['/v1/chat/completions', { model, messages, stream: true }],
  ['/v1/chat/completions', { model, messages }],
  ['/v1/messages', { model, messages, max_tokens: 9 }],
  [`/v1beta/models/${model}:generateContent`, { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] }],
];

/** Statuses of each kind, and the code that clients of OpenAI's dialect know it by; undefined: the vendor's own. */
const expected: Partial<Record<RefusalKind, readonly [status: number, code?: string]>> = {
  key: [502, 'upstream_auth_failed'],
  credit: [502, 'upstream_auth_failed'],
  forbidden: [502, 'upstream_auth_failed'],
  limit: [429],
  request: [400],
  context: [400, 'context_length_exceeded'],
  filtered: [400, 'content_filter'],
  trouble: [503],
};

/** Asks a channel that nothing is known of yet. */
async function told({ harness, sockets }: World, [path, body]: readonly [string, object]) {
  channel += 1;
  harness.setChannels([{ id: channel, type: 18, baseUrl: sockets.url, models: model, keys: [parts.join('|')] }]);
  const before = harness.disabled.length;
  const response = await harness.post(path, body);
  const text = await response.text();
  return { status: response.status, text, error: JSON.parse(text).error, isDisabled: harness.disabled.length > before };
}

for (const { kind, code, message } of refusalsOf('xunfei').filter((refusal) => /^\d{5}$/.test(refusal.code))) {
  test(`${code} is ${kind}${message === '' ? '' : ` (${message})`}`, async (world) => {
    const said = `${message} (${parts.join(', ')} at ${world.sockets.url})`;
    world.sockets.script({ frames: [{ header: { code: Number(code), message: said, sid: 's', status: 2 } }] });
    const [status, word = code] = expected[kind] ?? [];
    for (const [at, dialect] of dialects.entries()) {
      const { status: shown, text, error, isDisabled } = await told(world, dialect);
      assert.is(shown, status, text);
      if (at < 2) assert.is(error.code, word, text);
      assert.not.match(text, /canary|12345678|127\.0\.0\.1/, text);
      assert.is(isDisabled, kind === 'key' || kind === 'credit', text);
    }
  });
}

test('a socket that closes or breaks before it said anything, or says nothing that can be read, is no answer', async (world) => {
  for (const [answer, code] of [
    [{ frames: [] }, 'empty_response'],
    [{ frames: ['no frame of theirs'] }, 'empty_response'],
    [{ frames: [], end: 'break' }, 'read_response_body_failed'],
  ] as const) {
    world.sockets.script(answer);
    for (const [at, dialect] of dialects.entries()) {
      const { status, text, error } = await told(world, dialect);
      assert.is(status, 502, text);
      if (at < 2) assert.is(error.code, code, text);
    }
  }
  assert.ok(
    (await world.harness.rows()).slice(-12).every(({ quota }) => quota === 0),
    'nobody pays for it',
  );
});

test.run();
