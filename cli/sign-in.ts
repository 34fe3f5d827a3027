/**
 * Signing in from the command line: a short session with name and password, a system access token from it, the
 * session closed again, the profile written. The token, never the password, stays on this machine.
 */
import type { LoginView } from '../daemon/contract/account.ts';
import type { Client } from '../daemon/contract/client.ts';
import type { CommandContext } from './context.ts';
import { CliError } from './errors.ts';
import { exitCodes } from './exit-codes.ts';
import { fetchFor } from './fetch.ts';
import { both } from './language.ts';
import { changeProfiles, configFolder, type ProfileFile } from './profile.ts';
import { type SignInWords, signInTwice } from './second-factor.ts';
import { version } from './version.ts';

export interface SignedIn {
  profile: string;
  url: string;
  user: string;
  id: number;
  role: number;
}

/** Name of the profile to write: the flag, the current one, or `default`. */
function profileName(context: CommandContext, file: ProfileFile): string {
  return context.flags.profile ?? context.environment.TOLLGATE_PROFILE ?? file.current ?? 'default';
}

/** Writes token and owner into the profile and makes it current. */
export async function keepProfile(
  context: CommandContext,
  url: string,
  owner: { id: number; username: string; role: number; token: string },
): Promise<SignedIn> {
  const { current: name = '' } = await changeProfiles(configFolder(context.environment), (file) => {
    const current = profileName(context, file);
    const kept = { ...file.profiles[current], url, user: owner.username, user_id: owner.id, token: owner.token };
    return { current, profiles: { ...file.profiles, [current]: kept } };
  });
  context.done(
    both(
      `signed in as ${owner.username} at ${url}, profile ${name}`,
      `已登录 ${url}，用户 ${owner.username}，配置 ${name}`,
    ),
  );
  return { profile: name, url, user: owner.username, id: owner.id, role: owner.role };
}

/** Opens a session for what a token may not do, and closes it again whatever comes of the work. */
export async function withSession<T>(
  context: CommandContext,
  credentials: SignInWords,
  work: (client: Client, user: LoginView) => Promise<T>,
): Promise<T> {
  const target = await context.target();
  const { createClient } = await import('../daemon/contract/client.ts');
  let cookie: string | undefined;
  let userId: number | undefined;
  const client = createClient({
    baseUrl: target.url,
    fetch: await fetchFor({
      environment: context.environment,
      caFile: target.settings.ca_file,
      signal: context.signal,
    }),
    beforeCall: (call) => context.beforeCall(call),
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
    return await work(client, user);
  } finally {
    // The work may have ended the session itself, with the account or its password.
    await client.account.logout().catch(() => undefined);
  }
}

/** Signs in with a password and keeps a profile. */
export async function signInWithPassword(context: CommandContext, credentials: SignInWords): Promise<SignedIn> {
  const { url } = await context.signInTarget();
  const owner = await withSession(context, { ...credentials, prove: 'account' }, async (client, user) => ({
    ...user,
    token: await client.account.issueToken(),
  }));
  return keepProfile(context, url, owner);
}

/** Checks a token against the server and keeps a profile. */
export async function signInWithToken(context: CommandContext, token: string): Promise<SignedIn> {
  const target = await context.signInTarget();
  if (token === '') throw new CliError('usage', exitCodes.usage, both('the token is empty', '令牌为空'));
  const client = await context.clientFor(target.url, token);
  const self = await client.account.get();
  return keepProfile(context, target.url, { id: self.id, username: self.username, role: self.role, token });
}
