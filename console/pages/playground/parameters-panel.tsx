/** What is sent beside the messages (console.md 6.18, left panel). */
import { NumberInput, SegmentedControl, Select, Slider, Textarea } from '@mantine/core';
import '@mantine/core/styles/Combobox.css';
import '@mantine/core/styles/FloatingIndicator.css';
import '@mantine/core/styles/Input.css';
import '@mantine/core/styles/NumberInput.css';
import '@mantine/core/styles/Popover.css';
import '@mantine/core/styles/ScrollArea.css';
import '@mantine/core/styles/SegmentedControl.css';
import '@mantine/core/styles/Slider.css';
import { IconRotate } from '@tabler/icons-react';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { formatRatio } from '../../components/format.ts';
import { useUser } from '../../session/session.ts';
import { AdvancedParameters } from './advanced-parameters.tsx';
import { type CallParameters, initialParameters } from './call-parameters.ts';
import classes from './parameters-panel.module.css';
import { sideName } from './side-name.ts';

export interface ParametersPanelProps {
  readonly parameters: CallParameters;
  readonly onChange: (change: Partial<CallParameters>) => void;
  readonly groups: Readonly<Record<string, { desc: string; ratio: number }>> | undefined;
  readonly models: readonly string[] | undefined;
  /** Models of the sides, where two are compared. */
  readonly sides: readonly string[] | undefined;
  readonly place: number;
  readonly onPlace: (place: number) => void;
}

export function ParametersPanel(props: ParametersPanelProps) {
  const { parameters, onChange, groups, models, sides, place, onPlace } = props;
  const { t } = useTranslation(['playground', 'frame']);
  const own = useUser()?.group;
  const names = Object.keys(groups ?? {}).sort((one, other) => Number(other === own) - Number(one === own));
  return (
    <div className={classes.panel}>
      {sides && (
        <SegmentedControl
          fullWidth
          size="xs"
          aria-label={t('compare.side')}
          value={String(place)}
          onChange={(value) => onPlace(Number(value))}
          data={sides.map((model, index) => ({ value: String(index), label: sideName(index, model) }))}
        />
      )}
      <Select
        label={t('group')}
        data={names.map((name) => ({ value: name, label: groupLabel(name, groups?.[name]) }))}
        value={groups ? parameters.group : null}
        disabled={!groups}
        searchable
        nothingFoundMessage={t('frame:state.noMatch')}
        onChange={(group) => onChange({ group: group ?? '' })}
      />
      <Select
        label={t('model')}
        data={models ?? []}
        value={models ? parameters.model : null}
        disabled={!models}
        searchable
        nothingFoundMessage={t('noModel')}
        onChange={(model) => onChange({ model: model ?? '' })}
      />
      <Temperature value={parameters.temperature} onChange={(temperature) => onChange({ temperature })} />
      <NumberInput
        label={t('maxTokens')}
        description={t('maxTokensHint')}
        value={parameters.maxTokens}
        min={0}
        allowDecimal={false}
        allowNegative={false}
        onChange={(value) => onChange({ maxTokens: wholeOf(value) })}
      />
      <Textarea
        label={t('system')}
        value={parameters.system}
        minRows={3}
        maxRows={10}
        onChange={(event) => onChange({ system: event.currentTarget.value })}
      />
      <AdvancedParameters parameters={parameters} onChange={onChange} />
    </div>
  );
}

const groupLabel = (name: string, group: { desc: string; ratio: number } | undefined): string =>
  [name, group?.desc, group && formatRatio(group.ratio)].filter(Boolean).join(' · ');

function wholeOf(value: number | string): number {
  const number = Number(value);
  return Number.isSafeInteger(number) && number > 0 ? number : 0;
}

/** The scale begins at 0.1; 0 stands left of it, until the slider is touched. */
function Temperature({ value, onChange }: { readonly value: number; readonly onChange: (value: number) => void }) {
  const { t } = useTranslation('playground');
  const label = useId();
  const isInitial = value === initialParameters.temperature;
  return (
    <div>
      <div className={classes.name}>
        <span id={label}>{t('temperature')}</span>
        <output className={classes.value}>{value}</output>
        <button
          type="button"
          className={classes.reset}
          aria-label={t('resetTemperature')}
          title={t('resetTemperature')}
          disabled={isInitial}
          onClick={() => onChange(initialParameters.temperature)}
        >
          <IconRotate size={14} stroke={1.75} />
        </button>
      </div>
      <Slider
        className={classes.slider ?? ''}
        data-initial={isInitial || undefined}
        min={0.1}
        max={1}
        step={0.1}
        precision={1}
        value={value}
        onChange={onChange}
        label={null}
        thumbProps={{ 'aria-labelledby': label }}
        thumbValueText={String(value)}
      />
    </div>
  );
}
