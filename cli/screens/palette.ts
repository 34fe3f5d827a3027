/** The palette: any command by letters of its name, run inside with its output scrolled, or on the terminal itself. */
import { both } from '../language.ts';
import { commandOfLine, foundCommands, type KnownCommand, wordsOfLine } from './command-words.ts';
import { needsTerminal } from './commands.ts';
import type { Desk } from './desk.ts';
import type { Form, Prompt } from './form.ts';
import { cell, type Size } from './layout.ts';
import { OutputPage } from './output-page.ts';
import type { Press } from './press.ts';
import type { Screen } from './screen.ts';
import { drawn, edited, fieldOf, type TextField } from './text-field.ts';

const keyWords = [
  both('↑↓ choose', '↑↓ 选择'),
  both('Tab complete', 'Tab 补全'),
  both('Enter run', 'Enter 运行'),
  both('Ctrl-O run on the terminal', 'Ctrl-O 在终端中运行'),
  both('Esc leave', 'Esc 离开'),
];

export class Palette implements Screen, Form {
  readonly id = 'palette';
  readonly sources = [];
  readonly actions = {};
  readonly #desk: Desk;
  #field: TextField;
  #at = 0;
  #width = 80;

  constructor(desk: Desk, line = '') {
    this.#desk = desk;
    this.#field = fieldOf(line);
  }

  head(): string {
    return `: ${drawn(this.#field, this.#width - 5)}`;
  }

  /** It takes every key. */
  get form(): Form {
    return this;
  }

  /** A command that was not run is nothing that would be lost. */
  get isDirty(): boolean {
    return false;
  }

  prompt(): Prompt {
    const text = this.#desk.say(both('command', '命令'));
    return { text, value: this.#field.text, isSecret: false };
  }

  keys(): readonly string[] {
    return keyWords.map(this.#desk.say);
  }

  body(size: Size): readonly string[] {
    return this.lines(size);
  }

  lines({ width, height }: Size): readonly string[] {
    this.#width = width;
    const { say } = this.#desk;
    const typed = this.#typed;
    if (typed !== undefined) {
      const { path, usage, summary } = typed;
      return [` ${path} ${usage}`, '', ` ${summary}`, '', ` ${say(both('-h lists its flags', '-h 列出其参数'))}`];
    }
    const found = this.#found;
    if (found.length === 0) return [` ${say(both('no such command', '没有这样的命令'))}`];
    const top = Math.max(0, this.#at - height + 1);
    return found
      .slice(top, top + height)
      .map(({ path, summary }, at) => cell(`${top + at === this.#at ? '>' : ' '} ${cell(path, 28)} ${summary}`, width));
  }

  press(press: Press): void {
    switch (press.name) {
      case 'Esc':
        this.#desk.closePage(this);
        break;
      case 'Up':
        this.#at = Math.max(0, this.#at - 1);
        break;
      case 'Down':
        this.#at = Math.min(this.#found.length - 1, this.#at + 1);
        break;
      case 'Tab':
        this.#complete();
        break;
      case 'Enter':
        this.#go('inside');
        break;
      case 'C-o':
        this.#go('outside');
        break;
      default:
        this.#field = edited(this.#field, press);
        this.#at = 0;
    }
  }

  /** The command that is written out. */
  get #typed(): KnownCommand | undefined {
    return commandOfLine(this.#words, this.#desk.commands.known);
  }

  get #words(): readonly string[] {
    const words = wordsOfLine(this.#field.text);
    return words[0] === 'tollgate' ? words.slice(1) : words;
  }

  get #found(): readonly KnownCommand[] {
    return foundCommands(this.#words.join(' '), this.#desk.commands.known);
  }

  #complete(): void {
    const chosen = this.#typed === undefined ? this.#found[this.#at] : undefined;
    if (chosen !== undefined) this.#field = fieldOf(`${chosen.path} `);
  }

  #go(where: 'inside' | 'outside'): void {
    const typed = this.#typed;
    const chosen = typed ?? this.#found[this.#at];
    if (chosen === undefined) return;
    // What still wants a word is written out, for that word to be added.
    if (typed === undefined && chosen.usage.includes('<')) {
      this.#complete();
      return;
    }
    const words = typed === undefined ? chosen.path.split(' ') : this.#words;
    const line = typed === undefined ? chosen.path : this.#field.text.trim().replace(/^tollgate\s+/, '');
    this.#desk.closePage(this);
    if (where === 'outside' || needsTerminal(chosen.path)) this.#desk.leaveFor(words);
    else openOutput(this.#desk, { line, words });
  }
}

/** Runs a command inside and shows what it prints. */
export function openOutput(
  desk: Desk,
  { line, words = wordsOfLine(line) }: { readonly line: string; readonly words?: readonly string[] },
): void {
  const page = new OutputPage({ desk, line, words, onEdit: (text) => desk.openPage(new Palette(desk, text)) });
  desk.openPage(page);
  void page.run();
}
