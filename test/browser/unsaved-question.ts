/** The question that stands before the loss of what was typed (console.md 1.3). */
import type { Locator } from 'playwright-core';
import type { Journey } from './journeys.ts';

export function unsavedQuestion({ page, text }: Pick<Journey, 'page' | 'text'>): Locator {
  const dialog = page.getByRole('dialog').filter({ hasText: text('放弃', 'Discard') });
  return dialog.filter({ hasText: text('未保存', 'unsaved') }).last();
}

export async function answerUnsaved(visit: Pick<Journey, 'page' | 'text'>, act: 'stay' | 'discard'): Promise<void> {
  const { text } = visit;
  const name = act === 'stay' ? text('取消', 'Cancel') : text('放弃修改', 'Discard');
  await unsavedQuestion(visit).getByRole('button', { name }).click();
  await unsavedQuestion(visit).waitFor({ state: 'detached' });
}
