/**
 * Signing in by way of the console: in the browser of this machine, or with a short code typed into any other. Whichever
 * way the account is signed in to, this program sees neither password nor session, only the machine token of its end.
 */
import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '../daemon/contract/client.ts';
import { hasDesktop, openInBrowser } from './browser.ts';
import type { CommandContext } from './context.ts';
import { CliError } from './errors.ts';
import { exitCodes } from './exit-codes.ts';
import { dateText } from './input/time.ts';
import { both } from './language.ts';
import { listenForRedirect } from './loopback.ts';
import { scopeWish } from './scopes.ts';
import { type TokenWish, tokenTerms } from './token-wish.ts';

/** Calls of both ways. */
export const consoleSignInCalls = ['cliSignIns.begin', 'cliSignIns.token'];

/** As long as the console waits for a typed code. */
const patienceMs = 600_000;
/** By how much longer a program waits that asked too soon (RFC 8628, 3.5). */
const slowerSeconds = 5;
/** A server that cannot be reached is asked less and less often, and not at all once the code is over. */
const unanswered: ReadonlySet<string> = new Set(['network_error', 'timeout']);
const longestPause = 60;
/** What stands before a server says so while that starts anew. */
const away: ReadonlySet<number> = new Set([502, 503, 504]);

const closeText = both('you may close this page and go back to the terminal', '可以关闭此页面，返回终端');

/** A machine token, once its user has agreed in the browser of this machine. Throws exit 5 when refused, 8 when nobody answers. */
export async function tokenByWeb(context: CommandContext, wish: TokenWish): Promise<string> {
  const { client, url } = await server(context);
  const terms = await termsOf(wish);
  const verifier = randomBytes(32).toString('base64url');
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  const code = context.flags.unsent ? '' : await codeOfBrowser(context, url, { ...terms, challenge });
  return (await client.cliSignIns.token({ grant: 'authorization_code', code, verifier })).secret;
}

/** A machine token, once its user has typed a short code in the console. Throws as above. */
export async function tokenByDevice(context: CommandContext, wish: TokenWish): Promise<string> {
  const { client, url } = await server(context);
  const terms = await termsOf(wish);
  const begun = await client.cliSignIns.begin(terms);
  const address = begun.verification_uri === '' ? `${url}/cli` : begun.verification_uri;
  context.tell(both(`open ${address} in a browser`, `请在浏览器中打开 ${address}`));
  context.tell(both(`and type the code ${begun.user_code}`, `并输入代码 ${begun.user_code}`));
  tellTerms(context, terms);
  const endWaiting = await context.startWaiting();
  try {
    return await polledToken(client.cliSignIns, begun, {
      pause: (seconds) => sleep(seconds * 1000, undefined, { signal: context.signal }),
    });
  } finally {
    endWaiting();
  }
}

/** Asks for the token of a device until there is an answer (RFC 8628, 3.4 and 3.5). */
export async function polledToken(
  calls: Pick<Client['cliSignIns'], 'token'>,
  { device_code: code, interval, expires_in }: { device_code: string; interval: number; expires_in: number },
  { pause }: { pause: (seconds: number) => Promise<unknown> },
): Promise<string> {
  const { ApiError } = await import('../daemon/contract/client.ts');
  let seconds = interval;
  for (let waited = seconds; ; waited += seconds) {
    await pause(seconds);
    try {
      return (await calls.token({ grant: 'device_code', code })).secret;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.code === 'slow_down') seconds += slowerSeconds;
      else if ((unanswered.has(error.code) || away.has(error.status)) && waited < expires_in)
        seconds = Math.min(seconds * 2, longestPause);
      else if (error.code !== 'authorization_pending') throw error;
    }
  }
}

type Terms = Awaited<ReturnType<typeof termsOf>>;

async function termsOf(wish: TokenWish) {
  const terms = tokenTerms(wish);
  return { ...terms, scopes: await scopeWish(terms.scopes) };
}

/** The server to sign in to, where the token would not travel in the clear. */
async function server(context: CommandContext): Promise<{ client: Client; url: string }> {
  const { url } = await context.signInTarget();
  await context.refusePlain(url);
  return { client: await context.clientFor(url, undefined), url };
}

/** The code that the browser brings once its user has agreed. */
async function codeOfBrowser(
  context: CommandContext,
  url: string,
  { name, scopes, expires_at, challenge }: Terms & { challenge: string },
): Promise<string> {
  const state = randomBytes(16).toString('base64url');
  const loopback = await listenForRedirect({
    state,
    texts: {
      code: context.say(both(`Signed in: ${closeText.en}.`, `已确认登录，${closeText.zh}。`)),
      denied: context.say(both(`Refused: ${closeText.en}.`, `已拒绝登录，${closeText.zh}。`)),
    },
    language: context.language,
  });
  const over = new AbortController();
  try {
    const question = { name, scopes: scopes.join(' '), expires_at: String(expires_at), challenge, state };
    const address = `${url}/cli?${new URLSearchParams({ ...question, port: String(loopback.port) })}`;
    context.tell(both(`agree in the browser: ${address}`, `请在浏览器中确认：${address}`));
    tellTerms(context, { name, scopes, expires_at });
    if (context.terminal.interactive && hasDesktop(context.environment)) openInBrowser(address);
    const late = sleep(patienceMs, undefined, { signal: AbortSignal.any([context.signal, over.signal]) });
    const redirect = await Promise.race([loopback.redirect, late]);
    if (redirect?.kind === 'code') return redirect.code;
    throw redirect === undefined ? nobodyAnswered() : denied();
  } finally {
    over.abort();
    loopback.close();
  }
}

function tellTerms(context: CommandContext, { name, scopes, expires_at }: Terms): void {
  const until = dateText(expires_at);
  context.note(
    context.say(
      both(
        `it asks for a token named "${name}", scopes ${scopes.join(' ')}, until ${until}`,
        `将申请令牌“${name}”，权限范围 ${scopes.join(' ')}，有效期至 ${until}`,
      ),
    ),
  );
}

function denied(): CliError {
  return new CliError(
    'authorization_denied',
    exitCodes.forbidden,
    both('the sign-in was refused in the console', '控制台中已拒绝此次登录'),
  );
}

function nobodyAnswered(): CliError {
  return new CliError(
    'authorization_expired',
    exitCodes.waitedTooLong,
    both('nobody has answered in the browser', '浏览器中无人确认'),
    { hint: both('tollgate login', 'tollgate login') },
  );
}
