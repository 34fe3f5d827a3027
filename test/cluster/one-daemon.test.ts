/** What a daemon is told, it honours itself as soon as it has answered (REQ-17). */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';
import { answeredChat } from '../support/daemon-pair.ts';
import { type FakeUpstream, jsonAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { changes, pausingPath } from './cluster-changes.ts';

interface World {
  daemon: TestDaemon;
  upstream: FakeUpstream;
}

const test = suite<World>('one daemon');

test.before(async (world) => {
  const paused = new Set<string>();
  world.upstream = await startFakeUpstream(({ url }) => {
    if (!url.startsWith(`/${pausingPath}`) || paused.has(url)) return answeredChat;
    paused.add(url);
    return jsonAnswer({ error: { message: 'slow down' } }, 429, { 'retry-after': '250' });
  });
  world.daemon = await startTestDaemon();
});
test.after(async ({ daemon, upstream }) => {
  await daemon.stop();
  await upstream.close();
});

for (const { name, prepare } of changes) {
  test(`honours at once that ${name}`, async ({ daemon, upstream }) => {
    const change = await prepare({ first: daemon, second: daemon, upstreamUrl: upstream.url });
    assert.ok(await change.isAsBefore());
    await change.act();
    // The one call that a new limit allows is the first look.
    assert.ok((await change.isHonoured()) || (await change.isHonoured()));
  });
}

test.run();
