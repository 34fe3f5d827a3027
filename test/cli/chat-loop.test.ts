/** A conversation on a terminal: the whole program on a pseudo-terminal, a daemon, and an upstream that is scripted. */
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readProfiles } from '../../cli/profile.ts';
import { runProgram, wordsOf } from '../support/command-line.ts';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';
import { type FakeUpstream, sseAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { PseudoTerminal } from '../support/pseudo-terminal.ts';

const loop = suite('the prompt loop of chat');

let daemon: TestDaemon;
let upstream: FakeUpstream;
let folder: string;
let environment: Record<string, string>;

const usage = { prompt_tokens: 12, completion_tokens: 2, total_tokens: 14 };
const chunk = (content: string | undefined, more: object = {}) => ({
  id: 'c',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'gpt-4o',
  choices: content === undefined ? [] : [{ index: 0, delta: { content }, finish_reason: null }],
  ...more,
});
const says = (text: string) => sseAnswer([chunk(text), chunk(undefined, { usage }), '[DONE]']);
const hangsAfter = (text: string) => ({
  headers: { 'content-type': 'text/event-stream' },
  chunks: [`data: ${JSON.stringify(chunk(text))}\n\n`],
  end: 'hang' as const,
});

loop.before(async () => {
  upstream = await startFakeUpstream(says('Hello.'));
  folder = mkdtempSync(join(tmpdir(), 'tollgate-loop-'));
  daemon = await startTestDaemon({ options: { RetryTimes: '0' } });
  await daemon.addChannel({ base_url: upstream.url, models: 'gpt-4o,gpt-4o-mini' });
  const profile = { url: daemon.url, token: daemon.accessToken };
  writeFileSync(join(folder, 'profiles.yaml'), JSON.stringify({ current: 'here', profiles: { here: profile } }), {
    mode: 0o600,
  });
  environment = { TOLLGATE_CONFIG_DIR: folder, TOLLGATE_API_KEY: await daemon.addKey(), HOME: folder };
});
loop.before.each(() => {
  upstream.script(says('Hello.'));
  upstream.requests.length = 0;
});
loop.after(async () => {
  await daemon?.stop();
  await upstream?.close();
  rmSync(folder, { recursive: true, force: true });
});

async function onTerminal(line: string, work: (terminal: PseudoTerminal) => Promise<void>): Promise<PseudoTerminal> {
  const states = ['before', 'behind'].map((name) => `stty -a > '${join(folder, name)}'`);
  const terminal = new PseudoTerminal(wordsOf(line), environment, { before: states[0] ?? '', behind: states[1] ?? '' });
  try {
    await work(terminal);
    return terminal;
  } finally {
    terminal.kill();
  }
}

const stateOf = (name: string) => readFileSync(join(folder, name), 'utf8');
/** A conversation of which no more was said. */
const begunStory = [
  { role: 'user', content: 'a story' },
  { role: 'assistant', content: 'Once upon' },
];
const messagesSent = () => JSON.parse(upstream.requests.at(-1)?.body.toString() ?? '{}').messages;
const summary = /gpt-4o\S* · 12 in · 2 out · first \d+\.\d s · \d+\.\d s · \$0\.0\d+ · \S+/;

loop('keeps the conversation, counts what it cost, and gives the terminal back', async () => {
  await onTerminal("chat -m gpt-4o --system 'Be short'", async (terminal) => {
    await terminal.until(/gpt-4o> /);
    terminal.type('Say hi\r');
    await terminal.until(/Hello\.\r?\n/);
    await terminal.until(summary);
    await terminal.until(/gpt-4o> /);
    upstream.script(says('Bye.'));
    terminal.type('one\\\r');
    await terminal.until(/\.\.\. /);
    terminal.type('two\r');
    await terminal.until(/Bye\.[\s\S]*gpt-4o> /);
    assert.equal(messagesSent(), [
      { role: 'system', content: 'Be short' },
      { role: 'user', content: 'Say hi' },
      { role: 'assistant', content: 'Hello.' },
      { role: 'user', content: 'one\ntwo' },
    ]);
    terminal.type('/tokens\r');
    await terminal.until(/24 in, 4 out/);
    terminal.type('/cost\r');
    // Twice 12 + 2 x 4 tokens at a ratio of 1.25 are 50 units.
    await terminal.until(/\$0\.0001 for 2 answers\r?\n/);
    terminal.type('/clear\r/system -\r//not a command\r');
    await terminal.until(/Bye\.[\s\S]*gpt-4o> /);
    assert.equal(messagesSent(), [{ role: 'user', content: '/not a command' }]);
    terminal.type('/quit\r');
    assert.is(await terminal.ended(), 0);
  });
  assert.is(stateOf('behind'), stateOf('before'));
});

loop('remembers the model in the profile, and changes it on the way', async () => {
  assert.is((await readProfiles(folder)).profiles.here?.chat_model, 'gpt-4o');
  await onTerminal('chat', async (terminal) => {
    await terminal.until(/gpt-4o> /);
    terminal.type('/model gpt-4o-mini\rhello\r');
    await terminal.until(/Hello\.[\s\S]*gpt-4o-mini> /);
    assert.is(JSON.parse(upstream.requests.at(-1)?.body.toString() ?? '{}').model, 'gpt-4o-mini');
    terminal.type('\x04');
    assert.is(await terminal.ended(), 0, 'the end of input leaves');
  });
  const { here } = (await readProfiles(folder)).profiles;
  assert.equal([here?.chat_model, here?.token], ['gpt-4o-mini', daemon.accessToken]);
  const script = await runProgram(wordsOf('chat -m gpt-4o hi'), { environment });
  assert.is(script.code, 0, script.stderr);
  assert.is((await readProfiles(folder)).profiles.here?.chat_model, 'gpt-4o-mini', 'a script changes nothing');
  assert.is((await runProgram(wordsOf('chat hi'), { environment })).code, 0);
});

loop('saves to new files alone', async () => {
  const [json, text] = [join(folder, 'talk.json'), join(folder, 'talk.md')];
  const terminal = await onTerminal('chat -m gpt-4o', async (terminal) => {
    terminal.type('Say hi\r');
    await terminal.until(summary);
    terminal.type(`/save ${json}\r/save ${text}\r/save ${json}\r/save\r/nonsense\r/help\r`);
    await terminal.until(
      /2 messages are in .*json[\s\S]*EEXIST[\s\S]*\/save takes[\s\S]*no command \/nonsense[\s\S]*\/tokens/,
    );
    terminal.type('/quit\r');
    assert.is(await terminal.ended(), 0);
  });
  assert.not.match(terminal.text, /undefined/);
  assert.equal(JSON.parse(readFileSync(json, 'utf8')), {
    model: 'gpt-4o',
    messages: [
      { role: 'user', content: 'Say hi' },
      { role: 'assistant', content: 'Hello.' },
    ],
  });
  assert.is(statSync(json).mode & 0o777, 0o600);
  assert.is(readFileSync(text, 'utf8'), '## user\n\nSay hi\n\n## assistant\n\nHello.\n');
});

loop('tells what went wrong and goes on without it', async () => {
  await onTerminal('chat -m gpt-4o', async (terminal) => {
    await terminal.until(/gpt-4o> /);
    upstream.script({
      status: 400,
      headers: { 'content-type': 'application/json' },
      chunks: ['{"error":{"message":"no such thing","type":"invalid_request_error"}}'],
    });
    terminal.type('first\r');
    await terminal.until(/error: [\s\S]*no such thing[\s\S]*gpt-4o> /);
    upstream.script(says('Hello.'));
    terminal.type('second\r');
    await terminal.until(summary);
    assert.equal(messagesSent(), [{ role: 'user', content: 'second' }]);
    terminal.type('/quit\r');
    assert.is(await terminal.ended(), 0);
  });
});

loop('stops an answer by Ctrl-C, keeps what was said, and leaves by the second', async () => {
  await onTerminal('chat -m gpt-4o', async (terminal) => {
    await terminal.until(/gpt-4o> /);
    upstream.script(hangsAfter('Once upon'));
    terminal.type('a story\r');
    await terminal.until(/Once upon/);
    terminal.type('\x03');
    await terminal.until(/gpt-4o> /);
    upstream.script(says('Hello.'));
    terminal.type('go on\r');
    await terminal.until(/Hello\./);
    assert.equal(messagesSent().slice(0, 2), begunStory);
    await terminal.until(/gpt-4o> /);
    await new Promise((resolve) => setTimeout(resolve, 2100));
    terminal.type('half a li\x03');
    await terminal.until(/once more to leave[\s\S]*gpt-4o> /);
    terminal.type('\x03');
    assert.is(await terminal.ended(), 130);
  });
  assert.is(stateOf('behind'), stateOf('before'));
});

loop('counts an answer that broke off, and keeps what was said of it', async () => {
  await onTerminal('chat -m gpt-4o', async (terminal) => {
    await terminal.until(/gpt-4o> /);
    upstream.script({ ...hangsAfter('Once upon'), end: 'reset' });
    terminal.type('a story\r');
    await terminal.until(/Once upon\r?\n[\s\S]*\$0\.0\d+ · [\s\S]*error: [\s\S]*gpt-4o> /);
    terminal.type('/cost\r');
    await terminal.until(/\$0\.0\d+ for 1 answer\r?\n/);
    upstream.script(says('Hello.'));
    terminal.type('go on\r');
    await terminal.until(/Hello\./);
    assert.equal(messagesSent().slice(0, 2), begunStory);
    terminal.type('/quit\r');
    assert.is(await terminal.ended(), 0);
  });
});

loop('needs a terminal, and a form that people read', async () => {
  for (const line of ['chat', 'chat -m gpt-4o --raw', 'chat -m gpt-4o --json']) {
    assert.is((await runProgram(wordsOf(line), { environment })).code, 3, line);
  }
  await onTerminal('chat --json', async (terminal) => {
    assert.is(await terminal.ended(), 3);
  });
});

loop.run();
