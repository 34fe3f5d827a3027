/** An amount of quota (console.md 7.5): typed in dollars or in quota, always handed on as whole quota. */
import { TextInput } from '@mantine/core';
import { useUncontrolled } from '@mantine/hooks';
import { type FocusEvent, type KeyboardEvent, type ReactNode, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import '@mantine/core/styles/Input.css';
import { readText, writeText } from '../session/storage.ts';
import { Store, useStore } from '../session/store.ts';
import { formatDollars, formatInteger } from './format.ts';
import classes from './money-input.module.css';
import { dollarDecimals, type MoneyUnit, readMoney, stepOf, writeMoney } from './money-text.ts';
import { useMoneyUnits } from './quota.tsx';

const unitKey = 'money-unit';
/** The unit that was chosen last; undefined until then: as the site shows money. */
const chosenUnit = new Store<MoneyUnit | undefined>(storedUnit());

function storedUnit(): MoneyUnit | undefined {
  const stored = readText(unitKey);
  return stored === 'quota' || stored === 'dollar' ? stored : undefined;
}

export interface MoneyInputProps {
  readonly label: string;
  /** Whole quota. In a form, `{...form.getInputProps('quota')}` instead. */
  readonly value?: number;
  readonly defaultValue?: number;
  /** Told NaN while the text is no amount, which every schema of a number refuses. */
  readonly onChange?: (value: number) => void;
  /** Whole quota, offered as buttons. */
  readonly presets?: readonly number[];
  readonly allowNegative?: boolean;
  readonly description?: ReactNode;
  readonly error?: ReactNode;
  readonly required?: boolean;
  readonly disabled?: boolean;
  readonly onFocus?: (event: FocusEvent<HTMLInputElement>) => void;
  readonly onBlur?: (event: FocusEvent<HTMLInputElement>) => void;
  readonly 'data-path'?: string;
  /** A dialog begins with it. */
  readonly 'data-autofocus'?: boolean;
}

export function MoneyInput(props: MoneyInputProps) {
  const { presets = [], allowNegative = false, required, disabled = false } = props;
  const { t } = useTranslation('components');
  const { quotaPerUnit, isCurrency } = useMoneyUnits();
  const unit = useStore(chosenUnit) ?? (isCurrency ? 'dollar' : 'quota');
  const [value, setValue] = useUncontrolled<number>({
    ...(props.value === undefined ? {} : { value: props.value }),
    ...(props.defaultValue === undefined ? {} : { defaultValue: props.defaultValue }),
    finalValue: Number.NaN,
    onChange: (next) => props.onChange?.(next),
  });
  const [text, setText] = useState(() => writeMoney(value, unit, quotaPerUnit));
  const [isLeft, setLeft] = useState(false);
  const isTooSmall = (quota: number) => quota < 0 && !allowNegative;
  const amountOf = (typed: string): number => {
    const meant = readMoney(typed, unit, quotaPerUnit);
    return 'value' in meant && !isTooSmall(meant.value) ? meant.value : Number.NaN;
  };

  // The text follows what was set from outside, and the unit; not what is being typed, which means the same.
  useEffect(() => {
    setText((typed) => {
      const meant = readMoney(typed, unit, quotaPerUnit);
      return Number.isNaN(value) || ('value' in meant && meant.value === value)
        ? typed
        : writeMoney(value, unit, quotaPerUnit);
    });
  }, [value, unit, quotaPerUnit]);

  // A text that was no amount of the unit before may be one of this.
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is typed is read as it is typed
  useEffect(() => {
    const amount = amountOf(text);
    if (Number.isNaN(value) && !Number.isNaN(amount)) setValue(amount);
  }, [unit, quotaPerUnit]);

  const read = readMoney(text, unit, quotaPerUnit);
  const refusal = (): string | undefined => {
    if ('refused' in read) {
      if (read.refused === 'empty') return undefined;
      const finest = unit === 'dollar' ? `$${writeMoney(1, 'dollar', quotaPerUnit)}` : '1';
      return read.refused === 'tooPrecise' ? t('money.tooPrecise', { limit: finest }) : t(`money.${read.refused}`);
    }
    return isTooSmall(read.value) ? t('form.tooSmall', { limit: unit === 'dollar' ? '$0.00' : '0' }) : undefined;
  };

  const type = (next: string) => {
    setText(next);
    setValue(amountOf(next));
  };
  const choose = (quota: number) => type(writeMoney(quota, unit, quotaPerUnit));
  const onKeyDown = (event: KeyboardEvent) => {
    const direction = event.key === 'ArrowUp' ? 1 : event.key === 'ArrowDown' ? -1 : 0;
    if (direction === 0 || 'refused' in read) return;
    event.preventDefault();
    const next = read.value + direction * stepOf(unit, quotaPerUnit);
    choose(isTooSmall(next) ? 0 : next);
  };
  const switchUnit = (next: MoneyUnit) => {
    if (next === unit) return;
    // An amount keeps its worth; a text that is none stays as it was typed.
    if ('value' in read) setText(writeMoney(read.value, next, quotaPerUnit));
    writeText(unitKey, next);
    chosenUnit.set(next);
  };

  const own = refusal();
  const isUnreadable = own !== undefined && (isLeft || 'value' in read);
  const error = disabled ? undefined : isUnreadable ? own : props.error;
  return (
    <div className={classes.root}>
      <TextInput
        label={props.label}
        description={props.description}
        value={text}
        onChange={(event) => type(event.currentTarget.value)}
        onKeyDown={onKeyDown}
        onFocus={props.onFocus}
        onBlur={(event) => {
          setLeft(true);
          // Read once more as it is written: `1,500` becomes `1500.00`.
          if ('value' in read && own === undefined) setText(writeMoney(read.value, unit, quotaPerUnit));
          props.onBlur?.(event);
        }}
        error={error}
        disabled={disabled}
        inputMode={unit === 'dollar' ? 'decimal' : 'numeric'}
        autoComplete="off"
        maxLength={24 + dollarDecimals(quotaPerUnit)}
        leftSection={unit === 'dollar' ? '$' : undefined}
        rightSection={<UnitSwitch unit={unit} onSwitch={switchUnit} />}
        rightSectionWidth={104}
        classNames={{ input: classes.input ?? '' }}
        {...(required === undefined ? {} : { required })}
        {...(props['data-path'] === undefined ? {} : { 'data-path': props['data-path'] })}
        data-autofocus={props['data-autofocus']}
      />
      <div className={classes.line}>
        {'value' in read && (
          <span className={classes.other}>
            {unit === 'dollar'
              ? t('money.asQuota', { amount: formatInteger(read.value) })
              : t('money.asDollars', { amount: formatDollars(read.value, quotaPerUnit) })}
          </span>
        )}
        {presets.length > 0 && (
          <span className={classes.presets}>
            {presets.map((preset) => (
              <button
                key={preset}
                type="button"
                className={classes.preset}
                aria-pressed={'value' in read && read.value === preset}
                disabled={disabled}
                onClick={() => choose(preset)}
              >
                {formatDollars(preset, quotaPerUnit).replace(/\.00$/, '')}
              </button>
            ))}
          </span>
        )}
      </div>
    </div>
  );
}

const units = ['dollar', 'quota'] as const;

function UnitSwitch({ unit, onSwitch }: { unit: MoneyUnit; onSwitch: (unit: MoneyUnit) => void }) {
  const { t } = useTranslation('components');
  return (
    // A fieldset would bring a border and a legend that the kit resets nowhere.
    // biome-ignore lint/a11y/useSemanticElements: see above
    <span role="group" aria-label={t('money.unit')} className={classes.units}>
      {units.map((name) => (
        <button
          key={name}
          type="button"
          className={classes.unit}
          aria-pressed={name === unit}
          aria-label={t(`money.in.${name}`)}
          onClick={() => onSwitch(name)}
        >
          {name === 'dollar' ? '$' : t('money.quota')}
        </button>
      ))}
    </span>
  );
}
