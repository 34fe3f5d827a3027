import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ChatItem, ChatRequest } from '../../../../../daemon/relay/canonical/chat.ts';
import type { Scope } from '../../../../../daemon/relay/format.ts';
import { present } from '../../../../../daemon/relay/formats/fields.ts';
import { geminiGenerate } from '../../../../../daemon/relay/formats/gemini-generate/index.ts';
import { openaiChat } from '../../../../../daemon/relay/formats/openai-chat/index.ts';
import type { Json } from '../../../../../daemon/relay/json.ts';
import { testScope } from '../../../../conformance/scope.ts';
import { anyRequest } from '../../../../conformance/translate.ts';
import { at, list } from '../../../../support/checkers/answer.ts';
import { isRefusal } from '../../../../support/refusal-code.ts';

const test = suite('Gemini request encoder');

const hello: ChatItem = { type: 'user', parts: [{ type: 'text', text: 'Hello' }] };
const call = { type: 'tool-call', kind: 'function', callId: 'a', name: 'f', input: '{"x":1}' } as const;
const result = { type: 'tool-result', kind: 'function', callId: 'a', parts: [{ type: 'text', text: 'seen' }] } as const;
const textOf = (text: string) => ({ type: 'text', text }) as const;
const image = { type: 'image', source: { kind: 'inline', mediaType: 'image/png', data: 'AA==' } } as const;

function encode(part: Partial<ChatRequest>, traits: NonNullable<Scope['traits']> = {}): { body: Json; lost: string[] } {
  const scope = testScope(traits);
  const request = { ...anyRequest, stream: false, model: 'gemini-2.5-flash', items: [hello], ...part };
  return { body: geminiGenerate.encodeRequest(request, scope), lost: scope.lost };
}

function contents(model: string, ...items: ChatItem[]): Json {
  return at(encode({ model, items }).body, 'contents') ?? null;
}

test('answers a call under its own name, all results of a turn together and in the order of the calls', () => {
  const told = contents(
    'gemini-2.5-flash',
    hello,
    call,
    { ...call, callId: 'b', name: 'g' },
    { ...result, callId: 'b' },
    result,
  );
  assert.equal(at(told, 2), {
    role: 'user',
    parts: [
      { functionResponse: { name: 'f', response: { result: 'seen' } } },
      { functionResponse: { name: 'g', response: { result: 'seen' } } },
    ],
  });
});

test('calls a video of YouTube one, whichever part of a chat names it', () => {
  const url = 'https://www.youtube.com/watch?v=1';
  const part = { type: 'image', source: { kind: 'url', url } } as const;
  const told = contents('gemini-2.5-flash', { type: 'user', parts: [part] });
  assert.equal(at(told, 0, 'parts'), [{ fileData: { fileUri: url, mimeType: 'video/mp4' } }]);
});

test('pairs results that come in another order with calls of one name', () => {
  const [second, first] = ['b', 'a'].map((callId): ChatItem => ({ ...result, callId, parts: [textOf(callId)] }));
  assert.ok(second && first);
  const told = contents('gemini-2.5-flash', hello, call, { ...call, callId: 'b' }, second, first);
  const answers = list(at(told, 2, 'parts')).map((part) => at(part, 'functionResponse', 'response', 'result'));
  assert.equal(answers, ['a', 'b']);
});

test('puts a result into the object that it is, or under the word for it', () => {
  const respond = (text: string, isError?: true) => {
    const item: ChatItem = {
      ...result,
      parts: [{ type: 'text', text }],
      ...(isError === undefined ? {} : { isError }),
    };
    return at(contents('gemini-2.5-flash', hello, call, item), 2, 'parts', 0, 'functionResponse', 'response');
  };
  assert.equal(respond('{"a":1}'), { a: 1 });
  assert.equal(respond('[1,2]'), { result: [1, 2] });
  assert.equal(respond('21.0'), { result: '21.0' });
  assert.equal(respond('{"id":12345678901234567890}'), { result: '{"id":12345678901234567890}' });
  assert.equal(respond('no', true), { error: 'no' });
});

test('tells a result without a known call as text', () => {
  for (const orphan of [result, { ...result, name: 'f' }]) {
    assert.equal(at(contents('gemini-2.5-flash', hello, orphan), 0, 'parts', 1), { text: 'seen' });
  }
});

