/** The calls of the seeds about users, options and redemption codes, one test each. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { rootPassword, startTestDaemon, type TestDaemon } from '../support/daemon.ts';
import { assertMembers, ConsoleSession, membersOf } from './console-session.ts';
import { administrationCalls } from './seed-calls.ts';

const seeds = suite('calls of the seeds: administration');

let daemon: TestDaemon;
/** Root's browser, but for what an administrator may do just as well. */
let browser: ConsoleSession;
let user: Record<string, unknown>;
let codes: string[];
let codeIds: number[];

seeds.before(async () => {
  daemon = await startTestDaemon({ options: { QuotaForNewUser: '300' } });
  browser = new ConsoleSession(daemon.url);
  await browser.signIn('root', rootPassword);
});
seeds.after(() => daemon.stop());

const rowMembers =
  'DeletedAt access_token aff_code aff_count aff_history_quota aff_quota display_name email github_id group id inviter_id ' +
  'last_check_in_time linux_do_id oidc_id password quota request_count role setting status telegram_id used_quota ' +
  'username wechat_id';
const codeMembers =
  'DeletedAt count created_time id is_gift key max_uses name quota redeemed_time status used_count used_user_id user_id ' +
  'valid_from valid_until';

const userNow = () => browser.object('GET', `/api/user/${user.id}`);

/** The value that the option list shows. */
async function option(key: string): Promise<unknown> {
  return (await browser.rows('GET', '/api/option/')).find((row) => row.key === key)?.value;
}

const statusOf = async (id: number | undefined) => (await browser.object('GET', `/api/redemption/${id}`)).status;

