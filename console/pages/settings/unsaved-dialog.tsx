/** What is not saved yet, option by option: what is in force, and what would be. */
import { useTranslation } from 'react-i18next';
import { DiffView } from '../../components/diff-view.tsx';
import { Dialog } from '../../components/section.tsx';
import { isSecret } from './option-draft.ts';
import { useOptionTexts } from './option-texts.ts';
import type { OptionChange } from './save-plan.ts';
import type { FieldEntry } from './section-entry.ts';
import { placeOf } from './sections.ts';
import { useSettings } from './settings-context.tsx';
import classes from './unsaved-dialog.module.css';

/** Longer texts are compared line by line. */
const longestLine = 120;

interface UnsavedDialogProps {
  readonly changes: readonly OptionChange[];
  readonly onClose: () => void;
}

export function UnsavedDialog({ changes, onClose }: UnsavedDialogProps) {
  const { t } = useTranslation('settings');
  const { rows } = useSettings();
  return (
    <Dialog opened onClose={onClose} title={t('unsaved.title')} size={800}>
      <div className={classes.list}>
        {changes.map((change) => (
          <ChangedOption key={change.key} change={change} before={rows.get(change.key)?.value ?? ''} />
        ))}
      </div>
    </Dialog>
  );
}

interface ChangedOptionProps {
  readonly change: OptionChange;
  /** The value in force. */
  readonly before: string;
}

export function ChangedOption(props: ChangedOptionProps) {
  const place = placeOf(props.change.key);
  return place && <Changed {...props} field={place.field} />;
}

function Changed({ change, before, field }: ChangedOptionProps & { readonly field: FieldEntry }) {
  const { t } = useTranslation('settings');
  const { label } = useOptionTexts(field);
  const after = change.value ?? '';
  const isLong = [before, after].some((text) => text.includes('\n') || text.length > longestLine);
  return (
    <section className={classes.change}>
      <h3 className={classes.name}>
        {label} <code className={classes.key}>{change.key}</code>
      </h3>
      {isSecret(change.key) && (
        <p className={classes.line}>{change.value === null ? t('unsaved.cleared') : t('unsaved.secret')}</p>
      )}
      {!isSecret(change.key) && isLong && <DiffView label={label} kind="text" before={before} after={after} />}
      {!isSecret(change.key) && !isLong && (
        <p className={classes.line}>
          <del>{before === '' ? t('field.empty') : before}</del> → <ins>{after === '' ? t('field.empty') : after}</ins>
        </p>
      )}
    </section>
  );
}
