/**
 * A span of time (console.md 7.17): presets that stay relative, or two moments. The value is text for an address, see
 * `time-range-text.ts`.
 */
import { Button, Popover } from '@mantine/core';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/Popover.css';
import { IconCalendar } from '@tabler/icons-react';
import { Suspense, useCallback, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { lazyLate } from '../session/late-code.ts';
import classes from './filter-bar.module.css';
import { formatTime } from './format.ts';
import { MomentInput } from './moment-input.tsx';
import { isRelativeRange, rangeText, rangeToSeconds, relativeRanges } from './time-range-text.ts';

/** Loaded when the popover is first opened; native inputs stand in until then. */
const PickedMoment = lazyLate(() => import('./picked-moment.tsx').then((module) => ({ default: module.PickedMoment })));

const presetKeys = { '1h': 'last1h', '24h': 'last24h', today: 'today', '7d': 'last7d', '30d': 'last30d' } as const;

/** `const label = useRangeLabel(); label('24h')`. */
export function useRangeLabel(): (text: string) => string {
  const { t } = useTranslation('list');
  return useCallback(
    (text: string) => {
      const preset = relativeRanges.find((known) => known === text);
      if (preset) return t(`range.${presetKeys[preset]}`);
      if (isRelativeRange(text)) return t('range.lastText', { text });
      const { from, to } = rangeToSeconds(text);
      if (from !== undefined && to !== undefined) {
        return t('range.between', { from: formatTime(from).slice(0, 16), to: formatTime(to).slice(0, 16) });
      }
      if (from !== undefined) return t('range.since', { from: formatTime(from).slice(0, 16) });
      return to === undefined ? t('range.any') : t('range.until', { to: formatTime(to).slice(0, 16) });
    },
    [t],
  );
}

export interface TimeRangeProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly label?: string;
  /** Above the button; else only its name. */
  readonly hasLabel?: boolean;
  /** Without it a range must be chosen, and "any time" is not offered. */
  readonly isRequired?: boolean;
}

export function TimeRange({ value, onChange, label, hasLabel = false, isRequired = false }: TimeRangeProps) {
  const { t } = useTranslation('list');
  const rangeLabel = useRangeLabel();
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const name = label ?? t('range.label');
  const choose = (next: string) => {
    onChange(next);
    setOpen(false);
  };
  return (
    <div>
      {hasLabel && (
        <span className={classes.inputLabel} id={id}>
          {name}
        </span>
      )}
      <Popover opened={isOpen} onChange={setOpen} position="bottom-start" trapFocus returnFocus withinPortal>
        <Popover.Target>
          <Button
            variant="default"
            fullWidth
            justify="flex-start"
            leftSection={<IconCalendar size={16} stroke={1.75} />}
            onClick={() => setOpen((before) => !before)}
            aria-label={`${name}: ${rangeLabel(value)}`}
            title={rangeLabel(value)}
          >
            {rangeLabel(value)}
          </Button>
        </Popover.Target>
        <Popover.Dropdown aria-label={name}>
          <div className={classes.range}>
            <div className={classes.presets}>
              {!isRequired && (
                <Button size="xs" variant={value === '' ? 'light' : 'default'} onClick={() => choose('')}>
                  {t('range.any')}
                </Button>
              )}
              {relativeRanges.map((preset) => (
                <Button
                  key={preset}
                  size="xs"
                  variant={value === preset ? 'light' : 'default'}
                  onClick={() => choose(preset)}
                >
                  {rangeLabel(preset)}
                </Button>
              ))}
            </div>
            <CustomRange key={value} value={value} onApply={choose} />
          </div>
        </Popover.Dropdown>
      </Popover>
    </div>
  );
}

function CustomRange({ value, onApply }: { readonly value: string; readonly onApply: (value: string) => void }) {
  const { t } = useTranslation('list');
  const [range, setRange] = useState(() => rangeToSeconds(value));
  const isWrong = range.from !== undefined && range.to !== undefined && range.from >= range.to;
  const moment = (end: 'from' | 'to') => {
    const input = {
      label: t(`range.${end}`),
      seconds: range[end],
      onChange: (seconds: number | undefined) =>
        setRange(({ [end]: _replaced, ...rest }) => (seconds === undefined ? rest : { ...rest, [end]: seconds })),
    };
    return (
      <Suspense fallback={<MomentInput {...input} />}>
        <PickedMoment {...input} />
      </Suspense>
    );
  };
  return (
    <>
      {moment('from')}
      {moment('to')}
      <p className={classes.note}>{t('range.zone', { zone: Intl.DateTimeFormat().resolvedOptions().timeZone })}</p>
      {isWrong && (
        <p className={classes.problem} role="alert">
          {t('range.wrongOrder')}
        </p>
      )}
      <Button
        variant="light"
        disabled={isWrong || (range.from === undefined && range.to === undefined)}
        onClick={() => onApply(rangeText(range))}
      >
        {t('range.apply')}
      </Button>
    </>
  );
}
