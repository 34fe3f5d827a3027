/**
 * Codex as it calls: the client cases C10 to C17 of requirements.md. It speaks Responses alone, streamed.
 * Runs once: what a client sends and reads is the same on every database.
 */
import { once } from 'node:events';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { WebSocket } from 'ws';
import { isObject, type JsonObject } from '../../daemon/relay/json.ts';
import {
  balanceOf,
  type ClientWorld,
  channelTypes,
  everyModel,
  models,
  startClientWorld,
  stopClientWorld,
} from '../support/client-world.ts';
import { jsonAnswer, sseAnswer } from '../support/fake-upstream.ts';
import { bodyOf, firstHalf, saying } from '../support/speaking-upstream.ts';

const codex = suite<ClientWorld>('Codex');

const shell = {
  type: 'function',
  name: 'shell',
  description: 'Runs a command',
  strict: false,
  parameters: { type: 'object', properties: { command: { type: 'array', items: { type: 'string' } } } },
};
const applyPatch = {
  type: 'custom',
  name: 'apply_patch',
  description: 'Edits files',
  format: { type: 'grammar', syntax: 'lark', definition: 'start: "*** Begin Patch"' },
};
const patch = '*** Begin Patch\n*** Update File: a.txt\n-old "quoted"\n+new\n*** End Patch';

const said = (text: string): JsonObject => ({
  type: 'message',
  role: 'user',
  content: [{ type: 'input_text', text }],
});

/** What the client sends with every turn. */
function turn(model: string, input: JsonObject[], over: JsonObject = {}): JsonObject {
  return {
    model,
    instructions: 'You are a coding agent.',
    input,
    tools: [shell],
    tool_choice: 'auto',
    parallel_tool_calls: false,
    reasoning: { effort: 'medium', summary: 'auto' },
    store: false,
    stream: true,
    include: ['reasoning.encrypted_content'],
    prompt_cache_key: 'session-1',
    ...over,
  };
}

