/** B10 of console.md 10: channels into a file. */
import { readFileSync } from 'node:fs';
import * as assert from 'uvu/assert';
import { gate } from '../support/gate.ts';
import { journeys } from './journeys.ts';

const journey = journeys('channel export');

journey.onDesktop('B10 channels: exports those of the filter, also what the daemon disabled', async (visit) => {
  const { page, text, signIn, goTo, daemon } = visit;
  await daemon.root.channels.import({
    channels: [
      { name: 'enabled', type: 1, key: 'sk-1', models: 'gpt-4o', status: 1 },
      { name: 'broken', type: 1, key: 'sk-1', models: 'gpt-4o', status: 3 },
    ],
  });
  await signIn('root');
  await goTo('/channel?status=auto');
  await page
    .getByRole('button', { name: text('更多操作', 'More actions'), exact: true })
    .first()
    .click();
  await page.getByRole('menuitem', { name: text('导出', 'Export'), exact: true }).click();
  const dialog = page.getByRole('dialog', { name: text('导出渠道', 'Export channels') });
  await dialog
    .getByRole('radio', {
      name: text('符合当前分组、类型与状态筛选的渠道', 'Those of the group, type and status filters'),
    })
    .click();
  const held = gate();
  await page.route('**/api/channel/export?*', async (route) => {
    await held.opened;
    await route.continue();
  });
  const download = page.waitForEvent('download');
  await dialog.getByRole('button', { name: text('导出', 'Export'), exact: true }).click();
  await page.keyboard.press('Escape');
  assert.is(await dialog.count(), 1, 'late it would close what was opened since');
  held.open();
  const exported: { name: string }[] = JSON.parse(readFileSync(await (await download).path(), 'utf8'));
  assert.equal(
    exported.map(({ name }) => name),
    ['broken'],
  );
});

journey.run();
