/** In which language clients are told of upstreams that said nothing readable (relay.md 4.1). Runs once: it looks at the wire. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type FakeUpstream, jsonAnswer, sseAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { GatewayHarness } from '../support/gateway-harness.ts';
import { chatRequest, chunk, roleChunk } from './wire.ts';

interface World {
  upstream: FakeUpstream;
  harness: GatewayHarness;
}

const test = suite<World>('relay: languages of refusals');

test.before.each(async (world) => {
  world.upstream = await startFakeUpstream();
  const baseUrl = world.upstream.url;
  // Enough of them that each call finds one that is not cooling.
  const ids = Array.from({ length: 12 }, (_, at) => at + 1);
  world.harness = await GatewayHarness.start({ channels: ids.map((id) => ({ id, baseUrl, models: 'gpt-4o' })) });
});
test.after.each(async ({ harness, upstream }) => {
  await harness.settled();
  await harness.stop();
  await upstream.close();
});

const paths = ['/v1/chat/completions', '/v1/messages'];

async function ask({ harness }: World, path: string, asked: { language: string; stream?: boolean }): Promise<string> {
  const { language, stream = false } = asked;
  const headers = { 'accept-language': language };
  return (await harness.post(path, { ...chatRequest, max_tokens: 100, stream }, { headers })).text();
}

for (const [answer, zh, en] of [
  [{ end: 'reset' }, '上游连接失败', 'upstream connection failed'],
  [jsonAnswer({}), '上游返回了空响应', 'The upstream returned an empty answer'],
  [{ chunks: ['<p>'] }, '无法解析上游响应', 'The upstream answer could not be read'],
] as const) {
  test(`says "${en}" in the language of the client`, async (world) => {
    world.upstream.script(answer);
    for (const path of paths) {
      assert.match(await ask(world, path, { language: 'zh-CN' }), `"message":"${zh} (request id: `);
      assert.match(await ask(world, path, { language: 'en' }), `"message":"${en} (request id: `);
    }
  });
}

test('says in the language of the client that a stream broke off', async (world) => {
  world.upstream.script(sseAnswer([roleChunk, chunk({ content: 'Hello' })], { end: 'reset' }));
  for (const path of paths) {
    const told = await ask(world, path, { language: 'zh-CN', stream: true });
    assert.match(told, '"message":"上游响应中断 (request id: ');
  }
});

test.run();
