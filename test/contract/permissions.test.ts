/** Who may do what to whom, asked over HTTP of a whole daemon (management-api.md 6.2, 6.3; S11, S21). */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ApiError, type Client } from '../../daemon/contract/client.ts';
import { optionKeys, optionTable } from '../../daemon/contract/options.ts';
import { rootPassword } from '../support/daemon.ts';
import { openSite, type Site } from './site.ts';

const permissions = suite('rights over accounts and options');

let site: Site;

permissions.before(async () => {
  site = await openSite();
});
permissions.after(() => site.close());

type Column = 'admin-user' | 'admin-admin' | 'admin-root' | 'admin-self' | 'root-user' | 'root-admin' | 'root-self';
const columns: readonly Column[] = [
  'admin-user',
  'admin-admin',
  'admin-root',
  'admin-self',
  'root-user',
  'root-admin',
  'root-self',
];

const yes = 'yes';
const same = 'user_same_level';
const kept = 'user_root_protected';
const rootOnly = 'user_promote_root_only';

/** One way to do something to an account, and what 6.2 answers in every column. */
interface Way {
  readonly name: string;
  run(client: Client, id: number): Promise<unknown>;
  readonly expected: readonly string[];
}

const edit = [yes, same, same, same, yes, yes, yes];
const state = [yes, same, same, same, yes, yes, kept];
const ways: readonly Way[] = [
  { name: 'read', run: (client, id) => client.users.get({ id }), expected: [yes, same, same, yes, yes, yes, yes] },
  { name: 'edit', run: (client, id) => client.users.update({ id, display_name: 'other' }), expected: edit },
  { name: 'set quota', run: (client, id) => client.users.update({ id, quota: 77 }), expected: edit },
  {
    name: 'add quota',
    run: (client, id) => client.users.manage({ id, action: 'add_quota', mode: 'add', value: 5 }),
    expected: edit,
  },
  { name: 'set group', run: (client, id) => client.users.update({ id, group: 'vip' }), expected: edit },
  {
    name: 'set password',
    run: (client, id) => client.users.update({ id, password: id === 1 ? rootPassword : 'another password' }),
    // No access token changes the password of its own account (2.2).
    expected: [...edit.slice(0, -1), 'forbidden_role'],
  },
  { name: 'disable', run: (client, id) => client.users.manage({ id, action: 'disable' }), expected: state },
  { name: 'enable', run: (client, id) => client.users.manage({ id, action: 'enable' }), expected: state },
  { name: 'delete', run: (client, id) => client.users.manage({ id, action: 'delete' }), expected: state },
  { name: 'delete by path', run: (client, id) => client.users.delete({ id }), expected: state },
  {
    name: 'promote',
    run: (client, id) => client.users.manage({ id, action: 'promote' }),
    expected: [rootOnly, rootOnly, rootOnly, rootOnly, yes, 'user_already_admin', 'user_already_admin'],
  },
  {
    name: 'demote',
    run: (client, id) => client.users.manage({ id, action: 'demote' }),
    expected: ['user_already_common', same, same, same, 'user_already_common', yes, kept],
  },
];

let made = 0;

/** A fresh account with a credential of its own. */
async function accountOf(role: number): Promise<{ id: number; client: Client }> {
  const { database, keyring, nowSeconds } = site.daemon.daemon.foundation;
  made += 1;
  const username = `account${made}`;
  const inserted = await database.stores.users.insert({ username, role, affCode: username, createdAt: nowSeconds() });
  if (!inserted.inserted) throw new Error(`${username} is taken`);
  const token = `${username}z`.padEnd(32, 'y');
  await database.stores.users.setAccessToken(inserted.user.id, keyring.accessTokenHash(token), nowSeconds() + 1000);
  return { id: inserted.user.id, client: site.daemon.client(token) };
}

async function rootClient(): Promise<Client> {
  const { database, keyring, nowSeconds } = site.daemon.daemon.foundation;
  const token = 'root of this test'.replaceAll(' ', '0').padEnd(32, 'r');
  await database.stores.users.setAccessToken(1, keyring.accessTokenHash(token), nowSeconds() + 1000);
  site.daemon.daemon.foundation.identities.forgetUser(1);
  return site.daemon.client(token);
}

async function setTheScene(column: Column): Promise<{ client: Client; target: number }> {
  const [actor, target] = column.split('-');
  const admin = await accountOf(10);
  const client = actor === 'root' ? await rootClient() : admin.client;
  if (target === 'self') return { client, target: actor === 'root' ? 1 : admin.id };
  if (target === 'root') return { client, target: 1 };
  return { client, target: (await accountOf(target === 'admin' ? 10 : 1)).id };
}

/** `yes`, or the code of the refusal. */
async function outcomeOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return yes;
  } catch (error) {
    if (error instanceof ApiError) return error.code ?? '';
    throw error;
  }
}

