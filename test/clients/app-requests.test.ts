/** What apps post to chat completions, and where: C21, C22, C28, C29, C34, C36 of requirements.md. Runs once: databases have no part in them. */
import OpenAI from 'openai';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../daemon/relay/json.ts';
import {
  type ClientWorld,
  channelTypes,
  everyModel,
  models,
  openAiOf,
  post,
  rowsOf,
  startClientWorld,
  stopClientWorld,
} from '../support/client-world.ts';
import { jsonAnswer } from '../support/fake-upstream.ts';
import { bodyOf, saying } from '../support/speaking-upstream.ts';

const apps = suite<ClientWorld>('what apps post');

const hello: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'hi' }];

apps.before(async (world) => {
  Object.assign(world, await startClientWorld());
});
apps.after(stopClientWorld);

apps('C21: have fields that nobody knows reach their own dialect untouched', async (world) => {
  world.upstream.script(saying({ text: 'pong' }));
  // Among them what a parser would change: large numbers, spellings of numbers, null and zero, the order of members.
  const strange = '"z_option":{"deep":[1.0,{"big":12345678901234567890}],"no":null},"a_option":0,"stop":null';
  const message = '{"role":"user","content":"hi","vendor_mark":{"at":1e3}}';
  for (const model of [models.openai, models.chat]) {
    const body = `{ ${strange}, "model":"${model}",  "messages":[${message}]}`;
    assert.is((await post(world, '/v1/chat/completions', body)).status, 200);
    assert.is(world.upstream.requests.at(-1)?.body.toString(), body);
  }
  const calls: [path: string, fields: string, answer: JsonObject | undefined][] = [
    // An account's default is to store answers, which operators switch off for everybody.
    ['/v1/responses', '"store":false,"input":[{"role":"user","content":"hi","vendor_mark":1e3}]', undefined],
    ['/v1/embeddings', '"input":"hi"', { data: [{ index: 0, embedding: [1] }], usage: { prompt_tokens: 1 } }],
    ['/v1/images/generations', '"prompt":"hi"', { created: 1, data: [{ b64_json: 'aGk=' }] }],
  ];
  for (const [path, fields, answer] of calls) {
    world.upstream.script(answer === undefined ? saying({ text: 'pong' }) : jsonAnswer(answer));
    const body = `{ ${strange}, "model":"${models.openai}",  ${fields}}`;
    const response = await post(world, path, body);
    assert.is(response.status, 200, await response.text());
    assert.is(world.upstream.requests.at(-1)?.body.toString(), body);
  }
});

apps('C22, C36: are helped when the base address lacks its version or has it twice', async (world) => {
  world.upstream.script(saying({ text: 'pong' }));
  const app = new OpenAI({ baseURL: `${world.daemon.url}/v1/`, apiKey: world.key, maxRetries: 0 });
  assert.ok(await app.chat.completions.create({ model: models.openai, messages: hello }));
  const calls = ['chat/completions', 'responses', 'messages', 'embeddings', 'models', 'images/edits', 'audio/speech'];
  for (const path of [...calls, 'v1/v1/chat/completions']) {
    const response = await post(world, `/${path}`, {
      model: models.openai,
      messages: [{ role: 'user', content: 'hi' }],
    });
    const text = await response.text();
    assert.is(response.status, 404, text);
    assert.match(Object(JSON.parse(text)).error.message, /the base URL must end in \/v1, once/);
  }
  const lacking = new OpenAI({ baseURL: world.daemon.url, apiKey: world.key, maxRetries: 0 });
  const lookUps = [
    () => lacking.models.list(),
    () => lacking.models.retrieve(models.openai),
    () => lacking.moderations.create({ input: 'hi' }),
  ];
  for (const lookUp of lookUps) {
    const refusal: unknown = await lookUp().catch((cause: unknown) => cause);
    assert.instance(refusal, OpenAI.NotFoundError);
    assert.match(Object(refusal).message, /the base URL must end in \/v1, once/);
  }
});

apps('C28: call a model by an alias and pay for the model behind it', async (world) => {
  const { daemon, upstream } = world;
  for (const [alias, model] of everyModel.map((name) => [`fast-${name}`, name] as const)) {
    await daemon.addChannel({
      base_url: upstream.url,
      type: channelTypes[model],
      models: alias,
      model_mapping: JSON.stringify({ [alias]: model }),
    });
    upstream.script(saying({ text: 'pong' }));
    const answer = await openAiOf(world).chat.completions.create({ model: alias, messages: hello });
    assert.is(answer.model, alias);
    const request = upstream.requests.at(-1);
    const asked = `${request?.url} ${request?.body}`;
    assert.ok(asked.includes(model) && !asked.includes(alias), model);
    const before = await rowsOf(world, model, 0);
    await openAiOf(world).chat.completions.create({ model, messages: hello });
    const [direct] = await rowsOf(world, model, before.length + 1);
    const [row] = await rowsOf(world, alias, 1);
    assert.equal([row?.quota, row?.prompt_tokens], [direct?.quota, direct?.prompt_tokens], model);
  }
});

apps('C28: mean by an alias what the group of their key means by it', async (world) => {
  const { daemon, upstream } = world;
  upstream.script(saying({ text: 'pong' }));
  const ratio = JSON.stringify({ ...Object.fromEntries(everyModel.map((model) => [model, 1])), [models.messages]: 3 });
  await daemon.root.options.set({ key: 'ModelRatio', value: ratio });
  const charged: number[] = [];
  for (const [group, model] of [
    ['default', models.chat],
    ['vip', models.messages],
  ] as const) {
    await daemon.addChannel({
      base_url: upstream.url,
      type: channelTypes[model],
      group,
      models: 'house-model',
      model_mapping: JSON.stringify({ 'house-model': model }),
    });
    const key = await daemon.addKey({ group });
    await openAiOf({ ...world, key }).chat.completions.create({ model: 'house-model', messages: hello });
    assert.is(bodyOf(upstream.requests.at(-1)).model, model);
    const [row] = await rowsOf(world, 'house-model', charged.length + 1);
    charged.push(row?.quota ?? 0);
  }
  // 17 tokens, at the ratio of the model that answered.
  assert.equal(charged, [17, 51]);
});

