/** Numbers in free JSON of a request, through a whole gateway: schemas and results reach every dialect digit by digit. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../daemon/relay/json.ts';
import { allInDialectWorld, type DialectWorld } from './dialect-world.ts';

const test = suite<DialectWorld>('relay/exact numbers');
allInDialectWorld(test);

/** Reads no more of a schema than Gemini's own part of the language. */
const olderGemini = 'gemini-2.0-flash';
/** Models, by the dialect that their upstream is asked in. */
const models = ['gpt-4o', 'gpt-5-pro', 'claude-opus-4-1', 'claude-sonnet-4-5', 'gemini-2.5-flash', olderGemini];

/** Keywords that every dialect knows. */
const limits = [
  '"minimum":-9223372036854775808',
  '"maximum":18446744073709551615',
  '"minimum":-0',
  '"maximum":1.0',
  '"minimum":1e3',
  '"maximum":0.12345678901234567890',
];
/** Keywords that Gemini's part of the schema language lacks. */
const values = ['"const":12345678901234567891', '"default":{"at":1.50}', '"multipleOf":0.10', '"examples":[1E+3,-0.0]'];
const schemaOf = (keywords: readonly string[]): string => {
  const pairs = keywords.map((keyword, at) => `"p${at}":{"type":"number",${keyword}}`);
  return `{"type":"object","properties":{${pairs.join()}}}`;
};
const result = '{"id":9223372036854775807,"at":1.0,"none":-0,"list":[1e3,-9223372036854775808]}';
const quoted = (text: string): string => JSON.stringify(text);

interface Free {
  readonly schema: string;
  readonly output: string;
}

/** A conversation with a tool, its call and result and an output schema, as each dialect of a client writes it. */
const told: Readonly<Record<string, (model: string, free: Free) => string>> = {
  '/v1/chat/completions': (model, { schema, output }) =>
    `{"model":"${model}","temperature":1.0,"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":${quoted(result)}}}]},{"role":"tool","tool_call_id":"c1","content":${quoted(result)}}],"tools":[{"type":"function","function":{"name":"f","parameters":${schema}}}],"response_format":{"type":"json_schema","json_schema":{"name":"o","schema":${output}}}}`,
  '/v1/responses': (model, { schema, output }) =>
    `{"model":"${model}","temperature":1.0,"input":[{"role":"user","content":"hi"},{"type":"function_call","call_id":"c1","name":"f","arguments":${quoted(result)}},{"type":"function_call_output","call_id":"c1","output":${quoted(result)}}],"tools":[{"type":"function","name":"f","parameters":${schema}}],"text":{"format":{"type":"json_schema","name":"o","schema":${output}}}}`,
  '/v1/messages': (model, { schema, output }) =>
    `{"model":"${model}","max_tokens":1e3,"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"f","input":${result}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":${quoted(result)}}]}],"tools":[{"name":"f","input_schema":${schema}}],"output_config":{"format":{"type":"json_schema","schema":${output}}}}`,
  '/v1beta': (_, { schema, output }) =>
    `{"contents":[{"role":"user","parts":[{"text":"hi"}]},{"role":"model","parts":[{"functionCall":{"name":"f","args":${result}}}]},{"role":"user","parts":[{"functionResponse":{"name":"f","response":${result}}}]}],"tools":[{"functionDeclarations":[{"name":"f","parametersJsonSchema":${schema}}]}],"generationConfig":{"temperature":1.0,"maxOutputTokens":1e3,"responseMimeType":"application/json","responseJsonSchema":${output}}}`,
};

/** Text as it stands in strings or outside, all the same. */
const bare = (text: string): string => text.replaceAll('\\', '');

function count(text: string, piece: string): number {
  return text.split(piece).length - 1;
}

const pathOf = (path: string, model: string) => (path === '/v1beta' ? `${path}/models/${model}:generateContent` : path);

for (const [path, body] of Object.entries(told)) {
  for (const model of models) {
    test(`sends the numbers of ${path} to ${model} as they were`, async ({ harness, upstream }) => {
      const keywords = model === olderGemini ? limits : [...limits, ...values];
      const schema = schemaOf(keywords);
      const answer = await harness.post(pathOf(path, model), body(model, { schema, output: schema }));
      assert.is(answer.status, 200, await answer.text());
      const sent = bare(upstream.requests.at(-1)?.body.toString() ?? '');
      for (const keyword of keywords) assert.is(count(sent, keyword), 2, `${keyword} in ${sent}`);
      assert.is(count(sent, result.slice(1, -1)), 2, `arguments and result in ${sent}`);
      assert.not.match(sent, /[\ue000]|ue000/i);
      // What the dialects themselves have numbers for is read as ever.
      if (path !== '/v1/messages' && model !== 'gpt-5-pro') assert.match(sent, /"temperature":1(\.0)?[,}]/);
      if (path !== '/v1/chat/completions' && path !== '/v1/responses') assert.match(sent, /:1(000|e3)[,}]/);
    });
  }
}

