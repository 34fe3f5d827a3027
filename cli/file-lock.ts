/**
 * One writer at a time among processes: a file that names its holder stands for as long as the work lasts. What a
 * process left behind that died on this machine is taken away.
 */
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { localError } from './errors.ts';
import { both } from './language.ts';

const waitMs = 10_000;

/** A holder names itself at once: a lock that names none for so long is of one that died, or had no room to write. */
const unnamedMs = 5000;

/** Does the work while the lock at this path is held. Throws exit 12 where another holds it for ten seconds. */
export async function underLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  const giveUpAt = Date.now() + waitMs;
  while (!(await takes(path))) {
    await removeAbandoned(path);
    if (Date.now() > giveUpAt) {
      throw localError(both(`${path} is held by another program`, `${path} 正被其他程序占用`), {
        hint: both(`rm ${path}, if none is running`, `如无其他程序在运行，请执行 rm ${path}`),
      });
    }
    await pause(10 + Math.random() * 20);
  }
  try {
    return await work();
  } finally {
    await rm(path, { force: true });
  }
}

/** Makes the file; false when it is there. */
async function takes(path: string): Promise<boolean> {
  try {
    await writeFile(path, `${process.pid} ${hostname()}`, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

/** Only one process at a time looks and removes, so that none takes away the lock of a living one. */
async function removeAbandoned(path: string): Promise<void> {
  if (!(await isAbandoned(path))) return;
  const removing = `${path}.removing`;
  if (!(await takes(removing))) {
    // Whoever died while it removed left this behind, and nobody else could remove anything ever after.
    if (await isAbandoned(removing)) await rm(removing, { force: true });
    return;
  }
  try {
    if (await isAbandoned(path)) await rm(path, { force: true });
  } finally {
    await rm(removing, { force: true });
  }
}

/** Whether its holder is a process of this machine that is no more, or never came to say who it is. */
async function isAbandoned(path: string): Promise<boolean> {
  const text = await readFile(path, 'utf8').catch(() => undefined);
  if (text === undefined) return false;
  if (text === '')
    return stat(path).then(
      ({ mtimeMs }) => Date.now() - mtimeMs > unnamedMs,
      () => false,
    );
  const [, pid, host] = /^(\d+) (.*)$/.exec(text) ?? [];
  if (pid === undefined || host !== hostname()) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH';
  }
}
