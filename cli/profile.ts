/**
 * Named servers and their credentials, in `profiles.yaml` of the user's config folder: folder 0700, file 0600,
 * written whole and renamed by one process at a time. A file that others can read is refused.
 */
import { execFile } from 'node:child_process';
import { chmod, mkdir, readFile, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import writeFileAtomic from 'write-file-atomic';
import { parse, stringify } from 'yaml';
import { CliError, localError, notRead, usageError } from './errors.ts';
import { exitCodes } from './exit-codes.ts';
import { underLock } from './file-lock.ts';
import { signInAgain } from './hint-words.ts';
import { type Bilingual, both } from './language.ts';

/** One server as the file keeps it. */
export interface Profile {
  /** Origin, without a trailing slash. */
  url: string;
  user?: string;
  user_id?: number;
  /** Access token for exactly this origin. */
  token?: string;
  /** Of a machine token. */
  token_id?: number;
  /** RFC 3339. */
  token_expires?: string;
  /** A program whose standard output is the token; no shell. */
  token_command?: string[];
  ca_file?: string;
  /** Allows a token over plain http to a host that is not loopback. */
  allow_http?: boolean;
  /** Refuses every writing call. */
  read_only?: boolean;
  /** Of the top line of its screens: one of `bannerColours`. */
  color?: string;
  /** Asks on a terminal what `--yes` would answer. */
  confirm?: 'always';
  /** Model that `chat` asks when none is named. */
  chat_model?: string;
  /** Goes before the machine's language, behind `--lang` and `TOLLGATE_LANG`. */
  lang?: string;
  /** Zone of times without an offset, or `site`; behind `--tz` and `TOLLGATE_TZ`. */
  tz?: string;
}

export interface ProfileFile {
  current?: string;
  profiles: Record<string, Profile>;
}

/** The profile of that name; one may be called as a member that every object has. */
export function profileNamed({ profiles }: ProfileFile, name: string | undefined): Profile | undefined {
  return name !== undefined && Object.hasOwn(profiles, name) ? profiles[name] : undefined;
}

const defaultUrl = 'http://127.0.0.1:3000';
const fileName = 'profiles.yaml';

/** Folder of the profile file: `TOLLGATE_CONFIG_DIR`, the XDG folder, or `~/.config/tollgate`. */
export function configFolder(environment: NodeJS.ProcessEnv, platform: NodeJS.Platform = process.platform): string {
  if (environment.TOLLGATE_CONFIG_DIR) return environment.TOLLGATE_CONFIG_DIR;
  if (platform === 'win32') return join(environment.APPDATA ?? homedir(), 'tollgate');
  return join(environment.XDG_CONFIG_HOME || join(environment.HOME ?? homedir(), '.config'), 'tollgate');
}

function isProfileFile(value: unknown): value is ProfileFile {
  if (!isObject(value) || !('profiles' in value) || !isObject(value.profiles)) return false;
  return Object.values(value.profiles).every(isProfile);
}

function isProfile(value: unknown): value is Profile {
  if (!isObject(value) || !('url' in value) || typeof value.url !== 'string') return false;
  // Digits without quotes are a number to YAML, and may have lost some of what they were.
  if ('token' in value && typeof value.token !== 'string') return false;
  return !('token_command' in value) || Array.isArray(value.token_command);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** What a text of YAML says; undefined where it is none. */
function parsed(text: string): unknown {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

/** Reads the file; an absent file has no profiles. */
export async function readProfiles(folder: string, platform = process.platform): Promise<ProfileFile> {
  const path = join(folder, fileName);
  const found = await stat(path).catch((cause: unknown) => {
    if (cause instanceof Error && 'code' in cause && (cause.code === 'ENOENT' || cause.code === 'ENOTDIR')) return;
    throw notRead(path, { field: fileName, cause });
  });
  if (!found) return { profiles: {} };
  // The rights of that folder are what counts on Windows; modes mean nothing there.
  if (platform !== 'win32' && (found.mode & 0o077) !== 0) {
    throw localError(both(`${path} can be read by other users`, `其他用户可以读取 ${path}`), {
      hint: both(`chmod 600 ${path}`, `chmod 600 ${path}`),
    });
  }
  const file = parsed(await readFile(path, 'utf8'));
  if (!isProfileFile(file)) {
    throw localError(both(`${path} is not a profile file`, `${path} 不是有效的配置文件`), {
      hint: both(
        'mend it, or move it away and run `tollgate login` again',
        '请修正或移走该文件，再运行 `tollgate login`',
      ),
    });
  }
  return file;
}

/** What a profile says of language and time. */
export interface Preferences {
  readonly lang?: string;
  readonly tz?: string;
}

/**
 * Preferences of the named profile, else of the one in use; none where that cannot be known, since the command itself
 * says why.
 */
export async function readPreferences(name: string | undefined, environment: NodeJS.ProcessEnv): Promise<Preferences> {
  const file = await readProfiles(configFolder(environment)).catch(() => undefined);
  const profile = file?.profiles[name ?? (environment.TOLLGATE_PROFILE || file.current || '')];
  return {
    ...(typeof profile?.lang === 'string' ? { lang: profile.lang } : {}),
    ...(typeof profile?.tz === 'string' ? { tz: profile.tz } : {}),
  };
}

/** Whether there is a token for the server in use, without asking for it; false where that cannot be known. */
export async function isSignedIn(environment: NodeJS.ProcessEnv): Promise<boolean> {
  if (environment.TOLLGATE_ACCESS_TOKEN) return true;
  const file = await readProfiles(configFolder(environment)).catch(() => undefined);
  const profile = file?.profiles[environment.TOLLGATE_PROFILE || file.current || ''];
  const isOther = environment.TOLLGATE_URL && environment.TOLLGATE_URL.replace(/\/+$/, '') !== profile?.url;
  return !isOther && (profile?.token !== undefined || profile?.token_command !== undefined);
}

/** Changes the file as it stands when no other process writes it, and returns what it says then. */
export async function changeProfiles(folder: string, change: (file: ProfileFile) => ProfileFile): Promise<ProfileFile> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if (process.platform !== 'win32') await chmod(folder, 0o700);
  return underLock(join(folder, 'profiles.lock'), async () => {
    const changed = change(await readProfiles(folder));
    await writeFileAtomic(join(folder, fileName), stringify(changed), { mode: 0o600 });
    return changed;
  });
}

/** The server and credential in use, and where each came from. */
export interface Target {
  url: string;
  /** Name of the profile in use; undefined without one. */
  profile: string | undefined;
  token: string | undefined;
  /** Words for "not signed in" errors and `whoami`; undefined without a token. */
  tokenSource: Bilingual | undefined;
  settings: Partial<Profile>;
}

export interface TargetWishes {
  url?: string | undefined;
  profile?: string | undefined;
  /** Goes before the profile's. */
  caFile?: string | undefined;
  /** What a name that is not known means; refused when absent. */
  unknownProfile?: 'refused' | 'to be made';
}

/** Whether it is the folder of the file that lets nobody in. */
function isNotReached(error: unknown): boolean {
  return error instanceof CliError && error.field === fileName;
}

const tokenCommandMs = 10_000;

/** Why a program came to nothing, and what it said last. */
function failureOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  if ('killed' in cause && cause.killed === true) return `no end within ${tokenCommandMs / 1000} s`;
  if (!('code' in cause) || typeof cause.code !== 'number') return cause.message;
  const said = 'stderr' in cause ? String(cause.stderr).trim().split('\n').at(-1) : '';
  return [`exit ${cause.code}`, ...(said ? [said] : [])].join(', ');
}

async function tokenFromCommand(command: readonly string[]): Promise<string> {
  const [program, ...rest] = command;
  if (program === undefined) throw commandFault(both('token_command is empty', 'token_command 为空'));
  const { stdout } = await promisify(execFile)(program, rest, { timeout: tokenCommandMs }).catch((cause: unknown) => {
    const why = failureOf(cause);
    throw commandFault(both(`token_command gave no token: ${why}`, `token_command 未给出令牌：${why}`));
  });
  const lines = stdout.split('\n').filter((line) => line.trim() !== '');
  const [first] = lines;
  if (first === undefined || lines.length > 1) {
    throw commandFault(both('token_command must print exactly one line', 'token_command 必须只输出一行'));
  }
  return first.trim();
}

/** What is wrong lies on this machine, whatever was asked for: exit 12. */
function commandFault(text: Bilingual): CliError {
  return localError(text, {
    field: 'token_command',
    hint: both('run it by hand; it stands in profiles.yaml', '请手动运行该命令；其位于 profiles.yaml'),
  });
}

/**
 * Which server and which credential (cli.md 2): flags, environment, current profile, default address.
 * A profile's token goes only to that profile's origin.
 */
export async function resolveTarget(wishes: TargetWishes, environment: NodeJS.ProcessEnv): Promise<Target> {
  // A variable that is set to nothing says nothing, as shells mean it.
  const named = wishes.profile ?? (environment.TOLLGATE_PROFILE || undefined);
  const address = wishes.url ?? (environment.TOLLGATE_URL || undefined);
  const file = await readProfiles(configFolder(environment)).catch((error: unknown): ProfileFile => {
    // Jobs run with the home of somebody else. Where no address is said, what is done without the file would go to
    // another server than the one it names.
    if (named === undefined && address !== undefined && isNotReached(error)) return { profiles: {} };
    throw error;
  });
  const name = named ?? file.current;
  const profile = profileNamed(file, name);
  if (profile === undefined && named !== undefined && wishes.unknownProfile !== 'to be made') {
    throw usageError(both(`no profile named ${name}`, `没有名为 ${name} 的配置`), {
      field: '--profile',
      hint: both('tollgate profile list', 'tollgate profile list'),
    });
  }
  const url = withoutSlash(address ?? (profile?.url || defaultUrl));
  const own = profile === undefined || withoutSlash(profile.url) !== url ? undefined : profile;
  const settings = {
    ...profile,
    // A token in the clear is allowed on the way to one server.
    allow_http: own?.allow_http === true,
    ...(wishes.caFile === undefined ? {} : { ca_file: wishes.caFile }),
  };
  const base = { url, profile: profile === undefined ? undefined : name, settings };
  if (environment.TOLLGATE_ACCESS_TOKEN) {
    const hides = own?.token !== undefined || own?.token_command !== undefined;
    const tokenSource = hides
      ? both(`TOLLGATE_ACCESS_TOKEN, which hides profile ${name}`, `TOLLGATE_ACCESS_TOKEN（优先于配置 ${name}）`)
      : both('TOLLGATE_ACCESS_TOKEN', 'TOLLGATE_ACCESS_TOKEN');
    return { ...base, token: sendableToken(environment.TOLLGATE_ACCESS_TOKEN, tokenSource), tokenSource };
  }
  if (own?.token_command) {
    const tokenSource = both(`token_command of profile ${name}`, `配置 ${name} 的 token_command`);
    return { ...base, token: sendableToken(await tokenFromCommand(own.token_command), tokenSource), tokenSource };
  }
  if (own?.token === undefined) return { ...base, token: undefined, tokenSource: undefined };
  const tokenSource = both(`profile ${name}`, `配置 ${name}`);
  return { ...base, token: sendableToken(own.token, tokenSource), tokenSource };
}

/** The token, which a header can carry. Throws exit 3 for what is none, such as one copied from where it is shown in part. */
export function sendableToken(token: string, { en, zh }: Bilingual): string {
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  throw usageError(both(`${en} holds no token`, `${zh} 不是有效的令牌`), {
    hint: both('copy the whole token, or sign in: tollgate login', '请复制完整的令牌，或登录：tollgate login'),
  });
}

/** Whether a credential is a machine token: scoped, and good for no call about credentials. */
export function isMachineToken(token: string | undefined): boolean {
  return token?.startsWith('tgm_') === true;
}

/** What throws exit 5 in place of a write, where the profile is for reading only; undefined where it is not. */
export function writeGuard({ settings, profile }: Target): (() => never) | undefined {
  if (!settings.read_only) return undefined;
  return () => {
    throw new CliError(
      'read_only',
      exitCodes.forbidden,
      both(`profile ${profile} is read-only`, `配置 ${profile} 为只读`),
    );
  };
}

/** An address as profiles keep it. Throws exit 3 when it is no http(s) address. */
export function withoutSlash(address: string): string {
  if (!/^https?:\/\/[^/]/i.test(address) || !URL.canParse(address)) {
    throw usageError(both(`${address} is not an http(s) address`, `${address} 不是 http(s) 地址`), { field: '--url' });
  }
  const { username, password, search, hash } = new URL(address);
  if (search !== '' || hash !== '') {
    // The path of every call is put behind it.
    throw usageError(both(`${address} is more than an address of a server`, `${address} 不只是服务器地址`), {
      field: '--url',
      hint: both('leave out what begins with ? or #', '请去掉 ? 或 # 及其后的内容'),
    });
  }
  if (username !== '' || password !== '') {
    // The address is shown in messages and kept in profiles; fetch would refuse it.
    throw usageError(both('an address holds no user name and no password', '地址中不能包含用户名或密码'), {
      field: '--url',
      hint: both('leave them out, and sign in: tollgate login', '请去掉它们，并登录：tollgate login'),
    });
  }
  return address.replace(/\/+$/, '');
}

/** Whether a secret would travel in the clear to another machine. */
export function isPlainRemote(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && !/^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}

/** Refuses an address that would carry a secret in the clear to another machine. Throws exit 3. */
export function refusePlain(url: string, settings: Pick<Partial<Profile>, 'allow_http'>): void {
  if (settings.allow_http || !isPlainRemote(url)) return;
  throw usageError(both(`refusing to send a token to ${url} without TLS`, `拒绝以明文方式向 ${url} 发送令牌`), {
    field: '--url',
    hint: both('use https, or set allow_http: true in the profile', '请使用 https，或在配置中设置 allow_http: true'),
  });
}

/** Whether the token in use is the one that the profile keeps. */
export function isOfProfile({ token, settings }: Target): boolean {
  return token !== undefined && token === settings.token;
}

/** Days before its end from which on a profile's token is said to end. */
const soonDays = 7;

/** What to say of the profile's token where it is the one in use and ends soon. */
export function endingSoon(target: Target, nowMs: number): Bilingual | undefined {
  const { profile = '', settings } = target;
  if (!isOfProfile(target)) return undefined;
  const days = (Date.parse(settings.token_expires ?? '') - nowMs) / 86_400_000;
  if (!(days > 0 && days < soonDays)) return undefined;
  return both(
    `the token of profile ${profile} ends at ${settings.token_expires}: ${signInAgain(profile)}`,
    `配置 ${profile} 的令牌将于 ${settings.token_expires} 过期：请运行 ${signInAgain(profile)}`,
  );
}
