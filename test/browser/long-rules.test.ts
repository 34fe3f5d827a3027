/** Editors of a channel that hold many rules with long names (console.md 6.9). Runs once: the database is no matter here. */
import type { Locator } from 'playwright-core';
import * as assert from 'uvu/assert';
import { journeys } from './journeys.ts';
import { startSite } from './site.ts';

const journey = journeys('many rules of a channel', { open: startSite });

const hasFocus = (button: Locator) => button.evaluate((element) => element === document.activeElement);

/** What React handed to the field when it drew it last. */
const drawing = (field: Locator) =>
  field.evaluateHandle((element) => {
    const name = Object.keys(element).find((key) => key.startsWith('__reactProps'));
    return Reflect.get(element, name ?? '');
  });

journey.onDesktop('6.9 a key that is pressed in one of fifty operations draws no other anew', async (visit) => {
  const { page, text, signIn, goTo, daemon, upstream } = visit;
  const operations = Array.from({ length: 50 }, (_, place) => ({ mode: 'set', path: `member_${place}`, value: place }));
  const saved = { name: 'fifty', base_url: upstream.url, models: 'm', param_override: JSON.stringify({ operations }) };
  const id = await daemon.addChannel(saved);
  await signIn('root');
  await goTo(`/channel/edit/${id}`);
  await page.getByRole('button', { name: text('编辑操作', 'Edit operations'), exact: true }).click();
  const path = (place: number) =>
    page
      .getByRole('group', { name: text(`操作 ${place}`, `Operation ${place}`), exact: true })
      .getByRole('textbox', { name: text('路径', 'Path'), exact: true });
  const isSame = async () => {
    const before = await drawing(path(50));
    await page.keyboard.type('x');
    const after = await drawing(path(50));
    return page.evaluate(([first, second]) => first === second, [before, after]);
  };
  const apply = page.getByRole('button', { name: text('应用', 'Apply'), exact: true });
  const { y = 0, height = 0 } = (await apply.boundingBox()) ?? {};
  assert.ok(y > 0 && y + height <= 900, `Apply is ${y} px from the top`);
  await path(1).focus();
  // The first key forgets that everything is as it was.
  await page.keyboard.type('x');
  assert.is(await isSame(), true);
  assert.is(await path(1).inputValue(), 'member_0xx');
});

journey('6.9 long names of a mapping are told apart, and the focus stays where rows are removed', async (visit) => {
  const { page, text, variant, signIn, goTo, expectClean, daemon, upstream } = visit;
  const names = Array.from({ length: 3 }, (_, place) => `anthropic.claude-3-5-sonnet-v${place}`);
  const mapping = JSON.stringify(Object.fromEntries(names.map((name) => [name, name.replace('anthropic', 'us')])));
  const setting = '{"force_format":true,"timeout_connect":60}';
  const id = await daemon.addChannel({
    name: `mapped ${variant.name}`,
    base_url: upstream.url,
    models: 'm',
    model_mapping: mapping,
    setting,
  });
  await signIn('root');
  await goTo(`/channel/edit/${id}`);
  const table = page.locator('[data-path=model_mapping]');
  await page
    .getByRole('radiogroup', { name: text('模型重定向的编辑方式', 'Model mapping') })
    .getByText(text('表格', 'Table'))
    .click();
  const fields = table.getByRole('combobox').or(table.getByRole('textbox'));
  const isCut = await fields.evaluateAll((all) => all.some((field) => field.scrollWidth > field.clientWidth));
  assert.is(isCut, false, 'names that are cut look all the same');
  await expectClean('mapping');
  const first = table.getByLabel(text('第 1 行的原名称', 'Row 1: from'));
  await first.fill(names[2] ?? '');
  await page
    .getByText(text(`${names[2]} 重复出现：以最后的第 3 行为准`, /v2 is there more than once: row 3 counts/))
    .waitFor();
  await first.fill(names[0] ?? '');
  const remove = (place: number) =>
    table.getByRole('button', { name: text(`移除第 ${place} 行`, `Remove row ${place}`) });
  await remove(1).click();
  assert.is(await hasFocus(remove(1)), true, 'the row that moved up');
  await remove(2).click();
  assert.is(await hasFocus(table.getByRole('button', { name: text('添加一行', 'Add a row') })), true, 'the last row');

  const settings = page.locator('[data-path=setting]');
  const removals = settings.locator('[data-remove]');
  const second = await removals.nth(1).elementHandle();
  await removals.first().click();
  assert.is(await second?.evaluate((button) => button === document.activeElement), true, 'the other setting');
  await removals.first().click();
  const adding = settings.getByPlaceholder(text('添加一项设置', 'Add a setting'));
  assert.is(await hasFocus(adding), true, 'no setting is left');
});

journey.onDesktop('names that are written from the right lose their end where they are cut', async (visit) => {
  const { page, signIn, goTo, daemon, upstream } = visit;
  const name = `${'שלום '.repeat(20)}סוף`;
  await daemon.addChannel({ name, base_url: upstream.url, models: 'm' });
  await daemon.addKey({ name: name.slice(0, 50) });
  await signIn('root');
  for (const place of ['/channel', '/token']) {
    await goTo(place);
    // Where the first letter is drawn, and what holds it.
    const isSeen = await page
      .getByText('שלום')
      .first()
      .evaluate((cut) => {
        const range = document.createRange();
        range.setStart(cut.firstChild ?? cut, 0);
        range.setEnd(cut.firstChild ?? cut, 1);
        const [first, box] = [range.getBoundingClientRect(), cut.getBoundingClientRect()];
        return cut.scrollWidth > cut.clientWidth && first.left >= box.left && first.right <= box.right;
      });
    assert.is(isSeen, true, place);
  }
});

journey.run();
