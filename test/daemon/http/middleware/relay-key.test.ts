import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { TollgateError } from '../../../../daemon/errors.ts';
import { createRelayKeyCheck, type PresentedRelayKey } from '../../../../daemon/http/middleware/relay-key.ts';
import type { TokenRecord } from '../../../../daemon/store/tokens.ts';
import type { UserRecord } from '../../../../daemon/store/users.ts';
import { tokenRecord, userRecord } from '../../../support/account-records.ts';

const keys = suite('relay keys on management paths');

const key = 'k'.repeat(48);
const now = 1_800_000_000;

async function outcome(sent: {
  authorization?: string;
  headers?: PresentedRelayKey['headers'];
  level?: 'use' | 'read';
  token?: Partial<TokenRecord>;
  user?: Partial<UserRecord>;
  setup?: 'missing';
}): Promise<string> {
  const looked: string[] = [];
  const check = createRelayKeyCheck({
    tokenHash: (text) => {
      looked.push(text);
      return text === key ? 'known' : 'unknown';
    },
    resolve: (hash) =>
      hash === 'known'
        ? { token: tokenRecord({ unlimitedQuota: true, ...sent.token }), user: userRecord(sent.user) }
        : undefined,
    nowSeconds: () => now,
    setupDone: () => sent.setup !== 'missing',
  });
  const { authorization = `Bearer sk-${key}`, level = 'use' } = sent;
  try {
    await check({ headers: { authorization, ...sent.headers }, clientAddress: '203.0.113.7', level });
    return 'ok';
  } catch (error) {
    return error instanceof TollgateError ? `${error.code}${looked.length === 0 ? ' unasked' : ''}` : String(error);
  }
}

keys('are found in every form, a channel selector ignored', async () => {
  for (const authorization of [`Bearer sk-${key}`, `bearer ${key}`, `sk-${key}`, key, `Bearer sk-${key}-7`]) {
    assert.is(await outcome({ authorization }), 'ok', authorization);
  }
});

keys('are found wherever calls may carry them, and two that differ are refused (S31)', async () => {
  for (const name of ['x-api-key', 'api-key'] as const) {
    assert.is(await outcome({ authorization: '', headers: { [name]: `sk-${key}` } }), 'ok', name);
    assert.is(await outcome({ headers: { [name]: key } }), 'ok', name);
    assert.is(await outcome({ headers: { [name]: 'z'.repeat(48) } }), 'credentials_conflict unasked', name);
  }
});

keys('of another shape are refused before any look-up (S17)', async () => {
  for (const authorization of ['', 'Bearer ', 'Bearer sk-short', `Bearer sk-${'!'.repeat(48)}`, `Bearer sk-${key}x`]) {
    assert.is(await outcome({ authorization }), 'access_denied unasked', authorization);
  }
  assert.is(await outcome({ authorization: `Bearer sk-${'z'.repeat(48)}` }), 'access_denied');
});

keys('are not looked for before setup is done', async () => {
  assert.is(await outcome({ setup: 'missing' }), 'setup_required unasked');
});

const states: [string, Partial<TokenRecord>, string, string][] = [
  ['disabled', { status: 2 }, 'token_disabled', 'token_disabled'],
  ['marked expired', { status: 3 }, 'token_expired', 'ok'],
  ['past its time', { expiredTime: now - 1 }, 'token_expired', 'ok'],
  ['marked exhausted', { status: 4 }, 'token_exhausted', 'ok'],
  ['without quota', { unlimitedQuota: false, remainQuota: 0 }, 'token_exhausted', 'ok'],
  ['with quota', { unlimitedQuota: false, remainQuota: 1 }, 'ok', 'ok'],
  ['bound to another address', { allowIps: '198.51.100.0/24' }, 'ip_not_allowed', 'ip_not_allowed'],
  ['bound to this address', { allowIps: '203.0.113.0/24' }, 'ok', 'ok'],
];

for (const [name, token, use, read] of states) {
  keys(`${name}: used ${use}, read ${read}`, async () => {
    assert.equal([await outcome({ token }), await outcome({ token, level: 'read' })], [use, read]);
  });
}

keys('of users who may not call are refused at both levels', async () => {
  for (const user of [{ status: 2 }, { deletedAt: new Date() }]) {
    assert.equal([await outcome({ user }), await outcome({ user, level: 'read' })], ['user_disabled', 'user_disabled']);
  }
});

keys.run();
