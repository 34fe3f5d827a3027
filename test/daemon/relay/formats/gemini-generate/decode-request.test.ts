import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { TollgateError } from '../../../../../daemon/errors.ts';
import { geminiGenerate } from '../../../../../daemon/relay/formats/gemini-generate/index.ts';
import { chatFormats } from '../../../../../daemon/relay/formats/index.ts';
import type { JsonObject } from '../../../../../daemon/relay/json.ts';
import { testScope } from '../../../../conformance/scope.ts';

const test = suite('Gemini request decoder');

const isRefused = (field: string) => (error: unknown) => error instanceof TollgateError && error.field === field;

function decode(body: JsonObject) {
  return geminiGenerate.decodeRequest({ contents: [{ parts: [{ text: 'Hello' }] }], ...body });
}

test('reads both spellings of keys', () => {
  const request = decode({
    system_instruction: { parts: [{ text: 'Be kind' }] },
    generation_config: { max_output_tokens: 5, thinking_config: { thinking_budget: 0 } },
    tools: [
      {
        function_declarations: [
          { name: 'f', parameters: { type: 'OBJECT', properties: { max_size: { type: 'STRING' } } } },
        ],
      },
    ],
  });
  assert.is(request.maxTokens, 5);
  assert.is(request.reasoning?.mode, 'disabled');
  const [tool] = request.tools;
  // Names of the client's are not keys of the wire.
  assert.equal(tool?.kind === 'function' && tool.parameters, {
    type: 'object',
    properties: { max_size: { type: 'string' } },
  });
});

test('reads numbers in quotes, as protocol buffers are written in JSON', () => {
  const { sampling, reasoning } = decode({
    generationConfig: { temperature: '0.5', topK: '4', seed: 'x', thinkingConfig: { thinkingBudget: '0' } },
  });
  assert.equal(sampling, { temperature: 0.5, topK: 4 });
  assert.is(reasoning?.mode, 'disabled');
});

test('refuses contents and parts that are no objects, whose words would be missing', () => {
  const user = (parts: unknown) => JSON.parse(JSON.stringify({ role: 'user', parts }));
  assert.throws(() => decode({ contents: ['Hello'] }), isRefused('contents[0]'));
  for (const parts of ['Hello', 5])
    assert.throws(() => decode({ contents: [{ parts }] }), isRefused('contents[0].parts'));
  assert.throws(() => decode({ contents: [user([{ text: 'a' }]), user(['b'])] }), isRefused('contents[1].parts[0]'));
  assert.throws(() => decode({ systemInstruction: user(['b']) }), isRefused('systemInstruction.parts[0]'));
  assert.is(decode({ contents: [user(null), user([{ text: 'a' }])], systemInstruction: null }).items.length, 1);
});

test('reads a part that stands alone instead of in a list', () => {
  const lists = { contents: [{ parts: [{ text: 'Hello' }] }], systemInstruction: { parts: [{ text: 'Be kind' }] } };
  const alone = { contents: [{ parts: { text: 'Hello' } }], systemInstruction: { parts: { text: 'Be kind' } } };
  assert.is(decode(lists).items.length, 2);
  assert.equal(decode(alone), decode(lists));
});

test('pairs results with calls by name in order where there are no ids', () => {
  const call = (x: number) => ({ functionCall: { name: 'f', args: { x } } });
  const result = (x: number) => ({ functionResponse: { name: 'f', response: { result: `r${x}` } } });
  const { items } = decode({
    contents: [
      { role: 'user', parts: [{ text: 'go' }] },
      { role: 'model', parts: [call(1), call(2)] },
      { role: 'user', parts: [result(1), result(2), { text: 'and?' }] },
    ],
  });
  const calls = items.flatMap((item) => (item.type === 'tool-call' ? [item.callId] : []));
  const results = items.flatMap((item) => (item.type === 'tool-result' ? [item.callId] : []));
  assert.equal(calls, ['call_0_f', 'call_1_f']);
  assert.equal(results, calls);
  assert.is(items.at(-1)?.type, 'user');
});

test('lets no other vendor be given an address that Google alone reads', () => {
  const media = [
    { fileUri: 'gs://bucket/cat.png', mimeType: 'image/png' },
    { fileUri: 'gs://bucket/text.pdf', mimeType: 'application/pdf' },
  ];
  for (const fileData of media) {
    const request = { ...decode({ contents: [{ parts: [{ fileData }] }] }), model: 'any' };
    for (const format of chatFormats) {
      const encode = () => format.encodeRequest(request, testScope());
      if (format.id === 'gemini-generate') assert.ok(JSON.stringify(encode()).includes(fileData.fileUri));
      else assert.throws(encode, (error: Error) => /convert_request_failed|gs:/.test(String(error)), format.id);
    }
  }
});

test('reads an error of a tool as such', () => {
  const { items } = decode({
    contents: [
      { role: 'model', parts: [{ functionCall: { name: 'f' } }] },
      { role: 'user', parts: [{ functionResponse: { name: 'f', response: { error: 'no' } } }] },
    ],
  });
  const result = items.at(-1);
  assert.ok(result?.type === 'tool-result');
  assert.is(result.isError, true);
  assert.equal(result.parts, [{ type: 'text', text: 'no' }]);
});