const exercises: Record<(typeof administrationCalls)[number]['call'], () => Promise<void>> = {
  'POST /api/user/': async () => {
    const form = { username: 'ben', password: 'a good password', display_name: 'Ben' };
    user = await browser.object('POST', '/api/user/', form);
    assertMembers(user, rowMembers.split(' '));
    assert.equal([user.username, user.display_name, user.role, user.quota], ['ben', 'Ben', 1, 300]);
    assert.is(await browser.refusal('POST', '/api/user/', form), 'username_taken');
    assert.is(await browser.refusal('POST', '/api/user/', { username: '', password: '' }), 'username_invalid');
  },
  'GET /api/user/': async () => {
    const items = await browser.page('/api/user/?p=0&page_size=10', { page: 1, page_size: 10 });
    assert.equal(
      items.map(({ username }) => username),
      ['ben', 'root'],
    );
    assert.is((await browser.page('/api/user/?p=2&page_size=1', { page: 2, page_size: 1 }))[0]?.username, 'root');
  },
  'GET /api/user/search': async () => {
    const found = await browser.page('/api/user/search?keyword=be&group=default&p=1&page_size=10', {
      page: 1,
      page_size: 10,
    });
    assert.equal(
      found.map(({ id }) => id),
      [user.id],
    );
    assert.equal(
      await browser.page('/api/user/search?keyword=be&group=vip&p=1&page_size=10', { page: 1, page_size: 10 }),
      [],
    );
  },
  'GET /api/user/{id}': async () => {
    assertMembers(await userNow(), ['username', 'quota', 'used_quota', 'request_count', 'group']);
    assert.is(await browser.refusal('GET', '/api/user/999999'), 'user_not_found');
  },
  'PUT /api/user/': async () => {
    const changes = { display_name: 'Benjamin', group: 'vip', quota: 1300 };
    const before = await userNow();
    assert.is(await browser.data('PUT', '/api/user/', { ...before, ...changes }), null);
    assert.equal(await userNow(), { ...before, ...changes });
  },
  'POST /api/user/manage': async () => {
    const steps: readonly (readonly [string, number, number])[] = [
      ['disable', 1, 2],
      ['enable', 1, 1],
      ['promote', 10, 1],
      ['demote', 1, 1],
      ['delete', 1, 1],
    ];
    for (const [action, role, status] of steps) {
      const { role: newRole, status: newStatus } = await browser.object('POST', '/api/user/manage', {
        id: user.id,
        action,
      });
      assert.equal([newRole, newStatus], [role, status], action);
    }
    assert.type((await userNow()).DeletedAt, 'string');
    assert.is(
      await browser.refusal('POST', '/api/user/manage', { id: user.id, action: 'enable' }),
      'user_deleted_readonly',
    );
    assert.is(await browser.refusal('POST', '/api/user/manage', { id: user.id, action: 'dance' }), 'invalid_params');
  },
  'GET /api/group/': async () => {
    assert.equal(await browser.data('GET', '/api/group/'), ['default', 'svip', 'vip']);
  },
  'GET /api/models': async () => {
    const byType = await browser.object('GET', '/api/models');
    for (const models of Object.values(byType)) assert.ok(Array.isArray(models));
    assert.ok(Array.isArray(byType['1']) && byType['1'].length > 5);
  },
  'GET /api/option/': async () => {
    for (const row of await browser.rows('GET', '/api/option/')) {
      assert.equal([typeof row.key, typeof row.value], ['string', 'string'], JSON.stringify(row));
    }
    assert.equal([await option('CheckInEnabled'), await option('EpayKey')], ['false', '']);
  },
  'PUT /api/option/': async () => {
    assert.is(await browser.data('PUT', '/api/option/', { key: 'SystemName', value: 'Ours' }), null);
    assert.is(await browser.data('PUT', '/api/option/', { key: 'CheckInEnabled', value: true }), null);
    assert.is(
      await browser.data('PUT', '/api/option/', { key: 'ServerAddress', value: 'https://ours.example/' }),
      null,
    );
    const after = [await option('SystemName'), await option('CheckInEnabled'), await option('ServerAddress')];
    assert.equal(after, ['Ours', 'true', 'https://ours.example']);
    assert.is((await browser.object('GET', '/api/status')).system_name, 'Ours');
    assert.is(
      await browser.refusal('PUT', '/api/option/', { key: 'RebatePercentage', value: '100.1' }),
      'option_invalid',
    );
    assert.is(await browser.refusal('PUT', '/api/option/', { key: 'Unheard', value: '1' }), 'option_unknown');
  },
  'POST /api/option/rest_model_ratio': async () => {
    const before = await option('ModelRatio');
    await browser.data('PUT', '/api/option/', { key: 'ModelRatio', value: '{"mine":3}' });
    assert.equal(JSON.parse(String(await option('ModelRatio'))), { mine: 3 });
    await browser.data('POST', '/api/option/rest_model_ratio', undefined, /./);
    assert.is(await option('ModelRatio'), before);
  },
  'POST /api/redemption/': async () => {
    const form = { name: 'spring', quota: 100_000, count: 3, is_gift: false, max_uses: -1 };
    const made = await browser.data('POST', '/api/redemption/', form);
    assert.ok(Array.isArray(made) && made.length === 3);
    codes = Array.isArray(made) ? made.map(String) : [];
    for (const code of codes) assert.match(code, /^[0-9a-f]{32}$/);
    assert.equal(
      await browser.data('POST', '/api/redemption/', { ...form, count: 1, is_gift: true, key: 'GIFT-2026' }),
      ['GIFT-2026'],
    );
    assert.is(await browser.refusal('POST', '/api/redemption/', { ...form, name: '' }), 'redemption_name_invalid');
    assert.is(await browser.refusal('POST', '/api/redemption/', { ...form, count: 10_001 }), 'redemption_count_max');
  },
  'GET /api/redemption/': async () => {
    const items = await browser.page('/api/redemption/?p=1&page_size=10', { page: 1, page_size: 10 });
    for (const item of items) assert.equal(Object.keys(item).sort(), codeMembers.split(' '));
    assert.equal(items.map(({ key }) => key).sort(), [...codes, 'GIFT-2026'].sort());
    codeIds = items.filter(({ is_gift }) => is_gift === false).map(({ id }) => Number(id));
  },
  'GET /api/redemption/search': async () => {
    const items = await browser.page('/api/redemption/search?keyword=spr&p=1&page_size=2', { page: 1, page_size: 2 });
    assert.is(items.length, 2);
    const whole = `/api/redemption/search?keyword=${codes[0]}&p=1&page_size=10`;
    assert.equal(
      (await browser.page(whole, { page: 1, page_size: 10 })).map(({ key }) => key),
      [codes[0]],
    );
  },
  'GET /api/redemption/{id}': async () => {
    const row = await browser.object('GET', `/api/redemption/${codeIds[0]}`);
    assert.equal([row.name, row.quota, row.status, row.used_user_id, row.used_count], ['spring', 100_000, 1, 0, 0]);
  },
  'PUT /api/redemption/': async () => {
    const row = await browser.object('GET', `/api/redemption/${codeIds[0]}`);
    const changed = membersOf(
      await browser.data('PUT', '/api/redemption/', { ...row, name: 'summer', quota: 5, key: 'x' }),
    );
    assert.equal(changed, { ...row, name: 'summer', quota: 5 });
  },
  'PUT /api/redemption/?status_only=true': async () => {
    const set = (status: number) =>
      browser.object('PUT', '/api/redemption/?status_only=true', { id: codeIds[0], status });
    assert.equal([(await set(2)).status, (await set(1)).status], [2, 1]);
    const used = { id: codeIds[0], status: 3 };
    assert.is(await browser.refusal('PUT', '/api/redemption/?status_only=true', used), 'invalid_params');
  },
  'PUT /api/redemption/batch-disable': async () => {
    assert.is(await browser.data('PUT', '/api/redemption/batch-disable', { ids: [codeIds[0], 999_999] }), 1);
    assert.is(await statusOf(codeIds[0]), 2);
    assert.is(await browser.refusal('PUT', '/api/redemption/batch-disable', { ids: [] }), 'redemption_ids_required');
  },
  'GET /api/redemption/count-by-name': async () => {
    assert.is(await browser.data('GET', '/api/redemption/count-by-name?name=spring'), 3);
    assert.is(await browser.refusal('GET', '/api/redemption/count-by-name?name='), 'redemption_name_required');
  },
  'DELETE /api/redemption/{id}': async () => {
    assert.is(await browser.data('DELETE', `/api/redemption/${codeIds[1]}/`), null);
    assert.is(await browser.refusal('GET', `/api/redemption/${codeIds[1]}`), 'redemption_not_found');
  },
  'DELETE /api/redemption/delete-disabled': async () => {
    assert.is(await browser.data('DELETE', '/api/redemption/delete-disabled'), 1);
    assert.is(await browser.refusal('GET', `/api/redemption/${codeIds[0]}`), 'redemption_not_found');
  },
  'DELETE /api/redemption/delete-by-name': async () => {
    assert.is(await browser.data('DELETE', '/api/redemption/delete-by-name?name=spring'), 2);
    assert.is(await browser.data('GET', '/api/redemption/count-by-name?name=spring'), 0);
  },
};

for (const [call, exercise] of Object.entries(exercises)) {
  const { at = [] } = administrationCalls.find((known) => known.call === call) ?? {};
  seeds(`${call} (${at.join(', ')})`, exercise);
}

seeds.run();
