import * as assert from 'uvu/assert';
import type { NewPriceVersion } from '../../daemon/store/price-versions.ts';
import { onBothEngines } from './engine-suites.ts';

const version: NewPriceVersion = {
  createdAt: 5,
  actorId: 1,
  actorName: 'root',
  cause: 'edit',
  note: '',
  models: '[]',
  modelCount: 0,
};

onBothEngines('store/price-versions', (test, database) => {
  test('knows what options were at any version, and forgets the oldest alone', async () => {
    const { priceVersions } = database().stores;
    const first = await priceVersions.insert(
      version,
      new Map([
        ['A', null],
        ['B', '{}'],
      ]),
    );
    const second = await priceVersions.insert({ ...version, note: 'two' }, new Map([['A', '{"x":1}']]));
    const third = await priceVersions.insert(
      version,
      new Map([
        ['A', '{"x":2}'],
        ['C', 'c'],
      ]),
    );
    const at = async (id: number) => Object.fromEntries(await priceVersions.textsAt(id));
    assert.equal(await at(0), { A: null, B: '{}', C: 'c' });
    assert.equal(await at(first), { A: '{"x":1}', C: 'c' });
    assert.equal(await at(second), { A: '{"x":2}', C: 'c' });
    assert.equal(await at(third), {});
    const page = await priceVersions.list({ offset: 1, limit: 1 });
    assert.equal([page.items.map(({ id }) => id), page.total], [[second], 3]);
    assert.equal(await priceVersions.find(second), { ...version, id: second, note: 'two' });
    await priceVersions.prune(2);
    assert.is(await priceVersions.find(first), undefined);
    assert.equal(await at(second), { A: '{"x":2}', C: 'c' });
    assert.equal(await at(0), { A: '{"x":1}', C: 'c' }, 'before the oldest that is kept');
    await priceVersions.prune(2);
    assert.is((await priceVersions.list({ offset: 0, limit: 10 })).total, 2);
  });
});
