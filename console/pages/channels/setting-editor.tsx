/** A channel's extra settings: those that are set as fields, any other may be added; or all of them as JSON. */
import { ActionIcon, Select } from '@mantine/core';
import '@mantine/core/styles/ActionIcon.css';
import '@mantine/core/styles/Combobox.css';
import '@mantine/core/styles/Input.css';
import '@mantine/core/styles/Popover.css';
import '@mantine/core/styles/ScrollArea.css';
import '@mantine/core/styles/UnstyledButton.css';
import { IconX } from '@tabler/icons-react';
import { type ReactNode, type RefObject, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type ChannelSetting, channelSettings } from '../../../daemon/contract/channel-settings.ts';
import { isObjectText, parseObject } from '../../components/mapping-rows.ts';
import { SwitchedEditor } from '../../components/switched-editor.tsx';
import { currentLanguage } from '../../i18n/index.ts';
import classes from './editor.module.css';
import { SettingInput } from './setting-input.tsx';
import { firstValueOf, settingText } from './setting-values.ts';

export interface SettingEditorProps {
  readonly type: number;
  readonly value: string;
  readonly onChange: (text: string) => void;
  readonly error?: ReactNode;
}

const byKey = new Map(channelSettings.map((setting) => [setting.key, setting]));

export function SettingEditor({ type, value, onChange, error }: SettingEditorProps) {
  const { t } = useTranslation('channel-editor');
  const [isJson, setJson] = useState(() => !isObjectText(value));
  const adding = useRef<HTMLInputElement>(null);
  const members = parseObject(value) ?? {};
  const known = Object.keys(members).flatMap((key) => byKey.get(key) ?? []);
  const strangers = Object.keys(members).filter((key) => !byKey.has(key));
  const set = (key: string, next: unknown) => onChange(settingText({ ...members, [key]: next }));
  const remove = (key: string, button: HTMLElement) => {
    // The button that was pressed goes with its setting.
    const others = [...(button.closest('[data-path]')?.querySelectorAll<HTMLElement>('[data-remove]') ?? [])];
    const at = others.indexOf(button);
    (others[at + 1] ?? others[at - 1] ?? adding.current)?.focus();
    const { [key]: _, ...rest } = members;
    onChange(settingText(rest));
  };
  return (
    <SwitchedEditor
      label={t('field.setting')}
      viewLabel={t('setting.view')}
      fieldsLabel={t('setting.form')}
      isJson={isJson}
      onSwitch={setJson}
      isJsonAlone={!isObjectText(value)}
      template={'{"force_format": true}'}
      value={value}
      onChange={onChange}
      error={error}
      path="setting"
    >
      {known.map((setting) => (
        <SettingRow
          key={setting.key}
          setting={setting}
          value={members[setting.key]}
          onChange={(next) => set(setting.key, next)}
          onRemove={(button) => remove(setting.key, button)}
        />
      ))}
      {strangers.length > 0 && <p className={classes.hint}>{t('setting.kept', { keys: strangers.join(', ') })}</p>}
      <AddSetting
        field={adding}
        settings={channelSettings.filter(
          (setting) => !(setting.key in members) && (setting.types === undefined || setting.types.includes(type)),
        )}
        onAdd={(setting) => set(setting.key, firstValueOf(setting))}
      />
    </SwitchedEditor>
  );
}

interface SettingRowProps {
  readonly setting: ChannelSetting;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
  readonly onRemove: (button: HTMLElement) => void;
}

function SettingRow({ setting, value, onChange, onRemove }: SettingRowProps) {
  const { t } = useTranslation('channel-editor');
  const language = currentLanguage();
  const label = setting.label[language];
  return (
    <div className={classes.setting}>
      <div>
        <div className={classes.settingName}>{label}</div>
        <p className={classes.hint}>{setting.help[language]}</p>
      </div>
      <SettingInput setting={setting} label={label} value={value} onChange={onChange} />
      <ActionIcon
        data-remove
        aria-label={t('setting.remove', { label })}
        title={t('setting.remove', { label })}
        onClick={(event) => onRemove(event.currentTarget)}
      >
        <IconX size={16} stroke={1.75} />
      </ActionIcon>
    </div>
  );
}

interface AddSettingProps {
  readonly field: RefObject<HTMLInputElement | null>;
  readonly settings: readonly ChannelSetting[];
  readonly onAdd: (setting: ChannelSetting) => void;
}

function AddSetting({ field, settings, onAdd }: AddSettingProps) {
  const { t } = useTranslation('channel-editor');
  const language = currentLanguage();
  const [search, setSearch] = useState('');
  return (
    <Select
      ref={field}
      aria-label={t('setting.add')}
      placeholder={t('setting.add')}
      searchable
      searchValue={search}
      onSearchChange={setSearch}
      // A search that finds nothing must not submit the form around it.
      onKeyDown={(event) => {
        if (event.key === 'Enter') event.preventDefault();
      }}
      value={null}
      data={settings.map(({ key, label }) => ({ value: key, label: `${label[language]} (${key})` }))}
      onChange={(key) => {
        const chosen = settings.find((setting) => setting.key === key);
        if (chosen) onAdd(chosen);
        setSearch('');
      }}
      nothingFoundMessage={t('setting.none')}
    />
  );
}
