/** What the npm registry has of this program: asked only when somebody tells to, and told nothing but the name. */
import type { CommandContext } from './context.ts';
import { CliError } from './errors.ts';
import { exitCodes } from './exit-codes.ts';
import { fetchFor } from './fetch.ts';
import { both } from './language.ts';
import { packageName, version } from './version.ts';

const publicRegistry = 'https://registry.npmjs.org';

/** The newest released version. Throws exit 10 when the registry was not reached or says nothing usable, 6 when it does not know the program. */
export async function latestRelease(context: CommandContext): Promise<string> {
  const { environment, signal } = context;
  // npm's own variable, so that whoever has a mirror need not name it twice.
  const registry = environment.npm_config_registry || environment.NPM_CONFIG_REGISTRY || publicRegistry;
  const address = `${registry.replace(/\/+$/, '')}/${encodeURIComponent(packageName)}/latest`;
  const unusable = (cause?: unknown) =>
    new CliError(
      'registry_unavailable',
      exitCodes.unavailable,
      both(`${registry} did not answer`, `${registry} 没有返回可用的结果`),
      { cause },
    );
  try {
    const call = await fetchFor({ environment, caFile: undefined, signal });
    const headers = { accept: 'application/json', 'user-agent': `tollgate-cli/${version}` };
    const response = await call(address, { method: 'GET', headers, signal: AbortSignal.timeout(10_000) });
    if (response.status === 404) {
      throw new CliError(
        'not_published',
        exitCodes.notFound,
        both(`${registry} does not know ${packageName}`, `${registry} 中没有 ${packageName}`),
      );
    }
    const answer: unknown = response.ok ? await response.json() : undefined;
    const latest = typeof answer === 'object' && answer !== null && 'version' in answer ? answer.version : undefined;
    if (typeof latest === 'string' && partsOf(latest)) return latest;
  } catch (cause) {
    if (cause instanceof CliError || signal.aborted) throw cause;
    throw unusable(cause);
  }
  throw unusable();
}

/** Whether one version comes after another, by the order of Semantic Versioning. */
export function isNewer(candidate: string, than: string): boolean {
  const [a, b] = [partsOf(candidate), partsOf(than)];
  if (!a || !b) return false;
  for (const at of [0, 1, 2] as const) if (a.numbers[at] !== b.numbers[at]) return a.numbers[at] > b.numbers[at];
  // A release comes after its own candidates.
  if (a.candidate === undefined || b.candidate === undefined)
    return a.candidate === undefined && b.candidate !== undefined;
  return orderOfCandidates(a.candidate, b.candidate) > 0;
}

interface Parts {
  readonly numbers: readonly [number, number, number];
  /** What stands behind the hyphen; undefined for a release. */
  readonly candidate: readonly string[] | undefined;
}

function partsOf(text: string): Parts | undefined {
  const match = /^v?(\d{1,9})\.(\d{1,9})\.(\d{1,9})(?:-([\w.-]+))?(?:\+[\w.-]+)?$/.exec(text);
  if (!match) return undefined;
  return { numbers: [Number(match[1]), Number(match[2]), Number(match[3])], candidate: match[4]?.split('.') };
}

/** Numbers by value and before words, words by their letters, the longer list last. */
function orderOfCandidates(a: readonly string[], b: readonly string[]): number {
  for (const [at, left] of a.entries()) {
    const right = b[at];
    if (right === undefined) return 1;
    if (left === right) continue;
    const [isNumber, isOtherNumber] = [left, right].map((part) => /^\d+$/.test(part));
    if (isNumber && isOtherNumber) return Number(left) - Number(right);
    if (isNumber !== isOtherNumber) return isNumber ? -1 : 1;
    return left < right ? -1 : 1;
  }
  return a.length - b.length;
}
