/** The calls of the seeds about first run, keys, playground, wallet and logs, one test each. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { rootPassword, startTestDaemon, type TestDaemon } from '../support/daemon.ts';
import { type FakeUpstream, sseAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { startHttpHarness } from '../support/http-harness.ts';
import { untilPasses } from '../support/until.ts';
import { newDrawing, newTask } from '../support/work-records.ts';
import { assertMembers, ConsoleSession, membersOf, rowsOf } from './console-session.ts';
import { useCalls } from './seed-calls.ts';

const seeds = suite('calls of the seeds: use');

let daemon: TestDaemon;
let upstream: FakeUpstream;
let browser: ConsoleSession;
let token: Record<string, unknown>;

seeds.before(async () => {
  const chunk = (delta: unknown, more: object = {}) => ({
    id: 'c',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'gpt-4o',
    choices: [{ index: 0, delta, finish_reason: null }],
    ...more,
  });
  const usage = { prompt_tokens: 10, completion_tokens: 20, total_tokens: 30 };
  upstream = await startFakeUpstream(
    sseAnswer([
      chunk({ role: 'assistant', content: 'Hel' }),
      chunk({ content: 'lo' }),
      chunk({}, { choices: [], usage }),
      '[DONE]',
    ]),
  );
  daemon = await startTestDaemon();
  await daemon.addChannel({ base_url: upstream.url, models: 'gpt-4o' });
  browser = new ConsoleSession(daemon.url);
  await browser.signIn('root', rootPassword);
  const { database, nowSeconds } = daemon.daemon.foundation;
  await database.stores.midjourneys.insert(
    newDrawing({ mjId: 'drawing', userId: 1, channelId: 1, submitTime: nowSeconds() * 1000 }),
  );
  await database.stores.tasks.insert(newTask({ taskId: 'song', userId: 1, channelId: 1, submitTime: nowSeconds() }));
});
seeds.after(async () => {
  await daemon.stop();
  await upstream.close();
});

const logMembers = [
  ...[
    'id',
    'created_at',
    'type',
    'user_id',
    'username',
    'token_name',
    'model_name',
    'channel',
    'channel_name',
    'group',
  ],
  ...['prompt_tokens', 'completion_tokens', 'quota', 'use_time', 'is_stream', 'content', 'other'],
];

/** Filters as the log page sends them: emptied ones as empty strings, its first page as 0. */
const filters = 'token_name=&model_name=&start_timestamp=0&end_timestamp=4000000000&group=';

/** Time filters as the pages send them: milliseconds of the last 30 days, seconds from today's midnight on. */
const now = Math.floor(Date.now() / 1000);
const work = {
  drawings: `start_timestamp=${(now - 30 * 86_400) * 1000}&end_timestamp=${(now + 3600) * 1000}`,
  tasks: `start_timestamp=${now - (now % 86_400)}&end_timestamp=`,
};

