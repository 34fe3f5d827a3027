/**
 * The screens for terminals that show lines one after another (cli.md 5.5): no boxes, no second screen, lists as labelled
 * lines, one prompt at a time, and what has changed is said. A line holds the keys that would be pressed.
 */
import { createInterface, type Interface } from 'node:readline';
import { ReadStream } from 'node:tty';
import type { Host } from '../host.ts';
import { both } from '../language.ts';
import type { AllScreens } from './all-screens.ts';
import { wordsOfLine } from './command-words.ts';
import type { Desk } from './desk.ts';
import type { Prompt } from './form.ts';
import { actionAt, bindingsOf } from './keys.ts';
import { besideWidth } from './layout.ts';
import { type Press, singlePresses } from './press.ts';
import type { Refresher } from './refresh.ts';
import type { Screen, TabScreen } from './screen.ts';
import { type ScreenId, screensFor } from './screen-table.ts';

export interface PlainDeps {
  readonly desk: Desk;
  readonly refresher: Refresher;
  readonly screens: AllScreens;
  readonly first: TabScreen;
  readonly input: Host['stdin'];
  readonly output: Host['stdout'];
  /** So long nothing changes before a screen is read out; milliseconds. */
  readonly quietMs?: number;
  /** Runs a command with the terminal for itself. */
  readonly onCommand: (words: readonly string[]) => Promise<void>;
}

/** Lines are asked for at this size; what is longer scrolls away as lines do. */
const size = { width: besideWidth - 1, height: 40 };
const usualQuietMs = 300;
/** Keys that write nothing are called by their names, as the list of keys gives them. */
const namedKeys = ['Enter', 'Esc', 'Up', 'Down', 'Space', 'Tab', 'S-Tab', 'PgUp', 'PgDn', 'Home', 'End'];
const wordsOfKeys = new Map(namedKeys.map((name) => [name.toLowerCase(), name]));
const enter: Press = { name: 'Enter', text: '' };

export class PlainScreens {
  readonly #deps: PlainDeps;
  readonly #lines: Interface;
  #base: TabScreen;
  #shown: Screen | undefined;
  #isOver = false;
  #isInterrupted = false;
  /** What has the terminal for itself, if anything has. */
  #command: Promise<void> | undefined;
  #said: unknown;
  #changed: () => void = () => undefined;

  constructor(deps: PlainDeps) {
    this.#deps = deps;
    this.#lines = createInterface({ input: deps.input, terminal: false });
    this.#base = deps.first;
  }

  /** Reads and answers until somebody leaves. */
  async run(): Promise<'quit' | 'interrupted'> {
    const { desk, refresher } = this.#deps;
    const { signal } = desk.context;
    refresher.pause(true);
    desk.onChange(() => this.#changed());
    desk.onLeave((words) => {
      this.#command = this.#outside(words);
    });
    desk.onGo((id) => this.#open(id));
    const stop = () => this.#lines.close();
    signal.addEventListener('abort', stop, { once: true });
    // What is typed ahead is not lost.
    const typed = this.#lines[Symbol.asyncIterator]();
    try {
      await this.#readOut();
      for await (const line of typed) {
        this.#echo('on');
        if (this.#isInterrupted) return 'interrupted';
        await this.#take(line);
        await this.#command;
        if (this.#isOver) return 'quit';
        await this.#readOut();
      }
      return signal.aborted || this.#isInterrupted ? 'interrupted' : 'quit';
    } finally {
      signal.removeEventListener('abort', stop);
      this.#echo('on');
      this.#lines.close();
    }
  }

  get #screen(): Screen {
    return this.#deps.desk.page ?? this.#base;
  }

  /** A line: an answer where something is asked, else a command behind a colon, a word or keys. */
  async #take(line: string): Promise<void> {
    const { desk } = this.#deps;
    const { form } = this.#screen;
    if (desk.question !== undefined || form !== undefined) {
      const press = (one: Press) => (desk.question === undefined ? form?.press(one) : desk.press(one));
      if (line.trim() === '.') press({ name: 'Esc', text: '' });
      else if (desk.question?.kind === 'yes') press({ name: line.trim().slice(0, 1), text: '' });
      else for (const one of written(line)) press(one);
      return;
    }
    desk.clearMessage();
    if (line.startsWith(':')) return this.#outside(wordsOfLine(line.slice(1)));
    const word = line.trim() === '' ? 'Enter' : wordsOfKeys.get(line.trim().toLowerCase());
    const presses = word === undefined ? singlePresses({ name: '', text: line.trim() }) : [{ name: word, text: '' }];
    for (const one of presses) this.#press(one);
  }

  #press({ name }: Press): void {
    const { desk, refresher } = this.#deps;
    const screen = this.#screen;
    const action = actionAt(bindingsOf(screen.id, desk.where), name);
    const tab = screensFor(desk.where.role).find(({ digit }) => digit === name);
    if (action !== undefined) screen.actions[action]?.();
    else if (tab !== undefined) {
      this.#open(tab.id);
    } else if (name === 'q') this.#isOver = true;
    else if (name === 'r') {
      desk.askPasswordAgain();
      refresher.refresh();
    } else if (name === '?') this.#say(this.#keys());
    else desk.tell(both(`no key ${name}; ? lists them`, `没有按键 ${name}，输入 ? 查看`));
  }

  #open(id: ScreenId): void {
    this.#deps.desk.closePages();
    this.#base = this.#deps.screens[id];
  }

