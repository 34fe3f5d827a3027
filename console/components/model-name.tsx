/** A model by its name: monospace, always on the same tone, copied by a click (console.md 5). */
import { useTranslation } from 'react-i18next';
import { useCopy } from './copy.tsx';
import classes from './model-name.module.css';
import { nameTone } from './tones.ts';

export function ModelName({ name }: { readonly name: string }) {
  const { t } = useTranslation('frame');
  const copy = useCopy();
  return (
    <button
      type="button"
      className={classes.name}
      data-tone={nameTone(name)}
      title={t('action.copy')}
      onClick={() => void copy(name)}
    >
      {name}
    </button>
  );
}
