import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { RateTable } from '../../../daemon/domain/rate-rules.ts';
import type { RateRuleRecord, RateSubjectKind } from '../../../daemon/store/rate-rules.ts';

const rules = suite('domain/rate-rules');

/** Lines such as `user:7 gpt-* 0.5`. */
function tableOf(...lines: string[]): RateTable {
  return new RateTable(
    lines.map((line, at): RateRuleRecord => {
      const [who = '', model = '', ratio = ''] = line.split(' ');
      const [kind = '', subject = ''] = who.split(':');
      return { ...record, id: at + 1, subjectKind: kindOf(kind), subject, model, ratio: Number(ratio) };
    }),
  );
}

const record = { id: 1, subject: '', model: '', ratio: 1, updatedAt: 0, actorId: 1, actorName: 'root' };

function kindOf(text: string): RateSubjectKind {
  if (text === 'user' || text === 'group' || text === 'token') return text;
  throw new Error(`no subject ${text}`);
}

const caller = { tokenId: 3, userId: 7, userGroup: 'vip' };
const found = (table: RateTable, model: string, who = caller) => table.find({ ...who, model })?.rateRule;

rules('give one key two rates on two models', () => {
  const table = tableOf('token:3 gpt-4o 0.5', 'token:3 claude-* 2');
  const [first, second] = [
    table.find({ ...caller, model: 'gpt-4o' }),
    table.find({ ...caller, model: 'claude-opus-4-5' }),
  ];
  assert.equal([first?.ratio, second?.ratio], [0.5, 2]);
  assert.equal([first?.rateRule, second?.rateRule], ['token:3 gpt-4o', 'token:3 claude-*']);
  assert.is(table.find({ ...caller, model: 'o3' }), undefined);
});

rules('prefer a whole name to a prefix, a longer prefix to a shorter one, and any prefix to the star', () => {
  const table = tableOf(
    'group:vip gpt-4o 1',
    'user:7 gpt-4* 1',
    'group:vip gpt-4o* 1',
    'token:3 * 1',
    'user:7 gpt-* 1',
  );
  assert.is(found(table, 'gpt-4o'), 'group:vip gpt-4o');
  assert.is(found(table, 'gpt-4o-mini'), 'group:vip gpt-4o*');
  assert.is(found(table, 'gpt-4.1'), 'user:7 gpt-4*');
  assert.is(found(table, 'gpt-5'), 'user:7 gpt-*');
  assert.is(found(table, 'o3'), 'token:3 *');
});

rules('prefer the longer prefix of one subject, in whatever order its rules were made', () => {
  const lines = ['user:7 gpt-4o* 1', 'user:7 gpt-* 1', 'user:7 gpt-4* 1'];
  for (const table of [tableOf(...lines), tableOf(...lines.toReversed())]) {
    const shown = ['gpt-4o-mini', 'gpt-4.1', 'gpt-5'].map((model) => found(table, model));
    assert.equal(shown, ['user:7 gpt-4o*', 'user:7 gpt-4*', 'user:7 gpt-*']);
  }
});

rules('prefer the key to its user and the user to the group, where they name the model alike', () => {
  for (const model of ['gpt-4o', 'gpt-*', '*']) {
    const of = (...kinds: string[]) => tableOf(...kinds.map((kind) => `${kind} ${model} 1`));
    assert.is(found(of('group:vip', 'user:7', 'token:3'), 'gpt-4o'), `token:3 ${model}`);
    assert.is(found(of('group:vip', 'user:7'), 'gpt-4o'), `user:7 ${model}`);
    assert.is(found(of('group:vip'), 'gpt-4o'), `group:vip ${model}`);
  }
});

rules('fit nobody but their subject', () => {
  const table = tableOf('user:7 * 1', 'token:3 * 1', 'group:vip * 1');
  assert.is(found(table, 'gpt-4o', { tokenId: 7, userId: 3, userGroup: 'default' }), undefined);
  assert.is(found(table, 'gpt-4o', { tokenId: 4, userId: 8, userGroup: 'vip' }), 'group:vip *');
  assert.is(table.find({ tokenId: undefined, userId: 8, userGroup: 'x', model: 'gpt-4o' }), undefined);
});

/** The best of all that match, by comparing each with each. */
function slowly(lines: readonly string[], model: string): string | undefined {
  const rank = (line: string): readonly number[] => {
    const [who = '', pattern = ''] = line.split(' ');
    const isExact = !pattern.endsWith('*');
    const matches = isExact ? model === pattern : model.startsWith(pattern.slice(0, -1));
    const kind = ['group:vip', 'user:7', 'token:3'].indexOf(who);
    return matches && kind >= 0 ? [isExact ? 1000 : pattern.length, kind] : [];
  };
  const ranked = lines.map((line) => ({ line, rank: rank(line) })).filter((one) => one.rank.length > 0);
  ranked.sort((a, b) => (b.rank[0] ?? 0) - (a.rank[0] ?? 0) || (b.rank[1] ?? 0) - (a.rank[1] ?? 0));
  return ranked[0]?.line.split(' ').slice(0, 2).join(' ');
}

rules('find what comparing all rules finds, whatever rules there are', () => {
  const who = fc.constantFrom('group:vip', 'group:other', 'user:7', 'user:8', 'token:3', 'token:4');
  const name = fc.stringMatching(/^[ab]{1,4}$/);
  const pattern = fc.oneof(
    name,
    name.map((text) => `${text}*`),
    fc.constant('*'),
  );
  const lines = fc.uniqueArray(
    fc.tuple(who, pattern).map(([one, model]) => `${one} ${model} 1`),
    { maxLength: 12 },
  );
  fc.assert(
    fc.property(lines, name, (given, model) => assert.is(found(tableOf(...given), model), slowly(given, model))),
  );
});

rules.run();
