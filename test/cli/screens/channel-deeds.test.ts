/** Tests of channels from their screen: what failed, what no test can tell, and what is nothing about the channels. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ChannelDeeds } from '../../../cli/screens/channel-deeds.ts';
import { resultLines } from '../../../cli/screens/channel-lines.ts';
import { ListState } from '../../../cli/screens/list-state.ts';
import { Refresher } from '../../../cli/screens/refresh.ts';
import type { ChannelView } from '../../../daemon/contract/channels.ts';
import { gate } from '../../support/gate.ts';
import { deskFor } from '../../support/screen-desk.ts';

const channelDeeds = suite('tests of channels from their screen');

function deedsAt(fetch: typeof globalThis.fetch) {
  const desk = deskFor({ lang: 'en', fetch });
  const refresher = new Refresher({ clock: { now: () => 0, after: () => () => undefined }, onAnswer: () => undefined });
  const list = new ListState<ChannelView>(({ id }) => id);
  const deeds = new ChannelDeeds({ desk, refresher, list, onTested: () => undefined, onGone: () => undefined });
  return { desk, deeds };
}

const rowOf = (id: number, name: string) => JSON.parse(JSON.stringify({ id, name }));

/** A server whose tests of the channels come to these codes; "" is a success. */
function testing(codes: Readonly<Record<number, string>>): typeof globalThis.fetch {
  return async (address) => {
    const code = codes[Number(String(address).split('/').at(-1))] ?? '';
    if (code === '') return Response.json({ success: true, message: '', time: 0.5, tokens: 3 });
    return Response.json({ success: false, message: 'no', code, time: 0, tokens: 0 });
  };
}

channelDeeds('say of each test of a channel what came of it, while another one runs', async () => {
  const slow = gate();
  const fetch: typeof globalThis.fetch = async (address) => {
    await (String(address).endsWith('/2') ? new Promise(() => undefined) : slow.opened);
    return Response.json({ success: false, message: 'no such model', code: 'channel_test_failed' });
  };
  const { desk, deeds } = deedsAt(fetch);
  const first = deeds.test([rowOf(1, 'main')]);
  void deeds.test([rowOf(2, 'spare')]);
  slow.open();
  await first;
  assert.match(desk.message?.text ?? '', '1 main failed its test: no such model');
  assert.equal(
    deeds.results.map(({ id, ok }) => [id, ok]),
    [
      [1, false],
      [2, undefined],
    ],
  );
});

channelDeeds('shows what failed first, however many channels are tested at once', async () => {
  const { desk, deeds } = deedsAt(testing({ 29: 'channel_test_failed', 30: 'channel_test_unsupported' }));
  await deeds.test(Array.from({ length: 30 }, (_, at) => rowOf(at + 1, `channel-${at + 1}`)));
  const [head, ...lines] = resultLines(desk, deeds.results);
  assert.is(head, ' Testing 30: 30 done, 1 failed');
  assert.match(lines[0] ?? '', /fail 29 channel-29 {2}no/);
  assert.match(lines[1] ?? '', /\? +30 channel-30/);
  assert.match(lines[2] ?? '', /ok +1 channel-1 /);
  assert.match(desk.message?.text ?? '', '29 channel-29 failed its test');
  assert.not.match(desk.message?.text ?? '', '+1');
});

channelDeeds('calls no channel failed among others that no test suits, and says so of one alone', async () => {
  const { desk, deeds } = deedsAt(testing({ 2: 'channel_test_unsupported' }));
  await deeds.test([rowOf(1, 'main'), rowOf(2, 'painter')]);
  assert.equal([desk.message?.tone, desk.message?.text], ['good', '1 channel passed; of 1 no test can tell']);
  await deeds.test([rowOf(2, 'painter')]);
  assert.is(desk.message?.tone, 'bad');
  assert.match(desk.message?.text ?? '', '2 painter failed its test');
});

channelDeeds('blames no channel for a server that does not answer, or takes no token', async () => {
  const dead = deedsAt(async () => {
    throw new TypeError('fetch failed');
  });
  for (const rows of [[rowOf(1, 'main')], [rowOf(1, 'main'), rowOf(2, 'spare')]]) {
    await dead.deeds.test(rows);
    assert.is(dead.desk.message?.tone, 'bad');
    assert.not.match(dead.desk.message?.text ?? '', 'failed its test');
    assert.equal(dead.deeds.results, []);
  }
  const expired = deedsAt(async () =>
    Response.json({ success: false, message: 'refused', code: 'machine_token_expired' }, { status: 401 }),
  );
  let asked = 0;
  expired.desk.onSignedOut(() => {
    asked += 1;
  });
  await expired.deeds.test([rowOf(1, 'main'), rowOf(2, 'spare')]);
  assert.is(asked, 1, 'the password is asked for');
});

channelDeeds.run();
