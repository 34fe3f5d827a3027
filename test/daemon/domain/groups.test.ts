import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { groupNames, mayChooseGroup, usableGroups } from '../../../daemon/domain/groups.ts';
import { optionsView } from '../../support/options-view.ts';

const groups = suite('domain/groups');

groups('lists default first and the others by name', () => {
  assert.equal(groupNames(optionsView({ GroupRatio: { vip: 1, default: 1, alpha: 2 } })), ['default', 'alpha', 'vip']);
});

groups('adds the own group to the published ones', () => {
  const usable = usableGroups('staff', optionsView({ UserUsableGroups: { default: 'all' } }), 'en');
  assert.equal(
    [...usable],
    [
      ['default', 'all'],
      ['staff', 'user group'],
    ],
  );
});

groups('describes the groups of an unchanged option in the language of the reader', () => {
  assert.equal([...usableGroups('default', optionsView({}), 'zh').values()], ['默认分组', 'VIP 分组']);
  assert.equal([...usableGroups('default', optionsView({}), 'en').values()], ['default group', 'vip group']);
  const written = optionsView({ UserUsableGroups: { default: 'everyone' } });
  assert.equal([...usableGroups('default', written, 'zh').values()], ['everyone']);
});

groups('offers auto only while it is published and has groups to try', () => {
  const published = { UserUsableGroups: { default: 'all', auto: 'any' } };
  assert.not(mayChooseGroup('auto', 'default', optionsView(published)));
  assert.ok(mayChooseGroup('auto', 'default', optionsView({ ...published, AutoGroups: ['default'] })));
  assert.not(mayChooseGroup('auto', 'default', optionsView({ AutoGroups: ['default'] })));
});

groups('refuses groups that are not usable or have no ratio', () => {
  const options = optionsView({
    UserUsableGroups: { default: 'all', ghost: 'gone' },
    GroupRatio: { default: 1, svip: 1 },
  });
  assert.ok(mayChooseGroup('', 'default', options));
  assert.ok(mayChooseGroup('default', 'default', options));
  assert.not(mayChooseGroup('ghost', 'default', options));
  assert.not(mayChooseGroup('svip', 'default', options));
  assert.ok(mayChooseGroup('svip', 'svip', options));
});

groups.run();
