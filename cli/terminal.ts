/** Facts about the three streams, decided once: who is a terminal, how wide, whether colour is wanted. */
import { stripVTControlCharacters, styleText } from 'node:util';
import type { Host } from './host.ts';

export interface Terminal {
  /** stdout is a terminal (or `TOLLGATE_FORCE_TTY` says so). */
  readonly stdout: boolean;
  readonly stderr: boolean;
  readonly stdin: boolean;
  /** stdin and stderr are terminals, `CI` is unset and `--no-input` was not given. */
  readonly interactive: boolean;
  /** Columns of stdout; 80 when unknown. */
  readonly columns: number;
  /** Lines of stdout; 24 when unknown. */
  readonly rows: number;
  readonly colour: { stdout: boolean; stderr: boolean };
  /** The locale can show `✓ ✗ !`. */
  readonly unicode: boolean;
}

export interface TerminalWishes {
  color?: string | undefined;
  input?: boolean | undefined;
}

function wantsColour(wish: string | undefined, environment: NodeJS.ProcessEnv, isTerminal: boolean): boolean {
  if (wish === 'always') return true;
  if (wish === 'never') return false;
  if (environment.NO_COLOR) return false;
  const force = environment.FORCE_COLOR ?? environment.CLICOLOR_FORCE;
  if (force !== undefined && force !== '') return force !== '0' && force !== 'false';
  if (environment.TERM === 'dumb') return false;
  return isTerminal;
}

/**
 * Whether a terminal is for lines and not for screens: one that says so, one that is read aloud, and a console of
 * Windows from before its Terminal, which scrolls where others redraw.
 */
export function isForLines(environment: NodeJS.ProcessEnv, { platform }: Pick<Host, 'platform'>): boolean {
  const { TERM, INK_SCREEN_READER } = environment;
  return TERM === 'dumb' || INK_SCREEN_READER === 'true' || (platform === 'win32' && !isModern(environment));
}

/** Whether a terminal of Windows says that it is one: Windows Terminal, ConEmu, that of an editor or of a Unix shell. */
function isModern({ WT_SESSION, ConEmuANSI, TERM_PROGRAM, TERM }: NodeJS.ProcessEnv): boolean {
  return Boolean(WT_SESSION || TERM_PROGRAM || TERM) || ConEmuANSI === 'ON';
}

/** Reads the facts from the streams and the environment. */
export function describeTerminal(wishes: TerminalWishes, environment: NodeJS.ProcessEnv, host: Host): Terminal {
  const forced = environment.TOLLGATE_FORCE_TTY;
  const stdout = forced !== undefined && forced !== '' ? true : host.stdout.isTTY === true;
  const stderr = host.stderr.isTTY === true;
  const stdin = host.stdin.isTTY === true;
  const forcedColumns = Number(forced);
  const locale = environment.LC_ALL || environment.LC_CTYPE || environment.LANG || '';
  return {
    stdout,
    stderr,
    stdin,
    interactive: stdin && stderr && !environment.CI && wishes.input !== false && !environment.TOLLGATE_NO_INPUT,
    // A terminal that was never told its size says 0.
    columns: forcedColumns > 1 ? forcedColumns : host.stdout.columns || 80,
    rows: host.stdout.rows || 24,
    colour: {
      stdout: wantsColour(wishes.color, environment, stdout),
      stderr: wantsColour(wishes.color, environment, stderr),
    },
    // Windows has no locale in its environment; its newer terminals show all there is.
    unicode: locale === '' && host.platform === 'win32' ? isModern(environment) : /utf-?8/i.test(locale),
  };
}

/** The palette: the 16 ANSI colours only, never the only carrier of meaning. */
export type Tone = 'red' | 'green' | 'yellow' | 'cyan' | 'dim' | 'bold';

/** The colours that the top line of the screens may have: the terminal's own, so that they fit its background. */
export const bannerColours = ['red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white', 'gray'] as const;
export type BannerColour = (typeof bannerColours)[number];

/** A line over everything else, in bold, where it has a colour. */
export function paintBanner(text: string, colour: BannerColour | undefined, enabled: boolean): string {
  return enabled && colour !== undefined ? styleText(['bold', colour], text, { validateStream: false }) : text;
}

/** Paints a text, or leaves it as it is. */
export function paint(text: string, tone: Tone, enabled: boolean): string {
  return enabled ? styleText(tone, text, { validateStream: false }) : text;
}

/** Text from the server, made safe for a terminal: no escape sequences, control characters or direction overrides. Tabs and line feeds stay. */
export function disarm(text: string): string {
  return stripVTControlCharacters(text).replace(/[\p{Cc}\p{Bidi_Control}]/gu, (char) =>
    char === '\n' || char === '\t' ? char : '',
  );
}

/** JSON with everything escaped that a terminal would obey: JSON itself lets C1 controls and changes of direction pass. */
export function disarmJson(json: string): string {
  return json.replace(/[\u007f-\u009f]|\p{Bidi_Control}/gu, (char) => {
    return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}
