/** How the screen of settings looks: the list, one option close up, and a change before it is saved. */
import type { ListedOption } from '../../daemon/contract/options.ts';
import type { OptionForm } from '../../daemon/contract/options-entry.ts';
import { type Bilingual, both } from '../language.ts';
import type { Desk } from './desk.ts';
import { cell, type ListColumn, labelled, oneLine, type Size, wrapped } from './layout.ts';

export interface SettingRow extends ListedOption {
  readonly form: OptionForm;
  readonly label: Bilingual;
  readonly isSecret: boolean;
}

/** A value as one line. */
export function shownValue(value: string): string {
  return oneLine(value).replace(/\s+/g, ' ').slice(0, 200);
}

function cellOf({ isSecret, set, value }: SettingRow): string {
  if (isSecret) return set === true ? '***' : '';
  return shownValue(value);
}

export function settingColumns({ say }: Desk): readonly ListColumn<SettingRow>[] {
  return [
    { heading: say(both('KEY', '键名')), width: 26, priority: 1, value: (row) => row.key },
    { heading: '*', width: 1, priority: 3, value: (row) => (row.changed ? '*' : '') },
    { heading: 'R', width: 1, priority: 2, value: (row) => (row.class === 'root' ? 'R' : '') },
    { heading: say(both('VALUE', '值')), width: 16, priority: 1, value: cellOf },
    { heading: say(both('LABEL', '名称')), width: 14, priority: 4, grows: true, value: (row) => say(row.label) },
    { heading: say(both('SECTION', '分区')), width: 12, priority: 5, value: (row) => row.section },
  ];
}

const writers = {
  admin: both('administrators', '管理员'),
  root: both('R: the super administrator alone', 'R：仅超级管理员'),
} as const;

/** Everything that is known of an option. */
export function settingDetail(desk: Desk, row: SettingRow, width: number): readonly string[] {
  const { say, context } = desk;
  const at = row.updated_at === 0 ? '-' : `${context.timeText(row.updated_at)}  ${row.updated_by}`;
  const texts = (label: Bilingual, text: string) => {
    const lines = text.split('\n').flatMap((line) => [...wrapped(line, Math.max(20, width - 12))]);
    return ['', ` ${say(label)}`, ...lines.map((line) => `   ${line}`)];
  };
  return [
    ` ${row.key}`,
    ...wrapped(say(row.label), width - 2).map((line) => ` ${line}`),
    '',
    labelled(say(both('section', '分区')), row.section),
    labelled(say(both('form', '类型')), row.form),
    labelled(say(both('written by', '修改者')), say(writers[row.class]), 11),
    labelled(say(both('changed', '修改于')), at),
    ...texts(both('Value', '当前值'), row.isSecret ? cellOf(row) : row.value),
    ...(row.isSecret ? [] : texts(both('Default', '默认值'), row.default)),
  ];
}

/** What a change takes away and what it adds, line by line. */
export function changeLines(
  { say }: Desk,
  { row, value }: { readonly row: SettingRow; readonly value: string | null },
  { width, height }: Size,
): readonly string[] {
  const before = row.value.split('\n');
  const after = (value ?? row.default).split('\n');
  const [known, wanted] = [new Set(before), new Set(after)];
  const changes = [
    ...before.filter((line) => !wanted.has(line)).map((line) => `- ${line}`),
    ...after.filter((line) => !known.has(line)).map((line) => `+ ${line}`),
  ];
  const room = height - 4;
  const more = changes.length - room;
  return [
    ` ${row.key}: ${say(row.label)}`,
    '',
    ...changes.slice(0, more > 0 ? room - 1 : room).map((line) => cell(`   ${line}`, width)),
    ...(more > 0 ? [`   ${say(both(`… and ${more + 1} more lines`, `……另有 ${more + 1} 行`))}`] : []),
  ];
}
