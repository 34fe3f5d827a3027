/** Speech that comes as events: what is billed of it, and when it ends (relay.md 5.7, 15.8, D20). */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { sseAnswer } from '../support/fake-upstream.ts';
import { gate } from '../support/gate.ts';
import * as sounds from '../support/sound-files.ts';
import { type CheckedWorld, checksBooks } from './checked-books.ts';

const test = suite<CheckedWorld>('relay: spoken events');

checksBooks(
  test,
  () => sseAnswer([]),
  ({ url: baseUrl }) => ({
    channels: [{ baseUrl, models: 'gpt-4o-mini-tts' }],
    options: { ModelRatio: { 'gpt-4o-mini-tts': 1 }, CompletionRatio: { 'gpt-4o-mini-tts': 4 } },
  }),
);

const asked = { model: 'gpt-4o-mini-tts', voice: 'alloy', input: 'two words', stream_format: 'sse' };
const spoken = (sound: Buffer) => ({ type: 'speech.audio.delta', audio: sound.toString('base64') });
const second = Buffer.alloc(48_000);
const done = { type: 'speech.audio.done' };

test('are billed by what was heard of them where their report is missing', async ({ start, upstream }) => {
  const harness = await start();
  upstream.script(sseAnswer([spoken(second), spoken(second), spoken(second), done]));
  await (await harness.post('/v1/audio/speech', { ...asked, response_format: 'pcm' })).text();
  upstream.script(sseAnswer([spoken(sounds.wav(6)), done]));
  await (await harness.post('/v1/audio/speech', { ...asked, response_format: 'wav' })).text();
  // Whoever leaves before the report has heard what was said until then.
  const { opened: goOn, open: finish } = gate();
  upstream.script({ ...sseAnswer([spoken(Buffer.concat([second, second, second])), done]), goOn: () => goOn });
  const reader = (await harness.post('/v1/audio/speech', { ...asked, response_format: 'pcm' })).body?.getReader();
  await reader?.read();
  await reader?.cancel();
  const rows = await harness.rows();
  finish();
  assert.equal(
    rows.map(({ completionTokens, facts }) => [completionTokens, facts.usage_estimated, facts.settle_reason]),
    [
      [50, true, 'complete'],
      [100, true, 'complete'],
      [50, true, 'client_gone'],
    ],
  );
});

test('are heard whole, also in an event of more than a megabyte', async ({ start, upstream }) => {
  const harness = await start();
  upstream.script(sseAnswer([spoken(Buffer.alloc(36 * second.length)), done]));
  await (await harness.post('/v1/audio/speech', { ...asked, response_format: 'pcm' })).text();
  assert.is((await harness.rows())[0]?.completionTokens, 600);
});

test('end once the balance is spent, at most one slice below zero', async ({ start, upstream }) => {
  const harness = await start({ user: { quota: 12_000 } });
  upstream.script(sseAnswer([...Array.from({ length: 600 }, () => spoken(second)), done]));
  const text = await (await harness.post('/v1/audio/speech', { ...asked, response_format: 'pcm' })).text();
  assert.match(text, /insufficient_user_quota/);
  const { quota } = await harness.user();
  assert.is((await harness.rows())[0]?.facts.settle_reason, 'quota_exhausted');
  assert.ok(quota >= -512 * 4 && quota < 512 * 4, `balance ${quota}`);
});

test.run();
