/**
 * Every recorded chat answer, played by an upstream of its vendor to a whole gateway, from each of the four dialects
 * that clients speak: the protocol is kept, the answer says what the recording says, and the charge is what the
 * formula makes of the recorded usage.
 * Runs once: formats and the formula know no database; the books are proved on both in `test/ledger`.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { FormatId } from '../../daemon/relay/format.ts';
import { isObject, type Json, type JsonObject } from '../../daemon/relay/json.ts';
import { providerOf } from '../../daemon/relay/providers/index.ts';
import type { Answer } from '../support/checkers/answer.ts';
import { type Checker, checkers } from '../support/checkers/index.ts';
import { type FakeUpstream, startFakeUpstream } from '../support/fake-upstream.ts';
import { GatewayHarness, type HarnessChannel } from '../support/gateway-harness.ts';
import { recorded } from '../support/vendor-world.ts';
import { frame, type RecordedCase, readResponse, readStream, recordedCases } from './cases.ts';
import { gist } from './translate.ts';

interface Context {
  upstream: FakeUpstream;
  harness: GatewayHarness;
}

/** Channel type by folder; hosts that only speak OpenAI's chat, and have no type of their own, are 01.AI's neighbours. */
const types: Readonly<Record<string, number>> = {
  ai360: 19,
  ali: 17,
  anthropic: 14,
  azure: 3,
  bedrock: 33,
  cerebras: 102,
  cloudflare: 39,
  deepseek: 43,
  gemini: 24,
  groq: 106,
  huggingface: 107,
  minimax: 35,
  mistral: 42,
  ollama: 4,
  openai: 1,
  openrouter: 20,
  together: 110,
  vertex: 41,
  xai: 48,
  zhipu: 26,
};
const PLAIN = 31;
/** A host whose models of OpenAI's are asked in Responses before anything else. */
const RESPONSES_FIRST = 33;
const keys: Readonly<Record<number, string>> = {
  26: 'id.secret',
  33: 'AKIAIOSFODNN7EXAMPLE|secret-of-the-key|eu-west-1',
  35: 'jwt|group',
  39: 'account|token',
  41: 'project|AIza',
};

interface Client {
  readonly format: FormatId;
  readonly path: string;
  readonly body: JsonObject;
}

/** A prompt in each dialect; every client wants to know what was used. */
function clientsOf(model: string, stream: boolean): Client[] {
  const messages = [{ role: 'user', content: 'hi' }];
  const action = stream ? 'streamGenerateContent?alt=sse' : 'generateContent';
  const options: JsonObject = stream ? { stream_options: { include_usage: true } } : {};
  return [
    { format: 'openai-chat', path: '/v1/chat/completions', body: { model, messages, stream, ...options } },
    { format: 'openai-responses', path: '/v1/responses', body: { model, input: 'hi', stream } },
    { format: 'anthropic-messages', path: '/v1/messages', body: { model, max_tokens: 100, messages, stream } },
    {
      format: 'gemini-generate',
      path: `/v1beta/models/${model}:${action}`,
      body: { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] },
    },
  ];
}

/** A model a vendor and format, so that each finds its own channel. Some hosts tell their families apart by their names. */
function modelOf({ folder, format, type }: Pick<Case, 'folder' | 'format' | 'type'>): string {
  if (format === 'anthropic-messages') return `claude-of-${folder}`;
  return type === RESPONSES_FIRST ? `openai.of-${folder}` : `${folder}-${format}`;
}

interface Case {
  readonly one: RecordedCase;
  readonly folder: string;
  readonly type: number;
  readonly reader: Checker;
  readonly format: FormatId;
}

function played(): Case[] {
  return recordedCases().flatMap((one) => {
    const folder = one.name.split('/')[0] ?? '';
    // Bedrock wraps Claude's own dialect.
    const recordedAs = one.format === 'bedrock-anthropic' ? 'anthropic-messages' : one.format;
    const format = (Object.keys(checkers) as FormatId[]).find((id) => id === recordedAs);
    const reader = format && checkers[format];
    const isTold = readStream(one) !== undefined || isObject(readResponse(one));
    if (format === undefined || reader === undefined || !isTold || one.status >= 400) return [];
    // One recording has the answers of a whole tool loop, one behind the other.
    if ((readStream(one)?.toString().split('event: response.completed').length ?? 0) > 2) return [];
    const unusual = ['error', 'error_in_body', 'incomplete_stream', 'json_array_stream'];
    if (one.shows.some((what) => unusual.includes(what))) return [];
    // Responses also by a host that is asked in them whatever its client speaks.
    const hosts = [types[folder] ?? PLAIN, ...(format === 'openai-responses' ? [RESPONSES_FIRST] : [])];
    return [...new Set(hosts)].flatMap((type) => {
      const each: Case = { one, folder, type, reader, format };
      return spokenBy(each).includes(format) ? [each] : [];
    });
  });
}

