import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { TokenService } from '../../../daemon/domain/tokens.ts';
import { Identities } from '../../../daemon/snapshots/identities.ts';
import { beginBehind } from '../../support/begin-behind.ts';
import { actor, type DomainWorld, openDomainWorld } from '../../support/domain-world.ts';
import { codeOf } from '../../support/refusal-code.ts';

interface Context {
  world: DomainWorld;
  tokens: TokenService;
  once: TokenService;
}

const tokens = suite<Context>('domain/tokens');
const owner = actor({ userId: 7, username: 'alice', role: 1 });
const stranger = actor({ userId: 8, username: 'bob', role: 100 });

tokens.before.each(async (context) => {
  const world = await openDomainWorld();
  const deps = {
    database: world.database,
    bus: world.bus,
    options: () => world.snapshots.current().options,
    secrets: world.keyring,
    maxTokensPerUser: 3,
    nowSeconds: world.nowSeconds,
  };
  context.world = world;
  context.tokens = new TokenService({ ...deps, reveal: 'always' });
  context.once = new TokenService({ ...deps, reveal: 'once' });
});
tokens.after.each(({ world }) => world.close());

const input = { name: 'key', remain_quota: 500, expired_time: -1, unlimited_quota: false, group: '', allow_ips: '' };

tokens('makes a key of 48 letters and digits that only its owner can read again', async ({ world, tokens }) => {
  const made = await tokens.create(owner, input);
  assert.match(made.key, /^[0-9A-Za-z]{48}$/);
  assert.is(made.record.remainQuota, 500);
  assert.is((await tokens.get(owner, made.record.id)).key, made.key);
  assert.is(await tokens.revealKey(owner, made.record.id), made.key);
  const row = await world.database.stores.tokens.findByKeyHash(world.keyring.tokenHash(made.key));
  assert.is(row?.id, made.record.id);
  assert.is(row?.remainQuota, 500);
  assert.not.match(JSON.stringify(row), new RegExp(made.key));
});

tokens('stays disabled when it is changed, whatever it has left', async ({ tokens }) => {
  const { record } = await tokens.create(owner, input);
  await tokens.setStatus(owner, record.id, 2);
  const changed = await tokens.update(owner, record.id, { name: 'renamed', remain_quota: 900, expired_time: -1 });
  assert.equal([changed.record.name, changed.record.status], ['renamed', 2]);
});

tokens('stays disabled by whoever disables it while a change would revive it', async ({ world, tokens }) => {
  const { record } = await tokens.create(owner, { ...input, remain_quota: 0 });
  const { tokens: stored } = world.database.stores;
  await stored.update(record.id, owner.userId, { status: 4 });
  const changed = await beginBehind(
    world.database,
    (stores) => stores.tokens.update(record.id, owner.userId, { status: 2 }),
    () => tokens.update(owner, record.id, { remain_quota: 900 }),
  );
  assert.equal([changed.record.status, changed.record.remainQuota], [2, 900]);
});

tokens('does not exist for anybody else, root included', async ({ tokens }) => {
  const { record } = await tokens.create(owner, input);
  const attempts = await Promise.all(
    [
      tokens.get(stranger, record.id),
      tokens.revealKey(stranger, record.id),
      tokens.update(stranger, record.id, { name: 'x' }),
      tokens.setStatus(stranger, record.id, 2),
      tokens.delete(stranger, record.id),
    ].map(codeOf),
  );
  assert.equal([...new Set(attempts)], ['token_not_found']);
  assert.is(await tokens.deleteBatch(stranger, [record.id]), 0);
  assert.equal((await tokens.list(stranger, { offset: 0, limit: 10 })).items, []);
  assert.ok(await tokens.get(owner, record.id));
});

tokens('shows a key once where the site says so', async ({ once, tokens }) => {
  const made = await once.create(owner, input);
  assert.match(made.key, /^[0-9A-Za-z]{48}$/);
  const [listed] = (await once.list(owner, { offset: 0, limit: 10 })).items;
  assert.is(listed?.key, `${made.key.slice(0, 4)}****${made.key.slice(-4)}`);
  assert.is(await codeOf(once.revealKey(owner, made.record.id)), 'token_key_hidden');
  assert.is(await codeOf(tokens.revealKey(owner, made.record.id)), 'token_key_hidden');
});

