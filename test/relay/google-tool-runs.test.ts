/**
 * What Google's built-in tools did beside a client's functions goes back to Google in the next turn, whatever dialect the
 * client speaks, and to nobody else. Runs once: what a vendor is sent is the same on every database.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../daemon/relay/json.ts';
import { at, list } from '../support/checkers/answer.ts';
import { type FakeUpstream, jsonAnswer, sseAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { GatewayHarness } from '../support/gateway-harness.ts';
import { bodyOf, saying } from '../support/speaking-upstream.ts';

interface Context {
  upstream: FakeUpstream;
  harness: GatewayHarness;
}

const test = suite<Context>('relay: tools of Google beside functions');
const model = 'gemini-3.5-flash';

test.before(async (context) => {
  context.upstream = await startFakeUpstream();
  const baseUrl = context.upstream.url;
  context.harness = await GatewayHarness.start({
    channels: [
      { id: 1, type: 24, baseUrl, models: model },
      { id: 2, type: 31, baseUrl, models: 'yi' },
    ],
    options: { ModelRatio: { [model]: 1, yi: 1 } },
  });
});
test.after(async ({ harness, upstream }) => {
  await harness.stop();
  await upstream.close();
});

const parts: JsonObject[] = [
  {
    toolCall: { id: 't1', toolType: 'GOOGLE_SEARCH_WEB', args: { queries: ['price'] } },
    thoughtSignature: 'c2VhcmNo',
  },
  {
    toolResponse: { id: 't1', toolType: 'GOOGLE_SEARCH_WEB', response: { found: '7 €' } },
    thoughtSignature: 'Zm91bmQ=',
  },
  { functionCall: { id: 'f1', name: 'convert', args: { amount: 7 } }, thoughtSignature: 'Y2FsbA==' },
];
const result = { functionResponse: { id: 'f1', name: 'convert', response: { result: '8 $' } } };
const usageMetadata = { promptTokenCount: 9, candidatesTokenCount: 3, totalTokenCount: 12 };
const piece = (said: JsonObject[], end: JsonObject = {}) => ({
  candidates: [{ content: { role: 'model', parts: said }, ...end }],
  usageMetadata,
});

function scripted({ upstream }: Context): void {
  upstream.requests.length = 0;
  upstream.script(({ url }, index) => {
    if (index > 0) return jsonAnswer(piece([{ text: 'It costs 8 $' }], { finishReason: 'STOP' }));
    return url.includes(':streamGenerateContent')
      ? sseAnswer([...parts.map((part) => piece([part])), piece([], { finishReason: 'STOP' })])
      : jsonAnswer(piece(parts, { finishReason: 'STOP' }));
  });
}

async function events(response: Response): Promise<JsonObject[]> {
  const lines = (await response.text()).split('\n').filter((line) => line.startsWith('data: {'));
  return lines.map((line) => JSON.parse(line.slice(6)));
}

const parameters = { type: 'object', properties: { amount: { type: 'number' } } };
const asked = { role: 'user', content: 'What does it cost in dollars?' };
const chat = {
  model,
  tools: [{ type: 'function', function: { name: 'convert', parameters } }],
  web_search_options: {},
};

/** The whole turn of a client: what it is answered, and what it sends next. */
const clients: Record<string, (harness: GatewayHarness) => Promise<Response>> = {
  async 'chat, whole'(harness) {
    const answer: JsonObject = await (
      await harness.post('/v1/chat/completions', { ...chat, messages: [asked] })
    ).json();
    const messages = [asked, at(answer, 'choices', 0, 'message'), { role: 'tool', tool_call_id: 'f1', content: '8 $' }];
    return harness.post('/v1/chat/completions', { ...chat, messages });
  },
  async 'chat, streamed'(harness) {
    const told = await events(await harness.post('/v1/chat/completions', { ...chat, stream: true, messages: [asked] }));
    const gather = (name: string) => told.flatMap((chunk) => list(at(chunk, 'choices', 0, 'delta', name)));
    const [start, ...rest] = gather('tool_calls');
    const call = {
      ...(start as JsonObject),
      function: {
        name: 'convert',
        arguments: [start, ...rest].map((delta) => at(delta, 'function', 'arguments')).join(''),
      },
    };
    const message = { role: 'assistant', thinking_blocks: gather('thinking_blocks'), tool_calls: [call] };
    const messages = [asked, message, { role: 'tool', tool_call_id: 'f1', content: '8 $' }];
    return harness.post('/v1/chat/completions', { ...chat, messages });
  },
  async 'Responses, streamed'(harness) {
    const body = {
      model,
      tools: [{ type: 'function', name: 'convert', parameters }, { type: 'web_search' }],
      include: ['reasoning.encrypted_content'],
    };
    const told = await events(await harness.post('/v1/responses', { ...body, stream: true, input: [asked] }));
    const output = { type: 'function_call_output', call_id: 'f1', output: '8 $' };
    const input = [asked, ...list(at(told.at(-1), 'response', 'output')), output];
    return harness.post('/v1/responses', { ...body, input });
  },
  async 'Messages, streamed'(harness) {
    const body = {
      model,
      max_tokens: 500,
      tools: [
        { name: 'convert', input_schema: parameters },
        { type: 'web_search_20250305', name: 'web_search' },
      ],
    };
    const told = await events(await harness.post('/v1/messages', { ...body, stream: true, messages: [asked] }));
    const blocks = told.flatMap((event) => (event.type === 'content_block_start' ? [event.content_block] : []));
    const content = blocks.map((block) =>
      at(block, 'type') === 'tool_use' ? { ...Object(block), input: { amount: 7 } } : block,
    );
    const results = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'f1', content: '8 $' }] };
    return harness.post('/v1/messages', { ...body, messages: [asked, { role: 'assistant', content }, results] });
  },
};

