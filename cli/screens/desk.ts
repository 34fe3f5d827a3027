/**
 * What all screens work with: the server, words and amounts, the line of messages, questions, and calls that change
 * something. Nothing here knows how it is drawn.
 */
import type { Client } from '../../daemon/contract/client.ts';
import type { CommandContext } from '../context.ts';
import { exitCodes } from '../exit-codes.ts';
import { type Bilingual, both, type Say } from '../language.ts';
import { describeFailure } from '../report.ts';
import type { BannerColour } from '../terminal.ts';
import { namedByLine } from './command-words.ts';
import type { Commands } from './commands.ts';
import { type Glyphs, lineGlyphs, noGlyphs, plainGlyphs } from './layout.ts';
import type { Press } from './press.ts';
import type { Screen } from './screen.ts';
import type { ScreenId } from './screen-table.ts';
import { edited, fieldOf, type TextField } from './text-field.ts';

/** Who is signed in, and where. */
export interface Whereabouts {
  readonly profile: string | undefined;
  readonly host: string;
  readonly username: string;
  readonly role: number;
  readonly readOnly: boolean;
  /** Of the top line. */
  readonly colour: BannerColour | undefined;
}

/** What one sign-in brings. */
export interface Seat {
  readonly context: CommandContext;
  readonly client: Client;
  readonly money: (units: number) => string;
  readonly quotaPerUnit: number;
  readonly where: Whereabouts;
}

export interface DeskDeps {
  readonly seat: Seat;
  readonly commands: Commands;
  /** Cells of a line of the terminal. */
  readonly columns: () => number;
  /** Writes to the terminal beside the screen: what a terminal does and does not show. */
  readonly control: (sequence: string) => void;
  /** Lines are read one after another, and nothing is drawn. */
  readonly isPlain?: boolean;
  /** Gives the terminal away for some work, and takes it back. */
  readonly lend: <T>(work: () => Promise<T>) => Promise<T>;
}

/** What happened, and the command that does the same. */
export interface Message {
  readonly tone: 'plain' | 'good' | 'bad';
  readonly text: string;
  readonly command: string | undefined;
}

/** What came of a call that was answered, and is no reason to be glad. */
export interface Verdict {
  readonly tone: Message['tone'];
  readonly text: Bilingual;
}

/** A question on the line of messages. */
export type Question =
  | { readonly kind: 'line'; readonly label: string; field: TextField; readonly answer: (text: string) => void }
  | { readonly kind: 'yes'; readonly label: string; readonly answer: () => void };

export class Desk {
  readonly say: Say;
  readonly glyphs: Glyphs;
  readonly isPlain: boolean;
  readonly commands: Commands;
  readonly #columns: () => number;
  readonly #control: (sequence: string) => void;
  readonly #lend: DeskDeps['lend'];
  #seat: Seat;
  #pages: readonly Screen[] = [];
  #onLeave: (words: readonly string[]) => void = () => undefined;
  #onSignedOut: () => void = () => undefined;
  #onGo: (id: ScreenId) => void = () => undefined;
  #message: Message | undefined;
  #isRefreshFailure = false;
  /** Whoever has left the password unanswered is asked again by what they do, and not by the refresh. */
  #isPasswordAsked = false;
  #question: Question | undefined;
  #running = 0;
  /** The last command said. */
  #command: string | undefined;
  #onChange: (cause: 'key' | 'data') => void = () => undefined;

  constructor({ seat, commands, columns, control, lend, isPlain = false }: DeskDeps) {
    this.#seat = seat;
    this.commands = commands;
    this.say = (text: Bilingual) => seat.context.say(text);
    this.isPlain = isPlain;
    this.glyphs = isPlain ? noGlyphs : seat.context.terminal.unicode ? lineGlyphs : plainGlyphs;
    this.#columns = columns;
    this.#control = control;
    this.#lend = lend;
  }

  get client(): Client {
    return this.#seat.client;
  }

