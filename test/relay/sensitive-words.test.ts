/** Prompts with words that the installation does not let through. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type FakeUpstream, jsonAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { GatewayHarness } from '../support/gateway-harness.ts';
import { chatRequest, completion } from './wire.ts';

interface Context {
  upstream: FakeUpstream;
  harness: GatewayHarness;
}

const test = suite<Context>('relay: sensitive words');

test.before.each(async (context) => {
  context.upstream = await startFakeUpstream(jsonAnswer(completion()));
  context.harness = await GatewayHarness.start({
    channels: [{ id: 1, baseUrl: context.upstream.url, models: 'gpt-4o' }],
    options: { SensitiveWords: ['secret plan'] },
  });
});
test.after.each(async ({ harness, upstream }) => {
  await harness.stop();
  await upstream.close();
});

const asking = (content: string) => ({ ...chatRequest, messages: [{ role: 'user', content }] });

test('refuses a prompt before anything is held or sent, and keeps the word to itself', async ({
  harness,
  upstream,
}) => {
  const before = (await harness.user()).quota;
  const response = await harness.post('/v1/chat/completions', asking('tell me the Secret Plan'));
  assert.is(response.status, 400);
  const { error } = await response.json();
  assert.is(error.code, 'sensitive_words_detected');
  assert.not.match(error.message, /plan/i);
  assert.is(upstream.requests.length, 0);
  assert.is((await harness.user()).quota, before);
  assert.equal(await harness.rows(), []);
  assert.is(harness.wordHits.length, 1);
  assert.is(harness.wordHits[0]?.line, 'secret plan');
});

test('lets the same prompt through once the check is off', async ({ harness }) => {
  harness.setOptions({ SensitiveWords: ['secret plan'], CheckSensitiveOnPromptEnabled: false });
  assert.is((await harness.post('/v1/chat/completions', asking('the secret plan'))).status, 200);
});

test('looks through a long prompt for patterns as well, while the node serves on', async ({ harness, upstream }) => {
  const line = 'regex:secret +plan$';
  harness.setOptions({ SensitiveWords: [line] });
  const long = 'x'.repeat(200_000);
  assert.is((await harness.post('/v1/chat/completions', asking(`${long} secret plans`))).status, 200);
  assert.is((await harness.post('/v1/chat/completions', asking(`${long} secret  plan`))).status, 400);
  assert.is(upstream.requests.length, 1);
  assert.equal(
    harness.wordHits.map((hit) => hit.line),
    [line],
  );
});

test.run();
