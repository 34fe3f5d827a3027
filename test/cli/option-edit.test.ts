/**
 * An option changed in an editor, on a terminal, while somebody else changes it as well. Runs once: looks only at what
 * goes over the wire.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';
import { PseudoTerminal } from '../support/pseudo-terminal.ts';
import { until } from '../support/until.ts';

const edit = suite('cli: option edit');

let daemon: TestDaemon;
let folder: string;

edit.before(async () => {
  daemon = await startTestDaemon();
});
edit.after(() => daemon?.stop());
edit.before.each(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tollgate-option-edit-'));
  await daemon.root.options.set({ key: 'RetryTimes', value: '2' });
});
edit.after.each(() => rmSync(folder, { recursive: true }));

/** Edits RetryTimes to be `written`; `meanwhile` happens while the editor is open. */
async function edited(
  { written, flags = [] }: { readonly written: string; readonly flags?: readonly string[] },
  meanwhile: () => Promise<unknown>,
  work: (terminal: PseudoTerminal) => Promise<void>,
): Promise<void> {
  const editor = join(folder, 'editor.sh');
  const [open, go] = [join(folder, 'open'), join(folder, 'go')];
  const wait = `touch ${open}; while [ ! -e ${go} ]; do sleep 0.05; done`;
  writeFileSync(editor, `${wait}; printf %s '${written}' > "$1"\n`);
  const environment = {
    TOLLGATE_CONFIG_DIR: folder,
    TOLLGATE_URL: daemon.url,
    TOLLGATE_ACCESS_TOKEN: daemon.accessToken,
    TMPDIR: folder,
    PAGER: 'cat',
    EDITOR: `sh ${editor}`,
  };
  const terminal = new PseudoTerminal(['option', 'edit', 'RetryTimes', ...flags], environment, {
    before: 'stty cols 90 rows 40',
  });
  try {
    await until(() => existsSync(open));
    await meanwhile();
    writeFileSync(go, '');
    await work(terminal);
  } finally {
    terminal.kill();
  }
}

const retryTimes = async () => (await daemon.root.options.list()).find(({ key }) => key === 'RetryTimes')?.value;
const changedByRoot = () => daemon.root.options.set({ key: 'RetryTimes', value: '7' });

edit('asks before it saves over what was saved meanwhile, whatever --yes says, and keeps what was written', () =>
  edited({ written: '3', flags: ['--yes'] }, changedByRoot, async (terminal) => {
    await terminal.until(/RetryTimes was changed meanwhile by root; now: 7/);
    await terminal.until(/Save over what root saved\?/);
    terminal.type('n');
    assert.is(await terminal.ended(), 3, terminal.text);
    assert.is(await retryTimes(), '7');
    const [, kept = ''] = /option set RetryTimes @(\S+)/.exec(terminal.text) ?? [];
    assert.is(readFileSync(kept, 'utf8'), '3');
  }),
);

edit('saves over it when that is wished', () =>
  edited({ written: '3' }, changedByRoot, async (terminal) => {
    await terminal.until(/Save over what root saved\?/);
    terminal.type('y');
    assert.is(await terminal.ended(), 0, terminal.text);
    assert.is(await retryTimes(), '3');
  }),
);

edit('asks nothing where nobody else changed it, and keeps what the server refuses', async () => {
  const nothing = () => Promise.resolve();
  await edited({ written: '4' }, nothing, async (terminal) => {
    assert.is(await terminal.ended(), 0, terminal.text);
    assert.is(await retryTimes(), '4');
    assert.not.match(terminal.text, /Save over|is kept/);
  });
  await edited({ written: 'four' }, nothing, async (terminal) => {
    assert.is(await terminal.ended(), 3, terminal.text);
    assert.match(terminal.text, /what you wrote is kept: tollgate option set RetryTimes @/);
  });
});

edit.run();
