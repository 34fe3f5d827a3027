import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { OptionValues } from '../../../daemon/contract/options.ts';
import { type UsageDataRow, UsageDataService } from '../../../daemon/domain/usage-data.ts';
import { HourlyUsage } from '../../../daemon/domain/usage-log-hourly.ts';
import type { NewLogRow } from '../../../daemon/store/logs.ts';
import { actor, type DomainWorld, openDomainWorld } from '../../support/domain-world.ts';
import { optionsView } from '../../support/options-view.ts';
import { codeOf } from '../../support/refusal-code.ts';

interface Context {
  world: DomainWorld;
  hourly: HourlyUsage;
  service: (options?: OptionValues) => UsageDataService;
}

const data = suite<Context>('domain/usage-data');
const day = 86_400;
const hour = 3600;

data.before.each(async (context) => {
  const world = await openDomainWorld();
  context.world = world;
  context.hourly = new HourlyUsage({ database: world.database });
  context.service = (options = {}) =>
    new UsageDataService({
      database: world.database,
      hourly: context.hourly,
      options: () => optionsView({ DataExportEnabled: true, ...options }),
      nowSeconds: world.nowSeconds,
    });
  const now = world.nowSeconds() - (world.nowSeconds() % hour);
  const gain = (userId: number, over: { username?: string; modelName?: string; createdAt?: number }) => ({
    userId,
    username: `user${userId}`,
    modelName: 'gpt-4o',
    createdAt: now,
    tokenUsed: 10,
    count: 1,
    quota: 100,
    ...over,
  });
  await world.database.stores.quotaData.add([
    gain(7, {}),
    gain(8, {}),
    gain(8, { modelName: 'o3' }),
    gain(7, { createdAt: now - 2 * day }),
    gain(9, { username: 'gone' }),
  ]);
});
data.after.each(({ world }) => world.close());

data('sums all users by model and hour, the last day unless told otherwise', async ({ service, world }) => {
  const rows = await service().list({});
  assert.equal(
    rows.map(({ id, userId, username, modelName, count, quota, tokenUsed }) => [
      id,
      userId,
      username,
      modelName,
      count,
      quota,
      tokenUsed,
    ]),
    [
      [0, 0, '', 'gpt-4o', 3, 300, 30],
      [0, 0, '', 'o3', 1, 100, 10],
    ],
  );
  assert.is(
    (await service().list({ start_timestamp: world.nowSeconds() - 3 * day, end_timestamp: world.nowSeconds() })).length,
    3,
  );
});

data(
  'shows a call that was just made, to whoever looks together with others, too',
  async ({ service, world, hourly }) => {
    const asked = service();
    const call = { userId: 5, charge: 40, hourly: { username: 'new', modelName: 'o3', tokens: 4 } };
    const counts = async () =>
      (
        await Promise.all([
          asked.listOwn(actor({ userId: 5 }), {}),
          asked.listOwn(actor({ userId: 5 }), { total: true }),
        ])
      ).map((rows) => rows.reduce((sum, { count }) => sum + count, 0));
    hourly.count({ ...call, nowSeconds: world.nowSeconds() });
    assert.equal(await counts(), [1, 1]);
    hourly.count({ ...call, nowSeconds: world.nowSeconds() });
    assert.equal(await counts(), [1, 1], 'nobody who keeps asking makes a write of each call');
    world.clock.seconds += 2;
    assert.equal(await counts(), [2, 2]);
  },
);

data('gives each caller the own rows only', async ({ service }) => {
  const rows = await service().listOwn(actor({ userId: 8 }), {});
  assert.equal(
    rows.map(({ modelName }) => modelName),
    ['gpt-4o', 'o3'],
  );
  assert.ok(rows.every(({ userId }) => userId === 8));
});

data('finds a user by id behind the name, and a name that is gone by what was counted', async ({ service, world }) => {
  const inserted = await world.database.stores.users.insert({ username: 'renamed', createdAt: 0 });
  const id = inserted.inserted ? inserted.user.id : 0;
  const now = world.nowSeconds() - (world.nowSeconds() % hour);
  await world.database.stores.quotaData.add([
    { userId: id, username: 'before', modelName: 'm', createdAt: now, tokenUsed: 1, count: 1, quota: 5 },
  ]);
  assert.equal(
    (await service().list({ username: 'renamed' })).map(({ quota }) => quota),
    [5],
  );
  assert.is((await service().list({ username: 'gone' }))[0]?.userId, 9);
  assert.equal(await service().list({ username: 'nobody' }), []);
});