tokens('finds a key by its whole text, a part of it, or its name', async ({ tokens, once }) => {
  const made = await tokens.create(owner, { ...input, name: 'production' });
  await tokens.create(owner, { ...input, name: 'test' });
  const find = async (keyword?: string, token?: string) =>
    (await tokens.search(owner, { keyword, token })).items.map(({ record }) => record.id);
  assert.equal(await find(undefined, `sk-${made.key}`), [made.record.id]);
  assert.equal(await find(undefined, made.key.slice(10, 20)), [made.record.id]);
  assert.equal(await find('roduct'), [made.record.id]);
  assert.equal(await find('test', made.key), []);
  assert.equal(await find(undefined, made.key.slice(0, 6)), [made.record.id]);
  assert.equal(await find(undefined, made.key.slice(0, 5)), []);
  assert.equal(await tokens.search(stranger, { keyword: undefined, token: made.key }), { items: [], total: 0 });
  assert.equal((await once.search(owner, { keyword: undefined, token: made.key })).items.length, 1);
});

tokens('says how many keys a search finds, though it shows no more than the newest hundred', async ({ world }) => {
  const many = new TokenService({
    database: world.database,
    bus: world.bus,
    options: () => world.snapshots.current().options,
    secrets: world.keyring,
    maxTokensPerUser: 200,
    nowSeconds: world.nowSeconds,
    reveal: 'always',
  });
  for (let count = 1; count <= 103; count += 1) await many.create(owner, { ...input, name: `worker ${count}` });
  await many.create(owner, input);
  const { items, total } = await many.search(owner, { keyword: 'worker', token: undefined });
  assert.equal([items.length, total, items[0]?.record.name], [100, 103, 'worker 103']);
});

tokens('stops at the number of keys a user may have, also when they are made at once', async ({ tokens }) => {
  const results = await Promise.all(Array.from({ length: 8 }, () => codeOf(tokens.create(owner, input))));
  assert.is(results.filter((code) => code === 'accepted').length, 3);
  assert.is(results.filter((code) => code === 'token_limit_reached').length, 5);
});

tokens('refuses a missing name and a group that is not usable', async ({ tokens }) => {
  assert.is(await codeOf(tokens.create(owner, { ...input, name: undefined })), 'token_name_required');
  assert.is(await codeOf(tokens.create(owner, { ...input, group: 'svip' })), 'token_group_refused');
});

tokens('changes what is present and ignores what is not the owner’s to change', async ({ tokens }) => {
  const { record } = await tokens.create(owner, { ...input, model_limits: 'gpt-4o' });
  const forged = { name: 'new', used_quota: 99, status: 4, key: 'x', remain_quota: 7 };
  const changed = await tokens.update(owner, record.id, forged);
  assert.equal({ ...record, name: 'new', remainQuota: 7 }, changed.record);
});

tokens('enables an expired or exhausted key again when the change lifts the cause', async ({ world, tokens }) => {
  const { record } = await tokens.create(owner, { ...input, expired_time: world.clock.seconds + 10 });
  world.clock.seconds += 20;
  await world.database.stores.tokens.markExpired(record.id, world.clock.seconds);
  assert.is(await codeOf(tokens.setStatus(owner, record.id, 1)), 'token_cannot_enable_expired');
  assert.is((await tokens.update(owner, record.id, { name: 'still expired' })).record.status, 3);
  assert.is((await tokens.update(owner, record.id, { expired_time: -1 })).record.status, 1);

  await tokens.update(owner, record.id, { remain_quota: 0 });
  await world.database.stores.tokens.markExhausted(record.id);
  assert.is(await codeOf(tokens.setStatus(owner, record.id, 1)), 'token_cannot_enable_exhausted');
  assert.is((await tokens.update(owner, record.id, { remain_quota: 1 })).record.status, 1);
});

