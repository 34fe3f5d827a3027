/** Signing in with, and binding, accounts of every provider whose address is fixed or of the site's own. */
import { TOTP } from 'otpauth';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { MemoryCounters } from '../../../daemon/cluster/memory-counters.ts';
import type { Actor } from '../../../daemon/domain/actor.ts';
import { ExternalRegistration } from '../../../daemon/domain/external-registration.ts';
import { ExternalSignIn, type FinishedSignIn } from '../../../daemon/domain/external-sign-in.ts';
import type { IdentityProviderId } from '../../../daemon/domain/identity-provider.ts';
import { PasskeyChallenges } from '../../../daemon/domain/passkey-challenges.ts';
import { PasskeyCheck } from '../../../daemon/domain/passkey-check.ts';
import { SecondFactors } from '../../../daemon/domain/second-factors.ts';
import { SecondStep } from '../../../daemon/domain/second-step.ts';
import { removeExpiredSessions, SessionService } from '../../../daemon/domain/sessions.ts';
import { TollgateError } from '../../../daemon/errors.ts';
import { guardedFetch } from '../../../daemon/integrations/guarded-fetch.ts';
import { githubProvider } from '../../../daemon/integrations/oauth/github.ts';
import { linuxDoProvider } from '../../../daemon/integrations/oauth/linuxdo.ts';
import { wechatProvider } from '../../../daemon/integrations/oauth/wechat.ts';
import type { ExternalIdentity, UserRecord } from '../../../daemon/store/users.ts';
import { AddressGuard } from '../../../daemon/upstream/address-guard.ts';
import { actor, type DomainWorld, openDomainWorld } from '../../support/domain-world.ts';
import { telegramAnswer } from '../../support/telegram-answer.ts';
import { startWebServer, type WebServer } from '../../support/web-server.ts';

const elsewhere = suite('accounts elsewhere, provider by provider');

let world: DomainWorld;
let server: WebServer;
let signIns: ExternalSignIn;
let sessions: SessionService;
let factors: SecondFactors;
let secondStep: SecondStep;
/** Who was given a first relay key. */
const givenKeys: number[] = [];
const botToken = '12345:a-bot-token';
/** Who has come, as every provider tells it. */
let visitor = 1;
let visitorName = 'Visitor with a name beyond all measure';
/** What the chat server ends its ids with. */
let oddEnd = '';
/** Whether somebody else comes each time that a provider is asked. */
let answerOthers = false;
let setupDone = true;

const visit = { clientAddress: '127.0.0.1', userAgent: 'test', requestId: 'r', sessionId: undefined };

elsewhere.before(async () => {
  world = await openDomainWorld();
  const { database, bus, keyring, nowSeconds, snapshots } = world;
  server = await startWebServer(({ url }) => {
    if (url.endsWith('token')) return { access_token: 'token' };
    if (answerOthers) visitor += 1;
    if (url.startsWith('/api/wechat')) return { success: true, message: '', data: `open-${visitor}${oddEnd}` };
    return { id: visitor, login: 'anybody', name: visitorName };
  });
  for (const [key, value] of Object.entries({
    GitHubOAuthEnabled: 'true',
    LinuxDOOAuthEnabled: 'true',
    WeChatAuthEnabled: 'true',
    WeChatServerAddress: server.url,
    TelegramOAuthEnabled: 'true',
    TelegramBotToken: keyring.seal({ table: 'options', column: 'value', row: 'TelegramBotToken' }, botToken),
    QuotaForNewUser: '700',
  })) {
    await database.stores.options.set(key, value);
  }
  await snapshots.reload('options');
  const options = () => snapshots.current().options;
  const counters = new MemoryCounters({ now: () => performance.now() });
  const report = () => undefined;
  sessions = new SessionService({
    stores: database.stores,
    hashId: (id) => keyring.sessionHash(id),
    nowSeconds,
    report,
  });
  const limit = { enabled: false, count: 1, seconds: 1 };
  factors = new SecondFactors({ database, bus, sessions, secrets: keyring, siteName: () => 'Site', nowSeconds });
  secondStep = new SecondStep({
    database,
    sessions,
    factors,
    passkeys: new PasskeyCheck({
      database,
      challenges: new PasskeyChallenges({ hash: keyring.codeHash, stores: database.stores, nowSeconds }),
      options,
      handleOf: String,
      nowSeconds,
    }),
    counters,
    failuresPerName: limit,
    failuresPerAddress: limit,
    nowSeconds,
  });
  const fetch = guardedFetch(new AddressGuard({ allow: ['127.0.0.0/8'], channelAllowPrivate: false }));
  signIns = new ExternalSignIn({
    database,
    bus,
    sessions,
    secondStep,
    setupDone: () => setupDone,
    registration: new ExternalRegistration({
      database,
      options,
      issueFirstKey: async ({ id }) => {
        givenKeys.push(id);
      },
      language: 'en',
      nowSeconds,
    }),
    providers: [
      githubProvider(fetch, { url: server.url, apiUrl: server.url }),
      linuxDoProvider(fetch, server.url),
      wechatProvider(fetch),
      {
        id: 'oidc',
        name: 'OIDC',
        identity: 'oidcId',
        isEnabled: () => true,
        exchange: async () => ({ id: 'sub', username: '', displayName: '', email: '', signOutHint: '' }),
        signOutAddress: async () => 'https://issuer.example/end',
      },
    ],
    options,
    nowSeconds,
    report,
  });
});

