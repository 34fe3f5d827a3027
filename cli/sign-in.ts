/**
 * Signing in from the command line: a short session with name and password, a machine token from it, the session
 * closed again; or a token that the console gave (console-sign-in.ts). Then the profile is written. The token, never the
 * password, stays on this machine.
 */
import type { CredentialView, LoginView } from '../daemon/contract/account.ts';
import type { Client } from '../daemon/contract/client.ts';
import type { CommandContext } from './context.ts';
import { CliError } from './errors.ts';
import { exitCodes } from './exit-codes.ts';
import { fetchFor } from './fetch.ts';
import { dateText } from './input/time.ts';
import { both } from './language.ts';
import { changeProfiles, configFolder, type Profile, type ProfileFile, readProfiles, withoutSlash } from './profile.ts';
import { trustedAuthority } from './profile-settings.ts';
import { scopesOf } from './scopes.ts';
import { type SignInWords, signInTwice } from './second-factor.ts';
import { type TokenWish, tokenTerms } from './token-wish.ts';
import { version } from './version.ts';

export interface SignedIn {
  profile: string;
  url: string;
  user: string;
  id: number;
  role: number;
  /** Null for a token that may do all that the role may. */
  scopes: readonly string[] | null;
  /** RFC 3339. */
  expires: string;
}

/** Name of the profile to write: as it is said, else the current one, unless that is another server's and in use there. */
function profileName(
  { flags, environment }: CommandContext,
  { current = 'default', profiles }: ProfileFile,
  url: string,
) {
  const named = flags.profile ?? (environment.TOLLGATE_PROFILE || undefined);
  const there = profiles[current];
  return named ?? (there === undefined || isOwn(there, url) ? current : new URL(url).host);
}

function isOwn(profile: Profile, url: string): boolean {
  return withoutSlash(profile.url) === url;
}

/** In place of what a dry run would have written. */
export const noProfileWritten = both('dry run: no profile was changed', '试运行：未修改任何配置');

/** Changes the profiles as signing in and out do, and returns what they say then; a dry run writes nothing. */
export async function changeOwnProfiles(
  context: CommandContext,
  change: (file: ProfileFile) => ProfileFile,
): Promise<ProfileFile> {
  const folder = configFolder(context.environment);
  return context.flags.unsent === true ? change(await readProfiles(folder)) : changeProfiles(folder, change);
}

/** Writes token and owner into the profile and makes it current. */
async function keepProfile(
  context: CommandContext,
  url: string,
  { token, owner }: { token: string; owner: CredentialView },
): Promise<SignedIn> {
  const expires = dateText(owner.expires_at);
  const { current: name = '' } = await changeOwnProfiles(context, (file) => {
    const current = profileName(context, file, url);
    const found = file.profiles[current];
    // What is allowed for one server, and the program that tells its token, is no other server's.
    const { token_id: _before, ...before } = found !== undefined && isOwn(found, url) ? found : { url };
    const id = owner.machine_token === null ? {} : { token_id: owner.machine_token.id };
    const user = { user: owner.username, user_id: owner.id };
    const kept = { ...before, url, ...trustedAuthority(context.flags), ...user, token, ...id, token_expires: expires };
    return { current, profiles: { ...file.profiles, [current]: kept } };
  });
  const scopes = owner.scopes === null ? '*' : owner.scopes.join(' ');
  if (context.flags.unsent === true) context.note(context.say(noProfileWritten));
  else
    context.done(
      both(
        `signed in as ${owner.username} at ${url} until ${expires}, profile ${name}; scopes ${scopes}`,
        `已登录 ${url}，用户 ${owner.username}，有效期至 ${expires}，配置 ${name}；权限范围 ${scopes}`,
      ),
    );
  const { id, username: user, role } = owner;
  return { profile: name, url, user, id, role, scopes: owner.scopes, expires };
}

type SessionWork<T> = (client: Client, user: LoginView) => Promise<T>;

