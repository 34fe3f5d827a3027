/** How the screen of channels looks: the list, and what is known of one channel. */
import type { ChannelTestView } from '../../daemon/contract/channel-checks.ts';
import type { ChannelKeyView } from '../../daemon/contract/channel-keys.ts';
import { findChannelType } from '../../daemon/contract/channel-types.ts';
import type { ChannelView } from '../../daemon/contract/channels.ts';
import { disabledFor } from '../../daemon/contract/status-reason.ts';
import type { ChannelTotalsView } from '../../daemon/contract/usage-reports.ts';
import { type Bilingual, both, type Language, type Say } from '../language.ts';
import type { Tone } from '../terminal.ts';
import type { Desk } from './desk.ts';
import { type ListColumn, labelled, wrapped } from './layout.ts';

const statuses = {
  0: both('unknown', '未知'),
  1: both('enabled', '启用'),
  2: both('disabled', '禁用'),
  3: both('auto-disabled', '自动禁用'),
} as const;

/** The state of a channel or key in words. */
export function stateOf(row: { readonly status: number; readonly cooling: number }, say: Say): string {
  if (row.status === 1 && row.cooling > 0) return say(both(`cooling ${row.cooling} s`, `冷却 ${row.cooling} 秒`));
  return say(statuses[row.status === 1 || row.status === 2 || row.status === 3 ? row.status : 0]);
}

const stateWords = ['enabled', 'disabled', 'auto', 'cooling'] as const;
export type StateWord = (typeof stateWords)[number];

export function isStateWord(word: string): word is StateWord {
  return stateWords.some((known) => known === word);
}

/** What is wrong with the state that a filter names; undefined for nothing. */
export function stateComplaint(word: string | undefined): Bilingual | undefined {
  return word === undefined || isStateWord(word) ? undefined : both(`no status ${word}`, `没有状态 ${word}`);
}

/** The colour of that state: of those that calls may use, none. */
export function toneOf({ status, cooling }: { readonly status: number; readonly cooling: number }): Tone | undefined {
  if (status === 1) return cooling > 0 ? 'yellow' : undefined;
  return status === 3 ? 'red' : 'dim';
}

/** Calls that were answered, and those that were not. */
export interface CallFigures {
  readonly requests: number;
  readonly failures: number;
}

/** How many of a hundred calls failed; "-" without calls. */
export function errorShare({ requests, failures }: CallFigures): string {
  const calls = requests + failures;
  return calls === 0 ? '-' : ((100 * failures) / calls).toFixed(1);
}

function typeOf(type: number, language: Language): string {
  return findChannelType(type)?.label[language] ?? String(type);
}

/** @param calls of the last hour; undefined for a channel that had none, or while they are not known */
export function channelColumns(
  { say, context }: Desk,
  calls: (id: number) => CallFigures | undefined,
): readonly ListColumn<ChannelView>[] {
  const share = ({ id }: ChannelView) => errorShare(calls(id) ?? { requests: 0, failures: 0 });
  return [
    { heading: 'ID', width: 5, align: 'right', priority: 1, value: (row) => row.id },
    { heading: say(both('NAME', '名称')), width: 14, priority: 1, grows: true, value: (row) => row.name },
    { heading: say(both('TYPE', '类型')), width: 12, priority: 4, value: (row) => typeOf(row.type, context.language) },
    { heading: say(both('STATUS', '状态')), width: 13, priority: 2, value: (row) => stateOf(row, say), tone: toneOf },
    { heading: say(both('PRI', '优先')), width: 4, align: 'right', priority: 6, value: (row) => row.priority },
    { heading: say(both('WT', '权重')), width: 4, align: 'right', priority: 6, value: (row) => row.weight },
    {
      heading: say(both('MODELS', '模型')),
      width: 6,
      align: 'right',
      priority: 7,
      value: (row) => (row.models === '' ? 0 : row.models.split(',').length),
    },
    {
      heading: say(both('MS', '毫秒')),
      width: 6,
      align: 'right',
      priority: 3,
      value: (row) => (row.response_time > 0 ? row.response_time : '-'),
    },
    { heading: say(both('ERR %', '失败 %')), width: 6, align: 'right', priority: 3, value: share },
    { heading: say(both('TAG', '标签')), width: 8, priority: 8, value: (row) => row.tag ?? '' },
  ];
}

/** What is asked for when a channel is looked at. */
export interface ChannelFindings {
  readonly keys: readonly ChannelKeyView[];
  readonly totals: ChannelTotalsView;
  readonly tests: readonly ChannelTestView[];
}

export interface TestResult {
  readonly id: number;
  readonly name: string;
  /** Undefined while the test runs; `untested` where none suits the channel, which may work all the same. */
  readonly ok: boolean | 'untested' | undefined;
  readonly text: string;
}

export interface DetailWishes {
  readonly width: number;
  readonly findings: ChannelFindings | undefined;
  readonly results: readonly TestResult[];
}

function namesIn(mapping: string): number {
  try {
    const members: unknown = JSON.parse(mapping);
    return typeof members === 'object' && members !== null ? Object.keys(members).length : 0;
  } catch {
    // Half written by hand: it maps nothing.
    return 0;
  }
}

