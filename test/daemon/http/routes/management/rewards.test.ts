/** The check-in in both dialects, and invites (management-api.md 3.7, K5, K6, K16). */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { OptionKey } from '../../../../../daemon/contract/options.ts';
import { CalendarDays } from '../../../../../daemon/domain/calendar-day.ts';
import { CheckInService } from '../../../../../daemon/domain/check-in.ts';
import { InviteService } from '../../../../../daemon/domain/invites.ts';
import { rewardRoutes } from '../../../../../daemon/http/routes/management/rewards.ts';
import { type HttpHarness, startHttpHarness } from '../../../../support/http-harness.ts';
import { assertRefused } from '../../../../support/refusals.ts';

const rewards = suite('check-in and invites');

let harness: HttpHarness;
const changed: number[] = [];

rewards.before(async () => {
  harness = await startHttpHarness({
    routes: ({ database, bus, snapshots, nowSeconds }) => {
      const options = () => snapshots.current().options;
      const language = 'en';
      return rewardRoutes({
        checkIns: new CheckInService({
          database,
          options,
          days: new CalendarDays('Asia/Shanghai'),
          language,
          balanceChanged: (userId) => changed.push(userId),
          nowSeconds,
        }),
        invites: new InviteService({ database, bus, options, language, nowSeconds }),
      });
    },
  });
  await harness.setup();
});

rewards.after(() => harness.close());

async function set(values: Partial<Record<OptionKey, string>>): Promise<void> {
  const { database, snapshots } = harness.world;
  for (const [key, value] of Object.entries(values)) await database.stores.options.set(key, value);
  await snapshots.reload('options');
}

/** Moves the clock to the last second of a day in Shanghai. */
function toEndOfDay(): void {
  const day = 86_400;
  const { clock } = harness.world;
  clock.seconds = (Math.floor(clock.seconds / day) + 2) * day - 8 * 3600 - 1;
}

const balanceOf = async (id: number) => (await harness.world.database.stores.users.find(id))?.quota;
const logsOf = async (id: number) =>
  (await harness.world.database.stores.logs.list({ userId: id }, { offset: 0, limit: 50 })).items;

rewards('are off until the site turns them on', async () => {
  const client = harness.client(await harness.addUser());
  const status = await client.rewards.checkInStatus();
  assert.equal([status.can_check_in, status.enabled], [false, false]);
  await assertRefused(client.rewards.checkIn(), 'checkin_off');
  await assertRefused(client.rewards.checkInMonth({}), 'checkin_off');
});

rewards('bring the fixed reward once a day, and again when the next day of the zone begins', async () => {
  await set({ CheckInEnabled: 'true', CheckInQuota: '500', CheckInMaxQuota: '0' });
  toEndOfDay();
  const user = await harness.addUser();
  const client = harness.client(user);
  const { next_time } = await client.rewards.checkInStatus();
  assert.is(next_time, harness.world.clock.seconds + 1);
  assert.equal(await client.rewards.checkIn(), { quota: 500 });
  const again = await harness.request('/api/user/check_in', {
    method: 'POST',
    as: user,
    headers: { 'Accept-Language': 'zh' },
  });
  const answer = await again.json();
  assert.equal([again.status, answer.success], [200, false]);
  assert.match(answer.message, '已经签到');
  assert.is((await client.rewards.checkInStatus()).can_check_in, false);
  harness.world.clock.seconds += 1;
  assert.is((await client.rewards.checkInStatus()).can_check_in, true);
  const second = await client.rewards.checkInAlias();
  assert.equal([second.quota, second.quota_awarded], [500, 500]);
  assert.is(await balanceOf(user.user.id), 1000);
  const rows = await logsOf(user.user.id);
  assert.equal(
    rows.map(({ type, quota, content, username }) => [type, quota, content, username]),
    [
      [5, 500, 'Daily check-in $0.001000', user.user.username],
      [5, 500, 'Daily check-in $0.001000', user.user.username],
    ],
  );
  assert.is(changed.filter((id) => id === user.user.id).length, 2);
  const stored = await harness.world.database.stores.users.find(user.user.id);
  assert.is(stored?.lastCheckInTime?.getTime(), harness.world.clock.seconds * 1000);
});

