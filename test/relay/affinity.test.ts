/** Where the turns of a conversation go, and when they go elsewhere (relay.md 11.9). */
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type FakeUpstream, jsonAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { GatewayHarness } from '../support/gateway-harness.ts';
import { chatRequest, completion } from './wire.ts';

interface Context {
  /** Of channels 1 to 3, in the order of their names. */
  upstreams: readonly [FakeUpstream, FakeUpstream, FakeUpstream];
  /** Channels 1 and 2, the first of which is asked first. */
  start: (rule?: { readonly skip_retry_on_failure: boolean }) => Promise<GatewayHarness>;
  started: GatewayHarness[];
}

const test = suite<Context>('relay: channels of conversations');
const good = jsonAnswer(completion());
const broken = jsonAnswer({ error: { message: 'broke down' } }, 500);
const limited = (seconds: number) =>
  jsonAnswer({ error: { message: 'slow down' } }, 429, { 'retry-after': String(seconds) });

/** Each channel after the priority that it has. */
const channelsOf = (upstreams: Context['upstreams'], ...priorities: number[]) =>
  priorities.map((priority, at) => ({ id: at + 1, baseUrl: upstreams[at]?.url ?? '', models: 'gpt-4o', priority }));

test.before.each(async (context) => {
  const upstreams = [
    await startFakeUpstream(good),
    await startFakeUpstream(good),
    await startFakeUpstream(good),
  ] as const;
  context.upstreams = upstreams;
  context.started = [];
  context.start = async (rule) => {
    const key_sources = [{ type: 'header', key: 'X-Session' } as const];
    const rules = [{ name: 'session', key_sources, ...rule }];
    const memory = { enabled: true, default_ttl_seconds: 3600, max_entries: 100, switch_on_success: false, rules };
    const harness = await GatewayHarness.start({
      channels: channelsOf(upstreams, 10, 5),
      options: { RetryTimes: 1, channel_affinity: memory },
    });
    context.started.push(harness);
    return harness;
  };
});
test.after.each(async ({ upstreams, started }) => {
  for (const harness of started) await harness.stop();
  await Promise.all(upstreams.map((upstream) => upstream.close()));
});

/** The channels that a turn of a conversation asked, with its status at the end. */
async function turn({ upstreams }: Context, harness: GatewayHarness, session: string): Promise<(string | number)[]> {
  for (const { requests } of upstreams) requests.length = 0;
  const answer = await harness.post('/v1/chat/completions', chatRequest, { headers: { 'x-session': session } });
  await answer.arrayBuffer();
  await harness.settled();
  const asked = ['first', 'second', 'third'].filter((_, at) => (upstreams[at]?.requests.length ?? 0) > 0);
  return [...asked, answer.status];
}

/** Begins conversations while the first channel is broken, so that the second has them. */
async function beginAtSecond(context: Context, harness: GatewayHarness, ...sessions: string[]): Promise<void> {
  context.upstreams[0].script(broken);
  for (const session of sessions) assert.equal(await turn(context, harness, session), ['first', 'second', 200]);
  context.upstreams[0].script(good);
}

test('returns a conversation to the channel that answered it, and no other', async (context) => {
  const harness = await context.start();
  await beginAtSecond(context, harness, 'a');
  assert.equal(await turn(context, harness, 'a'), ['second', 200]);
  assert.equal(await turn(context, harness, 'b'), ['first', 200]);
});

test('lets a conversation go elsewhere when its channel fails, and leaves it there', async (context) => {
  const harness = await context.start();
  await beginAtSecond(context, harness, 'a');
  context.upstreams[1].script(broken);
  assert.equal(await turn(context, harness, 'a'), ['first', 'second', 200]);
  context.upstreams[1].script(good);
  assert.equal(await turn(context, harness, 'a'), ['first', 200]);
});

test('ends a call where its conversation is kept, if the rule says so, and only there', async (context) => {
  const harness = await context.start({ skip_retry_on_failure: true });
  // A conversation that is nowhere yet may be begun anywhere.
  await beginAtSecond(context, harness, 'a');
  context.upstreams[1].script(broken);
  assert.equal(await turn(context, harness, 'a'), ['second', 500]);
});

test('sends a conversation elsewhere while its channel cools, and back once it does not', async (context) => {
  const harness = await context.start();
  await beginAtSecond(context, harness, 'a', 'b');
  context.upstreams[1].script(limited(2));
  assert.equal(await turn(context, harness, 'b'), ['first', 'second', 200]);
  context.upstreams[1].script(good);
  assert.equal(await turn(context, harness, 'a'), ['first', 200]);
  await sleep(2100);
  assert.equal(await turn(context, harness, 'a'), ['second', 200]);
});

test('leaves a conversation where it went while its channel cooled for more than a minute', async (context) => {
  const harness = await context.start();
  await beginAtSecond(context, harness, 'a', 'b');
  context.upstreams[1].script(limited(90));
  assert.equal(await turn(context, harness, 'b'), ['first', 'second', 200]);
  assert.equal(await turn(context, harness, 'a'), ['first', 200]);
  // Whoever knows nothing of it would be asked first.
  harness.setChannels(channelsOf(context.upstreams, 10, 5, 20));
  assert.equal(await turn(context, harness, 'a'), ['first', 200]);
  assert.equal(await turn(context, harness, 'c'), ['third', 200]);
});

test.run();