apps('C28: mean by an alias what their key means by it, and find it among its models', async (world) => {
  const { daemon, upstream } = world;
  upstream.script(saying({ text: 'pong' }));
  const [alias, model] = ['key-model', models.chat];
  const key = await daemon.addKey({
    model_mapping: { [alias]: model },
    model_limits: model,
    model_limits_enabled: true,
  });
  const app = openAiOf({ ...world, key });
  const before = await rowsOf(world, model, 0);
  const answer = await app.chat.completions.create({ model: alias, messages: hello });
  assert.is(answer.model, alias);
  assert.is(bodyOf(upstream.requests.at(-1)).model, model);
  const listed = (await app.models.list()).data.map(({ id }) => id);
  assert.equal(listed.sort(), [alias, model].sort());
  const [row] = await rowsOf(world, model, before.length + 1);
  assert.is(JSON.parse(row?.other ?? '{}').requested_model_name, alias);
  const others = openAiOf(world).chat.completions.create({ model: alias, messages: hello });
  assert.is((await others.catch((cause: unknown) => cause)) instanceof OpenAI.NotFoundError, true);
});

apps('C29: post the shapes of other dialects to the chat address', async (world) => {
  world.upstream.script(saying({ text: 'pong' }));
  const clock = { name: 'clock', description: 'Tells', input_schema: { type: 'object', properties: {} } };
  const flat = [{ type: 'function', name: 'clock', parameters: { type: 'object', properties: {} }, strict: true }];
  const input = [
    { role: 'developer', content: 'be brief' },
    { role: 'user', content: [{ type: 'input_text', text: 'what time is it' }] },
    { type: 'function_call', call_id: 'call_1', name: 'clock', arguments: '{}' },
    { type: 'function_call_output', call_id: 'call_1', output: 'nine' },
  ];
  for (const model of everyModel) {
    for (const stream of [false, true]) {
      const asked = { model, input, tools: flat, max_output_tokens: 50, stream };
      const answer = await post(world, '/v1/chat/completions', asked);
      const text = await answer.text();
      assert.is(answer.status, 200, text);
      assert.match(text, stream ? /chat\.completion\.chunk/ : /"object":"chat\.completion"/);
      if (stream) assert.not.match(text, /"usage":\{/);
      const sent = JSON.stringify(bodyOf(world.upstream.requests.at(-1)));
      for (const part of ['be brief', 'what time is it', 'clock', 'nine', '50']) assert.ok(sent.includes(part), part);
    }
    const choice = { type: 'tool', name: 'clock', disable_parallel_tool_use: true };
    const messages = [{ content: 'hi' }];
    const response = await post(world, '/v1/chat/completions', {
      model,
      messages,
      tools: [clock],
      tool_choice: choice,
    });
    assert.is(response.status, 200, await response.text());
    const sent = bodyOf(world.upstream.requests.at(-1));
    if (model === models.chat) {
      const { name, description, input_schema: parameters } = clock;
      assert.equal(sent.tools, [{ type: 'function', function: { name, description, parameters } }]);
      assert.equal(sent.tool_choice, { type: 'function', function: { name } });
      assert.is(sent.parallel_tool_calls, false);
      assert.equal(sent.messages, [{ content: 'hi', role: 'user' }]);
    } else assert.match(JSON.stringify(sent.tools), /clock/);
  }
});

apps('C29: are told which address fits what is no chat', async (world) => {
  const refused = async (body: JsonObject) => {
    const answer = await post(world, '/v1/chat/completions', { model: models.chat, ...body });
    const { error } = Object(await answer.json());
    return [answer.status, error.code, error.message];
  };
  const fits: [body: JsonObject, code: string, text: RegExp][] = [
    [{ input: 'hi', previous_response_id: 'resp_1' }, 'invalid_request', /belongs to \/v1\/responses/],
    [{ input: 'hi', tools: [{ type: 'file_search' }] }, 'convert_request_failed', /file_search/],
    [{ prompt: 'hi' }, 'invalid_request', /belongs to \/v1\/completions/],
    [{ contents: [] }, 'invalid_request', /:generateContent/],
    [{}, 'invalid_request', /messages is required/],
  ];
  for (const [body, code, text] of fits) {
    const [status, found, message] = await refused(body);
    assert.equal([status, found], [400, code], JSON.stringify(body));
    assert.match(String(message), text);
  }
});

apps('C34: learn which model is missing, and get a stand-in where the operator named one', async (world) => {
  const ask = () =>
    post(world, '/v1/chat/completions', { model: 'gpt-9-title', messages: [{ role: 'user', content: 'hi' }] });
  const refused = await ask();
  assert.is(refused.status, 404);
  assert.match(await refused.text(), /gpt-9-title/);
  const standIn = JSON.stringify({ 'gpt-9-title': models.openai });
  await world.daemon.root.options.set({ key: 'ModelFallbackAlias', value: standIn });
  world.upstream.script(saying({ text: 'pong' }));
  const answered = await ask();
  assert.is(answered.status, 200, await answered.clone().text());
  assert.is(bodyOf(world.upstream.requests.at(-1)).model, models.openai);
  await world.daemon.root.options.set({ key: 'ModelFallbackAlias', value: '{}' });
});

apps.run();
