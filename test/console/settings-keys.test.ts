/** The settings screens against the contract: every option stands on exactly one of them. */
import { createInstance } from 'i18next';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { problemOf } from '../../console/pages/settings/option-draft.ts';
import { settingsTabs } from '../../console/pages/settings/section-entry.ts';
import { idleMistakes, ownProblemOf, placeOf, sections } from '../../console/pages/settings/sections.ts';
import { type PlaceTexts, settingPlaces } from '../../console/pages/settings/setting-places.ts';
import { type OptionKey, optionKeys, optionTable, parseOption } from '../../daemon/contract/options.ts';

const test = suite('console: options on the settings screens');
const fields = sections.flatMap((section) => section.fields);

test('every declared option stands in exactly one section', () => {
  const counts = new Map<OptionKey, number>(optionKeys.map((key) => [key, 0]));
  for (const { key } of fields) counts.set(key, (counts.get(key) ?? 0) + 1);
  assert.equal(
    [...counts].filter(([, count]) => count !== 1),
    [],
  );
  assert.is(fields.length, optionKeys.length);
  for (const key of optionKeys) assert.is(placeOf(key)?.field.key, key);
});

test('sections have names of their own and stand in a tab that there is', () => {
  assert.is(new Set(sections.map(({ id }) => id)).size, sections.length);
  for (const { tab } of sections) assert.ok(settingsTabs.includes(tab));
});

test('the words to choose from are those that the option takes', () => {
  for (const { key, choices } of fields) {
    if (!choices) continue;
    for (const choice of choices) assert.ok(parseOption(key, choice).ok, `${key}: ${choice}`);
    const refusal = parseOption(key, 'no such word');
    assert.not.ok(refusal.ok);
    if (!refusal.ok) assert.is(refusal.reason, `must be one of ${choices.join(', ')}`);
  }
});

test('a mistake in a field counts no more once the switch that governs it is off', () => {
  const field = 'general_setting.ping_interval_seconds';
  const governor = 'general_setting.ping_interval_enabled';
  assert.equal(idleMistakes([governor, field], new Map(), { [field]: '', [governor]: 'false' }), [field]);
  assert.equal(idleMistakes([governor, field], new Map(), { [field]: '', [governor]: 'true' }), []);
  assert.equal(idleMistakes([governor, field], new Map(), { [field]: '5', [governor]: 'false' }), []);
  assert.equal(idleMistakes(['LogRetentionDays'], new Map(), { LogRetentionDays: '' }), [], 'no switch governs it');
});

test('the words of a screen stand for the faults that they tell, and no other', () => {
  for (const beyond of ['100.1', '-0.1']) assert.is(ownProblemOf('RebatePercentage', beyond), 'rebate');
  for (const other of ['12.34', '', '12.3']) assert.is(ownProblemOf('RebatePercentage', other), undefined);
  assert.is(problemOf('RebatePercentage', '12.34', 'en'), 'must have at most 1 decimal place');
  assert.is(problemOf('RebatePercentage', '12.34', 'zh'), '最多 1 位小数');
  assert.is(ownProblemOf('TopupGroupRatio', '{"default":'), 'topupGroupRatio');
  for (const json of ['{"default":-1}', '[1]']) {
    assert.is(ownProblemOf('TopupGroupRatio', json), undefined);
    assert.ok(problemOf('TopupGroupRatio', json, 'zh'), json);
  }
  assert.is(ownProblemOf('oidc.well_known', 'ftp://idp.example'), 'wellKnown');
  assert.is(ownProblemOf('oidc.well_known', `https://idp.example/${'x'.repeat(3000)}`), undefined);
});

test('switches stand where a switch is meant, and examples are values', () => {
  for (const { key, confirm, enabledBy, template, range } of fields) {
    if (confirm) assert.is(optionTable[key].form, 'boolean', key);
    if (enabledBy) assert.is(optionTable[enabledBy].form, 'boolean', key);
    if (template) assert.ok(parseOption(key, template).ok, key);
    if (range?.max !== undefined) assert.ok(parseOption(key, String(range.max)).ok, key);
  }
});

async function textsIn(language: 'zh' | 'en'): Promise<PlaceTexts> {
  const i18n = createInstance();
  const [{ texts: settings }, { texts: fieldTexts }] = await Promise.all([
    import(`../../console/i18n/catalogues/${language}/settings.ts`),
    import(`../../console/i18n/catalogues/${language}/settings-fields.ts`),
  ]);
  await i18n.init({
    lng: language,
    showSupportNotice: false,
    resources: { [language]: { settings, 'settings-fields': fieldTexts } },
  });
  return {
    t: i18n.getFixedT(language, 'settings'),
    fieldText: i18n.getFixedT(language, 'settings-fields'),
    language,
  };
}

test('a search finds every section and option, by key and by its name in either language, and leads to its place', async () => {
  for (const language of ['zh', 'en'] as const) {
    const words = await textsIn(language);
    const other = await textsIn(language === 'zh' ? 'en' : 'zh');
    const places = settingPlaces(words, true, other);
    const namedElsewhere = new Map(settingPlaces(other, true).map(({ id, label }) => [id, label.toLowerCase()]));
    for (const { id, words: found } of places) assert.ok(found.includes(namedElsewhere.get(id) ?? '?'), id);
    for (const key of optionKeys) {
      const place = places.find(({ id }) => id === key);
      const { section } = placeOf(key) ?? {};
      assert.ok(place, key);
      assert.is(place.query, `?tab=${section?.tab}&section=${section?.id}&option=${encodeURIComponent(key)}`);
      assert.ok(place.words.includes(key.toLowerCase()) && place.words.includes(place.label.toLowerCase()), key);
    }
    assert.is(places.length, sections.length + optionKeys.length);
    const forAdministrators = settingPlaces(words, false).map(({ id }) => id);
    assert.equal(
      places.map(({ id }) => id).filter((id) => !forAdministrators.includes(id)),
      ['section:alerts'],
    );
  }
});

test.run();
