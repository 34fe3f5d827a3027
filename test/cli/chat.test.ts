/** A key tried from the command line: text as it comes, what it cost, and every way it is refused. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Ended, runProgram, wordsOf } from '../support/command-line.ts';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';
import { type FakeUpstream, jsonAnswer, sseAnswer, startFakeUpstream } from '../support/fake-upstream.ts';

const chat = suite('chat on the command line');

let daemon: TestDaemon;
let upstream: FakeUpstream;
let folder: string;
let key: string;
let plainKey: string;

const usage = { prompt_tokens: 12, completion_tokens: 2, total_tokens: 14 };
const chunk = (content: string | undefined, more: object = {}) => ({
  id: 'c',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'gpt-4o-2024-08-06',
  choices: content === undefined ? [] : [{ index: 0, delta: { content }, finish_reason: null }],
  ...more,
});
const streamed = sseAnswer([chunk('Hel'), chunk('lo 你好'), chunk(undefined, { usage }), '[DONE]']);

chat.before(async () => {
  upstream = await startFakeUpstream(streamed);
  folder = mkdtempSync(join(tmpdir(), 'tollgate-chat-'));
  daemon = await startTestDaemon({ options: { RetryTimes: '0' } });
  await daemon.addChannel({ base_url: upstream.url, models: 'gpt-4o' });
  key = await daemon.addKey({ name: 'laptop' });
  // Speaks one dialect alone, so that the gateway converts the others.
  await daemon.addChannel({ base_url: upstream.url, models: 'gpt-4o', type: 42, group: 'vip' });
  plainKey = await daemon.addKey({ name: 'plain', group: 'vip' });
});
chat.before.each(() => upstream.script(streamed));
chat.after(async () => {
  await daemon?.stop();
  await upstream?.close();
  rmSync(folder, { recursive: true, force: true });
});

function run(line: string, { input = '', environment = {} } = {}): Promise<Ended> {
  const own = { TOLLGATE_CONFIG_DIR: folder, TOLLGATE_URL: daemon.url, TOLLGATE_ACCESS_TOKEN: daemon.accessToken };
  return runProgram(wordsOf(line), { environment: { ...own, TOLLGATE_API_KEY: key, ...environment }, input });
}

const sent = () => JSON.parse(upstream.requests.at(-1)?.body.toString() ?? '');

chat('prints the text as it comes, and what the call took and cost', async () => {
  const said = await run("chat -m gpt-4o --system 'Be short' --max-tokens 9 'Say hi'", { input: 'to this\n' });
  assert.equal([said.code, said.stdout], [0, 'Hello 你好\n'], said.stderr);
  // 12 + 2 x 4 tokens at a ratio of 1.25 are 25 units.
  assert.match(said.stderr, /^gpt-4o\S* · 12 in · 2 out · first \d+\.\d s · \d+\.\d s · \$0\.00005 · \S+\n$/);
  const { messages, max_tokens: most, stream } = sent();
  assert.equal(messages, [
    { role: 'system', content: 'Be short' },
    { role: 'user', content: 'Say hi\n\nto this' },
  ]);
  assert.equal([most, stream], [9, true]);
});

chat('shows in a dry run what it would ask, and asks nobody', async () => {
  const before = upstream.requests.length;
  for (const [format, path] of [
    ['chat', '/v1/chat/completions'],
    ['gemini', '/v1beta/models/gpt-4o:streamGenerateContent?alt=sse'],
  ]) {
    const said = await run(`chat -m gpt-4o --format ${format} hi --dry-run -o json`);
    assert.is(said.code, 0, said.stderr);
    const call = JSON.parse(said.stdout);
    assert.equal([call.method, call.path], ['POST', path]);
    assert.match(JSON.stringify(call.body), '"hi"');
    assert.not.match(said.stdout, key);
  }
  assert.is(upstream.requests.length, before);
});

chat('gives one object to machines, also of an answer that comes whole', async () => {
  upstream.script(
    jsonAnswer(
      chunk(undefined, {
        choices: [{ index: 0, message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' }],
        usage,
      }),
    ),
  );
  const said = await run('chat -m gpt-4o --no-stream --token laptop hello --json', {
    environment: { TOLLGATE_API_KEY: '' },
  });
  const { text, usage: counted, charge, request_id: id } = JSON.parse(said.stdout);
  assert.equal([text, counted, charge], ['hi', { prompt_tokens: 12, completion_tokens: 2 }, 25]);
  assert.is((await daemon.root.logs.list({ request_id: id })).items.length, 1);
  assert.is(said.stderr, '');
});

chat('takes an own key that is billed by the group, and says where there is none', async () => {
  const paidBy = async (group: string) => {
    const said = await run(`chat -m gpt-4o --group ${group} --json hi`, { environment: { TOLLGATE_API_KEY: '' } });
    assert.is(said.code, 0, said.stderr);
    const { items } = await daemon.root.logs.list({ request_id: JSON.parse(said.stdout).request_id });
    return items.map((row) => [row.token_name, row.group]);
  };
  assert.equal(await paidBy('vip'), [['plain', 'vip']]);
  assert.equal(await paidBy('default'), [['laptop', 'default']], 'a key without a group has that of its account');
  const none = await run('chat -m gpt-4o --group svip hi');
  assert.is(none.code, 6);
  assert.match(none.stderr, 'tollgate token create --name NAME --group svip');
  assert.is((await run('chat -m gpt-4o --group vip --token plain hi')).code, 3);
});

chat('takes the key from standard input, and prints the events as they came', async () => {
  const said = await run('chat -m gpt-4o --key - --raw hello', { input: `${key}\n` });
  assert.match(said.stdout, /^data: \{.*\n\ndata: [\s\S]*data: \[DONE\]\n\n$/);
  assert.is(sent().messages[0].content, 'hello');
});

chat('tells refusals by their exit code', async () => {
  assert.is((await run('chat -m gpt-4o hi', { environment: { TOLLGATE_API_KEY: 'sk-unknown' } })).code, 4);
  assert.is((await run('chat -m gpt-4o hi', { environment: { TOLLGATE_API_KEY: '' } })).code, 3);
  const literal = await run(`chat -m gpt-4o --key ${key} hi`);
  assert.is(literal.code, 3);
  assert.not.ok(literal.stderr.includes(key));
  assert.is((await run('chat hi')).code, 3);
  assert.is((await run('chat -m gpt-4o')).code, 3);
  assert.is((await run('chat -m nobody-offers-this hi')).code, 1);
  assert.is((await run('chat -m gpt-4o hi --url http://gateway.example')).code, 3, 'a key never goes in the clear');
  upstream.script({
    status: 200,
    headers: { 'content-type': 'text/event-stream' },
    end: 'reset',
    chunks: [`data: ${JSON.stringify(chunk('Hel'))}\n\n`],
  });
  const cut = await run('chat -m gpt-4o hi');
  assert.equal([cut.code, cut.stdout], [1, 'Hel'], cut.stderr);
});

chat('takes what no model should answer, and a gateway that is gone, for no bug of its own', async () => {
  const good = `data: ${JSON.stringify(chunk('Hel'))}\n\n`;
  /** Asks something in the gateway's place. */
  const askedOf = async (answer: (response: ServerResponse) => void) => {
    const server = createServer((_request, response) => {
      answer(response.writeHead(200, { 'content-type': 'text/event-stream' }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    return run(`chat -m gpt-4o hi --url http://127.0.0.1:${port}`).finally(() => server.close());
  };
  const gone = await askedOf((response) => {
    response.write(good, () => setTimeout(() => response.socket?.resetAndDestroy(), 100));
  });
  assert.equal([gone.code, gone.stdout], [1, 'Hel'], gone.stderr);
  assert.match(gone.stderr, /stopped before its end \(stream_cut\)/);
  const malformed = await askedOf((response) => response.end(`${good}data: {"choices": [\n\n`));
  assert.equal([malformed.code, malformed.stdout], [1, 'Hel'], malformed.stderr);
  assert.match(malformed.stderr, /is no JSON \(answer_malformed\)/);
});

const formats = [
  ['chat', '/v1/chat/completions'],
  ['responses', '/v1/responses'],
  ['messages', '/v1/messages'],
  ['gemini', '/v1beta/models/gpt-4o:'],
] as const;

for (const [format, path] of formats) {
  chat(`asks in the dialect ${format}, streamed and whole, with a picture`, async () => {
    const picture = join(folder, 'dot.PNG');
    writeFileSync(picture, Buffer.from('iVBORw0KGgo=', 'base64'));
    const line = `chat -m gpt-4o --format ${format} --system 'Be short' --max-tokens 9 --image ${picture} --json --debug 'What is it?'`;
    const asked = async (more: string) => {
      const said = await run(`${line} ${more}`, { environment: { TOLLGATE_API_KEY: plainKey } });
      assert.is(said.code, 0, said.stderr);
      assert.ok(said.stderr.includes(`POST ${path}`), said.stderr);
      const { text, model, usage: counted, charge } = JSON.parse(said.stdout);
      assert.equal([text, counted, charge], ['Hello 你好', { prompt_tokens: 12, completion_tokens: 2 }, 25]);
      assert.match(model, /^gpt-4o/);
      const { messages, ...wishes } = sent();
      assert.is(wishes.max_tokens ?? wishes.max_completion_tokens, 9);
      const [system, user] = messages;
      assert.match(JSON.stringify(system.content), /Be short/);
      const kinds = user.content.map((part: { type: string }) => part.type).sort();
      assert.equal(kinds, ['image_url', 'text']);
      assert.match(JSON.stringify(user.content), /data:image\/png;base64,iVBORw0KGgo=/);
    };
    await asked('');
    const message = { role: 'assistant', content: 'Hello 你好' };
    upstream.script(jsonAnswer(chunk(undefined, { choices: [{ index: 0, message, finish_reason: 'stop' }], usage })));
    await asked('--no-stream');
  });

  chat(`tells what went wrong in the dialect ${format}`, async () => {
    const line = `chat -m gpt-4o --format ${format} hi`;
    assert.is((await run(line, { environment: { TOLLGATE_API_KEY: 'sk-unknown' } })).code, 4);
    upstream.script({
      status: 200,
      headers: { 'content-type': 'text/event-stream' },
      end: 'reset',
      chunks: [`data: ${JSON.stringify(chunk('Hel'))}\n\n`],
    });
    const cut = await run(line, { environment: { TOLLGATE_API_KEY: plainKey } });
    assert.equal([cut.code, cut.stdout.trim()], [1, 'Hel'], cut.stderr);
    assert.match(cut.stderr, /^error: /);
  });
}

const refusal = 'I will not.';
const refused = { id: 'r', object: 'response', model: 'gpt-4o', usage: { input_tokens: 12, output_tokens: 2 } };
const output = [{ type: 'message', id: 'm', role: 'assistant', content: [{ type: 'refusal', refusal }] }];

/** How an upstream refuses, streamed and whole, by the dialect that has a member for it. */
const refusing = {
  chat: [
    sseAnswer([
      chunk(undefined, { choices: [{ index: 0, delta: { refusal }, finish_reason: null }] }),
      chunk(undefined, { usage }),
      '[DONE]',
    ]),
    jsonAnswer(chunk(undefined, { choices: [{ index: 0, message: { content: null, refusal } }], usage })),
  ],
  responses: [
    sseAnswer([
      { type: 'response.refusal.delta', item_id: 'm', output_index: 0, content_index: 0, delta: refusal },
      { type: 'response.completed', response: { ...refused, status: 'completed', output } },
    ]),
    jsonAnswer({ ...refused, status: 'completed', output }),
  ],
} as const;

for (const format of ['chat', 'responses'] as const) {
  chat(`prints what a model says when it refuses in the dialect ${format}`, async () => {
    for (const [index, more] of ['', ' --no-stream'].entries()) {
      upstream.script(refusing[format][index] ?? streamed);
      const said = await run(`chat -m gpt-4o --format ${format} hi${more}`);
      assert.equal([said.code, said.stdout], [0, `${refusal}\n`], said.stderr);
    }
  });
}

/** Asks a gateway that answers with these bytes. */
async function askedOfGateway(line: string, { type, body }: { type: string; body: string }): Promise<Ended> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': type }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return run(`${line} --url http://127.0.0.1:${port}`).finally(() => server.close());
}

chat('says that Gemini took no question, which is neither an empty answer nor a cut one', async () => {
  const blocked = { promptFeedback: { blockReason: 'SAFETY' }, usageMetadata: { promptTokenCount: 3 } };
  const line = 'chat -m gpt-4o --format gemini hi';
  for (const [more, type, body] of [
    ['', 'text/event-stream', `data: ${JSON.stringify(blocked)}\n\n`],
    [' --no-stream', 'application/json', JSON.stringify(blocked)],
  ] as const) {
    const said = await askedOfGateway(`${line}${more}`, { type, body });
    assert.equal([said.code, said.stdout], [1, ''], said.stderr);
    assert.match(said.stderr, /did not take the question \(SAFETY\) \(prompt_blocked\)/);
  }
});

chat('refuses pictures that are none, and dialects there are not', async () => {
  writeFileSync(join(folder, 'page.html'), '<html>');
  assert.is((await run(`chat -m gpt-4o --image ${join(folder, 'page.html')} hi`)).code, 3);
  assert.is((await run(`chat -m gpt-4o --image ${join(folder, 'none.png')} hi`)).code, 12);
  assert.is((await run('chat -m gpt-4o --format soap hi')).code, 3);
});

chat('is ended by a signal with 130', async () => {
  upstream.script({
    headers: { 'content-type': 'text/event-stream' },
    chunks: [`data: ${JSON.stringify(chunk('Hel'))}\n\n`],
    end: 'hang',
  });
  const controller = new AbortController();
  const ended = runProgram(['chat', '-m', 'gpt-4o', 'hi'], {
    environment: { TOLLGATE_CONFIG_DIR: folder, TOLLGATE_URL: daemon.url, TOLLGATE_API_KEY: key },
    signal: controller.signal,
  });
  const before = upstream.requests.length;
  while (upstream.requests.length === before) await new Promise((resolve) => setTimeout(resolve, 5));
  controller.abort('SIGINT');
  assert.is((await ended).code, 130);
});

chat('asks with no key that is not the one that is meant', async () => {
  await daemon.addKey({ name: 'twin' });
  await daemon.addKey({ name: 'twin' });
  const twins = await run('chat -m gpt-4o --token twin hi');
  assert.is(twins.code, 3);
  assert.match(twins.stderr, /twin names several: \d+, \d+/);
  assert.is((await run('chat -m gpt-4o --token nobody hi')).code, 6);
  assert.is((await run('token check --token name:laptop -q')).code, 0);
});

chat('gives out what was paid for before the model is kept, which may fail', async () => {
  const own = mkdtempSync(join(tmpdir(), 'tollgate-chat-'));
  const file = join(own, 'profiles.yaml');
  const profile = { url: daemon.url, token: daemon.accessToken };
  writeFileSync(file, JSON.stringify({ current: 'here', profiles: { here: profile } }), { mode: 0o600 });
  upstream.script(() => {
    writeFileSync(file, 'broken by hand');
    return streamed;
  });
  const environment = { TOLLGATE_CONFIG_DIR: own, TOLLGATE_ACCESS_TOKEN: '' };
  const said = await run('chat -m gpt-4o --json hi', { environment });
  assert.equal([said.code, JSON.parse(said.stdout).charge], [12, 25], said.stderr);
  rmSync(own, { recursive: true });
});

chat.run();
