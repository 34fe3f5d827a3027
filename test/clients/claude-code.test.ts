/**
 * Claude Code as it calls: the client cases C1 to C9 of requirements.md, on its own dialect and through every
 * conversion.
 * Runs once: what a client sends and reads is the same on every database.
 */
import Anthropic from '@anthropic-ai/sdk';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type ClientWorld,
  everyModel,
  models,
  post,
  rowsOf,
  startClientWorld,
  stopClientWorld,
} from '../support/client-world.ts';
import { jsonAnswer } from '../support/fake-upstream.ts';
import { bodyOf, firstHalf, type Said, saying } from '../support/speaking-upstream.ts';
import { resolvesWithin } from '../support/until.ts';

const claude = suite<ClientWorld>('Claude Code');

const attribution = 'x-anthropic-billing-header: cc_version=2.1.0; cc_entrypoint=cli;';
const headers = {
  'anthropic-version': '2023-06-01',
  'anthropic-beta': 'claude-code-20250219,interleaved-thinking-2025-05-14',
  'x-app': 'cli',
  'user-agent': 'claude-cli/2.1.0 (external, cli)',
};
const tools: Anthropic.Tool[] = ['Bash', 'Read'].map((name) => ({
  name,
  description: `Runs ${name}`,
  input_schema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
}));

/** What the client sends with every turn. */
function turn(model: string, messages: Anthropic.MessageParam[]): Anthropic.MessageCreateParamsNonStreaming {
  return {
    model,
    max_tokens: 8000,
    system: [
      { type: 'text', text: attribution },
      { type: 'text', text: 'You are a coding agent.', cache_control: { type: 'ephemeral' } },
    ],
    tools,
    messages,
    metadata: { user_id: 'user_abc_account__session_def' },
  };
}

function client({ daemon, key }: ClientWorld, auth: 'bearer' | 'key' = 'bearer'): Anthropic {
  const credentials = auth === 'bearer' ? { authToken: key, apiKey: null } : { apiKey: key, authToken: null };
  return new Anthropic({ ...credentials, baseURL: daemon.url, maxRetries: 0, defaultHeaders: headers });
}

claude.before(async (world) => {
  Object.assign(world, await startClientWorld());
});
claude.after(stopClientWorld);

const hello: Anthropic.MessageParam[] = [{ role: 'user', content: 'hi' }];

