/** Which part of a conversation a signature or a medium goes to. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ChatItem } from '../../../../../daemon/relay/canonical/chat.ts';
import { geminiGenerate } from '../../../../../daemon/relay/formats/gemini-generate/index.ts';
import type { Json } from '../../../../../daemon/relay/json.ts';
import { testScope } from '../../../../conformance/scope.ts';
import { anyRequest } from '../../../../conformance/translate.ts';
import { at, list } from '../../../../support/checkers/answer.ts';

const test = suite('Gemini contents');

const textOf = (text: string) => ({ type: 'text', text }) as const;
const hello: ChatItem = { type: 'user', parts: [textOf('Hello')] };
const call = { type: 'tool-call', kind: 'function', callId: 'a', name: 'f', input: '{"x":1}' } as const;
const result = { type: 'tool-result', kind: 'function', callId: 'a', parts: [textOf('seen')] } as const;
const image = { type: 'image', source: { kind: 'inline', mediaType: 'image/png', data: 'AA==' } } as const;

function encode(model: string, items: readonly ChatItem[]): Json {
  return geminiGenerate.encodeRequest({ ...anyRequest, model, items }, testScope());
}

test('leaves a signature in the turn that it ended', () => {
  const sealed = {
    type: 'reasoning',
    texts: [],
    form: 'full',
    seal: { origin: 'gemini-generate', data: 'S' },
  } as const;
  const said: ChatItem = { type: 'assistant', parts: [textOf('Hi')] };
  const contents = (...items: ChatItem[]) =>
    list(at(encode('gemini-3-pro', items), 'contents')).map((turn) => at(turn, 'parts'));
  const alone = { text: '', thoughtSignature: 'S' };
  const asked = [{ text: 'Hello' }];
  assert.equal(contents(hello, said, sealed), [asked, [{ text: 'Hi' }, alone]]);
  assert.equal(contents(hello, said, sealed, hello, said), [asked, [{ text: 'Hi' }, alone], asked, [{ text: 'Hi' }]]);
  assert.equal(at(contents(hello, call, sealed, result, said)[1] ?? null, 1), alone);
  assert.equal(contents(hello, sealed, said), [asked, [{ text: 'Hi', thoughtSignature: 'S' }]]);
});

test('takes more media of one result than a function takes arguments', () => {
  const parts = [textOf('seen'), ...Array.from({ length: 200_000 }, () => image)];
  const body = encode('gemini-2.5-flash', [hello, call, { ...result, parts }]);
  assert.is(list(at(body, 'contents', 2, 'parts')).length, 200_001);
});

test.run();
