/**
 * Tools that an upstream ran for a Responses stream are charged as far as it said that they ran, each in a row of its own
 * (relay.md 5.10, 15.6, 15.8). Runs once: it looks at rows, whichever database holds them.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type FakeUpstream, sseAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { GatewayHarness } from '../support/gateway-harness.ts';
import { recordedAnswer } from '../support/recorded-call.ts';

interface Context {
  upstream: FakeUpstream;
  harness: GatewayHarness;
}

const test = suite<Context>('relay: hosted tools');

const model = 'gpt-4.1-mini';

test.before(async (context) => {
  context.upstream = await startFakeUpstream();
  context.harness = await GatewayHarness.start({ channels: [{ id: 1, baseUrl: context.upstream.url, models: model }] });
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
      { end: 'reset' },
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

test.run();
