import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { RedemptionView } from '../../../daemon/contract/redemptions.ts';
import { useFailures } from '../../api/failures.ts';
import { useOnce } from '../../api/idempotency-key.ts';
import { FormDrawer } from '../../components/form-drawer.tsx';
import { formatQuota } from '../../components/format.ts';
import { afterAsking } from '../../components/meanwhile.ts';
import { useMoneyUnits } from '../../components/quota.tsx';
import { toast } from '../../components/toast.ts';
import { useContractForm } from '../../components/use-contract-form.ts';
import { CreatedDialog } from './created-dialog.tsx';
import { redemptions, redemptionsKey } from './redemption-calls.ts';
import { RedemptionFields } from './redemption-fields.tsx';
import { newCode, refusalFields, schemaOf, valuesOf } from './redemption-form.ts';

/** More codes than this take a while. */
const manyCodes = 1000;
const longMs = 120_000;

interface RedemptionDrawerProps {
  /** Absent: new codes are made. */
  readonly id: number | undefined;
  /** The row of the list, where it is on screen. */
  readonly known: RedemptionView | undefined;
  readonly onClose: () => void;
}

export function RedemptionDrawer({ id, known, onClose }: RedemptionDrawerProps) {
  const { t } = useTranslation(['redemptions', 'frame']);
  const failure = useFailures();
  const row = useQuery({
    queryKey: [redemptionsKey, 'one', id],
    enabled: id !== undefined,
    queryFn: ({ signal }) => redemptions.get({ id: id ?? 0 }, { signal }),
    ...(known ? { initialData: known } : {}),
  });
  if (id === undefined) return <NewCodes onClose={onClose} />;
  if (row.data) return <EditedCode row={row.data} onClose={onClose} />;
  return (
    <FormDrawer
      opened
      onClose={onClose}
      title={t('drawer.edit')}
      isDirty={false}
      isSaving={false}
      isLoading
      isReadOnly={row.error !== null}
      error={row.error ? failure(row.error) : undefined}
      submitLabel={t('frame:action.save')}
      onSubmit={() => undefined}
    >
      {null}
    </FormDrawer>
  );
}

function NewCodes({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation(['redemptions', 'frame']);
  const queryClient = useQueryClient();
  const units = useMoneyUnits();
  const once = useOnce();
  const [made, setMade] = useState<{ readonly name: string; readonly codes: readonly string[] }>();
  const schema = useMemo(() => schemaOf(t, true), [t]);
  const form = useContractForm({ schema, initial: newCode, refusalFields, draft: 'redemption' });
  const quota = form.useWatchValue('quota');
  const isOwnCode = form.useWatchValue('key') !== '';
  const entered = Number(form.useWatchValue('count'));
  const count = isOwnCode ? 1 : entered;

  const save = form.submit(async (values) => {
    const name = values.name.trim() || formatQuota(values.quota, units);
    const input = {
      name,
      quota: values.quota,
      count,
      is_gift: values.is_gift,
      ...(values.is_gift ? { max_uses: Number(values.max_uses) } : {}),
      ...(values.key === '' ? {} : { key: values.key }),
      valid_from: values.valid_from,
      valid_until: values.valid_until,
    };
    const codes = await once(input, (idempotencyKey) =>
      redemptions.create(input, { idempotencyKey, timeoutMs: longMs }),
    );
    toast.success(t('done.created'));
    void queryClient.invalidateQueries({ queryKey: [redemptionsKey] });
    setMade({ name, codes });
  });
  if (made) return <CreatedDialog name={made.name} codes={made.codes} onClose={onClose} />;
  const total = quota * count;
  return (
    <FormDrawer
      opened
      onClose={onClose}
      title={t('add')}
      isDirty={form.isChanged}
      isSaving={form.isSaving}
      error={form.failure}
      submitLabel={t('frame:action.submit')}
      onSubmit={save}
      footerExtra={
        form.isSaving && count > manyCodes ? (
          <span role="status">{t('drawer.making', { count })}</span>
        ) : (
          Number.isSafeInteger(total) && t('drawer.total', { amount: formatQuota(total, units) })
        )
      }
    >
      <RedemptionFields form={form} isNew />
    </FormDrawer>
  );
}

function EditedCode({ row, onClose }: { row: RedemptionView; onClose: () => void }) {
  const { t } = useTranslation(['redemptions', 'frame']);
  const queryClient = useQueryClient();
  const schema = useMemo(() => schemaOf(t, false), [t]);
  const [initial] = useState(() => valuesOf(row));
  const form = useContractForm({
    schema,
    initial,
    refusalFields,
    draft: `redemption-${row.id}`,
    needsChange: true,
  });
  const save = form.submit(async (_values, changed) => {
    const readNow = async () => valuesOf(await redemptions.get({ id: row.id }));
    const sent = await afterAsking(form, changed, readNow, {
      quota: 'amount',
      valid_from: 'moment',
      valid_until: 'expiry',
    });
    if (!sent) return;
    const { name, quota, max_uses, valid_from, valid_until } = sent;
    await redemptions.update({
      id: row.id,
      ...(name === undefined ? {} : { name: name.trim() }),
      ...(quota === undefined ? {} : { quota }),
      ...(max_uses === undefined ? {} : { max_uses: Number(max_uses) }),
      ...(valid_from === undefined ? {} : { valid_from }),
      ...(valid_until === undefined ? {} : { valid_until }),
    });
    toast.success(t('frame:notice.saved'));
    void queryClient.invalidateQueries({ queryKey: [redemptionsKey] });
    onClose();
  });
  return (
    <FormDrawer
      opened
      onClose={onClose}
      title={t('drawer.edit')}
      isDirty={form.isChanged}
      isSaving={form.isSaving}
      error={form.failure}
      submitLabel={t('frame:action.save')}
      onSubmit={save}
    >
      <RedemptionFields form={form} isNew={false} />
    </FormDrawer>
  );
}
