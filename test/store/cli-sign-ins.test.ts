import * as assert from 'uvu/assert';
import type { NewCliSignIn } from '../../daemon/store/cli-sign-ins.ts';
import { onBothEngines } from './engine-suites.ts';

onBothEngines('store/cli-sign-ins', (test, database) => {
  const signIns = () => database().stores.cliSignIns;
  let made = 0;

  const newSignIn = (over: Partial<NewCliSignIn> = {}): NewCliSignIn => {
    made += 1;
    return {
      exchangeHash: `exchange-${made}`,
      userCodeHash: `typed-${made}`,
      challenge: '',
      status: 'pending',
      name: 'tollgate on build-7',
      scopes: '*',
      tokenExpiresAt: 4_102_444_800,
      ip: '127.0.0.1',
      userAgent: 'tollgate-cli',
      userId: null,
      authVersion: 0,
      createdAt: 100,
      expiresAt: 700,
      ...over,
    };
  };
  const approved = { status: 'approved', userId: 7, authVersion: 2, scopes: 'log:read' } as const;

  test('returns what was written, with whole numbers, and keeps a typed code for one at a time', async () => {
    const given = newSignIn();
    const signIn = await signIns().insert(given);
    assert.equal(signIn, { ...given, id: signIn?.id, lastPollAt: 0 });
    assert.equal(await signIns().findByExchange(given.exchangeHash), signIn);
    assert.equal(await signIns().findByUserCode(given.userCodeHash ?? ''), signIn);
    assert.is(await signIns().insert(newSignIn({ userCodeHash: given.userCodeHash })), undefined);
    for (const _ of [1, 2]) assert.ok(await signIns().insert(newSignIn({ userCodeHash: null })));
  });

  test('is answered once, by whoever is first, and while it waits', async () => {
    const { id = 0 } = (await signIns().insert(newSignIn())) ?? {};
    assert.is(await signIns().answer(id, approved, 700), undefined);
    const answers = await Promise.all([
      signIns().answer(id, approved, 699),
      signIns().answer(id, { ...approved, status: 'denied' }, 699),
    ]);
    assert.is(answers.filter((answer) => answer !== undefined).length, 1);
  });

  test('is used up once, and only when it was approved', async () => {
    const { id = 0 } = (await signIns().insert(newSignIn())) ?? {};
    assert.is(await signIns().takeApproved(id, 200), false);
    assert.is((await signIns().answer(id, approved, 200))?.scopes, 'log:read');
    assert.is(await signIns().takeApproved(id, 700), false);
    const taken = await Promise.all([signIns().takeApproved(id, 200), signIns().takeApproved(id, 200)]);
    assert.equal(taken.sort(), [false, true]);
  });

  test('notes a question that is not too soon after the last, and forgets what is over', async () => {
    const { id = 0, exchangeHash = '' } = (await signIns().insert(newSignIn())) ?? {};
    const ask = (now: number) => signIns().takePoll(id, { now, everySeconds: 5 });
    assert.equal([await ask(101), await ask(105), await ask(106)], [true, false, true]);
    await signIns().deleteExpired(699);
    assert.ok(await signIns().findByExchange(exchangeHash));
    await signIns().deleteExpired(700);
    assert.is(await signIns().findByExchange(exchangeHash), undefined);
  });
});