  get context(): CommandContext {
    return this.#seat.context;
  }

  get where(): Whereabouts {
    return this.#seat.where;
  }

  get quotaPerUnit(): number {
    return this.#seat.quotaPerUnit;
  }

  /** An amount as sentences say it. */
  get money(): (units: number) => string {
    return this.#seat.money;
  }

  get columns(): number {
    return this.#columns();
  }

  /** Goes on with another sign-in. */
  takeSeat(seat: Seat): void {
    this.#seat = seat;
    this.#isPasswordAsked = false;
    this.changed('key');
  }

  /** The page that was opened last; undefined while a screen is in view. */
  get page(): Screen | undefined {
    return this.#pages.at(-1);
  }

  openPage(page: Screen): void {
    this.#pages = [...this.#pages, page];
    this.changed('key');
  }

  closePage(page: Screen): void {
    this.#pages = this.#pages.filter((open) => open !== page);
    page.closed?.();
    this.changed('key');
  }

  closePages(): void {
    for (const page of this.#pages) this.closePage(page);
  }

  /** Tells who changes screens; there is one. */
  onGo(told: (id: ScreenId) => void): void {
    this.#onGo = told;
  }

  /** Shows another screen. */
  goTo(id: ScreenId): void {
    this.#onGo(id);
  }

  /** Tells who gives the terminal away; there is one. */
  onLeave(told: (words: readonly string[]) => void): void {
    this.#onLeave = told;
  }

  /** Tells who asks for a password when the server takes the token no more; there is one. */
  onSignedOut(told: () => void): void {
    this.#onSignedOut = told;
  }

  /** Does something that wants the terminal for itself, such as an editor. */
  withTerminal<T>(work: () => Promise<T>): Promise<T> {
    return this.#lend(work);
  }

  /** Gives the terminal to a command for as long as it takes. */
  leaveFor(words: readonly string[]): void {
    this.#onLeave(words);
  }

  /** Tells who draws; there is one. */
  onChange(told: (cause: 'key' | 'data') => void): void {
    this.#onChange = told;
  }

  changed(cause: 'key' | 'data' = 'data'): void {
    this.#onChange(cause);
  }

  get message(): Message | undefined {
    return this.#message;
  }

  get question(): Question | undefined {
    return this.#question;
  }

  /** Calls under way that somebody waits for. */
  get running(): number {
    return this.#running;
  }

  tell(text: Bilingual, { tone = 'plain', command }: { tone?: Message['tone']; command?: string } = {}): void {
    this.#isRefreshFailure = false;
    this.#command = command ?? this.#command;
    this.#message = { tone, text: this.say(text), command };
    this.changed();
  }

  clearMessage(): void {
    this.#message = undefined;
  }

  /** A failure as the command line would report it, with what to do about what the command names. */
  async fail(failure: unknown, command?: string): Promise<void> {
    const { text, isSignedOut } = await this.#described(failure, command);
    this.tell(text, { tone: 'bad', ...(command === undefined ? {} : { command }) });
    // Whatever was refused, it needs a token that the server takes.
    if (isSignedOut) this.#askPassword();
  }

  async #described(failure: unknown, command?: string): Promise<{ text: Bilingual; isSignedOut: boolean }> {
    const { message, code, hint, exitCode, status } = await describeFailure(failure, {
      language: this.context.language,
      url: this.where.host,
      named: command === undefined ? {} : namedByLine(command, this.commands.known),
    });
    const text = `${message} (${code})${hint === undefined ? '' : ` ${this.say(both('Next:', '下一步：'))} ${hint}`}`;
    return { text: both(text, text), isSignedOut: exitCode === exitCodes.notSignedIn && status === 401 };
  }

