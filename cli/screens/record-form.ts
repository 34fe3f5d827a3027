/** One thing as a form of lines: its fields, the one that is written in, and the call that makes or changes it. */
import { type Bilingual, both } from '../language.ts';
import { quoted } from './command-words.ts';
import type { Desk } from './desk.ts';
import type { Form, Prompt } from './form.ts';
import { cell, type Size } from './layout.ts';
import type { Press } from './press.ts';
import { drawn, edited, fieldOf, type LineBreak, type TextField } from './text-field.ts';

export interface FormField<Name extends string> {
  readonly name: Name;
  readonly label: Bilingual;
  /** What may stand there; by what stands elsewhere, where it depends on that. */
  readonly hint: Bilingual | ((words: Words<Name>) => Bilingual);
  /** What stands there at the beginning. */
  readonly text?: string;
  /** Drawn as dots. */
  readonly isSecret?: true;
  /** What a pasted line break becomes; a space when absent. */
  readonly lineBreak?: LineBreak;
}

/** What stands in each field. */
export type Words<Name extends string> = (name: Name) => string;

export interface RecordFormDeps<Name extends string> {
  readonly desk: Desk;
  readonly title: Bilingual;
  readonly fields: readonly FormField<Name>[];
  /** The field to begin with; the first of all when absent. */
  readonly first?: Name;
  /** Sends it. Rejects where it is refused, and the form stays. */
  readonly save: (words: Words<Name>) => Promise<Bilingual>;
  /** The command that does the same, without secrets. */
  readonly command: (words: Words<Name>) => string;
  /** Told when the form is closed, saved or not. */
  readonly onEnd: () => void;
}

const labelWidth = 14;
const room = 30;
const keyWords = [both('↑↓ field', '↑↓ 切换字段'), both('Ctrl-S save', 'Ctrl-S 保存'), both('Esc leave', 'Esc 离开')];

export class RecordForm<Name extends string> implements Form {
  readonly #deps: RecordFormDeps<Name>;
  readonly #texts = new Map<Name, TextField>();
  #at = 0;
  #isSending = false;
  readonly #words: Words<Name> = (name) => this.#texts.get(name)?.text.trim() ?? '';

  constructor(deps: RecordFormDeps<Name>) {
    this.#deps = deps;
    for (const { name, text = '' } of deps.fields) this.#texts.set(name, fieldOf(text));
    this.#at = Math.max(
      0,
      deps.fields.findIndex(({ name }) => name === deps.first),
    );
  }

  get isDirty(): boolean {
    return this.#deps.fields.some(({ name, text = '' }) => this.#texts.get(name)?.text !== text);
  }

  keys(): readonly string[] {
    return keyWords.map(this.#deps.desk.say);
  }

  press(press: Press): void {
    if (this.#isSending) return;
    const { desk, fields, onEnd } = this.#deps;
    const go = (by: number) => {
      this.#at = (this.#at + by + fields.length) % fields.length;
    };
    if (press.name === 'C-s' || (press.name === 'Enter' && this.#at === fields.length - 1)) void this.#save();
    else if (press.name === 'Up' || press.name === 'S-Tab') go(-1);
    else if (['Down', 'Tab', 'Enter'].includes(press.name)) go(1);
    else if (press.name !== 'Esc') this.#write(press);
    else if (this.isDirty) desk.confirm(both('Leave without saving?', '尚未保存，确定离开？'), onEnd);
    else onEnd();
  }

  #write(press: Press): void {
    const described = this.#deps.fields[this.#at];
    const field = described && this.#texts.get(described.name);
    if (described && field) this.#texts.set(described.name, edited(field, press, described.lineBreak));
  }

  async #save(): Promise<void> {
    const { desk, save, command, onEnd } = this.#deps;
    this.#isSending = true;
    await desk.act(command(this.#words), async () => {
      const done = await save(this.#words).catch((failure: unknown) => {
        this.#turnTo(fieldNamedBy(failure));
        throw failure;
      });
      onEnd();
      return done;
    });
    this.#isSending = false;
    desk.changed('key');
  }

  /** Goes to the field that was refused. Line by line there is no way back to one, so all are asked again. */
  #turnTo(refused: string | undefined): void {
    const { desk, fields } = this.#deps;
    const at = refused === undefined ? -1 : fields.findIndex(({ name }) => bare(name) === bare(refused));
    if (at >= 0) this.#at = at;
    else if (desk.isPlain) this.#at = 0;
  }

  prompt(): Prompt {
    const { desk, fields } = this.#deps;
    const field = fields[this.#at];
    if (field === undefined) return { text: '', value: '', isSecret: false };
    const { name, label, isSecret = false } = field;
    const hint = this.#hintOf(field);
    const text = hint === '' ? desk.say(label) : `${desk.say(label)} (${hint})`;
    const word = this.#words(name);
    return { text, value: isSecret && word !== '' ? '***' : word, isSecret };
  }

  #hintOf({ hint }: FormField<Name>): string {
    return this.#deps.desk.say(typeof hint === 'function' ? hint(this.#words) : hint);
  }

  lines({ width, height }: Size): readonly string[] {
    const { desk, title, fields } = this.#deps;
    const lines = fields.map((described, at) => {
      const { name, label, isSecret } = described;
      const field = this.#texts.get(name) ?? fieldOf();
      const shown = isSecret === true ? { ...field, text: field.text.replace(/./gsu, '•') } : field;
      const text = at === this.#at ? drawn(shown, room) : shown.text;
      const words = `${cell(desk.say(label), labelWidth)} ${cell(text, room)}  ${this.#hintOf(described)}`;
      return cell(`${at === this.#at ? '>' : ' '}  ${words}`, width);
    });
    const top = Math.max(0, this.#at - (height - 3));
    return [` ${desk.say(title)}`, '', ...lines.slice(top)];
  }
}

/** Words that say something else than the fields did at the beginning; of something new, those that say anything. */
export function changedWords<Name extends string>(
  words: Words<Name>,
  fields: readonly FormField<Name>[],
  isNew: boolean,
): readonly { readonly name: Name; readonly word: string }[] {
  return fields.flatMap(({ name, text = '' }) => {
    const word = words(name);
    return word === (isNew ? '' : text) ? [] : [{ name, word }];
  });
}

/** A command with the flags of those words. */
export function commandWith<Name extends string>(
  command: string,
  changed: ReturnType<typeof changedWords<Name>>,
  flagNames: Readonly<Record<Name, string>>,
): string {
  const flags = changed.map(({ name, word }) => `${flagNames[name]} ${quoted(word)}`);
  return [command, ...flags].join(' ');
}

/** The field that a refusal is about, as the server names it or the flag of a command; undefined where it names none. */
function fieldNamedBy(failure: unknown): string | undefined {
  return failure instanceof Error && 'field' in failure && typeof failure.field === 'string'
    ? failure.field
    : undefined;
}

/** `base_url`, `--base-url` and `baseUrl` are one field. */
function bare(name: string): string {
  return name.replace(/[^a-z0-9]/gi, '').toLowerCase();
}