tokens('shows a key as expired from its end on, not only once a call was refused', async ({ world, tokens }) => {
  const { record } = await tokens.create(owner, { ...input, expired_time: world.clock.seconds + 10 });
  const other = await tokens.create(owner, { ...input, expired_time: world.clock.seconds + 10 });
  await tokens.setStatus(owner, other.record.id, 2);
  world.clock.seconds += 20;
  const { items } = await tokens.list(owner, { offset: 0, limit: 10 });
  assert.equal(new Map(items.map((item) => [item.record.id, item.record.status])).get(record.id), 3);
  assert.is((await tokens.get(owner, record.id)).record.status, 3);
  assert.is((await tokens.get(owner, other.record.id)).record.status, 2);
  for (const { id } of [record, other.record]) {
    assert.is(await codeOf(tokens.setStatus(owner, id, 1)), 'token_cannot_enable_expired');
  }
  assert.is((await tokens.update(owner, record.id, { expired_time: -1 })).record.status, 1);
});

tokens('shows a key as exhausted once its quota is gone, not only once a call was refused', async ({ tokens }) => {
  const { record } = await tokens.create(owner, { ...input, remain_quota: 0 });
  assert.is(record.status, 4);
  assert.is((await tokens.get(owner, record.id)).record.status, 4);
  await tokens.setStatus(owner, record.id, 2);
  assert.is((await tokens.get(owner, record.id)).record.status, 2);
  assert.is(await codeOf(tokens.setStatus(owner, record.id, 1)), 'token_cannot_enable_exhausted');
  await tokens.update(owner, record.id, { unlimited_quota: true });
  assert.is((await tokens.setStatus(owner, record.id, 1)).record.status, 1);
});

tokens('takes only 1 and 2 as a status', async ({ tokens }) => {
  const { record } = await tokens.create(owner, input);
  assert.is((await tokens.setStatus(owner, record.id, 2)).record.status, 2);
  assert.is((await tokens.setStatus(owner, record.id, 1)).record.status, 1);
  for (const status of [0, 3, 4, Number.NaN]) {
    assert.is(await codeOf(tokens.setStatus(owner, record.id, status)), 'token_status_invalid');
  }
});

tokens('is unknown to the relay from the moment it is disabled or deleted', async ({ world, tokens }) => {
  const identities = new Identities({
    findToken: (hash) => world.database.stores.tokens.findByKeyHash(hash),
    findUser: async () => undefined,
    bus: world.bus,
    now: () => 0,
  });
  identities.start();
  const { record, key } = await tokens.create(owner, input);
  const hash = world.keyring.tokenHash(key);
  const seen: (number | undefined)[] = [];
  const look = async () => seen.push((await world.database.stores.tokens.findByKeyHash(hash))?.status);
  await identities.resolve(hash);
  await tokens.setStatus(owner, record.id, 2);
  const disabled = identities.resolve(hash);
  assert.instance(disabled, Promise);
  await look();
  await disabled;
  await tokens.delete(owner, record.id);
  const deleted = identities.resolve(hash);
  assert.instance(deleted, Promise);
  await look();
  await deleted;
  assert.equal(seen, [2, undefined]);
  identities.stop();
});

tokens('raises no revision where there is nothing of the caller to delete', async ({ world, tokens }) => {
  const { record } = await tokens.create(owner, input);
  const before = await world.database.stores.revisions.byTopic();
  for (const id of [record.id, 999]) {
    assert.is(await codeOf(tokens.delete(stranger, id)), 'token_not_found');
    assert.is(await tokens.deleteBatch(stranger, [id, 1000]), 0);
  }
  assert.equal(await world.database.stores.revisions.byTopic(), before);
});

tokens('asks for ids and counts what it deleted', async ({ tokens }) => {
  const one = await tokens.create(owner, input);
  const two = await tokens.create(owner, input);
  assert.is(await codeOf(tokens.deleteBatch(owner, [])), 'token_ids_required');
  assert.is(await tokens.deleteBatch(owner, [one.record.id, two.record.id, 999]), 2);
  assert.is(await codeOf(tokens.get(owner, one.record.id)), 'token_not_found');
});

tokens.run();
