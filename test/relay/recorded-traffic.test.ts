/**
 * Every recorded answer of the vendors with formats of their own, through a whole gateway: a client of the same dialect
 * gets the bytes as they came, clients of the other dialects get the same answer, and all are billed alike.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { FormatId } from '../../daemon/relay/format.ts';
import { asObject } from '../../daemon/relay/formats/fields.ts';
import type { JsonObject } from '../../daemon/relay/json.ts';
import { type RecordedCase, readRequest, readResponse, readStream, recordedCases } from '../conformance/cases.ts';
import { type Answer, type FakeUpstream, jsonAnswer, sseAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { GatewayHarness, type HarnessChannel } from '../support/gateway-harness.ts';

interface Context {
  upstream: FakeUpstream;
  harness: GatewayHarness;
}

const test = suite<Context>('recorded traffic');
interface Vendor {
  /** Of the recordings. */
  readonly folder: string;
  readonly type: number;
  readonly format: FormatId;
  readonly model: string;
  readonly key: string;
}

/** Vendors whose own dialect is one that clients speak. */
const vendors: readonly Vendor[] = [
  { folder: 'anthropic', type: 14, format: 'anthropic-messages', model: 'claude-of-anthropic', key: 'sk-ant-one' },
  { folder: 'gemini', type: 24, format: 'gemini-generate', model: 'gemini-of-google', key: 'AIza-one' },
  { folder: 'vertex', type: 41, format: 'gemini-generate', model: 'gemini-of-vertex', key: 'project|AIza-two' },
  { folder: 'vertex', type: 41, format: 'anthropic-messages', model: 'claude-of-vertex', key: 'project|AIza-two' },
];
const geminiModel = 'gemini-of-google';

/** One channel a vendor; numbered anew for a case whose refusal cools the old ones. */
function channelsAt(baseUrl: string, first: number): HarnessChannel[] {
  return vendors.map(({ type, model, key }, index) => ({
    id: first + index,
    type,
    baseUrl,
    models: model,
    keys: [key],
    setting: '{"expose_upstream_model":true}',
  }));
}

test.before(async (context) => {
  context.upstream = await startFakeUpstream();
  const channels = channelsAt(context.upstream.url, 1);
  const ratios = Object.fromEntries(vendors.map(({ model }) => [model, 1]));
  context.harness = await GatewayHarness.start({ channels, options: { ModelRatio: ratios } });
});

test.after(async ({ harness, upstream }) => {
  await harness.stop();
  await upstream.close();
});

/** The recording as an upstream sends it. */
function played(one: RecordedCase): Answer | undefined {
  const stream = readStream(one);
  if (stream !== undefined) return { headers: { 'content-type': 'text/event-stream' }, chunks: cut(stream) };
  const body = readResponse(one);
  return body === undefined ? undefined : jsonAnswer(body, one.status);
}

function cut(bytes: Buffer): Buffer[] {
  const pieces: Buffer[] = [];
  for (let start = 0; start < bytes.length; start += 1009) pieces.push(bytes.subarray(start, start + 1009));
  return pieces;
}

/** A call in a dialect; the request is the smallest one that each of them has. */
function callIn(format: FormatId, name: string, stream: boolean): { path: string; body: JsonObject } {
  const messages = [{ role: 'user', content: 'hi' }];
  switch (format) {
    case 'anthropic-messages':
      return { path: '/v1/messages', body: { model: name, max_tokens: 100, messages, stream } };
    case 'gemini-generate': {
      const action = stream ? 'streamGenerateContent?alt=sse' : 'generateContent';
      const path = `/v1beta/models/${name}:${action}`;
      return { path, body: { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] } };
    }
    case 'openai-responses':
      return { path: '/v1/responses', body: { model: name, input: 'hi', stream } };
    default:
      return { path: '/v1/chat/completions', body: { model: name, messages, stream } };
  }
}

const dialects: readonly FormatId[] = ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini-generate'];

function withoutComments(text: string): string {
  return text.replace(/\r\n/g, '\n').replace(/\n{3,}/g, '\n\n');
}

