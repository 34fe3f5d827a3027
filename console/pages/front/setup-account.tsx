/** The fields of the first account. */
import { TextInput } from '@mantine/core';
import '@mantine/core/styles/ActionIcon.css';
import '@mantine/core/styles/Input.css';
import '@mantine/core/styles/PasswordInput.css';
import { useTranslation } from 'react-i18next';
import { SecretInput } from '../../components/secret-input.tsx';
import { type AccountField, type AccountProblems, type SetupAccount, strengthOf } from './setup-account-rules.ts';
import classes from './setup-page.module.css';

export function SetupAccountFields({
  value,
  problems,
  onChange,
}: {
  value: SetupAccount;
  problems: AccountProblems;
  onChange: (field: AccountField, text: string) => void;
}) {
  const { t } = useTranslation('front');
  const common = (field: AccountField) => ({
    name: field,
    value: value[field],
    error: problems[field] ? t(`setup.account.${problems[field]}`) : undefined,
    onChange: (event: { currentTarget: { value: string } }) => onChange(field, event.currentTarget.value),
  });
  return (
    <div className={classes.fields}>
      <TextInput
        {...common('username')}
        label={t('setup.account.username')}
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
      />
      <SecretInput
        {...common('password')}
        label={t('setup.account.password')}
        placeholder={t('setup.account.passwordHint')}
        autoComplete="new-password"
      />
      <Strength level={strengthOf(value.password)} />
      <SecretInput {...common('confirmation')} label={t('setup.account.confirmation')} autoComplete="new-password" />
    </div>
  );
}

const names = { 1: 'weak', 2: 'fair', 3: 'strong' } as const;

function Strength({ level }: { level: 0 | 1 | 2 | 3 }) {
  const { t } = useTranslation('front');
  if (level === 0) return null;
  return (
    <div className={classes.strength} data-level={level}>
      <span className={classes.bars} aria-hidden>
        {[1, 2, 3].map((step) => (
          <span key={step} className={classes.bar} data-on={step <= level || undefined} />
        ))}
      </span>
      <span aria-live="polite">{t('setup.strength.label', { level: t(`setup.strength.${names[level]}`) })}</span>
    </div>
  );
}
