/** Limits by the minute of the groups that a key of several stands for (REQ-23, relay.md 11.4). */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { RateLimitTable } from '../../daemon/contract/rate-limits.ts';
import { askAtOnce } from '../support/ask-at-once.ts';
import { type Answer, jsonAnswer } from '../support/fake-upstream.ts';
import type { GatewayHarness } from '../support/gateway-harness.ts';
import { type HarnessStarts, startsHarnesses } from '../support/harness-starts.ts';
import { chatRequest, completion } from './wire.ts';

const test = suite<HarnessStarts>('relay: limits of the groups of one key');

startsHarnesses(test);

const groups = ['first', 'second'];

/** A channel for each group; keys of `auto` ask the groups in this order. */
function limited({ start, upstream }: HarnessStarts, table: RateLimitTable, channel: object = { models: 'gpt-4o' }) {
  return start({
    token: { group: 'auto' },
    options: {
      RetryTimes: 1,
      RateLimits: table,
      AutoGroups: groups,
      UserUsableGroups: { auto: 'auto', first: 'first', second: 'second' },
      GroupRatio: { default: 1, first: 2, second: 1 },
    },
    channels: groups.map((group, index) => ({ id: index + 1, baseUrl: upstream.url, group, ...channel })),
  });
}

interface Said {
  status: number;
  code: unknown;
  /** Limit and remaining of requests. */
  left: (string | null)[];
}

async function ask(harness: GatewayHarness): Promise<Said> {
  const answer = await harness.post('/v1/chat/completions', chatRequest);
  const { error } = await answer.json();
  const left = ['limit', 'remaining'].map((part) => answer.headers.get(`x-ratelimit-${part}-requests`));
  return { status: answer.status, code: error?.code, left };
}

/** Where the calls so far were served, in their order. */
async function servedIn(harness: GatewayHarness): Promise<string[]> {
  return (await harness.rows()).map(({ group }) => group);
}

const brokenDown: Answer = jsonAnswer({ error: { message: 'broke down' } }, 500);

test('a group without room is passed over, and the call is refused where none has any', async (world) => {
  const harness = await limited(world, { group: { first: { rpm: 2 }, second: { rpm: 1 } } });
  world.upstream.script(jsonAnswer(completion()));
  const said: Said[] = [];
  for (let call = 0; call < 4; call += 1) said.push(await ask(harness));
  assert.equal(
    said.map(({ status, left }) => [status, ...left]),
    [
      [200, '2', '1'],
      [200, '2', '0'],
      [200, '1', '0'],
      [429, '1', '0'],
    ],
  );
  assert.is(said[3]?.code, 'rate_limited:group_rpm');
  assert.equal(await servedIn(harness), ['first', 'first', 'second']);
  assert.is(world.upstream.requests.length, 3);
  // Two at the first group's prices, one at the second's.
  const { quota, usedQuota } = await harness.user();
  const [dear, , cheap] = await harness.rows();
  assert.is(usedQuota, 2 * (dear?.quota ?? 0) + (cheap?.quota ?? 0));
  assert.is((dear?.quota ?? 0) / 2, cheap?.quota);
  assert.ok(quota > 0);
});

test('what one group could not answer counts in the one that does', async (world) => {
  const harness = await limited(world, { group: { first: { rpm: 1 }, second: { rpm: 2 } } });
  // The first call fails in the first group, whose room is free again for the second call.
  world.upstream.script((_request, index) => (index === 0 ? brokenDown : jsonAnswer(completion())));
  for (let call = 0; call < 3; call += 1) assert.is((await ask(harness)).status, 200, `call ${call}`);
  assert.equal(await servedIn(harness), ['second', 'first', 'second']);
  assert.equal([(await ask(harness)).code, world.upstream.requests.length], ['rate_limited:group_rpm', 4]);
});

test('a call that fails is refused where the group after it has no room', async (world) => {
  const harness = await limited(world, { group: { second: { rpm: 1 } } });
  world.upstream.script((_request, index) => (index === 1 ? jsonAnswer(completion()) : brokenDown));
  assert.is((await ask(harness)).status, 200);
  const { status, code } = await ask(harness);
  assert.equal([status, code, world.upstream.requests.length], [429, 'rate_limited:group_rpm', 3]);
  const { quota } = await harness.user();
  assert.is((await harness.user()).usedQuota + quota, 100_000_000);
});

test('calls at once take their places in the group that serves them', async (world) => {
  const harness = await limited(world, { group: { '*': { concurrency: 1 } } });
  const answer = jsonAnswer(completion());
  const said = await askAtOnce({ upstream: world.upstream, answer, calls: 3, room: 2 }, () => ask(harness));
  assert.equal(said.map(({ status }) => status).sort(), [200, 200, 429]);
  assert.equal((await servedIn(harness)).sort(), ['first', 'second']);
  assert.is((await ask(harness)).status, 200, 'places are free again');
});

test('tokens count as they are billed, in the group that served them', async (world) => {
  const harness = await limited(world, { group: { first: { tpm: 30 } } });
  // 17 tokens each: the second call is let in with 13 left, the third finds none.
  world.upstream.script(jsonAnswer(completion()));
  for (let call = 0; call < 3; call += 1) {
    await ask(harness);
    await harness.settled();
  }
  assert.equal(await servedIn(harness), ['first', 'first', 'second']);
});

test('orders of tasks go to the next group, too', async (world) => {
  const songs = { type: 36, models: 'suno_lyrics' };
  const harness = await limited(world, { group: { '*': { rpm: 1 } } }, songs);
  world.upstream.script((_request, index) => jsonAnswer({ code: 'success', message: '', data: `t-${index}` }));
  const statuses: number[] = [];
  for (let order = 0; order < 3; order += 1) {
    const { status } = await harness.post('/suno/submit/lyrics', { prompt: 'hi' });
    statuses.push(status);
    await harness.settled();
  }
  assert.equal([statuses, world.upstream.requests.length], [[200, 200, 429], 2]);
  assert.equal(await servedIn(harness), ['first', 'second']);
});

test.run();