test('keeps media in the result for the newest models and beside it for the others', () => {
  const withImage: ChatItem = { ...result, parts: [image] };
  const old = contents('gemini-2.5-flash', hello, call, withImage);
  assert.equal(at(old, 2, 'parts', 1), { inlineData: { mimeType: 'image/png', data: 'AA==' } });
  const newest = contents('gemini-3.1-pro-preview', hello, call, withImage);
  assert.is(list(at(newest, 2, 'parts', 0, 'functionResponse', 'parts')).length, 1);
});

test('stands in for a lost signature on the first call of a turn, for models that demand one', () => {
  const told = contents('gemini-3.1-pro-preview', hello, call, { ...call, callId: 'b' }, result, {
    ...result,
    callId: 'b',
  });
  assert.is(at(told, 1, 'parts', 0, 'thoughtSignature'), 'skip_thought_signature_validator');
  assert.is(at(told, 1, 'parts', 1, 'thoughtSignature'), undefined);
  assert.is(at(contents('gemini-2.5-flash', hello, call), 1, 'parts', 0, 'thoughtSignature'), undefined);
});

test('makes images again of the Markdown that earlier answers were shown as', () => {
  const text = 'Here:![image](data:image/png;base64,AA==)done';
  assert.equal(
    at(contents('gemini-2.5-flash', hello, { type: 'assistant', parts: [{ type: 'text', text }] }), 1, 'parts'),
    [{ text: 'Here:' }, { inlineData: { mimeType: 'image/png', data: 'AA==' } }, { text: 'done' }],
  );
});

test('looks for such images in texts that only begin them, however often', () => {
  for (const begun of ['![', '![](data:x']) {
    const text = `${begun.repeat(400_000)}](data:x`;
    const told = contents('gemini-2.5-flash', hello, { type: 'assistant', parts: [{ type: 'text', text }] });
    assert.is(at(told, 1, 'parts', 0, 'text'), text);
  }
});

test('refuses more images in a message than the operator allows', () => {
  const items: ChatItem[] = [{ type: 'user', parts: Array.from({ length: 17 }, () => image) }];
  assert.throws(() => encode({ items }), isRefusal('convert_request_failed', 'content'));
  assert.not.throws(() => encode({ items }, { maxImages: -1 }));
});

test('writes thinking as a budget or a level', () => {
  const think = (model: string, effort: 'none' | 'minimal' | 'medium' | 'high') =>
    at(encode({ model, reasoning: { effort } }).body, 'generationConfig', 'thinkingConfig');
  assert.equal(think('gemini-2.5-flash', 'minimal'), { includeThoughts: true, thinkingBudget: 512 });
  assert.equal(think('gemini-2.5-flash', 'none'), { thinkingBudget: 0 });
  assert.equal(think('gemini-2.5-pro', 'none'), { thinkingBudget: 128 });
  assert.equal(think('gemini-3-flash-preview', 'medium'), { includeThoughts: true, thinkingLevel: 'medium' });
  assert.equal(think('gemini-3.1-pro-preview', 'minimal'), { includeThoughts: true, thinkingLevel: 'low' });
  assert.is(think('gemini-2.0-flash', 'high'), undefined);
});

test('sends a schema that cleaning would change to models that read all of it', () => {
  const schema = { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: false };
  const output = { kind: 'json-schema', schema } as const;
  assert.equal(at(encode({ output }).body, 'generationConfig', 'responseJsonSchema'), schema);
  const old = encode({ output, model: 'gemini-2.0-flash' }).body;
  assert.equal(at(old, 'generationConfig', 'responseSchema'), {
    type: 'object',
    properties: { a: { type: 'string' } },
  });
});

test('gives a function whose arguments are one of several objects all their members', () => {
  const parameters = {
    anyOf: [
      { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] },
      { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
    ],
  };
  const { body, lost } = encode({ tools: [{ kind: 'function', name: 'find', parameters }] });
  assert.equal(at(body, 'tools', 0, 'functionDeclarations', 0, 'parameters'), {
    type: 'object',
    properties: { id: { type: 'integer' }, name: { type: 'string' } },
  });
  assert.ok(lost.includes('tools.parameters.anyOf'));
});

test('takes built-in tools by the names that chat clients use for them', () => {
  const tools = [
    { kind: 'function', name: 'googleSearch' },
    { kind: 'function', name: 'f' },
  ] as const;
  const newer = encode({ tools, model: 'gemini-3.5-flash' });
  assert.equal(at(newer.body, 'tools'), [{ functionDeclarations: [{ name: 'f' }] }, { googleSearch: {} }]);
  assert.equal(newer.lost, []);
  const alone = encode({ tools: [tools[0]], toolChoice: { mode: 'required', names: ['googleSearch'] } });
  assert.equal(at(alone.body, 'tools'), [{ googleSearch: {} }]);
  assert.is(at(alone.body, 'toolConfig'), undefined);
});

