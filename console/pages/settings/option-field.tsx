/** One option on the settings screen: its control, and below it what is to be known of it. */
import { IconAlertTriangle, IconArrowBackUp, IconLock } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { type OptionKey, optionKeys, optionTable } from '../../../daemon/contract/options.ts';
import { formatTime } from '../../components/format.ts';
import { OptionControl } from './option-control.tsx';
import { isSecret } from './option-draft.ts';
import classes from './option-field.module.css';
import { useOptionTexts } from './option-texts.ts';
import type { FieldEntry } from './section-entry.ts';
import { type OptionHandle, useOption, useOptionText, useSettings } from './settings-context.tsx';

export interface OptionFieldProps {
  readonly field: FieldEntry;
  /** The section says already that it is locked as a whole. */
  readonly isLockSaid?: boolean;
  /** The search led here. */
  readonly isSought?: boolean;
  /** Called in place of keeping a draft: the option is saved at once. */
  readonly onSwitch?: (value: string) => void;
}

const longestDefault = 60;

/** The secret that is sent to this address, and goes with it. */
function boundSecret(address: OptionKey): OptionKey | undefined {
  return optionKeys.find((key) => optionTable[key].boundTo === address);
}

export function OptionField({ field, isLockSaid = false, isSought = false, onSwitch }: OptionFieldProps) {
  const option = useOption(field.key);
  const { label, help, warning } = useOptionTexts(field);
  const governor = useOptionText(field.enabledBy ?? field.key);
  const { rows } = useSettings();
  if (!option) return null;
  const isSwitch = optionTable[field.key].form === 'boolean';
  const bound = boundSecret(field.key);
  const isAtStake = bound === undefined || rows.get(bound)?.set === true;
  const isWarned = isSwitch ? option.text === 'true' : option.isChanged && isAtStake;
  return (
    <div
      className={classes.field}
      id={`option-${field.key}`}
      data-locked={option.isLocked || undefined}
      data-changed={option.isChanged || undefined}
      data-sought={isSought || undefined}
    >
      <OptionControl
        field={field}
        option={option}
        label={label}
        help={help}
        isDisabled={field.enabledBy !== undefined && governor !== 'true'}
        {...(onSwitch ? { onSwitch } : {})}
      />
      {warning !== undefined && isWarned && (
        <p className={classes.warning} role="status">
          <IconAlertTriangle size={16} stroke={1.75} aria-hidden />
          {warning}
        </p>
      )}
      <Notes option={option} label={label} isLockSaid={isLockSaid} isResettable={onSwitch === undefined} />
    </div>
  );
}

interface NotesProps {
  readonly option: OptionHandle;
  readonly label: string;
  readonly isLockSaid: boolean;
  readonly isResettable: boolean;
}

function Notes({ option, label, isLockSaid, isResettable }: NotesProps) {
  const { t } = useTranslation(['settings', 'frame']);
  const { row, text, isLocked } = option;
  const isDefault = text === row.default || isSecret(row.key);
  const isSwitch = optionTable[row.key].form === 'boolean';
  const shown = isSwitch ? t(row.default === 'true' ? 'frame:state.on' : 'frame:state.off') : row.default;
  const isShort = shown.length <= longestDefault && !shown.includes('\n');
  return (
    <div className={classes.notes}>
      {isLocked && !isLockSaid && (
        <span className={classes.note}>
          <IconLock size={14} stroke={1.75} aria-hidden />
          {t('frame:state.rootOnly')}
        </span>
      )}
      {!isDefault && isShort && (
        <span className={classes.note}>{t('field.default', { value: shown === '' ? t('field.empty') : shown })}</span>
      )}
      {!isDefault && !isLocked && isResettable && (
        <button
          type="button"
          className={classes.act}
          aria-label={t('field.resetNamed', { label })}
          onClick={() => option.set(row.default)}
        >
          <IconArrowBackUp size={14} stroke={1.75} aria-hidden />
          {t('field.reset')}
        </button>
      )}
      {row.updated_at > 0 && (
        <span className={classes.note}>
          <Link to={`/audit?target=${encodeURIComponent(`option:${row.key}`)}`}>
            {t('field.changed', {
              name: row.updated_by === '' ? '-' : row.updated_by,
              time: formatTime(row.updated_at),
            })}
          </Link>
        </span>
      )}
    </div>
  );
}
