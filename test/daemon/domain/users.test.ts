import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { logRowsOf, tokenRecord, userRow } from '../../support/account-records.ts';
import { beginBehind } from '../../support/begin-behind.ts';
import { type HttpHarness, startHttpHarness, type TestUser } from '../../support/http-harness.ts';
import { assertRefused, refusalOf } from '../../support/refusals.ts';

const users = suite('user administration');

let harness: HttpHarness;
let root: TestUser;
let admin: TestUser;

users.before(async () => {
  harness = await startHttpHarness();
  root = await harness.setup();
  admin = await harness.addUser({ username: 'the admin', role: 10 });
});

users.after(() => harness.close());

const row = (id: number) => userRow(harness.world.database.stores, id);
const logRows = (id: number) => logRowsOf(harness.world.database.stores, id);

users('creates a user with the quota an admin gives, and says so in a log row', async () => {
  const made = await harness.client(admin).users.create({
    username: ' grace ',
    password: 'long enough',
    quota: 5000,
    group: 'default',
  });
  assert.equal([made.username, made.role, made.quota, made.display_name], ['grace', 1, 5000, 'grace']);
  assert.equal(await logRows(made.id), [[3, 5000]]);
});

users('lets root alone create administrators, and nobody a second root', async () => {
  const create = (by: TestUser, role: number) =>
    harness.client(by).users.create({ username: `r${by.user.id}x${role}`, password: 'long enough', role });
  assert.is((await create(root, 10)).role, 10);
  await assertRefused(create(root, 100), 'user_same_level');
  await assertRefused(create(admin, 10), 'user_same_level');
  await assertRefused(create(admin, 100), 'user_same_level');
  await assertRefused(create(root, 5), 'invalid_params');
});

users('refuses new users that break the rules', async () => {
  const create = (change: object) =>
    harness.client(admin).users.create({ username: 'heidi', password: 'long enough', ...change });
  await assertRefused(create({ username: '@' }), 'username_invalid');
  await assertRefused(create({ password: 'short' }), 'password_invalid');
  await assertRefused(create({ group: 'no such group' }), 'group_unknown');
  await assertRefused(create({ quota: -1 }), 'quota_negative');
  await assertRefused(create({ display_name: 'x'.repeat(21) }), 'invalid_input');
  await assertRefused(create({ username: 'ROOT' }), 'username_taken');
});

users('names the field of its refusals as the call does', async () => {
  const { user } = await harness.addUser();
  const { manage, update } = harness.client(admin).users;
  const refused = async (call: Promise<unknown>) => {
    const { code, field } = await refusalOf(call);
    return [code, field];
  };
  assert.equal(await refused(update({ id: user.id, username: 'root' })), ['username_taken', 'username']);
  assert.equal(await refused(update({ id: user.id, quota: -1 })), ['quota_negative', 'quota']);
  const override = manage({ id: user.id, action: 'add_quota', mode: 'override', value: -1 });
  assert.equal(await refused(override), ['quota_negative', 'value']);
});

users('changes only what differs when the console sends the whole row back', async () => {
  const { user } = await harness.addUser({ username: 'a name far beyond the limit of today', quota: 70 });
  const shown = await harness.client(admin).users.get({ id: user.id });
  const response = await harness.request('/api/user/', {
    method: 'PUT',
    as: admin,
    body: JSON.stringify({
      ...shown,
      display_name: 'New',
      role: 100,
      status: 2,
      inviter_id: 3,
      aff_quota: 9,
      used_quota: 9,
    }),
  });
  assert.equal(await response.json(), { success: true, message: '', data: null });
  const after = await row(user.id);
  assert.equal(
    [
      after.displayName,
      after.username,
      after.quota,
      after.role,
      after.status,
      after.inviterId,
      after.affQuota,
      after.usedQuota,
    ],
    ['New', user.username, 70, 1, 1, 0, 0, 0],
  );
  assert.is(after.authVersion, user.authVersion);
  assert.equal(await logRows(user.id), []);
});

