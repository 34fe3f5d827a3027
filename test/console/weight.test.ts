/** The console stays within its budgets (gzip -9, 1 KB = 1000 bytes), page by page and part by part. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { consolePages } from '../support/console-sources.ts';
import { BuiltConsole } from '../support/console-weights.ts';

const weight = suite('the weight of the console');

const built = new BuiltConsole();
const modules = [...new Set(consolePages().map(({ module }) => module))].filter((module) => built.has(module));
const isFrontDoor = (module: string) => module.startsWith('front/');

const KB = 1000;
// Of console.md 3: what is first seen, and a list with its menus and notices.
const frontDoor = { js: 175 * KB, css: 17 * KB };
const list = { js: 255 * KB, css: 22 * KB };
/** What these have more than a list: all kinds of fields, a conversation, five tabs. */
const heavier: Readonly<Record<string, typeof list>> = {
  'settings/settings-page': { js: 287 * KB, css: 26 * KB },
  'playground/playground-page': { js: 271 * KB, css: 26 * KB },
  'personal/personal-page': { js: 255 * KB, css: 24 * KB },
};
const further = { js: 25 * KB };
/** console.md 3 wants 40; ARCHITECTURE 16 says what stands in the way. */
const allStyles = 60 * KB;

/** The first that fits; what none of these names is a form, a dialog or a menu. */
const lazyBudgets: readonly (readonly [RegExp, number])[] = [
  [/chart/, 145 * KB],
  [/rich-|markdown|message-text/, 70 * KB],
  [/date|moment|calendar|picker/, 32 * KB],
  [/palette/, 15 * KB],
  [/./, 60 * KB],
];

const kilobytes = (bytes: number) => `${(bytes / KB).toFixed(1)} KB`;

weight('keeps a cold visit of each page within its budget', () => {
  assert.ok(modules.length > 0);
  const tooHeavy = modules.flatMap((module) => {
    const { js, css } = built.page(module, isFrontDoor(module) ? 'at once' : 'whole');
    const budget = isFrontDoor(module) ? frontDoor : (heavier[module] ?? list);
    return js > budget.js || css > budget.css
      ? [`${module}: ${kilobytes(js)} of code, ${kilobytes(css)} of style`]
      : [];
  });
  assert.equal(tooHeavy, []);
});

weight('keeps a further list within its budget', () => {
  const lists = modules.filter((module) => /(?:tokens|logs|users|redemptions)-page$/.test(module));
  assert.is(lists.length, 4, lists.join(', '));
  const tooHeavy = lists.flatMap((module) =>
    lists
      .filter((seen) => seen !== module)
      .map((seen) => ({ seen, js: built.added(module, seen).js }))
      .filter(({ js }) => js > further.js)
      .map(({ seen, js }) => `${module} after ${seen}: ${kilobytes(js)}`),
  );
  assert.equal(tooHeavy, []);
});

weight('keeps what is loaded later within its budget', () => {
  const tooHeavy = built.lazyParts().flatMap(({ name, from, weight: { js } }) => {
    const budget = lazyBudgets.find(([pattern]) => pattern.test(name))?.[1] ?? 0;
    return js > budget ? [`${name} from ${from}: ${kilobytes(js)} of ${kilobytes(budget)}`] : [];
  });
  assert.equal(tooHeavy, []);
  assert.ok(built.allStyles() <= allStyles, `all styles: ${kilobytes(built.allStyles())}`);
});

weight('loads no chart, picker or list of choices before a page needs it', () => {
  const heavy = /recharts-wrapper|@mantine\/dates\/|@mantine\/spotlight\/|@mantine\/core\/Combobox\b/;
  assert.not.match(built.codeOf(), heavy);
  for (const module of modules.filter(isFrontDoor)) {
    assert.is(heavy.exec(built.codeOf(module))?.[0], undefined, module);
  }
});

weight.run();
