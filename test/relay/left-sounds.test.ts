/** Speech and transcripts whose client leaves when their upstream has accepted them (relay.md 15.8). */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type FakeUpstream, startFakeUpstream } from '../support/fake-upstream.ts';
import { GatewayHarness } from '../support/gateway-harness.ts';
import * as sounds from '../support/sound-files.ts';
import { someTurns, until } from '../support/until.ts';

interface Context {
  upstream: FakeUpstream;
  harness: GatewayHarness;
}

const test = suite<Context>('relay: sounds that nobody waits for');

test.before.each(async (context) => {
  const { shippedOptionDefaults } = await import('../../daemon/domain/options.ts');
  context.upstream = await startFakeUpstream();
  context.harness = await GatewayHarness.start({
    channels: [{ id: 1, baseUrl: context.upstream.url, models: 'tts-1,whisper-1' }],
    options: { ModelRatio: { ...shippedOptionDefaults().ModelRatio } },
  });
});
test.after.each(async ({ harness, upstream }) => {
  await harness.stop();
  await upstream.close();
});

test('bills who leaves an accepted call what was to be read out, or heard', async ({ harness, upstream }) => {
  upstream.script({ headers: { 'content-type': 'application/octet-stream' }, end: 'hang' });
  const form = new FormData();
  form.append('model', 'whisper-1');
  form.append('file', new File([new Uint8Array(sounds.wav(61.2))], 'talk.wav', { type: 'audio/wav' }));
  const speech = JSON.stringify({ model: 'tts-1', voice: 'alloy', input: 'héllo 👍' });
  for (const [path, type, body] of [
    ['/v1/audio/speech', { 'content-type': 'application/json' }, speech],
    ['/v1/audio/transcriptions', {}, form],
  ] as const) {
    const leaving = new AbortController();
    const before = upstream.requests.length;
    const headers = { authorization: `Bearer sk-${harness.key}`, ...type };
    const calling = fetch(harness.url + path, { method: 'POST', headers, body, signal: leaving.signal });
    await until(() => upstream.requests.length > before && upstream.open() > 0);
    // The head of the answer is on its way.
    await someTurns();
    leaving.abort();
    await calling.catch(() => undefined);
    await until(() => upstream.open() === 0);
  }
  const rows = await harness.rows();
  assert.equal(
    rows.map(({ promptTokens, quota, facts }) => [promptTokens, quota, facts.settle_reason]),
    [
      [7, 53, 'client_gone'],
      [1033, 3099, 'client_gone'],
    ],
  );
});

test.run();