users('sets quota, group and name with a log row each, and the balance to the unit', async () => {
  const { user } = await harness.addUser({ quota: 1000 });
  await harness.client(admin).users.update({ id: user.id, quota: 400, group: 'vip', username: 'ivan' });
  const after = await row(user.id);
  assert.equal([after.quota, after.group, after.username], [400, 'vip', 'ivan']);
  assert.equal((await logRows(user.id)).sort(), [
    [3, -600],
    [3, 0],
    [3, 0],
  ]);
  await harness.client(admin).users.update({ id: user.id, group: '', notes: 'n' });
  assert.is((await row(user.id)).group, 'vip', 'nothing said of it leaves it');
  await assertRefused(harness.client(admin).users.update({ id: user.id, quota: -1 }), 'quota_negative');
  await assertRefused(harness.client(admin).users.update({ id: user.id, group: 'nowhere' }), 'group_unknown');
  await assertRefused(harness.client(admin).users.update({ id: user.id, username: 'root' }), 'username_taken');
  assert.is((await row(user.id)).quota, 400);
});

users('tells in the audit row what was and what is, and of a password only that it changed', async () => {
  const { user } = await harness.addUser({ quota: 1000 });
  await harness.client(admin).users.update({ id: user.id, quota: 400, group: 'vip', password: 'quite secret' });
  const { items } = await harness.world.database.stores.audits.list(
    { action: 'user.update', target: `user:${user.id}` },
    { offset: 0, limit: 1 },
  );
  const { old, new: now } = JSON.parse(items[0]?.detail ?? '{}');
  assert.equal(JSON.parse(old), { group: 'default', password: '***', quota: 1000 });
  assert.equal(JSON.parse(now), { group: 'vip', password: '***', quota: 400 });
});

users('keeps notes for administrators, of which the user learns nothing', async () => {
  const target = await harness.addUser();
  const { id } = target.user;
  const admins = harness.client(admin).users;
  const notes = 'Pays by invoice.\nSee ticket 4711.';
  await admins.update({ id, notes: `  ${notes.replace('\n', '\r\n')} ` });
  assert.is((await admins.get({ id })).notes, notes);
  await admins.update({ id, display_name: 'Somebody' });
  assert.is((await admins.get({ id })).notes, notes, 'absent: as it was');
  const { items } = await harness.world.database.stores.audits.list(
    { action: 'user.update', target: `user:${id}` },
    { offset: 0, limit: 2 },
  );
  assert.is(JSON.parse(JSON.parse(items[1]?.detail ?? '{}').new).notes, notes);
  assert.not.match(JSON.stringify(await harness.client(target).account.get()), /4711|notes/);
  assert.equal(await logRows(id), []);
  assert.equal((await admins.search({ keyword: '4711' })).items, []);
  await assertRefused(admins.update({ id, notes: 'x'.repeat(2001) }), 'invalid_params');
  await assertRefused(admins.update({ id, notes: 'a\u001bb' }), 'invalid_input');
  await admins.update({ id, notes: '' });
  assert.is((await admins.get({ id })).notes, '');
});

users('ends sessions and the access token when it sets a password', async () => {
  const target = await harness.addUser();
  await harness.client(admin).users.update({ id: target.user.id, password: 'a new password' });
  const bySession = await harness.request('/api/user/self', { as: target });
  assert.equal([bySession.status, (await bySession.json()).code], [401, 'session_expired']);
  const byToken = await harness.request('/api/user/self', { as: target, via: 'access-token' });
  assert.is(byToken.status, 401);
  const { username } = target.user;
  assert.is((await harness.client().account.login({ username, password: 'a new password' })).id, target.user.id);
});

