/** Calls that their senders may repeat (E21): one effect, the same answer, whoever is fast and whatever fails. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { changesSomething } from '../../../../../daemon/contract/endpoint.ts';
import { contract } from '../../../../../daemon/contract/index.ts';
import { endpointsOf } from '../../../../../daemon/contract/openapi.ts';
import { type HttpHarness, startHttpHarness, type TestUser } from '../../../../support/http-harness.ts';
import { codeRoutes } from './code-routes.ts';

const repeats = suite('calls with an Idempotency-Key');

let harness: HttpHarness;
let root: TestUser;

repeats.before(async () => {
  harness = await startHttpHarness({
    routes: codeRoutes,
  });
  root = await harness.setup();
});

repeats.after(() => harness.close());

interface Answer {
  readonly status: number;
  readonly replayed: string | null;
  readonly code: string | undefined;
  readonly data: unknown;
}

async function post(path: string, key: string | undefined, body: object, as = root): Promise<Answer> {
  const response = await harness.request(path, {
    method: 'POST',
    as,
    headers: key === undefined ? {} : { 'Idempotency-Key': key },
    body: JSON.stringify(body),
  });
  const { code, data } = await response.json();
  return { status: response.status, replayed: response.headers.get('Idempotency-Replayed'), code, data };
}

const countOf = (name: string) => harness.client(root).redemptions.countByName({ name });

repeats('take effect once, however the members are ordered, and are marked when they are repeated', async () => {
  const first = await post('/api/redemption/', 'k1', { name: 'one', quota: 5, count: 3 });
  const again = await post('/api/redemption', 'k1', { count: 3, quota: 5, name: 'one' });
  assert.equal([first.replayed, again.replayed], [null, 'true']);
  assert.equal(again.data, first.data);
  assert.is(await countOf('one'), 3);
});

repeats('with another content are refused and change nothing', async () => {
  await post('/api/redemption/', 'k2', { name: 'two', quota: 5 });
  const other = await post('/api/redemption/', 'k2', { name: 'two', quota: 6 });
  assert.equal([other.status, other.code], [409, 'idempotency_conflict']);
  assert.is(await countOf('two'), 1);
});

repeats('take effect once when 20 of them come at the same moment', async () => {
  const body = { name: 'many', quota: 5, count: 50 };
  const answers = await Promise.all(Array.from({ length: 20 }, () => post('/api/redemption/', 'k3', body)));
  assert.is(await countOf('many'), 50);
  assert.is(answers.filter(({ replayed }) => replayed === null).length, 1);
  for (const { status, data } of answers) assert.equal([status, data], [200, answers[0]?.data]);
});

repeats('are done when the first one was refused', async () => {
  await post('/api/redemption/', undefined, { name: 'taken', quota: 5, key: 'TAKEN' });
  const body = { name: 'refused', quota: 5, key: 'TAKEN' };
  assert.is((await post('/api/redemption/', 'k4', body)).code, 'redemption_key_taken');
  assert.is((await post('/api/redemption/', 'k4', { ...body, key: 'FREE' })).code, undefined);
  assert.is(await countOf('refused'), 1);
});

repeats('of another user or another route do not meet', async () => {
  const admin = await harness.addUser({ role: 10 });
  await post('/api/redemption/', 'k5', { name: 'five', quota: 5 });
  await post('/api/redemption/', 'k5', { name: 'five', quota: 5 }, admin);
  assert.is(await countOf('five'), 2);
  const user = await post('/api/user/', 'k5', { username: 'fifth', password: 'long enough' });
  assert.equal([user.replayed, user.code], [null, undefined]);
});

repeats('get the first answer for seven days', async () => {
  const body = { name: 'old', quota: 5 };
  const { clock } = harness.world;
  await post('/api/redemption/', 'k6', body);
  clock.seconds += 7 * 86_400 - 1;
  assert.is((await post('/api/redemption/', 'k6', body)).replayed, 'true');
  clock.seconds += 2;
  assert.is((await post('/api/redemption/', 'k6', body)).replayed, null);
  assert.is(await countOf('old'), 2);
});

repeats('of one old call do not wait until those of all others are removed', async () => {
  const { clock, database } = harness.world;
  const { idempotencyKeys } = database.stores;
  const other = { actorId: 99, key: 'POST /api/redemption/ other' };
  await idempotencyKeys.claim({ ...other, requestHash: 'x', createdAt: harness.world.nowSeconds() });
  const body = { name: 'one of many', quota: 5 };
  await post('/api/redemption/', 'k6a', body);
  clock.seconds += 7 * 86_400 + 1;
  assert.is((await post('/api/redemption/', 'k6a', body)).replayed, null);
  assert.ok(await idempotencyKeys.find(other));
});

repeats('keep answers sealed and say nothing of a password', async () => {
  const body = { username: 'sealed', password: 'canary password' };
  await post('/api/user/', 'k7', body);
  const row = await harness.world.database.stores.idempotencyKeys.find({
    actorId: root.user.id,
    key: 'POST /api/user/ k7',
  });
  assert.ok(row?.response);
  assert.not.match(JSON.stringify(row), /canary|sealed"|username/);
  const again = await post('/api/user/', 'k7', body);
  assert.is(Reflect.get(Object(again.data), 'username'), 'sealed');
});

repeats('whose first call never answered are told so instead of being done again', async () => {
  const { idempotencyKeys } = harness.world.database.stores;
  const name = { actorId: root.user.id, key: 'POST /api/redemption/ k8' };
  await idempotencyKeys.claim({ ...name, requestHash: 'x', createdAt: harness.world.nowSeconds() });
  const lost = await post('/api/redemption/', 'k8', { name: 'lost', quota: 5 });
  assert.equal([lost.status, lost.code], [409, 'idempotency_unanswered']);
  assert.is(await countOf('lost'), 0);
});

repeats('need a key of at most 255 printable characters', async () => {
  for (const key of ['x'.repeat(256), 'caf\u00e9']) {
    assert.is((await post('/api/redemption/', key, { name: 'bad', quota: 5 })).code, 'invalid_params');
  }
});

const same = 'ends in the same state however often it is done';
const rule = 'a rule of its own lets it happen once';
const asks = 'only asks or sends a message; each repeat is wanted';
const stranger = 'nobody is signed in whose key it could be; a name, code or state is used up by the first';
const secret = 'its answer holds a secret, which is not kept; one that was made in vain is listed and revoked';
const mints = 'each repeat makes a new one that ends the one before; an answer with a secret is not kept';
const brief = 'each repeat makes a code of its own; one that nobody uses is over within minutes';

/** Calls that change something and take no key, and why a repeat does no harm. */
const keyless: Readonly<Record<string, string>> = {
  'account.delete': same,
  'account.issueToken': mints,
  'account.login': stranger,
  'account.logout': same,
  'account.register': stranger,
  'account.saveSetting': same,
  'account.testNotice': asks,
  'account.update': same,
  'alerts.set': same,
  'alerts.test': asks,
  'budgets.delete': same,
  'budgets.set': same,
  'channels.clearCooling': same,
  'channels.delete': same,
  'channels.deleteBatch': same,
  'channels.deleteDisabled': same,
  'channels.disableTag': same,
  'channels.editTag': same,
  'channels.enableTag': same,
  'channels.fix': same,
  'channels.removeKey': same,
  'channels.removeKeys': same,
  'channels.revealKey': asks,
  'channels.setKey': same,
  'channels.setModelStatus': same,
  'channels.setStatus': same,
  'channels.setTags': same,
  'channels.test': asks,
  'channels.testAll': rule,
  'channels.testDraft': asks,
  'channels.testKey': asks,
  'channels.update': same,
  'channels.updateBalance': same,
  'channels.updateBalances': same,
  'cliSignIns.approve': rule,
  'cliSignIns.authorize': brief,
  'cliSignIns.begin': brief,
  'cliSignIns.deny': rule,
  'cliSignIns.token': stranger,
  'limits.delete': same,
  'limits.set': same,
  'logs.deleteBefore': same,
  'machineTokens.create': secret,
  'machineTokens.revoke': same,
  'machineTokens.rotate': mints,
  'oauth.bindTelegram': same,
  'oauth.bindWechat': same,
  'oauth.github': stranger,
  'oauth.linuxdo': stranger,
  'oauth.oidc': stranger,
  'oauth.state': stranger,
  'oauth.telegram': stranger,
  'oauth.wechat': stranger,
  'options.resetModelRatio': same,
  'options.set': same,
  'orders.notify': rule,
  'orders.query': rule,
  'orders.selfTest': asks,
  'passkeys.add': rule,
  'passkeys.beginAdding': asks,
  'passkeys.remove': same,
  'passkeys.rename': same,
  'passkeys.signIn': stranger,
  'priceWork.rerate': same,
  'priceWork.rollback': same,
  'priceWork.sync': same,
  'prices.set': same,
  'rateRules.delete': same,
  'rateRules.set': same,
  'redemptions.delete': same,
  'redemptions.deleteByName': same,
  'redemptions.deleteDisabled': same,
  'redemptions.disableBatch': same,
  'redemptions.update': same,
  'rewards.checkIn': rule,
  'rewards.checkInAlias': rule,
  'rewards.inviteCode': rule,
  'secondFactor.begin': mints,
  'secondFactor.disable': same,
  'secondFactor.enable': rule,
  'secondFactor.renewRecoveryCodes': mints,
  'secondFactor.reset': same,
  'secondFactor.signIn': stranger,
  'sessions.end': same,
  'sessions.endAll': same,
  'setup.submit': rule,
  'state.forget': same,
  'stepUp.prove': same,
  'tokens.delete': same,
  'tokens.deleteBatch': same,
  'tokens.revealKey': asks,
  'tokens.update': same,
  'users.delete': same,
  'users.update': same,
  'verification.bindEmail': same,
  'verification.requestReset': asks,
  'verification.reset': stranger,
  'verification.sendCode': asks,
  'verification.testMail': asks,
};

repeats('are possible for every call that changes something, or a reason says why none is needed', () => {
  const changing = endpointsOf(contract).filter(({ endpoint }) => changesSomething(endpoint));
  const withoutKey = changing.filter(({ endpoint }) => endpoint.idempotency !== 'key').map(({ name }) => name);
  assert.equal(withoutKey.sort(), Object.keys(keyless).sort());
  for (const { name, endpoint } of changing) {
    // Keys are a caller's own, and only a call that changes something needs one.
    if (endpoint.idempotency === 'key') assert.ok(['user', 'admin', 'root'].includes(endpoint.access), name);
    if (keyless[name] === stranger) assert.is(endpoint.access, 'public', name);
    if (keyless[name] === same)
      assert.not.match(name.split('.').at(-1) ?? '', /^(create|copy|import|pay|redeem|add|transfer)/);
  }
});

repeats.run();
