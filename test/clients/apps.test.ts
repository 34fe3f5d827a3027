/** Apps on chat completions: C18 to C20, C30 to C41 of requirements.md. Runs once: databases have no part in them. */
import type OpenAI from 'openai';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { relayCallPaths } from '../../daemon/http/routes/relay-paths.ts';
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

const apps = suite<ClientWorld>('apps on chat completions');

const hello: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'hi' }];

apps.before(async (world) => {
  Object.assign(world, await startClientWorld({ 'log.level': 'debug', 'limits.global_api.enabled': true }));
});
apps.after(stopClientWorld);

for (const model of everyModel) {
  apps(`C18: get the usage chunk of ${model} only if they asked for it`, async (world) => {
    world.upstream.script(saying({ text: 'pong' }));
    for (const asked of [true, false]) {
      const chunks = [];
      const options = asked ? { stream_options: { include_usage: true } } : {};
      for await (const chunk of await openAiOf(world).chat.completions.create({
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
      // Apps that did not ask read the first choice of every chunk.
      assert.ok(asked || chunks.every(({ choices }) => choices.length > 0));
    }
  });

  apps(`C30: continue a history with null content and tool results with ${model}`, async (world) => {
    world.upstream.script(saying({ text: 'it is 9' }));
    const answer = await openAiOf(world).chat.completions.create({
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
        openAiOf(world)
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
    const answer = await openAiOf(world, 3).chat.completions.create({ model, messages: hello });
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
    ...[
      '/fast/mj/task/1/fetch',
      '/mj/task/list-by-condition',
      '/suno/submit/music',
      '/suno/fetch/1',
      '/chat/completions',
    ],
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
    const methods = response.headers.get('access-control-allow-methods')?.split(', ') ?? [];
    assert.ok(methods.includes('POST') && methods.includes('GET'), path);
    // What is refused is shown to the page, too: it would else say that nobody answers.
    const refused = await fetch(daemon.url + path, { method: 'POST', headers: { origin: 'https://app.example' } });
    assert.ok(refused.status >= 400, path);
    assert.is(refused.headers.get('access-control-allow-origin'), '*', path);
  }
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
      await openAiOf(world).chat.completions.create({ model, messages, tools, user: 'same' });
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

/** Requests of a loop of tools, as agents make them. */
const loops: readonly {
  readonly path: string;
  readonly tools: JsonObject[];
  /** The turns that come of an answer and of the results of its calls. */
  turnsOf(answer: JsonObject, result: string): JsonObject[];
}[] = [
  {
    path: '/v1/chat/completions',
    tools: ['zone', 'clock'].map((name) => ({ type: 'function', function: { name, parameters: { type: 'object' } } })),
    turnsOf(answer, content) {
      const { message } = Object(answer.choices)[0];
      const results = message.tool_calls.map(({ id }: JsonObject) => ({ role: 'tool', tool_call_id: id, content }));
      return [message, ...results];
    },
  },
  {
    path: '/v1/messages',
    tools: ['zone', 'clock'].map((name) => ({ name, input_schema: { type: 'object' } })),
    turnsOf(answer, text) {
      const said: JsonObject[] = Object(answer.content);
      const results = said.flatMap(({ type, id = '' }) =>
        type === 'tool_use' ? [{ type: 'tool_result', tool_use_id: id, content: text }] : [],
      );
      return [
        { role: 'assistant', content: said },
        { role: 'user', content: results },
      ];
    },
  },
];

apps(
  'C38: keep the beginning of a loop of tools the same, signed thoughts and ids of calls among it',
  async (world) => {
    const signature = Buffer.from('signed').toString('base64');
    for (const { path, tools, turnsOf } of loops) {
      for (const model of everyModel) {
        const messages: JsonObject[] = [{ role: 'user', content: 'what time is it' }];
        const sent: JsonObject[] = [];
        for (let turn = 1; turn <= 3; turn += 1) {
          const calls = ['zone', 'clock'].map((name) => ({
            id: `call_${name}_${turn}`,
            name,
            args: { z: turn, a: 'b' },
          }));
          world.upstream.script(
            saying({ reasoning: { text: `thought ${turn}`, signature }, text: `step ${turn}`, calls }),
          );
          const response = await post(world, path, { model, messages, tools, max_tokens: 5000 });
          assert.is(response.status, 200);
          messages.push(...turnsOf(JSON.parse(await response.text()), `result ${turn}`));
          sent.push(bodyOf(world.upstream.requests.at(-1)));
        }
        for (const [at, body] of sent.slice(1).entries()) {
          const [before, after] = [sent[at] ?? {}, body].map(({ messages: turns, contents, ...rest }) => ({
            rest,
            turns: Object(turns ?? contents),
          }));
          assert.equal(after?.rest, before?.rest, `${path} to ${model}`);
          assert.equal(after?.turns.slice(0, before?.turns.length), before?.turns, `${path} to ${model}`);
        }
      }
    }
  },
);

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
    openAiOf(world).chat.completions.create({ model, messages: hello, max_tokens: 5 }),
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
  // Other calls without a key are limited here, and none of these stood in their way.
  const status = await fetch(`${daemon.url}/api/status`);
  assert.is(status.headers.get('x-ratelimit-limit-requests'), '180');
  assert.ok(Number(status.headers.get('x-ratelimit-remaining-requests')) > 100);
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
