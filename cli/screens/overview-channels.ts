/** Channels as the first screen lists them: which of them need somebody, and how they fare. */
import { reasonIn } from '../../daemon/contract/status-reason.ts';
import type { SystemView } from '../../daemon/contract/system.ts';
import { both } from '../language.ts';
import { errorShare, isStateWord, stateOf, toneOf } from './channel-lines.ts';
import type { Desk } from './desk.ts';
import type { ListColumn } from './layout.ts';

export type SystemChannel = SystemView['channels'][number];

/** A test that takes longer is slow, milliseconds. */
const slowMs = 3000;

const callsOf = ({ last_hour: { requests, failures } }: SystemChannel) => requests + failures;

/** One call in ten that fails is no accident. */
const isFailing = (row: SystemChannel) => row.last_hour.failures > 0 && row.last_hour.failures * 10 >= callsOf(row);

const isSlow = ({ response_time }: SystemChannel) => response_time > slowMs;

/** Disabled by itself, or asked and in trouble. */
export function needsSomebody(row: SystemChannel): boolean {
  return row.status === 3 || (row.status === 1 && (row.cooling > 0 || isFailing(row) || isSlow(row)));
}

/** Whether a filter means the channel: by a part of its name or its id, and by its state. */
export function isMeant(
  { id, name, status, cooling }: SystemChannel,
  { text, state }: { readonly text: string; readonly state: string | undefined },
): boolean {
  const isNamed = name.toLowerCase().includes(text.toLowerCase()) || String(id) === text;
  if (!isNamed || state === undefined || !isStateWord(state)) return isNamed;
  if (state === 'cooling') return status === 1 && cooling > 0;
  return status === { enabled: 1, disabled: 2, auto: 3 }[state];
}

/** Those that need somebody, then the others by how much they are called. */
export function worstFirst(channels: readonly SystemChannel[]): readonly SystemChannel[] {
  return channels.toSorted(
    (one, other) => Number(needsSomebody(other)) - Number(needsSomebody(one)) || callsOf(other) - callsOf(one),
  );
}

function reasonText(row: SystemChannel, { say, context }: Desk): string {
  if (row.status === 3 && row.reason !== '') return reasonIn(context.language, row.reason);
  if (row.status === 3) return say(both('disabled automatically', '已自动禁用'));
  const { failures } = row.last_hour;
  const calls = callsOf(row);
  if (isFailing(row))
    return say(
      both('{failures} of {calls} {calls:call|calls} failed', '{calls} 次调用中失败 {failures} 次', {
        failures,
        calls,
      }),
    );
  return isSlow(row) ? say(both(`slow (over ${slowMs / 1000} s)`, `响应慢（超过 ${slowMs / 1000} 秒）`)) : '';
}

/** @param isWhole the list has every channel and no room for reasons, but for keys and balances */
export function overviewColumns(desk: Desk, isWhole: boolean): readonly ListColumn<SystemChannel>[] {
  const { say } = desk;
  const figure = (heading: string, width: number, priority: number, value: (row: SystemChannel) => string | number) =>
    ({ heading, width, align: 'right', priority, value }) as const;
  const keys = ({ keys: { usable, all } }: SystemChannel) => (usable === all ? all : `${usable}/${all}`);
  const balance = (row: SystemChannel) => (row.balance === null ? '-' : `$${row.balance.toFixed(2)}`);
  const reason: ListColumn<SystemChannel> = {
    heading: say(both('REASON', '原因')),
    width: 12,
    priority: 4,
    grows: true,
    value: (row) => reasonText(row, desk),
  };
  const last = isWhole
    ? [figure(say(both('KEYS', '密钥')), 5, 7, keys), figure(say(both('BALANCE', '余额')), 9, 8, balance)]
    : [reason];
  return [
    figure('ID', 5, 1, (row) => row.id),
    {
      heading: say(both('NAME', '名称')),
      width: 14,
      priority: 1,
      ...(isWhole ? ({ grows: true } as const) : {}),
      value: (row) => row.name,
    },
    { heading: say(both('STATUS', '状态')), width: 13, priority: 2, value: (row) => stateOf(row, say), tone: toneOf },
    figure(say(both('MODELS', '模型')), 6, 6, (row) => row.models),
    figure(say(both('MS', '毫秒')), 6, 5, (row) => (row.response_time > 0 ? row.response_time : '-')),
    figure(say(both('ERR %', '失败 %')), 6, 3, (row) => errorShare(row.last_hour)),
    ...last,
  ];
}
