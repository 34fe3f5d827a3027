import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestDaemon } from '../../support/daemon.ts';

const firstKey = suite('first key of a new user');

for (const [configured, expected] of [
  [true, ['newcomer-default']],
  [false, []],
] as const) {
  firstKey(`is ${configured ? 'made' : 'not made'} as the configuration says`, async () => {
    const daemon = await startTestDaemon({ config: { 'security.generate_default_token': configured } });
    try {
      await daemon.client(undefined).account.register({ username: 'newcomer', password: 'a good password' });
      const { stores } = daemon.daemon.foundation.database;
      const user = await stores.users.findByUsername('newcomer');
      const { items } = await stores.tokens.list(user?.id ?? 0, { offset: 0, limit: 5 });
      assert.equal(
        items.map(({ name }) => name),
        expected,
      );
      assert.ok(
        items.every(
          ({ unlimitedQuota, remainQuota, expiredTime }) =>
            unlimitedQuota && remainQuota === 500_000 && expiredTime === -1,
        ),
      );
    } finally {
      await daemon.stop();
    }
  });
}

firstKey.run();
