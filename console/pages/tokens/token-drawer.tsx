/** Creating tokens, one or many, and editing one (console.md 6.11). */
import { Alert } from '@mantine/core';
import '@mantine/core/styles/Alert.css';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { TokenView } from '../../../daemon/contract/tokens.ts';
import { useFailures } from '../../api/failures.ts';
import { useOnce } from '../../api/idempotency-key.ts';
import { type BatchProgress, useBatch } from '../../api/use-batch.ts';
import { BatchProgressBar } from '../../components/batch-progress.tsx';
import { FormDrawer } from '../../components/form-drawer.tsx';
import { lazyPart } from '../../components/late-part.tsx';
import { afterAsking } from '../../components/meanwhile.ts';
import { randomId } from '../../components/random-id.ts';
import { ErrorPanel } from '../../components/section.tsx';
import { toast } from '../../components/toast.ts';
import { useContractForm } from '../../components/use-contract-form.ts';
import { TokenFields } from './token-fields.tsx';
import { namesFor, newToken, refusalFields, tokenSchema, valuesOf, wireOf } from './token-form.ts';
import { tokens } from './use-token-acts.ts';

const BudgetSection = lazyPart(() =>
  import('../../billing/budget-section.tsx').then((module) => ({ default: module.BudgetSection })),
);

export interface CreateTokenProps {
  readonly onClose: () => void;
  /** A single one: its key may be shown now and, on some servers, never again. */
  readonly onCreated: (token: TokenView) => void;
}

/** One of several: sent again after a stop, it is still the same one. */
interface PlannedToken {
  readonly name: string;
  readonly idempotencyKey: string;
}

export function CreateToken({ onClose, onCreated }: CreateTokenProps) {
  const { t } = useTranslation('tokens');
  const queryClient = useQueryClient();
  const failure = useFailures();
  const once = useOnce();
  const batch = useBatch<PlannedToken>();
  const [refused, setRefused] = useState<string>();
  const form = useContractForm({ initial: newToken, schema: tokenSchema(t), refusalFields, draft: 'create' });

  const refresh = () => queryClient.invalidateQueries({ queryKey: ['tokens'] });
  const finish = async (progress: BatchProgress<PlannedToken>) => {
    await refresh();
    const [first] = progress.failures;
    if (first) {
      setRefused(t('created.some', { count: progress.failures.length, reason: failure(first.error) }));
    } else if (progress.done === progress.total) {
      toast.success(t('created.toast'));
      onClose();
    }
  };
  const save = form.submit(async ({ count, ...values }) => {
    setRefused(undefined);
    const wire = wireOf(values);
    if (Number(count) === 1) {
      const token = await once(wire, (idempotencyKey) => tokens.create(wire, { idempotencyKey }));
      await refresh();
      toast.success(t('created.toast'));
      onCreated(token);
      return;
    }
    const planned = namesFor(values.name, Number(count)).map((name) => ({ name, idempotencyKey: randomId() }));
    const create = ({ name, idempotencyKey }: PlannedToken, signal: AbortSignal) =>
      tokens.create({ ...wire, name }, { signal, idempotencyKey });
    await finish(await batch.start(planned, create));
  });
  return (
    <FormDrawer
      opened
      onClose={onClose}
      title={t('form.create')}
      isDirty={form.isChanged}
      isSaving={form.isSaving}
      error={form.failure ?? refused}
      onSubmit={save}
      submitLabel={t('form.submit')}
    >
      {batch.progress && (
        <BatchProgressBar
          batch={{
            ...batch,
            resume: async () => {
              const progress = await batch.resume();
              if (progress) await finish(progress);
              return progress;
            },
          }}
        />
      )}
      <TokenFields form={form} isNew />
    </FormDrawer>
  );
}

export interface EditTokenProps {
  readonly id: number;
  readonly onClose: () => void;
  readonly onSaved: () => void;
}

export function EditToken({ id, onClose, onSaved }: EditTokenProps) {
  const { t } = useTranslation('tokens');
  const { data, error, refetch } = useQuery({
    queryKey: ['tokens', 'one', id],
    queryFn: ({ signal }) => tokens.get({ id }, { signal }),
    staleTime: 0,
    gcTime: 0,
  });
  if (data) return <LoadedToken token={data} onClose={onClose} onSaved={onSaved} />;
  return (
    <FormDrawer
      opened
      onClose={onClose}
      title={t('form.edit')}
      isDirty={false}
      isSaving={false}
      isLoading={!error}
      isReadOnly
      onSubmit={() => undefined}
      submitLabel={t('form.submit')}
    >
      {error && <ErrorPanel error={error} onRetry={() => void refetch()} />}
    </FormDrawer>
  );
}

function LoadedToken({ token, onClose, onSaved }: Omit<EditTokenProps, 'id'> & { readonly token: TokenView }) {
  const { t } = useTranslation('tokens');
  const queryClient = useQueryClient();
  const form = useContractForm({
    initial: valuesOf(token),
    schema: tokenSchema(t, token.expired_time),
    refusalFields,
    draft: `edit-${token.id}`,
    needsChange: true,
  });
  const save = form.submit(async (_, changed) => {
    const readNow = async () => valuesOf(await tokens.get({ id: token.id }));
    const sent = await afterAsking(form, changed, readNow, { quota: 'balance', expires: 'expiry' });
    if (!sent) return;
    await tokens.update({ id: token.id, ...wireOf(sent) });
    await queryClient.invalidateQueries({ queryKey: ['tokens'] });
    toast.success(t('created.updated'));
    onSaved();
    onClose();
  });
  return (
    <FormDrawer
      opened
      onClose={onClose}
      title={t('form.edit')}
      isDirty={form.isChanged}
      isSaving={form.isSaving}
      error={form.failure}
      onSubmit={save}
      submitLabel={t('form.submit')}
    >
      {token.status >= 3 && (
        <Alert color="yellow">{t(token.status === 3 ? 'refused.expired' : 'refused.exhausted')}</Alert>
      )}
      <TokenFields form={form} isNew={false} />
      <Suspense fallback={null}>
        <BudgetSection on={`token:${token.id}`} />
      </Suspense>
    </FormDrawer>
  );
}
