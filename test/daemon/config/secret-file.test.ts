import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { resolveRootSecret } from '../../../daemon/config/secret-file.ts';
import { createWorkspace, type Workspace } from '../../support/workspace.ts';

const test = suite<{ workspace: Workspace }>('root secret');

test.before.each((context) => {
  context.workspace = createWorkspace();
});
test.after.each(({ workspace }) => workspace.remove());

test('is the configured one when there is one, and then no file is made', ({ workspace }) => {
  const found = resolveRootSecret({ secret: 'given', data_dir: workspace.path('data') });
  assert.equal(found, { value: 'given', origin: 'config' });
  assert.not(existsSync(workspace.path('data')));
});

test('is made once, for its owner alone, and found again', ({ workspace }) => {
  const config = { secret: '', data_dir: workspace.path('data') };
  const made = resolveRootSecret(config);
  assert.is(made.origin, 'created');
  assert.match(made.value, /^[0-9a-f]{64}$/);
  assert.is(statSync(workspace.path('data', 'secret')).mode & 0o777, 0o600);
  assert.equal(resolveRootSecret(config), { ...made, origin: 'file' });
});

test('is closed to others again when somebody opened the file', ({ workspace }) => {
  const config = { secret: '', data_dir: workspace.folder };
  resolveRootSecret(config);
  chmodSync(workspace.path('secret'), 0o644);
  resolveRootSecret(config);
  assert.is(statSync(workspace.path('secret')).mode & 0o777, 0o600);
});

test('is never replaced when the file is damaged', ({ workspace }) => {
  writeFileSync(workspace.path('secret'), 'cut');
  assert.throws(() => resolveRootSecret({ secret: '', data_dir: workspace.folder }), /restore it from a backup/);
  assert.is(readFileSync(workspace.path('secret'), 'utf8'), 'cut');
});

test.run();
