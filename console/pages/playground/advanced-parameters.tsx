/** The rarer parameters, folded until they are wanted. */
import { NumberInput, Select, Switch, Textarea } from '@mantine/core';
import '@mantine/core/styles/InlineInput.css';
import '@mantine/core/styles/Input.css';
import '@mantine/core/styles/NumberInput.css';
import '@mantine/core/styles/Switch.css';
import { useTranslation } from 'react-i18next';
import { isAdmin, useUser } from '../../session/session.ts';
import { type CallParameters, reasoningEfforts, toolsOf } from './call-parameters.ts';
import classes from './parameters-panel.module.css';

export interface AdvancedParametersProps {
  readonly parameters: CallParameters;
  readonly onChange: (change: Partial<CallParameters>) => void;
}

export function AdvancedParameters({ parameters, onChange }: AdvancedParametersProps) {
  const { t } = useTranslation('playground');
  const user = useUser();
  const isToolsFault = toolsOf(parameters.tools) === undefined;
  return (
    <details className={classes.advanced}>
      <summary>{t('advanced')}</summary>
      <div className={classes.fields}>
        <NumberInput
          label={t('exactTemperature')}
          value={parameters.temperature}
          min={0}
          max={2}
          step={0.1}
          clampBehavior="strict"
          allowNegative={false}
          onChange={(value) => onChange({ temperature: numberOf(value) ?? 0 })}
        />
        <NumberInput
          label="top_p"
          value={parameters.topP ?? ''}
          min={0}
          max={1}
          clampBehavior="strict"
          onChange={(value) => onChange({ topP: numberOf(value) })}
        />
        <NumberInput
          label="presence_penalty"
          value={parameters.presencePenalty ?? ''}
          min={-2}
          max={2}
          onChange={(value) => onChange({ presencePenalty: numberOf(value) })}
        />
        <NumberInput
          label="frequency_penalty"
          value={parameters.frequencyPenalty ?? ''}
          min={-2}
          max={2}
          onChange={(value) => onChange({ frequencyPenalty: numberOf(value) })}
        />
        <NumberInput
          label="seed"
          value={parameters.seed ?? ''}
          min={-Number.MAX_SAFE_INTEGER}
          max={Number.MAX_SAFE_INTEGER}
          clampBehavior="strict"
          allowDecimal={false}
          onChange={(value) => onChange({ seed: numberOf(value) })}
        />
        <Textarea
          label="stop"
          description={t('stopHint')}
          value={parameters.stop}
          minRows={1}
          onChange={(event) => onChange({ stop: event.currentTarget.value })}
        />
        <Select
          label="reasoning_effort"
          data={reasoningEfforts.map((value) => ({ value, label: value === '' ? t('unset') : value }))}
          value={parameters.reasoningEffort}
          onChange={(value) => onChange({ reasoningEffort: reasoningEfforts.find((effort) => effort === value) ?? '' })}
        />
        <Switch
          label={t('json')}
          checked={parameters.isJson}
          onChange={(event) => onChange({ isJson: event.currentTarget.checked })}
        />
        <Textarea
          label="tools"
          description={t('toolsHint')}
          error={isToolsFault ? t('toolsFault') : undefined}
          value={parameters.tools}
          maxRows={12}
          spellCheck={false}
          classNames={{ input: classes.code ?? '' }}
          onChange={(event) => onChange({ tools: event.currentTarget.value })}
        />
        {isAdmin(user) && (
          <NumberInput
            label={t('channel')}
            description={t('channelHint')}
            value={parameters.channel ?? ''}
            min={1}
            max={Number.MAX_SAFE_INTEGER}
            clampBehavior="strict"
            allowDecimal={false}
            allowNegative={false}
            onChange={(value) => onChange({ channel: numberOf(value) })}
          />
        )}
      </div>
    </details>
  );
}

/** Undefined for a field that was emptied. */
function numberOf(value: number | string): number | undefined {
  return value === '' || !Number.isFinite(Number(value)) ? undefined : Number(value);
}
