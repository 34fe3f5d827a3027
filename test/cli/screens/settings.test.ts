/** The screen of settings: a change is compared with the value that stands now, and an editor's work is not lost. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Refresher, realClock } from '../../../cli/screens/refresh.ts';
import { SettingsScreen } from '../../../cli/screens/settings.ts';
import { deskFor } from '../../support/screen-desk.ts';
import { untilPasses } from '../../support/until.ts';

const settings = suite('the screen of settings');

/** A screen at a server with one option, whose value the test changes. */
async function screenWith(key: string, value: string) {
  const option = { key, value, default: value, changed: false, updated_at: 1, updated_by: 'li', class: 'admin' };
  const row = { ...option, section: 'general', type: 'n' };
  const written: unknown[] = [];
  const answer = (data: unknown) => Response.json({ success: true, message: '', data });
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    if (request.method === 'GET') return answer([row]);
    written.push(await request.json());
    return answer(null);
  };
  const desk = deskFor({ lang: 'en', fetch, url: 'http://127.0.0.1:1' });
  const screen = new SettingsScreen(desk, new Refresher({ clock: realClock, onAnswer: () => undefined }));
  await screen.sources[0]?.call();
  return { desk, screen, row, written };
}

settings('reads a value afresh before it compares, and says who changed it meanwhile', async () => {
  const { desk, screen, row } = await screenWith('RetryTimes', '1');
  Object.assign(row, { value: '7', changed: true });
  screen.actions.edit();
  desk.press({ name: '', text: '3' });
  desk.press({ name: 'Enter', text: '' });
  await untilPasses(() => assert.is(desk.question?.kind, 'yes'));
  assert.match(desk.question?.label ?? '', 'Changed meanwhile by li. Save RetryTimes?');
  const shown = () => screen.body({ width: 80, height: 20 }).join('\n');
  assert.match(shown(), /- 7\s+\+ 13/);
  desk.press({ name: 'n', text: 'n' });
  screen.actions.filter();
  assert.is(desk.question?.kind, 'line');
  assert.not.match(shown(), '+ 13', 'over the list of what is looked for');
});

settings('goes on with what an editor left that is no JSON, and saves nothing of it', async () => {
  const { desk, screen, written } = await screenWith('GroupRatio', '{"default":1}');
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-editor-'));
  const editor = join(folder, 'editor');
  writeFileSync(editor, `#!/bin/sh\ncp "$1" ${join(folder, 'seen')}-$(ls ${folder} | wc -l)\nprintf '{"a":' > "$1"\n`);
  chmodSync(editor, 0o700);
  try {
    desk.context.environment.EDITOR = editor;
    screen.actions.edit();
    await untilPasses(() => assert.match(desk.message?.text ?? '', 'GroupRatio: this is no JSON'));
    assert.is(desk.question, undefined);
    writeFileSync(editor, `#!/bin/sh\nprintf '%s1}' "$(cat "$1")" > "$1"\n`);
    screen.actions.edit();
    await untilPasses(() => assert.is(desk.question?.kind, 'yes'));
    assert.match(screen.body({ width: 80, height: 20 }).join('\n'), '+ {"a":1}');
    assert.equal(written, []);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

settings('sends the value that stood there when it asked, which nobody has replaced meanwhile', async () => {
  const { desk, screen, written } = await screenWith('RetryTimes', '1');
  screen.actions.edit();
  desk.press({ name: '', text: '3' });
  desk.press({ name: 'Enter', text: '' });
  await untilPasses(() => assert.is(desk.question?.kind, 'yes'));
  desk.press({ name: 'y', text: 'y' });
  await untilPasses(() => assert.equal(written, [{ key: 'RetryTimes', value: '13', expected: '1' }]));
});

settings('takes nothing for no secret, since the one before would stay', async () => {
  const { desk, screen, written } = await screenWith('SMTPToken', '');
  screen.actions.edit();
  screen.form?.press({ name: 'Enter', text: '' });
  await untilPasses(() => assert.match(desk.message?.text ?? '', 'SMTPToken needs a value'));
  assert.match(desk.message?.text ?? '', 'tollgate option unset SMTPToken clears it');
  assert.ok(screen.form, 'the form stays');
  screen.form.press({ name: '', text: 'a word' });
  screen.form.press({ name: 'Enter', text: '' });
  await untilPasses(() => assert.equal(written, [{ key: 'SMTPToken', value: 'a word' }]));
});

settings.run();