rewards('lie between the least and the most, both included', async () => {
  await set({ CheckInQuota: '1', CheckInMaxQuota: '3' });
  const seen = new Set<number>();
  for (let tries = 0; tries < 60 && seen.size < 3; tries += 1) {
    seen.add((await harness.client(await harness.addUser()).rewards.checkIn()).quota);
  }
  assert.equal([...seen].sort(), [1, 2, 3]);
});

rewards('are given once to 50 calls at the same moment, and once more after midnight', async () => {
  await set({ CheckInQuota: '700', CheckInMaxQuota: '0' });
  toEndOfDay();
  const user = await harness.addUser();
  const client = harness.client(user);
  const calls = Array.from({ length: 50 }, (_, at) => {
    if (at === 25) harness.world.clock.seconds += 1;
    return at % 2 === 0 ? client.rewards.checkIn() : client.rewards.checkInAlias();
  });
  const outcomes = await Promise.allSettled(calls);
  const given = outcomes.filter(({ status }) => status === 'fulfilled').length;
  const { count } = await harness.world.database.stores.checkins.totals(user.user.id);
  assert.is(given, count);
  assert.ok(count >= 1 && count <= 2);
  assert.is(await balanceOf(user.user.id), 700 * count);
});

rewards('are told by month', async () => {
  const user = await harness.addUser();
  const client = harness.client(user);
  const { checkin_date } = await client.rewards.checkInAlias();
  const month = await client.rewards.checkInMonth({ month: checkin_date.slice(0, 7) });
  assert.equal(month.stats, {
    checked_in_today: true,
    checkin_count: 1,
    total_checkins: 1,
    total_quota: 700,
    records: [{ checkin_date, quota_awarded: 700 }],
  });
  assert.equal(await client.rewards.checkInMonth({}), month, 'the running one where none is named');
  assert.is((await client.rewards.checkInMonth({ month: '2001-01' })).stats.checkin_count, 0);
  await assertRefused(client.rewards.checkInMonth({ month: '2001-13' }), 'invalid_params');
});

rewards('begin with an invite code, which is made when it is missing and then stays', async () => {
  const { user, ...rest } = await harness.addUser({ affCode: null });
  const client = harness.client({ user, ...rest });
  const codes = await Promise.all(Array.from({ length: 5 }, () => client.rewards.inviteCode()));
  assert.match(codes[0] ?? '', /^[0-9A-Za-z]{8}$/);
  assert.is(new Set(codes).size, 1);
  await client.account.register({ username: 'invited', password: 'long enough', aff_code: codes[0] ?? '' });
  assert.is((await harness.world.database.stores.users.findByUsername('invited'))?.inviterId, user.id);
});

rewards('of invites move to the balance from one unit on and never twice', async () => {
  const user = await harness.addUser();
  const client = harness.client(user);
  await harness.world.database.stores.users.creditInvite(user.user.id, 1_200_000);
  await assertRefused(client.rewards.transferInviteEarnings({ quota: 499_999 }), 'aff_min');
  await assertRefused(client.rewards.transferInviteEarnings({ quota: 1_200_001 }), 'aff_short');
  for (const quota of [0, -500_000, 0.5]) {
    await assertRefused(client.rewards.transferInviteEarnings({ quota }), 'invalid_params');
  }
  const outcomes = await Promise.allSettled(
    Array.from({ length: 20 }, () => client.rewards.transferInviteEarnings({ quota: 500_000 })),
  );
  assert.is(outcomes.filter(({ status }) => status === 'fulfilled').length, 2);
  const self = await client.account.get();
  assert.equal([self.quota, self.aff_quota, self.aff_history_quota], [1_000_000, 200_000, 1_200_000]);
  assert.equal(
    (await logsOf(user.user.id)).map(({ type, quota }) => [type, quota]),
    [
      [4, 500_000],
      [4, 500_000],
    ],
  );
});

rewards.run();
