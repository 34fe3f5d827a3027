import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { OptionKey } from '../../../daemon/contract/options.ts';
import { insertAccount } from '../../../daemon/domain/new-accounts.ts';
import type { NewUser, UserStore } from '../../../daemon/store/users.ts';
import { type HttpHarness, startHttpHarness } from '../../support/http-harness.ts';
import { assertRefused } from '../../support/refusals.ts';

const registration = suite('registering');

let harness: HttpHarness;

registration.before(async () => {
  harness = await startHttpHarness();
  await harness.setup();
});

registration.after(() => harness.close());

async function option(key: OptionKey, value: string): Promise<void> {
  const { database, snapshots } = harness.world;
  await database.stores.options.set(key, value);
  await snapshots.reload('options');
}

registration('creates a normal user who is not signed in and whom nothing in the body can make more', async () => {
  await option('QuotaForNewUser', '1000');
  const response = await harness.request('/api/user/register', {
    method: 'POST',
    body: JSON.stringify({
      username: ' carol ',
      password: 'long enough',
      email: 'carol@example.org',
      role: 100,
      status: 2,
      quota: 5_000_000,
      group: 'vip',
      inviter_id: 1,
      aff_quota: 77,
      github_id: 'x',
    }),
  });
  assert.equal(await response.json(), { success: true, message: '', data: null });
  assert.is(response.headers.get('set-cookie'), null);
  const user = await harness.world.database.stores.users.findByUsername('carol');
  assert.ok(user);
  assert.equal(
    [user.role, user.status, user.quota, user.group, user.inviterId, user.affQuota, user.githubId, user.email],
    [1, 1, 1000, 'default', 0, 0, null, null],
  );
  assert.is(user.displayName, 'carol');
  assert.match(user.affCode ?? '', /^[0-9A-Za-z]{8}$/);
  const { items } = await harness.world.database.stores.logs.list({ userId: user.id }, { offset: 0, limit: 5 });
  assert.equal(
    items.map(({ type, quota }) => [type, quota]),
    [[4, 1000]],
  );
  await option('QuotaForNewUser', '0');
});

registration('takes a name once, without regard to case, deleted names included', async () => {
  const { users } = harness.world.database.stores;
  const register = (username: string) => harness.client().account.register({ username, password: 'long enough' });
  await register('Dora');
  await assertRefused(register('dora'), 'username_taken');
  const dora = await users.findByUsername('dora');
  await users.softDelete(dora?.id ?? 0, new Date());
  await assertRefused(register('DORA'), 'username_taken');
});

registration('lets one of many claim a name at the same moment', async () => {
  const claims = Array.from({ length: 10 }, () =>
    harness
      .client()
      .account.register({ username: 'wanted', password: 'long enough' })
      .then(
        () => 'got it',
        (error: { code: string }) => error.code,
      ),
  );
  const outcomes = await Promise.all(claims);
  assert.is(outcomes.filter((outcome) => outcome === 'got it').length, 1);
  assert.is(outcomes.filter((outcome) => outcome === 'username_taken').length, 9);
});

const refused: [Record<string, string>, string][] = [
  [{ username: '' }, 'username_invalid'],
  [{ username: 'x'.repeat(21) }, 'username_invalid'],
  [{ username: 'me@home' }, 'username_invalid'],
  [{ username: 'a\u0007b' }, 'username_invalid'],
  [{ password: 'short' }, 'password_invalid'],
  [{ password: 'x'.repeat(73) }, 'password_invalid'],
  [{ password2: 'another one' }, 'password_mismatch'],
];

registration('refuses names and passwords that break the rules', async () => {
  for (const [change, code] of refused) {
    await assertRefused(
      harness.client().account.register({ username: 'erin', password: 'long enough', ...change }),
      code,
      200,
    );
  }
});

registration('follows every switch', async () => {
  const register = () => harness.client().account.register({ username: 'frank', password: 'long enough' });
  const switches: [OptionKey, string, string][] = [
    ['RegisterEnabled', 'false', 'register_off'],
    ['SelfUseModeEnabled', 'true', 'register_off'],
    ['PasswordRegisterEnabled', 'false', 'password_register_off'],
    ['EmailVerificationEnabled', 'true', 'email_required'],
  ];
  for (const [key, value, code] of switches) {
    await option(key, value);
    await assertRefused(register(), code);
    await option(key, value === 'true' ? 'false' : 'true');
  }
  await register();
});

registration('rewards inviter and invitee, and ignores codes that are nobody’s', async () => {
  const { stores } = harness.world.database;
  const inviter = await harness.addUser();
  await option('QuotaForInviter', '300');
  await option('QuotaForInvitee', '200');
  const code = inviter.user.affCode ?? '';
  await harness.client().account.register({ username: 'guest', password: 'long enough', aff_code: code });
  const guest = await stores.users.findByUsername('guest');
  assert.equal([guest?.quota, guest?.inviterId], [200, inviter.user.id]);
  const host = await stores.users.find(inviter.user.id);
  assert.equal([host?.quota, host?.affCount, host?.affQuota, host?.affHistory], [0, 1, 300, 300]);
  await harness.client().account.register({ username: 'stray', password: 'long enough', aff_code: 'nobody' });
  assert.is((await stores.users.findByUsername('stray'))?.inviterId, 0);
  await stores.users.update(inviter.user.id, { status: 2 });
  await harness.client().account.register({ username: 'late', password: 'long enough', aff_code: code });
  assert.is((await stores.users.findByUsername('late'))?.inviterId, 0);
});

registration('draws another invite code as long as somebody has the one that was drawn', async () => {
  const { stores } = harness.world.database;
  const { user: inviter } = await harness.addUser();
  let drawn = 0;
  /** As they are for whoever draws the inviter's code four times. */
  const users: UserStore = Object.create(stores.users, {
    insert: {
      value: (user: NewUser) => {
        drawn += 1;
        return stores.users.insert(drawn < 5 ? { ...user, affCode: inviter.affCode } : user);
      },
    },
  });
  const { group, role, status, createdAt } = inviter;
  const lucky = await insertAccount({ ...stores, users }, { username: 'lucky', group, role, status, createdAt });
  assert.match(lucky.affCode ?? '', /^[0-9A-Za-z]{8}$/);
  assert.is((await stores.users.findByUsername('lucky'))?.affCode, lucky.affCode);
  assert.is((await stores.users.find(inviter.id))?.affCode, inviter.affCode);
});

registration.run();
