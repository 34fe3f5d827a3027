/** What commands ask on a terminal: nothing that cannot be used, and nothing for a server that is not there. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { PseudoTerminal } from '../support/pseudo-terminal.ts';
import { startWebServer, type WebServer } from '../support/web-server.ts';

const prompts = suite('cli: prompts');

const size = { before: 'stty cols 90 rows 40' };
let server: WebServer;
let folder: string;

prompts.before(async () => {
  server = await startWebServer(() => ({ success: true, message: '', data: {} }));
  folder = mkdtempSync(join(tmpdir(), 'tollgate-prompts-'));
});
prompts.after(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

async function asked(words: readonly string[], url: string, work: (terminal: PseudoTerminal) => Promise<void>) {
  const terminal = new PseudoTerminal(words, { TOLLGATE_CONFIG_DIR: folder, TOLLGATE_URL: url }, size);
  try {
    await work(terminal);
  } finally {
    terminal.kill();
  }
}

for (const words of [['login'], ['login', '--username', 'root'], ['ui']]) {
  prompts(`says of a server that is not there that it was not reached before ${words.join(' ')} asks`, () =>
    asked(words, 'http://127.0.0.1:1', async (terminal) => {
      assert.is(await terminal.ended(), 10, terminal.text);
      assert.match(terminal.text, 'was not reached');
      assert.not.match(terminal.text, /How do you want|Password/);
    }),
  );
}

prompts('asks a new password twice, until both are the same', () =>
  asked(['register', '--username', 'li'], server.url, async (terminal) => {
    await terminal.until(/New password/);
    terminal.type('short\r');
    await terminal.until(/at least 8 characters[\s\S]*at least 8 characters/);
    terminal.type('\u0015long enough\r');
    await terminal.until(/The password once more/);
    terminal.type('long emough\r');
    await terminal.until(/the two passwords differ/);
    terminal.type('\u0003');
    assert.is(await terminal.ended(), 130);
    assert.equal(server.asked, []);
  }),
);

prompts('asks for a yes or a no in the language of the question', async () => {
  const environment = {
    TOLLGATE_CONFIG_DIR: folder,
    TOLLGATE_URL: server.url,
    TOLLGATE_ACCESS_TOKEN: 'x'.repeat(32),
    TOLLGATE_LANG: 'zh',
  };
  const terminal = new PseudoTerminal(['channel', 'tag', 'dissolve', 'azure'], environment, size);
  try {
    await terminal.until(/解散标签 azure[\s\S]*是[\s\S]*否/);
    terminal.type('\u0003');
    assert.is(await terminal.ended(), 130);
  } finally {
    terminal.kill();
  }
});

prompts('does not show a token or a password that is typed where a file was meant', async () => {
  await asked(['login', '--with-token'], server.url, async (terminal) => {
    await terminal.until(/Token/);
    terminal.type('tgm_canary\r');
    assert.is(await terminal.ended(), 70, 'the server of this test knows nobody');
    assert.not.match(terminal.text, 'canary');
  });
  await asked(['register', '--username', 'li', '--password-stdin'], server.url, async (terminal) => {
    await terminal.until(/New password/);
    terminal.type('canary-password\r');
    await terminal.until(/The password once more/);
    terminal.type('\u0003');
    assert.is(await terminal.ended(), 130);
    assert.not.match(terminal.text, 'canary');
  });
});

prompts('takes no empty user name and no empty password', () =>
  asked(['login', '--password'], server.url, async (terminal) => {
    await terminal.until(/User name/);
    terminal.type('\r');
    await terminal.until(/an answer is needed/);
    terminal.type('root\r');
    await terminal.until(/Password/);
    terminal.type('\r');
    await terminal.until(/an answer is needed/);
    terminal.type('\u0003');
    assert.is(await terminal.ended(), 130);
  }),
);

prompts.run();