for (const [index, one] of recordedCases().entries()) {
  const folder = one.name.split('/')[0] ?? '';
  const vendor = vendors.find((entry) => entry.folder === folder && entry.format === one.format);
  const answer = played(one);
  if (vendor === undefined || answer === undefined) continue;
  // Nobody asks for a stream as an array.
  if (one.shows.includes('json_array_stream')) continue;
  const stream = readStream(one);
  const fails = one.status >= 400 || one.shows.includes('error') || one.shows.includes('error_in_body');

  test(`${one.name} reaches a client of its own dialect as it came`, async ({ harness, upstream }) => {
    upstream.script(answer);
    if (fails) harness.setChannels(channelsAt(upstream.url, (index + 1) * 100));
    const native = callIn(vendor.format, vendor.model, stream !== undefined);
    const recorded = asObject(readRequest(one));
    const response = await harness.post(native.path, { ...recorded, ...native.body });
    const text = await response.text();
    if (fails) {
      assert.not.match(text, /sk-ant|AIza|console\.|project[s= /]+\w*\d/);
      harness.setChannels(channelsAt(upstream.url, 1));
      return;
    }
    assert.is(response.status, 200, text);
    if (stream === undefined) assert.equal(JSON.parse(text), readResponse(one));
    else if (!one.shows.includes('incomplete_stream')) {
      assert.is(withoutComments(text).trimEnd(), withoutComments(stream.toString()).trimEnd());
    }
  });

  if (fails) continue;
  test(`${one.name} is billed alike in every dialect`, async ({ harness, upstream }) => {
    upstream.script(answer);
    const bills: unknown[] = [];
    for (const dialect of dialects) {
      const call = callIn(dialect, vendor.model, stream !== undefined);
      const response = await harness.post(call.path, call.body);
      const text = await response.text();
      // A prompt that was blocked is an answer in the vendor's own dialect only.
      if (response.status !== 200 && dialect !== vendor.format)
        assert.match(text, /prompt_blocked|prompt was blocked|empty_response/, text);
      if (response.status !== 200) continue;
      // Not all of them: by the end there are a thousand.
      const [row] = await harness.rows(1);
      if (row?.facts.usage_estimated === true) return;
      bills.push([row?.promptTokens, row?.completionTokens, row?.quota]);
    }
    assert.ok(bills.length > 0);
    for (const bill of bills) assert.equal(bill, bills[0]);
  });
}

test('a prompt that Gemini blocked is refused in other dialects, and an answer in its own', async ({
  harness,
  upstream,
}) => {
  const usageMetadata = { promptTokenCount: 9, totalTokenCount: 9 };
  upstream.script(jsonAnswer({ promptFeedback: { blockReason: 'SAFETY' }, usageMetadata }));
  for (const dialect of dialects) {
    const call = callIn(dialect, geminiModel, false);
    const response = await harness.post(call.path, call.body);
    const text = await response.text();
    assert.is(response.status, dialect === 'gemini-generate' ? 200 : 400, text);
    assert.match(text, 'SAFETY');
  }
  const call = callIn('gemini-generate', geminiModel, true);
  const streamed = await (await harness.post(call.path, call.body)).text();
  assert.match(streamed, 'SAFETY');
  assert.not.match(streamed, '[DONE]', 'no client of Gemini can read that');
});

test('a stream without `alt=sse` is one array of answers', async ({ harness, upstream }) => {
  const pieces = ['Hel', 'lo'].map((text, at) => ({
    candidates: [{ content: { role: 'model', parts: [{ text }] }, ...(at === 1 ? { finishReason: 'STOP' } : {}) }],
    usageMetadata: { promptTokenCount: 3, candidatesTokenCount: at + 1, totalTokenCount: at + 4 },
  }));
  upstream.script(sseAnswer(pieces));
  const { body } = callIn('gemini-generate', geminiModel, true);
  const path = `/v1beta/models/${geminiModel}:streamGenerateContent`;
  const response = await harness.post(path, body);
  assert.match(response.headers.get('content-type') ?? '', 'application/json');
  assert.equal(await response.json(), pieces);
  assert.is(upstream.requests.at(-1)?.url, `${path}?alt=sse`);
  upstream.script(sseAnswer(pieces.slice(0, 1), { end: 'reset' }));
  const broken: unknown = await (await harness.post(path, body)).json();
  assert.ok(Array.isArray(broken));
  assert.equal(broken[0], pieces[0]);
  assert.is(broken[1].error.status, 'INTERNAL');
});

test.run();
