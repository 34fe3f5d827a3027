/**
 * What a command works with: language, streams, the printer, the typed client of the chosen server, built when first asked for.
 * Nothing here loads the contract until a command really calls the server.
 */
import type { Client, PreparedCall } from '../daemon/contract/client.ts';
import { DryRun, NotSent, unsentNote } from './dry-run.ts';
import type { FetchOptions } from './fetch.ts';
import type { ItemWishes } from './flags.ts';
import { Forms, type FormWishes, instantText, type SiteFacts, wishedZone } from './forms.ts';
import { noSubjects, type Subjects } from './hint-words.ts';
import type { Host } from './host.ts';
import { GivenTexts } from './input/given.ts';
import { parseMoney } from './input/money.ts';
import { parseTime, timerMs } from './input/time.ts';
import { type Bilingual, chooseLanguage, type Language } from './language.ts';
import { Printer, type PrintWishes } from './output/printer.ts';
import type { ResultFile } from './output/result-file.ts';
import { openResultFile } from './output/unfinished-files.ts';
import { endingSoon, type Preferences, refusePlain, resolveTarget, type Target, writeGuard } from './profile.ts';
import type { Progress } from './progress.ts';
import { Repetition } from './repetition.ts';
import { type Output, openOutput, type StreamOutput } from './streams.ts';
import { describeTerminal, disarm, paint, type Terminal } from './terminal.ts';
import { Unanswered } from './unanswered.ts';
import { version } from './version.ts';

/** Flags that every command takes (cli.md 1.4), as commander hands them over. */
export interface CommonFlags extends PrintWishes, FormWishes, ItemWishes {
  profile?: string;
  url?: string;
  caFile?: string;
  color?: string;
  input?: boolean;
  lang?: string;
  debug?: boolean;
  yes?: boolean;
  confirm?: string;
  dryRun?: boolean;
  /** `--dry-run` of a command that has none of its own: its writes are held back. */
  unsent?: boolean;
  idempotencyKey?: string;
  timeout?: string;
}

/** What a command runs in. */
export interface Surroundings {
  readonly environment: NodeJS.ProcessEnv;
  readonly host: Host;
  readonly signal: AbortSignal;
  /** Those of the profile; none when absent. */
  readonly preferences?: Preferences;
  readonly subjects?: Subjects;
}

export class CommandContext {
  readonly flags: CommonFlags;
  readonly environment: NodeJS.ProcessEnv;
  readonly host: Host;
  readonly language: Language;
  readonly subjects: Subjects;
  readonly terminal: Terminal;
  readonly printer: Printer;
  readonly #forms: Forms;
  /** Aborted by the first Ctrl-C or SIGTERM, and when the time of `--timeout` is over. */
  readonly signal: AbortSignal;
  readonly #outOfTime = new AbortController();
  #limit: NodeJS.Timeout | undefined;
  readonly #streams: StreamOutput;
  #file: ResultFile | undefined;
  readonly #dryRun: DryRun | undefined;
  readonly unanswered = new Unanswered();
  /** How long one answer may take. */
  answerMs = 30_000;
  readonly repetition = new Repetition(this);
  #progress: Progress | undefined;
  readonly #given: GivenTexts;
  #target: Promise<Target> | undefined;
  /** True once a call bears a token that was handed in, not the one in use. */
  #isOtherToken = false;
  #client: Promise<Client> | undefined;
  #site: Promise<SiteFacts> | undefined;