test('joins the pieces of one thought up to its signature', () => {
  const { items } = decode({
    contents: [
      {
        role: 'model',
        parts: [
          { text: 'a', thought: true },
          { text: 'b', thought: true },
          { text: '', thought: true, thoughtSignature: 'UQ==' },
          { text: 'c', thought: true },
        ],
      },
    ],
  });
  assert.equal(
    items.map((item) => item.type === 'reasoning' && item.texts),
    [['ab'], ['c']],
  );
});

test('tells media by their types', () => {
  const part = (mimeType: string) => ({ inlineData: { mimeType, data: 'AA==' } });
  const { items } = decode({
    contents: [{ parts: [part('image/png'), part('audio/mpeg'), part('video/mp4'), part('application/pdf')] }],
  });
  assert.equal(items[0]?.type === 'user' && items[0].parts.map((entry) => entry.type), [
    'image',
    'audio',
    'video',
    'document',
  ]);
});

test('keeps what only this dialect knows, and refuses stored content elsewhere', () => {
  const request = decode({
    safetySettings: [],
    labels: { a: 'b' },
    cachedContent: 'c',
    generationConfig: { mediaResolution: 'LOW' },
  });
  assert.equal(request.extensions['gemini-generate'], {
    safetySettings: [],
    labels: { a: 'b' },
    generationConfig: { mediaResolution: 'LOW' },
  });
  assert.equal(request.stored, { cachedContent: 'c' });
});

test('pairs results with calls by id where there are ids, whatever their order', () => {
  const call = (id: string) => ({ functionCall: { id, name: 'f' } });
  const result = (id: string) => ({ functionResponse: { id, name: 'f', response: { output: id } } });
  const { items } = decode({
    contents: [
      { role: 'model', parts: [call('a'), call('b')] },
      { role: 'user', parts: [result('b'), result('a')] },
    ],
  });
  const results = items.flatMap((item) => (item.type === 'tool-result' ? [[item.callId, item.parts]] : []));
  assert.equal(
    results,
    ['b', 'a'].map((id) => [id, [{ type: 'text', text: id }]]),
  );
});

test('reads a budget of thoughts as the effort that it comes to, and -1 as the model’s own', () => {
  for (const [thinkingBudget, effort, budgetTokens] of [
    [-1, undefined, undefined],
    [0, 'none', 0],
    [1024, 'low', 1024],
    [1025, 'medium', 1025],
    [8192, 'medium', 8192],
    [8193, 'high', 8193],
  ] as const) {
    const { reasoning } = decode({
      contents: [{ parts: [{ text: 'x' }] }],
      generationConfig: { thinkingConfig: { thinkingBudget } },
    });
    assert.equal([reasoning?.effort, reasoning?.budgetTokens], [effort, budgetTokens], String(thinkingBudget));
  }
});

test('takes a quoted number of nothing for none', () => {
  assert.is(decode({ generationConfig: { temperature: ' ' } }).sampling.temperature, undefined);
  assert.is(decode({ generationConfig: { temperature: '0' } }).sampling.temperature, 0);
});

test('reads every mode of calling, and the names that it allows', () => {
  const choice = (mode: string) =>
    decode({ toolConfig: { functionCallingConfig: { mode, allowedFunctionNames: ['f'] } } }).toolChoice;
  assert.equal(choice('AUTO'), { mode: 'auto', names: ['f'] });
  assert.equal(choice('VALIDATED'), { mode: 'auto', names: ['f'] });
  assert.equal(choice('ANY'), { mode: 'required', names: ['f'] });
  assert.equal(choice('NONE'), { mode: 'none' });
});

test('joins pieces of one text up to a signature, which stays with its words', () => {
  const parts = [{ text: 'a' }, { text: 'b', thoughtSignature: 'S' }, { text: 'c' }, { text: 'd' }];
  const { items } = decode({ contents: [{ role: 'model', parts }] });
  const texts = items.flatMap((item) =>
    item.type === 'assistant'
      ? item.parts.map((part) => (part.type === 'text' ? [part.text, part.seal?.data] : []))
      : [],
  );
  assert.equal(texts, [
    ['ab', 'S'],
    ['cd', undefined],
  ]);
});

test('pairs results that have ids with calls that had none', () => {
  const call = (name: string, id?: string) => ({
    functionCall: { ...(id === undefined ? {} : { id }), name, args: {} },
  });
  const result = (name: string, id: string) => ({ functionResponse: { id, name, response: { output: id } } });
  const { items } = decode({
    contents: [
      { role: 'user', parts: [{ text: 'go' }] },
      { role: 'model', parts: [call('f'), call('f', 'own'), call('f'), call('g')] },
      { role: 'user', parts: [result('g', 'g-1'), result('f', 'f-1'), result('f', 'own'), result('f', 'f-2')] },
    ],
  });
  const results = items.flatMap((item) => (item.type === 'tool-result' ? [[item.callId, item.parts]] : []));
  const said = (text: string) => [{ type: 'text', text }];
  assert.equal(results, [
    ['call_2_g', said('g-1')],
    ['call_0_f', said('f-1')],
    ['own', said('own')],
    ['call_1_f', said('f-2')],
  ]);
});

test.run();
