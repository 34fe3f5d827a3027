import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { managementRefusal, type UserManagement } from '../../../daemon/domain/permissions.ts';

const matrix = suite('who may do what to whom');

type Column =
  | 'admin-user'
  | 'admin-admin'
  | 'admin-root'
  | 'admin-self'
  | 'root-user'
  | 'root-admin'
  | 'root-self'
  | 'root-root';

const columns: Record<Column, { actor: { userId: number; role: number }; target: { id: number; role: number } }> = {
  'admin-user': { actor: { userId: 1, role: 10 }, target: { id: 2, role: 1 } },
  'admin-admin': { actor: { userId: 1, role: 10 }, target: { id: 2, role: 10 } },
  'admin-root': { actor: { userId: 1, role: 10 }, target: { id: 2, role: 100 } },
  'admin-self': { actor: { userId: 1, role: 10 }, target: { id: 1, role: 10 } },
  'root-user': { actor: { userId: 1, role: 100 }, target: { id: 2, role: 1 } },
  'root-admin': { actor: { userId: 1, role: 100 }, target: { id: 2, role: 10 } },
  'root-self': { actor: { userId: 1, role: 100 }, target: { id: 1, role: 100 } },
  'root-root': { actor: { userId: 1, role: 100 }, target: { id: 2, role: 100 } },
};

const yes = undefined;
const same = 'user_same_level';
const kept = 'user_root_protected';
const rootOnly = 'user_promote_root_only';

/** management-api.md 6.2; the last column is "several roots cannot change each other". */
const table: Record<UserManagement, readonly [...(string | undefined)[]]> = {
  read: [yes, same, same, yes, yes, yes, yes, yes],
  edit: [yes, same, same, same, yes, yes, yes, same],
  'set-quota': [yes, same, same, same, yes, yes, yes, same],
  'set-group': [yes, same, same, same, yes, yes, yes, same],
  'set-password': [yes, same, same, same, yes, yes, yes, same],
  'sign-out': [yes, same, same, same, yes, yes, yes, same],
  'reset-second-factor': [yes, same, same, same, yes, yes, kept, same],
  disable: [yes, same, same, same, yes, yes, kept, same],
  enable: [yes, same, same, same, yes, yes, kept, same],
  delete: [yes, same, same, same, yes, yes, kept, same],
  promote: [rootOnly, rootOnly, rootOnly, rootOnly, yes, 'user_already_admin', 'user_already_admin', same],
  demote: ['user_already_common', same, same, same, 'user_already_common', yes, kept, same],
};

matrix('follows the table, role by role and action by action', () => {
  for (const [action, expected] of Object.entries(table)) {
    Object.entries(columns).forEach(([name, { actor, target }], index) => {
      const state = { ...target, status: 1, deletedAt: null };
      assert.is(managementRefusal(actor, state, asAction(action)), expected[index], `${action}: ${name}`);
    });
  }
});

matrix('refuses every change of a deleted user, after level and root protection', () => {
  const deleted = { status: 1, deletedAt: new Date() };
  for (const action of Object.keys(table).map(asAction)) {
    if (action === 'read') continue;
    const refusal = managementRefusal({ userId: 1, role: 100 }, { id: 2, role: 10, ...deleted }, action);
    assert.is(refusal, 'user_deleted_readonly', action);
  }
  assert.is(managementRefusal({ userId: 1, role: 10 }, { id: 2, role: 10, ...deleted }, 'edit'), same);
});

matrix('never brings a legacy deleted account back', () => {
  const legacy = { id: 2, role: 1, status: 3, deletedAt: null };
  assert.is(managementRefusal({ userId: 1, role: 100 }, legacy, 'enable'), 'invalid_params');
});

function asAction(text: string): UserManagement {
  const known = Object.keys(table).find((name): name is UserManagement => name === text);
  if (!known) throw new Error(text);
  return known;
}

matrix.run();