users('keeps admins from each other, from root and from their own balance', async () => {
  const peer = await harness.addUser({ role: 10 });
  const client = harness.client(admin);
  for (const id of [peer.user.id, root.user.id]) {
    await assertRefused(client.users.get({ id }), 'user_same_level');
    await assertRefused(client.users.update({ id, display_name: 'x' }), 'user_same_level');
    await assertRefused(client.users.manage({ id, action: 'disable' }), 'user_same_level');
    await assertRefused(client.users.delete({ id }), 'user_same_level');
    await assertRefused(client.users.manage({ id, action: 'add_quota', mode: 'add', value: 1 }), 'user_same_level');
  }
  const own = admin.user.id;
  assert.is((await client.users.get({ id: own })).id, own);
  await assertRefused(client.users.update({ id: own, quota: 9 }), 'user_same_level');
  await assertRefused(client.users.manage({ id: own, action: 'add_quota', mode: 'add', value: 9 }), 'user_same_level');
  await assertRefused(client.users.manage({ id: 999_999, action: 'disable' }), 'user_not_found');
});

users('tells whoever comes second with the same move what the first has done', async () => {
  const { user } = await harness.addUser();
  const promote = () => harness.client(root).users.manage({ id: user.id, action: 'promote' });
  const outcomes = await Promise.allSettled([promote(), promote(), promote(), promote()]);
  const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason.code] : []));
  assert.equal(refused, ['user_already_admin', 'user_already_admin', 'user_already_admin']);
});

users('judges an edit by the role that a promotion at the same moment gives the account', async () => {
  const { id } = (await harness.addUser()).user;
  const edit = beginBehind(
    harness.world.database,
    (stores) => stores.users.setRole(id, { from: 1, to: 10 }),
    () => harness.client(admin).users.update({ id, display_name: 'mine now' }),
  );
  await assertRefused(edit, 'user_same_level');
  assert.is.not((await row(id)).displayName, 'mine now');
});

users('promotes and demotes by root only, and ends the sessions of whom it moves', async () => {
  const target = await harness.addUser();
  const { id } = target.user;
  await assertRefused(harness.client(admin).users.manage({ id, action: 'promote' }), 'user_promote_root_only');
  assert.equal(await harness.client(root).users.manage({ id, action: 'promote' }), { role: 10, status: 1 });
  await assertRefused(harness.client(root).users.manage({ id, action: 'promote' }), 'user_already_admin');
  assert.is((await harness.request('/api/user/self', { as: target })).status, 401);
  assert.is((await harness.request('/api/user/', { as: target, via: 'access-token' })).status, 200);
  assert.equal(await harness.client(root).users.manage({ id, action: 'demote' }), { role: 1, status: 1 });
  assert.is((await harness.request('/api/user/', { as: target, via: 'access-token' })).status, 403);
  await assertRefused(harness.client(root).users.manage({ id: root.user.id, action: 'demote' }), 'user_root_protected');
});

users('ends every sign-in of an account with each of its moves, but for the one that enables it again', async () => {
  const { id } = (await harness.addUser()).user;
  const ended: string[] = [];
  for (const action of ['promote', 'demote', 'disable', 'enable', 'delete'] as const) {
    const before = (await row(id)).authVersion;
    await harness.client(root).users.manage({ id, action });
    if ((await row(id)).authVersion > before) ended.push(action);
  }
  assert.equal(ended, ['promote', 'demote', 'disable', 'delete']);
});

users('disables and enables, with everything a disabled user held ended', async () => {
  const target = await harness.addUser();
  const { id } = target.user;
  assert.equal(await harness.client(admin).users.manage({ id, action: 'disable' }), { role: 1, status: 2 });
  const refused = await harness.request('/api/user/self', { as: target });
  assert.equal([refused.status, (await refused.json()).code], [403, 'user_disabled']);
  assert.is((await harness.request('/api/user/self', { as: target })).status, 401);
  assert.is((await harness.request('/api/user/self', { as: target, via: 'access-token' })).status, 401);
  assert.equal(await harness.client(admin).users.manage({ id, action: 'enable' }), { role: 1, status: 1 });
  assert.equal((await logRows(id)).length, 2);
});

