/** What a parameter override made of a sample: the lines that changed, headers, or its own refusal. */
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import type { OverridePreview } from '../../../daemon/contract/channel-insight.ts';
import { DiffView } from '../../components/diff-view.tsx';
import classes from './editor.module.css';

export interface Preview {
  /** The sample, JSON. */
  readonly before: string;
  readonly answer: OverridePreview;
}

export function PreviewAnswer({ preview: { before, answer } }: { readonly preview: Preview }) {
  const { t } = useTranslation('override');
  const { body, headers, refusal } = answer;
  const place = useRef<HTMLDivElement>(null);
  // It comes below the button that asked for it, which may be the last thing in sight.
  useEffect(() => {
    place.current?.scrollIntoView({ block: 'center' });
  }, []);
  return (
    <div ref={place} className={classes.operation}>
      <span className={classes.label}>{t('result')}</span>
      {refusal && <p className={classes.warning}>{t('refused', { ...refusal })}</p>}
      {body && <DiffView kind="json" label={t('result')} before={before} after={body} />}
      {headers.length > 0 && (
        <ul className={classes.checks} aria-label={t('headers')}>
          {headers.map(({ name, value }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a header may be set twice, and rows are told apart by their place alone
            <li key={index}>{value === null ? t('headerGone', { name }) : `${name}: ${value}`}</li>
          ))}
        </ul>
      )}
    </div>
  );
}
