/** A secret: what is stored is never shown, only whether there is something; typing replaces it. */
import { useTranslation } from 'react-i18next';
import '@mantine/core/styles/ActionIcon.css';
import '@mantine/core/styles/Input.css';
import '@mantine/core/styles/PasswordInput.css';
import '@mantine/core/styles/UnstyledButton.css';
import { SecretInput } from '../../components/secret-input.tsx';
import { Tag } from '../../components/tag.tsx';
import classes from './secret-control.module.css';
import type { OptionHandle } from './settings-context.tsx';

interface SecretControlProps {
  readonly option: OptionHandle;
  readonly label: string;
  readonly help: string | undefined;
}

export function SecretControl({ option, label, help }: SecretControlProps) {
  const { t } = useTranslation(['settings', 'frame']);
  const isSet = option.row.set === true;
  const isCleared = option.draft === null;
  return (
    <div className={classes.secret}>
      <SecretInput
        label={label}
        {...(help === undefined ? {} : { description: help })}
        {...(option.complaint === undefined ? {} : { error: option.complaint })}
        value={option.draft ?? ''}
        onChange={(event) => option.set(event.currentTarget.value === '' ? undefined : event.currentTarget.value)}
        onBlur={option.check}
        readOnly={option.isLocked}
        placeholder={isSet ? t('secret.replace') : ''}
        autoComplete="new-password"
        data-1p-ignore
        spellCheck={false}
      />
      <div className={classes.state}>
        <Tag tone={isSet ? 'green' : 'grey'}>{isSet ? t('secret.set') : t('secret.unset')}</Tag>
        {isCleared && <span>{t('secret.cleared')}</span>}
        {isCleared && (
          <button type="button" className={classes.act} onClick={() => option.set(undefined)}>
            {t('frame:action.undo')}
          </button>
        )}
        {isSet && !isCleared && !option.isLocked && (
          <button
            type="button"
            className={classes.act}
            aria-label={t('secret.clear', { label })}
            onClick={() => option.set(null)}
          >
            {t('frame:action.clear')}
          </button>
        )}
      </div>
    </div>
  );
}
