/** Apps on chat completions: C18 to C22, C28 to C41 of requirements.md. Runs once: databases have no part in them. */
import OpenAI from 'openai';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { relayCallPaths } from '../../daemon/http/routes/relay-paths.ts';
import type { JsonObject } from '../../daemon/relay/json.ts';
import {
  type ClientWorld,
  channelTypes,
  everyModel,
  models,
  rowsOf,
  startClientWorld,
  stopClientWorld,
} from '../support/client-world.ts';
import { jsonAnswer } from '../support/fake-upstream.ts';
import { bodyOf, saying } from '../support/speaking-upstream.ts';

const apps = suite<ClientWorld>('apps on chat completions');

const hello: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'hi' }];

function client({ daemon, key }: ClientWorld, maxRetries = 0): OpenAI {
  return new OpenAI({ baseURL: `${daemon.url}/v1`, apiKey: key, maxRetries });
}

function post({ daemon, key }: ClientWorld, path: string, body: JsonObject | string, headers = {}): Promise<Response> {
  return fetch(daemon.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

apps.before(async (world) => {
  Object.assign(world, await startClientWorld({ 'log.level': 'debug' }));
});
apps.after(stopClientWorld);

for (const model of everyModel) {
  apps(`C18: get the usage chunk of ${model} only if they asked for it`, async (world) => {
    world.upstream.script(saying({ text: 'pong' }));
    for (const asked of [true, false]) {
      const chunks = [];
      const options = asked ? { stream_options: { include_usage: true } } : {};
      for await (const chunk of await client(world).chat.completions.create({
        model,
        messages: hello,
        stream: true,
        ...options,
      })) {
        chunks.push(chunk);
      }
      const text = chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('');
      assert.is(text, 'pong');
      const usages = chunks.filter(({ usage }) => usage !== undefined && usage !== null);
      assert.equal(
        usages.map(({ usage }) => [usage?.prompt_tokens, usage?.completion_tokens]),
        asked ? [[12, 5]] : [],
      );
    }
  });

  apps(`C30: continue a history with null content and tool results with ${model}`, async (world) => {
    world.upstream.script(saying({ text: 'it is 9' }));
    const answer = await client(world).chat.completions.create({
      model,
      messages: [
        { role: 'developer', content: 'be brief' },
        { role: 'user', content: [{ type: 'text', text: 'what time is it' }] },
        {
          role: 'assistant',
          content: null,
          tool_calls: [
            { id: 'call_1', type: 'function', function: { name: 'clock', arguments: '{}' } },
            { id: 'call_2', type: 'function', function: { name: 'zone', arguments: '{"of":"me"}' } },
          ],
        },
        { role: 'tool', tool_call_id: 'call_1', content: 'nine' },
        { role: 'tool', tool_call_id: 'call_2', content: 'utc' },
      ],
      tools: ['clock', 'zone'].map((name) => ({
        type: 'function',
        function: { name, strict: true, parameters: { type: 'object', properties: {}, additionalProperties: false } },
      })),
      max_completion_tokens: 50,
      reasoning_effort: 'high',
    });
    assert.is(answer.choices[0]?.message.content, 'it is 9');
    const body = bodyOf(world.upstream.requests.at(-1));
    // Claude refuses to think on in a turn that began without a thought.
    if (model === models.messages) assert.is(body.thinking, undefined);
    const sent = JSON.stringify(body);
    for (const part of ['be brief', 'what time is it', 'clock', 'zone', 'nine', 'utc'])
      assert.ok(sent.includes(part), part);
    assert.ok(sent.indexOf('nine') < sent.indexOf('utc'));
  });

  apps(`C37: read the reasoning of ${model} in the field that they know, or folded into the text`, async (world) => {
    world.upstream.script(saying({ reasoning: { text: 'let me think', signature: 'c2ln' }, text: 'pong' }));
    await world.daemon.addChannel({
      base_url: world.upstream.url,
      type: channelTypes[model],
      group: 'vip',
      models: `folded-${model}`,
      setting: JSON.stringify({ thinking_to_content: true }),
    });
    const folding = { ...world, key: await world.daemon.addKey({ group: 'vip' }) };
    const shown: [as: ClientWorld, model: string, thought: string, text: string][] = [
      [world, model, 'let me think', 'pong'],
      [folding, `folded-${model}`, '', '<think>\nlet me think\n</think>\npong'],
    ];
    for (const [as, asked, thought, text] of shown) {
      const body = { model: asked, messages: [{ role: 'user', content: 'hi' }] };
      const whole: unknown = await (await post(as, '/v1/chat/completions', body)).json();
      const [choice] = Object(whole).choices;
      assert.equal([choice.message.reasoning_content ?? '', choice.message.content], [thought, text]);
      const streamed = await (await post(as, '/v1/chat/completions', { ...body, stream: true })).text();
      const pieces = streamed
        .split('\n')
        .flatMap((line) => (/^data: \{/.test(line) ? [JSON.parse(line.slice(6))] : []));
      const deltas = pieces.flatMap(({ choices }) => choices.map(({ delta }: { delta: JsonObject }) => delta));
      assert.is(deltas.map((delta) => delta.reasoning_content ?? '').join(''), thought);
      assert.is(deltas.map((delta) => delta.content ?? '').join(''), text);
    }
  });

  apps(`C40: make a hundred short calls at once on one key with ${model}`, async (world) => {
    world.upstream.script(saying({ text: 'pong' }));
    const before = (await world.daemon.root.logs.list({ type: 2, model_name: model })).total;
    const answers = await Promise.all(
      Array.from({ length: 100 }, () =>
        client(world)
          .chat.completions.create({ model, messages: hello, max_tokens: 5 })
          .catch((error) => error),
      ),
    );
    const texts = answers.map((answer) => answer.choices?.[0]?.message.content ?? String(answer));
    assert.equal(new Set(texts), new Set(['pong']));
    await rowsOf(world, model, before + 100);
  });
}

apps('C19: are told when to come again, and do', async (world) => {
  const slow = { error: { message: 'slow down', type: 'rate_limit_error', code: 'rate_limit_exceeded' } };
  for (const model of everyModel) {
    let calls = 0;
    world.upstream.script((request, index) => {
      calls += 1;
      return calls === 1 ? jsonAnswer(slow, 429, { 'retry-after': '1' }) : saying({ text: 'pong' })(request, index);
    });
    const refused = await post(world, '/v1/chat/completions', { model, messages: [{ role: 'user', content: 'hi' }] });
    assert.is(refused.status, 429, model);
    assert.ok(Number(refused.headers.get('retry-after')) >= 1, model);
    await refused.text();
    const answer = await client(world, 3).chat.completions.create({ model, messages: hello });
    assert.is(answer.choices[0]?.message.content, 'pong', model);
  }
});

apps('C20, C35: list models with and without a slash, from servers and from browsers', async (world) => {
  for (const path of ['/v1/models', '/v1/models/']) {
    for (const origin of [{}, { origin: 'https://app.example' }]) {
      const response = await fetch(world.daemon.url + path, {
        headers: { authorization: `Bearer ${world.key}`, ...origin },
        redirect: 'error',
      });
      assert.is(response.status, 200);
      assert.is(response.headers.get('access-control-allow-origin'), '*');
      const { object, data } = Object(await response.json());
      assert.is(object, 'list');
      assert.equal(data.map(({ id }: { id: string }) => id).sort(), [...everyModel].sort());
    }
  }
});

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
    const answer = await client(world).chat.completions.create({ model: alias, messages: hello });
    assert.is(answer.model, alias);
    const request = upstream.requests.at(-1);
    const asked = `${request?.url} ${request?.body}`;
    assert.ok(asked.includes(model) && !asked.includes(alias), model);
    const before = await rowsOf(world, model, 0);
    await client(world).chat.completions.create({ model, messages: hello });
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
    await client({ ...world, key }).chat.completions.create({ model: 'house-model', messages: hello });
    assert.is(bodyOf(upstream.requests.at(-1)).model, model);
    const [row] = await rowsOf(world, 'house-model', charged.length + 1);
    charged.push(row?.quota ?? 0);
  }
  // 17 tokens, at the ratio of the model that answered.
  assert.equal(charged, [17, 51]);
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
    const choice = { type: 'tool', name: 'clock' };
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

apps('C32: stream in each of the four modes', async (world) => {
  world.upstream.script(saying({ text: 'pong' }));
  const modes: [path: string, body: JsonObject, text: RegExp][] = [
    ['/v1/chat/completions', { messages: [{ role: 'user', content: 'hi' }] }, /"content":"po"/],
    ['/v1/responses', { input: 'hi' }, /"delta":"po"/],
    ['/v1/messages', { max_tokens: 9, messages: [{ role: 'user', content: 'hi' }] }, /"text":"po"/],
  ];
  const extra = { 'x-title': 'Cherry Studio', 'http-referer': 'https://cherry-ai.com' };
  for (const model of everyModel) {
    for (const [path, body, piece] of modes) {
      const response = await post(world, path, { model, stream: true, ...body }, extra);
      assert.match(response.headers.get('content-type') ?? '', 'text/event-stream');
      assert.match(await response.text(), piece);
    }
    const contents = [{ role: 'user', parts: [{ text: 'hi' }] }];
    const gemini = await post(world, `/v1beta/models/${model}:streamGenerateContent?alt=sse`, { contents }, extra);
    assert.match(await gemini.text(), /"text":"po"/);
  }
});

apps('C33: ask before they call, on every relay path', async ({ daemon }) => {
  const paths = [
    ...relayCallPaths.map((path) => path.replace('{model}', 'any')),
    ...['/v1/models', '/v1/models/any', '/v1beta/models', '/v1beta/models/any', '/v1/responses/resp_1'],
    ...['/v1beta/models/any:streamGenerateContent?alt=sse', '/v1/realtime', '/v1/files', '/mj/submit/imagine'],
  ];
  for (const path of paths) {
    const response = await fetch(daemon.url + path, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://app.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,x-title',
      },
    });
    assert.is(response.status, 204, path);
    assert.is(response.headers.get('access-control-allow-origin'), '*', path);
    assert.match(response.headers.get('access-control-allow-headers') ?? '', 'x-title');
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

apps('C38: keep the beginning of a growing conversation the same for the vendor’s cache', async (world) => {
  world.upstream.script(saying({ text: 'pong', usage: { prompt: 100, completion: 5, cached: 80 } }));
  const turns = (count: number) =>
    Array.from(
      { length: count },
      (_, at): OpenAI.ChatCompletionMessageParam => ({
        role: at % 2 === 0 ? 'user' : 'assistant',
        content: `turn ${at} `.repeat(50),
      }),
    );
  const tools = ['zone', 'clock'].map((name) => ({
    type: 'function' as const,
    function: { name, parameters: { type: 'object', required: ['b', 'a'], properties: { b: {}, a: {} } } },
  }));
  for (const model of everyModel) {
    const before = (await rowsOf(world, model, 0)).length;
    const sent: string[] = [];
    const headers: string[] = [];
    for (const count of [1, 3, 5]) {
      const messages = [{ role: 'system' as const, content: 'stable' }, ...turns(count)];
      await client(world).chat.completions.create({ model, messages, tools, user: 'same' });
      const request = world.upstream.requests.at(-1);
      // Up to the last turn; what stands behind the list of turns, tools among it, must be the same as well.
      const [head = '', tail = ''] = (request?.body.toString() ?? '').split(`turn ${count - 1} `.repeat(50));
      sent.push(`${tail} | ${head}`);
      const { 'content-length': _, ...rest } = request?.headers ?? {};
      headers.push(JSON.stringify(Object.entries(rest).filter(([name]) => !name.startsWith('x-stainless'))));
    }
    assert.ok(sent[1]?.startsWith(sent[0] ?? '?'), `${model}: ${sent[0]}\n${sent[1]}`);
    assert.ok(sent[2]?.startsWith(sent[1] ?? '?'), model);
    assert.equal(new Set(headers).size, 1, model);
    // The share that was read from the cache reaches client and log.
    const [row] = await rowsOf(world, model, before + 3);
    assert.is(Object(JSON.parse(row?.other ?? '{}')).cache_tokens, 80, model);
  }
});

apps('C40: are spread over channels by their weights', async (world) => {
  const asked = { light: 0, heavy: 0 };
  world.upstream.script((request, index) => {
    asked[request.url.startsWith('/heavy') ? 'heavy' : 'light'] += 1;
    return saying({ text: 'pong' })(request, index);
  });
  const model = 'gpt-4o-mini';
  for (const [name, weight] of [
    ['light', 0],
    ['heavy', 30],
  ] as const) {
    await world.daemon.addChannel({ base_url: `${world.upstream.url}/${name}`, models: model, weight });
  }
  const calls = Array.from({ length: 200 }, () =>
    client(world).chat.completions.create({ model, messages: hello, max_tokens: 5 }),
  );
  await Promise.all(calls);
  // Weights count with ten added: one in five goes to the light one, 40 of 200, here within four deviations.
  assert.is(asked.light + asked.heavy, 200);
  assert.ok(asked.light > 16 && asked.light < 64, JSON.stringify(asked));
});

apps('C41: may be asked for their health by anyone, unlogged and unlimited', async ({ daemon }) => {
  const before = daemon.log.length;
  for (let call = 0; call < 300; call += 1) {
    const method = call % 2 === 0 ? 'GET' : 'HEAD';
    for (const path of ['/healthz', '/readyz']) assert.is((await fetch(daemon.url + path, { method })).status, 200);
  }
  for (const method of ['GET', 'HEAD']) {
    for (const path of ['/', '/api/status']) assert.is((await fetch(daemon.url + path, { method })).status, 200);
  }
  const lines = daemon.log.slice(before);
  assert.ok(lines.some((line) => line.includes('/api/status')));
  assert.equal(
    lines.filter((line) => /healthz|readyz/.test(line)),
    [],
  );
});

apps.run();
