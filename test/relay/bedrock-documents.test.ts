/** Documents for models on Bedrock that are asked in Converse, which names their form. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { asObject, asObjects, parseJson } from '../../daemon/relay/formats/fields.ts';
import { jsonAnswer } from '../support/fake-upstream.ts';
import { type HarnessStarts, startsHarnesses } from '../support/harness-starts.ts';

const test = suite<HarnessStarts>('relay: documents on Bedrock');

startsHarnesses(test);

const model = 'nova-pro';
const office = 'application/vnd.openxmlformats-officedocument';
const data = Buffer.from('a,b').toString('base64');

function question(type: string) {
  const file = { filename: 'a', file_data: `data:${type};base64,${data}` };
  return { model, messages: [{ role: 'user', content: [{ type: 'file', file }] }] };
}

test('a document is sent as what it is, and refused where nobody reads it', async ({ start, upstream }) => {
  const keys = ['AKIAIOSFODNN7EXAMPLE|secret-of-the-key|eu-west-1'];
  const channel = { id: 1, type: 33, baseUrl: upstream.url, models: model, keys };
  const harness = await start({ channels: [channel], options: { ModelRatio: { [model]: 1 } } });
  const message = { role: 'assistant', content: [{ text: 'pong' }] };
  const usage = { inputTokens: 3, outputTokens: 2, totalTokens: 5 };
  upstream.script(jsonAnswer({ output: { message }, stopReason: 'end_turn', usage }));
  for (const [type, format] of [
    ['application/pdf', 'pdf'],
    ['application/msword', 'doc'],
    [`${office}.wordprocessingml.document`, 'docx'],
    ['application/vnd.ms-excel', 'xls'],
    [`${office}.spreadsheetml.sheet`, 'xlsx'],
    ['text/csv', 'csv'],
    ['text/html', 'html'],
    ['text/markdown', 'md'],
    ['text/plain', 'txt'],
    ['application/json', 'txt'],
  ] as const) {
    const response = await harness.post('/v1/chat/completions', question(type));
    assert.is(response.status, 200, await response.text());
    const sent = asObject(parseJson(String(upstream.requests.at(-1)?.body)));
    const [document] = asObjects(asObjects(sent?.messages)[0]?.content).flatMap((block) => block.document ?? []);
    assert.equal([asObject(document)?.format, asObject(document)?.source], [format, { bytes: data }], type);
  }
  const refused = await harness.post('/v1/chat/completions', question('application/zip'));
  assert.is(refused.status, 400);
  assert.match(await refused.text(), 'is neither PDF, text nor a document of Word or Excel');
});

test.run();
