import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { linkSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { claimDataFolder, makeFolder } from '../../../daemon/config/data-folder.ts';
import { TollgateError } from '../../../daemon/errors.ts';

const folder = suite('data folder');

folder('keeps its name from start to start and is given to one at a time', async () => {
  const path = mkdtempSync(join(tmpdir(), 'tollgate-folder-'));
  const first = await claimDataFolder(path);
  try {
    await claimDataFolder(path);
    assert.unreachable();
  } catch (error) {
    assert.ok(error instanceof TollgateError && error.code === 'data_dir_in_use');
  }
  await first.release();
  const second = await claimDataFolder(path);
  assert.is(second.nodeId, first.nodeId);
  await second.release();
  rmSync(path, { recursive: true });
});

folder('is given to one of two who come at the same moment, also after one who died', async () => {
  const path = mkdtempSync(join(tmpdir(), 'tollgate-folder-'));
  for (const before of ['nobody', 'one who died']) {
    if (before !== 'nobody') {
      const dead = createServer().listen(join(path, 'dead.sock'));
      await once(dead, 'listening');
      linkSync(join(path, 'dead.sock'), join(path, 'daemon.sock'));
      await new Promise((done) => dead.close(done));
    }
    const claims = await Promise.allSettled([claimDataFolder(path), claimDataFolder(path)]);
    const refused = claims.flatMap((claim) => (claim.status === 'rejected' ? [claim.reason.code] : []));
    for (const claim of claims) if (claim.status === 'fulfilled') await claim.value.release();
    assert.equal(refused, ['data_dir_in_use'], before);
    assert.equal(readdirSync(path).sort(), ['node-id', 'uploads']);
  }
  rmSync(path, { recursive: true });
});

folder('gets a name where the disk was full when its first was written', async () => {
  const path = mkdtempSync(join(tmpdir(), 'tollgate-folder-'));
  writeFileSync(join(path, 'node-id'), '');
  for (const life of ['first', 'second']) {
    const claimed = await claimDataFolder(path);
    assert.match(claimed.nodeId, /^node-[0-9a-f]{12}$/, life);
    assert.is(readFileSync(join(path, 'node-id'), 'utf8'), `${claimed.nodeId}\n`);
    await claimed.release();
  }
  rmSync(path, { recursive: true });
});

folder('holds nothing that others on the machine could read or write, whatever their mask', async () => {
  const path = join(mkdtempSync(join(tmpdir(), 'tollgate-folder-')), 'data');
  const mask = process.umask(0);
  const claimed = await claimDataFolder(path);
  process.umask(mask);
  for (const name of ['.', ...readdirSync(path)]) assert.is(statSync(join(path, name)).mode & 0o077, 0, name);
  await claimed.release();
  rmSync(dirname(path), { recursive: true });
});

folder('clears away the uploads of an earlier life, and nobody else’s', async () => {
  const paths = ['one', 'other'].map((name) => mkdtempSync(join(tmpdir(), `tollgate-folder-${name}-`)));
  const [one, other] = await Promise.all(paths.map((path) => claimDataFolder(path)));
  if (one === undefined || other === undefined) throw new Error('not claimed');
  for (const { uploads } of [one, other]) writeFileSync(join(uploads, 'tollgate-upload-1'), 'sound');
  await one.release();
  const again = await claimDataFolder(paths[0] ?? '');
  assert.is(again.uploads, one.uploads);
  assert.equal(readdirSync(again.uploads), []);
  assert.equal(readdirSync(other.uploads), ['tollgate-upload-1']);
  // Whoever is refused the folder leaves what is in it alone.
  await claimDataFolder(paths[1] ?? '').catch(() => undefined);
  assert.equal(readdirSync(other.uploads), ['tollgate-upload-1']);
  await again.release();
  await other.release();
  for (const path of paths) rmSync(path, { recursive: true });
});

folder('is left as it is where nobody can tell whether another process uses it', async () => {
  const path = join(mkdtempSync(join(tmpdir(), 'tollgate-folder-')), 'x'.repeat(100));
  const first = await claimDataFolder(path);
  writeFileSync(join(first.uploads, 'tollgate-upload-1'), 'sound');
  const second = await claimDataFolder(path);
  assert.equal(readdirSync(second.uploads), ['tollgate-upload-1']);
  rmSync(dirname(path), { recursive: true });
});

folder('is free again after its holder was killed', async () => {
  const path = mkdtempSync(join(tmpdir(), 'tollgate-folder-'));
  const module = new URL('../../../daemon/config/data-folder.ts', import.meta.url).href;
  const program = `import(${JSON.stringify(module)}).then(async ({ claimDataFolder }) => {
    await claimDataFolder(${JSON.stringify(path)});
    process.kill(process.pid, 'SIGKILL');
  });`;
  const ended = spawnSync(process.execPath, ['--import', 'tsx', '-e', program]);
  assert.is(ended.signal, 'SIGKILL', String(ended.stderr));
  const claimed = await claimDataFolder(path);
  await claimed.release();
  rmSync(path, { recursive: true });
});

folder('is made with the folders above it, and refused at once where there can be none', () => {
  const path = mkdtempSync(join(tmpdir(), 'tollgate-folder-'));
  makeFolder(join(path, 'a', 'b'));
  makeFolder(join(path, 'a', 'b'));
  assert.equal(readdirSync(join(path, 'a')), ['b']);
  assert.is(statSync(join(path, 'a', 'b')).mode & 0o777, 0o700);
  writeFileSync(join(path, 'file'), '');
  assert.throws(() => makeFolder(join(path, 'file', 'c')), /ENOTDIR|EEXIST/);
  rmSync(path, { recursive: true });
  // Node's own recursive way never comes back from here.
  if (process.platform === 'linux') assert.throws(() => makeFolder('/proc/tollgate/data'), /ENOENT/);
});

folder.run();