test('writes values of an enumeration as strings, digit by digit, for a wire that has only those', async ({
  harness,
  upstream,
}) => {
  const schema = schemaOf(['"enum":[12345678901234567891,1.0,2]', '"const":-9223372036854775808']);
  for (const [path, body] of Object.entries(told)) {
    if (path === '/v1beta') continue;
    const answer = await harness.post(path, body(olderGemini, { schema, output: schema }));
    assert.is(answer.status, 200, await answer.text());
    const sent = upstream.requests.at(-1)?.body.toString() ?? '';
    assert.is(count(sent, '"enum":["12345678901234567891","1.0","2"]'), 1, sent);
    assert.is(count(sent, '"enum":["-9223372036854775808"]'), 1, sent);
  }
});

test("reads limits that Gemini's clients write as strings, and keeps them", async ({ harness, upstream }) => {
  const parameters = `{"type":"OBJECT","properties":{"a":{"type":"STRING","minLength":"3","maxLength":1e3,"maximum":18446744073709551615}}}`;
  const declaration = `{"functionDeclarations":[{"name":"f","parameters":${parameters}}]}`;
  const asked = `{"contents":[{"role":"user","parts":[{"text":"hi"}]}],"tools":[${declaration}]}`;
  await harness.post('/v1beta/models/gpt-4o:generateContent', asked);
  const sent = upstream.requests.at(-1)?.body.toString() ?? '';
  assert.match(sent, /"minLength":3,"maxLength":1e3,"maximum":18446744073709551615/);
});

test('repeats the schemas of its tools to a client of Responses as it sent them, in either manner', async ({
  harness,
}) => {
  const schema = schemaOf([...limits, ...values]);
  const tell = told['/v1/responses'];
  for (const stream of [false, true]) {
    const asked = tell?.('claude-sonnet-4-5', { schema, output: schema }) ?? '';
    const answer = await harness.post('/v1/responses', asked.replace('{', `{"stream":${stream},`));
    const text = await answer.text();
    const times = count(text, '"tools":[');
    assert.is(times, stream ? 3 : 1);
    for (const keyword of [...limits, ...values]) assert.is(count(text, keyword), times * 2, keyword);
  }
});

test('keeps them where a chat body has the tools, or all of it, in words of another dialect', async ({
  harness,
  upstream,
}) => {
  const schema = schemaOf([...limits, ...values]);
  const flat = `"tools":[{"type":"function","name":"f","parameters":${schema}}]`;
  const format = `"text":{"format":{"type":"json_schema","name":"o","schema":${schema}}}`;
  for (const [asked, times] of [
    [`{"model":"gpt-4o","seed":1.0,"messages":[{"role":"user","content":"hi"}],${flat}}`, 1],
    [`{"model":"gpt-4o","max_output_tokens":1e3,"input":"hi",${flat},${format}}`, 2],
  ] as const) {
    const answer = await harness.post('/v1/chat/completions', asked);
    assert.is(answer.status, 200, await answer.text());
    const sent = upstream.requests.at(-1)?.body.toString() ?? '';
    for (const keyword of [...limits, ...values]) assert.is(count(sent, keyword), times, `${keyword} in ${sent}`);
    assert.match(sent, /"seed":1\.0|"max_(completion_)?tokens":1000/);
    assert.match(sent, /"function":\{"name":"f"/);
  }
});

test('takes no string of a client for a number', async ({ harness, upstream }) => {
  const own = '\ue0005';
  const schema = schemaOf(['"maximum":18446744073709551615', `"default":${quoted(own)}`]);
  for (const spelled of [schema, schema.replaceAll(own, '\\ue0005')]) {
    const tell = told['/v1/chat/completions'];
    await harness.post('/v1/chat/completions', tell?.('claude-sonnet-4-5', { schema: spelled, output: '{}' }) ?? '');
    const sent: JsonObject = JSON.parse(upstream.requests.at(-1)?.body.toString() ?? '{}');
    assert.match(JSON.stringify(sent.tools), `"default":${quoted(own)}`);
  }
});

test.run();
