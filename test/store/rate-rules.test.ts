import * as assert from 'uvu/assert';
import { onBothEngines } from './engine-suites.ts';

onBothEngines('store/rate-rules', (test, database) => {
  test('keeps one ratio for each subject and model, to the last digit', async () => {
    const { rateRules } = database().stores;
    const rule = {
      subjectKind: 'user',
      subject: '7',
      model: 'gpt-*',
      updatedAt: 5,
      actorId: 1,
      actorName: 'root',
    } as const;
    const first = await rateRules.set({ ...rule, ratio: 0.1 + 0.2 });
    assert.is(first?.ratio, 0.1 + 0.2);
    const second = await rateRules.set({ ...rule, ratio: 1 / 3, updatedAt: 6, actorId: 2, actorName: 'ada' });
    assert.equal(second, { ...rule, id: first?.id ?? 0, ratio: 1 / 3, updatedAt: 6, actorId: 2, actorName: 'ada' });
    await rateRules.set({ ...rule, model: '*', ratio: 0 });
    await rateRules.set({ ...rule, subjectKind: 'group', ratio: 1_000_000 });
    const listed = (await rateRules.all()).map(({ subjectKind, model, ratio }) => [subjectKind, model, ratio]);
    assert.equal(listed, [
      ['group', 'gpt-*', 1_000_000],
      ['user', '*', 0],
      ['user', 'gpt-*', 1 / 3],
    ]);
    assert.is(await rateRules.count(), 3);
    assert.equal(await rateRules.find(rule), second);
    assert.equal(await rateRules.delete(first?.id ?? 0), second);
    assert.is(await rateRules.delete(first?.id ?? 0), undefined);
    assert.is(await rateRules.find(rule), undefined);
  });
});
