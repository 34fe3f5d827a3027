/** How the screen of the log looks: rows as they come, and everything that is known of one. */

import { both } from '../language.ts';
import { attemptText, logFacts } from '../log-facts.ts';
import { firstTokenSeconds, type LogRow } from '../views.ts';
import type { Desk } from './desk.ts';
import { type ListColumn, labelled, wrapped } from './layout.ts';

/** A row with what the list of the command line leaves out. */
export type LiveRow = LogRow & Partial<{ readonly channel_name: string; readonly failed: boolean }>;

function firstSeconds({ other }: LiveRow): string {
  const seconds = firstTokenSeconds(other);
  return seconds === '' ? '' : `${seconds}s`;
}

const types = {
  1: both('top-up', '充值'),
  2: both('call', '调用'),
  3: both('manage', '管理'),
  4: both('system', '系统'),
  5: both('check-in', '签到'),
} as const;

function typeOf({ type }: LiveRow, { say }: Desk): string {
  const known = type === 1 || type === 2 || type === 3 || type === 4 || type === 5 ? types[type] : undefined;
  return known === undefined ? String(type) : say(known);
}

const failedTone = ({ failed }: LiveRow) => (failed ? 'red' : undefined);

export function logColumns(desk: Desk): readonly ListColumn<LiveRow>[] {
  const { say, money, context, glyphs } = desk;
  const note = (row: LiveRow) => {
    if (row.failed) return say(both(`failed: ${row.content}`, `失败：${row.content}`));
    return row.type === 2 ? row.content : `${typeOf(row, desk)}: ${row.content}`;
  };
  // The first that was asked and the last; everything between stands in the detail.
  const channels = ({ channel, other }: LiveRow) => {
    const [first] = logFacts(other).asked;
    return first === undefined || first === String(channel) ? channel || '' : `${first}${glyphs.arrow}${channel || ''}`;
  };
  const clock = ({ created_at }: LiveRow) => context.clocks.clockText(created_at);
  // A unix second is longer than the time of day.
  const clockWidth = Math.max(8, context.clocks.clockText(Math.floor(Date.now() / 1000)).length);
  return [
    { heading: say(both('TIME', '时间')), width: clockWidth, priority: 1, value: clock },
    { heading: say(both('USER', '用户')), width: 10, priority: 4, value: (row) => row.username },
    { heading: say(both('MODEL', '模型')), width: 16, priority: 1, value: (row) => row.model_name },
    { heading: say(both('CH', '渠道')), width: 5, align: 'right', priority: 5, value: channels },
    { heading: say(both('IN', '输入')), width: 6, align: 'right', priority: 3, value: (row) => row.prompt_tokens },
    { heading: say(both('OUT', '输出')), width: 6, align: 'right', priority: 3, value: (row) => row.completion_tokens },
    { heading: say(both('FIRST', '首字')), width: 5, align: 'right', priority: 7, value: firstSeconds },
    { heading: '$', width: 10, align: 'right', priority: 2, value: (row) => money(row.quota) },
    { heading: say(both('NOTE', '备注')), width: 6, priority: 6, grows: true, value: note, tone: failedTone },
  ];
}

/** Everything that is known of a row. */
export function logDetail(desk: Desk, row: LiveRow, width: number): readonly string[] {
  const { say, money, context, glyphs } = desk;
  const { attempts, asked, rest } = logFacts(row.other);
  const name = row.channel > 0 ? `${row.channel} ${row.channel_name ?? ''}` : '-';
  const channel = asked.length > 1 ? `${asked.join(` ${glyphs.arrow} `)}   ${name}` : name;
  const tokens = both(
    `in ${row.prompt_tokens}, out ${row.completion_tokens}, ${row.use_time} s`,
    `输入 ${row.prompt_tokens}，输出 ${row.completion_tokens}，${row.use_time} 秒`,
  );
  const texts = (label: string, text: string) => {
    const [first = '', ...more] = wrapped(text, Math.max(20, width - 12));
    return [labelled(label, first), ...more.map((line) => labelled('', line))];
  };
  return [
    labelled(say(both('request', '请求')), row.request_id),
    labelled(say(both('at', '时间')), `${context.timeText(row.created_at)}   ${typeOf(row, desk)}`),
    labelled(say(both('user', '用户')), `${row.username}   ${row.token_name}   ${row.group}`),
    labelled(say(both('model', '模型')), `${row.model_name}   ${say(both('channel', '渠道'))} ${channel}`),
    labelled(say(both('usage', '用量')), `${say(tokens)}   ${money(row.quota)}`),
    ...(row.content === '' ? [] : texts(say(both('note', '备注')), row.content)),
    ...attempts.flatMap((attempt, at) => texts(at === 0 ? say(both('tries', '尝试')) : '', attemptText(attempt, say))),
    ...(rest === '' ? [] : texts(say(both('more', '其他')), rest)),
  ];
}