test('leaves built-in tools out beside functions where models before 3 refuse both, and says so', () => {
  const tools = [
    { kind: 'function', name: 'urlContext' },
    { kind: 'function', name: 'f' },
    { kind: 'function', name: 'googleSearch' },
  ] as const;
  const { body, lost } = encode({ tools, webSearch: {} });
  assert.equal(at(body, 'tools'), [{ functionDeclarations: [{ name: 'f' }] }]);
  assert.equal(lost, ['tools.urlContext', 'tools.googleSearch', 'web_search']);
  const forced = encode({ tools, toolChoice: { mode: 'required', names: ['googleSearch'] } });
  assert.is(at(forced.body, 'toolConfig'), undefined, 'a tool that is not sent cannot be forced');
  assert.equal(forced.lost, ['tools.urlContext', 'tools.googleSearch', 'tool_choice']);
  const either = encode({ tools, toolChoice: { mode: 'required', names: ['googleSearch', 'f'] } });
  const config = { mode: 'ANY', allowedFunctionNames: ['f'] };
  assert.equal(at(either.body, 'toolConfig'), { functionCallingConfig: config });
});

test("lets Google's own API show what built-in tools do beside functions, and nobody else", () => {
  const asked = { model: 'gemini-3.5-flash', tools: [{ kind: 'function', name: 'f' }], webSearch: {} } as const;
  const own = { showsToolRuns: true };
  const shown = { includeServerSideToolInvocations: true };
  assert.equal(at(encode(asked, own).body, 'toolConfig'), shown);
  const choosing = encode({ ...asked, toolChoice: { mode: 'auto' } }, own);
  assert.equal(at(choosing.body, 'toolConfig'), { ...shown, functionCallingConfig: { mode: 'VALIDATED' } });
  assert.is(at(encode(asked).body, 'toolConfig'), undefined);
  assert.is(at(encode({ ...asked, tools: [] }, own).body, 'toolConfig'), undefined);
  assert.is(at(encode({ ...asked, model: 'gemini-2.5-flash' }, own).body, 'toolConfig'), undefined);
});

test('forces one tool by name', () => {
  const tools = [{ kind: 'function', name: 'f' }] as const;
  const { body } = encode({ tools, toolChoice: { mode: 'required', names: ['f'] } });
  assert.equal(at(body, 'toolConfig', 'functionCallingConfig'), { mode: 'ANY', allowedFunctionNames: ['f'] });
});

