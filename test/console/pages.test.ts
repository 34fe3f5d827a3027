/** The table of pages promises no page that is not there. */
import { existsSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { consolePages } from '../support/console-sources.ts';

const pages = suite('the pages of the console');

pages('have a module each', () => {
  for (const { module } of consolePages()) {
    assert.ok(existsSync(new URL(`../../console/pages/${module}.tsx`, import.meta.url)), module);
  }
});

pages('stand in the side bar in the order of console.md 4.5', () => {
  const order = ['playground', 'dashboard', 'tokens', 'log', 'drawings', 'tasks', 'reference'];
  const titles = consolePages().map(({ title }) => title);
  const listed = titles.filter((title, place) => order.includes(title) && titles.indexOf(title) === place);
  assert.equal(listed, order);
});

pages.run();
