/** The state of the site through a whole daemon: nodes, jobs, warnings, upstream addresses. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { SystemView } from '../../../../../daemon/contract/system.ts';
import { startTestDaemon, type TestDaemon } from '../../../../support/daemon.ts';
import { answeredChat } from '../../../../support/daemon-pair.ts';
import { type FakeUpstream, jsonAnswer, startFakeUpstream } from '../../../../support/fake-upstream.ts';
import { untilThere } from '../../../../support/until.ts';

const system = suite('state of the site');

let daemon: TestDaemon;
let upstream: FakeUpstream;

system.before(async () => {
  upstream = await startFakeUpstream(jsonAnswer({}));
  daemon = await startTestDaemon({ config: { trusted_proxies: ['10.0.0.0/8'] } });
});
system.after(async () => {
  await daemon?.stop();
  await upstream?.close();
});

const codes = ({ warnings }: SystemView) => warnings.map(({ code }) => code);

system('tells of this node what it is, and how its jobs go', async () => {
  const { items } = await daemon.root.system.nodes();
  assert.is(items.length, 1);
  const [node] = items;
  assert.equal([node?.alive, node?.role, node?.lag, node?.running], [true, 'master', 0, 0]);
  assert.ok((node?.memory_bytes ?? 0) > 10_000_000);
  const jobs = node?.jobs ?? [];
  assert.ok(jobs.some(({ name, outcome }) => name === 'retention' && outcome === 'never'));
  const now = Date.now() / 1000;
  // One job runs at the start and may still be at it.
  for (const { name, next_at } of jobs) assert.ok(next_at > now - 5 || name === 'hold-sweeper', name);
});

system('tells whose word it takes for the address of a caller', async () => {
  const { network } = await daemon.root.system.get();
  assert.equal(network, { trusted_proxies: ['10.0.0.0/8'], egress_allow: ['127.0.0.0/8'] });
});

system('knows nodes that fell silent, and other versions', async () => {
  const { database, nowSeconds } = daemon.daemon.foundation;
  const other = { address: 'b:3000', version: '0.0.1', startedAt: 1, heartbeatAt: nowSeconds() };
  await database.stores.nodes.beat({ id: 'other', ...other });
  assert.ok(codes(await daemon.root.system.get()).includes('versions_differ'));
  await database.stores.nodes.beat({ id: 'other', ...other, heartbeatAt: nowSeconds() - 1000 });
  const seen = await daemon.root.system.get();
  assert.ok(codes(seen).includes('nodes_silent'));
  assert.not.ok(codes(seen).includes('versions_differ'));
  assert.equal(seen.nodes.map(({ id, alive }) => [id === 'other', alive]).sort(), [
    [false, true],
    [true, false],
  ]);
  await database.stores.nodes.delete('other');
});

system('names a job once that failed on several nodes, and no heartbeat, since that came', async () => {
  const { database, nowSeconds } = daemon.daemon.foundation;
  const job = { scope: 'node', lastAt: 1, lastMs: 1, outcome: 'failed', nextAt: 1 };
  const facts = JSON.stringify({ jobs: ['heartbeat', 'hold-sweeper'].map((name) => ({ ...job, name })) });
  const node = { address: 'b:3000', version: '0.0.1', startedAt: 1, heartbeatAt: nowSeconds(), facts };
  for (const id of ['second', 'third']) await database.stores.nodes.beat({ id, ...node });
  const { warnings } = await daemon.root.system.get();
  const told = warnings.find(({ code }) => code === 'jobs_failed')?.message ?? '';
  assert.equal(told.match(/hold-sweeper|heartbeat/g), ['hold-sweeper']);
  for (const id of ['second', 'third']) await database.stores.nodes.delete(id);
});

system('warns of what is missing, in the language asked for, until it is there', async () => {
  const before = await daemon.root.system.get();
  assert.equal(codes(before).sort(), ['mail_missing', 'no_channel', 'server_address_missing']);
  const message = (state: SystemView) => state.warnings.find(({ code }) => code === 'mail_missing')?.message ?? '';
  assert.match(message(before), /SMTP/);
  await daemon.root.options.set({ key: 'ServerAddress', value: 'https://gate.example.org' });
  await daemon.root.options.set({ key: 'SMTPServer', value: 'mail.example.org' });
  await daemon.addChannel({ base_url: upstream.url, models: 'm' });
  const after = await daemon.root.system.get();
  assert.equal(codes(after), []);
  assert.equal([after.mail, after.database.reachable, after.channels.length], [true, true, 1]);
});

system(
  'warns of a mail server that the egress guard keeps it from, and names the entry that would allow it',
  async () => {
    await daemon.root.options.set({ key: 'SMTPServer', value: '10.0.0.25' });
    const english = { headers: { 'accept-language': 'en' } };
    const { warnings } = await daemon.root.system.get({}, english);
    const warned = warnings.find(({ code }) => code === 'mail_private')?.message ?? '';
    assert.match(warned, 'SMTPServer is not public');
    assert.match(warned, 'add 10.0.0.25:587 to security.egress_allow');
    const tested = await daemon.root.selfTests.run({ check: 'mail' }, english);
    assert.equal([tested.result, tested.code], ['fail', 'mail_sender']);
    await daemon.root.options.set({ key: 'SMTPFrom', value: 'post@example.org' });
    const refused = await daemon.root.selfTests.run({ check: 'mail' }, english);
    assert.equal([refused.result, refused.code], ['fail', 'mail_private']);
    assert.match(refused.message, '10.0.0.25:587');
    await daemon.root.options.set({ key: 'SMTPServer', value: 'mail.example.org' });
  },
);

system('counts the calls of each channel', async () => {
  const { database, nowSeconds } = daemon.daemon.foundation;
  const [channel] = (await daemon.root.system.get()).channels;
  const row = {
    userId: 1,
    type: 2,
    content: '',
    username: 'root',
    tokenName: '',
    modelName: 'm',
    quota: 1,
    promptTokens: 1,
    completionTokens: 1,
    useTime: 1,
    isStream: false,
    channelId: channel?.id ?? 0,
    tokenId: 0,
    group: 'default',
    other: '{}',
    requestId: '',
    ip: null,
  };
  const now = nowSeconds();
  await database.transaction((stores) =>
    stores.logs.insert([
      { ...row, createdAt: now, failed: false },
      { ...row, createdAt: now, failed: true },
      { ...row, createdAt: now - 10 * 3600, failed: false },
    ]),
  );
  await database.stores.channels.setBalance(row.channelId, 12.5, now);
  await database.stores.channels.setTested(row.channelId, { responseTime: 640, testTime: now });
  const [seen] = (await daemon.root.system.get()).channels;
  assert.equal(
    [seen?.models, seen?.keys, seen?.response_time, seen?.balance, seen?.reason],
    [1, { usable: 1, all: 1 }, 640, 12.5, ''],
  );
  assert.equal([channel?.balance, channel?.response_time], [null, 0], 'nobody has asked yet');
  assert.equal(
    [seen?.last_hour, seen?.last_day],
    [
      { requests: 1, failures: 1 },
      { requests: 2, failures: 1 },
    ],
  );
});

system('asks every upstream address once, without a key, and says why one is not reached', async () => {
  const dead = await daemon.addChannel({ base_url: 'http://127.0.0.1:9', models: 'm' });
  await daemon.addChannel({ base_url: `${upstream.url}/v1`, models: 'm' });
  const before = upstream.requests.length;
  const { items } = await daemon.root.system.check();
  assert.is(items.length, 2);
  const alive = items.find(({ reachable }) => reachable);
  assert.equal([alive?.address, alive?.channels.length], [upstream.url, 2]);
  assert.ok((alive?.status ?? 0) > 0);
  const gone = items.find(({ reachable }) => !reachable);
  assert.equal([gone?.channels, gone?.reason, gone?.status], [[dead], 'ECONNREFUSED', 0]);
  const asked = upstream.requests.slice(before);
  assert.is(asked.length, 1);
  assert.not.ok('authorization' in (asked[0]?.headers ?? {}));
});

system('tells how long channels took and how they failed, of this node and of others that are alive', async () => {
  const { database, nowSeconds } = daemon.daemon.foundation;
  const answering = await daemon.addChannel({ base_url: upstream.url, models: 'timed', priority: 0 });
  const broken = await daemon.addChannel({ base_url: 'http://127.0.0.1:9', models: 'timed', priority: 9 });
  await daemon.root.options.set({ key: 'RetryTimes', value: '1' });
  await daemon.root.options.set({ key: 'ModelPrice', value: '{"timed":0}' });
  const key = await daemon.addKey({ unlimited_quota: true });
  upstream.script(answeredChat);
  const answer = await fetch(`${daemon.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'timed', messages: [{ role: 'user', content: 'hi' }] }),
  });
  assert.is(answer.status, 200, await answer.text());
  const told = {
    channelId: answering,
    model: 'timed',
    answered: 2,
    durations: [12, 2],
    firstTokens: [12, 2],
    errors: {},
  };
  const other = { address: 'b:3000', version: '0.0.1', startedAt: 1, heartbeatAt: nowSeconds() };
  const failing = [{ channelId: broken, lastHour: 2, lastDay: 5 }];
  const facts = JSON.stringify({ times: [told], failedTries: failing });
  await database.stores.nodes.beat({ id: 'other', ...other, facts });
  const { items } = await daemon.root.system.latency();
  const of = (channel: number, model: string | null) =>
    items.find((row) => row.channel === channel && row.model === model);
  for (const model of [null, 'timed']) {
    assert.equal([of(answering, model)?.answered, of(answering, model)?.failed], [3, 0]);
    assert.ok((of(answering, model)?.duration?.p50 ?? 0) > 0);
    assert.equal(of(broken, model)?.errors, [{ class: 'unreachable', count: 1 }]);
    assert.is(of(broken, model)?.duration, null);
  }
  const calls = ({ channels }: SystemView, channel: number) => {
    const { last_hour, last_day } = channels.find(({ id }) => id === channel) ?? {};
    return [last_hour, last_day];
  };
  // The log has the call a moment after its answer.
  const state = await untilThere(async () => {
    const seen = await daemon.root.system.get();
    return calls(seen, answering)[0]?.requests === 1 ? seen : undefined;
  });
  const { first_token } = state;
  assert.equal(
    calls(state, broken),
    [
      { requests: 0, failures: 3 },
      { requests: 0, failures: 6 },
    ],
    'a channel that never answers has failed, though the log has no row of it',
  );
  const once = { requests: 1, failures: 0 };
  assert.equal(calls(state, answering), [once, once]);
  assert.ok((first_token?.p95 ?? 0) > 100, 'two of three calls of all nodes took longer than a tenth of a second');
  await database.stores.nodes.delete('other');
});

system.run();