  #keys(): readonly string[] {
    const { desk } = this.#deps;
    const { say } = desk;
    const digits = screensFor(desk.where.role).map(({ digit, title }) => `${digit} ${say(title)}`);
    const own = bindingsOf(this.#screen.id, desk.where).map(({ keys: [key = ''], text }) => `${key} ${say(text)}`);
    return [
      [...digits, ...own].join(', '),
      say(
        both(
          'r reads anew, :COMMAND runs a command, . leaves a question, q leaves',
          'r 重新读取，:命令 运行命令，. 放弃当前输入，q 退出',
        ),
      ),
    ];
  }

  async #outside(words: readonly string[]): Promise<void> {
    this.#lines.pause();
    await this.#deps.onCommand(words);
    this.#lines.resume();
  }

  /** What there is to say once nothing is under way, and what is asked next. */
  async #readOut(): Promise<void> {
    const { desk, refresher } = this.#deps;
    if (this.#shown !== this.#screen) {
      this.#shown?.hidden?.();
      this.#shown = this.#screen;
      refresher.show(this.#screen.sources);
      this.#screen.shown?.();
    }
    await this.#settled();
    const screen = this.#screen;
    if (desk.question === undefined && screen.form === undefined) this.#readScreen(screen);
    this.#tellNews();
    // What a command has printed was read.
    if (screen.id === 'output') desk.closePage(screen);
    const prompt = this.#prompt();
    if (prompt.isSecret) this.#echo('off');
    this.#deps.output.write(`${prompt.text}${prompt.value === '' ? '' : ` [${prompt.value}]`}: `);
  }

  #readScreen(screen: Screen): void {
    const { desk } = this.#deps;
    const tab = screensFor(desk.where.role).find(({ id }) => id === screen.id);
    const title = tab === undefined ? '' : `${desk.say(tab.title)}. `;
    const lines = [`${title}${screen.head()}`, ...screen.body(size)].map((line) => line.trimEnd());
    const text = lines.filter((line) => line !== '').map((line) => line.trimStart());
    // The same is not said twice.
    if (this.#said === text.join('\n')) return;
    this.#said = text.join('\n');
    this.#say(text);
  }

  #tellNews(): void {
    const { message } = this.#deps.desk;
    if (message === undefined) return;
    this.#say([message.text, ...(message.command === undefined ? [] : [`= ${message.command}`])]);
    this.#deps.desk.clearMessage();
  }

  #prompt(): Prompt {
    const { desk } = this.#deps;
    const { question } = desk;
    if (question?.kind === 'yes') return { text: `${question.label} (y/N)`, value: '', isSecret: false };
    if (question !== undefined)
      return { text: question.label.replace(/[:：]$/, ''), value: question.field.text, isSecret: false };
    return this.#screen.form?.prompt() ?? { text: desk.say(both('key', '按键')), value: '', isSecret: false };
  }

  /** Whether the terminal shows what is typed. */
  #echo(state: 'on' | 'off'): void {
    const { input, output } = this.#deps;
    if (!(input instanceof ReadStream) || input.isRaw === (state === 'off')) return;
    input.setRawMode(state === 'off');
    if (state === 'off') {
      input.on('data', this.#heard);
    } else {
      input.off('data', this.#heard);
      output.write('\n');
    }
  }

  /** A terminal that shows nothing of what is typed makes no signal and no end of Ctrl-C and Ctrl-D either. */
  readonly #heard = (chunk: Buffer | string) => {
    const typed = String(chunk);
    this.#isInterrupted ||= typed.includes('\x03');
    if (this.#isInterrupted || typed.includes('\x04')) this.#lines.close();
  };

  #say(lines: readonly string[]): void {
    this.#deps.output.write(`${lines.join('\n')}\n`);
  }

  /** Resolves when no call is under way and nothing has changed for a moment. */
  async #settled(): Promise<void> {
    const { desk, refresher, quietMs = usualQuietMs } = this.#deps;
    for (;;) {
      const isBusy = desk.running > 0 || refresher.isBusy || this.#screen.isBusy === true;
      const isChanged = await new Promise<boolean>((resolve) => {
        const timer = setTimeout(() => resolve(false), quietMs);
        this.#changed = () => {
          clearTimeout(timer);
          resolve(true);
        };
      });
      if (desk.context.signal.aborted || (!isBusy && !isChanged)) return;
    }
  }
}

/** A whole text in place of what stands there; an empty line leaves it as it is. */
function written(line: string): readonly Press[] {
  const text = line.replace(/[^\x7f]?\x7f/g, '');
  if (text === '') return [enter];
  return [{ name: 'C-e', text: '' }, { name: 'C-u', text: '' }, { name: '', text }, enter];
}
