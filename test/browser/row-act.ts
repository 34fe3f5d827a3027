/** The acts of a row of a list: beside it, behind its menu, on phones in a sheet. */
import type { Journey } from './journeys.ts';

/** Presses the act in the row that says the name. */
export async function actOnRow({ page, variant, text }: Journey, name: string, label: string): Promise<void> {
  // Not the filter's chip, which says the name as well.
  const row = page.getByText(name, { exact: true }).first().locator('xpath=ancestor::*[self::tr or self::li][1]');
  await row.waitFor();
  if (variant.size === 'phone') {
    const more = row.getByRole('button', { name: text('更多操作', 'More actions') });
    await ((await more.count()) > 0 ? more : row.getByRole('button').last()).click();
    await page.getByRole('dialog').getByRole('button', { name: label, exact: true }).click();
    return;
  }
  const beside = row.getByRole('button', { name: label, exact: true });
  if ((await beside.count()) > 0) {
    await beside.click();
    return;
  }
  await row.getByRole('button', { name: text('更多操作', 'More actions') }).click();
  await page.getByRole('menuitem', { name: label, exact: true }).click();
}
