import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CalendarDays } from '../../../daemon/domain/calendar-day.ts';
import { type ReportRequest, type UsageReport, UsageReportService } from '../../../daemon/domain/usage-report.ts';
import type { NewLogRow } from '../../../daemon/store/logs.ts';
import { actor, type DomainWorld, openDomainWorld } from '../../support/domain-world.ts';
import { codeOf } from '../../support/refusal-code.ts';

const reports = suite('domain/usage-report');
const hour = 3600;
const day = 24 * hour;
/** A Wednesday, 07:30 UTC. */
const start = Date.UTC(2026, 2, 25, 7, 30) / 1000;

let world: DomainWorld;

function row(index: number): NewLogRow {
  const user = 1 + (index % 3);
  return {
    userId: user,
    createdAt: start + index * 1700,
    type: index % 17 === 0 ? 1 : 2,
    content: '',
    username: `user${user}`,
    tokenName: `key${index % 2}`,
    modelName: ['gpt-4o', 'gpt-4o-mini', 'o3', 'claude'][index % 4] ?? '',
    quota: (index * 7919) % 1000,
    promptTokens: index % 50,
    completionTokens: index % 20,
    useTime: 1,
    isStream: true,
    channelId: 1 + (index % 5),
    tokenId: user,
    group: index % 6 === 0 ? 'vip' : 'default',
    other: index % 13 === 0 ? '{"tool":{"name":"web_search"}}' : `{"cache_tokens":${index % 9}}`,
    requestId: `r${index}`,
    failed: index % 10 === 0,
    ip: null,
    cost: (index * 31) % 700,
  };
}

const rows = [
  ...Array.from({ length: 900 }, (_, index) => row(index)),
  // Attempts that failed at a cost: nobody's, and no calls.
  ...[1, 3, 4].map((channelId): NewLogRow => {
    const nobody = { userId: 0, username: '', tokenName: '', quota: 0, promptTokens: 0, completionTokens: 0 };
    const other = '{"attempt":{"status":502}}';
    return { ...row(channelId + 60), ...nobody, type: 2, channelId, cost: 1000 + channelId, failed: true, other };
  }),
];
const span = { start_timestamp: start - 100, end_timestamp: start + 20 * day };

reports.before(async () => {
  world = await openDomainWorld();
  await world.database.transaction((stores) => stores.logs.insert(rows));
});
reports.after(() => world.close());

const service = (timeZone = 'UTC') =>
  new UsageReportService({
    database: world.database,
    days: new CalendarDays(timeZone),
    nowSeconds: () => start + 10 * day,
  });

type Chosen = (row: NewLogRow) => boolean;

/** The same by hand: requests, failures, quota, tokens in, out and cached, and cost, under each name. */
function byHand(name: (row: NewLogRow) => string, chosen: Chosen = () => true): Map<string, number[]> {
  const sums = new Map<string, number[]>();
  for (const each of rows.filter((row) => row.type === 2 && chosen(row))) {
    const sum = sums.get(name(each)) ?? [0, 0, 0, 0, 0, 0, 0];
    const call = /tool|attempt/.test(each.other) ? 0 : 1;
    const cached = Number(/"cache_tokens":(\d+)/.exec(each.other)?.[1] ?? 0);
    const gains = [
      each.failed ? 0 : call,
      each.failed ? call : 0,
      each.quota,
      each.promptTokens,
      each.completionTokens,
    ];
    sums.set(
      name(each),
      [...gains, cached, each.cost ?? 0].map((gain, index) => gain + (sum[index] ?? 0)),
    );
  }
  return sums;
}

function told(report: UsageReport, name: (row: UsageReport['rows'][number]) => string): Map<string, number[]> {
  return new Map(report.rows.map((each) => [name(each), figuresOf(each)]));
}

function figuresOf(sum: UsageReport['totals']): number[] {
  const { requests, failures, quota, promptTokens, completionTokens, cachedTokens, cost } = sum;
  return [requests, failures, quota, promptTokens, completionTokens, cachedTokens, cost];
}

const sorted = (sums: ReadonlyMap<string, number[]>) => [...sums].sort(([left], [right]) => (left < right ? -1 : 1));

reports('sum by each key, alone and two together, as the rows say', async () => {
  const cases: [string, (row: NewLogRow) => string, (row: UsageReport['rows'][number]) => string][] = [
    ['user', ({ username }) => username, ({ username }) => username],
    ['model', ({ modelName }) => modelName, ({ modelName }) => modelName],
    ['channel', ({ channelId }) => String(channelId), ({ channelId }) => String(channelId)],
    ['group', ({ group }) => group, ({ group }) => group],
    ['token', (row) => row.username + row.tokenName, (row) => row.username + row.tokenName],
    ['model,user', (row) => row.username + row.modelName, (row) => row.username + row.modelName],
    ['channel , group', (row) => row.channelId + row.group, (row) => row.channelId + row.group],
  ];
  for (const [by, name, shown] of cases) {
    const report = await service().report({ ...span, by });
    // What belongs to nobody is in no report by user.
    const chosen: Chosen = ({ userId }) => userId > 0 || !/user|token/.test(by);
    assert.equal(sorted(told(report, shown)), sorted(byHand(name, chosen)), by);
    assert.equal(figuresOf(report.totals), byHand(() => '').get(''), by);
  }
});