users('deletes softly, then leaves the row alone until root removes it for good', async () => {
  const target = await harness.addUser();
  const { id } = target.user;
  await harness.client(admin).users.delete({ id });
  assert.ok((await harness.client(admin).users.get({ id })).DeletedAt);
  for (const call of [
    () => harness.client(admin).users.update({ id, display_name: 'x' }),
    () => harness.client(admin).users.manage({ id, action: 'enable' }),
    () => harness.client(admin).users.delete({ id }),
    () => harness.client(admin).users.manage({ id, action: 'add_quota', mode: 'add', value: 1 }),
  ]) {
    await assertRefused(call(), 'user_deleted_readonly');
  }
  await assertRefused(harness.client(admin).users.delete({ id, purge: true }), 'forbidden_role', 403);
  await assertRefused(harness.client(root).users.delete({ id: admin.user.id, purge: true }), 'invalid_params');
  await harness.client(root).users.delete({ id, purge: true });
  await assertRefused(harness.client(root).users.get({ id }), 'user_not_found');
});

users('removes with an account its keys, sessions and second factors, and leaves its log', async () => {
  const target = await harness.addUser();
  const { id } = target.user;
  const { sessions, secondFactors, tokens } = harness.world.database.stores;
  await tokens.insert(tokenRecord({ userId: id }));
  await secondFactors.beginTotp({ userId: id, secret: 's', createdAt: 1 });
  await secondFactors.replaceRecoveryCodes(id, ['a']);
  const held = async () => [
    (await tokens.list(id, { offset: 0, limit: 9 })).total,
    (await sessions.listOfUser(id)).length,
    (await secondFactors.findTotp(id)) === undefined ? 0 : 1,
    await secondFactors.countRecoveryCodes(id),
  ];
  assert.equal(await held(), [1, 1, 1, 1]);
  await harness.client(admin).users.manage({ id, action: 'add_quota', mode: 'add', value: 7 });
  await harness.client(admin).users.delete({ id });
  await harness.client(root).users.delete({ id, purge: true });
  assert.equal(await held(), [0, 0, 0, 0]);
  assert.ok((await logRows(id)).some(([type, quota]) => type === 3 && quota === 7));
});

users('is removed for good once, whoever asks for it at the same moment', async () => {
  const { id } = (await harness.addUser()).user;
  await harness.client(admin).users.delete({ id });
  const second = beginBehind(
    harness.world.database,
    (stores) => stores.users.purge(id),
    () => harness.client(root).users.delete({ id, purge: true }),
  );
  await assertRefused(second, 'user_not_found');
  const act = { action: 'user.purge', target: `user:${id}` };
  assert.is((await harness.world.database.stores.audits.list(act, { offset: 0, limit: 1 })).total, 0);
});

users('moves balances atomically and never below zero', async () => {
  const { user } = await harness.addUser({ quota: 100 });
  const move = (mode: 'add' | 'subtract' | 'override', value: number) =>
    harness.client(admin).users.manage({ id: user.id, action: 'add_quota', mode, value });
  assert.equal(await move('add', 50), { quota: 150 });
  assert.equal(await move('subtract', 150), { quota: 0 });
  await assertRefused(move('subtract', 1), 'quota_negative');
  assert.equal(await move('override', 70), { quota: 70 });
  await assertRefused(move('override', -1), 'quota_negative');
  await assertRefused(move('add', 0), 'invalid_params');
  await assertRefused(move('add', -5), 'invalid_params');
  await assertRefused(move('add', Number.MAX_SAFE_INTEGER), 'invalid_params');
  assert.equal(await logRows(user.id), [
    [3, 50],
    [3, -150],
    [3, 70],
  ]);
  const races = Array.from({ length: 20 }, () =>
    move('subtract', 10).then(
      () => 1,
      () => 0,
    ),
  );
  assert.is(
    (await Promise.all(races)).reduce((sum: number, won) => sum + won, 0),
    7,
  );
  assert.is((await row(user.id)).quota, 0);
});