/** What names are turned into, and what stands before them. */
function mappingOf({ model_mapping, model_prefix }: ChannelView, say: Say): string {
  const count = namesIn(model_mapping);
  const mapped =
    count === 0 ? say(both('none', '无')) : say(both('{count} {count:name|names}', '{count} 个名称', { count }));
  return model_prefix === '' ? mapped : `${mapped}   ${say(both('prefix', '前缀'))} ${model_prefix}`;
}

/** Lines about one channel. */
export function detailLines(
  desk: Desk,
  row: ChannelView,
  { width, findings, results }: DetailWishes,
): readonly string[] {
  const { say, glyphs, context, money } = desk;
  const rule = glyphs.rule.repeat(width);
  const reason = disabledFor(row.other_info, context.language);
  const [firstModels, ...moreModels] = wrapped(row.models.replaceAll(',', ', '), Math.max(10, width - 12));
  const about = [
    ` ${row.id}  ${row.name}`,
    rule,
    labelled(say(both('type', '类型')), `${typeOf(row.type, context.language)} (${row.type})`),
    labelled(say(both('status', '状态')), `${stateOf(row, say)}${reason === '' ? '' : `: ${reason}`}`),
    labelled(say(both('group', '分组')), `${row.group}${row.tag ? `   ${say(both('tag', '标签'))} ${row.tag}` : ''}`),
    labelled(say(both('models', '模型')), firstModels ?? ''),
    ...moreModels.slice(0, 3).map((line) => labelled('', line)),
    labelled(say(both('address', '地址')), row.base_url),
    labelled(say(both('mapping', '映射')), mappingOf(row, say)),
    labelled(
      say(both('used', '已用')),
      `${money(row.used_quota)}   ${say(both('balance', '余额'))} ${row.balance_updated_time > 0 ? `$${row.balance}` : '-'}`,
    ),
  ];
  return [
    ...about,
    ...(results.length === 0 ? [] : [rule, ...resultLines(desk, results)]),
    ...foundLines(desk, { rule, findings }),
  ];
}

function foundLines(
  desk: Desk,
  { rule, findings }: { readonly rule: string; readonly findings: ChannelFindings | undefined },
): readonly string[] {
  const { say, money, context } = desk;
  if (findings === undefined) return [rule, ` ${say(both('asking…', '查询中…'))}`];
  const { keys, totals, tests } = findings;
  const now = Date.now() / 1000;
  const share = errorShare(totals);
  const failed = share === '-' ? '' : ` (${share} %)`;
  return [
    rule,
    ` ${say(both(`Keys: ${keys.length}`, `密钥：${keys.length} 个`))}`,
    ...keys.slice(0, 6).map((key) => {
      const cooling = Math.max(0, Math.ceil(key.cool_until - now));
      const used = key.last_used > 0 ? String(context.agoText(key.last_used)) : '';
      return `  #${key.position + 1} …${key.tail}  ${stateOf({ status: key.status, cooling }, say)}  ${key.reason || key.last_error || used}`;
    }),
    rule,
    ` ${say(both('Last 24 h', '近 24 小时'))}`,
    labelled(
      say(both('calls', '调用')),
      say(
        both(
          `${totals.requests}, failed ${totals.failures}${failed}`,
          `${totals.requests}，失败 ${totals.failures}${failed}`,
        ),
      ),
    ),
    labelled(
      say(both('cost', '成本')),
      `${money(totals.cost ?? 0)}   ${say(both('revenue', '收入'))} ${money(totals.quota)}`,
    ),
    rule,
    ` ${say(both('Tests, newest first', '测试，最新在前'))}`,
    ...tests.slice(0, 6).map((test) => {
      const verdict = test.ok ? say(both('ok  ', '成功')) : say(both('fail', '失败'));
      return `  ${verdict} ${test.model}  ${(test.time_ms / 1000).toFixed(2)} s  ${test.ok ? '' : test.message}`;
    }),
  ];
}

/** What the tests of just now found; what failed comes first, since there may be no room for all. */
export function resultLines({ say }: Desk, results: readonly TestResult[]): readonly string[] {
  const all = results.length;
  const failed = results.filter(({ ok }) => ok === false).length;
  const done = results.filter(({ ok }) => ok !== undefined).length;
  const failures = failed === 0 ? both('', '') : both(`, ${failed} failed`, `，失败 ${failed}`);
  const ordered = resultOrder.flatMap((wanted) => results.filter(({ ok }) => ok === wanted));
  return [
    ` ${say(both(`Testing ${all}: ${done} done${failures.en}`, `测试 ${all} 个：已完成 ${done}${failures.zh}`))}`,
    ...ordered.map(({ id, name, ok, text }) => `  ${verdictOf(ok, say)} ${id} ${name}  ${text}`),
  ];
}

const resultOrder = [false, 'untested', undefined, true] as const satisfies readonly TestResult['ok'][];

function verdictOf(ok: TestResult['ok'], say: Say): string {
  if (ok === undefined) return '…   ';
  if (ok === 'untested') return say(both('?   ', '未测'));
  return ok ? say(both('ok  ', '成功')) : say(both('fail', '失败'));
}
