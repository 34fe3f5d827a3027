/** Every text of the console in both languages, each of them used and none of them missing. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { formatError } from '../../daemon/contract/error-codes.ts';
import { consolePages, consoleSources } from '../support/console-sources.ts';
import { askedKeys, type Catalogue, cataloguesOf, namedTexts, nameOf, parametersOf } from '../support/console-texts.ts';

const catalogues = suite('the catalogues of the console');

const zh = await cataloguesOf('zh');
const en = await cataloguesOf('en');
const sources = consoleSources(['.ts', '.tsx']).filter(({ path }) => !path.startsWith('console/i18n/catalogues/'));

const none: Catalogue = new Map();
const keysOf = (catalogue: Catalogue) => [...new Set([...catalogue.keys()].map(nameOf))].sort();

/** Where each text stands, with the text, for those that are wrong. */
function textsThat(isWrong: (text: string, language: 'zh' | 'en') => boolean): string[] {
  const wrong: string[] = [];
  for (const [language, all] of [
    ['zh', zh],
    ['en', en],
  ] as const) {
    for (const [namespace, texts] of all) {
      for (const [key, text] of texts)
        if (isWrong(text, language)) wrong.push(`${language} ${namespace}:${key} ${text}`);
    }
  }
  return wrong;
}

catalogues('have the same keys in both languages', () => {
  assert.equal([...en.keys()].sort(), [...zh.keys()].sort());
  for (const [namespace, texts] of zh) {
    assert.equal(keysOf(en.get(namespace) ?? none), keysOf(texts), namespace);
  }
});

catalogues('have no empty text, and no Chinese in English but the name of the language', () => {
  const wrong = textsThat((text, language) => {
    const isForeign = language === 'en' && /[\u3000-\u303f\u4e00-\u9fff\uff00-\uffef]/.test(text.replace('中文', ''));
    return text.trim() === '' || isForeign;
  });
  assert.equal(wrong, []);
});

catalogues('name the same parameters in both languages', () => {
  const wrong: string[] = [];
  // The forms of a number together: "one" may go without it.
  const named = (texts: Catalogue, key: string) =>
    [...new Set([...texts].filter(([each]) => nameOf(each) === key).flatMap(([, text]) => parametersOf(text)))].sort();
  for (const [namespace, texts] of zh) {
    for (const key of keysOf(texts)) {
      const [chinese, english] = [named(texts, key), named(en.get(namespace) ?? none, key)];
      if (chinese.join() !== english.join()) wrong.push(`${namespace}:${key} zh {${chinese}} en {${english}}`);
    }
  }
  assert.equal(wrong, []);
});

catalogues('name their parameters in single braces, since in double ones nothing is filled in', () => {
  assert.equal(
    textsThat((text) => text.includes('{{')),
    [],
  );
});

/** What is counted there is never one. */
const manyAlways = new Set(['channels:wideSearch', 'list:views.tooMany', 'tokens:cut']);

catalogues('have a form for one in English where a number stands before a noun in the plural', () => {
  const wrong = [...en].flatMap(([namespace, texts]) =>
    [...texts]
      .filter(
        ([key, text]) => key === nameOf(key) && /\{(?:count|n)\}(?: [\w-]+){0,2}? (?:[\w-]+s|are|differ)\b/.test(text),
      )
      .map(([key]) => `${namespace}:${key}`),
  );
  assert.equal(
    wrong.filter((key) => !manyAlways.has(key)),
    [],
  );
});

catalogues('have every key that a source asks for', () => {
  const missing: string[] = [];
  for (const asked of sources.flatMap(askedKeys)) {
    const places = asked.namespaces.length > 0 ? asked.namespaces : [...zh.keys()];
    const isThere = places.some((namespace) =>
      [...(zh.get(namespace)?.keys() ?? [])].some((key) => asked.pattern.test(key) || asked.pattern.test(nameOf(key))),
    );
    if (!isThere) missing.push(`${asked.path}:${asked.line}: ${asked.written} (in ${places.join(', ')})`);
  }
  assert.equal(missing, []);
});

catalogues('have no key that nobody uses', () => {
  const named = sources.map((source) => ({
    source,
    namespaces: [...source.code.matchAll(/useTranslation\(\s*\[?([^)\]]*)|[`'"]([\w-]+):[\w.]/g)].flatMap(
      ([, listed, prefix]) => prefix ?? listed?.match(/[\w-]+/g) ?? 'frame',
    ),
    texts: namedTexts(source),
  }));
  const unused: string[] = [];
  for (const [namespace, texts] of zh) {
    // A table of keys stands in a file that translates nothing itself.
    const places = named.filter(({ source, namespaces }) =>
      source.code.includes('useTranslation(') ? namespaces.includes(namespace) : true,
    );
    for (const key of texts.keys()) {
      const isUsed = places.some((place) => place.texts.some((text) => text.test(key) || text.test(nameOf(key))));
      if (!isUsed && !(namespace === 'frame' && key.startsWith('page.'))) unused.push(`${namespace}:${key}`);
    }
  }
  assert.equal(unused, []);
});

catalogues('name every page', () => {
  for (const { path, title } of consolePages()) {
    for (const all of [zh, en]) assert.ok(all.get('frame')?.get(`page.${title}`), `${path} ${title}`);
  }
});

catalogues('have the names under which the refusal of an unpriced model sends an administrator to its price', () => {
  for (const [language, all] of [
    ['zh', zh],
    ['en', en],
  ] as const) {
    const said = formatError('model_not_priced', { model: 'gpt-9' }, language);
    const settings = all.get('settings') ?? none;
    for (const key of ['tab.operation', 'section.prices']) {
      const name = settings.get(key);
      assert.ok(name !== undefined && said.includes(name), `${said}: not "${name}"`);
    }
  }
});

catalogues.run();
