/** The newest release, asked by the browser of the public host of the project's code; the daemon makes no such call. */
import * as z from 'zod/mini';

/** Owner and project at github.com: where releases are published, and nowhere else is asked. */
const repository = 'tollgate-gateway/tollgate';
const patienceMs = 15_000;

const Answer = z.object({
  tag_name: z.string().check(z.regex(/^v?\d+\.\d+\.\d+[\w.+-]*$/)),
  html_url: z.string().check(z.startsWith(`https://github.com/${repository}/`)),
  body: z.nullish(z.string()),
});

export interface Release {
  readonly version: string;
  /** Markdown; "" for a release without. */
  readonly notes: string;
  readonly address: string;
}

/** Throws when the host is not reached or says something else. */
export async function latestRelease(): Promise<Release> {
  const answer = await fetch(`https://api.github.com/repos/${repository}/releases/latest`, {
    headers: { Accept: 'application/vnd.github+json' },
    credentials: 'omit',
    signal: AbortSignal.timeout(patienceMs),
  });
  if (!answer.ok) throw new Error(`HTTP ${answer.status}`);
  const { tag_name, html_url, body } = Answer.parse(await answer.json());
  return { version: tag_name.replace(/^v/, ''), notes: body ?? '', address: html_url };
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
