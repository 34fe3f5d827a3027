/** What a call of a model would cost in each group. */
import { NumberInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import '@mantine/core/styles/Input.css';
import '@mantine/core/styles/NumberInput.css';
import type { PriceView } from '../../../daemon/contract/pricing.ts';
import { ModelSelect } from '../../components/model-select.tsx';
import { Quota } from '../../components/quota.tsx';
import { Dialog } from '../../components/section.tsx';
import { GroupTag } from '../../components/tag.tsx';
import { type PlannedCall, plannedCharge } from './model-prices.ts';
import classes from './pricing.module.css';

export interface CalculatorProps {
  readonly models: readonly PriceView[];
  readonly groupRatios: Readonly<Record<string, number>>;
  readonly quotaPerUnit: number;
  readonly onClose: () => void;
}

export function Calculator({ models, groupRatios, quotaPerUnit, onClose }: CalculatorProps) {
  const { t } = useTranslation('pricing');
  const [name, setName] = useState<string>();
  const [call, setCall] = useState<PlannedCall>({ input: 1000, cached: 0, output: 1000 });
  const model = models.find(({ model_name }) => model_name === name);
  const set = (key: keyof PlannedCall) => (value: string | number) =>
    setCall((before) => ({ ...before, [key]: Math.max(0, Math.floor(Number(value) || 0)) }));
  const count = (key: keyof PlannedCall) => ({
    value: call[key],
    onChange: set(key),
    min: 0,
    max: 1_000_000_000,
    allowDecimal: false,
    thousandSeparator: ',',
    hideControls: true,
  });
  return (
    <Dialog opened onClose={onClose} title={t('calculator.title')}>
      <div className={classes.calculator}>
        <ModelSelect
          label={t('calculator.model')}
          isSingle
          isClosed
          value={name === undefined ? [] : [name]}
          onChange={([chosen]) => setName(chosen)}
          options={models.map(({ model_name }) => model_name)}
        />
        {model?.quota_type === 1 ? null : (
          <div className={classes.counts}>
            <NumberInput label={t('calculator.input')} {...count('input')} />
            <NumberInput label={t('calculator.cached')} {...count('cached')} max={call.input} />
            <NumberInput label={t('calculator.output')} {...count('output')} />
          </div>
        )}
        {model === undefined ? (
          <p className={classes.dim}>{t('calculator.choose')}</p>
        ) : (
          <table className={classes.costs}>
            <thead>
              <tr>
                <th scope="col">{t('calculator.group')}</th>
                <th scope="col">{t('calculator.cost')}</th>
              </tr>
            </thead>
            <tbody>
              {model.enable_groups.map((group) => (
                <tr key={group}>
                  <td>
                    <GroupTag name={group} />
                  </td>
                  <td>
                    <Quota value={plannedCharge(model, call, groupRatios[group] ?? 1, quotaPerUnit)} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </div>
    </Dialog>
  );
}
