/**
 * The first run from the command line, against a whole daemon that has no accounts yet: every answer by its flag, and
 * gone on with where it was left. Runs once: it looks only at what goes over the wire.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { bareCommand } from '../../cli/bare-command.ts';
import { runProgram } from '../support/command-line.ts';
import { rootPassword, startTestDaemon, type TestDaemon } from '../support/daemon.ts';
import { type FakeUpstream, jsonAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { PseudoTerminal } from '../support/pseudo-terminal.ts';
import { startWebServer } from '../support/web-server.ts';

const setup = suite('the first run on the command line');

const size = { before: 'stty cols 90 rows 40' };
let daemon: TestDaemon;
let upstream: FakeUpstream;
let folder: string;
let environment: Record<string, string>;

setup.before(async () => {
  const refusal = jsonAnswer({ error: { message: 'no such key', type: 'invalid_request_error' } }, 401);
  const answer = jsonAnswer({
    id: 'c',
    object: 'chat.completion',
    created: 1,
    model: 'gpt-4o-mini',
    choices: [{ index: 0, message: { role: 'assistant', content: 'hello there' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  });
  upstream = await startFakeUpstream(({ headers }) => (headers.authorization === 'Bearer sk-wrong' ? refusal : answer));
  daemon = await startTestDaemon({ isSetUp: false });
  folder = mkdtempSync(join(tmpdir(), 'tollgate-setup-'));
  writeFileSync(join(folder, 'password'), rootPassword);
  environment = { TOLLGATE_CONFIG_DIR: join(folder, 'config'), HOME: folder, TOLLGATE_URL: daemon.url };
});
setup.after(async () => {
  await daemon.stop();
  await upstream.close();
  rmSync(folder, { recursive: true, force: true });
});

const channel = () => [
  '--provider',
  'openai',
  '--key',
  'env:KEY',
  '--base-url',
  upstream.url,
  '--models',
  'gpt-4o-mini',
];

setup('is what the bare name means on a server without accounts', async () => {
  assert.is(await bareCommand(environment), 'setup');
  assert.is(await bareCommand({ ...environment, TOLLGATE_URL: 'http://127.0.0.1:1' }), undefined);
});

setup('wants an answer for each step that has no other, and changes nothing without', async () => {
  const { code, stderr } = await runProgram(['setup', '--mode', 'self'], { environment });
  assert.is(code, 3);
  assert.match(stderr, '--username');
  const strange = await runProgram(['setup', '--mode', 'hobby'], { environment });
  assert.is(strange.code, 3);
  const unasked = ['setup', '--username', 'root', '--password-file', join(folder, 'password'), '--ask', 'hi'];
  const asked = await runProgram(unasked, { environment });
  assert.is(asked.code, 3);
  assert.match(asked.stderr, '--token-name NAME');
  assert.is((await daemon.client(undefined).setup.get()).status, false);
});

setup('makes the account, and goes on later with channel, key and question', async () => {
  const password = ['--username', 'root', '--password-file', join(folder, 'password')];
  const named = ['--login', '--profile', 'gateway', '-q'];
  const first = await runProgram(['setup', ...password, '--mode', 'self', ...named], { environment });
  assert.equal([first.code, first.stdout], [0, 'root\n'], 'a profile that is not there yet is made');
  assert.is((await runProgram(['profile', 'list', '-q'], { environment })).stdout, 'gateway\n');
  assert.is(await bareCommand(environment), 'ui');
  const over = await runProgram(['setup'], { environment });
  assert.is(over.code, 7, 'without a later step there is nothing to do');

  const keyless = await runProgram(['setup', '--provider', 'openai'], { environment });
  assert.is(keyless.code, 3);
  assert.match(keyless.stderr, '--key');
  const unasked = await runProgram(['setup', ...channel(), '--ask', 'hi'], { environment });
  assert.is(unasked.code, 3, 'a question needs a relay key, and is not passed over');
  assert.match(unasked.stderr, /--ask[\s\S]*--token-name NAME/);

  const later = ['--token-name', 'laptop', '--quota', '1usd', '--ask', 'say hello', '--json'];
  const { code, stdout, stderr } = await runProgram(['setup', ...channel(), ...later], {
    environment: { ...environment, KEY: 'sk-of-the-provider' },
  });
  assert.is(code, 0, stderr);
  const made = JSON.parse(stdout);
  assert.equal([made.username, made.mode, made.channel_id], ['root', 'self', 1]);
  assert.match(made.key, /^sk-/);
  assert.match(stderr, /passed its test/);
  for (const line of ['curl', `OPENAI_API_KEY=${made.key}`, `ANTHROPIC_BASE_URL=${daemon.url}`]) {
    assert.ok(stderr.includes(line), line);
  }
  assert.match(stderr, /hello there\n.*1 in.*1 out/);
  assert.not.match(stderr, 'sk-of-the-provider');
});

setup('leaves a channel disabled that fails its test, and says so with 2', async () => {
  const { code, stderr } = await runProgram(['setup', ...channel()], {
    environment: { ...environment, KEY: 'sk-wrong' },
  });
  assert.is(code, 2);
  assert.match(stderr, /channel 2 stays disabled/);
  assert.match(stderr, /try: tollgate channel edit 2, then: tollgate channel test 2$/m);
  const { stdout } = await runProgram(['channel', 'list', '--json=id,status'], { environment });
  assert.equal(
    JSON.parse(stdout).find(({ id }: { id: number }) => id === 2),
    { id: 2, status: 2 },
  );
});

setup('asks for no key of a provider whose servers often have no login', async () => {
  const local = ['--provider', 'ollama', '--base-url', upstream.url, '--models', 'qwen3'];
  const { code, stderr } = await runProgram(['setup', ...local], { environment });
  assert.is(code, 0, stderr);
  assert.match(stderr, /ollama passed its test/);
});

setup('asks on a terminal until an answer will do, and is left at once by Ctrl-C', async () => {
  const fresh = await startTestDaemon({ isSetUp: false });
  const home = { ...environment, TOLLGATE_URL: fresh.url, TOLLGATE_CONFIG_DIR: join(folder, 'terminal') };
  const first = new PseudoTerminal(['setup'], home, size);
  const answers = async (terminal: PseudoTerminal, question: RegExp, typed: string) => {
    await terminal.until(question);
    terminal.type(`${typed}\r`);
  };
  try {
    await answers(first, /How will this gateway be used\?/, '');
    await answers(first, /Name of the administrator/, '');
    await answers(first, /New password \(at least 8 characters\)/, 'short');
    await answers(first, /at least 8 characters/, `\u0015${rootPassword}`);
    await answers(first, /The password once more/, 'another');
    await answers(first, /the two passwords differ/, `\u0015${rootPassword}`);
    await first.until(/is initialised[\s\S]*signed in as root/);
    await answers(first, /Add a first channel now\?/, 'y');
    await answers(first, /Provider/, 'openai');
    await answers(first, /Key of the provider/, 'sk-wrong');
    await answers(first, /Address; empty/, '127.0.0.1');
    await answers(first, /http:\/\/ or https:\/\//, `\u0015${upstream.url}`);
    await first.until(/try: write the models yourself[\s\S]*The provider named no models/);
    assert.not.match(first.text, 'channel get');
    first.type('\u0003');
    assert.is(await first.ended(), 130, 'Ctrl-C asks nothing more');
    assert.not.match(first.text, 'Write key and address again');
    const wrongKey = { environment: { ...home, KEY: 'sk-wrong' } };
    assert.is((await runProgram(['setup', ...channel()], wrongKey)).code, 2);
    const again = new PseudoTerminal(['setup'], home, size);
    await answers(again, /Name of a first relay key/, '');
    await answers(again, /Its quota/, '');
    assert.is(await again.ended(), 0, again.text);
    assert.match(again.text, /no channel is enabled, so there is nothing to ask/);
    assert.not.match(again.text, 'A question for');
  } finally {
    first.kill();
    await fresh.stop();
  }
});

setup('asks for the setup token again when the server refuses it, and keeps the other answers', async () => {
  const state = { status: false, root_init: false, database_type: 'postgres', setup_token_required: true };
  const server = await startWebServer(({ method, url, headers }, response) => {
    if (!url.startsWith('/api/setup')) return { success: true, message: '', data: null };
    if (method === 'GET') return { success: true, message: '', data: state };
    if (headers['x-setup-token'] === 'right') return { success: true, message: '', data: null };
    response.statusCode = 403;
    return { success: false, message: 'needs the token', code: 'setup_token_invalid' };
  });
  const home = { TOLLGATE_CONFIG_DIR: join(folder, 'token'), TOLLGATE_URL: server.url };
  const terminal = new PseudoTerminal(['setup', '--mode', 'self', '--username', 'root'], home, size);
  const answers = async (question: RegExp, typed: string) => {
    await terminal.until(question);
    terminal.type(`${typed}\r`);
  };
  try {
    await answers(/Setup token/, '');
    await answers(/an answer is needed/, 'wrong');
    await answers(/New password/, rootPassword);
    await answers(/The password once more/, rootPassword);
    await answers(/setup_token_invalid[\s\S]*Setup token/, 'right');
    await terminal.until(/is initialised/);
    const sent = server.asked.filter(({ method, url }) => method === 'POST' && url.startsWith('/api/setup'));
    assert.equal(
      sent.map(({ headers }) => headers['x-setup-token']),
      ['wrong', 'right'],
    );
  } finally {
    terminal.kill();
    await server.stop();
  }
});

setup.run();
