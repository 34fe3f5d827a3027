/** Making a machine token: a name, what it may do, until when and from where. */
import { Alert, Button, SegmentedControl, Textarea, TextInput } from '@mantine/core';
import '@mantine/core/styles/Alert.css';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/Input.css';
import '@mantine/core/styles/Loader.css';
import '@mantine/core/styles/SegmentedControl.css';
import { type FormEvent, useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { longestMachineTokenDays, type NewMachineTokenView } from '../../../daemon/contract/machine-tokens.ts';
import { isScopeOfRole, type Scope, type ScopedResource, scopedResources } from '../../../daemon/contract/scopes.ts';
import { fieldOfRefusal, isGivenUp, useFailures } from '../../api/failures.ts';
import { Dialog } from '../../components/dialog.tsx';
import { machineTokenCalls } from './machine-token-calls.ts';
import classes from './machine-tokens.module.css';

type Level = 'none' | 'read' | 'write';

/** Days to choose from; more than a year is refused. */
const lives = ['7', '30', '90', '180', '365'] as const;

/** The longest life is counted by the server's clock: by this one, which may run ahead, it would be too long. */
const clockLeadSeconds = 3600;

const fieldByCode = {
  token_name_required: 'name',
  token_name_long: 'name',
  token_ips_invalid: 'allow_ips',
  scope_beyond_role: 'scopes',
};

interface Errors {
  name?: string;
  scopes?: string;
  allow_ips?: string;
}

export interface MachineTokenDialogProps {
  readonly role: number;
  readonly onClose: () => void;
  readonly onMade: (token: NewMachineTokenView) => void;
}

export function MachineTokenDialog({ role, onClose, onMade }: MachineTokenDialogProps) {
  const { t } = useTranslation('personal');
  const failure = useFailures();
  const [name, setName] = useState('');
  const [levels, setLevels] = useState<Partial<Record<ScopedResource, Level>>>({});
  const [days, setDays] = useState<string>('90');
  const [addresses, setAddresses] = useState('');
  const [errors, setErrors] = useState<Errors>({});
  const [problem, setProblem] = useState<string>();
  const [isSaving, setSaving] = useState(false);
  const livesId = useId();
  const form = useRef<HTMLFormElement>(null);

  /** What is being corrected is no longer called wrong. */
  const right = (field: keyof Errors) => {
    const { [field]: _corrected, ...others } = errors;
    setErrors(others);
  };
  /** What is wrong may stand far above the button that was pressed: there are more choices than there is room. */
  const leadToMistake = () => {
    requestAnimationFrame(() => form.current?.querySelector<HTMLElement>('[aria-invalid=true], [role=alert]')?.focus());
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (isSaving) return;
    setProblem(undefined);
    const scopes = scopesOf(levels);
    const missing = {
      ...(name.trim() === '' ? { name: t('machineTokens.nameEmpty') } : {}),
      ...(scopes.length === 0 ? { scopes: t('machineTokens.scopesEmpty') } : {}),
    };
    setErrors(missing);
    if (Object.keys(missing).length > 0) return leadToMistake();
    setSaving(true);
    try {
      const isLongest = Number(days) === longestMachineTokenDays;
      const expires_at = Math.floor(Date.now() / 1000) + Number(days) * 86_400 - (isLongest ? clockLeadSeconds : 0);
      onMade(await machineTokenCalls.create({ name, scopes, expires_at, allow_ips: addresses }));
    } catch (error) {
      setSaving(false);
      if (isGivenUp(error)) return;
      const field = fieldOfRefusal(error, ['name', 'scopes', 'allow_ips'], fieldByCode);
      if (field === undefined) setProblem(failure(error));
      else setErrors({ [field]: failure(error) });
      leadToMistake();
    }
  };

  return (
    <Dialog opened onClose={onClose} isSending={isSaving} title={t('machineTokens.createTitle')} size={560}>
      <form ref={form} onSubmit={submit} className={classes.form} noValidate>
        {problem !== undefined && (
          <Alert color="red" tabIndex={-1}>
            {problem}
          </Alert>
        )}
        <TextInput
          label={t('machineTokens.name')}
          placeholder="ci-codes"
          maxLength={50}
          value={name}
          onChange={(event) => {
            setName(event.currentTarget.value);
            right('name');
          }}
          error={errors.name}
          autoComplete="off"
          data-autofocus
        />
        <fieldset className={classes.scopes}>
          <legend className={classes.legend}>{t('machineTokens.scopes')}</legend>
          <p className={classes.hint}>{t('machineTokens.scopesHint')}</p>
          {errors.scopes !== undefined && (
            <p className={classes.error} role="alert" tabIndex={-1}>
              {errors.scopes}
            </p>
          )}
          {scopedResources
            .filter((resource) => isScopeOfRole(`${resource}:read`, role))
            .map((resource) => (
              <ScopeChoice
                key={resource}
                resource={resource}
                levels={isScopeOfRole(`${resource}:write`, role) ? ['none', 'read', 'write'] : ['none', 'read']}
                value={levels[resource] ?? 'none'}
                onChange={(level) => {
                  setLevels({ ...levels, [resource]: level });
                  right('scopes');
                }}
              />
            ))}
        </fieldset>
        <div>
          <div id={livesId} className={classes.label}>
            {t('machineTokens.life')}
          </div>
          <SegmentedControl
            fullWidth
            size="xs"
            aria-labelledby={livesId}
            value={days}
            onChange={setDays}
            data={lives.map((value) => ({ value, label: t('machineTokens.days', { count: Number(value) }) }))}
          />
        </div>
        <Textarea
          label={t('machineTokens.addresses')}
          description={t('machineTokens.addressesHint')}
          rows={2}
          spellCheck={false}
          value={addresses}
          onChange={(event) => {
            setAddresses(event.currentTarget.value);
            right('allow_ips');
          }}
          error={errors.allow_ips}
        />
        <Button type="submit" loading={isSaving}>
          {t('machineTokens.create')}
        </Button>
      </form>
    </Dialog>
  );
}

interface ScopeChoiceProps {
  readonly resource: ScopedResource;
  readonly levels: readonly Level[];
  readonly value: Level;
  readonly onChange: (level: Level) => void;
}

function ScopeChoice({ resource, levels, value, onChange }: ScopeChoiceProps) {
  const { t } = useTranslation('personal');
  const id = useId();
  return (
    <div className={classes.scope}>
      <span id={id}>
        {t(`machineTokens.resource.${resource}`)} <code className={classes.resource}>{resource}</code>
      </span>
      <SegmentedControl
        size="xs"
        aria-labelledby={id}
        value={value}
        onChange={(level) => onChange(levels.find((known) => known === level) ?? 'none')}
        data={levels.map((level) => ({ value: level, label: t(`machineTokens.level.${level}`) }))}
      />
    </div>
  );
}

function scopesOf(levels: Readonly<Partial<Record<ScopedResource, Level>>>): Scope[] {
  return scopedResources.flatMap((resource): Scope[] => {
    const level = levels[resource] ?? 'none';
    return level === 'none' ? [] : [`${resource}:${level}`];
  });
}
