/**
 * What opens a session once opens it on one of two daemons alone, also where no Redis counts for both.
 * Runs once: it brings PostgreSQL with it, and Redis where it wants one.
 */
import { createHash, createHmac } from 'node:crypto';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openBrowser } from '../support/api-browser.ts';
import type { TestDaemon } from '../support/daemon.ts';
import { rootPassword } from '../support/daemon.ts';
import { answeredChat, type DaemonPair, startPair, stopPair } from '../support/daemon-pair.ts';
import { OauthBrowser } from '../support/oauth-browser.ts';
import { assertRefused } from '../support/refusals.ts';
import { startRedis } from '../support/servers.ts';
import { makePasskey, signWithPasskey } from '../support/software-passkey.ts';
import { until } from '../support/until.ts';

const botToken = '12345:a-bot-token';
const manner = { origin: 'https://gate.example', partyId: 'gate.example' };
const options = { ServerAddress: manner.origin, TelegramBotToken: botToken, TelegramOAuthEnabled: 'true' };

/** An answer of the bot's widget, told apart from others by the name in it. */
function botAnswer(name: string): string {
  const fields = { auth_date: String(Math.floor(Date.now() / 1000)), first_name: name, id: '4242' };
  const lines = Object.entries(fields).map(([member, value]) => `${member}=${value}`);
  const secret = createHash('sha256').update(botToken).digest();
  const hash = createHmac('sha256', secret).update(lines.join('\n')).digest('hex');
  return String(new URLSearchParams({ ...fields, hash }));
}

/** The session of root on one daemon, which binds accounts and adds passkeys. */
async function rootSession({ url }: TestDaemon) {
  const browser = openBrowser(url);
  browser.userId = (await browser.client.account.login({ username: 'root', password: rootPassword })).id;
  return browser;
}

for (const kind of ['with Redis', 'without Redis'] as const) {
  const once = suite<DaemonPair>(`what opens a session once, on two daemons ${kind}`);

  once.before(async (world) => {
    const redis = kind === 'with Redis' ? await startRedis() : undefined;
    await startPair(world, { redis, prefix: 'used-once', script: () => answeredChat });
    for (const [key, value] of Object.entries(options)) await world.first.root.options.set({ key, value });
    await until(async () =>
      (await fetch(`${world.second.url}/api/status`).then((answer) => answer.text())).includes(manner.origin),
    );
  });
  once.after(stopPair);

  once('is an answer of the bot on the one that it came to', async ({ first, second }) => {
    const { cookie, userId } = await rootSession(first);
    const owner = new OauthBrowser(first.url);
    owner.cookie = cookie ?? '';
    const bound = await owner.ask(`/api/oauth/telegram/bind?${botAnswer('bind')}`, { 'Tollgate-User': String(userId) });
    assert.is(bound.message, 'bind');
    const answer = botAnswer('login');
    const path = `/api/oauth/telegram/login?${answer}`;
    assert.is((await new OauthBrowser(first.url).ask(path)).data?.id, userId);
    assert.is((await new OauthBrowser(second.url).ask(path)).code, 'oauth_exchange');
  });

  once('is a passkey on the one that its signature came to', async ({ first, second }) => {
    const { client, userId } = await rootSession(first);
    await client.stepUp.prove({ action: 'second_factor', method: 'password', password: rootPassword });
    const { passkey, made } = makePasskey(await client.passkeys.beginAdding(), manner);
    await client.passkeys.add({ name: 'synced', ...made });
    // As passkeys that are kept on several devices: they do not count how often they sign.
    const used = signWithPasskey(passkey, await first.client(undefined).passkeys.beginSignIn(), manner);
    assert.is((await first.client(undefined).passkeys.signIn(used)).id, userId);
    await assertRefused(second.client(undefined).passkeys.signIn(used), 'passkey_refused');
  });

  once.run();
}