data(
  'limits the span to 31 days for users and 366 for administrators, one of which may have 25 hours',
  async ({ service, world }) => {
    const until = world.nowSeconds();
    const span = (seconds: number) => ({ start_timestamp: until - seconds, end_timestamp: until });
    const own = (seconds: number) => service().listOwn(actor({ userId: 7 }), span(seconds));
    assert.is((await own(31 * day + hour)).length, 2);
    assert.is(await codeOf(own(31 * day + hour + 1)), 'data_span');
    assert.is((await service().list(span(366 * day))).length, 3);
    assert.is(await codeOf(service().list(span(366 * day + hour + 1))), 'data_span');
  },
);

data('is empty while nothing is counted', async ({ service }) => {
  assert.equal(await service({ DataExportEnabled: false }).list({}), []);
  assert.equal(await service({ DataExportEnabled: false }).listOwn(actor(), {}), []);
});

data('tells cached tokens and failures of every hour where they are asked for', async ({ service, world }) => {
  const now = world.nowSeconds() - (world.nowSeconds() % hour);
  const row = (userId: number, over: Partial<NewLogRow>): NewLogRow => ({
    userId,
    createdAt: now + 5,
    type: 2,
    content: '',
    username: `user${userId}`,
    tokenName: '',
    modelName: 'gpt-4o',
    quota: 1,
    promptTokens: 1,
    completionTokens: 1,
    useTime: 0,
    isStream: false,
    channelId: 1,
    tokenId: 1,
    group: 'default',
    other: '{"cache_tokens":4}',
    requestId: '',
    failed: false,
    ip: null,
    ...over,
  });
  const failed = { failed: true, other: '' };
  await world.database.stores.logs.insert([
    row(7, {}),
    row(8, {}),
    row(8, failed),
    row(8, { ...failed, modelName: 'never-answered', createdAt: now - hour }),
    row(9, { username: 'gone' }),
    row(7, { createdAt: now - 3 * day }),
  ]);
  const short = (rows: readonly UsageDataRow[]) =>
    rows.map((each) => [each.createdAt - now, each.modelName, each.count, each.cachedTokens, each.failed]);
  assert.equal(short(await service().list({ details: true })), [
    [-hour, 'never-answered', 0, 0, 1],
    [0, 'gpt-4o', 3, 12, 1],
    [0, 'o3', 1, 0, 0],
  ]);
  assert.equal(short(await service().listOwn(actor({ userId: 8 }), { details: true })), [
    [-hour, 'never-answered', 0, 0, 1],
    [0, 'gpt-4o', 1, 4, 1],
    [0, 'o3', 1, 0, 0],
  ]);
  assert.equal(short(await service().list({ details: true, username: 'gone' })), [[0, 'gpt-4o', 1, 4, 0]]);
  for (const plain of await service().list({}))
    assert.equal([plain.cachedTokens, plain.failed], [undefined, undefined]);
});

data('sums a whole span to one row where a total is asked for', async ({ service, world }) => {
  const now = world.nowSeconds();
  const span = { from: now - 3 * day, until: now };
  const short = (rows: readonly UsageDataRow[]) =>
    rows.map(({ modelName, createdAt, count, quota, tokenUsed }) => [modelName, createdAt, count, quota, tokenUsed]);
  const asked = { total: true, start_timestamp: span.from, end_timestamp: span.until };
  assert.equal(short(await service().list(asked)), [['', span.from, 5, 500, 50]]);
  assert.equal(short(await service().list({ ...asked, username: 'gone' })), [['', span.from, 1, 100, 10]]);
  assert.equal(short(await service().listOwn(actor({ userId: 8 }), asked)), [['', span.from, 2, 200, 20]]);
  assert.equal(await service().listOwn(actor({ userId: 99 }), asked), []);
});

data.run();