  constructor(flags: CommonFlags, { environment, host, signal, preferences = {}, subjects }: Surroundings) {
    this.flags = flags;
    this.subjects = subjects ?? noSubjects;
    this.environment = environment;
    this.host = host;
    this.signal = AbortSignal.any([signal, this.#outOfTime.signal]);
    this.language = chooseLanguage({ flag: flags.lang, profile: preferences.lang }, environment);
    this.terminal = describeTerminal(flags, environment, host);
    this.#streams = openOutput(host);
    this.#given = new GivenTexts({
      sources: { stdin: host.stdin, environment, signal: this.signal },
      terminal: this.terminal.stdin ? host.stderr : undefined,
      note: (text) => this.note(this.say(text)),
    });
    this.#dryRun = flags.unsent === true ? new DryRun() : undefined;
    const zone = wishedZone(flags.tz, environment.TOLLGATE_TZ, preferences.tz);
    this.#forms = new Forms({
      wishes: flags,
      zone,
      language: this.language,
      format: () => this.printer.format,
      site: () => this.site(),
    });
    this.printer = this.printerOf(flags);
  }

  /** Aborts the signal after so many seconds, or the weeks that a timer can count. */
  limitTime(seconds: number): void {
    const ms = timerMs(seconds);
    this.answerMs = Math.max(this.answerMs, ms);
    this.#limit = setTimeout(() => this.#outOfTime.abort(), ms).unref();
  }

  /** Limits the time no longer: a result is there, and is read for as long as that takes. */
  unlimitTime(): void {
    clearTimeout(this.#limit);
  }

  get isOutOfTime(): boolean {
    return this.#outOfTime.signal.aborted;
  }

  /** Opens the file of `--out`, if there is one. Throws exit 3 and 12. */
  async openResult(): Promise<void> {
    const { out, force = false } = this.flags;
    if (out !== undefined) this.#file = await openResultFile(this, out, { force });
  }

  /** Puts what was printed into its file. */
  async closeResult(): Promise<void> {
    await this.#file?.close();
  }

  /** Does the command's work; that of a dry run ends with the calls that were held back. */
  async perform(work: (context: CommandContext) => Promise<void>): Promise<void> {
    const dryRun = this.#dryRun;
    if (dryRun === undefined) return work(this);
    try {
      await work(this);
    } catch (error) {
      if (!(error instanceof NotSent)) throw error;
    }
    // Columns, fields and ids are wished of the result that never came.
    const { columns: _columns, json, quiet: _quiet, ...wishes } = this.flags;
    const printer = this.#printerOver(this.#result, { ...wishes, ...(json === undefined ? {} : { json: '' }) });
    if (await dryRun.print(this.#result, printer)) this.note(this.say(unsentNote));
  }

  /** What `--dry-run` does before a call of the typed client. Throws `NotSent` for a write, and what is wrong with it. */
  async beforeCall(call: PreparedCall): Promise<void> {
    await this.#dryRun?.check(call);
  }

  /** The same before a write that is not the typed client's. */
  async beforeWrite(call: { method: string; path: string; body: string | undefined }): Promise<void> {
    await this.#dryRun?.hold(call);
  }

  /** Where results go. */
  get #result(): Output {
    return {
      write: (text) => {
        this.#progress?.clear();
        return (this.#file ?? this.#streams).write(text);
      },
      done: () => (this.#file ?? this.#streams).done(),
    };
  }

  /** Writes a result that is no text. */
  async writeResult(pieces: AsyncIterable<Uint8Array>): Promise<void> {
    for await (const piece of pieces) await (this.#file ?? this.#streams).write(piece);
    this.#result.done();
  }

  /** Writes what is no text to standard output. */
  writeBytes(bytes: Uint8Array): Promise<void> {
    this.#progress?.clear();
    return this.#streams.write(bytes);
  }

  /** A printer with other wishes than the flags say, over the same streams. */
  printerOf(wishes: PrintWishes): Printer {
    if (this.#dryRun === undefined) return this.#printerOver(this.#result, wishes);
    return this.#printerOver(this.#dryRun.output, { ...wishes, pager: false });
  }

  #printerOver(output: Output, wishes: PrintWishes): Printer {
    const { terminal } = this;
    return new Printer({
      output,
      terminal,
      wishes,
      forms: () => this.#forms.members(),
      prepareCells: (cells) => this.#forms.prepareCells(cells),
      headings: { language: this.language, zone: () => this.#forms.clockZone },
      page: async (text) => (await import('./output/pager.ts')).showPaged(text, this),
    });
  }

  /** The server and credential in use. */
  target(): Promise<Target> {
    this.#target ??= resolveTarget(this.flags, this.environment);
    return this.#target;
  }

  /** Where the token in use came from; undefined without one, and where the command has tried another. */
  async tokenSource(): Promise<Bilingual | undefined> {
    return this.#isOtherToken ? undefined : (await this.target()).tokenSource;
  }

  /** The server to sign in to: a `--profile` that is not there yet is the one to be made. */
  signInTarget(): Promise<Target> {
    this.#target ??= resolveTarget({ ...this.flags, unknownProfile: 'to be made' }, this.environment);
    return this.#target;
  }

  /** The typed client with the profile's or the environment's credential. */
  client(): Promise<Client> {
    this.#client ??= this.target().then((target) => {
      const soon = endingSoon(target, Date.now());
      if (soon !== undefined) this.note(this.say(soon));
      return this.clientFor(target.url, target.token);
    });
    return this.#client;
  }

  /** Refuses an address that would carry a secret in the clear to another machine. Throws exit 3. */
  async refusePlain(url: string): Promise<void> {
    refusePlain(url, (await this.target()).settings);
  }

  /** What throws exit 5 in place of a write, in a profile that is for reading only. */
  async readingOnly(): Promise<(() => never) | undefined> {
    return writeGuard(await this.target());
  }

  /** A client for an address, with or without a token. Refuses to send a token over plain http to another machine. */
  async clientFor(url: string, token: string | undefined): Promise<Client> {
    const { settings, token: inUse } = await this.target();
    this.#isOtherToken ||= token !== undefined && token !== inUse;
    if (token !== undefined) await this.refusePlain(url);
    const { createClient } = await import('../daemon/contract/client.ts');
    const { fetchFor } = await import('./fetch.ts');
    const refuseWrite = token === undefined ? undefined : await this.readingOnly();
    return createClient({
      baseUrl: url,
      fetch: await fetchFor({ ...this.wire, caFile: settings.ca_file }),
      beforeCall: async (call) => {
        await this.beforeCall(call);
        await this.unanswered.tell(call);
        // Many questions are posted, such as the plan of a document.
        if (refuseWrite !== undefined && (await import('./held-calls.ts')).isHeldBack(call)) refuseWrite();
      },
      ...this.repetition.client,
      timeoutMs: this.answerMs,
      language: () => this.language,
      userAgent: `tollgate-cli/${version}`,
      credentials: () => (token === undefined ? {} : { accessToken: token }),
    });
  }

  /** How calls go out: cut off with the command, told with `--debug`, and remembered while they have no answer. */
  get wire(): Pick<FetchOptions, 'environment' | 'signal' | 'onWrite' | 'onCall'> {
    const { environment, signal, traced } = this;
    return { environment, signal, onWrite: (call) => this.unanswered.send(call), ...traced };
  }

  get isDebugged(): boolean {
    return this.flags.debug === true || (this.environment.TOLLGATE_DEBUG ?? '') !== '';
  }

  /** What `--debug` adds to calls: a line each on standard error. */
  get traced(): { onCall?(call: string): void } {
    return this.isDebugged ? { onCall: (call) => this.#talk(call) } : {};
  }

  /** What `GET /api/status` says about money and days. */
  site(): Promise<SiteFacts> {
    this.#site ??= this.client().then(async (client) => {
      const status = await client.status.get({});
      return {
        quotaPerUnit: status.quota_per_unit,
        inCurrency: status.display_in_currency,
        timeZone: status.time_zone,
      };
    });
    return this.#site;
  }

  /** Whole units of a money word. */
  async money(text: string, field: string): Promise<number> {
    return parseMoney(text, (await this.site()).quotaPerUnit, field);
  }

  /** An amount as sentences say it. */
  moneyText(): Promise<(units: number) => string> {
    return this.#forms.moneyText();
  }

  /** An amount as a cell shows it. */
  moneyCells(): (units: number) => string | number {
    return this.#forms.moneyCells();
  }

  /** Unix seconds of a time word. */
  async instant(text: string, direction: 'past' | 'future', field: string): Promise<number> {
    const zone = await this.#forms.zone();
    const seconds = parseTime(text, { now: Math.floor(Date.now() / 1000), zone, direction, field });
    // What is to be in the future is written down somewhere.
    if (direction === 'future') this.note(`${field}: ${instantText(seconds)}`);
    return seconds;
  }

  /** How a unix second is printed. */
  timeText(seconds: number): string | number {
    return this.#forms.timeText(seconds);
  }

  /** The same without the day, and what a clock on the wall shows; made ready for what no printer prints. */
  get clocks(): Pick<Forms, 'clockText' | 'wallClockText' | 'prepareClocks' | 'prepareTimes'> {
    return this.#forms;
  }

  /** How the unix second of something that has happened is printed. */
  agoText(seconds: number): string | number {
    return this.#forms.agoText(seconds);
  }

  /** A text, list or JSON argument from wherever it stands. */
  value(text: string, field: string): Promise<string> {
    return this.#given.value(text, field);
  }

  /** A secret; one written on the command line works with a warning. */
  secret(text: string, field: string): Promise<string> {
    return this.#given.secret(text, field);
  }

  /** One of the two texts. */
  say(text: Bilingual): string {
    return text[this.language];
  }

  /** What the program ends with when the command is done; a thrown failure names its own code. */
  endWith(code: number): void {
    this.host.exitCode = code;
  }

  /** A line of talk on standard error; silent with `-q`. */
  note(text: string): void {
    if (!this.flags.quiet) this.#talk(text);
  }

  /** A line on standard error that cannot be had again, so even `-q` says it. */
  tell(text: Bilingual): void {
    this.#talk(this.say(text));
  }

  /** Begins to tell how far the command is, where it takes long; what was told before ends. */
  async startProgress(unit: 'items' | 'bytes' | 'seconds'): Promise<Progress> {
    const { Progress: Teller } = await import('./progress.ts');
    this.endProgress();
    const { language, terminal, host } = this;
    const isRewritable = terminal.stderr && this.environment.TERM !== 'dumb';
    const form = this.flags.quiet ? 'none' : isRewritable ? 'rewritten' : 'lines';
    return (this.#progress = new Teller({ stderr: host.stderr, form, unicode: terminal.unicode, language, unit }));
  }

  /** Begins to tell that an answer is waited for, unless more than that is told already; what it returns ends it. */
  async startWaiting(): Promise<() => void> {
    if (this.#progress !== undefined) return () => undefined;
    const waiting = await this.startProgress('seconds');
    return () => {
      if (this.#progress === waiting) this.endProgress();
    };
  }

  /** Says no more how far the command is. */
  endProgress(): void {
    this.#progress?.end();
    this.#progress = undefined;
  }

  /** A line on standard error, in place of one that says how far the command is; some of it may be the server's words. */
  #talk(line: string): void {
    this.#progress?.clear();
    this.host.stderr.write(`${disarm(line)}\n`);
  }

  /** The one line that says what a write changed. */
  done(text: Bilingual): void {
    const mark = this.terminal.unicode ? '✓' : '[ok]';
    this.note(`${paint(mark, 'green', this.terminal.colour.stderr)} ${this.say(text)}`);
  }
}
