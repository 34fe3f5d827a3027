/** The same tests on both engines: one suite for each, with a database of its own that the tests share. */
import { suite, type Test } from 'uvu';
import { type Database, openDatabase } from '../../daemon/store/database.ts';
import type { NewToken, TokenRecord } from '../../daemon/store/tokens.ts';
import type { UserRecord } from '../../daemon/store/users.ts';
import { type TestDatabase, testEngines } from '../support/engines.ts';

/** Registers the tests once for each engine; `database()` is open while a test runs. */
export function onBothEngines(name: string, register: (test: Test, database: () => Database) => void): void {
  for (const engine of Object.values(testEngines)) {
    const tests = suite(`${name} (${engine.name})`);
    let place: TestDatabase | undefined;
    let opened: Database | undefined;
    tests.before(async () => {
      place = await engine.migrated();
      opened = await openDatabase({ url: place.url });
    });
    tests.after(async () => {
      await opened?.close();
      await place?.drop();
    });
    register(tests, () => {
      if (!opened) throw new Error('the database is not open');
      return opened;
    });
    tests.run();
  }
}

/** A new user with a name of its own. */
export async function insertUser(database: Database, over: { username?: string } = {}): Promise<UserRecord> {
  const username = over.username ?? `user-${Math.random().toString(36).slice(2)}`;
  const result = await database.stores.users.insert({ username, createdAt: 1 });
  if (!result.inserted) throw new Error(`the test made the user ${username} twice`);
  return result.user;
}

/** A new token of this user with a hash of its own. */
export async function insertToken(
  database: Database,
  userId: number,
  over: Partial<NewToken> = {},
): Promise<TokenRecord> {
  const token = await database.stores.tokens.insert({ ...newToken(userId), ...over });
  if (!token) throw new Error('the test made the token twice');
  return token;
}

export function newToken(userId: number): NewToken {
  return {
    userId,
    keyHash: `hash-${Math.random().toString(36).slice(2)}`,
    keySealed: 'sealed',
    keyHint: 'abcdwxyz',
    name: 'token',
    createdTime: 1,
    expiredTime: -1,
    unlimitedQuota: false,
    modelLimitsEnabled: false,
    modelLimits: '',
    allowIps: '',
    group: '',
  };
}