for (const way of ways) {
  permissions(`to ${way.name} follow 6.2 in every column, and a refusal changes nothing`, async () => {
    for (const [index, column] of columns.entries()) {
      const { client, target } = await setTheScene(column);
      const before = await site.db('users').where({ id: target }).first();
      const outcome = await outcomeOf(way.run(client, target));
      assert.is(outcome, way.expected[index], `${way.name}: ${column}`);
      const after = await site.db('users').where({ id: target }).first();
      if (outcome !== yes) assert.equal(after, before, `${way.name}: ${column}`);
    }
  });
}

permissions('6.3.2: to make an administrator are root’s, and no body makes a role', async () => {
  const admin = await accountOf(10);
  const user = await accountOf(1);
  const fresh = { username: 'would-be', password: 'a good password' };
  assert.is(await outcomeOf(admin.client.users.create({ ...fresh, role: 10 })), same);
  assert.is(await outcomeOf(admin.client.users.create({ ...fresh, role: 100 })), same);
  assert.is(await outcomeOf((await rootClient()).users.create({ ...fresh, role: 100 })), same);
  const raw = { id: user.id, role: 100, status: 2, inviter_id: 1, aff_quota: 5, used_quota: 5, github_id: '7' };
  const response = await fetch(`${site.daemon.url}/api/user/`, {
    method: 'PUT',
    headers: { ...adminHeaders(), 'Content-Type': 'application/json' },
    body: JSON.stringify(raw),
  });
  assert.is(JSON.parse(await response.text()).success, true);
  const { role, status, inviterId, affQuota, usedQuota, githubId } = await userOf(user.id);
  assert.equal([role, status, inviterId, affQuota, usedQuota, githubId], [1, 1, 0, 0, 0, null]);
});

permissions('6.3.1: over the own account end at name, display name and password', async () => {
  const user = await accountOf(1);
  const everything = {
    role: 100,
    status: 2,
    quota: 1_000_000,
    group: 'vip',
    inviter_id: 1,
    email: 'x@example.org',
    github_id: '1',
    aff_quota: 9,
    aff_count: 9,
    display_name: 'changed',
  };
  const token = `account${made}z`.padEnd(32, 'y');
  const response = await fetch(`${site.daemon.url}/api/user/self`, {
    method: 'PUT',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(everything),
  });
  assert.is(JSON.parse(await response.text()).success, true);
  const row = await userOf(user.id);
  assert.equal(
    [row.displayName, row.role, row.status, row.quota, row.group, row.inviterId, row.email, row.githubId, row.affQuota],
    ['changed', 1, 1, 0, 'default', 0, null, null, 0],
  );
});

permissions('6.3.8: to write options of class R are root’s, and nobody reads a secret', async () => {
  const admin = await accountOf(10);
  for (const key of optionKeys) {
    const outcome = await outcomeOf(admin.client.options.set({ key, value: '\u0001' }));
    const isRoot = optionTable[key].class === 'root';
    if (isRoot) assert.is(outcome, 'forbidden_role', key);
    else assert.is.not(outcome, 'forbidden_role', key);
  }
  const user = await accountOf(1);
  assert.is(await outcomeOf(user.client.options.list()), 'forbidden_role');
});

permissions('6.3.9: to set the system up end with the first setup', async () => {
  const again = { username: 'second', password: 'a good password', confirmPassword: 'a good password' };
  assert.is(await outcomeOf(site.daemon.client(undefined).setup.submit(again)), 'setup_done');
});

permissions('6.3.12: do not let root delete itself', async () => {
  const { url } = site.daemon;
  const login = await fetch(`${url}/api/user/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ username: 'root', password: rootPassword }),
  });
  const cookie = login.headers.get('set-cookie')?.split(';')[0] ?? '';
  const headers = { cookie, 'Tollgate-User': '1' };
  const response = await fetch(`${url}/api/user/self`, { method: 'DELETE', headers });
  assert.is(JSON.parse(await response.text()).code, kept);
});

permissions('to change anything of a deleted user are nobody’s, but for removing it for good', async () => {
  const root = await rootClient();
  const user = await accountOf(1);
  assert.is(await outcomeOf(root.users.delete({ id: user.id, purge: true })), 'invalid_params');
  await root.users.delete({ id: user.id });
  for (const way of ways.filter(({ name }) => name !== 'read')) {
    assert.is(await outcomeOf(way.run(root, user.id)), 'user_deleted_readonly', way.name);
  }
  const admin = await accountOf(10);
  assert.is.not(await outcomeOf(admin.client.users.delete({ id: user.id, purge: true })), yes);
  assert.is(await outcomeOf(root.users.delete({ id: user.id, purge: true })), yes);
  assert.is(await outcomeOf(root.users.get({ id: user.id })), 'user_not_found');
});

function adminHeaders(): Readonly<Record<string, string>> {
  return site.callers.get('admin')?.headers ?? {};
}

async function userOf(id: number) {
  const row = await site.daemon.daemon.foundation.database.stores.users.find(id);
  if (!row) throw new Error(`user ${id} is gone`);
  return row;
}

permissions.run();
