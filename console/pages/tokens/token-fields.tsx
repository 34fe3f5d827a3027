/** The inputs of the token drawer. */
import { Button, Input, Select, Switch, Textarea, TextInput } from '@mantine/core';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/Combobox.css';
import '@mantine/core/styles/InlineInput.css';
import '@mantine/core/styles/Input.css';
import '@mantine/core/styles/Popover.css';
import '@mantine/core/styles/ScrollArea.css';
import '@mantine/core/styles/Switch.css';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { account as endpoints } from '../../../daemon/contract/account.ts';
import { callsFor } from '../../api/client.ts';
import { useSelf } from '../../api/use-self.ts';
import { lazyPart } from '../../components/late-part.tsx';
import { ModelSelect } from '../../components/model-select.tsx';
import { MomentInput } from '../../components/moment-input.tsx';
import { MoneyInput } from '../../components/money-input.tsx';
import { RatioTag } from '../../components/tag.tsx';
import type { ContractForm } from '../../components/use-contract-form.ts';
import { lazyLate } from '../../session/late-code.ts';
import type { TokenValues } from './token-form.ts';
import classes from './tokens.module.css';

const account = callsFor(endpoints);
const MappingEditor = lazyPart(() =>
  import('../../components/mapping-editor.tsx').then((module) => ({ default: module.MappingEditor })),
);
const PickedMoment = lazyLate(() =>
  import('../../components/picked-moment.tsx').then((module) => ({ default: module.PickedMoment })),
);

const quotaPresets = [500_000, 5_000_000, 25_000_000, 50_000_000, 250_000_000, 500_000_000];
const countPresets = ['10', '20', '30', '100'];
const mappingTemplate = '{"gpt-4": "gpt-4o"}';

interface FieldsProps {
  readonly form: ContractForm<TokenValues>;
  readonly isNew: boolean;
}

export function TokenFields({ form, isNew }: FieldsProps) {
  const { t } = useTranslation('tokens');
  const address = useSelf().data?.client_ip;
  const [isUnlimited, setUnlimited] = useState(form.getValues().isUnlimited);
  const [hasModelLimit, setModelLimit] = useState(form.getValues().hasModelLimit);
  const [isMore, setMore] = useState(false);
  form.watch('isUnlimited', ({ value }) => setUnlimited(value));
  form.watch('hasModelLimit', ({ value }) => setModelLimit(value));
  const mapping = form.useWatchValue('modelMapping');
  const models = useQuery({
    queryKey: ['account', 'models'],
    queryFn: ({ signal }) => account.models({}, { signal }),
    staleTime: 300_000,
    enabled: hasModelLimit || isMore,
  });
  return (
    <>
      <TextInput
        key={form.key('name')}
        {...form.getInputProps('name')}
        label={t('form.name')}
        withAsterisk
        maxLength={50}
        autoComplete="off"
        data-autofocus
      />
      <Expiry form={form} />
      <MoneyInput
        key={form.key('quota')}
        {...form.getInputProps('quota')}
        label={t('form.quota')}
        presets={quotaPresets}
        allowNegative={!isNew}
        disabled={isUnlimited}
      />
      <Switch
        key={form.key('isUnlimited')}
        {...form.getInputProps('isUnlimited', { type: 'checkbox' })}
        label={t('form.unlimited')}
        description={t('form.unlimitedHint')}
      />
      {isNew && <Count form={form} />}
      <GroupSelect form={form} />
      <Switch
        key={form.key('hasModelLimit')}
        {...form.getInputProps('hasModelLimit', { type: 'checkbox' })}
        label={t('form.limitModels')}
        description={t('form.limitModelsHint')}
      />
      {hasModelLimit && (
        <ModelSelect
          key={form.key('models')}
          {...form.getInputProps('models')}
          label={t('form.models')}
          options={models.data ?? []}
        />
      )}
      <Textarea
        key={form.key('ips')}
        {...form.getInputProps('ips')}
        label={t('form.ips')}
        description={
          address === undefined ? t('form.ipsHint') : `${t('form.ipsHint')} · ${t('form.ipsSeen', { address })}`
        }
        autosize
        minRows={2}
        maxRows={8}
        spellCheck={false}
        classNames={{ input: classes.lines ?? '' }}
      />
      <details className={classes.more} onToggle={() => setMore(true)}>
        <summary>{t('form.more')}</summary>
        <div className={classes.moreFields}>
          {(['rpm', 'tpm', 'concurrency'] as const).map((field) => (
            <TextInput
              key={form.key(field)}
              {...form.getInputProps(field)}
              label={t(`form.${field}`)}
              description={t('form.limitHint')}
              inputMode="numeric"
              autoComplete="off"
            />
          ))}
          <Select
            key={form.key('conversion')}
            {...form.getInputProps('conversion')}
            label={t('form.conversion')}
            allowDeselect={false}
            data={[
              { value: 'strict', label: t('form.conversionStrict') },
              { value: 'warn', label: t('form.conversionWarn') },
              { value: 'drop', label: t('form.conversionDrop') },
            ]}
          />
          {isMore && (
            <Suspense fallback={null}>
              <MappingEditor
                label={t('form.mapping')}
                description={t('form.mappingHint')}
                template={mappingTemplate}
                value={mapping}
                onChange={(text) => form.setFieldValue('modelMapping', text)}
                error={form.errors.modelMapping}
                path="modelMapping"
                names={models.data ?? []}
              />
            </Suspense>
          )}
        </div>
      </details>
    </>
  );
}