elsewhere.after(async () => {
  await server?.stop();
  await world?.close();
});

interface Way {
  readonly id: IdentityProviderId;
  readonly column: ExternalIdentity;
  readonly stored: (account: number) => string;
  come(as: Actor | undefined): Promise<FinishedSignIn>;
}

/** By way of the browser, with a state of its own session. */
async function redirected(id: IdentityProviderId, as: Actor | undefined): Promise<FinishedSignIn> {
  const { state, openedSession } = await signIns.begin({ affCode: '', provider: id }, visit);
  return signIns.finish(id, { code: 'a code', state, actor: as }, { ...visit, sessionId: openedSession });
}

const ways: readonly Way[] = [
  { id: 'github', column: 'githubId', stored: String, come: (as) => redirected('github', as) },
  { id: 'linuxdo', column: 'linuxDoId', stored: String, come: (as) => redirected('linuxdo', as) },
  {
    id: 'wechat',
    column: 'wechatId',
    stored: (account) => `open-${account}`,
    come: async (as) => {
      if (!as) return signIns.byCode('wechat', 'a code', visit);
      await signIns.bindByCode('wechat', 'a code', as);
      return { kind: 'bound' };
    },
  },
];

async function refusal(attempt: Promise<unknown>): Promise<string> {
  return attempt.then(
    () => '',
    (error: unknown) => (error instanceof TollgateError ? error.code : String(error)),
  );
}

async function addUser(): Promise<{ user: UserRecord; as: Actor }> {
  const username = `user${Math.random()}`.slice(0, 20);
  const made = await world.database.stores.users.insert({ username, createdAt: 1 });
  if (!made.inserted) throw new Error('the name is taken');
  return { user: made.user, as: actor({ userId: made.user.id, username, role: 1 }) };
}

