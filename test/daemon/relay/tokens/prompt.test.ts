import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { FormatId } from '../../../../daemon/relay/format.ts';
import type { JsonObject } from '../../../../daemon/relay/json.ts';
import { estimateText } from '../../../../daemon/relay/tokens/estimate.ts';
import { countPrompt, estimatePrompt } from '../../../../daemon/relay/tokens/prompt.ts';
import { readPrompt } from '../../../../daemon/relay/tokens/prompt-parts.ts';
import { TokenCounter } from '../../../../daemon/relay/tokens/token-counter.ts';
import { assertQuick } from '../../../support/processor-time.ts';
import { wav } from '../../../support/sound-files.ts';

const png = (width: number, height: number) => {
  const bytes = Buffer.alloc(24);
  bytes.write('\x89PNG\r\n\x1a\n', 0, 'latin1');
  bytes.write('IHDR', 12, 'latin1');
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return `data:image/png;base64,${bytes.toString('base64')}`;
};
const parts = (format: FormatId, body: JsonObject) => readPrompt(format, body);

const test = suite('prompts');

test('of chat count messages, names, tools and calls in history', () => {
  const read = parts('openai-chat', {
    messages: [
      { role: 'system', content: 's' },
      { role: 'user', name: 'bo', content: [{ type: 'text', text: 't' }] },
      { role: 'assistant', tool_calls: [{ id: 'c', function: { name: 'f', arguments: '{}' } }] },
      { role: 'tool', tool_call_id: 'c', content: 'r' },
    ],
    tools: [
      { type: 'function', function: { name: 'f', description: 'd', parameters: { type: 'object' } } },
      { type: 'function', function: { name: 'g' } },
    ],
  });
  const texts = [
    'system',
    's',
    'user',
    'bo',
    't',
    'assistant',
    'f',
    '{}',
    'tool',
    'r',
    'f',
    'd',
    '{"type":"object"}',
    'g',
  ];
  assert.equal(read.texts, texts);
  assert.is(read.fixed, 3 + 4 * 3 + 1 + 8);
});

test('of chat count media by kind and size', () => {
  const read = parts('openai-chat', {
    messages: [
      {
        role: 'user',
        content: [
          { type: 'image_url', image_url: { url: png(1024, 1024), detail: 'high' } },
          { type: 'image_url', image_url: { url: 'https://x/y.png' } },
          { type: 'input_audio', input_audio: {} },
          { type: 'file', file: {} },
          { type: 'video_url', video_url: {} },
        ],
      },
    ],
  });
  assert.equal(read.images, [
    { size: { width: 1024, height: 1024 }, detail: 'high' },
    { size: undefined, detail: undefined, url: 'https://x/y.png' },
  ]);
  assert.is(read.fixed, 3 + 3 + 256 + 4096 + 8192);
});

test('count sound by the time that it plays, and by a guess where nothing tells', () => {
  const data = wav(6).toString('base64');
  const fixed = (input_audio: JsonObject) =>
    parts('openai-chat', { messages: [{ role: 'user', content: [{ type: 'input_audio', input_audio }] }] }).fixed - 6;
  assert.is(fixed({ data, format: 'wav' }), 100);
  assert.is(fixed({ data: `data:audio/wav;base64,${data}` }), 100);
  assert.is(fixed({ data: wav(7).toString('base64') }), 117);
  assert.equal([fixed({}), fixed({ data: 'https://x/y.wav' }), fixed({ data: 'AAAA' })], [256, 256, 256]);
  const inlineData = { mimeType: 'audio/wav', data };
  assert.is(parts('gemini-generate', { contents: [{ parts: [{ inlineData }] }] }).fixed, 100);
});

test('of the small formats count texts and token ids', () => {
  assert.equal(parts('openai-embeddings', { input: ['a', 'b'] }), { texts: ['a', 'b'], images: [], fixed: 0 });
  assert.is(parts('openai-embeddings', { input: [[1, 2], [3]] }).fixed, 3);
  assert.is(parts('openai-completions', { prompt: [1, 2, 3] }).fixed, 3);
  const moderated = parts('openai-moderations', {
    input: [
      { type: 'text', text: 'a' },
      { type: 'image_url', image_url: {} },
    ],
  });
  assert.equal([moderated.texts, moderated.images.length], [['a'], 0]);
});

test('of Responses count instructions, items and tools', () => {
  const read = parts('openai-responses', {
    instructions: 'i',
    input: [
      {
        role: 'user',
        content: [
          { type: 'input_text', text: 'u' },
          { type: 'input_image', image_url: png(8, 8) },
        ],
      },
      { type: 'function_call', name: 'f', arguments: '{}' },
      { type: 'function_call_output', output: 'o' },
    ],
    tools: [{ type: 'function', name: 'f', parameters: {} }],
  });
  assert.equal(read.texts, ['i', 'user', 'u', 'f', '{}', 'o', 'f', '{}']);
  assert.is(read.images.length, 1);
  assert.is(read.fixed, 3 + 3 * 3 + 8);
});

test('of Responses count tools that come among the items, and each of a namespace', () => {
  const tool = { type: 'function', name: 'f', description: 'd', parameters: {} };
  const namespace = { type: 'namespace', name: 'n', description: '', tools: [tool] };
  const read = parts('openai-responses', { input: [{ type: 'additional_tools', tools: [namespace] }], tools: [tool] });
  assert.equal(read.texts, ['f', 'd', '{}', 'n', 'f', 'd', '{}']);
  assert.is(read.fixed, 3 + 3 + 8);
});

