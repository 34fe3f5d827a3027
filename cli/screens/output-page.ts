/** What a command prints, as it comes, to be scrolled through. */
import stringWidth from 'string-width';
import { exitCodes } from '../exit-codes.ts';
import { both } from '../language.ts';
import type { Desk } from './desk.ts';
import type { ActionOf } from './keys.ts';
import { type Size, wrapped } from './layout.ts';
import type { Screen } from './screen.ts';

/** More is nothing that anybody scrolls through. */
const heldLines = 10_000;

export interface OutputDeps {
  readonly desk: Desk;
  /** The command without the program's name. */
  readonly line: string;
  readonly words: readonly string[];
  /** Opens the palette with the line in it. */
  readonly onEdit: (line: string) => void;
}

export class OutputPage implements Screen {
  readonly id = 'output';
  readonly sources = [];
  readonly actions: Readonly<Record<ActionOf<'output'>, () => void>> = {
    back: () => this.#deps.desk.closePage(this),
    edit: () => {
      this.actions.back();
      this.#deps.onEdit(this.#deps.line);
    },
    outside: () => {
      this.actions.back();
      this.#deps.desk.leaveFor(this.#deps.words);
    },
    up: () => this.#scroll(-1),
    down: () => this.#scroll(1),
    'page-up': () => this.#scroll(-this.#height),
    'page-down': () => this.#scroll(this.#height),
    first: () => this.#scroll(Number.NEGATIVE_INFINITY),
    last: () => this.#scroll(Number.POSITIVE_INFINITY),
  };
  readonly #deps: OutputDeps;
  readonly #stop = new AbortController();
  #text = '';
  #ended: number | undefined;
  #top = 0;
  #height = 10;
  #lines: readonly string[] = [];

  constructor(deps: OutputDeps) {
    this.#deps = deps;
  }

  get isBusy(): boolean {
    return this.#ended === undefined;
  }

  closed(): void {
    this.#stop.abort();
  }

  head(): string {
    const { say } = this.#deps.desk;
    const state =
      this.#ended === undefined
        ? say(both('running…', '运行中…'))
        : say(both(`exit code ${this.#ended}`, `退出码 ${this.#ended}`));
    const below = Math.max(0, this.#lines.length - this.#top - this.#height);
    const more =
      below === 0 ? '' : say(both(' · {below} {below:line|lines} below', ' · 下方还有 {below} 行', { below }));
    return `$ tollgate ${this.#deps.line}   ${state}${more}`;
  }

  body({ width, height }: Size): readonly string[] {
    const text = this.#text.replace(/\n$/, '');
    const lines = text === '' ? [] : text.split('\n');
    this.#lines = lines.flatMap((line) => (stringWidth(line) < width ? [` ${line}`] : [...wrapped(line, width - 1)]));
    this.#height = height;
    this.#scroll(0);
    return this.#lines.slice(this.#top, this.#top + height);
  }

  /** Runs it; resolves when it has ended. */
  async run(): Promise<void> {
    const { desk, words } = this.#deps;
    const { environment, signal } = desk.context;
    try {
      this.#ended = await desk.commands.run(words, {
        columns: desk.columns - 1,
        environment,
        signal: AbortSignal.any([signal, this.#stop.signal]),
        onText: (text) => this.#take(text),
      });
    } catch (failure) {
      this.#ended = exitCodes.bug;
      await desk.fail(failure);
    }
    desk.changed();
  }

  #take(text: string): void {
    // What is rewritten in place on a terminal is a line of its own here.
    this.#text += text.replace(/\r(?!\n)/g, '\n');
    const lines = this.#text.split('\n');
    if (lines.length > heldLines) this.#text = lines.slice(-heldLines).join('\n');
    this.#deps.desk.changed();
  }

  #scroll(by: number): void {
    this.#top = Math.max(0, Math.min(this.#top + by, this.#lines.length - this.#height));
  }
}
