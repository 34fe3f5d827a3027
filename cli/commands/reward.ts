/** `checkin` and `invite`: what the site gives its users. */

import type { Command } from 'commander';
import { group, leaf, type Runtime } from '../command.ts';
import { confirm } from '../confirm.ts';
import type { CommandContext } from '../context.ts';
import { usageError } from '../errors.ts';
import { textOf } from '../flags.ts';
import { both, sayIn } from '../language.ts';
import type { View } from '../output/columns.ts';

interface StatusRow {
  can_check_in: boolean;
  enabled: boolean;
  min_quota: number;
  max_quota: number;
  checked_in_today: boolean;
  next_time: number;
}

interface DayRow {
  checkin_date: string;
  quota_awarded: number;
}

interface InviteRow {
  aff_code: string;
  link: string;
  aff_count: number;
  aff_quota: number;
}

const dayView = (context: CommandContext): View<DayRow> => {
  const money = context.moneyCells();
  return {
    columns: [
      { heading: 'DAY', value: (row) => row.checkin_date },
      { heading: 'REWARD', unit: 'money', value: (row) => money(row.quota_awarded), align: 'right' },
    ],
    fields: ['checkin_date', 'quota_awarded'],
    id: (row) => row.checkin_date,
  };
};

const statusView = (context: CommandContext): View<StatusRow> => {
  const money = context.moneyCells();
  return {
    columns: [
      { heading: 'OPEN', value: (row) => row.can_check_in },
      { heading: 'LEAST', unit: 'money', value: (row) => money(row.min_quota), align: 'right' },
      { heading: 'MOST', unit: 'money', value: (row) => money(Math.max(row.min_quota, row.max_quota)), align: 'right' },
      { heading: 'NEXT', unit: 'time', value: (row) => context.timeText(row.next_time) },
    ],
    fields: ['can_check_in', 'enabled', 'min_quota', 'max_quota', 'checked_in_today', 'next_time'],
    id: (row) => String(row.can_check_in),
  };
};

const rewardView = (context: CommandContext): View<{ quota: number }> => {
  const money = context.moneyCells();
  return {
    columns: [{ heading: 'REWARD', unit: 'money', value: (row) => money(row.quota), align: 'right' }],
    fields: ['quota'],
    id: (row) => row.quota,
  };
};

const inviteView = (context: CommandContext): View<InviteRow> => {
  const money = context.moneyCells();
  return {
    columns: [
      { heading: 'LINK', value: (row) => row.link, priority: 1 },
      { heading: 'INVITED', value: (row) => row.aff_count, align: 'right' },
      { heading: 'EARNED', unit: 'money', value: (row) => money(row.aff_quota), align: 'right' },
    ],
    fields: ['aff_code', 'link', 'aff_count', 'aff_quota'],
    id: (row) => row.link,
  };
};

const transferView = (context: CommandContext): View<{ quota: number; aff_quota: number }> => {
  const money = context.moneyCells();
  return {
    columns: [
      { heading: 'BALANCE', unit: 'money', value: (row) => money(row.quota), align: 'right' },
      { heading: 'LEFT', unit: 'money', value: (row) => money(row.aff_quota), align: 'right' },
    ],
    fields: ['quota', 'aff_quota'],
    id: (row) => row.quota,
  };
};

/** A day's reward that was taken before is no failure. */
function isDone(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'checkin_done';
}

export function registerRewardCommands(program: Command, runtime: Runtime): void {
  const say = sayIn(runtime.language);
  leaf(
    program
      .command('checkin')
      .option('--status', say(both('only show whether there is something to take', '仅查看状态')))
      .option('--month <month>', say(both('list a month such as 2026-11', '列出某月，如 2026-11'))),
    runtime,
    {
      summary: both("Take today's reward; having taken it is no failure", '签到；当天已签到不视为失败'),
      examples: ['checkin', 'checkin --status', 'checkin --month 2026-11'],
      prints: (context, flags) => {
        if (flags.month !== undefined) return dayView(context);
        return flags.status === true ? statusView(context) : rewardView(context);
      },
      calls: ['rewards.checkIn', 'rewards.checkInStatus', 'rewards.checkInMonth'],
    },
    async (context, _args, flags) => {
      const { rewards } = await context.client();
      const month = textOf(flags.month);
      if (month !== undefined) {
        return context.printer.list((await rewards.checkInMonth({ month })).stats.records, dayView(context));
      }
      if (flags.status === true) {
        return context.printer.one(await rewards.checkInStatus(), statusView(context));
      }
      try {
        const row = await rewards.checkIn();
        const credited = (await context.moneyText())(row.quota);
        context.done(both(`${credited} credited`, `已到账 ${credited}`));
        await context.printer.one(row, rewardView(context));
      } catch (error) {
        if (!isDone(error)) throw error;
        context.note(context.say(both('already checked in today', '今天已经签到过')));
        await context.printer.one({ quota: 0 }, rewardView(context));
      }
    },
  );

  const invite = group(program, runtime, 'invite', both('Inviting others', '邀请'));
  leaf(
    invite.command('get').alias('show'),
    runtime,
    {
      summary: both('Show the invite link and what it earned', '查看邀请链接与收益'),
      examples: ['invite get', 'invite get -q'],
      prints: inviteView,
      calls: ['rewards.inviteCode', 'account.get'],
    },
    async (context) => {
      const client = await context.client();
      const aff_code = await client.rewards.inviteCode();
      const { aff_count, aff_quota } = await client.account.get();
      const { url } = await context.target();
      const link = `${url.replace(/\/+$/, '')}/register?aff=${encodeURIComponent(aff_code)}`;
      await context.printer.one({ aff_code, link, aff_count, aff_quota }, inviteView(context));
    },
  );

  leaf(
    invite.command('transfer').argument('<money>'),
    runtime,
    {
      summary: both('Move invite earnings to the balance', '将邀请收益划转到余额'),
      examples: ['invite transfer 1usd'],
      prints: transferView,
      calls: ['rewards.transferInviteEarnings', 'account.get'],
    },
    async (context, [text]) => {
      const client = await context.client();
      const quota = await context.money(String(text), 'MONEY');
      if (quota <= 0) throw usageError(both('nothing to move', '划转额度须大于 0'), { field: 'MONEY' });
      const amount = (await context.moneyText())(quota);
      await confirm(context, both(`Move ${amount} to the balance?`, `将 ${amount} 划转到余额？`));
      await client.rewards.transferInviteEarnings({ quota });
      context.done(both(`${amount} moved to the balance`, `已划转 ${amount}`));
      const self = await client.account.get();
      await context.printer.one({ quota: self.quota, aff_quota: self.aff_quota }, transferView(context));
    },
  );
}
