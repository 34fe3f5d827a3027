import { Button, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import '@mantine/core/styles/Input.css';
import { useFailures } from '../../api/failures.ts';
import { Dialog } from '../../components/dialog.tsx';
import { formatInteger } from '../../components/format.ts';
import { toast } from '../../components/toast.ts';
import { redemptions, redemptionsKey } from './redemption-calls.ts';
import classes from './redemptions.module.css';

const pauseMs = 400;
/** From here on the name is asked for twice. */
const many = 100;

/** Deletes every code of a name; says before how many there are. */
export function DeleteByNameDialog({ onClose, onDeleted }: { onClose: () => void; onDeleted: () => void }) {
  const { t } = useTranslation(['redemptions', 'frame']);
  const failure = useFailures();
  const [name, setName] = useState('');
  const [repeated, setRepeated] = useState('');
  const [error, setError] = useState<string>();
  const [isDeleting, setDeleting] = useState(false);
  const wanted = name.trim();
  const [settled] = useDebouncedValue(wanted, pauseMs);
  const found = useQuery({
    queryKey: [redemptionsKey, 'count', settled],
    enabled: settled !== '',
    queryFn: ({ signal }) => redemptions.countByName({ name: settled }, { signal }),
    staleTime: 0,
  });
  const count = settled === wanted && wanted !== '' ? found.data : undefined;
  const isMany = count !== undefined && count >= many;
  const isReady = count !== undefined && count > 0 && (!isMany || repeated === wanted);

  const remove = async () => {
    if (wanted === '') return setError(t('deleteByName.nameRequired'));
    if (!isReady) return undefined;
    setDeleting(true);
    try {
      const deleted = await redemptions.deleteByName({ name: wanted });
      toast.success(t('done.deletedMany', { count: deleted, replace: { count: formatInteger(deleted) } }));
      onDeleted();
      onClose();
    } catch (refused) {
      setError(failure(refused));
      setDeleting(false);
    }
    return undefined;
  };
  return (
    <Dialog
      opened
      onClose={onClose}
      isSending={isDeleting}
      title={t('deleteByName.act')}
      footer={
        <>
          <Button variant="default" onClick={onClose} disabled={isDeleting}>
            {t('frame:action.cancel')}
          </Button>
          <Button color="red" onClick={() => void remove()} loading={isDeleting} disabled={wanted !== '' && !isReady}>
            {count === undefined || count === 0
              ? t('frame:action.delete')
              : t('ask.deleteVerb', { count, replace: { count: formatInteger(count) } })}
          </Button>
        </>
      }
    >
      <div className={classes.stack}>
        <TextInput
          label={t('column.name')}
          description={t('deleteByName.exact')}
          value={name}
          onChange={(event) => {
            setName(event.currentTarget.value);
            setError(undefined);
          }}
          error={error ?? (found.error ? failure(found.error) : undefined)}
          autoComplete="off"
          data-autofocus
        />
        <p className={classes.muted} role="status">
          {wanted === '' || (found.isError && settled === wanted)
            ? ''
            : count === undefined
              ? t('frame:state.loading')
              : t('deleteByName.found', { count: formatInteger(count) })}
        </p>
        {isMany && (
          <TextInput
            label={t('deleteByName.repeat', { name: wanted })}
            value={repeated}
            onChange={(event) => setRepeated(event.currentTarget.value)}
            autoComplete="off"
          />
        )}
      </div>
    </Dialog>
  );
}
