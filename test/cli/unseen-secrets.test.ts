/**
 * Secrets that are typed behind a flag's `-`, on a pseudo-terminal, which shows nothing of them; and one of nothing.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runProgram, wordsOf } from '../support/command-line.ts';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';
import { PseudoTerminal } from '../support/pseudo-terminal.ts';

const unseen = suite('secrets that are typed unseen');

let daemon: TestDaemon;
let environment: Record<string, string>;

unseen.before(async () => {
  daemon = await startTestDaemon();
  environment = {
    TOLLGATE_CONFIG_DIR: '/nonexistent',
    TOLLGATE_URL: daemon.url,
    TOLLGATE_ACCESS_TOKEN: daemon.accessToken,
  };
});
unseen.after(async () => {
  await daemon?.stop();
});

/** Types at the question for a channel's keys; resolves with the exit code and with what was shown. */
async function typing(channel: number, typed: readonly string[]): Promise<{ code: number | null; shown: string }> {
  const terminal = new PseudoTerminal(wordsOf(`channel key add ${channel} --key - -o json`), environment);
  try {
    await terminal.until(/--key: type it, and end with Ctrl-D\r\n/);
    for (const text of typed) {
      terminal.type(text);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    return { code: await terminal.ended(), shown: terminal.text };
  } finally {
    terminal.kill();
  }
}

const keysOf = async (id: number) => (await daemon.root.channels.revealKey({ id })).key.split(/[,\n]/);

unseen('takes the lines of a channel key unseen, up to Ctrl-D', async () => {
  const id = await daemon.addChannel({ base_url: '', models: 'm', key: 'sk-first' });
  const { code, shown } = await typing(id, ['sk-canary-one\r', 'sk-canary-twX\x7fo\r', '\x04']);
  assert.is(code, 0, shown);
  assert.not.match(shown, /canary/);
  assert.equal(await keysOf(id), ['sk-first', 'sk-canary-one', 'sk-canary-two']);
});

unseen('ends within a line at the second Ctrl-D, as a terminal does that shows what is typed', async () => {
  const id = await daemon.addChannel({ base_url: '', models: 'm', key: 'sk-first' });
  const { code, shown } = await typing(id, ['sk-canary', '\x04', '-three', '\x04', '\x04']);
  assert.is(code, 0, shown);
  assert.not.match(shown, /canary|three/);
  assert.equal(await keysOf(id), ['sk-first', 'sk-canary-three']);
});

unseen('is left by Ctrl-C, with nothing sent', async () => {
  const id = await daemon.addChannel({ base_url: '', models: 'm', key: 'sk-first' });
  const { code, shown } = await typing(id, ['sk-canary', '\x03']);
  assert.is(code, 130, shown);
  assert.not.match(shown, /canary/);
  assert.equal(await keysOf(id), ['sk-first']);
});

unseen('takes nothing for no secret of an option: the server would keep the one before', async () => {
  await daemon.root.options.set({ key: 'EpayKey', value: 'canary' });
  const { code, stderr } = await runProgram(wordsOf('option set RetryTimes=3 EpayKey= --yes'), { environment });
  assert.is(code, 3, stderr);
  assert.match(stderr, /EpayKey needs a value[\s\S]*try: tollgate option unset EpayKey clears it/);
  const options = await daemon.root.options.list();
  assert.is(options.find(({ key }) => key === 'RetryTimes')?.changed, false, 'nothing is sent before all is read');
});

unseen.run();
