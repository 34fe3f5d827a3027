/** What the command line does on Windows, as far as code decides it: the platform is handed in. */
import { EventEmitter } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { configFolder, readProfiles } from '../../cli/profile.ts';
import { watchSignals } from '../../cli/signals.ts';
import { describeTerminal, isForLines } from '../../cli/terminal.ts';

const windows = suite('the command line on Windows');

windows('keeps profiles in APPDATA, and leaves their rights to the folder', async () => {
  assert.is(configFolder({ APPDATA: '/appdata', XDG_CONFIG_HOME: '/xdg' }, 'win32'), join('/appdata', 'tollgate'));
  assert.is(configFolder({ APPDATA: '/appdata', TOLLGATE_CONFIG_DIR: '/own' }, 'win32'), '/own');
  assert.is(configFolder({ HOME: '/home/a', APPDATA: '/appdata' }, 'darwin'), join('/home/a', '.config', 'tollgate'));
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-windows-'));
  try {
    writeFileSync(join(folder, 'profiles.yaml'), 'profiles: {}\n');
    chmodSync(join(folder, 'profiles.yaml'), 0o666);
    assert.equal(await readProfiles(folder, 'win32'), { profiles: {} });
    const refused = await readProfiles(folder, 'linux').catch((error: unknown) => error);
    assert.match(String(refused), /can be read by other users/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

windows('shows screens and marks in terminals that say what they are, and lines in older consoles', () => {
  const stream = new PassThrough();
  const host = { stdin: stream, stdout: stream, stderr: stream, platform: 'win32' } as const;
  const unicode = (environment: NodeJS.ProcessEnv) => describeTerminal({}, environment, host).unicode;
  for (const modern of [{ WT_SESSION: '1' }, { TERM_PROGRAM: 'vscode' }, { ConEmuANSI: 'ON' }, { TERM: 'xterm' }]) {
    assert.equal([isForLines(modern, host), unicode(modern)], [false, true]);
  }
  assert.equal([isForLines({}, host), unicode({})], [true, false]);
  assert.is(isForLines({ WT_SESSION: '1', TERM: 'dumb' }, host), true);
  assert.is(isForLines({}, { platform: 'linux' }), false);
  assert.is(isForLines({ INK_SCREEN_READER: 'true' }, { platform: 'linux' }), true);
});

windows('takes Ctrl-Break for SIGTERM, and leaves at once at a second signal within two seconds', () => {
  const ends: number[] = [];
  const exit = (code: number): never => {
    ends.push(code);
    throw new Error('left');
  };
  const keys = Object.assign(new EventEmitter(), { exit });
  const signal = watchSignals(keys);
  keys.emit('SIGBREAK');
  assert.is(signal.reason, 'SIGTERM');
  assert.throws(() => keys.emit('SIGBREAK'), /left/);
  assert.throws(() => keys.emit('SIGINT'), /left/);
  assert.equal(ends, [143, 130]);
});

windows.run();
