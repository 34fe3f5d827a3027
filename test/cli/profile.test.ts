/** The profile file between processes that write it at the same time. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { changeProfiles, readProfiles } from '../../cli/profile.ts';
import { runProgram } from '../support/command-line.ts';

const file = suite('the profile file');

let folder: string;
file.before.each(() => {
  folder = mkdtempSync(join(tmpdir(), 'tollgate-profile-'));
});
file.after.each(() => rmSync(folder, { recursive: true, force: true }));

const writer = `
const { changeProfiles } = await import(${JSON.stringify(new URL('../../cli/profile.ts', import.meta.url).href)});
const [folder, name] = process.argv.slice(-2);
for (let at = 0; at < 20; at += 1) {
  await changeProfiles(folder, (file) => ({
    ...file,
    profiles: { ...file.profiles, [name + at]: { url: 'http://127.0.0.1:1' } },
  }));
}`;

file('loses nothing when processes write it at once', async () => {
  const writers = ['a', 'b', 'c'].map((name) =>
    spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', writer, folder, name], {
      stdio: ['ignore', 'ignore', 'inherit'],
    }),
  );
  const codes = await Promise.all(writers.map(async (child) => (await once(child, 'exit'))[0]));
  assert.equal(codes, [0, 0, 0]);
  assert.is(Object.keys((await readProfiles(folder)).profiles).length, 60);
  assert.not.ok(existsSync(join(folder, 'profiles.lock')));
});

file('takes away the lock of a process that died, and frees it when the change is refused', async () => {
  const { pid } = spawnSync(process.execPath, ['-e', '']);
  writeFileSync(join(folder, 'profiles.lock'), `${pid} ${hostname()}`);
  const changed = await changeProfiles(folder, (before) => ({ ...before, current: 'a' }));
  assert.is(changed.current, 'a');
  const refused = await changeProfiles(folder, () => {
    throw new Error('refused');
  }).catch((error: unknown) => error);
  assert.match(String(refused), /refused/);
  assert.not.ok(existsSync(join(folder, 'profiles.lock')));
});

file('takes away what a process left behind that died while it took away a lock', async () => {
  const { pid } = spawnSync(process.execPath, ['-e', '']);
  const names = ['profiles.lock', 'profiles.lock.removing'].map((name) => join(folder, name));
  for (const name of names) writeFileSync(name, `${pid} ${hostname()}`);
  assert.is((await changeProfiles(folder, (before) => ({ ...before, current: 'c' }))).current, 'c');
  assert.equal(names.map(existsSync), [false, false]);
});

file('takes away a lock that names no holder, once that had time to', async () => {
  const lock = join(folder, 'profiles.lock');
  writeFileSync(lock, '');
  const aMinuteAgo = Date.now() / 1000 - 60;
  utimesSync(lock, aMinuteAgo, aMinuteAgo);
  assert.is((await changeProfiles(folder, (before) => ({ ...before, current: 'b' }))).current, 'b');
  assert.not.ok(existsSync(lock));
});

file('is changed and renamed by the command line, one member at a time', async () => {
  const profile = async (words: string) => {
    const environment = { TOLLGATE_CONFIG_DIR: folder, TOLLGATE_URL: '', TOLLGATE_PROFILE: '' };
    const { code, stdout, stderr } = await runProgram(['profile', ...words.split(' ')], { environment });
    assert.is(code, 0, stderr);
    return stdout;
  };
  await changeProfiles(folder, () => ({
    current: 'prod',
    profiles: { prod: { url: 'https://a.example', token: 't' } },
  }));
  await profile('edit prod --banner red --read-only --always-confirm');
  const kept = { url: 'https://a.example', token: 't', confirm: 'always' };
  assert.equal((await readProfiles(folder)).profiles.prod, { ...kept, color: 'red', read_only: true });
  await profile('edit prod --no-read-only --unset color');
  await profile('rename prod prod-eu');
  const renamed = { current: 'prod-eu', profiles: { 'prod-eu': { ...kept, read_only: false } } };
  assert.equal(await readProfiles(folder), renamed);
  assert.is(await profile('list -q'), 'prod-eu\n');
  for (const [words, code] of [
    ['edit prod-eu --banner pink', 3],
    ['edit prod-eu --unset url', 3],
    ['edit prod --banner red', 6],
    ['rename prod-eu prod-eu', 7],
    ['get toString', 6],
  ] as const) {
    const refused = await runProgram(['profile', ...words.split(' ')], {
      environment: { TOLLGATE_CONFIG_DIR: folder },
    });
    assert.is(refused.code, code, refused.stderr);
  }
  assert.equal(await readProfiles(folder), renamed);
  await profile('create constructor --url https://b.example');
  assert.is(await profile('list -q'), 'prod-eu\nconstructor\n');
});

file.run();
