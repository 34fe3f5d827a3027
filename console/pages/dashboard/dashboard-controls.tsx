/** Span, unit and user of the dashboard. */
import { SegmentedControl, TextInput } from '@mantine/core';
import '@mantine/core/styles/Input.css';
import '@mantine/core/styles/FloatingIndicator.css';
import '@mantine/core/styles/SegmentedControl.css';
import { useTranslation } from 'react-i18next';
import classes from './dashboard.module.css';
import { units } from './dashboard-buckets.ts';
import { type Range, ranges, type Span, unitIn } from './dashboard-range.ts';

export interface ControlsProps {
  readonly span: Span;
  readonly username: string;
  /** Only administrators look at others, one by one or all together. */
  readonly isAdmin: boolean;
  /** True while the site as a whole is shown. */
  readonly isSite: boolean;
  /** Sets members of the address; "" takes one away. */
  readonly onChange: (members: Readonly<Record<string, string>>) => void;
}

export function Controls({ span, username, isAdmin, isSite, onChange }: ControlsProps) {
  const { t } = useTranslation('dashboard');
  const chooseRange = (range: Range) => {
    if (range === 'own') return onChange({ range: '', start: span.start, end: span.end });
    const unit = unitIn(range, span.unit);
    onChange({ range, start: '', end: '', ...(unit !== span.unit && { unit }) });
  };
  return (
    <div className={classes.controls}>
      {isAdmin && (
        <SegmentedControl
          aria-label={t('view.label')}
          value={isSite ? 'site' : 'own'}
          onChange={(view) => onChange({ view: view === 'site' ? view : '' })}
          data={(['own', 'site'] as const).map((value) => ({ value, label: t(`view.${value}`) }))}
        />
      )}
      <SegmentedControl
        aria-label={t('range.label')}
        value={span.range}
        onChange={chooseRange}
        data={ranges.map((value) => ({ value, label: t(`range.${value}`) }))}
      />
      {!isSite && (
        <SegmentedControl
          aria-label={t('unit.label')}
          value={span.unit}
          onChange={(unit) => onChange({ unit })}
          data={units.map((value) => ({ value, label: t(`unit.${value}`) }))}
        />
      )}
      {span.range === 'own' &&
        (['start', 'end'] as const).map((end) => (
          <TextInput
            key={end}
            type="date"
            aria-label={t(end)}
            value={span[end]}
            onChange={({ currentTarget }) => currentTarget.value !== '' && onChange({ [end]: currentTarget.value })}
          />
        ))}
      {isAdmin && !isSite && (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            onChange({ username: String(new FormData(event.currentTarget).get('username') ?? '').trim() });
          }}
        >
          <TextInput
            key={username}
            name="username"
            defaultValue={username}
            aria-label={t('username')}
            placeholder={t('username')}
            onBlur={({ currentTarget }) => {
              if (currentTarget.value.trim() !== username) onChange({ username: currentTarget.value.trim() });
            }}
          />
        </form>
      )}
    </div>
  );
}