  /** What a call of the refresh came to: a failure is told once, and forgotten when the server answers again. */
  refreshed(failure: unknown): void {
    if (failure !== undefined) void this.#tellOfRefresh(failure);
    else {
      this.#isPasswordAsked = false;
      if (this.#isRefreshFailure) {
        this.#isRefreshFailure = false;
        this.#message = undefined;
      }
    }
    this.changed();
  }

  /** What somebody was told before stays in view, unless they have to sign in. */
  async #tellOfRefresh(failure: unknown): Promise<void> {
    const seat = this.#seat;
    const { text, isSignedOut } = await this.#described(failure);
    // Somebody has signed in meanwhile.
    if (seat !== this.#seat) return;
    const isAsking = isSignedOut && !this.#isPasswordAsked;
    if (!isAsking && this.#message !== undefined && !this.#isRefreshFailure) return;
    this.tell(text, { tone: 'bad' });
    this.#isRefreshFailure = true;
    if (isAsking) this.#askPassword();
  }

  #askPassword(): void {
    this.#isPasswordAsked = true;
    this.#onSignedOut();
  }

  /** Somebody wants to know anew how the server fares, and is asked for the password again if it is for that. */
  askPasswordAgain(): void {
    this.#isPasswordAsked = false;
  }

  /** Asks the server what has to be known before it goes on: that it is under way is said, and a failure. */
  async find(work: () => Promise<void>): Promise<void> {
    this.#running += 1;
    this.tell(both('working…', '处理中…'));
    try {
      await work();
      this.clearMessage();
    } catch (failure) {
      await this.fail(failure);
    } finally {
      this.#running -= 1;
      this.changed('key');
    }
  }

  /** Does something that changes the server, and says what came of it; `command` does the same on the command line. */
  async act(command: string, work: () => Promise<Bilingual | Verdict>): Promise<void> {
    this.#running += 1;
    this.tell(both('working…', '处理中…'), { command });
    try {
      const done = await work();
      if ('tone' in done) this.tell(done.text, { tone: done.tone, command });
      else this.tell(done, { tone: 'good', command });
    } catch (failure) {
      await this.fail(failure, command);
    } finally {
      this.#running -= 1;
      this.changed();
    }
  }

  /** Asks for a line. */
  ask(label: Bilingual, answer: (text: string) => void, text = ''): void {
    this.#question = { kind: 'line', label: this.say(label), field: fieldOf(text), answer };
    this.changed('key');
  }

  /** Asks whether to go on; any key but y means no. */
  confirm(label: Bilingual, answer: () => void): void {
    this.#question = { kind: 'yes', label: this.say(label), answer };
    this.changed('key');
  }

  /** Goes on only when the very word is written. */
  askFor(word: string, label: Bilingual, answer: () => void): void {
    this.ask(label, (text) => {
      if (text.trim() === word) answer();
      else this.tell(both('nothing was changed', '未做任何更改'));
    });
  }

  /** A key while a question is open. */
  press(press: Press): void {
    const question = this.#question;
    if (question === undefined) return;
    if (press.name === 'Esc' || press.name === 'C-g') {
      this.#question = undefined;
    } else if (question.kind === 'yes') {
      this.#question = undefined;
      if (press.name === 'y' || press.name === 'Y') question.answer();
      else this.tell(both('nothing was changed', '未做任何更改'));
    } else if (press.name === 'Enter') {
      this.#question = undefined;
      question.answer(question.field.text);
    } else {
      question.field = edited(question.field, press);
    }
    this.changed('key');
  }

  /** Puts a text on the clipboard of a terminal that has one (OSC 52). */
  copy(text: string): void {
    this.#control(`\x1b]52;c;${Buffer.from(text).toString('base64')}\x07`);
  }

  /** Puts the command said last on the clipboard. */
  copyCommand(): void {
    const command = this.#command;
    if (command === undefined) {
      this.tell(both('no command was shown yet', '尚无可复制的命令'));
      return;
    }
    this.copy(command);
    this.tell(both(`sent to the clipboard: ${command}`, `已发送到剪贴板：${command}`));
  }
}
