import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { geminiGenerate } from '../../../../../daemon/relay/formats/gemini-generate/index.ts';
import { openaiChat } from '../../../../../daemon/relay/formats/openai-chat/index.ts';
import type { JsonObject } from '../../../../../daemon/relay/json.ts';
import { testScope } from '../../../../conformance/scope.ts';
import { anyRequest, decodeAll, encodeAll } from '../../../../conformance/translate.ts';
import { at } from '../../../../support/checkers/answer.ts';
import { assertQuick } from '../../../../support/processor-time.ts';
import { isRefusal } from '../../../../support/refusal-code.ts';

const test = suite('Gemini answer decoder');

test('shows code and what it printed as blocks that nothing within them ends', () => {
  const parts = [
    { text: 'Look:' },
    { executableCode: { language: 'PYTHON', code: 'print("````")\n' } },
    { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '````\n' } },
    { codeExecutionResult: { outcome: 'OUTCOME_OK', output: 'done\n' } },
  ];
  const body = { candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP' }] };
  const answer = geminiGenerate.decodeResponse(body, testScope());
  const told = openaiChat.encodeResponse(answer, anyRequest, testScope());
  assert.is(
    at(told, 'choices', 0, 'message', 'content'),
    'Look:\n`````python\nprint("````")\n`````\n\n`````output\n````\n`````\n\n```output\ndone\n```\n',
  );
});

test('carries the signature of a picture to clients of its own dialect, streamed as well as whole', () => {
  const signed = { inlineData: { mimeType: 'image/png', data: 'AA==' }, thoughtSignature: 'S' };
  const body = { candidates: [{ content: { role: 'model', parts: [signed] }, finishReason: 'STOP' }] };
  const answer = geminiGenerate.decodeResponse(body, testScope());
  const whole = geminiGenerate.encodeResponse(answer, anyRequest, testScope());
  assert.equal(at(whole, 'candidates', 0, 'content', 'parts', 0), signed);
  const told = decodeAll(geminiGenerate, [{ data: JSON.stringify(body) }]);
  const [first] = encodeAll(geminiGenerate, anyRequest, told);
  assert.equal(at(JSON.parse(first?.data ?? ''), 'candidates', 0, 'content', 'parts', 0), signed);
});

test('tells of a picture that lies at an address, streamed as well as whole', () => {
  const fileUri = 'https://files.example/cat.png';
  const piece = (fileData: JsonObject) => ({
    candidates: [{ content: { parts: [{ fileData }] }, finishReason: 'STOP' }],
  });
  const dropped: string[] = [];
  const scope = { ...testScope(), lose: (name: string) => dropped.push(name) };
  const decoder = geminiGenerate.decodeStream(scope);
  const data = JSON.stringify(piece({ mimeType: 'image/png', fileUri }));
  const told = decoder.push({ data }).filter(({ type }) => type === 'image');
  assert.equal(told, [{ type: 'image', choice: 0, mediaType: 'image/png', url: fileUri }]);
  assert.equal(dropped, []);
  decoder.push({ data: JSON.stringify(piece({ file_uri: 'https://files.example/cat.mp4' })) });
  decoder.push({ data: JSON.stringify(piece({ mimeType: 'image/png' })) });
  assert.equal(dropped, ['answer.fileData', 'answer.fileData']);
});

test('gives what was said where a call came out malformed, and a call for what it is whatever the ending says', () => {
  const decoded = (parts: JsonObject[], finishReason: string) => {
    const body = { candidates: [{ content: { role: 'model', parts }, finishReason }] };
    const answer = geminiGenerate.decodeResponse(body, testScope());
    const back = geminiGenerate.encodeResponse(answer, anyRequest, testScope());
    return [
      answer.choices[0]?.items.length,
      answer.choices[0]?.finish.reason,
      at(back, 'candidates', 0, 'finishReason'),
    ];
  };
  const call = { functionCall: { name: 'f', args: {} } };
  assert.throws(() => decoded([], 'MALFORMED_FUNCTION_CALL'), isRefusal('empty_response'));
  assert.equal(decoded([{ text: 'Hm' }], 'MALFORMED_FUNCTION_CALL').slice(0, 2), [1, 'malformed-call']);
  for (const word of ['STOP', 'MALFORMED_FUNCTION_CALL', 'NEW_WORD']) {
    assert.equal(decoded([call], word), [1, 'tool-calls', 'STOP'], word);
  }
  assert.equal(decoded([call], 'MAX_TOKENS').slice(1), ['length', 'MAX_TOKENS']);
  assert.equal(decoded([call], 'OTHER').slice(1), ['content-filter', 'OTHER']);
});

test('keeps a signature that stands alone at the end, streamed as well as whole', () => {
  const piece = (part: JsonObject, end: JsonObject = {}) => ({ candidates: [{ content: { parts: [part] }, ...end }] });
  const pieces = [piece({ text: 'Hi' }), piece({ thoughtSignature: 'S' }, { finishReason: 'STOP' })];
  const whole = geminiGenerate.decodeResponse(pieces, testScope());
  const told = openaiChat.encodeResponse(whole, anyRequest, testScope());
  const signed = { google: { thought_signature: 'S' } };
  assert.equal(at(told, 'choices', 0, 'message', 'extra_content'), signed);
  const streamed = decodeAll(
    geminiGenerate,
    pieces.map((data) => ({ data: JSON.stringify(data) })),
  );
  const chunks = encodeAll(openaiChat, anyRequest, streamed).filter(({ data }) => data !== '[DONE]');
  const signatures = chunks.map(({ data }) => at(JSON.parse(data), 'choices', 0, 'delta', 'extra_content'));
  assert.equal(
    signatures.filter((value) => value !== undefined),
    [signed],
  );
});

test('hands on an answer of more parts than a function takes arguments', () => {
  const parts = Array.from({ length: 200_000 }, () => ({ novel: 1 }));
  const body = { candidates: [{ content: { parts: [{ text: 'Hi' }, ...parts] }, finishReason: 'STOP' }] };
  const told = openaiChat.encodeResponse(geminiGenerate.decodeResponse(body, testScope()), anyRequest, testScope());
  assert.is(at(told, 'choices', 0, 'message', 'content'), 'Hi');
});

test('joins any number of pieces, and of candidates under one number, in the time that reading them takes', async () => {
  const said = { content: { parts: [{ text: 'a' }] }, finishReason: 'STOP' };
  const many = 24_000;
  const bodies = [Array(many).fill({ candidates: [said] }), [{ candidates: Array(many).fill(said) }]];
  let wholes: ReturnType<typeof openaiChat.encodeResponse>[] = [];
  // A fifth of a second; where each piece copied those before it half a minute.
  await assertQuick(3000, () => {
    wholes = bodies.map((body) =>
      openaiChat.encodeResponse(geminiGenerate.decodeResponse(body, testScope()), anyRequest, testScope()),
    );
  });
  for (const whole of wholes) assert.is(at(whole, 'choices', 0, 'message', 'content'), 'a'.repeat(many));
});

test.run();
