import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type EditFacts, nativeEdits } from '../../../daemon/gateway/native-edits.ts';
import { editBody } from '../../../daemon/relay/body-edit.ts';
import { wrapSeal } from '../../../daemon/relay/canonical/seal.ts';
import type { JsonObject } from '../../../daemon/relay/json.ts';

const test = suite('gateway/native-edits');

function sent(json: JsonObject, over: Partial<EditFacts> = {}): JsonObject {
  const stream = json.stream === true;
  const options = json.stream_options;
  const edits = nativeEdits({
    format: 'openai-chat',
    inspection: {
      body: Buffer.from(JSON.stringify(json)),
      repeatsMembers: false,
      json,
      askedModel: String(json.model),
      model: String(json.model),
      stream,
      includeUsage: typeof options === 'object' && options !== null && Reflect.get(options, 'include_usage') === true,
      maxTokens: undefined,
      choices: 1,
      stateful: false,
      references: [],
    },
    upstreamModel: String(json.model),
    stream,
    wantsUsage: true,
    knowsStreamOptions: true,
    setting: {},
    ...over,
  });
  return JSON.parse(editBody(Buffer.from(JSON.stringify(json)), edits).toString());
}

const plain = { model: 'm', messages: [] };

test('leaves a plain body alone', () => {
  assert.equal(sent(plain), plain);
});

test('asks for usage on streams that can report it, and takes options away where they mean nothing', () => {
  const stream = { ...plain, stream: true };
  assert.equal(sent(stream), { ...stream, stream_options: { include_usage: true } });
  const asked = { ...stream, stream_options: { include_usage: true, other: 1 } };
  assert.equal(sent(asked), asked);
  assert.equal(sent(asked, { knowsStreamOptions: false }), stream);
  assert.equal(sent({ ...plain, stream_options: { include_usage: true } }), plain);
  assert.equal(sent({ ...stream, stream_options: { include_obfuscation: true } }).stream_options, {
    include_usage: true,
  });
});

test('says that a signature is lost where a call of the turn that goes on has none, to models that ask for it', () => {
  const call = (name: string, rest: JsonObject = {}) => ({ functionCall: { name, args: { n: 1 } }, ...rest });
  const result = (name: string) => ({ role: 'user', parts: [{ functionResponse: { name, response: {} } }] });
  const lost = 'skip_thought_signature_validator';
  const earlier = [{ role: 'user', parts: [{ text: 'a' }] }, { role: 'model', parts: [call('old')] }, result('old')];
  const said = { role: 'model', parts: [{ text: 'done' }] };
  const json = {
    contents: [
      ...[...earlier, said, { role: 'user', parts: [{ text: 'b' }] }],
      { role: 'model', parts: [{ text: 'hm' }, call('f'), call('g')] },
      ...[result('f'), { role: 'model', parts: [call('h', { thoughtSignature: 'S' })] }, result('h')],
      ...[{ role: 'model', parts: [{ function_call: { name: 'i' }, thought_signature: 'T' }] }, result('i')],
    ],
  };
  const asked = (upstreamModel: string) => sent(json, { format: 'gemini-generate', upstreamModel });
  const contents = json.contents.with(5, {
    role: 'model',
    parts: [{ text: 'hm' }, call('f', { thoughtSignature: lost }), call('g')],
  });
  assert.equal(asked('gemini-3.1-pro-preview'), { contents });
  assert.equal(asked('gemini-2.5-pro'), json);
  for (const odd of [{}, { contents: 'hi' }, { contents: [null, { parts: 7 }, { role: 'model', parts: [null] }] }])
    assert.equal(sent(odd, { format: 'gemini-generate', upstreamModel: 'gemini-3-pro' }), odd);
});

test('takes limits of 0 for absent', () => {
  assert.equal(sent({ ...plain, max_tokens: 0, max_completion_tokens: 0 }), plain);
});

test('compacts a conversation without the thoughts that another vendor signed', () => {
  const thought = (encrypted_content: string) => ({ type: 'reasoning', id: 'rs_1', summary: [], encrypted_content });
  const foreign = thought(wrapSeal({ origin: 'anthropic-messages', data: 'c2ln' }, 'openai-responses'));
  const own = thought('gAAAA');
  const said = { role: 'user', content: 'hi' };
  const json = { model: 'm', input: [foreign, said, own, foreign] };
  const format = 'openai-responses-compact';
  assert.equal(sent(json, { format }), { model: 'm', input: [said, own] });
  assert.equal(sent({ model: 'm', input: [said, own] }, { format }), { model: 'm', input: [said, own] });
});

test('merges extra_body, but nothing that is guarded or decided elsewhere', () => {
  const extra_body = { top_k: 4, service_tier: 'flex', model: 'other', stream: true };
  assert.equal(sent({ ...plain, extra_body }), { ...plain, top_k: 4 });
  assert.equal(sent({ ...plain, extra_body }, { setting: { allow_service_tier: true } }), {
    ...plain,
    top_k: 4,
    service_tier: 'flex',
  });
});

test('keeps no state at an upstream of others, unless its owner allows it', () => {
  const responses = { format: 'openai-responses' } as const;
  assert.equal(sent({ model: 'm', input: 'x' }, responses), { model: 'm', input: 'x', store: false });
  assert.equal(
    sent({ model: 'm', input: 'x', store: true }, { ...responses, setting: { allow_store: true } }).store,
    true,
  );
});

test.run();