for (const [client, turns] of Object.entries(clients)) {
  test(`are told again as they came by a client of ${client}`, async (context) => {
    scripted(context);
    const done = await turns(context.harness);
    const text = await done.text();
    assert.is(done.status, 200, text);
    assert.match(text, 'It costs 8 $');
    const sent = bodyOf(context.upstream.requests.at(-1));
    assert.equal(at(sent, 'contents', 1), { role: 'model', parts });
    assert.equal(at(sent, 'contents', 2), { role: 'user', parts: [result] });
  });
}

test('are passed on as they are to a client of Gemini whose request had to be converted', async (context) => {
  scripted(context);
  const foreign = Buffer.from('tollgate:anthropic-messages\nabc').toString('base64');
  const contents = [
    { role: 'user', parts: [{ text: 'go' }] },
    { role: 'model', parts: [{ text: 'Hm', thought: true, thoughtSignature: foreign }, ...parts] },
    { role: 'user', parts: [result] },
  ];
  const path = `/v1beta/models/${model}:streamGenerateContent?alt=sse`;
  const told = await events(await context.harness.post(path, { contents }));
  const said = told.flatMap((event) => list(at(event, 'candidates', 0, 'content', 'parts')));
  assert.equal(said.slice(0, 2), parts.slice(0, 2));
  const sent = bodyOf(context.upstream.requests[0]);
  assert.equal(at(sent, 'contents', 1), { role: 'model', parts });
});

test('are told to no other vendor', async (context) => {
  scripted(context);
  const first = await context.harness.post('/v1/chat/completions', { ...chat, messages: [asked] });
  const message = at(await first.json(), 'choices', 0, 'message');
  context.upstream.script(saying({ text: 'done' }));
  const messages = [asked, message, { role: 'tool', tool_call_id: 'f1', content: '8 $' }];
  const done = await context.harness.post('/v1/chat/completions', { model: 'yi', messages });
  assert.is(done.status, 200, await done.text());
  const sent = bodyOf(context.upstream.requests.at(-1));
  assert.equal(
    list(at(sent, 'messages')).map((one) => at(one, 'thinking_blocks')),
    [undefined, undefined, undefined],
  );
});

test.run();
