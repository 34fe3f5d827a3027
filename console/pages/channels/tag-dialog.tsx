/** One tag for several channels, or none. */
import { Autocomplete, Button } from '@mantine/core';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/Combobox.css';
import '@mantine/core/styles/Input.css';
import '@mantine/core/styles/Loader.css';
import '@mantine/core/styles/Popover.css';
import '@mantine/core/styles/ScrollArea.css';
import '@mantine/core/styles/UnstyledButton.css';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { showFailure } from '../../api/failures.ts';
import { Dialog } from '../../components/section.tsx';
import { toast } from '../../components/toast.ts';
import { channels } from './channel-calls.ts';
import { offeredTags, useKnownTags } from './use-known-tags.ts';

export interface TagDialogProps {
  readonly ids: readonly number[];
  readonly onClose: () => void;
  readonly onDone: () => void;
}

export function TagDialog({ ids, onClose, onDone }: TagDialogProps) {
  const { t } = useTranslation(['channels', 'frame']);
  const tags = useKnownTags();
  const [tag, setTag] = useState('');
  const [isEmpty, setEmpty] = useState(false);
  const [isSaving, setSaving] = useState(false);
  const save = async (wanted: string) => {
    setSaving(true);
    try {
      const count = await channels.setTags({ ids: [...ids], tag: wanted });
      toast.success(wanted === '' ? t('done.untagged', { count }) : t('done.tagged', { count }));
      onDone();
    } catch (error) {
      showFailure(error);
      setSaving(false);
    }
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (tag.trim() === '') setEmpty(true);
    else void save(tag.trim());
  };
  return (
    <Dialog
      opened
      onClose={onClose}
      isSending={isSaving}
      title={t('tagDialog.title', { count: ids.length })}
      footer={
        <>
          <Button variant="subtle" color="gray" onClick={() => save('')} disabled={isSaving}>
            {t('tagDialog.clear')}
          </Button>
          <Button variant="default" onClick={onClose} disabled={isSaving}>
            {t('frame:action.cancel')}
          </Button>
          <Button type="submit" form="tag-dialog" loading={isSaving}>
            {t('act.setTag')}
          </Button>
        </>
      }
    >
      <form id="tag-dialog" onSubmit={submit}>
        <Autocomplete
          label={t('column.tag')}
          data={tags}
          limit={offeredTags}
          value={tag}
          onChange={(value) => {
            setTag(value);
            setEmpty(false);
          }}
          error={isEmpty ? t('problem.tag') : undefined}
          maxLength={64}
          openOnFocus={false}
          data-autofocus
        />
      </form>
    </Dialog>
  );
}