/** What the vendor speaks for the case's model, preferred first. */
function spokenBy(each: Case): readonly FormatId[] {
  const adapter = providerOf(each.type);
  const speaks = adapter?.speaks.chat ?? [];
  const known = adapter?.formatsFor?.({}, modelOf(each), {});
  return known === undefined ? speaks : speaks.filter((format) => known.includes(format));
}

const cases = played();
const test = suite<Context>('recorded answers from four dialects');

test.before(async (context) => {
  context.upstream = await startFakeUpstream();
  const wanted = new Map(cases.map((each) => [modelOf(each), each.type]));
  const channels = [...wanted].map(
    ([models, type], index): HarnessChannel => ({
      id: index + 1,
      type,
      baseUrl: context.upstream.url,
      models,
      keys: [keys[type] ?? 'sk-upstream'],
    }),
  );
  const ones = Object.fromEntries([...wanted.keys()].map((model) => [model, 1]));
  context.harness = await GatewayHarness.start({
    channels,
    options: { ModelRatio: ones, CompletionRatio: ones, CacheRatio: ones, CacheCreationRatio: ones },
  });
});

test.after(async ({ harness, upstream }) => {
  await harness.stop();
  await upstream.close();
});

function recordedAnswer({ one, reader }: Case): { answer: Answer; isFailed: boolean } {
  const bytes = readStream(one);
  if (bytes !== undefined) return reader.checkStream(frame(bytes, bytes.length));
  return { answer: reader.readBody(readResponse(one) ?? null), isFailed: false };
}

/** What the client was told, once its protocol was checked. */
function toldIn(format: FormatId, text: string, isStream: boolean, isNative: boolean): Answer {
  const checker = checkers[format];
  assert.ok(checker);
  if (!isStream) {
    const body: Json = JSON.parse(text);
    return checker.readBody(body);
  }
  const told = checker.checkStream(frame(Buffer.from(text), text.length));
  // The vendor's own bytes are the vendor's own business.
  if (!isNative) assert.equal(told.problems, [], `${format}\n${text.slice(0, 2000)}`);
  return told.answer;
}

/** The main log row of a call. */
async function rowOf(harness: GatewayHarness, response: Response) {
  await harness.settled();
  const requestId = response.headers.get('x-request-id') ?? '';
  const { items } = await harness.database.stores.logs.list({ requestId }, { offset: 0, limit: 10 });
  const [row] = items.reverse();
  return row && { ...row, estimated: Object(JSON.parse(row.other)).usage_estimated === true };
}

for (const each of cases) {
  const { one, type, format } = each;
  const said = recordedAnswer(each);
  const speaks = spokenBy(each);
  const isStream = readStream(one) !== undefined;
  if (said.isFailed) continue;
  const raw = isStream ? String(readStream(one)) : JSON.stringify(readResponse(one));
  const hasMedia = /"inlineData"|"inline_data"|"audio":\{|"images":\[\{|"image_generation_call"/.test(raw);

  const host = type === RESPONSES_FIRST ? ', of a host that prefers Responses' : '';
  test(`${one.name} says and costs the same in each dialect${host}`, async ({ harness, upstream }) => {
    upstream.script(recorded(one));
    for (const client of clientsOf(modelOf(each), isStream)) {
      const isNative = client.format === format;
      // What this vendor is asked in for that dialect was recorded elsewhere.
      if ((speaks.includes(client.format) ? client.format : speaks[0]) !== format) continue;
      const response = await harness.post(client.path, client.body);
      const text = await response.text();
      if (response.status !== 200 && !isNative && /prompt_blocked|empty_response|prompt was blocked/.test(text))
        continue;
      assert.is(response.status, 200, `${client.format}: ${text}`);
      const told = toldIn(client.format, text, isStream, isNative);
      const { usage } = said.answer;
      // A format that must state usage estimates what the upstream did not say.
      if (!hasMedia) {
        const [heard, meant] = [gist(told), gist(said.answer)];
        if (usage === undefined) heard.usage = undefined;
        assert.equal(heard, meant, client.format);
      }
      const row = await rowOf(harness, response);
      if (usage === undefined || row?.estimated === true) continue;
      const shown = row?.promptTokens ?? 0;
      const hidden = format === 'anthropic-messages' ? usage.prompt - shown : 0;
      assert.equal([shown + hidden, row?.completionTokens], [usage.prompt, usage.completion], client.format);
      // All ratios are 1, so that every token costs one unit; cache that is kept for an hour costs more.
      if (raw.includes('ephemeral_1h_input_tokens":0') || !raw.includes('ephemeral_1h_input_tokens')) {
        assert.is(row?.quota, usage.prompt + usage.completion, client.format);
      }
    }
  });
}

test.run();
