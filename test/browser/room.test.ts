/** What is said whole where there is room for it (console.md 10): names in tables, figures on their cards. */
import * as assert from 'uvu/assert';
import { journeys } from './journeys.ts';
import { startFilledSite } from './site.ts';

const journey = journeys('the room that texts have', { open: startFilledSite });

journey.onDesktop(
  'B10 channels: a long name and what a call cost take the room of the table, also where rows are chosen',
  async (visit) => {
    const { page, daemon, upstream, signIn, goTo, text } = visit;
    const name = 'openai-production-1';
    await daemon.addChannel({ name, base_url: upstream.url, models: 'gpt-4o' });
    await signIn('admin');
    await goTo('/channel?size=100');
    const batch = page.getByRole('switch', { name: text('批量操作', 'Batch') });
    if (!(await batch.isChecked())) await batch.click({ force: true });
    await page.getByRole('checkbox').nth(1).waitFor();
    const isCut = (element: Element) => element.scrollWidth > element.clientWidth;
    assert.not(await page.getByTitle(name, { exact: true }).evaluate(isCut));
    await daemon.addChannel({
      name: 'a name for which no table has room '.repeat(2),
      base_url: upstream.url,
      models: 'm',
    });
    await page.setViewportSize({ width: 1400, height: 900 });
    await goTo('/channel?size=100');
    const spent = page.getByRole('cell', { name: '$0.000152 / ' });
    const tops = await spent.evaluate((cell) =>
      [...cell.querySelectorAll('span > span, button')].map((part) => {
        const { top, height } = part.getBoundingClientRect();
        return Math.round(top + height / 2);
      }),
    );
    assert.ok(tops.length >= 2);
    assert.equal(new Set(tops).size, 1, `one line: ${tops}`);
    await page.setViewportSize({ width: 1440, height: 900 });
  },
);

journey.onDesktop('1.7 a figure of twelve characters stays in one line, however narrow its card is', async (visit) => {
  const { page, signIn, goTo } = visit;
  await signIn('root');
  for (const width of [720, 390, 320]) {
    await page.setViewportSize({ width, height: 900 });
    await goTo('/topup');
    const figures = page.locator('main').getByText(/^\$\d/);
    const heights = await figures.evaluateAll((elements) =>
      elements.flatMap((element) =>
        ['$0.000304', '100,000,000', '-$123,456.78'].map((figure) => {
          element.textContent = figure;
          return element.getClientRects().length;
        }),
      ),
    );
    assert.ok(heights.length >= 6);
    assert.equal(new Set(heights), new Set([1]), `at ${width} pixels`);
  }
  await page.setViewportSize({ width: 1440, height: 900 });
});

journey.onDesktop('1.3 the example in a field that was refused empty is not lettered as an entry', async (visit) => {
  const { page, signIn, goTo, settled, text } = visit;
  await signIn('admin');
  await goTo('/channel/add');
  const models = page.getByPlaceholder(text('搜索，或粘贴模型列表', 'Search, or paste a list of models'));
  const letters = () => models.evaluate((element) => getComputedStyle(element, '::placeholder').color);
  const before = await letters();
  await page.getByRole('button', { name: text('提交', 'Submit') }).click();
  await page.getByText(text('请至少选择一个模型！', 'Please select at least one model')).waitFor();
  await settled();
  assert.is(await letters(), before);
});

journey.run();
