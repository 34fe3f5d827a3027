/** The drawer in which a channel is made or changed. */
import type { Journey } from './journeys.ts';

/** The drawer of a channel, and its fields. */
export function drawerOf({ page, text }: Journey) {
  const drawer = page.getByRole('dialog').first();
  const field = (zh: string, en: string) => drawer.getByRole('textbox', { name: text(zh, en), exact: true });
  const type = drawer.getByRole('combobox', { name: text('类型', 'Type') }).or(field('类型', 'Type'));
  return {
    drawer,
    field,
    submit: drawer.getByRole('button', { name: text('提交', 'Submit') }),
    choose: async (search: string) => {
      await type.first().click();
      await type.first().fill(search);
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
    },
  };
}
