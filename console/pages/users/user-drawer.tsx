/** Creating and editing an account (console.md 6.21); one's own goes through the calls for oneself. */
import { Button, Select, Textarea, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import * as z from 'zod/mini';
import '@mantine/core/styles/ActionIcon.css';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/Combobox.css';
import '@mantine/core/styles/Input.css';
import '@mantine/core/styles/PasswordInput.css';
import '@mantine/core/styles/Popover.css';
import '@mantine/core/styles/ScrollArea.css';
import { account as accountEndpoints, type SelfView } from '../../../daemon/contract/account.ts';
import { longestDisplayName, shortestPassword } from '../../../daemon/contract/account-limits.ts';
import { groups as groupEndpoints } from '../../../daemon/contract/groups.ts';
import { roles } from '../../../daemon/contract/roles.ts';
import { users as endpoints, type UserDetailView, type UserView } from '../../../daemon/contract/users.ts';
import { callsFor } from '../../api/client.ts';
import { FormDrawer } from '../../components/form-drawer.tsx';
import { lazyPart } from '../../components/late-part.tsx';
import { afterAsking } from '../../components/meanwhile.ts';
import { MoneyInput } from '../../components/money-input.tsx';
import { SecretInput } from '../../components/secret-input.tsx';
import { toast } from '../../components/toast.ts';
import { useUnsentCheck } from '../../components/unsent-parts.ts';
import { useContractForm } from '../../components/use-contract-form.ts';
import { isRoot, useUser } from '../../session/session.ts';
import { Bindings } from './bindings.tsx';
import classes from './users-page.module.css';
import { type DrawerProps, WaitingDrawer } from './waiting-drawer.tsx';

const users = callsFor(endpoints);
const account = callsFor(accountEndpoints);
const groups = callsFor(groupEndpoints);

const BudgetSection = lazyPart(() =>
  import('../../billing/budget-section.tsx').then((module) => ({ default: module.BudgetSection })),
);

const RateSection = lazyPart(() => import('./rate-section.tsx').then((module) => ({ default: module.RateSection })));

const LimitSection = lazyPart(() => import('./limit-section.tsx').then((module) => ({ default: module.LimitSection })));

function useGroups() {
  return useQuery({
    queryKey: ['groups'],
    queryFn: async ({ signal }) => (await groups.list({}, { signal })).items,
    staleTime: 300_000,
  });
}

export function CreateUserDrawer({ onClose }: DrawerProps) {
  const { t } = useTranslation('users');
  const { data, error, refetch } = useGroups();
  if (data) return <NewUserDrawer groupNames={data} onClose={onClose} />;
  return <WaitingDrawer title={t('form.createTitle')} error={error} onRetry={() => void refetch()} onClose={onClose} />;
}

function NewUserDrawer({ groupNames, onClose }: DrawerProps & { readonly groupNames: readonly string[] }) {
  const { t } = useTranslation('users');
  const queryClient = useQueryClient();
  const mayChooseRole = isRoot(useUser());
  const form = useContractForm({
    initial: {
      username: '',
      display_name: '',
      password: '',
      // A site may have done away with it; which of the others an account gets decides what its calls cost.
      group: groupNames.includes('default') ? 'default' : '',
      quota: 0,
      role: String(roles.user),
    },
    schema: z.object({
      username: z.string().check(z.trim(), z.minLength(1, t('form.missing'))),
      display_name: displayNameRule(t('form.displayNameLong')),
      password: z
        .string()
        .check(z.minLength(1, t('form.missing')), z.minLength(shortestPassword, t('form.passwordHint'))),
      group: z.string().check(z.minLength(1)),
      quota: z.number(),
    }),
    draft: 'create',
    secrets: ['password'],
    refusalFields: { username_invalid: 'username', username_taken: 'username', password_invalid: 'password' },
  });
  const save = form.submit(async ({ role, quota, ...values }) => {
    await users.create({ ...values, ...(quota > 0 && { quota }), ...(mayChooseRole && { role: Number(role) }) });
    await queryClient.invalidateQueries({ queryKey: ['users'] });
    toast.success(t('done.created'));
    onClose();
  });
  return (
    <FormDrawer
      opened
      onClose={onClose}
      title={t('form.createTitle')}
      isDirty={form.isChanged}
      isSaving={form.isSaving}
      error={form.failure}
      onSubmit={save}
      submitLabel={t('form.create')}
    >
      <TextInput
        key={form.key('username')}
        {...form.getInputProps('username')}
        label={t('form.name')}
        withAsterisk
        autoComplete="off"
        data-autofocus
      />
      <TextInput key={form.key('display_name')} {...form.getInputProps('display_name')} label={t('form.displayName')} />
      <SecretInput
        key={form.key('password')}
        {...form.getInputProps('password')}
        label={t('form.password')}
        description={t('form.passwordHint')}
        withAsterisk
        autoComplete="new-password"
      />
      <Select
        key={form.key('group')}
        {...form.getInputProps('group')}
        label={t('form.group')}
        withAsterisk
        description={t('form.groupHint')}
        data={[...groupNames]}
        allowDeselect={false}
        searchable
      />
      <MoneyInput key={form.key('quota')} {...form.getInputProps('quota')} label={t('form.newQuota')} />
      {mayChooseRole ? <RoleSelect key={form.key('role')} {...form.getInputProps('role')} /> : null}
    </FormDrawer>
  );
}

function RoleSelect(props: object) {
  const { t } = useTranslation(['users', 'enumerations']);
  return (
    <Select
      {...props}
      label={t('form.role')}
      allowDeselect={false}
      data={[
        { value: String(roles.user), label: t('enumerations:label.roleUser') },
        { value: String(roles.admin), label: t('enumerations:label.roleAdmin') },
      ]}
    />
  );
}

interface EditProps extends DrawerProps {
  /** Goes from the drawer to the dialog that adds to the balance. */
  readonly onAddQuota: (user: UserView) => void;
}

export function EditUserDrawer({ id, onClose, onAddQuota }: EditProps & { readonly id: number }) {
  const { t } = useTranslation('users');
  const { data, error, refetch } = useQuery({
    queryKey: ['users', 'one', id],
    queryFn: ({ signal }) => users.get({ id }, { signal }),
    staleTime: 0,
    gcTime: 0,
  });
  if (data) return <LoadedUserDrawer user={data} onClose={onClose} onAddQuota={onAddQuota} />;
  return <WaitingDrawer title={t('action.edit')} error={error} onRetry={() => void refetch()} onClose={onClose} />;
}

function valuesOf({ username, display_name, group, quota, notes }: UserDetailView) {
  return { username, display_name, password: '', group, quota, notes };
}

function LoadedUserDrawer({ user, onClose, onAddQuota }: EditProps & { readonly user: UserDetailView }) {
  const { t } = useTranslation('users');
  const queryClient = useQueryClient();
  const options = useGroups().data ?? [];
  const form = useContractForm({
    initial: valuesOf(user),
    schema: z.object({
      display_name: displayNameRule(t('form.displayNameLong')),
      password: passwordRule(t('form.passwordHint')),
      quota: z.number(),
    }),
    draft: `edit-${user.id}`,
    secrets: ['password'],
    needsChange: true,
    refusalFields: {
      username_invalid: 'username',
      username_taken: 'username',
      password_invalid: 'password',
      group_unknown: 'group',
      quota_negative: 'quota',
    },
  });
  const save = form.submit(async (_, changed) => {
    const readNow = async () => valuesOf(await users.get({ id: user.id }));
    const sent = await afterAsking(form, changed, readNow, { quota: 'balance' });
    if (!sent) return;
    await users.update({ id: user.id, ...sent });
    await queryClient.invalidateQueries({ queryKey: ['users'] });
    toast.success(t('done.updated'));
    onClose();
  });
  const isLive = user.DeletedAt === null;
  const names = options.includes(user.group) ? options : [user.group, ...options];
  return (
    <FormDrawer
      opened
      onClose={onClose}
      title={t('form.editTitle', { name: user.username })}
      isDirty={form.isChanged}
      isSaving={form.isSaving}
      error={form.failure}
      onSubmit={save}
      submitLabel={t('form.save')}
      isReadOnly={!isLive}
    >
      <TextInput
        key={form.key('username')}
        {...form.getInputProps('username')}
        label={t('form.name')}
        disabled={!isLive}
      />
      {isLive && (
        <SecretInput
          key={form.key('password')}
          {...form.getInputProps('password')}
          label={t('form.password')}
          description={t('form.passwordKept')}
          autoComplete="new-password"
        />
      )}
      <TextInput
        key={form.key('display_name')}
        {...form.getInputProps('display_name')}
        label={t('form.displayName')}
        disabled={!isLive}
      />
      <Select
        key={form.key('group')}
        {...form.getInputProps('group')}
        label={t('form.group')}
        description={t('form.groupHint')}
        data={[...names]}
        allowDeselect={false}
        searchable
        disabled={!isLive}
      />
      <MoneyInput key={form.key('quota')} {...form.getInputProps('quota')} label={t('form.quota')} disabled={!isLive} />
      {isLive && <AddQuotaButton isDisabled={form.isChanged} onAdd={() => onAddQuota(user)} />}
      <Textarea
        key={form.key('notes')}
        {...form.getInputProps('notes')}
        label={t('form.notes')}
        description={t('form.notesHint')}
        rows={3}
        maxLength={2000}
        disabled={!isLive}
      />
      {isLive && (
        <Suspense fallback={null}>
          <BudgetSection on={`user:${user.id}`} />
          <LimitSection username={user.username} />
          <RateSection userId={user.id} />
        </Suspense>
      )}
      <Bindings user={user} />
    </FormDrawer>
  );
}

/** Leaves the drawer for the dialog. */
function AddQuotaButton({ isDisabled, onAdd }: { readonly isDisabled: boolean; readonly onAdd: () => void }) {
  const { t } = useTranslation('users');
  const check = useUnsentCheck();
  return (
    <Button
      variant="default"
      className={classes.addQuota ?? ''}
      disabled={isDisabled}
      onClick={() => check() && onAdd()}
    >
      {t('action.addQuota')}
    </Button>
  );
}

/** Empty: unchanged. */
function passwordRule(message: string) {
  return z.string().check(z.refine((text) => text === '' || text.length >= shortestPassword, message));
}

function displayNameRule(message: string) {
  return z.string().check(z.refine((text) => [...text.trim()].length <= longestDisplayName, message));
}

/** The own account, by the calls that everybody has. */
export function OwnAccountDrawer({ onClose }: DrawerProps) {
  const { t } = useTranslation('users');
  const { data, error, refetch } = useQuery({
    queryKey: ['self'],
    queryFn: ({ signal }) => account.get({}, { signal }),
  });
  if (data) return <LoadedOwnDrawer self={data} onClose={onClose} />;
  return <WaitingDrawer title={t('form.ownTitle')} error={error} onRetry={() => void refetch()} onClose={onClose} />;
}

function ownValuesOf({ username, display_name }: SelfView) {
  return { username, display_name, password: '', original_password: '' };
}

function LoadedOwnDrawer({ self, onClose }: DrawerProps & { self: SelfView }) {
  const { t } = useTranslation('users');
  const queryClient = useQueryClient();
  const form = useContractForm({
    initial: ownValuesOf(self),
    schema: z
      .object({
        display_name: displayNameRule(t('form.displayNameLong')),
        password: passwordRule(t('form.passwordHint')),
        original_password: z.string(),
      })
      .check(
        z.refine(
          ({ password, original_password }) => password === '' || original_password !== '' || !self.has_password,
          { path: ['original_password'], error: t('form.originalEmpty') },
        ),
      ),
    draft: 'own',
    secrets: ['password', 'original_password'],
    needsChange: true,
    refusalFields: {
      username_invalid: 'username',
      username_taken: 'username',
      password_invalid: 'password',
      login_failed: 'original_password',
    },
    refusalTexts: { login_failed: t('form.originalWrong') },
  });
  const save = form.submit(async (_, changed) => {
    const sent = await afterAsking(form, changed, async () => ownValuesOf(await account.get({})));
    if (!sent) return;
    await account.update(sent);
    await queryClient.invalidateQueries({ queryKey: ['self'] });
    await queryClient.invalidateQueries({ queryKey: ['users'] });
    toast.success(t('done.updated'));
    onClose();
  });
  return (
    <FormDrawer
      opened
      onClose={onClose}
      title={t('form.ownTitle')}
      isDirty={form.isChanged}
      isSaving={form.isSaving}
      error={form.failure}
      onSubmit={save}
      submitLabel={t('form.save')}
    >
      <TextInput key={form.key('username')} {...form.getInputProps('username')} label={t('form.name')} />
      <TextInput key={form.key('display_name')} {...form.getInputProps('display_name')} label={t('form.displayName')} />
      {self.has_password ? (
        <SecretInput
          key={form.key('original_password')}
          {...form.getInputProps('original_password')}
          label={t('form.originalPassword')}
          description={t('form.originalHint')}
          autoComplete="current-password"
        />
      ) : null}
      <SecretInput
        key={form.key('password')}
        {...form.getInputProps('password')}
        label={t('form.password')}
        description={t('form.passwordKept')}
        autoComplete="new-password"
      />
    </FormDrawer>
  );
}