for (const model of everyModel) {
  claude(`C1: chats, streamed and whole, with ${model}`, async (world) => {
    world.upstream.script(saying({ text: 'pong' }));
    const anthropic = client(world);
    const stream = anthropic.messages.stream(turn(model, hello), { query: { beta: 'true' } });
    assert.is(await stream.finalText(), 'pong');
    const final = await stream.finalMessage();
    // Its own dialect comes through as the vendor wrote it, the vendor's name for the model included.
    assert.is(final.model, model === models.messages ? 'upstream-model' : model);
    assert.equal([final.stop_reason, final.usage.output_tokens], ['end_turn', 5]);
    const whole = await anthropic.messages.create(turn(model, hello));
    assert.equal(
      whole.content.map((block) => (block.type === 'text' ? block.text : block.type)),
      ['pong'],
    );
    assert.ok(JSON.stringify(bodyOf(world.upstream.requests.at(-1))).includes('You are a coding agent.'));
  });

  claude(`C2: works through a tool loop of twenty turns with ${model}`, async (world) => {
    const { upstream } = world;
    const turns = 20;
    let asked = 0;
    upstream.script(
      saying((): Said => {
        asked += 1;
        if (asked > turns) return { text: 'done' };
        const [first, second] = [`toolu_${asked}_a`, `toolu_${asked}_b`];
        return {
          text: `step ${asked}`,
          calls: [
            { id: first, name: 'Bash', args: { path: `/a/${asked}` } },
            { id: second, name: 'Read', args: { path: `/b/${asked}` } },
          ],
        };
      }),
    );
    const anthropic = client(world);
    const messages = [...hello];
    for (let at = 1; at <= turns; at += 1) {
      const message = await anthropic.messages.stream(turn(model, messages)).finalMessage();
      const calls = message.content.filter((block) => block.type === 'tool_use');
      assert.equal(
        calls.map(({ name, input }) => [name, input]),
        [
          ['Bash', { path: `/a/${at}` }],
          ['Read', { path: `/b/${at}` }],
        ],
      );
      assert.is(new Set(calls.map(({ id }) => id)).size, 2);
      assert.is(message.stop_reason, 'tool_use');
      const content = calls.map(({ id, name }) => ({
        type: 'tool_result' as const,
        tool_use_id: id,
        content: [{ type: 'text' as const, text: `result of ${name} ${at}` }],
      }));
      messages.push({ role: 'assistant', content: message.content }, { role: 'user', content });
    }
    const last = await anthropic.messages.create(turn(model, messages));
    assert.is(last.stop_reason, 'end_turn');
    // Every call and every result of all turns arrived, in their order.
    const sent = JSON.stringify(bodyOf(upstream.requests.at(-1)));
    let from = 0;
    for (let at = 1; at <= turns; at += 1) {
      for (const part of [`step ${at}`, `/a/${at}`, `/b/${at}`, `result of Bash ${at}`, `result of Read ${at}`]) {
        const found = sent.indexOf(part, from);
        assert.ok(found >= from, `${part} is missing or out of order`);
        from = found;
      }
    }
  });

  claude(`C3: replays thinking beside tools with ${model}`, async (world) => {
    const { upstream } = world;
    const signature = Buffer.from('a signature of the vendor').toString('base64');
    upstream.script(
      saying({
        reasoning: { text: 'let me look', signature },
        text: 'looking',
        calls: [{ id: 'toolu_1', name: 'Bash', args: { path: '/x' } }],
      }),
    );
    const anthropic = client(world);
    const first: Anthropic.MessageCreateParamsNonStreaming = {
      ...turn(model, hello),
      thinking: { type: 'enabled', budget_tokens: 2000 },
    };
    const message = await anthropic.messages.stream(first).finalMessage();
    // A signature that stands beside the thought instead of in it travels as a block of its own.
    const kinds = message.content.map(({ type }) => type).filter((type) => type !== 'redacted_thinking');
    assert.equal(kinds, ['thinking', 'text', 'tool_use']);
    const call = message.content.find((block) => block.type === 'tool_use');
    upstream.script(saying({ text: 'done' }));
    await anthropic.messages.create({
      ...first,
      messages: [
        ...hello,
        { role: 'assistant', content: message.content },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: call?.id ?? '', content: 'seen' }] },
      ],
    });
    const sent = JSON.stringify(bodyOf(upstream.requests.at(-1)));
    assert.ok(sent.includes('seen'));
    // Where the vendor signs its thinking, it gets back what it signed.
    if (model === models.messages || model === models.gemini) assert.ok(sent.includes(signature), sent);
    if (model === models.messages) assert.ok(sent.includes('let me look'));
  });

  claude(`C2: calls a tool that a search has found with ${model}`, async (world) => {
    const { upstream } = world;
    const search = { name: 'ToolSearch', description: 'Finds tools', input_schema: { type: 'object', properties: {} } };
    const found = { ...search, name: 'WebFetch', description: 'Fetches', defer_loading: true };
    const reference = { type: 'tool_reference', tool_name: 'WebFetch' };
    const messages = [
      ...hello,
      { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_s', name: 'ToolSearch', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_s', content: [reference] }] },
    ];
    upstream.script(saying({ calls: [{ id: 'toolu_f', name: 'WebFetch', args: {} }] }));
    const asked = { ...turn(model, []), messages, tools: [search, found] };
    const response = await post(world, '/v1/messages?beta=true', JSON.stringify(asked), headers);
    const answer = await response.text();
    assert.is(response.status, 200, answer);
    assert.match(answer, '"name":"WebFetch"');
    const sent = String(upstream.requests.at(-1)?.body);
    assert.match(sent, 'Fetches');
    if (model === models.messages) assert.match(sent, JSON.stringify([reference]));
    else assert.match(sent, 'The tool WebFetch can be called now.');
  });

  claude(`C4: counts tokens for ${model}`, async (world) => {
    world.upstream.script(({ url }) =>
      jsonAnswer(url.includes('countTokens') ? { totalTokens: 77 } : { input_tokens: 77 }),
    );
    const counted = await client(world).messages.countTokens(
      { model, messages: hello, tools, system: 'short' },
      { query: { beta: 'true' } },
    );
    assert.equal(Object.keys(counted), ['input_tokens']);
    if (model === models.messages) assert.is(counted.input_tokens, 77);
    else assert.ok(counted.input_tokens > 10 && counted.input_tokens < 300);
  });

  claude(`C7: ends the upstream call within a second of an abort with ${model}`, async (world) => {
    const { upstream } = world;
    const before = (await world.daemon.root.logs.list({ type: 2, model_name: model })).total;
    upstream.script((request, index) => {
      const answer = saying({ text: 'a long answer that never ends' })(request, index);
      return { ...answer, chunks: firstHalf(answer), end: 'hang' as const };
    });
    const stream = client(world).messages.stream(turn(model, hello));
    stream.on('streamEvent', () => stream.abort());
    let aborted = false;
    await stream.finalMessage().catch(() => {
      aborted = true;
    });
    assert.ok(aborted);
    await resolvesWithin(1000, upstream.requests.at(-1)?.aborted);
    await rowsOf(world, model, before + 1);
  });

  claude(`C8: shows refusals in its own shape with ${model}`, async (world) => {
    // 529 is Anthropic's own; others say 503 for it.
    const statuses = [429, model === models.messages ? 529 : 503];
    for (const [status, stream] of statuses.flatMap((status) => [[status, false] as const, [status, true] as const])) {
      world.upstream.script(
        jsonAnswer(
          { error: { type: status === 429 ? 'rate_limit_error' : 'overloaded_error', message: 'Later' } },
          status,
        ),
      );
      const response = await fetch(`${world.daemon.url}/v1/messages?beta=true`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json', authorization: `Bearer ${world.key}` },
        body: JSON.stringify({ ...turn(model, hello), stream }),
      });
      const body: unknown = await response.json();
      assert.is(response.status, status);
      assert.is(Reflect.get(Object(body), 'type'), 'error');
      const { error, request_id: requestId } = Object(body);
      assert.is(error.type, status === 429 ? 'rate_limit_error' : 'overloaded_error');
      assert.ok(error.message.length > 0);
      assert.is(requestId, response.headers.get('x-request-id'));
      await coolDown(world, model);
    }
  });
}