test("sets the operator's safety thresholds unless the client set its own", () => {
  const safetySettings = { default: 'OFF', HARM_CATEGORY_HARASSMENT: 'BLOCK_NONE' };
  const told = list(at(encode({}, { safetySettings }).body, 'safetySettings'));
  assert.is(told.length, 5);
  assert.equal(told[0], { category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' });
  const own = { safety_settings: [{ category: 'X', threshold: 'Y' }] };
  const kept = encode({ extensions: { 'gemini-generate': own } }, { safetySettings }).body;
  assert.equal(at(kept, 'safetySettings'), own.safety_settings);
});

test('merges what chat clients pass for this vendor', () => {
  const google = { thinking_config: { thinking_budget: 5 }, cached_content: 'c', image_config: { image_size: '1K' } };
  const { body } = encode({ extensions: { 'gemini-generate': google } });
  assert.equal(at(body, 'generationConfig', 'thinkingConfig'), { thinkingBudget: 5 });
  assert.equal(at(body, 'generationConfig', 'imageConfig'), { imageSize: '1K' });
  assert.is(at(body, 'cachedContent'), 'c');
});

test('asks models before 3 in words for JSON beside functions, and lets them not search', () => {
  const asked = {
    tools: [{ kind: 'function', name: 'f' }],
    output: { kind: 'json-schema', schema: { type: 'object' } },
    webSearch: {},
  } as const;
  const older = encode(asked);
  assert.is(at(older.body, 'generationConfig'), undefined);
  assert.match(String(at(older.body, 'systemInstruction', 'parts', 0, 'text')), /JSON schema:\n\{"type":"object"\}/);
  assert.equal(at(older.body, 'tools'), [{ functionDeclarations: [{ name: 'f' }] }]);
  assert.equal(older.lost, ['web_search']);
  assert.throws(() => encode({ ...asked, dialect: 'openai-responses' }), isRefusal('convert_request_failed', 'tools'));
  const newer = encode({ ...asked, model: 'gemini-3.5-flash' });
  assert.is(at(newer.body, 'generationConfig', 'responseMimeType'), 'application/json');
  assert.equal(at(newer.body, 'tools'), [{ functionDeclarations: [{ name: 'f' }] }, { googleSearch: {} }]);
  assert.is(at(encode({ output: asked.output }).body, 'generationConfig', 'responseMimeType'), 'application/json');
});

test('tells models without instructions in the words of the user', () => {
  const items: ChatItem[] = [{ type: 'system', role: 'system', parts: [{ type: 'text', text: 'Be brief.' }] }, hello];
  const { body } = encode({ items, model: 'gemma-3-27b-it' });
  assert.is(at(body, 'systemInstruction'), undefined);
  assert.equal(at(body, 'contents'), [{ role: 'user', parts: [{ text: 'Be brief.' }, { text: 'Hello' }] }]);
  assert.equal(at(encode({ items, model: 'gemini-3-pro-image' }).body, 'systemInstruction', 'parts'), [
    { text: 'Be brief.' },
  ]);
});

test('leaves room for an answer behind the thoughts, and no temperature to models of images', () => {
  const budget = (model: string, maxTokens?: number) =>
    at(
      encode({ model, reasoning: { effort: 'high' }, ...(maxTokens === undefined ? {} : { maxTokens }) }).body,
      'generationConfig',
      'thinkingConfig',
      'thinkingBudget',
    );
  assert.is(budget('gemini-2.5-flash'), 24_576);
  assert.is(budget('gemini-2.5-flash', 1000), 800);
  assert.is(budget('gemini-2.5-pro', 100), 128);
  const image = encode({ model: 'gemini-3-pro-image', sampling: { temperature: 0.5 } });
  assert.is(at(image.body, 'generationConfig'), undefined);
  assert.equal(image.lost, ['temperature']);
});

test('keeps penalties, shares of the odds and seeds to what the vendor does not refuse', () => {
  const told = (name: string, sampling: ChatRequest['sampling']) => {
    const { body, lost } = encode({ sampling });
    return at(body, 'generationConfig', name) ?? lost.join();
  };
  const odds = [0, 1, 1.5].map((topP) => told('topP', { topP }));
  const seeds = [-1, 2 ** 31 - 1, 2 ** 31, 0.5].map((seed) => told('seed', { seed }));
  const penalties = [-2, 2].map((presencePenalty) => told('presencePenalty', { presencePenalty }));
  assert.equal([odds, seeds, penalties].flat(), [0, 1, 'top_p', -1, 2 ** 31 - 1, 'seed', 'seed', -2, 1.99]);
});

test('adds nothing to the words of a result that holds pictures too', () => {
  const told = contents('gemini-2.5-flash', hello, call, { ...result, parts: [...result.parts, image] });
  assert.equal(at(told, 2, 'parts'), [
    { functionResponse: { name: 'f', response: { result: 'seen' } } },
    { inlineData: { mimeType: 'image/png', data: 'AA==' } },
  ]);
});

test('notes what only other dialects say of documents and speakers', () => {
  const source = { kind: 'text', text: 'doc' } as const;
  const document = { type: 'document', source, citations: true, context: 'c' } as const;
  const { lost } = encode({ items: [{ type: 'user', name: 'bob', parts: [document] }] });
  assert.equal(lost, ['messages.name', 'document.context', 'document.citations']);
});

test('offers only the allowed functions where none is forced', () => {
  const tools = [{ kind: 'function', name: 'f' } as const, { kind: 'function', name: 'g' } as const];
  const { body } = encode({ tools, toolChoice: { mode: 'auto', names: ['g'] } });
  assert.equal(at(body, 'tools'), [{ functionDeclarations: [{ name: 'g' }] }]);
  assert.equal(at(body, 'toolConfig', 'functionCallingConfig'), { mode: 'AUTO' });
});

test('puts sound of no known container, as a chat answer tells it, into a file', () => {
  const request = openaiChat.decodeRequest({
    model: 'gemini-2.5-flash',
    messages: [
      { role: 'user', content: 'say' },
      { role: 'assistant', content: null, audio: { id: 'audio_1', data: 'AAAAAA==', transcript: '' } },
      { role: 'user', content: 'again' },
    ],
  });
  const body = geminiGenerate.encodeRequest(request, testScope());
  const { mimeType, data } = Object(at(body, 'contents', 1, 'parts', 0, 'inlineData'));
  assert.is(mimeType, 'audio/wav');
  const file = Buffer.from(data, 'base64');
  assert.equal([file.toString('latin1', 0, 4), file.readUInt32LE(24), file.length], ['RIFF', 24_000, 48]);
});

test('keeps to the numbers of images, answers and stop strings that the vendor takes, to the last one', () => {
  const asked = (images: number) => () => encode({ items: [{ type: 'user', parts: Array(images).fill(image) }] });
  assert.not.throws(asked(16));
  assert.throws(asked(17), isRefusal('convert_request_failed', 'content'));
  assert.is(at(encode({ n: 8 }).body, 'generationConfig', 'candidateCount'), 8);
  assert.throws(() => encode({ n: 9 }), isRefusal('convert_request_failed', 'n'));
  const stops = ['a', 'b', 'c', 'd', 'e'];
  for (const more of [[], ['f']]) {
    const { body, lost } = encode({ stop: [...stops, ...more] });
    assert.equal(at(body, 'generationConfig', 'stopSequences'), stops);
    assert.equal(lost, more.length === 0 ? [] : ['stop[5..]']);
  }
});

test('pairs results with the newest call of their id, those of no call behind all others', () => {
  const told = contents(
    'gemini-2.5-flash',
    ...[hello, call, result, hello],
    { ...call, callId: 'b', name: 'g' },
    { ...call, name: 'h' },
    { ...result, callId: 'stray' },
    result,
    { ...result, callId: 'b' },
  );
  const [first, second, third] = list(at(told, 4, 'parts'));
  assert.equal([at(first, 'functionResponse', 'name'), at(second, 'functionResponse', 'name')], ['g', 'h']);
  assert.equal(third, { text: 'seen' });
});

test('reads JSON of a result however it is spaced', () => {
  for (const [text, response] of [
    ['{ "a": 1 }', { a: 1 }],
    ['[1, 2]', { result: [1, 2] }],
  ] as const) {
    const told = contents('gemini-2.5-flash', hello, call, { ...result, parts: [textOf(text)] });
    assert.equal(at(told, 2, 'parts', 0, 'functionResponse', 'response'), response);
  }
});

test('says nothing between images but words', () => {
  const markdown = '![image](data:image/png;base64,AA==)';
  const told = contents('gemini-2.5-flash', { type: 'user', parts: [textOf(`${markdown}\n\n${markdown} two`)] });
  assert.equal(
    list(at(told, 0, 'parts')).map((part) => at(part, 'text')),
    [undefined, undefined, ' two'],
  );
});

test('loses no container of sound that bare samples are or fit into, and no other unsaid', () => {
  const lostFor = (format: string) => encode({ modalities: ['audio'], audio: { voice: 'Kore', format } }).lost;
  assert.equal([lostFor('pcm16'), lostFor('wav'), lostFor('mp3')], [[], [], ['audio.format']]);
});

test('offers a function that takes nothing without parameters', () => {
  const { body } = encode({ tools: [{ kind: 'function', name: 'f', parameters: { type: 'object', properties: {} } }] });
  assert.equal(at(body, 'tools', 0, 'functionDeclarations'), [{ name: 'f' }]);
});

test('keeps budgets and levels to what each model takes', () => {
  const think = (model: string, reasoning: ChatRequest['reasoning'], maxTokens?: number) =>
    at(encode({ model, ...present({ reasoning, maxTokens }) }).body, 'generationConfig', 'thinkingConfig');
  const shown = { includeThoughts: true };
  assert.equal(think('gemini-2.5-flash', { effort: 'medium' }, 8193), { ...shown, thinkingBudget: 8192 });
  assert.equal(think('gemini-2.5-flash', { effort: 'medium' }, 8192), { ...shown, thinkingBudget: 6553 });
  assert.equal(think('gemini-2.5-flash-lite', { budgetTokens: 100 }), { ...shown, thinkingBudget: 512 });
  assert.equal(think('gemini-2.5-flash', { budgetTokens: 100 }), { ...shown, thinkingBudget: 100 });
  for (const [model, reasoning, thinkingLevel] of [
    ['gemini-3-flash', { budgetTokens: 1024 }, 'low'],
    ['gemini-3-flash', { budgetTokens: 8192 }, 'medium'],
    ['gemini-3-flash', { budgetTokens: 8193 }, 'high'],
    ['gemini-3-pro', { effort: 'medium' }, 'high'],
    ['gemini-3.1-pro', { effort: 'medium' }, 'medium'],
  ] as const) {
    assert.equal(think(model, reasoning), { ...shown, thinkingLevel }, `${model} ${JSON.stringify(reasoning)}`);
  }
});

test.run();
