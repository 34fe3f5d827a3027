/** The control of an option, by the form of its value and the words of its entry. */
import { NumberInput, Select, Switch, Textarea, TextInput } from '@mantine/core';
import { Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import '@mantine/core/styles/Combobox.css';
import '@mantine/core/styles/InlineInput.css';
import '@mantine/core/styles/Input.css';
import '@mantine/core/styles/NumberInput.css';
import '@mantine/core/styles/Popover.css';
import '@mantine/core/styles/ScrollArea.css';
import '@mantine/core/styles/Switch.css';
import '@mantine/core/styles/UnstyledButton.css';
import { optionTable } from '../../../daemon/contract/options.ts';
import { confirm } from '../../components/confirm.tsx';
import { JsonEditor } from '../../components/json-editor.tsx';
import { lazyPart } from '../../components/late-part.tsx';
import { MoneyInput } from '../../components/money-input.tsx';
import type { ControlProps } from './control-props.ts';
import { ImagePreview } from './image-preview.tsx';
import { isSecret } from './option-draft.ts';
import classes from './option-field.module.css';
import { SecretControl } from './secret-control.tsx';

const TagsControl = lazyPart(() => import('./tags-control.tsx').then((module) => ({ default: module.TagsControl })));

const permissions = ['0', '1', '10', '100'] as const;

export function OptionControl(props: ControlProps) {
  const { field, option, label, help, isDisabled } = props;
  const { t } = useTranslation('settings-fields');
  const { form } = optionTable[field.key];
  const wrapper = {
    label,
    ...(help === undefined ? {} : { description: help }),
    ...(option.complaint === undefined ? {} : { error: option.complaint }),
  };
  const shared = { ...wrapper, disabled: isDisabled, readOnly: option.isLocked, onBlur: option.check };
  const choose = (data: { value: string; label: string }[]) => (
    <Select
      {...wrapper}
      disabled={isDisabled || option.isLocked}
      data={data}
      value={option.text}
      onChange={(value) => value !== null && option.set(value)}
      classNames={{ wrapper: classes.narrow ?? '' }}
    />
  );
  if (isSecret(field.key)) return <SecretControl option={option} label={label} help={help} />;
  if (field.choices) return choose(field.choices.map((value) => ({ value, label: t(`choice.${value}`) })));
  if (field.control === 'permission')
    return choose(permissions.map((value) => ({ value, label: t(`permission.${value}`) })));
  if (field.control === 'tags') {
    return (
      <Suspense fallback={<TextInput {...wrapper} disabled />}>
        <TagsControl {...props} />
      </Suspense>
    );
  }
  if (field.control === 'money') {
    return (
      <MoneyInput
        label={label}
        {...(help === undefined ? {} : { description: help })}
        value={Number(option.text)}
        onChange={(value) => option.set(String(value))}
        disabled={isDisabled || option.isLocked}
        onBlur={option.check}
        {...(option.complaint === undefined ? {} : { error: option.complaint })}
      />
    );
  }
  switch (form) {
    case 'boolean':
      return <SwitchControl {...props} />;
    case 'integer':
    case 'number':
      return (
        <NumberInput
          {...shared}
          value={option.text}
          onChange={(value) => option.set(String(value))}
          allowDecimal={form === 'number'}
          clampBehavior="none"
          {...field.range}
          hideControls={false}
          classNames={{ wrapper: classes.narrow ?? '' }}
        />
      );
    case 'text':
    case 'lines':
      return (
        <Textarea
          {...shared}
          value={option.text}
          onChange={(event) => option.set(event.currentTarget.value)}
          minRows={4}
          autosize
          maxRows={16}
          spellCheck={false}
        />
      );
    case 'json':
    case 'list':
      return (
        <JsonEditor
          label={label}
          {...(help === undefined ? {} : { description: help })}
          value={option.text}
          onChange={option.set}
          {...(field.template === undefined ? {} : { template: field.template })}
          {...(option.complaint === undefined ? {} : { error: option.complaint })}
          isReadOnly={option.isLocked}
          onBlur={option.check}
        />
      );
    default:
      return (
        <>
          <TextInput
            {...shared}
            value={option.text}
            onChange={(event) => option.set(event.currentTarget.value)}
            autoComplete="off"
            spellCheck={false}
          />
          {field.control === 'image' && <ImagePreview address={option.text} />}
        </>
      );
  }
}

function SwitchControl({ field, option, label, help, isDisabled, onSwitch }: ControlProps) {
  const { t } = useTranslation(['settings-fields', 'frame']);
  const turn = async (isOn: boolean) => {
    const value = String(isOn);
    if (field.confirm?.when === value) {
      const isSure = await confirm({
        kind: 'danger',
        title: label,
        text: t(`confirm.${field.confirm.text}`),
        verb: t(isOn ? 'frame:action.enable' : 'frame:action.disable'),
      });
      if (!isSure) return;
    }
    if (onSwitch) onSwitch(value);
    else option.set(value);
  };
  return (
    <Switch
      label={label}
      {...(help === undefined ? {} : { description: help })}
      {...(option.complaint === undefined ? {} : { error: option.complaint })}
      checked={option.text === 'true'}
      disabled={isDisabled || option.isLocked || option.isSaving}
      onChange={(event) => void turn(event.currentTarget.checked)}
    />
  );
}