const exercises: Record<(typeof useCalls)[number]['call'], () => Promise<void>> = {
  'GET /api/setup': async () => {
    assertMembers(await browser.object('GET', '/api/setup'), ['status', 'root_init', 'database_type']);
    assert.is((await browser.object('GET', '/api/setup')).status, true);
    const fresh = await startHttpHarness();
    try {
      const data = await new ConsoleSession(fresh.url).object('GET', '/api/setup');
      assert.equal([data.status, data.root_init], [false, false]);
      assert.ok(['sqlite', 'postgres'].includes(String(data.database_type)));
    } finally {
      await fresh.close();
    }
  },
  'POST /api/setup': async () => {
    const fresh = await startHttpHarness();
    try {
      const visitor = new ConsoleSession(fresh.url);
      const form = { username: 'chief', password: rootPassword, confirmPassword: rootPassword };
      const mode = { SelfUseModeEnabled: true, DemoSiteEnabled: false };
      const short = await visitor.call('POST', '/api/setup', { ...form, ...mode, password: 'short' });
      assert.equal([short.status, short.body.success, short.body.code], [400, false, 'setup_password_short']);
      assert.is(await visitor.data('POST', '/api/setup', { ...form, ...mode }, '初始化完成'), null);
      const again = await visitor.call('POST', '/api/setup', { ...form, ...mode });
      assert.equal([again.status, again.body.code], [400, 'setup_done']);
      const { self_use_mode_enabled, demo_site_enabled, setup } = await visitor.object('GET', '/api/status');
      assert.equal([self_use_mode_enabled, demo_site_enabled, setup], [true, false, true]);
      const { role } = await visitor.signIn('chief', rootPassword);
      assert.equal([role, (await visitor.object('GET', '/api/user/self')).quota], [100, 100_000_000]);
    } finally {
      await fresh.close();
    }
  },
  'GET /api/status': async () => {
    const status = await new ConsoleSession(daemon.url).object('GET', '/api/status');
    assertMembers(status, [
      ...[
        'system_name',
        'logo',
        'footer_html',
        'quota_per_unit',
        'display_in_currency',
        'enable_drawing',
        'enable_task',
      ],
      ...['enable_data_export', 'chats', 'data_export_default_time', 'default_collapse_sidebar', 'mj_notify_enabled'],
      ...['docs_link', 'version', 'start_time', 'email_verification', 'turnstile_check', 'turnstile_site_key'],
      ...['github_oauth', 'github_client_id', 'oidc_enabled', 'oidc_client_id', 'oidc_authorization_endpoint'],
      ...['linuxdo_oauth', 'linuxdo_client_id', 'wechat_login', 'wechat_qrcode', 'telegram_oauth', 'telegram_bot_name'],
      ...['check_in_enabled', 'server_address', 'self_use_mode_enabled', 'demo_site_enabled', 'setup', 'top_up_link'],
      ...['min_topup', 'enable_online_topup'],
    ]);
    const { quota_per_unit, display_in_currency, data_export_default_time, chats, min_topup } = status;
    assert.equal([quota_per_unit, display_in_currency, data_export_default_time], [500_000, true, 'hour']);
    assert.equal([chats, min_topup], [[], 1]);
  },
  'GET /api/pricing': async () => {
    for (const visitor of [browser, new ConsoleSession(daemon.url)]) {
      const { body } = await visitor.call('GET', '/api/pricing');
      assert.not('message' in body);
      const [row, ...others] = rowsOf(body.data);
      assert.equal([others, row?.model_name, row?.quota_type], [[], 'gpt-4o', 0]);
      assert.equal([row?.model_ratio, row?.completion_ratio, row?.model_price], [1.25, 4, 0]);
      assert.ok(Array.isArray(row?.enable_groups) && row.enable_groups.includes('default'));
      assert.is(membersOf(body.group_ratio).default, 1);
      assert.type(membersOf(body.usable_group).default, 'string');
    }
  },
  'POST /api/token/': async () => {
    const limits = {
      model_limits_enabled: true,
      model_limits: 'gpt-4o',
      allow_ips: '127.0.0.1\n10.0.0.0/8',
      group: '',
    };
    const form = { name: 'first', remain_quota: 500_000, expired_time: -1, unlimited_quota: false, ...limits };
    token = await browser.object('POST', '/api/token/', form);
    assert.equal({ ...token, ...form }, token);
    assert.match(String(token.key), /^[0-9A-Za-z]{48}$/);
    assert.equal([token.status, token.used_quota], [1, 0]);
    assert.is(await browser.refusal('POST', '/api/token/', { ...form, name: '' }), 'token_name_required');
    assert.is(await browser.refusal('POST', '/api/token/', { ...form, expired_time: 5 }), 'token_expired_in_past');
  },
  'GET /api/token/': async () => {
    assert.equal(await browser.rows('GET', '/api/token/?p=0&size=100'), [token]);
    assert.equal(await browser.rows('GET', '/api/token/?p=1&size=100'), []);
  },
  'GET /api/token/search': async () => {
    const part = String(token.key).slice(0, 12);
    assert.equal(await browser.rows('GET', `/api/token/search?keyword=fir&token=sk-${part}`), [token]);
    assert.equal(await browser.rows('GET', '/api/token/search?keyword=none&token='), []);
  },
  'GET /api/token/{id}': async () => {
    assert.equal(await browser.object('GET', `/api/token/${token.id}`), token);
  },
  'PUT /api/token/': async () => {
    const changes = { name: 'renamed', remain_quota: 700_000, model_limits: '', model_limits_enabled: false };
    token = await browser.object('PUT', '/api/token/', { ...token, ...changes, status: 2, used_quota: 9, key: 'x' });
    assert.equal([token.name, token.remain_quota, token.status, token.used_quota], ['renamed', 700_000, 1, 0]);
  },
  'PUT /api/token/?status_only=true': async () => {
    const set = (status: number) => browser.object('PUT', '/api/token/?status_only=true', { id: token.id, status });
    assert.equal([(await set(2)).status, (await set(1)).status], [2, 1]);
    const used = { id: token.id, status: 4 };
    assert.is(await browser.refusal('PUT', '/api/token/?status_only=true', used), 'token_status_invalid');
  },
  'POST /pg/chat/completions': async () => {
    const messages = [
      { role: 'system', content: 'You are a helpful assistant.' },
      { role: 'user', content: 'hi' },
    ];
    const body = { messages, stream: true, model: 'gpt-4o', group: 'default', max_tokens: 0, temperature: 0 };
    const response = await fetch(`${daemon.url}/pg/chat/completions`, {
      method: 'POST',
      headers: { ...browser.headers, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    assert.match(response.headers.get('content-type') ?? '', 'text/event-stream');
    const events = (await response.text()).split('\n').filter((line) => line.startsWith('data: '));
    assert.is(events.at(-1), 'data: [DONE]');
    const said = events.slice(0, -1).map((line) => JSON.parse(line.slice(6)).choices[0]?.delta?.content ?? '');
    assert.is(said.join(''), 'Hello');
    // The balance is looked at next: the answer is charged behind its last word.
    await untilPasses(async () => assert.is((await daemon.root.logs.list({ type: 2 })).total, 1));
  },
  'POST /api/user/topup': async () => {
    const [code] = await daemon.root.redemptions.create({ name: 'ours', quota: 1234, count: 1 });
    const before = Number((await browser.object('GET', '/api/user/self')).quota);
    assert.is(await browser.refusal('POST', '/api/user/topup', { key: '' }), 'redeem_empty');
    assert.equal(await browser.object('POST', '/api/user/topup', { key: ` ${code} ` }), {
      quota: 1234,
      is_gift: false,
    });
    assert.is((await browser.object('GET', '/api/user/self')).quota, before + 1234);
    assert.is(await browser.refusal('POST', '/api/user/topup', { key: code }), 'redeem_used');
  },
  'POST /api/user/amount': async () => {
    const price = (amount: number) => browser.call('POST', '/api/user/amount', { amount, top_up_code: '' });
    assert.equal((await price(10)).body, { success: true, message: 'success', data: '73.00' });
    const low = (await price(0)).body;
    assert.equal([low.success, low.message, low.code, typeof low.data], [false, 'error', 'pay_min', 'string']);
  },
  'POST /api/user/pay': async () => {
    const pay = { amount: 2, top_up_code: '', payment_method: 'zfb' };
    const off = (await browser.call('POST', '/api/user/pay', pay)).body;
    assert.equal([off.success, off.message, off.code], [false, 'error', 'pay_off']);
    const settings = { ServerAddress: 'https://ours.example', PayAddress: 'https://pay.example', EpayId: '1001' };
    for (const [key, value] of Object.entries({ ...settings, EpayKey: 'merchant key' })) {
      await daemon.root.options.set({ key, value });
    }
    const { body } = await browser.call('POST', '/api/user/pay', pay);
    assert.equal([body.success, body.message, body.url], [true, 'success', 'https://pay.example/submit.php']);
    const form = membersOf(body.data);
    const { pid, type, money, name, device, sign_type, notify_url, return_url } = form;
    assert.equal([pid, type, money, name, device, sign_type], ['1001', 'alipay', '14.60', 'TUC2', 'pc', 'MD5']);
    assert.equal([notify_url, return_url], ['https://ours.example/api/user/epay/notify', 'https://ours.example/log']);
    assert.match(String(form.out_trade_no), /^USR1NO/);
    assert.match(String(form.sign), /^[0-9a-f]{32}$/);
    const orders = await browser.page('/api/user/topup/self?p=1&page_size=10', { page: 1, page_size: 10 });
    assert.equal([orders[0]?.trade_no, orders[0]?.status], [form.out_trade_no, 'pending']);
  },
  'GET /api/log/': async () => {
    const path = `/api/log/?p=0&page_size=10&type=2&username=root&channel=1&${filters}`;
    const [row, ...others] = await browser.page(path, { page: 1, page_size: 10 });
    assert.equal(others, []);
    assertMembers(row ?? {}, logMembers);
    assert.equal([row?.model_name, row?.prompt_tokens, row?.completion_tokens, row?.quota], ['gpt-4o', 10, 20, 113]);
    assert.equal([row?.is_stream, row?.channel, row?.channel_name, row?.username], [true, 1, 'test', 'root']);
    const other = JSON.parse(String(row?.other));
    assertMembers(other, ['frt', 'model_ratio', 'model_price', 'completion_ratio', 'group_ratio', 'admin_info']);
    assert.equal(other.admin_info.use_channel, ['1']);
  },
  'GET /api/log/self': async () => {
    const [row] = await browser.page(`/api/log/self/?p=1&page_size=10&type=1&${filters}`, { page: 1, page_size: 10 });
    assert.equal([row?.type, row?.quota, row?.channel, row?.channel_name], [1, 1234, 0, '']);
    const calls = await browser.page(`/api/log/self/?p=1&page_size=10&type=2&${filters}`, { page: 1, page_size: 10 });
    assert.equal([calls.length, calls[0]?.quota, JSON.parse(String(calls[0]?.other)).admin_info], [1, 113, undefined]);
  },
  'GET /api/log/stat': async () => {
    const stat = await browser.object('GET', `/api/log/stat?type=2&username=root&channel=1&${filters}`);
    assert.equal([stat.quota, stat.rpm, stat.tpm], [113, 1, 30]);
    assert.equal([stat.prompt_tokens, stat.completion_tokens], [10, 20]);
  },
  'GET /api/log/self/stat': async () => {
    const stat = await browser.object('GET', `/api/log/self/stat?type=0&${filters}`);
    assert.equal([stat.quota, stat.rpm, stat.tpm], [113, 1, 30]);
  },
  'GET /api/mj/': async () => {
    const rows = await browser.rows('GET', `/api/mj/?p=0&channel_id=&mj_id=drawing&${work.drawings}`);
    assert.equal([rows.length, rows[0]?.mj_id, rows[0]?.status, rows[0]?.channel_id], [1, 'drawing', 'SUCCESS', 1]);
    const members = 'id created_at submit_time finish_time action code progress image_url prompt prompt_en fail_reason';
    assertMembers(rows[0] ?? {}, members.split(' '));
  },
  'GET /api/mj/self': async () => {
    const rows = await browser.rows('GET', `/api/mj/self/?p=0&mj_id=&${work.drawings}`);
    assert.equal([rows.length, rows[0]?.mj_id, rows[0]?.channel_id], [1, 'drawing', 0]);
  },
  'GET /api/task/': async () => {
    const rows = await browser.rows('GET', `/api/task/?p=0&channel_id=1&task_id=&${work.tasks}`);
    assert.equal([rows.length, rows[0]?.task_id, rows[0]?.platform, rows[0]?.action], [1, 'song', 'suno', 'MUSIC']);
    assertMembers(rows[0] ?? {}, [
      'id',
      'created_at',
      'submit_time',
      'finish_time',
      'progress',
      'status',
      'fail_reason',
    ]);
    assert.equal(await browser.rows('GET', `/api/task/?p=0&channel_id=2&task_id=&${work.tasks}`), []);
  },
  'GET /api/task/self': async () => {
    const rows = await browser.rows('GET', `/api/task/self?p=0&task_id=song&${work.tasks}`);
    assert.equal([rows.length, rows[0]?.task_id, rows[0]?.channel_id], [1, 'song', 0]);
  },
  'DELETE /api/log/': async () => {
    const now = Math.floor(Date.now() / 1000);
    assert.is(await browser.refusal('DELETE', `/api/log/?target_timestamp=${now + 100}`), 'log_cutoff');
    assert.is(await browser.data('DELETE', `/api/log/?target_timestamp=${now - 1000}`), 0);
    const all = await browser.page(`/api/log/?p=1&page_size=10&type=0&${filters}`, { page: 1, page_size: 10 });
    assert.ok(all.some(({ type }) => type === 2));
  },
  'DELETE /api/token/{id}': async () => {
    assert.is(await browser.data('DELETE', `/api/token/${token.id}/`), null);
    assert.is(await browser.refusal('GET', `/api/token/${token.id}`), 'token_not_found');
  },
};

for (const [call, exercise] of Object.entries(exercises)) {
  const { at = [] } = useCalls.find((known) => known.call === call) ?? {};
  seeds(`${call} (${at.join(', ')})`, exercise);
}

seeds.run();