/** Ends the pauses that a refused call brought over the channel. */
async function coolDown({ daemon }: ClientWorld, model: string): Promise<void> {
  const { items } = await daemon.root.channels.list({});
  const channel = items.find(({ name }) => name === model);
  if (channel !== undefined) await daemon.root.channels.clearCooling({ id: channel.id });
}

claude('C5: signs in by either header', async (world) => {
  world.upstream.script(saying({ text: 'pong' }));
  for (const model of everyModel) {
    for (const auth of ['bearer', 'key'] as const) {
      const answer = await client(world, auth).messages.create(turn(model, hello));
      assert.is(answer.type, 'message');
      const { headers: sent } = world.upstream.requests.at(-1) ?? {};
      assert.not.match(JSON.stringify(sent), world.key);
    }
  }
});

claude('C6: has its version and beta headers and its body reach Anthropic byte for byte', async (world) => {
  const said = saying({ text: 'pong' });
  world.upstream.script((request, index) =>
    request.url.includes('count_tokens') ? jsonAnswer({ input_tokens: 7 }) : said(request, index),
  );
  for (const [path, own] of [
    ['/v1/messages', '"stream":false,"max_tokens":10,'],
    ['/v1/messages', '"stream":true,"max_tokens":10,'],
    ['/v1/messages/count_tokens', ''],
  ]) {
    const body = `{ ${own}"model":"${models.messages}",  "unknown":{"big":12345678901234567890},"messages":[{"role":"user","content":"hi"}]}`;
    const response = await fetch(`${world.daemon.url}${path}?beta=true`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json', 'x-api-key': world.key },
      body,
    });
    assert.is(response.status, 200, await response.text());
    const sent = world.upstream.requests.at(-1);
    assert.is(sent?.url.split('?')[0], path);
    assert.is(sent?.headers['anthropic-version'], headers['anthropic-version'], path);
    assert.is(sent?.headers['anthropic-beta'], headers['anthropic-beta'], path);
    assert.is(sent?.body.toString(), body);
  }
});

