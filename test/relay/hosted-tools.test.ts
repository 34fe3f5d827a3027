/**
 * Tools that an upstream ran for a stream are charged as far as it said that they ran, each in a row of its own
 * (relay.md 5.10, 15.6, 15.8). Runs once: it looks at rows, whichever database holds them.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type FakeUpstream, jsonAnswer, sseAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { GatewayHarness } from '../support/gateway-harness.ts';
import { recordedAnswer } from '../support/recorded-call.ts';

interface Context {
  upstream: FakeUpstream;
  harness: GatewayHarness;
}

const test = suite<Context>('relay: hosted tools');

const model = 'gpt-4.1-mini';
const claude = 'claude-sonnet-4-5';

test.before(async (context) => {
  context.upstream = await startFakeUpstream();
  const { url: baseUrl } = context.upstream;
  context.harness = await GatewayHarness.start({
    channels: [
      { id: 1, baseUrl, models: model },
      { id: 2, type: 14, baseUrl, models: claude },
    ],
  });
});
test.after(async ({ harness, upstream }) => {
  await harness.stop();
  await upstream.close();
});

const asked = {
  model,
  input: 'A raccoon that waves',
  tools: [{ type: 'image_generation' }],
  stream: true,
  reasoning: { effort: 'low' },
};
const event = (type: string, rest: object) => ({ type, ...rest });
const done = (item: object) => event('response.output_item.done', { output_index: 0, item });

/** The rows that one stream leaves. */
async function rowsOf({ harness }: Context) {
  const before = (await harness.rows()).length;
  await (await harness.post('/v1/responses', asked)).text();
  return (await harness.rows()).slice(before);
}

test('a picture of a recorded stream costs what the table says of its look', async (context) => {
  context.upstream.script(recordedAnswer('azure/oa-responses--azure-image-generation-tool-1-stream'));
  const [main, tool, ...others] = await rowsOf(context);
  // (1979 + 67 x 4) x 0.2, and 0.042 USD.
  assert.equal([main?.quota, tool?.quota, others.length], [449, 21_000, 0]);
  const image = { model: 'gpt-image-1', size: '1024x1024', quality: 'medium' };
  assert.equal(tool?.facts.tool, { name: 'image_generation', count: 1, price: 0.042, per: 1, image });
  assert.equal([main?.facts.usage_estimated, main?.facts.reasoning_effort], [undefined, 'low']);
});

test('a stream that breaks off is charged for the tools whose calls were over', async (context) => {
  const picture = {
    type: 'image_generation_call',
    id: 'ig_1',
    status: 'generating',
    size: '1024x1024',
    quality: 'high',
  };
  const response = { id: 'resp_1', object: 'response', status: 'in_progress', model, output: [], tools: [] };
  const container = { type: 'code_interpreter_call', status: 'completed', container_id: 'cntr_1' };
  context.upstream.script(
    sseAnswer(
      [
        event('response.created', { response: { ...response, tools: [{ type: 'web_search_preview' }] } }),
        done({ type: 'web_search_call', id: 'ws_1', status: 'completed' }),
        event('response.output_item.added', { output_index: 0, item: { ...picture, status: 'in_progress' } }),
        done({ ...picture, result: 'a'.repeat(1_200_000) }),
        done({ ...container, id: 'ci_1' }),
        done({ ...container, id: 'ci_2' }),
        done({ type: 'file_search_call', id: 'fs_1', status: 'in_progress' }),
      ],
      // Each is read before the next: nothing is while the books are asked for what it costs.
      { end: 'reset', pauseMs: 20, goOn: () => context.harness.ledger.drain() },
    ),
  );
  const [main, ...tools] = await rowsOf(context);
  assert.equal([main?.facts.settle_reason, main?.facts.usage_estimated], ['upstream_eof', true]);
  assert.equal(
    tools.map(({ quota, facts }) => [quota, facts.settle_reason]),
    [
      [12_500, 'upstream_eof'],
      [15_000, 'upstream_eof'],
      [83_500, 'upstream_eof'],
    ],
  );
});

for (const stream of [false, true]) {
  test(`searches cost what the tool does that was asked for, where the answer names none (${stream ? 'streamed' : 'whole'})`, async (context) => {
    const { harness, upstream } = context;
    const usage = { input_tokens: 1000, output_tokens: 100, total_tokens: 1100 };
    const output = [1, 2].map((at) => ({ type: 'web_search_call', id: `ws_${at}`, status: 'completed' }));
    const response = { id: 'resp_1', object: 'response', status: 'completed', model, output, usage };
    for (const [types, quota, name] of [
      [['web_search_preview'], 25_000, 'web_search_preview'],
      [['web_search'], 10_000, 'web_search'],
      [['web_search_preview', 'web_search'], 10_000, 'web_search'],
      // A stored prompt brings tools of its own.
      [['file_search'], 10_000, 'web_search'],
    ] as const) {
      upstream.script(stream ? sseAnswer([event('response.completed', { response })]) : jsonAnswer(response));
      const before = (await harness.rows()).length;
      const tools = types.map((type) => ({ type }));
      await (await harness.post('/v1/responses', { model, input: 'news', tools, stream })).text();
      const [, search] = (await harness.rows()).slice(before);
      const shown = Object(search?.facts.tool);
      assert.equal([search?.quota, shown.name, shown.count], [quota, name, 2], String(types));
    }
  });
}

for (const path of ['/v1/messages', '/v1/chat/completions']) {
  test(`searches of Claude's that brought results are charged before the last report, too (${path})`, async (context) => {
    const { harness, upstream } = context;
    const message = { id: 'msg_1', type: 'message', role: 'assistant', model: claude, content: [], stop_reason: null };
    const block = (index: number, content_block: object) => [
      event('content_block_start', { index, content_block }),
      event('content_block_stop', { index }),
    ];
    const result = (content: unknown) => ({ type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content });
    const begun = [
      event('message_start', { message: { ...message, usage: { input_tokens: 12, output_tokens: 1 } } }),
      ...block(
        0,
        result([{ type: 'web_search_result', url: 'https://a.example', title: 'a', encrypted_content: 'x' }]),
      ),
      ...block(1, result({ type: 'web_search_tool_result_error', error_code: 'max_uses_exceeded' })),
      event('content_block_start', { index: 2, content_block: { type: 'text', text: '' } }),
      event('content_block_delta', { index: 2, delta: { type: 'text_delta', text: 'found' } }),
    ];
    const usage = { output_tokens: 6, server_tool_use: { web_search_requests: 3 } };
    const ended = [
      event('content_block_stop', { index: 2 }),
      event('message_delta', { delta: { stop_reason: 'end_turn' }, usage }),
      event('message_stop', {}),
    ];
    const body = { model: claude, max_tokens: 100, messages: [{ role: 'user', content: 'hi' }], stream: true };
    for (const [events, ending, count] of [
      [begun, 'reset', 1],
      [[...begun, ...ended], 'clean', 3],
    ] as const) {
      upstream.script(sseAnswer(events, { end: ending }));
      const before = (await harness.rows()).length;
      await (await harness.post(path, body)).text();
      const [main, tool] = (await harness.rows()).slice(before);
      assert.equal(tool?.facts.tool, { name: 'claude_web_search', count, price: 10, per: 1000 });
      assert.is(tool?.quota, count * 5000);
      assert.is(main?.facts.settle_reason, ending === 'reset' ? 'upstream_eof' : 'complete');
    }
  });
}

test.run();