function Presets({ children }: { readonly children: ReactNode }) {
  return <div className={classes.presets}>{children}</div>;
}

function Expiry({ form }: { readonly form: ContractForm<TokenValues> }) {
  const { t } = useTranslation('tokens');
  const [seconds, setSeconds] = useState(form.getValues().expires);
  form.watch('expires', ({ value }) => setSeconds(value));
  const set = (value: number) => {
    form.setFieldValue('expires', value);
    form.clearFieldError('expires');
  };
  const fromNow = (length: number) => set(Math.floor(Date.now() / 1000) + length);
  const moment = {
    label: t('form.expires'),
    seconds: seconds > 0 ? seconds : undefined,
    onChange: (value: number | undefined) => set(value ?? -1),
    error: form.errors.expires ? t('form.expiresError') : undefined,
    placeholder: t('form.never'),
  };
  return (
    <div data-path="expires">
      <Suspense fallback={<MomentInput {...moment} />}>
        <PickedMoment {...moment} />
      </Suspense>
      <Presets>
        <Button size="xs" variant={seconds === -1 ? 'light' : 'default'} onClick={() => set(-1)}>
          {t('form.never')}
        </Button>
        <Button size="xs" variant="default" onClick={() => fromNow(3600)}>
          {t('form.hour')}
        </Button>
        <Button size="xs" variant="default" onClick={() => fromNow(86_400)}>
          {t('form.day')}
        </Button>
        <Button size="xs" variant="default" onClick={() => fromNow(30 * 86_400)}>
          {t('form.month')}
        </Button>
      </Presets>
    </div>
  );
}

function Count({ form }: { readonly form: ContractForm<TokenValues> }) {
  const { t } = useTranslation('tokens');
  return (
    <div>
      <TextInput
        key={form.key('count')}
        {...form.getInputProps('count')}
        label={t('form.count')}
        inputMode="numeric"
        autoComplete="off"
      />
      <Presets>
        {countPresets.map((count) => (
          <Button key={count} size="xs" variant="default" onClick={() => form.setFieldValue('count', count)}>
            {count}
          </Button>
        ))}
      </Presets>
    </div>
  );
}

function GroupSelect({ form }: { readonly form: ContractForm<TokenValues> }) {
  const { t } = useTranslation(['tokens', 'frame']);
  const groups = useQuery({
    queryKey: ['account', 'groups'],
    queryFn: ({ signal }) => account.groups({}, { signal }),
    staleTime: 300_000,
  });
  const known = groups.data ?? {};
  const own = form.getValues().group;
  const names = [...new Set([...Object.keys(known), ...(own === '' ? [] : [own])])];
  if (groups.data && names.length === 0) {
    return <Input.Wrapper label={t('form.group')} description={t('form.groupNone')} />;
  }
  return (
    <Select
      key={form.key('group')}
      {...form.getInputProps('group')}
      label={t('form.group')}
      allowDeselect={false}
      searchable
      nothingFoundMessage={t('frame:state.noMatch')}
      data={[
        { value: '', label: t('group.account') },
        ...names.map((name) => ({
          value: name,
          label: known[name] ? t('form.groupOption', { name, desc: known[name].desc }) : name,
        })),
      ]}
      renderOption={({ option }) => {
        const ratio = known[option.value]?.ratio;
        return (
          <span className={classes.groupOption}>
            <span>{option.label}</span>
            {ratio !== undefined && <RatioTag ratio={ratio} />}
          </span>
        );
      }}
    />
  );
}