function post({ daemon, key }: ClientWorld, body: JsonObject): Promise<Response> {
  return fetch(`${daemon.url}/v1/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', originator: 'codex_cli_rs' },
    body: JSON.stringify(body),
  });
}

/** Events of a streamed answer. */
async function eventsOf(response: Response): Promise<JsonObject[]> {
  const text = await response.text();
  assert.is(response.status, 200, text);
  return text
    .split('\n\n')
    .flatMap((block) => block.split('\n').filter((line) => line.startsWith('data: ')))
    .map((line) => JSON.parse(line.slice(6)))
    .filter(isObject);
}

/** The items of the answer that the last event carries. */
function outputOf(events: readonly JsonObject[]): JsonObject[] {
  const last = events.at(-1);
  assert.is(last?.type, 'response.completed');
  const response = last?.response;
  const output = isObject(response) ? response.output : undefined;
  return Array.isArray(output) ? output.filter(isObject) : [];
}

codex.before(async (world) => {
  Object.assign(world, await startClientWorld());
});
codex.after(stopClientWorld);

for (const model of everyModel) {
  codex(`C10: streams a text from ${model}`, async (world) => {
    world.upstream.script(saying({ text: 'pong' }));
    const events = await eventsOf(await post(world, turn(model, [said('hi')])));
    const text = events.flatMap((event) => (event.type === 'response.output_text.delta' ? [event.delta] : [])).join('');
    assert.is(text, 'pong');
    assert.is(events[0]?.type, 'response.created');
    assert.equal(
      outputOf(events).map(({ type }) => type),
      ['message'],
    );
    assert.ok(JSON.stringify(bodyOf(world.upstream.requests.at(-1))).includes('You are a coding agent.'));
  });

  codex(`C13: replays its reasoning to ${model}`, async (world) => {
    const signature = Buffer.from('what only the vendor can read').toString('base64');
    world.upstream.script(
      saying({
        reasoning: { text: 'thinking', signature },
        calls: [{ id: 'call_1', name: 'shell', args: { command: ['ls'] } }],
      }),
    );
    const output = outputOf(await eventsOf(await post(world, turn(model, [said('list')]))));
    const call = output.find(({ type }) => type === 'function_call');
    assert.equal(JSON.parse(String(call?.arguments)), { command: ['ls'] });
    const sealed = output.filter((item) => typeof item.encrypted_content === 'string');
    assert.ok(model === models.chat || sealed.length > 0, JSON.stringify(output));
    world.upstream.script(saying({ text: 'done' }));
    const result = { type: 'function_call_output', call_id: call?.call_id ?? '', output: 'a.txt' };
    await eventsOf(await post(world, turn(model, [said('list'), ...output, result])));
    const sent = JSON.stringify(bodyOf(world.upstream.requests.at(-1)));
    assert.ok(sent.includes('a.txt'));
    if (model !== models.chat) assert.ok(sent.includes(signature), sent);
  });

  codex(`C14: is told by an event when ${model} dies`, async (world) => {
    world.upstream.script((request, index) => {
      const answer = saying({ text: 'a long answer' })(request, index);
      return { ...answer, chunks: firstHalf(answer), end: 'reset' as const };
    });
    const response = await post(world, turn(model, [said('hi')]));
    const events = await eventsOf(response);
    const last = events.at(-1);
    // Gemini's whole answer is one event; without it nothing was said, which is an error before the first byte.
    assert.is(last?.type, 'response.failed');
    assert.type(Reflect.get(Object(Reflect.get(Object(last?.response), 'error')), 'message'), 'string');
  });

  codex(`C15: sends a body of a megabyte to ${model}`, async (world) => {
    world.upstream.script(saying({ text: 'read' }));
    const long = 'word '.repeat(200_000);
    const events = await eventsOf(await post(world, turn(model, [said(long)])));
    assert.is(outputOf(events).length, 1);
    assert.ok(world.upstream.requests.at(-1)?.body.includes(long));
  });

  codex(`C17: pays once for each answered of five quick tries with ${model}`, async (world) => {
    const balance = await balanceOf(world);
    const before = (await world.daemon.root.logs.list({ type: 2, model_name: model, failed: false })).total;
    let tries = 0;
    world.upstream.script((request, index) => {
      tries += 1;
      if (tries <= 2) return jsonAnswer({ error: { message: 'bad gateway', type: 'server_error' } }, 400);
      const answer = saying({ text: 'pong' })(request, index);
      // What breaks off after its beginning was answered, and is paid as far as it came.
      return tries === 3 ? { ...answer, chunks: firstHalf(answer) } : answer;
    });
    const answers = [];
    for (let at = 0; at < 5; at += 1) {
      const response = await post(world, turn(model, [said('hi')]));
      const end = /"type":"(response\.(?:failed|completed))"/.exec(await response.text())?.[1];
      answers.push(end ?? response.status);
    }
    assert.equal(answers, [400, 400, 'response.failed', 'response.completed', 'response.completed']);
    // Rows come with the settlements that free what was held.
    const left = await balanceOf(world);
    const { items, total } = await world.daemon.root.logs.list({ type: 2, model_name: model, failed: false });
    assert.is(total, before + 3);
    assert.is(
      balance - left,
      items.slice(0, 3).reduce((sum, row) => sum + row.quota, 0),
    );
  });
}

codex('C11: edits files by a custom tool, there and back', async (world) => {
  // OpenAI itself knows such tools: they go through as they came.
  world.upstream.script(saying({ text: 'pong' }));
  await eventsOf(await post(world, turn(models.openai, [said('edit')], { tools: [shell, applyPatch] })));
  assert.equal(bodyOf(world.upstream.requests.at(-1)).tools, [shell, applyPatch]);
  for (const model of [models.chat, models.messages, models.gemini]) {
    world.upstream.script(saying({ calls: [{ id: 'call_p', name: 'apply_patch', args: { input: patch } }] }));
    const output = outputOf(
      await eventsOf(await post(world, turn(model, [said('edit')], { tools: [shell, applyPatch] }))),
    );
    const call = output.find(({ type }) => type === 'custom_tool_call');
    assert.equal([call?.name, call?.input], ['apply_patch', patch], model);
    world.upstream.script(saying({ text: 'done' }));
    const result = { type: 'custom_tool_call_output', call_id: call?.call_id ?? '', output: 'Success' };
    const next = turn(model, [said('edit'), ...output, result], { tools: [shell, applyPatch] });
    assert.is(outputOf(await eventsOf(await post(world, next))).length, 1);
    const sent = JSON.stringify(bodyOf(world.upstream.requests.at(-1)));
    assert.ok(sent.includes('Success') && sent.includes('Begin Patch'), model);
  }
});

codex('C11: gives a script one result, with the notes that it sent meanwhile', async (world) => {
  const exec = { type: 'custom', name: 'exec', description: 'Runs JavaScript' };
  const call = { type: 'custom_tool_call', call_id: 'call_x', name: 'exec', input: 'notify("a note")' };
  const told = (output: string) => ({ type: 'custom_tool_call_output', call_id: 'call_x', output });
  const wait = { type: 'function_call', call_id: 'call_w', name: 'shell', arguments: '{"command":[]}' };
  const waited = { type: 'function_call_output', call_id: 'call_w', output: 'waited' };
  const input = [said('run'), call, told('running'), told('a note'), wait, told('a late note'), waited];
  const offered = { tools: [shell, exec] };
  world.upstream.script(saying({ text: 'done' }));
  const sent = async (model: string) => {
    await eventsOf(await post(world, turn(model, input, offered)));
    return JSON.stringify(bodyOf(world.upstream.requests.at(-1)));
  };
  assert.ok((await sent(models.openai)).includes(JSON.stringify(told('a late note'))));
  const results = /"tool_call_id":"call_[xw]"|"tool_use_id":"call_[xw]"|"functionResponse"/g;
  for (const model of [models.chat, models.messages, models.gemini]) {
    const body = await sent(model);
    assert.is(body.match(results)?.length, 2, model);
    // What the model has answered stays as it saw it; a later note follows what it said since.
    const places = ['running', 'a note', 'waited', 'a late note'].map((text) => body.lastIndexOf(text));
    assert.equal(
      places,
      places.toSorted((one, other) => one - other),
      `${model}: ${body}`,
    );
    assert.ok(places.every((place) => place > 0));
  }
});

codex('hands on what its agents say to one another', async (world) => {
  const [told, answered] = ['Sender: /root\nPayload:\n', 'Sender: /root/sub\nPayload:\nthe sum is 5'];
  const message = (...content: JsonObject[]) => ({
    type: 'agent_message',
    author: '/root',
    recipient: '/root/sub',
    content,
  });
  const sealed = (encrypted_content: string) => ({ type: 'encrypted_content', encrypted_content });
  const task = message({ type: 'input_text', text: told }, sealed('add two and three'));
  const call = { type: 'function_call', call_id: 'call_w', name: 'shell', arguments: '{"command":[]}' };
  const waited = { type: 'function_call_output', call_id: 'call_w', output: 'waited' };
  const input = [said('hi'), task, call, waited, message({ type: 'input_text', text: answered })];
  const unreadable = [said('hi'), message(sealed(`gAAAAAB${'q'.repeat(80)}==`))];
  for (const model of everyModel) {
    world.upstream.script(saying({ text: 'done' }));
    await eventsOf(await post(world, turn(model, input)));
    const body = JSON.stringify(bodyOf(world.upstream.requests.at(-1)));
    // Others than OpenAI's own models do not seal what they say.
    const places = [told, 'add two and three', 'waited', answered].map((text) =>
      body.indexOf(JSON.stringify(text).slice(1, -1)),
    );
    assert.ok(
      places.every((place, at) => place > (places[at - 1] ?? 0)),
      `${model}: ${places} ${body}`,
    );
    const response = await post(world, turn(model, unreadable));
    assert.is(response.status, model === models.openai ? 200 : 400, await response.text());
  }
});

codex('C12: calls the tools of a namespace, and tools that came later or by a search', async (world) => {
  const read = { type: 'function', name: 'read', description: 'Reads', parameters: { type: 'object', properties: {} } };
  const namespace = { type: 'namespace', name: 'mcp__files', description: 'Files', tools: [read] };
  const later = { type: 'additional_tools', role: 'developer', tools: [{ ...read, name: 'late' }] };
  const search = { type: 'tool_search', execution: 'client', description: 'Finds', parameters: read.parameters };
  const offered = { tools: [namespace, search] };
  // OpenAI itself knows them: bytes go through as they came.
  world.upstream.script(saying({ text: 'pong' }));
  await eventsOf(await post(world, turn(models.openai, [said('hi'), later], offered)));
  const sent = bodyOf(world.upstream.requests.at(-1));
  assert.equal([sent.tools, Object(sent.input)[1]], [offered.tools, later]);
  for (const model of [models.chat, models.messages, models.gemini]) {
    world.upstream.script(
      saying({
        calls: ['mcp__files__read', 'late', 'tool_search'].map((name, at) => ({ id: `call_${at}`, name, args: {} })),
      }),
    );
    const output = outputOf(await eventsOf(await post(world, turn(model, [said('hi'), later], offered))));
    const asked = JSON.stringify(bodyOf(world.upstream.requests.at(-1)).tools);
    for (const name of ['mcp__files__read', 'late', 'tool_search']) assert.ok(asked.includes(`"${name}"`), model);
    assert.equal(
      output.map(({ type, namespace: within, name }) => [type, within, name]),
      [
        ['function_call', 'mcp__files', 'read'],
        ['function_call', undefined, 'late'],
        ['tool_search_call', undefined, undefined],
      ],
      model,
    );
    world.upstream.script(saying({ calls: [{ id: 'call_3', name: 'mcp__web__look', args: {} }] }));
    const results = output
      .slice(0, 2)
      .map(({ call_id: id = '' }, at) => ({ type: 'function_call_output', call_id: id, output: `seen ${at}` }));
    const found = { type: 'tool_search_output', call_id: output[2]?.call_id ?? '', status: 'completed' };
    const tools = [namespace, { ...namespace, name: 'mcp__web', tools: [{ ...read, name: 'look' }] }];
    const items = [...output, ...results, { ...found, execution: 'client', tools }];
    const [call] = outputOf(await eventsOf(await post(world, turn(model, [said('hi'), later, ...items], offered))));
    assert.equal([call?.type, call?.namespace, call?.name], ['function_call', 'mcp__web', 'look'], model);
    const { tools: offers, ...replayed } = bodyOf(world.upstream.requests.at(-1));
    for (const part of ['mcp__files__read', 'seen 0', 'seen 1', 'tool_search'])
      assert.ok(JSON.stringify(replayed).includes(part), model);
    const named = JSON.stringify(offers).match(/"name":"[^"]*"/g);
    assert.equal(
      named?.toSorted(),
      ['late', 'mcp__files__read', 'mcp__web__look', 'tool_search'].map((name) => `"name":"${name}"`),
      model,
    );
  }
});

codex('C16: gets a hosted tool from a channel that has it, and a clear refusal from others', async (world) => {
  const hosted = { tools: [{ type: 'file_search', vector_store_ids: ['vs_1'] }] };
  world.upstream.script(saying({ text: 'pong' }));
  await eventsOf(await post(world, turn(models.openai, [said('hi')], hosted)));
  assert.equal(bodyOf(world.upstream.requests.at(-1)).tools, hosted.tools);
  const before = world.upstream.requests.length;
  for (const model of [models.chat, models.messages, models.gemini]) {
    const response = await post(world, turn(model, [said('hi')], hosted));
    const text = await response.text();
    assert.is(response.status, 400, `${model}: ${text}`);
    assert.match(text, /file_search/);
  }
  assert.is(world.upstream.requests.length, before);
  // Where one of the channels of a model has it, that one is asked, however much heavier the others are.
  for (const [type, weight] of [
    [channelTypes[models.chat], 1000],
    [channelTypes[models.openai], 0],
  ]) {
    await world.daemon.addChannel({ base_url: world.upstream.url, type, weight, models: 'on-both' });
  }
  for (let call = 0; call < 5; call += 1) {
    await eventsOf(await post(world, turn('on-both', [said('hi')], hosted)));
    assert.is(world.upstream.requests.at(-1)?.url, '/v1/responses');
  }
  assert.is(world.upstream.requests.length, before + 5);
});

codex('stays alive when the upstream streams an error first', async (world) => {
  world.upstream.script(sseAnswer([{ error: { message: 'server had an error', type: 'server_error', code: null } }]));
  const response = await post(world, turn(models.chat, [said('hi')]));
  assert.ok(response.status >= 500);
  assert.type(Reflect.get(Object(Reflect.get(Object(await response.json()), 'error')), 'message'), 'string');
});

codex('goes on over HTTP at once where it asked for a socket', async ({ daemon, key }) => {
  // Codex, of OpenAI with another base URL, repeats every other refusal five times before it does.
  for (const headers of [{ authorization: `Bearer ${key}`, 'openai-beta': 'responses_websockets=2026-02-06' }, {}]) {
    const socket = new WebSocket(`${daemon.url.replace('http', 'ws')}/v1/responses`, { headers });
    socket.on('error', () => undefined);
    const [, answer] = await once(socket, 'unexpected-response');
    answer.resume();
    assert.equal([answer.statusCode, answer.headers.upgrade, answer.headers.allow], [426, 'HTTP/1.1', 'POST']);
  }
});

codex.run();