reports('sum by hour, and by day and week of the site’s zone, also where clocks change', async () => {
  // Clocks go forward on 29 March 2026 in Berlin.
  for (const zone of ['UTC', 'Asia/Shanghai', 'Europe/Berlin', 'America/New_York']) {
    const days = new CalendarDays(zone);
    const dayOf = (seconds: number) => days.dayOf(seconds);
    const weekOf = (seconds: number) => {
      const at = new Date(`${dayOf(seconds)}T00:00:00Z`);
      return new Date(at.getTime() - ((at.getUTCDay() + 6) % 7) * day * 1000).toISOString().slice(0, 10);
    };
    const hourOf = (seconds: number) => String(Math.floor(seconds / hour));
    for (const [by, of] of [
      ['day', dayOf],
      ['week', weekOf],
      ['hour', hourOf],
    ] as const) {
      const report = await service(zone).report({ ...span, by });
      const shown = told(report, ({ periodStart }) => of(periodStart));
      assert.equal(sorted(shown), sorted(byHand(({ createdAt }) => of(createdAt))), `${by} in ${zone}`);
      const starts = report.rows.map(({ periodStart }) => periodStart);
      assert.equal(
        starts,
        [...new Set(starts)].sort((left, right) => left - right),
      );
    }
  }
});

reports('end within half-hour zones too, a day starting with the hour it starts in', async () => {
  const report = await service('Asia/Kolkata').report({ ...span, by: 'day' });
  assert.equal(figuresOf(report.totals), byHand(() => '').get(''));
  assert.is(report.rows.length, 19);
  for (const { periodStart } of report.rows.slice(1)) assert.is(new Date(periodStart * 1000).getUTCHours(), 18);
});

reports('keep within filters and within whole hours around the span', async () => {
  const filters: [ReportRequest, Chosen][] = [
    [{ username: 'user2' }, ({ userId }) => userId === 2],
    [{ model_name: 'gpt-4o' }, ({ modelName }) => modelName === 'gpt-4o'],
    [{ model_name: 'gpt-4o%' }, ({ modelName }) => modelName.startsWith('gpt-4o')],
    [{ channel: 3, group: 'vip' }, ({ channelId, group }) => channelId === 3 && group === 'vip'],
    [{ token_name: 'key1' }, ({ tokenName }) => tokenName === 'key1'],
  ];
  for (const [filter, chosen] of filters) {
    const { totals } = await service().report({ ...span, ...filter });
    assert.equal(figuresOf(totals), byHand(() => '', chosen).get(''), JSON.stringify(filter));
  }
  const from = start + 2 * day + 1234;
  const until = start + 5 * day + 77;
  const inside: Chosen = ({ createdAt }) =>
    createdAt >= from - (from % hour) && createdAt < Math.ceil(until / hour) * hour;
  const { totals, range } = await service().report({ start_timestamp: from, end_timestamp: until });
  assert.equal(figuresOf(totals), byHand(() => '', inside).get(''));
  assert.equal([range.from % hour, range.until % hour], [0, 0]);
});

reports('show the most expensive rows first, and at most as many as asked for', async () => {
  const all = await service().report({ ...span, by: 'model' });
  const top = await service().report({ ...span, by: 'model', top: 2 });
  assert.equal(top.rows, all.rows.slice(0, 2));
  assert.ok((top.rows[0]?.quota ?? 0) >= (top.rows[1]?.quota ?? 0));
  assert.equal(top.totals, all.totals);
});

reports('show users their own calls alone, and none of the channels', async () => {
  const own = await service().reportOwn(actor({ userId: 2 }), {
    ...span,
    by: 'model,day',
    username: 'user1',
    channel: 1,
  });
  assert.equal(
    figuresOf(own.totals),
    byHand(
      () => '',
      ({ userId }) => userId === 2,
    ).get(''),
  );
  for (const by of ['user', 'channel', 'model,channel']) {
    assert.is(await codeOf(service().reportOwn(actor({ userId: 2 }), { by })), 'report_keys', by);
  }
  const long = { start_timestamp: start, end_timestamp: start + 32 * day };
  assert.is(await codeOf(service().reportOwn(actor({ userId: 2 }), long)), 'data_span');
});

reports('refuse keys that are unknown, too many, or two times', async () => {
  for (const by of ['name', 'user,model,group', 'day,hour', 'day,day,day']) {
    assert.is(await codeOf(service().report({ ...span, by })), 'report_keys', by);
  }
  const long = { start_timestamp: start, end_timestamp: start + 367 * day };
  assert.is(await codeOf(service().report(long)), 'data_span');
  assert.equal((await service().report(span)).rows, []);
  assert.is(await codeOf(service().report({ by: 'user' })), 'accepted');
});

reports(
  'hold nothing where the time asked for is beyond all dates, and end, as where it is told in milliseconds',
  async () => {
    for (const by of ['hour', 'day', 'week']) {
      for (const start_timestamp of [1_795_883_110_000, 1_795_883_110_000_000, 253_402_300_000, -1_795_883_110_000]) {
        assert.equal((await service().report({ start_timestamp, by })).rows, [], `${start_timestamp} by ${by}`);
      }
    }
    const beyond = { start_timestamp: 1_795_883_110_000_000, end_timestamp: Number.MAX_SAFE_INTEGER };
    assert.equal((await service().report({ ...beyond, by: 'day' })).rows, []);
  },
);

reports('tell what moved on the site', async () => {
  const insert = (username: string, createdAt: number) => world.database.stores.users.insert({ username, createdAt });
  await insert('old', start - 50 * day);
  await insert('new', start + day);
  const site = await service().site(span);
  assert.equal(figuresOf(site), byHand(() => '').get(''));
  assert.equal([site.activeUsers, site.users, site.newUsers, site.paidOrders], [3, 2, 1, 0]);
  assert.is(
    site.toppedUp,
    rows.filter(({ type }) => type === 1).reduce((sum, { quota }) => sum + quota, 0),
  );
});

reports.run();
