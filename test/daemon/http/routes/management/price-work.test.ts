/** Versions of prices, going back to one, and taking over a published list (REQ-20), through a whole daemon. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestDaemon, type TestDaemon } from '../../../../support/daemon.ts';
import { assertRefused } from '../../../../support/refusals.ts';

const work = suite('price work');

let daemon: TestDaemon;

work.before(async () => {
  daemon = await startTestDaemon();
});
work.after(() => daemon.stop());

/** Stored texts, as they lie in the database. */
const storedTexts = async () => {
  const rows = await daemon.daemon.foundation.database.stores.options.all();
  return Object.fromEntries(rows.map(({ key, value }) => [key, value]));
};
const newest = async () => (await daemon.root.priceWork.versions()).items[0];

work('keep who changed what and why, whichever way prices are changed', async () => {
  const { root } = daemon;
  assert.is((await root.priceWork.versions()).total, 0);
  await root.prices.set({ models: { house: { model_ratio: 1, completion_ratio: 4 } }, note: 'the first' });
  const first = await newest();
  assert.equal([first?.cause, first?.note, first?.models, first?.model_count], ['edit', 'the first', ['house'], 1]);
  await root.options.set({ key: 'ToolPrice', value: '{"web_search": 7}' });
  assert.is((await newest())?.cause, 'option');
  await root.options.set({ key: 'RetryTimes', value: '1' });
  await root.prices.set({ models: { house: { model_ratio: 1 } } });
  assert.is((await root.priceWork.versions()).total, 2, 'what changes no price is no version');
  await root.options.resetModelRatio();
  assert.equal([(await newest())?.cause, (await newest())?.models], ['reset', ['house']]);
  const chain = (await root.priceWork.versions({ page_size: 2 })).items;
  assert.equal([chain[0]?.before, chain[1]?.before, first?.before], [chain[1]?.version, first?.version, 0]);
  const { version: at = 0 } = first ?? {};
  const differing = await root.priceWork.differences({ from: at });
  assert.equal(
    differing.find(({ name }) => name === 'house'),
    { option: 'ModelRatio', name: 'house', old: 1, new: null },
  );
  assert.equal(
    (await root.priceWork.differences({ from: 0, to: at })).map(({ option, name, old, new: now }) => [
      option,
      name,
      old,
      now,
    ]),
    [
      ['ModelRatio', 'house', null, 1],
      ['CompletionRatio', 'house', null, 4],
    ],
  );
  await assertRefused(root.priceWork.differences({ from: 999 }), 'price_version_not_found');
});

work('go back to a version byte by byte, and forth again', async () => {
  const { root } = daemon;
  const before = await storedTexts();
  const { version: place = 0 } = (await newest()) ?? {};
  await root.prices.set({ models: { other: { model_price: 0.5 }, house: { model_ratio: 0.1 } } });
  await root.options.set({ key: 'CompletionRatioRules', value: '[]' });
  const changed = await storedTexts();
  const { version: back } = await root.priceWork.rollback({ version: place, note: 'wrong list' });
  assert.equal(await storedTexts(), before);
  const noted = await newest();
  assert.equal([noted?.version, noted?.cause, noted?.note], [back, 'rollback', `#${place}: wrong list`]);
  assert.equal(await root.priceWork.differences({ from: place }), []);
  assert.equal(await root.priceWork.rollback({ version: place }), { version: null });
  await root.priceWork.rollback({ version: (back ?? 0) - 1 });
  assert.equal(await storedTexts(), changed);
  const actions = (await root.audits.list({ page_size: 100 })).items.map(({ action }) => action);
  assert.is(actions.filter((action) => action === 'price.rollback').length, 3);
  await assertRefused(root.priceWork.rollback({ version: 999 }), 'price_version_not_found');
});

work('take a list over from an address, all of it or nothing, and go back', async () => {
  const { root } = daemon;
  const list = { model_ratio: { house: 0.2, added: 3 }, model_price: { other: 0.6 } };
  const asked: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url);
    if (request.url === '/moved') response.writeHead(302, { location: '/prices.json' }).end();
    else response.end(JSON.stringify(list));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/prices.json`;
  try {
    const before = await storedTexts();
    const dry = await root.priceWork.sync({ url, dry_run: true, max_rise: 30 });
    assert.equal(
      dry.changes.map(({ model_name, member, old, new: now }) => [model_name, member, old, now]),
      [
        ['added', 'model_ratio', null, 3],
        ['house', 'model_ratio', 0.1, 0.2],
        ['other', 'model_price', 0.5, 0.6],
      ],
    );
    assert.equal(
      [dry.format, dry.listed, dry.over, dry.version],
      ['ratios', 3, [{ model_name: 'house', rise: 100 }], null],
    );
    assert.equal(await storedTexts(), before);
    await assertRefused(root.priceWork.sync({ url, max_rise: 30 }), 'price_rise_exceeded');
    assert.equal(await storedTexts(), before);
    const done = await root.priceWork.sync({ url, max_rise: 30, except: ['hou*'] });
    assert.is(done.version, (await newest())?.version);
    assert.equal([(await newest())?.note, (await newest())?.models], [url, ['added', 'other']]);
    await root.priceWork.rollback({ version: (done.version ?? 0) - 1 });
    assert.equal(await storedTexts(), before);
    await assertRefused(root.priceWork.sync({ url: `http://127.0.0.1:${port}/moved` }), 'price_source_failed');
    assert.equal(asked.at(-1), '/moved', 'redirects are not followed');
    await assertRefused(root.priceWork.sync({ url: 'http://10.0.0.1/prices.json' }), 'price_source_failed');
    await assertRefused(root.priceWork.sync({ url: 'file:///etc/passwd' }), 'price_source_failed');
    await assertRefused(root.priceWork.sync({ content: { a: 1 } }), 'price_source_unknown');
    await assertRefused(root.priceWork.sync({}), 'invalid_params');
  } finally {
    server.close();
  }
});

work.run();
