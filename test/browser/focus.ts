/** Which part of a page has the focus, and how to get there without a mouse. */

import type { Page } from 'playwright-core';
import * as assert from 'uvu/assert';

/** Tag and words of what has the focus. */
export function focused(page: Page): Promise<string> {
  return page.evaluate(() => {
    const { activeElement: element } = document;
    return `${element?.tagName} ${element?.textContent?.trim().replaceAll(/\s+/g, ' ').slice(0, 60)}`;
  });
}

/** Goes on by Tab until something of that name has the focus, which must also be seen to have it. */
export async function tabTo(page: Page, name: string): Promise<void> {
  for (let steps = 0; steps < 80; steps += 1) {
    await page.keyboard.press('Tab');
    const [label, isSeen] = await page.evaluate(() => {
      const { activeElement: element } = document;
      if (!(element instanceof HTMLElement)) return ['', true];
      const isField = element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement;
      const labels = isField ? [...(element.labels ?? [])] : [];
      const text = element.getAttribute('aria-label') ?? (labels[0]?.textContent || element.textContent) ?? '';
      const box = element.getBoundingClientRect();
      const { outlineStyle, boxShadow, borderColor } = getComputedStyle(element);
      const hasRing = outlineStyle !== 'none' || boxShadow !== 'none' || borderColor !== '';
      return [
        text.replace('*', '').trim(),
        hasRing && box.width > 0 && box.bottom > 0 && box.top < innerHeight,
      ] as const;
    });
    if (label !== name) continue;
    assert.ok(isSeen, `the focus on ${name} cannot be seen`);
    return;
  }
  throw new Error(`Tab never comes to ${name}`);
}
