/** What the program's name alone means on a terminal (cli.md 5): the screens, or the first run of a new server. */
import { isSignedIn, resolveTarget } from './profile.ts';

const answerMs = 1500;

/** The command to run; undefined where help says more, since no server answers and nobody is signed in. */
export async function bareCommand(environment: NodeJS.ProcessEnv): Promise<'ui' | 'setup' | undefined> {
  if (await isSignedIn(environment)) return 'ui';
  const isInitialised = await askInitialised(environment).catch(() => undefined);
  if (isInitialised === undefined) return undefined;
  return isInitialised ? 'ui' : 'setup';
}

/** Whether the server in use has its accounts; undefined for an answer that is not Tollgate's. Rejects where none comes. */
async function askInitialised(environment: NodeJS.ProcessEnv): Promise<boolean | undefined> {
  const { url, settings } = await resolveTarget({}, environment);
  const { fetchFor } = await import('./fetch.ts');
  const send = await fetchFor({ environment, caFile: settings.ca_file, signal: AbortSignal.timeout(answerMs) });
  const answer: unknown = await (await send(`${url}/api/setup`, {})).json();
  const data: unknown = typeof answer === 'object' && answer !== null ? Reflect.get(answer, 'data') : undefined;
  const status: unknown = typeof data === 'object' && data !== null ? Reflect.get(data, 'status') : undefined;
  return typeof status === 'boolean' ? status : undefined;
}
