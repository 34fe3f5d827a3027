/**
 * Adds to a balance, or takes from it, in one atomic call (console.md 6.21); never read, add and write. Nobody can take
 * more than there is (management-api.md 3.8), so the box of 6.21 that would allow it is not there.
 */
import { Button, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/Input.css';
import { users as endpoints, type UserView } from '../../../daemon/contract/users.ts';
import { callsFor } from '../../api/client.ts';
import { showFailure } from '../../api/failures.ts';
import { useOnce } from '../../api/idempotency-key.ts';
import { formatQuota, minus } from '../../components/format.ts';
import { MoneyInput } from '../../components/money-input.tsx';
import { useMoneyUnits } from '../../components/quota.tsx';
import { Dialog } from '../../components/section.tsx';
import { toast } from '../../components/toast.ts';

const users = callsFor(endpoints);

export function QuotaDialog({ user, onClose }: { readonly user: UserView; readonly onClose: () => void }) {
  const { t } = useTranslation(['users', 'frame']);
  const queryClient = useQueryClient();
  const units = useMoneyUnits();
  const [amount, setAmount] = useState(0);
  const [note, setNote] = useState('');
  const [isSaving, setSaving] = useState(false);
  const [isTold, setTold] = useState(false);
  const once = useOnce();
  const next = user.quota + amount;
  // No number while the text is no amount: cleared, or only the sign of it.
  const isAmount = Number.isSafeInteger(amount);
  const problem =
    amount === 0 || !isAmount ? t('quota.zero') : next < 0 && amount < 0 ? t('quota.negative') : undefined;

  const result = (before: number, after: number) =>
    t('quota.result', {
      old: formatQuota(before, units),
      sign: amount < 0 ? minus : '+',
      change: formatQuota(Math.abs(amount), units),
      next: formatQuota(after, units),
    });

  async function save(event: FormEvent): Promise<void> {
    event.preventDefault();
    setTold(true);
    if (problem !== undefined || isSaving) return;
    setSaving(true);
    try {
      const change = {
        id: user.id,
        action: 'add_quota',
        mode: amount < 0 ? 'subtract' : 'add',
        value: Math.abs(amount),
        note: note.trim(),
      } as const;
      const answer = await once(change, (idempotencyKey) => users.manage(change, { idempotencyKey }));
      await queryClient.invalidateQueries({ queryKey: ['users'] });
      // As it was booked: what the user spent since the list was read is in it.
      toast.success('quota' in answer ? result(answer.quota - amount, answer.quota) : t('done.act'));
      onClose();
    } catch (error) {
      showFailure(error);
      setSaving(false);
    }
  }

  return (
    <Dialog
      opened
      onClose={onClose}
      isSending={isSaving}
      title={t('quota.title', { name: user.username })}
      footer={
        <>
          <Button variant="default" onClick={onClose} disabled={isSaving}>
            {t('frame:action.cancel')}
          </Button>
          <Button type="submit" form="add-quota" loading={isSaving}>
            {t('quota.verb')}
          </Button>
        </>
      }
    >
      <form id="add-quota" onSubmit={(event) => void save(event)} noValidate>
        <MoneyInput
          label={t('quota.amount')}
          description={t('quota.hint')}
          value={amount}
          onChange={setAmount}
          allowNegative
          data-autofocus
          error={isTold ? problem : undefined}
        />
        <p aria-live="polite">{isAmount && result(user.quota, next)}</p>
        <TextInput
          mt="sm"
          label={t('quota.note')}
          description={t('quota.noteHelp')}
          value={note}
          onChange={(event) => setNote(event.currentTarget.value)}
          maxLength={500}
        />
      </form>
    </Dialog>
  );
}
