/** Further keys for a channel: pasted, or out of files. */
import { Button, Textarea } from '@mantine/core';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/Input.css';
import '@mantine/core/styles/Loader.css';
import '@mantine/core/styles/UnstyledButton.css';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ChannelView } from '../../../daemon/contract/channels.ts';
import { useFailures } from '../../api/failures.ts';
import { Dialog } from '../../components/section.tsx';
import { toast } from '../../components/toast.ts';
import { useAskedClose } from '../../components/use-asked-close.ts';
import { channels } from './channel-calls.ts';
import { keyRulesOf } from './channel-draft.ts';
import { joinKeyTexts, keyRows, wireKeys } from './key-list.ts';
import classes from './tools.module.css';
import { keysQueryKey } from './use-key-acts.ts';

export interface AddKeysDialogProps {
  readonly channel: ChannelView;
  readonly onClose: () => void;
}

export function AddKeysDialog({ channel, onClose }: AddKeysDialogProps) {
  const { t } = useTranslation(['channel-tools', 'frame']);
  const client = useQueryClient();
  const failure = useFailures();
  const [text, setText] = useState('');
  const [error, setError] = useState<string>();
  const [isSaving, setSaving] = useState(false);
  const rules = keyRulesOf(channel.type);
  const close = useAskedClose(text.trim() !== '', onClose);
  const count = keyRows(text, rules).filter(({ isRepeated }) => !isRepeated).length;
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    // The drawer below is a form too.
    event.stopPropagation();
    if (count === 0 || isSaving) return;
    setSaving(true);
    try {
      const answer = await channels.addKeys({ id: channel.id, key: wireKeys(text, rules) });
      client.setQueryData(keysQueryKey(channel.id), answer.keys);
      toast.success(t('keys.added', { count: answer.added, known: answer.known }));
      onClose();
    } catch (refusal) {
      setError(failure(refusal));
      setSaving(false);
    }
  };
  return (
    <Dialog
      opened
      onClose={close}
      isSending={isSaving}
      title={t('keys.addTitle', { name: channel.name })}
      footer={
        <>
          <Button variant="default" onClick={close} disabled={isSaving}>
            {t('frame:action.cancel')}
          </Button>
          <Button type="submit" form="add-keys" loading={isSaving} disabled={count === 0}>
            {t('keys.addCount', { count })}
          </Button>
        </>
      }
    >
      <form id="add-keys" onSubmit={submit} className={classes.panel}>
        <Textarea
          label={t('keys.text')}
          description={rules.isJson ? t('keys.jsonHelp') : t('keys.textHelp')}
          value={text}
          onChange={(event) => {
            setText(event.currentTarget.value);
            setError(undefined);
          }}
          error={error}
          minRows={4}
          maxRows={12}
          spellCheck={false}
          autoComplete="off"
          data-1p-ignore
          data-autofocus
        />
        <label className={classes.file}>
          {t('keys.file')}
          <input
            type="file"
            multiple
            className={classes.unseen}
            onChange={async (event) => {
              const files = [...(event.currentTarget.files ?? [])];
              event.currentTarget.value = '';
              const texts = await Promise.all(files.map((file) => file.text()));
              setText((before) => joinKeyTexts([before, ...texts], rules));
            }}
          />
        </label>
      </form>
    </Dialog>
  );
}
