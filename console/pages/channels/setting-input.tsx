/** The control for one of a channel's extra settings. */
import { Input, NumberInput, SegmentedControl, Select, Textarea, TextInput } from '@mantine/core';
import '@mantine/core/styles/Combobox.css';
import '@mantine/core/styles/Input.css';
import '@mantine/core/styles/NumberInput.css';
import '@mantine/core/styles/Popover.css';
import '@mantine/core/styles/ScrollArea.css';
import '@mantine/core/styles/FloatingIndicator.css';
import '@mantine/core/styles/SegmentedControl.css';
import '@mantine/core/styles/UnstyledButton.css';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type ChannelSetting, settingProblem } from '../../../daemon/contract/channel-settings.ts';
import { listOf, listText, numberOf, objectLines, objectOfLines } from './setting-values.ts';

export interface SettingInputProps {
  readonly setting: ChannelSetting;
  readonly label: string;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
}

export function SettingInput({ setting, label, value, onChange }: SettingInputProps) {
  const { t } = useTranslation('channel-editor');
  const isWrong = settingProblem({ [setting.key]: value }) !== undefined;
  const shared = { 'aria-label': label, error: isWrong ? t('setting.wrong') : undefined };
  const { form } = setting;
  switch (form) {
    case 'boolean':
      return (
        <Input.Wrapper error={shared.error}>
          <SegmentedControl
            size="xs"
            aria-label={label}
            // What is no choice marks none: null counts as absent, and is on for nobody.
            value={value === true ? 'on' : value === false ? 'off' : ''}
            onChange={(next) => onChange(next === 'on')}
            data={[
              { value: 'on', label: t('setting.on') },
              { value: 'off', label: t('setting.off') },
            ]}
          />
        </Input.Wrapper>
      );
    case 'seconds':
    case 'ratio':
      return <NumberOf {...shared} value={value} onChange={onChange} />;
    case 'choice':
      return (
        <Select
          {...shared}
          data={(setting.choices ?? []).filter((choice) => choice !== '')}
          value={typeof value === 'string' ? value : null}
          onChange={(next) => onChange(next ?? '')}
        />
      );
    case 'list':
      return (
        <TextOf
          {...shared}
          text={listText(value)}
          told={(typed) => listText(listOf(typed))}
          onText={(text) => onChange(listOf(text))}
        />
      );
    case 'object':
    case 'arns': {
      const lines = objectLines(value);
      return lines === undefined ? (
        <span>{t('setting.useJson')}</span>
      ) : (
        <TextOf
          {...shared}
          error={typeof value === 'string' ? t(`setting.${form}Lines`) : shared.error}
          isLong
          text={lines}
          told={(typed) => objectLines(objectOfLines(typed, form))}
          onText={(text) => onChange(objectOfLines(text, form))}
        />
      );
    }
    case 'text':
      return <TextOf {...shared} isLong text={typeof value === 'string' ? value : ''} onText={onChange} />;
    default:
      return (
        <TextInput
          {...shared}
          value={typeof value === 'string' ? value : ''}
          onChange={(event) => onChange(event.currentTarget.value)}
          placeholder={form === 'proxy' ? 'http://127.0.0.1:3128' : ''}
          autoComplete="off"
          spellCheck={false}
        />
      );
  }
}

interface NumberOfProps {
  readonly 'aria-label': string;
  readonly error: string | undefined;
  readonly value: unknown;
  readonly onChange: (value: number | string) => void;
}

/** Keeps what is being typed as it stands for as long as it says the value: `1.` is no other number than 1. */
function NumberOf({ value, onChange, ...shared }: NumberOfProps) {
  const own = typeof value === 'number' ? value : '';
  const [typed, setTyped] = useState<number | string>(own);
  return (
    <NumberInput
      {...shared}
      value={numberOf(typed) === value ? typed : own}
      min={0}
      onChange={(next) => {
        setTyped(next);
        onChange(numberOf(next));
      }}
    />
  );
}

interface TextOfProps {
  readonly 'aria-label': string;
  readonly error: string | undefined;
  readonly text: string;
  /** The text that stands for what was typed; the same one when absent. */
  readonly told?: (typed: string) => string | undefined;
  readonly onText: (text: string) => void;
  readonly isLong?: boolean;
}

/** Keeps what is being typed as it stands for as long as it says the value: what it means has lost the comma at its end. */
function TextOf({ text, told = (typed) => typed, onText, isLong = false, ...shared }: TextOfProps) {
  const [typed, setTyped] = useState(text);
  return (
    <Textarea
      {...shared}
      value={told(typed) === text ? typed : text}
      minRows={isLong ? 2 : 1}
      maxRows={8}
      spellCheck={false}
      onChange={(event) => {
        setTyped(event.currentTarget.value);
        onText(event.currentTarget.value);
      }}
    />
  );
}
