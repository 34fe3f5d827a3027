/**
 * Named servers and their credentials, in `profiles.yaml` of the user's config folder: folder 0700, file 0600,
 * written whole and renamed. A file that others can read is refused.
 */
import { execFile } from 'node:child_process';
import { chmod, mkdir, readFile, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import writeFileAtomic from 'write-file-atomic';
import { parse, stringify } from 'yaml';
import { localError, usageError } from './errors.ts';
import { both } from './language.ts';

/** One server as the file keeps it. */
export interface Profile {
  /** Origin, without a trailing slash. */
  url: string;
  user?: string;
  user_id?: number;
  /** Access token for exactly this origin. */
  token?: string;
  /** RFC 3339. */
  token_expires?: string;
  /** A program whose standard output is the token; no shell. */
  token_command?: string[];
  ca_file?: string;
  /** Allows a token over plain http to a host that is not loopback. */
  allow_http?: boolean;
  /** Refuses every writing call. */
  read_only?: boolean;
  /** Asks on a terminal what `--yes` would answer. */
  confirm?: 'always';
  /** Model that `chat` asks when none is named. */
  chat_model?: string;
  lang?: string;
  tz?: string;
}

export interface ProfileFile {
  current?: string;
  profiles: Record<string, Profile>;
}

export const defaultUrl = 'http://127.0.0.1:3000';

/** Folder of the profile file: `TOLLGATE_CONFIG_DIR`, the XDG folder, or `~/.config/tollgate`. */
export function configFolder(environment: NodeJS.ProcessEnv, platform: NodeJS.Platform = process.platform): string {
  if (environment.TOLLGATE_CONFIG_DIR) return environment.TOLLGATE_CONFIG_DIR;
  if (platform === 'win32') return join(environment.APPDATA ?? homedir(), 'tollgate');
  return join(environment.XDG_CONFIG_HOME || join(environment.HOME ?? homedir(), '.config'), 'tollgate');
}

function isProfileFile(value: unknown): value is ProfileFile {
  if (typeof value !== 'object' || value === null) return false;
  return 'profiles' in value && typeof value.profiles === 'object' && value.profiles !== null;
}

/** Reads the file; an absent file has no profiles. */
export async function readProfiles(folder: string): Promise<ProfileFile> {
  const path = join(folder, 'profiles.yaml');
  const found = await stat(path).catch(() => undefined);
  if (!found) return { profiles: {} };
  if (process.platform !== 'win32' && (found.mode & 0o077) !== 0) {
    throw localError(both(`${path} can be read by other users`, `其他用户可以读取 ${path}`), {
      hint: both(`chmod 600 ${path}`, `chmod 600 ${path}`),
    });
  }
  const parsed: unknown = parse(await readFile(path, 'utf8'));
  if (!isProfileFile(parsed)) {
    throw localError(both(`${path} is not a profile file`, `${path} 不是有效的配置文件`), {
      hint: both('move it away and run `tollgate login` again', '请移走该文件并重新运行 `tollgate login`'),
    });
  }
  return parsed;
}

/** Writes the file atomically. */
export async function writeProfiles(folder: string, file: ProfileFile): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if (process.platform !== 'win32') await chmod(folder, 0o700);
  await writeFileAtomic(join(folder, 'profiles.yaml'), stringify(file), { mode: 0o600 });
}

/** The server and credential in use, and where each came from. */
export interface Target {
  url: string;
  /** Name of the profile in use; undefined without one. */
  profile: string | undefined;
  token: string | undefined;
  /** Words for "not signed in" errors and `whoami`. */
  tokenSource: string | undefined;
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

async function tokenFromCommand(command: readonly string[]): Promise<string> {
  const [program, ...rest] = command;
  if (program === undefined) throw usageError(both('token_command is empty', 'token_command 为空'));
  const { stdout } = await promisify(execFile)(program, rest, { timeout: 10_000 });
  const lines = stdout.split('\n').filter((line) => line.trim() !== '');
  const [first] = lines;
  if (first === undefined || lines.length > 1) {
    throw usageError(both('token_command must print exactly one line', 'token_command 必须只输出一行'), {
      field: 'token_command',
    });
  }
  return first.trim();
}

/**
 * Which server and which credential (cli.md 2): flags, environment, current profile, default address.
 * A profile's token goes only to that profile's origin.
 */
export async function resolveTarget(wishes: TargetWishes, environment: NodeJS.ProcessEnv): Promise<Target> {
  const file = await readProfiles(configFolder(environment));
  // A variable that is set to nothing says nothing, as shells mean it.
  const named = wishes.profile ?? (environment.TOLLGATE_PROFILE || undefined);
  const name = named ?? file.current;
  const profile = name === undefined ? undefined : file.profiles[name];
  if (profile === undefined && named !== undefined && wishes.unknownProfile !== 'to be made') {
    throw usageError(both(`no profile named ${name}`, `没有名为 ${name} 的配置`), {
      field: '--profile',
      hint: both('tollgate profile list', 'tollgate profile list'),
    });
  }
  const url = withoutSlash(wishes.url ?? (environment.TOLLGATE_URL || profile?.url || defaultUrl));
  const settings = wishes.caFile === undefined ? (profile ?? {}) : { ...profile, ca_file: wishes.caFile };
  const base = { url, profile: profile === undefined ? undefined : name, settings };
  if (environment.TOLLGATE_ACCESS_TOKEN) {
    const hides = profile?.token === undefined ? '' : `, which hides profile ${name}`;
    return { ...base, token: environment.TOLLGATE_ACCESS_TOKEN, tokenSource: `TOLLGATE_ACCESS_TOKEN${hides}` };
  }
  if (profile === undefined || withoutSlash(profile.url) !== url) {
    return { ...base, token: undefined, tokenSource: undefined };
  }
  if (profile.token_command) {
    return { ...base, token: await tokenFromCommand(profile.token_command), tokenSource: `token_command of ${name}` };
  }
  return { ...base, token: profile.token, tokenSource: profile.token === undefined ? undefined : `profile ${name}` };
}

/** An address as profiles keep it. Throws exit 3 when it is no http(s) address. */
export function withoutSlash(address: string): string {
  if (!/^https?:\/\/[^/]/i.test(address)) {
    throw usageError(both(`${address} is not an http(s) address`, `${address} 不是 http(s) 地址`), { field: '--url' });
  }
  return address.replace(/\/+$/, '');
}
