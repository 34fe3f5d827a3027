/** What the editor of channels asks for by type, and how it words refusals (console.md 6.9). Runs once: the database is no matter here. */
import * as assert from 'uvu/assert';
import { journeys } from './journeys.ts';
import { startSite } from './site.ts';

const journey = journeys('the words of the editor of channels', { open: startSite });

journey.onDesktop('tells what the server refused by the labels of the form, at the field', async (visit) => {
  const { page, text, signIn, goTo, expectClean, daemon, upstream } = visit;
  const operations = [{ mode: 'set', path: 'a', value: 1 }];
  const saved = { type: 24, base_url: upstream.url, models: 'm', other: 'v1' };
  const id = await daemon.addChannel({ ...saved, name: 'worded', param_override: JSON.stringify({ operations }) });
  await signIn('root');
  await goTo(`/channel/edit/${id}`);
  const submit = page.getByRole('button', { name: text('提交', 'Submit'), exact: true });
  const version = page.locator('[data-path="other"]');
  await version.fill('beta');
  await submit.click();
  const reason = text('默认 API 版本：必须形如 v1beta', 'Default API version: must be a version such as v1beta');
  await page.getByText(reason, { exact: true }).waitFor();
  assert.is(await version.evaluate((field) => field === document.activeElement), true);
  await version.fill('v1alpha');
  const override = page.getByRole('textbox', { name: text('参数覆盖', 'Param override'), exact: true });
  await override.fill('{"operations":[{"mode":"set","path":"a","value":1},{"mode":"set","path":"b"}]}');
  await submit.click();
  const missing = text('操作 2 · 值（JSON）：缺失', 'Operation 2 · Value (JSON): is missing');
  await page.getByText(missing, { exact: true }).waitFor();
  await override.fill('');
  const statuses = page.getByRole('textbox', { name: text('状态码复写', 'Status code mapping'), exact: true });
  await statuses.fill('{"x":429}');
  await submit.click();
  const noStatus = text(
    '状态码复写 · x：必须由一个状态码指向另一个状态码，均为整数',
    'Status code mapping · x: must lead from a status to another, as whole numbers',
  );
  await page.getByText(noStatus, { exact: true }).waitFor();
  await expectClean('refused');
});

journey.onDesktop('asks for no test model where a channel of the type cannot be tested', async (visit) => {
  const { page, text, signIn, goTo, daemon, upstream } = visit;
  const field = page.locator('input[data-path=test_model]');
  await signIn('root');
  for (const [type, count] of [
    [1, 1],
    [36, 0],
  ] as const) {
    const id = await daemon.addChannel({ type, name: `of ${type}`, base_url: upstream.url, models: 'suno_music' });
    await goTo(`/channel/edit/${id}`);
    await page.getByRole('textbox', { name: text('模型前缀', 'Model prefix') }).waitFor();
    assert.is(await field.count(), count, `${type}`);
  }
});

journey.run();
