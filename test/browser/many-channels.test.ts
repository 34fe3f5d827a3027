/** B10 of console.md 10: channels out of a file, what is done to several at once, and where Back leads from what was opened. */
import * as assert from 'uvu/assert';
import { untilPasses } from '../support/until.ts';
import { type Journey, journeys } from './journeys.ts';

const journey = journeys('many channels', { isFresh: true });

function rowsOf(names: readonly string[]) {
  return names.map((name) => ({ name, type: 1, key: 'sk-1', models: 'gpt-4o', group: 'default' }));
}

async function openImport({ page, text, goTo }: Journey) {
  await goTo('/channel');
  const more = page.getByRole('button', { name: text('更多操作', 'More actions'), exact: true });
  await more.first().click();
  await page.getByRole('menuitem', { name: text('导入', 'Import'), exact: true }).click();
  const dialog = page.getByRole('dialog', { name: text('导入渠道', 'Import channels') });
  return {
    dialog,
    content: dialog.getByLabel(text('文件内容', 'Content')),
    preview: dialog.getByRole('button', { name: text('预览变更', 'Preview changes') }),
    send: (count: number) =>
      dialog.getByRole('button', {
        name: text(`导入 ${count} 个渠道`, `Import ${count} channel${count > 1 ? 's' : ''}`),
      }),
  };
}

async function namesOf({ daemon }: Journey): Promise<string[]> {
  const { items } = await daemon.root.channels.list({ page: 1, page_size: 100, id_sort: true });
  return items.flatMap((row) => ('name' in row ? [row.name] : []));
}

journey.onDesktop(
  'B10 channels: never takes the late preview of a text for that of the one typed since, and imports what it shows',
  async (visit) => {
    const { page, signIn } = visit;
    await signIn('root');
    const { dialog, content, preview, send } = await openImport(visit);
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/api/channel/import', async (route) => {
      await held;
      // Given up by the page meanwhile, if it does as it should.
      await route.continue().catch(() => undefined);
    });
    await content.fill(JSON.stringify(rowsOf(['first'])));
    await preview.click();
    const asked = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/api/channel/import'));
    await content.fill(JSON.stringify(rowsOf(['second', 'third'])));
    await asked;
    release();
    await page.unroute('**/api/channel/import');
    await preview.click();
    await dialog.getByRole('cell', { name: 'third', exact: true }).waitFor();
    assert.is(await dialog.getByRole('cell', { name: 'first', exact: true }).count(), 0);
    await send(2).click();
    await dialog.waitFor({ state: 'detached' });
    assert.equal((await namesOf(visit)).toSorted(), ['second', 'third']);
  },
);

journey('B10 channels: previews five hundred rows in a box of their own, with its buttons in sight', async (visit) => {
  const { signIn, expectClean, page, daemon } = visit;
  await signIn('root');
  const { dialog, content, preview, send } = await openImport(visit);
  await content.fill(JSON.stringify(rowsOf(Array.from({ length: 500 }, (_, index) => `row ${index + 1}`))));
  await preview.click();
  await dialog.getByRole('cell', { name: 'row 500', exact: true }).waitFor();
  await expectClean('five hundred');
  const height = page.viewportSize()?.height ?? 0;
  const { y = height, height: tall = 0 } = (await send(500).boundingBox()) ?? {};
  assert.ok(y + tall <= height, `the button ends at ${y + tall} of ${height}`);
  await send(500).click();
  await dialog.waitFor({ state: 'detached' });
  await untilPasses(async () => {
    assert.is((await daemon.root.channels.list({ page: 1, page_size: 10 })).total, 500);
  });
});

journey.run();