for (const { id, column, stored, come } of ways) {
  elsewhere(`registers with ${id} and signs in the next time`, async () => {
    visitor += 1;
    const first = await come(undefined);
    assert.ok(first.kind === 'signed-in');
    assert.is(first.user[column], stored(visitor));
    assert.match(first.user.username, new RegExp(`^${id}_\\d+$`));
    assert.ok(first.user.displayName.length <= 20);
    const again = await come(undefined);
    assert.ok(again.kind === 'signed-in');
    assert.is(again.user.id, first.user.id);
    assert.is.not(again.sessionId, first.sessionId);
  });

  elsewhere(`binds ${id} once, to whoever is signed in, and signs in with it from then on`, async () => {
    visitor += 1;
    const { user, as } = await addUser();
    assert.is((await come(as)).kind, 'bound');
    const users = world.database.stores.users;
    assert.is((await users.find(user.id))?.[column], stored(visitor));
    const entered = await come(undefined);
    assert.ok(entered.kind === 'signed-in');
    assert.is(entered.user.id, user.id);
    assert.is(await refusal(come((await addUser()).as)), 'oauth_taken', 'of somebody else');
    visitor += 1;
    assert.is(await refusal(come(as)), 'oauth_taken', 'a binding replaces nothing');
    const target = `user:${user.id}`;
    assert.is((await world.database.stores.audits.listBefore({ action: 'user.bind', target }, { limit: 9 })).length, 1);
  });

  elsewhere(`binds one of several accounts of ${id} that come for one user at once`, async () => {
    const { user, as } = await addUser();
    const before = visitor;
    answerOthers = true;
    const outcomes = await Promise.all([1, 2, 3, 4].map(() => refusal(come(as)))).finally(() => {
      answerOthers = false;
    });
    assert.equal(outcomes.sort(), ['', 'oauth_taken', 'oauth_taken', 'oauth_taken']);
    const bound = (await world.database.stores.users.find(user.id))?.[column];
    assert.ok([1, 2, 3, 4].some((step) => bound === stored(before + step)));
  });

  elsewhere(`binds no account of ${id} for a session that was just ended`, async () => {
    visitor += 1;
    const { user, as } = await addUser();
    const { users } = world.database.stores;
    await users.bumpAuthVersion(user.id);
    assert.is(await refusal(come({ ...as, authVersion: user.authVersion })), 'session_expired');
    assert.is((await users.find(user.id))?.[column], null);
  });

  elsewhere(`opens neither a disabled nor a deleted account to ${id}`, async () => {
    visitor += 1;
    const { user, as } = await addUser();
    await come(as);
    const { users } = world.database.stores;
    await users.update(user.id, { status: 2 });
    assert.is(await refusal(come(undefined)), 'user_disabled');
    await users.softDelete(user.id, new Date());
    assert.is(await refusal(come(undefined)), 'user_gone');
    assert.is(await refusal(come((await addUser()).as)), 'oauth_taken', 'the id stays reserved');
  });

  elsewhere(`registers one account when ${id} sends the same visitor many times at once`, async () => {
    visitor += 1;
    const entered = await Promise.all(Array.from({ length: 8 }, () => come(undefined)));
    const ids = new Set(entered.map((each) => (each.kind === 'signed-in' ? each.user.id : 0)));
    assert.is(ids.size, 1);
    const [id = 0] = ids;
    assert.is((await world.database.stores.users.find(id))?.quota, 700, 'what a new account gets, it gets once');
    assert.equal(
      givenKeys.filter((given) => given === id),
      [id],
    );
  });
}

elsewhere('takes a state only with the answer of the provider that it was opened for', async () => {
  const { state, openedSession } = await signIns.begin({ affCode: '', provider: 'github' }, visit);
  const answer = { code: 'a code', state, actor: undefined };
  const back = { ...visit, sessionId: openedSession };
  assert.is(await refusal(signIns.finish('linuxdo', answer, back)), 'oauth_state');
  assert.is(await refusal(signIns.finish('github', answer, back)), 'oauth_state', 'it is used up');
});

elsewhere('takes a state for ten minutes', async () => {
  for (const [seconds, outcome] of [
    [599, ''],
    [600, 'oauth_state'],
  ] as const) {
    visitor += 1;
    const { state, openedSession } = await signIns.begin({ affCode: '', provider: 'github' }, visit);
    world.clock.seconds += seconds;
    const answer = { code: 'a code', state, actor: undefined };
    assert.is(await refusal(signIns.finish('github', answer, { ...visit, sessionId: openedSession })), outcome);
  }
});

elsewhere('takes what the messaging bot says for five minutes, by clocks that differ by one at most', async () => {
  const { as } = await addUser();
  const saidAgo = (seconds: number) =>
    telegramAnswer(botToken, { id: '4242', auth_date: String(world.nowSeconds() - seconds) });
  await signIns.bindTelegram(saidAgo(0), as);
  for (const [seconds, outcome] of [
    [300, ''],
    [301, 'oauth_exchange'],
    [-60, ''],
    [-61, 'oauth_exchange'],
  ] as const) {
    assert.is(await refusal(signIns.byTelegram(saidAgo(seconds), visit)), outcome, String(seconds));
  }
});