claude(
  'C3: takes a conversation that another vendor signed to Anthropic, without the foreign signature',
  async (world) => {
    const { upstream } = world;
    const signature = Buffer.from('what Google signed').toString('base64');
    upstream.script(
      saying({
        reasoning: { text: 'let me look', signature },
        calls: [{ id: 'toolu_1', name: 'Bash', args: { path: '/x' } }],
      }),
    );
    const anthropic = client(world);
    const message = await anthropic.messages.stream(turn(models.gemini, hello)).finalMessage();
    assert.match(JSON.stringify(message.content), Buffer.from('tollgate:').toString('base64'));
    const call = message.content.find((block) => block.type === 'tool_use');
    upstream.script(saying({ text: 'done' }));
    const answer = await anthropic.messages.create({
      ...turn(models.messages, [
        ...hello,
        { role: 'assistant', content: message.content },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: call?.id ?? '', content: 'seen' }] },
      ]),
      thinking: { type: 'enabled', budget_tokens: 2000 },
    });
    assert.is(answer.stop_reason, 'end_turn');
    const sent = upstream.requests.at(-1);
    assert.is(sent?.url.split('?')[0], '/v1/messages');
    assert.not.match(String(sent?.body), Buffer.from('tollgate:').toString('base64'));
    assert.ok(sent?.body.includes('seen') && sent.body.includes('/x'));
    // Without its thought Anthropic would refuse to go on thinking in this turn.
    assert.is(bodyOf(sent).thinking, undefined);
  },
);

claude('C3: has models of OpenAI not think for it where it switches that off beside an effort', async (world) => {
  const { upstream } = world;
  await world.daemon.addChannel({ base_url: upstream.url, models: 'gpt-5.1,gpt-5,gpt-5.1-codex', name: 'efforts' });
  upstream.script(saying({ text: '{"title":"a title"}' }));
  const efforts: unknown[] = [];
  for (const model of ['gpt-5.1', 'gpt-5', 'gpt-5.1-codex']) {
    // How it asks for the title of a session.
    const asked = { ...turn(model, hello), thinking: { type: 'disabled' }, output_config: { effort: 'high' } };
    const response = await post(world, '/v1/messages?beta=true', JSON.stringify({ ...asked, tools: [] }), headers);
    assert.is(response.status, 200, await response.text());
    const sent = bodyOf(upstream.requests.at(-1));
    efforts.push(sent.reasoning_effort ?? Reflect.get(Object(sent.reasoning), 'effort'));
  }
  assert.equal(efforts, ['none', 'minimal', 'low']);
});

claude('C9: finds the models of its key in the shape that its version header asks for', async (world) => {
  const limited = await world.daemon.addKey({ model_limits_enabled: true, model_limits: models.messages });
  const listed = await fetch(`${world.daemon.url}/v1/models?limit=1000`, {
    headers: { authorization: `Bearer ${limited}`, 'anthropic-version': '2023-06-01' },
  });
  const body: unknown = await listed.json();
  const { data, has_more: hasMore } = Object(body);
  assert.is(hasMore, false);
  assert.equal(
    data.map(({ id, type }: { id: string; type: string }) => [id, type]),
    [[models.messages, 'model']],
  );
  const greeted = await fetch(`${world.daemon.url}/api/hello`, { method: 'HEAD' });
  assert.is(greeted.status, 200);
  const request_id = greeted.headers.get('x-request-id') ?? '';
  assert.not.equal(request_id, '');
  assert.is((await world.daemon.root.logs.list({ request_id })).total, 0);
});

claude.run();
