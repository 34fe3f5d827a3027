/** Where a conversation stays, and until when (relay.md 11.9, REQ-18). Runs once: it looks at who is asked. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type FakeUpstream, jsonAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { GatewayHarness, type HarnessChannel } from '../support/gateway-harness.ts';
import { completion } from './wire.ts';

interface Context {
  upstreams: FakeUpstream[];
  harness: GatewayHarness;
  /** Channels 1, 2, 3, of which none comes before another. */
  channels: HarnessChannel[];
}

const test = suite<Context>('relay: kept conversations');
const good = jsonAnswer(completion());
const refusal = (status: number) => jsonAnswer({ error: { message: `refused ${status}`, type: 'some_error' } }, status);

test.before.each(async (context) => {
  context.upstreams = await Promise.all([good, good, good].map((answer) => startFakeUpstream(answer)));
  context.channels = context.upstreams.map(({ url }, index) => ({ id: index + 1, baseUrl: url, models: 'gpt-4o' }));
  context.harness = await GatewayHarness.start({ channels: context.channels, options: { RetryTimes: 2 } });
});
test.after.each(async ({ harness, upstreams }) => {
  await harness.stop();
  await Promise.all(upstreams.map((upstream) => upstream.close()));
});

const counts = ({ upstreams }: Context) => upstreams.map(({ requests }) => requests.length);
const talk = {
  model: 'gpt-4o',
  messages: [
    { role: 'user', content: 'hello' },
    { role: 'assistant', content: 'hi' },
    { role: 'user', content: 'go on' },
  ],
};

test('stay on the channel that answered, and after a failure with whoever answered in its place', async (context) => {
  const { harness, upstreams } = context;
  for (let turn = 0; turn < 12; turn += 1) await harness.post('/v1/chat/completions', talk);
  assert.equal(
    counts(context).filter((count) => count > 0),
    [12],
  );
  upstreams.find(({ requests }) => requests.length > 0)?.script(refusal(500));
  for (let turn = 0; turn < 6; turn += 1)
    assert.is((await harness.post('/v1/chat/completions', talk)).status, 200, `turn ${turn}`);
  assert.equal(counts(context).sort(), [0, 13, 6]);
});

test('return to no channel that failed them, also where nobody answered in its place', async (context) => {
  const { harness, upstreams, channels } = context;
  const [first, second] = channels;
  if (first === undefined || second === undefined) throw new Error('no channels');
  harness.setChannels([first]);
  assert.is((await harness.post('/v1/chat/completions', talk)).status, 200);
  harness.setChannels([first, { ...second, priority: 9 }]);
  harness.setOptions({ RetryTimes: 0 });
  assert.is((await harness.post('/v1/chat/completions', talk)).status, 200);
  assert.equal(counts(context), [2, 0, 0]);
  // A refusal that pauses no channel: only what is remembered of the conversation can send it elsewhere.
  upstreams[0]?.script(refusal(404));
  assert.is((await harness.post('/v1/chat/completions', talk)).status, 404);
  upstreams[0]?.script(good);
  assert.is((await harness.post('/v1/chat/completions', talk)).status, 200);
  assert.equal(counts(context), [3, 1, 0]);
});

test.run();
