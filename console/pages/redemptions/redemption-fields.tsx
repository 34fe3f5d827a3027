import { NumberInput, Switch, TextInput } from '@mantine/core';
import { Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import '@mantine/core/styles/Input.css';
import '@mantine/core/styles/InlineInput.css';
import '@mantine/core/styles/NumberInput.css';
import '@mantine/core/styles/Switch.css';
import { MomentInput } from '../../components/moment-input.tsx';
import { MoneyInput } from '../../components/money-input.tsx';
import type { ContractForm } from '../../components/use-contract-form.ts';
import { lazyLate } from '../../session/late-code.ts';
import type { RedemptionValues } from './redemption-form.ts';
import classes from './redemptions.module.css';

const PickedMoment = lazyLate(() =>
  import('../../components/picked-moment.tsx').then((module) => ({ default: module.PickedMoment })),
);

const presets = [500_000, 5_000_000, 25_000_000, 50_000_000, 250_000_000, 500_000_000];

export function RedemptionFields({ form, isNew }: { form: ContractForm<RedemptionValues>; isNew: boolean }) {
  const { t } = useTranslation('redemptions');
  const isGift = form.useWatchValue('is_gift');
  const isOwnCode = form.useWatchValue('key') !== '';
  const isSingleCode = Number(form.useWatchValue('count')) === 1;
  return (
    <>
      <TextInput
        label={t('column.name')}
        {...(isNew ? { description: t('field.nameHint') } : {})}
        autoComplete="off"
        data-autofocus
        key={form.key('name')}
        {...form.getInputProps('name')}
      />
      <MoneyInput
        label={t('column.quota')}
        presets={presets}
        required
        key={form.key('quota')}
        {...form.getInputProps('quota')}
      />
      {isNew && (
        <div className={classes.pair}>
          <NumberInput
            label={t('field.count')}
            min={1}
            max={10_000}
            allowDecimal={false}
            allowNegative={false}
            clampBehavior="none"
            disabled={isOwnCode}
            key={form.key('count')}
            {...form.getInputProps('count')}
          />
          <TextInput
            label={t('field.key')}
            description={t('field.keyHint')}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            autoComplete="off"
            spellCheck={false}
            disabled={!isSingleCode}
            key={form.key('key')}
            {...form.getInputProps('key')}
          />
        </div>
      )}
      {isNew && (
        <Switch
          label={t('field.gift')}
          description={t('field.giftHint')}
          key={form.key('is_gift')}
          {...form.getInputProps('is_gift', { type: 'checkbox' })}
        />
      )}
      {isGift && (
        <NumberInput
          label={t('field.uses')}
          description={t('field.usesHint')}
          min={-1}
          allowDecimal={false}
          clampBehavior="none"
          key={form.key('max_uses')}
          {...form.getInputProps('max_uses')}
        />
      )}
      <div className={classes.pair}>
        <Moment form={form} name="valid_from" label={t('field.validFrom')} />
        <Moment form={form} name="valid_until" label={t('field.validUntil')} />
      </div>
    </>
  );
}

interface MomentFieldProps {
  readonly form: ContractForm<RedemptionValues>;
  readonly name: 'valid_from' | 'valid_until';
  readonly label: string;
}

/** A bound that may be open: 0 on the wire. */
function Moment({ form, name, label }: MomentFieldProps) {
  const seconds = form.useWatchValue(name);
  const error = form.errors[name];
  const props = {
    label,
    seconds: seconds === 0 ? undefined : seconds,
    onChange: (next: number | undefined) => form.setFieldValue(name, next ?? 0),
    error: typeof error === 'string' ? error : undefined,
  };
  return (
    <div data-path={name}>
      <Suspense fallback={<MomentInput {...props} />}>
        <PickedMoment {...props} />
      </Suspense>
    </div>
  );
}
