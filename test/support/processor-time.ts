/** How long work takes the processor, which tells the same on a machine that does other things as well. */
import { readdirSync, readFileSync } from 'node:fs';

/** Milliseconds of processor time, in all threads of this process, until the work is done. */
export async function processorMs(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
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
