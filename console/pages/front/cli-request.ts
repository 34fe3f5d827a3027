/** What a command line on this machine asks in the address of its page (cli.md 2), and where its answer goes. Pure. */
import { type ScopeWish, scopes } from '../../../daemon/contract/scopes.ts';

export interface LoopbackRequest {
  /** What the token will be called. */
  readonly name: string;
  readonly scopes: readonly ScopeWish[];
  /** When the token would end, unix seconds. */
  readonly expiresAt: number;
  readonly challenge: string;
  /** Handed back unread. */
  readonly state: string;
  /** Where the program listens, on this machine alone. */
  readonly port: number;
}

/** Undefined where nothing is asked; `broken` for what no command line of ours would ask. */
export function readRequest(query: URLSearchParams): LoopbackRequest | 'broken' | undefined {
  if (!query.has('challenge')) return undefined;
  const [challenge, state, name] = ['challenge', 'state', 'name'].map((key) => query.get(key) ?? '');
  const [port, expiresAt] = [wholeOf(query.get('port')), wholeOf(query.get('expires_at'))];
  const wish = (query.get('scopes') ?? '')
    .split(' ')
    .map((word) => (word === '*' ? word : scopes.find((s) => s === word)));
  const known = wish.filter((scope) => scope !== undefined);
  const isSound =
    /^[\w-]{43}$/.test(challenge ?? '') &&
    /^[\w-]{1,128}$/.test(state ?? '') &&
    name?.trim() !== '' &&
    known.length === wish.length &&
    port >= 1024 &&
    port <= 65_535 &&
    expiresAt > 0;
  if (!isSound || challenge === undefined || state === undefined || name === undefined) return 'broken';
  return { name, scopes: known, expiresAt, challenge, state, port };
}

/** Where the program on this machine waits for its answer: never anywhere else. */
export function loopbackAddress(
  { port, state }: Pick<LoopbackRequest, 'port' | 'state'>,
  answer: { readonly code: string } | { readonly error: 'access_denied' },
): string {
  return `http://127.0.0.1:${port}/callback?${new URLSearchParams({ ...answer, state })}`;
}

function wholeOf(text: string | null): number {
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : 0;
}