elsewhere('takes what the messaging bot says once, whatever is cleared away meanwhile', async () => {
  const { as } = await addUser();
  const said = telegramAnswer(botToken, { id: '4343', auth_date: String(world.nowSeconds()) });
  await signIns.bindTelegram(said, as);
  world.clock.seconds += 299;
  await removeExpiredSessions({ ...world.database, nowSeconds: world.nowSeconds }, new AbortController().signal);
  assert.is(await refusal(signIns.byTelegram(said, visit)), 'oauth_exchange');
});

elsewhere('signs out at a provider also where it has nothing to show there', async () => {
  const entered = await redirected('oidc', undefined);
  assert.ok(entered.kind === 'signed-in');
  const session = await sessions.find(entered.sessionId);
  assert.equal(session?.state.signOut, { provider: 'oidc', hint: '' });
  assert.is(await signIns.signOutAddress({ provider: 'oidc', hint: '' }), 'https://issuer.example/end');
});

elsewhere('signs out at the provider also those whom it took a second factor to let in', async () => {
  const first = await redirected('oidc', undefined);
  assert.ok(first.kind === 'signed-in');
  const as = actor({ userId: first.user.id, username: first.user.username, role: 1 });
  const { secret } = await factors.begin(as);
  const nextCode = () => {
    world.clock.seconds += 30;
    return new TOTP({ secret }).generate({ timestamp: world.nowSeconds() * 1000 });
  };
  await factors.enable(as, nextCode(), undefined);
  const { state, openedSession: sessionId } = await signIns.begin({ affCode: '', provider: 'oidc' }, visit);
  const asked = await signIns.finish('oidc', { code: 'a code', state, actor: undefined }, { ...visit, sessionId });
  assert.ok(asked.kind === 'second-step');
  const shown = { method: 'totp', code: nextCode() } as const;
  const entered = await secondStep.finish({ ticket: asked.ticket, shown }, { ...visit, sessionId });
  assert.equal((await sessions.find(entered.sessionId))?.state.signOut, { provider: 'oidc', hint: '' });
});

elsewhere('takes no control characters from a provider', async () => {
  const displayNames: string[] = [];
  for (const name of ['Nul\u0000 and\tbell \u0007', ' \u0000 ', '']) {
    visitor += 1;
    visitorName = name;
    const entered = await redirected('github', undefined);
    if (entered.kind === 'signed-in') displayNames.push(entered.user.displayName);
  }
  assert.equal(displayNames, ['Nul  and bell', 'GitHub User', 'GitHub User']);
  oddEnd = '\u0000';
  assert.is(await refusal(signIns.byCode('wechat', 'a code', visit)), 'oauth_exchange');
  oddEnd = '';
});

elsewhere('asks whoever has a second factor for it, and opens no session', async () => {
  visitor += 1;
  const first = await redirected('github', undefined);
  assert.ok(first.kind === 'signed-in');
  const { secondFactors } = world.database.stores;
  const userId = first.user.id;
  await secondFactors.beginTotp({ userId, secret: 'sealed', createdAt: 1 });
  await secondFactors.enableTotp({ userId, secret: 'sealed' }, { enabledAt: 1, lastStep: 1 });
  const second = await redirected('github', undefined);
  assert.ok(second.kind === 'second-step');
  assert.equal(second.methods, ['totp']);
});

elsewhere('opens no way in before the first run is over', async () => {
  setupDone = false;
  try {
    const answer = { code: 'a code', state: 'of nobody', actor: undefined };
    assert.is(await refusal(signIns.begin({ affCode: '', provider: 'github' }, visit)), 'setup_required');
    assert.is(await refusal(signIns.finish('github', answer, visit)), 'setup_required');
    assert.is(await refusal(signIns.byCode('wechat', 'a code', visit)), 'setup_required');
    assert.is(await refusal(signIns.byTelegram({}, visit)), 'setup_required');
  } finally {
    setupDone = true;
  }
});

elsewhere.run();
