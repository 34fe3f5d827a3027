/**
 * The newest release, asked by the browser of the registry that the program is published in, as `tollgate version
 * --check` does; the daemon makes no such call.
 */
import * as z from 'zod/mini';

const packageName = 'tollgate';
const patienceMs = 15_000;

const Answer = z.object({
  name: z.literal(packageName),
  version: z.string().check(z.regex(/^\d+\.\d+\.\d+[\w.+-]*$/)),
});

export interface Release {
  readonly version: string;
  readonly address: string;
}

/** Throws when the registry is not reached or says something else. */
export async function latestRelease(): Promise<Release> {
  const answer = await fetch(`https://registry.npmjs.org/${packageName}/latest`, {
    headers: { Accept: 'application/json' },
    credentials: 'omit',
    signal: AbortSignal.timeout(patienceMs),
  });
  if (!answer.ok) throw new Error(`HTTP ${answer.status}`);
  const { version } = Answer.parse(await answer.json());
  return { version, address: `https://www.npmjs.com/package/${packageName}/v/${version}` };
}

const numbersOf = (version: string): number[] => (version.match(/\d+/g) ?? []).map(Number);

/** By the numbers of the versions, first to last. */
export function isNewer(candidate: string, than: string): boolean {
  const [ours, theirs] = [numbersOf(than.replace(/[-+].*$/, '')), numbersOf(candidate.replace(/[-+].*$/, ''))];
  for (let place = 0; place < Math.max(ours.length, theirs.length); place += 1) {
    const difference = (theirs[place] ?? 0) - (ours[place] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return false;
}
