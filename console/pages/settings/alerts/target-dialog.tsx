/** Adds a target, or changes one. What is stored of a secret or of a robot's address is never shown. */
import { Button, MultiSelect, Select, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import '@mantine/core/styles/ActionIcon.css';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/CloseButton.css';
import '@mantine/core/styles/Combobox.css';
import '@mantine/core/styles/Input.css';
import '@mantine/core/styles/Loader.css';
import '@mantine/core/styles/PasswordInput.css';
import '@mantine/core/styles/Pill.css';
import '@mantine/core/styles/PillsInput.css';
import '@mantine/core/styles/Popover.css';
import '@mantine/core/styles/ScrollArea.css';
import { alertKinds } from '../../../../daemon/contract/alert-kinds.ts';
import { alertTargetTypes, robotDialects, type SentAlertTarget } from '../../../../daemon/contract/alerts.ts';
import { SecretInput } from '../../../components/secret-input.tsx';
import { Dialog } from '../../../components/section.tsx';
import { useTypedClose } from '../../../components/use-asked-close.ts';
import classes from './alerts.module.css';
import type { AlertTargetView } from './alerts-query.ts';

interface TargetDialogProps {
  /** Absent: one is added. */
  readonly target?: AlertTargetView;
  /** Ids that there are. */
  readonly taken: readonly string[];
  readonly isSaving: boolean;
  readonly onClose: () => void;
  readonly onSave: (target: SentAlertTarget) => void;
}

const idForm = /^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/;

export function TargetDialog({ target, taken, isSaving, onClose, onSave }: TargetDialogProps) {
  const { t } = useTranslation(['settings-alerts', 'frame']);
  const [id, setId] = useState(target?.id ?? '');
  const [type, setType] = useState(target?.type ?? 'mail');
  const [name, setName] = useState(target?.name ?? '');
  const [dialect, setDialect] = useState(target?.dialect ?? robotDialects[0]);
  const [language, setLanguage] = useState(target?.language ?? null);
  const [kinds, setKinds] = useState<readonly string[]>(target?.kinds ?? []);
  // Of a robot the host alone is known here: what is typed replaces the whole address.
  const [address, setAddress] = useState(target && target.type !== 'robot' ? target.address : '');
  const [secret, setSecret] = useState('');
  const [problem, setProblem] = useState<string>();
  const { close, onInput } = useTypedClose(onClose);
  const isSigned = type === 'webhook' || type === 'robot';
  const save = (event: FormEvent) => {
    event.preventDefault();
    if (!idForm.test(id)) setProblem(t('target.idForm'));
    else if (!target && taken.includes(id)) setProblem(t('target.idTaken'));
    else {
      setProblem(undefined);
      onSave({
        id,
        type,
        name: name.trim(),
        dialect: type === 'robot' ? dialect : null,
        language,
        kinds: alertKinds.filter((kind) => kinds.includes(kind)),
        ...(type === 'owner' || address.trim() === '' ? {} : { address: address.trim() }),
        ...(isSigned && secret !== '' ? { secret } : {}),
      });
    }
  };
  return (
    <Dialog opened onClose={close} isSending={isSaving} title={target ? t('target.edit') : t('target.add')}>
      <form className={classes.form} onSubmit={save} onInput={onInput} noValidate>
        <TextInput
          label={t('target.id')}
          description={t('target.idForm')}
          value={id}
          readOnly={target !== undefined}
          onChange={(event) => setId(event.currentTarget.value)}
          autoComplete="off"
          required
          error={problem}
          {...(target ? {} : { 'data-autofocus': true })}
        />
        <TextInput
          label={t('target.name')}
          value={name}
          maxLength={100}
          {...(target ? { 'data-autofocus': true } : {})}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Select
          label={t('target.type')}
          value={type}
          disabled={target !== undefined}
          data={alertTargetTypes.map((value) => ({ value, label: t(`type.${value}`) }))}
          onChange={(value) => setType(alertTargetTypes.find((known) => known === value) ?? type)}
        />
        {type === 'robot' && (
          <Select
            label={t('target.dialect')}
            value={dialect}
            data={robotDialects.map((value) => ({ value, label: t(`dialect.${value}`) }))}
            onChange={(value) => setDialect(robotDialects.find((known) => known === value) ?? dialect)}
          />
        )}
        {type === 'owner' && <p className={classes.line}>{t('target.owner')}</p>}
        {type !== 'owner' && (
          <TextInput
            type={type === 'mail' ? 'email' : 'url'}
            label={type === 'mail' ? t('target.mail') : t('target.address')}
            {...(target?.type === 'robot' ? { placeholder: t('target.kept', { host: target.address }) } : {})}
            value={address}
            onChange={(event) => setAddress(event.currentTarget.value)}
            autoComplete="off"
          />
        )}
        {isSigned && (
          <SecretInput
            label={t('target.secret')}
            description={t('target.secretHelp')}
            value={secret}
            onChange={(event) => setSecret(event.currentTarget.value)}
            placeholder={target?.secret_set ? t('target.secretKept') : ''}
            autoComplete="new-password"
            data-1p-ignore
          />
        )}
        <Select
          label={t('target.language')}
          value={language ?? 'site'}
          data={(['site', 'zh', 'en'] as const).map((value) => ({ value, label: t(`language.${value}`) }))}
          onChange={(value) => setLanguage(value === 'zh' || value === 'en' ? value : null)}
        />
        <MultiSelect
          label={t('target.kinds')}
          description={t('target.kindsHelp')}
          value={[...kinds]}
          data={alertKinds.map((value) => ({ value, label: t(`kind.${value}`) }))}
          onChange={setKinds}
        />
        <div className={classes.acts}>
          <Button type="submit" loading={isSaving}>
            {t('frame:action.save')}
          </Button>
          <Button variant="default" onClick={close} disabled={isSaving}>
            {t('frame:action.cancel')}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
