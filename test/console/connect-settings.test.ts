/** What programs are told to use a token; read back with the parsers that read it in earnest. */
import { spawnSync } from 'node:child_process';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { programs, settingsOf } from '../../console/pages/tokens/connect-settings.ts';

const test = suite('console/connect-settings');

const connection = {
  origin: 'https://gate.example',
  key: 'sk-abc',
  models: ['text-embedding-3-small', 'gpt-4o', 'claude-sonnet-4-5', 'gemini-2.5-flash'],
};

/** What a shell has in these variables after it has run the settings; programs of the text do nothing. */
function shell(text: string, names: readonly string[]): readonly string[] {
  const stubs = 'claude() { :; }; gemini() { :; };';
  const printed = names.map((name) => `"$${name}"`).join(' ');
  const run = spawnSync('bash', ['-c', `${stubs}\n${text}\nprintf '%s\\n' ${printed}`], { encoding: 'utf8' });
  assert.is(run.status, 0, run.stderr);
  return run.stdout.trim().split('\n');
}

test('a shell that runs the settings has address and key of each client', () => {
  const claude = settingsOf('claudeCode', connection);
  assert.equal(shell(claude, ['ANTHROPIC_BASE_URL', 'ANTHROPIC_AUTH_TOKEN']), [connection.origin, 'sk-abc']);
  assert.match(claude, 'claude --model claude-sonnet-4-5');
  const openai = settingsOf('openai', connection);
  assert.equal(shell(openai, ['OPENAI_BASE_URL', 'OPENAI_API_KEY']), [`${connection.origin}/v1`, 'sk-abc']);
  const gemini = settingsOf('gemini', connection);
  assert.equal(shell(gemini, ['GOOGLE_GEMINI_BASE_URL', 'GEMINI_API_KEY']), [connection.origin, 'sk-abc']);
});

test('curl gets a body that is JSON and names a model of the key', () => {
  const text = `curl() { printf '%s' "\${@: -1}"; }\n${settingsOf('curl', connection)}`;
  const { stdout } = spawnSync('bash', ['-c', text], { encoding: 'utf8' });
  assert.is(JSON.parse(stdout).model, 'gpt-4o');
});

test('Codex gets a model of the kinds that it is made for, the newest as well', () => {
  for (const model of ['gpt-5.3-codex', 'gpt-5', 'gpt-6-sol', 'gpt-6.1-terra']) {
    assert.match(settingsOf('codex', { ...connection, models: ['gpt-4o', model] }), `model = "${model}"`);
  }
});

test('each program gets a model that the key may use, whatever these are', () => {
  for (const program of programs) {
    const text = settingsOf(program, { ...connection, models: ['only-one'] });
    assert.match(text, connection.origin, program);
    if (program !== 'openai') assert.match(text, 'only-one', program);
  }
});

test.run();
