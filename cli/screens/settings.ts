/** The screen of settings: every option by key, label, section or value; edited by its type, shown as a change, then saved. */
import type { ListedOption, OptionKey } from '../../daemon/contract/options.ts';
import { editText } from '../commands/option-edit.ts';
import { refuseNoSecret } from '../commands/option-secret.ts';
import { both } from '../language.ts';
import { quoted } from './command-words.ts';
import type { Desk, Question } from './desk.ts';
import type { Form } from './form.ts';
import type { ActionOf } from './keys.ts';
import type { Size } from './layout.ts';
import { ListView } from './list-view.ts';
import { openOutput } from './palette.ts';
import { RecordForm } from './record-form.ts';
import type { Refresher, Source } from './refresh.ts';
import type { Screen } from './screen.ts';
import { changeLines, type SettingRow, settingColumns, settingDetail, shownValue } from './setting-lines.ts';

/** A value that is not saved yet; null puts an option back to its default. */
interface Draft {
  readonly row: SettingRow;
  readonly value: string | null;
}

export class SettingsScreen implements Screen {
  readonly id = 'settings';
  readonly #view = new ListView<SettingRow>({
    keyOf: (row) => row.key,
    turned: () => undefined,
    left: () => this.#search(''),
  });
  readonly #list = this.#view.list;
  readonly sources: readonly Source[] = [{ kind: 'settings', periodMs: 60_000, call: () => this.#load() }];
  readonly actions: Readonly<Record<ActionOf<'settings'>, () => void>> = {
    ...this.#view.actions,
    filter: () => {
      const label = both('key, label, section or value:', '键名、名称、分区或值：');
      this.#desk.ask(label, (line) => this.#search(line), this.#text);
    },
    edit: () => this.#edit(),
    unset: () => {
      const { current } = this.#list;
      if (current !== undefined) this.#review({ row: current, value: null });
    },
    profiles: () => openOutput(this.#desk, { line: 'profile list' }),
    doctor: () => openOutput(this.#desk, { line: 'doctor' }),
  };
  form: Form | undefined;
  readonly #desk: Desk;
  readonly #refresher: Refresher;
  #all: readonly SettingRow[] = [];
  #text = '';
  /** What is asked about, with its question: others are asked over the list. */
  #asked: { readonly draft: Draft; readonly question: Question | undefined } | undefined;
  /** What an editor left that could not be saved: the next edit goes on with it. */
  #refused: Draft | undefined;

  constructor(desk: Desk, refresher: Refresher) {
    this.#desk = desk;
    this.#refresher = refresher;
  }

  head(): string {
    const { say } = this.#desk;
    const filter = this.#text === '' ? say(both('no filter', '未筛选')) : this.#text;
    const { total } = this.#list;
    const changed = this.#all.filter((row) => row.changed).length;
    return say(
      both(
        'filter: {filter}   {total} {total:option|options} · {changed} changed',
        '筛选：{filter}   共 {total} 项 · {changed} 项已修改',
        { filter, total, changed },
      ),
    );
  }

  body(size: Size): readonly string[] {
    // What is asked about is what stands here.
    const { question } = this.#desk;
    if (question !== undefined && question === this.#asked?.question)
      return changeLines(this.#desk, this.#asked.draft, size);
    return this.#view.lines(this.#desk, {
      columns: settingColumns(this.#desk),
      size,
      detail: (row, room) => settingDetail(this.#desk, row, room),
    });
  }

  async #load(): Promise<void> {
    const { isOptionKey, optionTable } = await import('../../daemon/contract/options.ts');
    const rows = await this.#desk.client.options.list();
    this.#all = rows.flatMap((row) => (isOptionKey(row.key) ? [rowOf(row, optionTable[row.key])] : []));
    this.#show();
  }

  #search(line: string): void {
    this.#text = line.trim();
    this.#list.restart();
    this.#show();
  }

  #show(): void {
    const wanted = this.#text.toLowerCase();
    const fits = ({ key, label, section, value }: SettingRow) =>
      [key, label.en, label.zh, section, value].some((text) => text.toLowerCase().includes(wanted));
    this.#list.show(wanted === '' ? this.#all : this.#all.filter(fits));
  }

  #edit(): void {
    const { current: row } = this.#list;
    if (row === undefined) return;
    const { form, key, value, isSecret } = row;
    if (isSecret) this.#openForm(row);
    else if (form === 'boolean') this.#review({ row, value: value === 'true' ? 'false' : 'true' });
    else if (form === 'json' || form === 'list' || form === 'text' || form === 'lines') void this.#editText(row);
    else this.#desk.ask(both(`${key}:`, `${key}：`), (text) => this.#review({ row, value: text }), value);
  }

  async #editText(row: SettingRow): Promise<void> {
    const { form, key, value } = row;
    const ending = form === 'json' || form === 'list' ? '.json' : '.txt';
    const begun = (this.#refused?.row.key === key ? this.#refused.value : undefined) ?? value;
    try {
      const text = await this.#desk.withTerminal(() => editText(this.#desk.context, begun, ending));
      // The editor's last line has its end, whether the value has it or not.
      const draft = { row, value: text === value.replace(/\n$/, '') ? value : text };
      if (ending === '.txt' || isJson(draft.value)) this.#review(draft);
      else {
        this.#refused = draft;
        const told = both(`${key}: this is no JSON; e goes on with it`, `${key}：不是有效的 JSON；按 e 继续编辑`);
        this.#desk.tell(told, { tone: 'bad' });
      }
    } catch (failure) {
      await this.#desk.fail(failure);
    }
  }

  /** A secret is written unseen, and not compared with the one before, which nobody can read. */
  #openForm(row: SettingRow): void {
    this.form = new RecordForm<'value'>({
      desk: this.#desk,
      title: both(`${row.key}: ${row.label.en}`, `${row.key}：${row.label.zh}`),
      fields: [{ name: 'value', label: both('New value', '新值'), hint: both('', ''), isSecret: true }],
      command: () => `tollgate option set ${row.key} -`,
      save: async (words) => {
        refuseNoSecret(row.key, words('value'));
        return this.#set({ row, value: words('value') });
      },
      onEnd: () => {
        this.form = undefined;
        this.#desk.changed('key');
      },
    });
  }

  /** Compares with the value that stands now: the list may be a minute old, and an editor open for an hour. */
  #review({ row: seen, value }: Draft): void {
    let now: SettingRow | undefined;
    const read = this.#desk.find(async () => {
      await this.#load();
      now = this.#all.find(({ key }) => key === seen.key);
    });
    void read.then(() => {
      if (now !== undefined) this.#askFor({ row: now, value }, now.value !== seen.value);
    });
  }

  /** Shows what would change, and asks. */
  #askFor(draft: Draft, isOther: boolean): void {
    const { row, value } = draft;
    const { updated_by: by } = row;
    const other = isOther ? both(`Changed meanwhile by ${by}. `, `期间已被 ${by} 修改。`) : both('', '');
    if (value === row.value || (value === null && !row.changed)) {
      this.#desk.tell(both(`${other.en}nothing was changed`, `${other.zh}未做任何更改`));
      return;
    }
    const { key } = row;
    const question =
      row.class === 'root'
        ? both(
            `${other.en}${key} can change who gets in and who is paid. Save?`,
            `${other.zh}${key} 影响登录或收款，确认保存？`,
          )
        : both(`${other.en}Save ${key}?`, `${other.zh}保存 ${key}？`);
    const command = value === null ? `tollgate option unset ${key}` : `tollgate option set ${key} ${quoted(value)}`;
    this.#desk.confirm(question, () => void this.#desk.act(command, () => this.#set(draft)));
    this.#asked = { draft, question: this.#desk.question };
  }

  async #set(draft: Draft) {
    const {
      row: { key, isSecret, value: seen },
      value,
    } = draft;
    if (!isSecret) this.#refused = draft;
    // What somebody else has saved while this was asked about is not replaced unseen.
    const expected = isSecret ? {} : { expected: seen };
    const { message } = await this.#desk.client.options.set({ key, value, ...expected });
    this.#refused = undefined;
    this.#refresher.refresh();
    const shown = isSecret ? '***' : shownValue(value ?? '');
    const warning = message === '' ? '' : ` (${message})`;
    return value === null
      ? both(`${key} is back to its default${warning}`, `${key} 已恢复默认值${warning}`)
      : both(`${key} = ${shown}${warning}`, `${key} = ${shown}${warning}`);
  }
}

function isJson(text: string): boolean {
  try {
    // Nothing stands for an empty list or object.
    JSON.parse(text.trim() || '[]');
    return true;
  } catch {
    return false;
  }
}

type TableEntry = typeof import('../../daemon/contract/options.ts')['optionTable'][OptionKey];

function rowOf(row: ListedOption, { form, label, secret }: Pick<TableEntry, 'form' | 'label' | 'secret'>): SettingRow {
  return { ...row, form, label, isSecret: secret };
}
