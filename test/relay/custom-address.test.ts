/**
 * Addresses as operators enter them, and what is asked: those of custom channels are whole URLs (providers/custom.md).
 * Runs once: what is sent to a vendor, and made of its answer, is the same on every database.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';
import { type FakeUpstream, jsonAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { chatRequest, completion } from './wire.ts';

interface World {
  daemon: TestDaemon;
  upstream: FakeUpstream;
  key: string;
}

const test = suite<World>('relay: custom addresses');

test.before(async (world) => {
  world.upstream = await startFakeUpstream(jsonAnswer(completion()));
  world.daemon = await startTestDaemon();
  world.key = await world.daemon.addKey();
});
test.after(async ({ daemon, upstream }) => {
  await daemon.stop();
  await upstream.close();
});

const custom = 8;
const openai = 1;
/** Type, what is entered behind the host, what is kept of it, what is asked. */
const addresses: readonly [type: number, entered: string, kept: string, asked: string][] = [
  [custom, '/openai/{model}/chat', '/openai/{model}/chat', '/openai/gpt-4o/chat'],
  // The slash that every form takes away.
  [custom, '/openai/{model}/chat/', '/openai/{model}/chat', '/openai/gpt-4o/chat'],
  // For an upstream that wants one.
  [custom, '/openai/{model}/chat//', '/openai/{model}/chat/', '/openai/gpt-4o/chat/'],
  [custom, '/chat?code=ab/', '/chat?code=ab/', '/chat?code=ab/'],
  [custom, '/chat/?code=a%2Fb', '/chat/?code=a%2Fb', '/chat/?code=a%2Fb'],
  [openai, '/', '', '/v1/chat/completions'],
  [openai, '/v1/', '/v1', '/v1/chat/completions'],
  [openai, '//', '/', '/v1/chat/completions'],
];
for (const [type, entered, kept, asked] of addresses) {
  test(`${entered} of type ${type} is kept as "${kept}" and asked as ${asked}`, async ({ daemon, upstream, key }) => {
    const id = await daemon.addChannel({ type, base_url: upstream.url + entered, models: 'gpt-4o' });
    try {
      assert.is((await daemon.root.channels.get({ id })).base_url, upstream.url + kept);
      upstream.requests.length = 0;
      const response = await fetch(`${daemon.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify(chatRequest),
      });
      assert.is(response.status, 200, await response.text());
      assert.is(upstream.requests[0]?.url, asked);
    } finally {
      await daemon.root.channels.delete({ id });
    }
  });
}

test('models are listed beside an address of chats, and of no other is its own address asked for them', async (world) => {
  const { daemon, upstream } = world;
  const listed = (address: string) =>
    daemon.root.channels.fetchModelsDraft({ type: custom, key: 'k', base_url: upstream.url + address });
  upstream.script(jsonAnswer({ object: 'list', data: [{ id: 'one' }] }));
  try {
    upstream.requests.length = 0;
    assert.equal(await listed('/api/chat/completions'), ['one']);
    const failure = await listed('/api/{model}/run?code=ab').catch((error: unknown) => error);
    assert.match(String(failure), /该渠道不提供模型列表/);
    assert.equal(
      upstream.requests.map(({ url }) => url),
      ['/api/models'],
    );
  } finally {
    upstream.script(jsonAnswer(completion()));
  }
});

test.run();