test('of Messages count system, blocks and tools', () => {
  const read = parts('anthropic-messages', {
    system: [{ type: 'text', text: 's' }],
    messages: [
      { role: 'user', content: [{ type: 'tool_result', content: [{ type: 'text', text: 'r' }] }] },
      { role: 'assistant', content: [{ type: 'tool_use', name: 'f', input: { a: 1 } }] },
    ],
    tools: [{ name: 'f', description: 'd', input_schema: {} }],
  });
  assert.equal(read.texts, ['s', 'r', 'f', '{"a":1}', 'f', 'd', '{}']);
  assert.is(read.fixed, 2 * 2 + 3);
});

test('of Gemini count both forms of schemas, what functions show, code that ran and plain instructions', () => {
  const parameters = { type: 'object' };
  const inlineData = { mimeType: 'image/png', data: png(300, 300).split(',')[1] ?? '' };
  const read = parts('gemini-generate', {
    systemInstruction: 's',
    contents: [
      { role: 'model', parts: [{ executableCode: { code: 'c' } }, { codeExecutionResult: { output: 'o' } }] },
      { role: 'user', parts: [{ functionResponse: { name: 'f', response: {}, parts: [{ inlineData }] } }] },
    ],
    tools: [
      { functionDeclarations: [{ name: 'f', parameters }] },
      { function_declarations: [{ name: 'g', parametersJsonSchema: parameters }] },
      { function_declarations: [{ name: 'h', parameters_json_schema: parameters }] },
    ],
  });
  const schema = JSON.stringify(parameters);
  assert.equal(read.texts, ['s', 'c', 'o', 'f', '{}', 'f', schema, 'g', schema, 'h', schema]);
  assert.equal(read.images, [{ size: { width: 300, height: 300 }, detail: undefined }]);
});

test('count tools of free text, what shells were told and said, and pages that were found', () => {
  const grammar = { type: 'grammar', grammar: { syntax: 'lark', definition: 'start: "a"' } };
  const custom = { name: 'f', description: 'd', format: grammar };
  const chat = parts('openai-chat', { messages: [], tools: [{ type: 'custom', custom }] });
  assert.equal(chat.texts, ['f', 'd', JSON.stringify(grammar)]);
  const action = { commands: ['ls'] };
  const responses = parts('openai-responses', {
    input: [
      { type: 'shell_call', call_id: 'c', action },
      { type: 'shell_call_output', call_id: 'c', output: [{ stdout: 'a.txt', stderr: 'none', outcome: {} }] },
    ],
  });
  assert.equal(responses.texts, [JSON.stringify(action), 'a.txt', 'none']);
  const content = [
    { type: 'search_result', source: 'http://a', title: 't', content: [{ type: 'text', text: 'found' }] },
    { type: 'mcp_tool_use', name: 'f', input: {} },
    { type: 'mcp_tool_result', content: [{ type: 'text', text: 'told' }] },
  ];
  const messages = parts('anthropic-messages', { messages: [{ role: 'user', content }] });
  assert.equal(messages.texts, ['t', 'found', 'f', '{}', 'told']);
});

test('are estimated at once, and large ones by their beginning', () => {
  const body = (text: string) => ({ messages: [{ role: 'user', content: text }] });
  const estimate = (text: string) => estimatePrompt({ format: 'openai-chat', model: 'claude-x', body: body(text) });
  assert.is(estimate('hello world'), 6 + estimateText('claude', 'user') + estimateText('claude', 'hello world'));
  const long = 'some words here, '.repeat(200_000);
  const whole = estimateText('claude', long);
  assert.ok(Math.abs(estimate(long) - whole) < whole * 0.01);
});

test('are counted by vocabulary in a thread, and estimated where there is none', async () => {
  const fail = (error: unknown) => {
    throw error;
  };
  const counter = new TokenCounter({ estimator: 'on', timeoutMs: 20_000, idleMs: 50, report: fail });
  const count = (model: string, text: string) =>
    countPrompt(counter, { format: 'openai-embeddings', model, body: { input: text } });
  assert.is(await count('gpt-4o', 'hello world'), 2);
  assert.is(await count('text-embedding-3-small', 'hello <|endoftext|> world'), 8);
  assert.is(await count('claude-x', 'hello world'), Math.ceil(1.13 * 2 + 0.39));
  await assertQuick(5000, async () => assert.ok((await count('gpt-4o', 'a'.repeat(100_000))) > 10_000));
  await counter.close();
});

test('fall back to the estimate when the thread takes too long', async () => {
  const reports: unknown[] = [];
  const report = (error: unknown) => reports.push(error);
  const counter = new TokenCounter({ estimator: 'on', timeoutMs: 1, idleMs: 50, report });
  assert.is(await counter.count('gpt-4o', ['hello world']), estimateText('openai', 'hello world'));
  assert.is(reports.length, 1);
  await counter.close();
});

test('fall back to the estimate when no thread can be started', async () => {
  const reports: unknown[] = [];
  const cause = new Error('no memory for a thread');
  const counter = new TokenCounter({
    estimator: 'on',
    timeoutMs: 20_000,
    idleMs: 50,
    report: (error) => reports.push(error),
    startThread() {
      throw cause;
    },
  });
  assert.is(await counter.count('gpt-4o', ['hello world']), estimateText('openai', 'hello world'));
  assert.equal(reports, [cause]);
  await counter.close();
});

test.run();