users('names who did it in the row of what was done, by the members that every such row has', async () => {
  const { user } = await harness.addUser({ quota: 100 });
  const asAdmin = harness.client(admin).users;
  await asAdmin.manage({ id: user.id, action: 'add_quota', mode: 'add', value: 5 });
  await asAdmin.update({ id: user.id, quota: 7 });
  await asAdmin.manage({ id: user.id, action: 'disable' });
  const { items } = await harness.world.database.stores.logs.list({ userId: user.id }, { offset: 0, limit: 10 });
  for (const { type, other } of items) {
    const info = { actor_id: admin.user.id, actor_name: 'the admin', ip: '127.0.0.1' };
    assert.equal([type, JSON.parse(other).admin_info], [3, info]);
  }
  assert.is(items.length, 3);
});

users('keeps why a balance was moved, for operators alone', async () => {
  const { user } = await harness.addUser({ quota: 100 });
  for (const mode of ['add', 'subtract', 'override'] as const) {
    const note = `${mode}: ticket 4711`;
    await harness.client(admin).users.manage({ id: user.id, action: 'add_quota', mode, value: 5, note });
  }
  const { logs, audits } = harness.world.database.stores;
  const rows = await logs.list({ userId: user.id }, { offset: 0, limit: 10 });
  assert.equal(
    rows.items.map(({ other }) => JSON.parse(other).admin_info.note),
    ['override: ticket 4711', 'subtract: ticket 4711', 'add: ticket 4711'],
  );
  const told = await audits.list({ action: 'user.quota', target: `user:${user.id}` }, { offset: 0, limit: 1 });
  assert.match(told.items[0]?.detail ?? '', '"note":"override: ticket 4711"');
  const long = { id: user.id, action: 'add_quota', mode: 'add', value: 1, note: 'x'.repeat(501) } as const;
  await assertRefused(harness.client(admin).users.manage(long), 'invalid_params');
});

users('refuses an unknown action instead of pretending (V31)', async () => {
  const response = await harness.request('/api/user/manage', {
    method: 'POST',
    as: admin,
    body: JSON.stringify({ id: 5, action: 'explode' }),
  });
  const answer: { code: string; field: string } = JSON.parse(await response.text());
  assert.equal([answer.code, answer.field], ['invalid_params', 'action']);
});

users('lists newest first with a normalised page, and searches literally', async () => {
  const client = harness.client(admin);
  await harness.addUser({ username: 'per%cent', email: 'percent@example.org' });
  await harness.addUser({ username: 'under_score' });
  const first = await client.users.list({ page: 1, page_size: 2 });
  const second = await client.users.list({ page: 2, page_size: 2 });
  assert.is(first.items.length, 2);
  assert.ok((first.items.at(-1)?.id ?? 0) > (second.items[0]?.id ?? 0));
  assert.is((await harness.request('/api/user/?p=0', { as: admin }).then((answer) => answer.json())).data.page, 1);
  const names = async (keyword: string) =>
    (await client.users.search({ keyword })).items.map(({ username }) => username);
  assert.equal(await names('r%c'), ['per%cent']);
  assert.equal(await names('r_s'), ['under_score']);
  assert.equal(await names('percent@example'), ['per%cent']);
  assert.equal(await names(String(admin.user.id)), ['the admin']);
  const gone = await harness.addUser({ username: 'gone' });
  await client.users.delete({ id: gone.user.id });
  const deleted = (await client.users.search({ status: -1 })).items;
  assert.ok(deleted.some(({ id }) => id === gone.user.id));
  assert.ok(deleted.every(({ DeletedAt }) => DeletedAt !== null));
});

users.run();
