/** What suites of a whole daemon before one scripted upstream share. */
import type { Test } from 'uvu';
import type { TestDaemon } from './daemon.ts';
import type { FakeUpstream, Script } from './fake-upstream.ts';

export interface RelayWorld {
  daemon: TestDaemon;
  upstream: FakeUpstream;
  /** Of root, for all groups. */
  key: string;
}

/**
 * Before each test the upstream forgets what it was asked, and answers as `answers` says again; after the last one both
 * servers end.
 */
export function tidyBetween<W extends Pick<RelayWorld, 'daemon' | 'upstream'>>(test: Test<W>, answers?: Script): void {
  test.before.each(({ upstream }) => {
    upstream.requests.length = 0;
    if (answers !== undefined) upstream.script(answers);
  });
  test.after(async ({ daemon, upstream }) => {
    await daemon?.stop();
    await upstream?.close();
  });
}

/** Posts a JSON body with the world's key; `body` is the answer's, where that is JSON. */
export async function postJson({ daemon, key }: Pick<RelayWorld, 'daemon' | 'key'>, path: string, asked: unknown) {
  const answer = await fetch(daemon.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(asked),
  });
  const text = await answer.text();
  const isJson = answer.headers.get('content-type')?.startsWith('application/json');
  return { answer, status: answer.status, text, body: isJson ? JSON.parse(text) : undefined };
}

/** A relay key of a user who is not root. */
export async function keyOfAnother({ daemon, client, root }: TestDaemon): Promise<string> {
  const { database, keyring, nowSeconds } = daemon.foundation;
  // Enough for many holds at once: a settlement may come long after its answer.
  const user = await root.users.create({ username: 'other', password: 'a good password', quota: 100_000_000 });
  const accessToken = 'o'.repeat(32);
  await database.stores.users.setAccessToken(user.id, keyring.accessTokenHash(accessToken), nowSeconds() + 1000);
  const made = await client(accessToken).tokens.create({ name: 'other', expired_time: -1, unlimited_quota: true });
  return `sk-${made.key}`;
}
