/** How long work takes the processor, which tells the same on a machine that does other things as well. */
import { readdirSync, readFileSync } from 'node:fs';
import * as assert from 'uvu/assert';

/** Milliseconds of processor time, in all threads of this process, until the work is done. */
export async function processorMs(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** What the yardstick takes the machine on which limits of `assertQuick` were set. */
const yardstickMs = 10;
const yardstick = JSON.stringify(
  Array.from({ length: 2000 }, (_, at) => ({ at, name: `${at}`, text: 'a '.repeat(60) })),
);
const mostTries = 3;

/** How many times as long as there ordinary work takes here and now; 1 where it is as fast or faster. */
async function slowness(): Promise<number> {
  const measured = async () =>
    processorMs(() => {
      for (let round = 0; round < 4; round += 1) JSON.stringify(JSON.parse(yardstick)).split('"');
    });
  return Math.max(1, Math.min(await measured(), await measured()) / yardstickMs);
}

/**
 * Fails where work that grows with its input grows faster than it should. It may be done three times over, and may take
 * longer where the machine is slower at this moment: that a limit is missed by a little says nothing, so one belongs far
 * above what the work takes, and far below what it took before it was mended.
 */
export async function assertQuick(mostMs: number, work: () => unknown, what = 'it'): Promise<void> {
  const tries: string[] = [];
  while (tries.length < mostTries) {
    const took = await processorMs(work);
    if (took < mostMs) return;
    const slower = await slowness();
    if (took < mostMs * slower) return;
    tries.push(`${took.toFixed()} ms of ${(mostMs * slower).toFixed()}`);
  }
  assert.unreachable(`${what} took ${tries.join(', then ')}`);
}

/** The kernel counts in hundredths of a second, whatever the machine. */
const msOfTick = 10;
/** What a browser's processes have taken is seen only while they live: it is ended in one blow, and nobody waits for them. */
const lookEveryMs = 2000;

/** Answers, each time, the milliseconds that this process and all that it starts have taken of a processor since the last. */
export function countProcessor(): () => number {
  let seen = 0;
  let taken = 0;
  const tree = new ProcessTree();
  const look = () => {
    const now = tree.processorMs();
    taken += Math.max(0, now - seen);
    seen = now;
  };
  setInterval(look, lookEveryMs).unref();
  return () => {
    look();
    const since = taken;
    taken = 0;
    return since;
  };
}

/** This process, what lives below it, and what has ended there. */
class ProcessTree {
  /** Other people's processes are never of the tree, and most: to read of each again would be what a look costs. */
  #others = new Set<string>();

  /** What all of it has taken; 0 where the kernel does not tell. */
  processorMs(): number {
    const names = processFolders();
    const known = new Map<number, { parent: number; ms: number }>();
    for (const name of names) {
      const stat = this.#others.has(name) ? undefined : statOf(name);
      if (stat !== undefined) known.set(Number(name), stat);
    }
    const isBelow = (id: number): boolean => {
      const parent = known.get(id)?.parent;
      return id === process.pid || (parent !== undefined && isBelow(parent));
    };
    let sum = 0;
    for (const [id, { ms }] of known) if (isBelow(id)) sum += ms;
    this.#others = new Set(names.filter((name) => !isBelow(Number(name))));
    return sum;
  }
}

function processFolders(): string[] {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}

function statOf(id: string): { parent: number; ms: number } | undefined {
  try {
    const text = readFileSync(`/proc/${id}/stat`, 'utf8');
    // Behind the name, which may hold spaces and brackets: state, parent, …, the twelfth and thirteenth the times of the
    // process, then those of its children that have ended.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const ticks = fields.slice(11, 15).reduce((total, each) => total + Number(each), 0);
    return { parent: Number(fields[1]), ms: ticks * msOfTick };
  } catch {
    // It has just ended.
    return undefined;
  }
}
