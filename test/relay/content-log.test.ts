/**
 * Prompts and answers in the log: only while the option asks for them, and otherwise nowhere at all.
 * Runs once: it looks into the files of an SQLite database of its own.
 */
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';
import { type FakeUpstream, jsonAnswer, sseAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { untilThere } from '../support/until.ts';
import { chunk, completion, finishChunk, roleChunk, streamOf } from './wire.ts';

interface Context {
  folder: string;
  upstream: FakeUpstream;
  daemon: TestDaemon;
  key: string;
}

const content = suite<Context>('relay: logged prompts and answers');
const secretPrompt = 'a prompt that nobody may keep';
const secretAnswer = 'an answer that nobody may keep';

content.before.each(async (context) => {
  context.folder = mkdtempSync(join(tmpdir(), 'tollgate-content-'));
  context.upstream = await startFakeUpstream(
    jsonAnswer(completion({ choices: [{ index: 0, message: { role: 'assistant', content: secretAnswer } }] })),
  );
  context.daemon = await startTestDaemon({
    databaseUrl: `sqlite:${join(context.folder, 'tollgate.db')}`,
    dataDir: context.folder,
    config: { 'log.level': 'debug' },
  });
  await context.daemon.addChannel({ base_url: context.upstream.url, models: 'gpt-4o' });
  context.key = await context.daemon.addKey();
});
content.after.each(async ({ daemon, upstream, folder }) => {
  await daemon.stop();
  await upstream.close();
  rmSync(folder, { recursive: true, force: true });
});

async function ask(context: Context, body: Record<string, unknown>): Promise<string> {
  return (await told(context, body)).id;
}

/** The id of a call, and what its client is told. */
async function told({ daemon, key }: Context, body: Record<string, unknown>): Promise<{ id: string; said: string }> {
  const response = await fetch(`${daemon.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify({
      model: 'gpt-4o',
      messages: [
        { role: 'system', content: 'rules' },
        { role: 'user', content: 'first' },
        { role: 'assistant', content: 'second' },
        { role: 'user', content: secretPrompt },
      ],
      ...body,
    }),
  });
  return { said: await response.text(), id: response.headers.get('x-request-id') ?? '' };
}

/** Everything below the folder that holds the text. */
function filesWith(folder: string, text: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => {
    const path = join(folder, name);
    return statSync(path).isFile() && readFileSync(path).includes(text);
  });
}

async function factsOf(daemon: TestDaemon, requestId: string): Promise<Record<string, unknown>> {
  return untilThere(async () => {
    const row = (await daemon.root.logs.listOwn({ request_id: requestId })).items[0];
    const facts: Record<string, unknown> = JSON.parse(row?.other || '{}');
    return facts.input_content === undefined ? undefined : facts;
  });
}

content('are in no file, database or log line while the option is off', async (context) => {
  const { daemon, folder, upstream } = context;
  await ask(context, {});
  upstream.script(sseAnswer(streamOf(['an answer ', 'that nobody may keep'])));
  await ask(context, { stream: true });
  // Some vendors quote the prompt in a refusal: the client may read it there, and nobody else.
  for (const status of [400, 500]) {
    upstream.script(jsonAnswer({ error: { message: `cannot answer: '${secretPrompt}', sorry` } }, status));
    const { id, said } = await told(context, {});
    if (status === 400) assert.match(said, secretPrompt);
    const row = await untilThere(async () => (await daemon.root.logs.list({ request_id: id })).items[0]);
    assert.match(row.other ?? '', "cannot answer: '***', sorry");
  }
  upstream.script({ status: 502, headers: { 'content-type': 'text/html' }, chunks: [`<p>${secretPrompt}</p>`] });
  await ask(context, {});
  await daemon.daemon.stop();
  for (const text of [secretPrompt, secretAnswer, 'that nobody may keep']) {
    assert.equal(filesWith(folder, text), [], text);
    assert.not.ok(
      daemon.log.some((line) => line.includes(text)),
      text,
    );
  }
});

content('are shown to their user while it is on, streamed or not', async (context) => {
  const { daemon, upstream } = context;
  await daemon.root.options.set({ key: 'LogChatContentEnabled', value: 'true' });
  const whole = await factsOf(daemon, await ask(context, {}));
  const expected = {
    system_prompt: 'rules',
    context: [
      { role: 'user', content: 'first' },
      { role: 'assistant', content: 'second' },
    ],
    input_content: secretPrompt,
  };
  for (const [name, value] of Object.entries(expected)) assert.equal(whole[name], value, name);
  assert.is(whole.output_content, secretAnswer);
  upstream.script(sseAnswer(streamOf(['an answer ', 'in pieces'])));
  const streamed = await factsOf(daemon, await ask(context, { stream: true }));
  assert.is(streamed.output_content, 'an answer in pieces');
});

content('are shown to administrators only when they ask for them', async (context) => {
  const { daemon } = context;
  await daemon.root.options.set({ key: 'LogChatContentEnabled', value: 'true' });
  const request_id = await ask(context, {});
  await factsOf(daemon, request_id);
  const plain = (await daemon.root.logs.list({ request_id })).items[0];
  assert.not.match(plain?.other ?? '', secretPrompt);
  const shown = (await daemon.root.logs.list({ request_id, with_content: true })).items[0];
  assert.match(shown?.other ?? '', secretPrompt);
});

content('name the calls of a channel that nobody trusts, with their arguments by a digest alone', async (context) => {
  const { daemon, upstream } = context;
  await daemon.root.options.set({ key: 'LogChatContentEnabled', value: 'true' });
  const call = { id: 'a', type: 'function', function: { name: 'pay', arguments: '{"to":"the canary"}' } };
  const digest = createHash('sha256').update('{"to":"the canary"}').digest('hex');
  const message = { role: 'assistant', content: 'Paying.', tool_calls: [call] };
  const whole = jsonAnswer(completion({ choices: [{ index: 0, message, finish_reason: 'tool_calls' }] }));
  const pieces = [chunk({ content: 'Paying.' }), chunk({ tool_calls: [{ index: 0, ...call }] })];
  const streamed = sseAnswer([roleChunk, ...pieces, finishChunk, '[DONE]']);
  const logged = async (stream: boolean) => {
    upstream.script(stream ? streamed : whole);
    return String((await factsOf(daemon, await ask(context, { stream }))).output_content);
  };
  for (const stream of [false, true]) assert.is(await logged(stream), 'Paying.');
  const [channel] = (await daemon.root.channels.list({})).items;
  assert.ok(channel);
  await daemon.root.channels.update({ id: channel.id, setting: '{"untrusted":true}' });
  for (const stream of [false, true]) {
    assert.is(await logged(stream), `Paying.\n[tool call pay, arguments sha256 ${digest}]`);
  }
});

content.run();
