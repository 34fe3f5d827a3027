/** A plan of declared state for people: lines for a terminal, Markdown for a pull request, rows for other programs. */
import type { StateFieldChange, StateObjectChange, StatePlanView } from '../daemon/contract/state.ts';
import type { CommandContext } from './context.ts';
import { both, type Language } from './language.ts';
import type { View } from './output/columns.ts';

/** One field of one object that changes, or an object that no set owns. */
export interface PlanRow {
  readonly change: {
    readonly action: StateObjectChange['action'] | 'unmanaged';
    readonly kind: string;
    readonly key: string;
  };
  readonly field: StateFieldChange | undefined;
}

export const planRowView: View<PlanRow> = {
  columns: [
    { heading: 'ACTION', unit: 'word', value: ({ change }) => change.action, priority: 1 },
    { heading: 'KIND', unit: 'word', value: ({ change }) => change.kind, priority: 1 },
    { heading: 'KEY', value: ({ change }) => change.key, priority: 1 },
    { heading: 'FIELD', value: ({ field }) => field?.path ?? '', priority: 2 },
    { heading: 'OLD', value: ({ field }) => (field ? valueText(field.from) : ''), priority: 4 },
    { heading: 'NEW', value: ({ field }) => (field ? valueText(field.to) : ''), priority: 3 },
    { heading: 'BY', value: ({ field }) => field?.changed_by?.name ?? '', priority: 5 },
  ],
  id: ({ change }) => `${change.kind} ${change.key}`,
};

export const planView: View<StatePlanView> = {
  columns: [],
  fields: ['set', 'revision', 'plan_id', 'changes', 'orphans', 'unmanaged', 'guards', 'warnings', 'summary'],
  id: ({ plan_id: id }) => id,
};

const signs = { create: '+', adopt: '~', update: '~', delete: '-' } as const;

/** @param only `objects` names each once that changes, `fields` each field that does, and what was asked for besides */
export function planRows({ changes, unmanaged }: StatePlanView, only: 'objects' | 'fields'): PlanRow[] {
  const changed = changes.flatMap((change): PlanRow[] =>
    change.fields.length === 0 || change.action === 'create' || only === 'objects'
      ? [{ change, field: undefined }]
      : change.fields.map((field) => ({ change, field })),
  );
  const others = unmanaged.map((one): PlanRow => ({ change: { action: 'unmanaged', ...one }, field: undefined }));
  return only === 'objects' ? changed : [...changed, ...others];
}

export async function planText(context: CommandContext, plan: StatePlanView): Promise<string> {
  const { language } = context;
  const { url } = await context.target();
  await context.clocks.prepareTimes();
  const width = Math.max(...plan.changes.map(({ key }) => key.length), 0);
  const lines = [
    both(`${plan.set} at ${url}`, `${plan.set}，${url}`)[language],
    ...plan.changes.map((change) => {
      const { action, kind, key } = change;
      return `  ${signs[action]} ${kind.padEnd(12)} ${key.padEnd(width)}  ${changeText(context, change)}`.trimEnd();
    }),
    ...orphanLines(plan, language).map((line) => `  ! ${line}`),
    ...plan.unmanaged.map(({ kind, key }) => `  ? ${kind} ${key}`),
    summaryText(plan, language),
  ];
  return `${lines.join('\n')}\n`;
}

export function planMarkdown(context: CommandContext, plan: StatePlanView): string {
  const { language } = context;
  const heading = both(`### Declared state: ${plan.set}`, `### 声明状态：${plan.set}`)[language];
  const titles = both('| | Object | Change |', '| | 对象 | 变化 |')[language];
  const rows = plan.changes.map((change) => {
    const object = `${change.kind} \`${cell(change.key)}\``;
    return `| ${signs[change.action]} | ${object} | ${cell(changeText(context, change))} |`;
  });
  const notes = [
    ...orphanLines(plan, language),
    ...plan.guards.map(({ message, lift }) => guardText(message, lift)),
    ...plan.warnings.map(({ message }) => message),
  ];
  return [
    heading,
    '',
    ...(rows.length === 0 ? [] : [titles, '|---|---|---|', ...rows, '']),
    ...notes.map((note) => `- ${cell(note)}`),
    ...(notes.length === 0 ? [] : ['']),
    summaryText(plan, language),
    '',
  ].join('\n');
}

/** What refuses a plan, and the flag that lifts it. */
export function guardText(message: string, lift: string): string {
  return lift === '' ? message : `${message} (--${lift.replaceAll('_', '-')})`;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}

function changeText(context: CommandContext, change: StateObjectChange): string {
  const { action, fields } = change;
  if (action === 'delete') return '';
  const texts = fields.map((field) => fieldText(context, field, action));
  const adopted = context.say(both('(adopted)', '（接管）'));
  return [...texts, ...(action === 'adopt' ? [adopted] : [])].join(' · ');
}

function fieldText(context: CommandContext, field: StateFieldChange, action: StateObjectChange['action']): string {
  const { path, from, to, secret, changed_by: writer } = field;
  const by =
    writer === null ? '' : ` (${context.say(both('set by', '修改者'))} ${writer.name}, ${context.agoText(writer.at)})`;
  if (action === 'create') return secret ? `${path} ***` : `${path} ${valueText(to)}`;
  if (path === 'keys') return `${path} ${keysText(from, to)}${by}`;
  const lists = listText(from, to);
  return `${path} ${lists ?? `${valueText(from)} -> ${valueText(to)}${percentText(field)}`}${by}`;
}

/** `+1 -1 =2`. */
function keysText(from: unknown, to: unknown): string {
  const count = (value: unknown, name: string) =>
    typeof value === 'object' && value !== null ? (Object.entries(value).find(([key]) => key === name)?.[1] ?? 0) : 0;
  return `+${count(to, 'added')} -${count(from, 'removed')} =${count(to, 'kept')}`;
}

/** Members of lists that come and go; undefined where the values are no lists, or only their order changes. */
function listText(from: unknown, to: unknown): string | undefined {
  if (!Array.isArray(from) || !Array.isArray(to)) return undefined;
  const [before, after] = [from.map(valueText), to.map(valueText)];
  const come = after.filter((one) => !before.includes(one)).map((one) => `+${one}`);
  const go = before.filter((one) => !after.includes(one)).map((one) => `-${one}`);
  return come.length + go.length === 0 ? undefined : [...come, ...go].join(' ');
}

function percentText({ from, to }: StateFieldChange): string {
  if (typeof from !== 'number' || typeof to !== 'number' || from === 0) return '';
  const percent = (to / from - 1) * 100;
  return ` (${percent > 0 ? '+' : ''}${percent.toFixed(1)} %)`;
}

function valueText(value: unknown): string {
  if (value === null || value === undefined) return '-';
  if (value === '') return '""';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** What the set owns and no document names any more. */
export function orphanLines({ orphans }: StatePlanView, language: Language): string[] {
  const text = both('orphan: --prune would delete it', '孤立对象：--prune 会将其删除')[language];
  return orphans.map(({ kind, key }) => `${kind} ${key}  ${text}`);
}

function summaryText({ summary, plan_id: id, revision }: StatePlanView, language: Language): string {
  const { create, change, delete: gone, orphans } = summary;
  return both(
    '{create} to create, {change} to change, {gone} to delete, {orphans} {orphans:orphan|orphans}. Plan {id} on revision {revision}.',
    '新建 {create}，修改 {change}，删除 {gone}，孤立 {orphans}。计划 {id}，修订 {revision}。',
    { create, change, gone, orphans, id, revision },
  )[language];
}
