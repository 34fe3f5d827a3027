/** Searches that ground Gemini's answers are charged whether or not the upstream reports usage (relay.md 14.1, 15.6). */
import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Answer, type FakeUpstream, jsonAnswer, sseAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { GatewayHarness } from '../support/gateway-harness.ts';
import { recordedBody } from '../support/recorded-call.ts';

interface Context {
  upstream: FakeUpstream;
  harness: GatewayHarness;
}

const test = suite<Context>('relay: grounding');

test.before(async (context) => {
  context.upstream = await startFakeUpstream();
  const models = 'gemini-2.5-flash,gemini-3.5-flash';
  context.harness = await GatewayHarness.start({
    channels: [{ id: 1, type: 24, baseUrl: context.upstream.url, models }],
    options: { ModelRatio: { 'gemini-2.5-flash': 1, 'gemini-3.5-flash': 1 } },
  });
});
test.after(async ({ harness, upstream }) => {
  await harness.stop();
  await upstream.close();
});

/** Which usage reports of the recording are left: resellers omit some, or all. */
type Reports = 'all' | 'earlier' | 'none';
type Piece = { usageMetadata?: unknown; candidates: { groundingMetadata?: { webSearchQueries?: string[] } }[] };

const recording = 'gemini/gemini-generatecontent--google-gemini-2-5-flash-1-stream/stream.sse';
const streamed: Piece[] = readFileSync(new URL(`../fixtures/${recording}`, import.meta.url), 'utf8')
  .split('\n')
  .flatMap((line) => (line.startsWith('data: ') ? [JSON.parse(line.slice(6))] : []));
const whole = recordedBody('gemini/gemini-generatecontent--chat-web-search-with-gemini-gemini-3-5-flash-grounds-the');

function streamWith(reports: Reports, pieces = streamed): Answer {
  return sseAnswer(
    pieces.map(({ usageMetadata, ...piece }, at) =>
      reports === 'all' || (reports === 'earlier' && at < pieces.length - 1) ? { ...piece, usageMetadata } : piece,
    ),
  );
}

function wholeWith(reports: Reports): Answer {
  const { usageMetadata, ...rest } = whole;
  return jsonAnswer(reports === 'none' ? rest : { ...rest, usageMetadata });
}

const contents = [{ role: 'user', parts: [{ text: 'What is it worth?' }] }];
const messages = [{ role: 'user', content: 'What is it worth?' }];

/** The rows of one call: tool and quota of each, and how the tokens are known. */
async function charged({ harness, upstream }: Context, answer: Answer, path: string, body: object) {
  upstream.script(answer);
  const before = (await harness.rows()).length;
  const response = await harness.post(path, body);
  const text = await response.text();
  assert.is(response.status, 200, text);
  const rows = (await harness.rows()).slice(before);
  const [main] = rows;
  assert.ok((main?.completionTokens ?? 0) > 0 && (main?.quota ?? 0) > 0, 'the tokens are billed beside');
  const tools = rows.flatMap(({ facts, quota }) => (facts.tool === undefined ? [] : [[facts.tool, quota]]));
  return { text, tools, isEstimated: main?.facts.usage_estimated === true };
}

const old = 'gemini-2.5-flash';
const newer = 'gemini-3.5-flash';
/** $35 a thousand for 2.x, whatever was asked; $14 a thousand and query from 3.x on. */
const oneSearch = [[{ name: 'google_search', count: 1, price: 35, per: 1000 }, 17_500]];
const threeQueries = [[{ name: 'google_search', count: 3, price: 14, per: 1000 }, 21_000]];

for (const reports of ['all', 'earlier', 'none'] as const) {
  const isEstimated = reports === 'none';
  test(`of a stream in Gemini's own words, with ${reports} of its usage reports`, async (context) => {
    const answer = streamWith(reports);
    const path = `/v1beta/models/${old}:streamGenerateContent?alt=sse`;
    const seen = await charged(context, answer, path, { contents, tools: [{ googleSearch: {} }] });
    assert.equal([seen.tools, seen.isEstimated], [oneSearch, isEstimated]);
    assert.is(seen.text, answer.chunks?.join(''));
  });
  test(`of a stream to a client of chats, with ${reports} of its usage reports`, async (context) => {
    const body = { model: old, messages, stream: true, stream_options: { include_usage: true } };
    const seen = await charged(context, streamWith(reports), '/v1/chat/completions', body);
    assert.equal([seen.tools, seen.isEstimated], [oneSearch, isEstimated]);
    assert.is(seen.text.match(/"prompt_tokens"/g)?.length, 1);
  });
  if (reports === 'earlier') continue;
  test(`of a whole answer in Gemini's own words, with ${reports} of its usage`, async (context) => {
    const path = `/v1beta/models/${newer}:generateContent`;
    const seen = await charged(context, wholeWith(reports), path, { contents });
    assert.equal([seen.tools, seen.isEstimated], [threeQueries, isEstimated]);
  });
  for (const stream of [false, true]) {
    test(`of a whole answer to a client of chats, ${stream ? 'replayed' : 'whole'}, with ${reports} of its usage`, async (context) => {
      const seen = await charged(context, wholeWith(reports), '/v1/chat/completions', {
        model: newer,
        messages,
        stream,
      });
      assert.equal([seen.tools, seen.isEstimated], [threeQueries, isEstimated]);
    });
  }
  for (const path of ['/v1/messages', '/v1/responses']) {
    test(`of a stream to a client of ${path}, with ${reports} of its usage reports`, async (context) => {
      const said = path === '/v1/messages' ? { messages, max_tokens: 500 } : { input: 'What is it worth?' };
      const seen = await charged(context, streamWith(reports), path, { model: old, stream: true, ...said });
      assert.equal([seen.tools, seen.isEstimated], [oneSearch, isEstimated]);
    });
  }
}

test('from 3.x on queries count once each, however often they are told', async (context) => {
  const grounded = (webSearchQueries: string[]) => ({
    ...streamed[0],
    modelVersion: newer,
    candidates: [{ ...streamed[0]?.candidates[0], groundingMetadata: { webSearchQueries } }],
  });
  const ended = streamed.slice(-1).map((piece) => ({ ...piece, modelVersion: newer }));
  const pieces = [
    grounded(['a']),
    grounded(['a', 'b', 'a']),
    ...ended.map((piece) => ({
      ...piece,
      candidates: ended.flatMap(({ candidates }) => candidates.map(({ groundingMetadata: _, ...rest }) => rest)),
    })),
  ];
  const two = [[{ name: 'google_search', count: 2, price: 14, per: 1000 }, 14_000]];
  const native = `/v1beta/models/${newer}:streamGenerateContent?alt=sse`;
  assert.equal((await charged(context, streamWith('none', pieces), native, { contents })).tools, two);
  const chat = { model: newer, messages, stream: true };
  assert.equal((await charged(context, streamWith('none', pieces), '/v1/chat/completions', chat)).tools, two);
});

test('words about searches are none', async (context) => {
  const said = {
    candidates: [
      {
        content: { role: 'model', parts: [{ text: 'say "webSearchQueries": ["a"] or Queries' }] },
        finishReason: 'STOP',
      },
    ],
    modelVersion: old,
  };
  const native = `/v1beta/models/${old}:streamGenerateContent?alt=sse`;
  assert.equal((await charged(context, sseAnswer([said]), native, { contents })).tools, []);
  assert.equal(
    (await charged(context, jsonAnswer(said), `/v1beta/models/${old}:generateContent`, { contents })).tools,
    [],
  );
});

test.run();