/** Works in a session that may do what a token may not; a profile that is for reading only refuses what would be written. */
export async function withSession<T>(
  context: CommandContext,
  credentials: SignInWords,
  work: SessionWork<T>,
): Promise<T> {
  return inSession(context, { credentials, refuseWrite: await context.readingOnly() }, work);
}

/** How long somebody waits for a session to be closed. */
const closingMs = 3000;

/** Opens a session, and closes it again whatever comes of the work. */
async function inSession<T>(
  context: CommandContext,
  { credentials, refuseWrite }: { credentials: SignInWords; refuseWrite: (() => never) | undefined },
  work: SessionWork<T>,
): Promise<T> {
  const target = await context.target();
  const { createClient } = await import('../daemon/contract/client.ts');
  let cookie: string | undefined;
  let userId: number | undefined;
  let isOver = false;
  let isAtWork = false;
  const wire = { ...context.wire, caFile: target.settings.ca_file };
  const send = await fetchFor({
    ...wire,
    // A session that was begun is no effect that anybody need look for.
    onWrite: (call) => (isAtWork ? context.unanswered.send(call) : undefined),
  });
  const client = createClient({
    baseUrl: target.url,
    fetch: async (url, init) => {
      if (!isOver) return send(url, init);
      // Ctrl-C ends the work, and would keep the session from being closed behind it.
      const { onWrite: _unwatched, ...unsevered } = { ...wire, signal: AbortSignal.timeout(closingMs) };
      return (await fetchFor(unsevered))(url, init);
    },
    ...context.repetition.tries,
    timeoutMs: context.answerMs,
    beforeCall: async (call) => {
      await context.beforeCall(call);
      await context.unanswered.tell(call);
      if (!isAtWork || refuseWrite === undefined) return;
      if ((await import('./held-calls.ts')).isHeldBack(call)) refuseWrite();
    },
    language: () => context.language,
    userAgent: `tollgate-cli/${version}`,
    credentials: () => ({ cookie, userId }),
    onResponse: (response) => {
      cookie = response.headers.get('set-cookie')?.split(';')[0] ?? cookie;
    },
  });
  const { user, isProven } = await signInTwice(context, client, credentials);
  userId = user.id;
  try {
    const { prove: action, password } = credentials;
    if (action !== undefined && !isProven) await client.stepUp.prove({ action, method: 'password', password });
    isAtWork = true;
    return await work(client, user);
  } finally {
    isAtWork = false;
    isOver = true;
    // The work may have ended the session itself, with the account or its password.
    await client.account.logout().catch(() => undefined);
  }
}

/** Signs in with a password and makes a machine token, whose secret is returned; that is no write of the profile's. */
export function tokenByPassword(
  context: CommandContext,
  credentials: SignInWords,
  wish: TokenWish = {},
): Promise<string> {
  const { scopes, ...terms } = tokenTerms(wish);
  const wanted = { credentials: { ...credentials, prove: 'machine_token' as const }, refuseWrite: undefined };
  return inSession(context, wanted, async (client, { role }) => {
    return (await client.machineTokens.create({ ...terms, scopes: await scopesOf(scopes, role) })).secret;
  });
}

/** Signs in with a password and keeps a profile. */
export async function signInWithPassword(
  context: CommandContext,
  credentials: SignInWords,
  wish?: TokenWish,
): Promise<SignedIn> {
  await context.signInTarget();
  return signInWithToken(context, await tokenByPassword(context, credentials, wish));
}

/** Checks a token against the server and keeps a profile. */
export async function signInWithToken(context: CommandContext, token: string): Promise<SignedIn> {
  const target = await context.signInTarget();
  if (token === '') throw new CliError('usage', exitCodes.usage, both('the token is empty', '令牌为空'));
  const client = await context.clientFor(target.url, token);
  return keepProfile(context, target.url, { token, owner: await client.account.credential() });
}
