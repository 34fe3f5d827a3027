/** What few channels need: other status codes, behaviour, and members of the body that are set here. */
import { Button } from '@mantine/core';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/Loader.css';
import '@mantine/core/styles/UnstyledButton.css';
import { Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { JsonEditor } from '../../components/json-editor.tsx';
import { lazyPart } from '../../components/late-part.tsx';
import type { ContractForm } from '../../components/use-contract-form.ts';
import type { ChannelDraft } from './channel-draft.ts';
import { FormSection } from './form-section.tsx';

// Below everything that is filled in every time.
const SettingEditor = lazyPart(() => import('./setting-editor.tsx').then((m) => ({ default: m.SettingEditor })));
const OverrideDialog = lazyPart(() => import('./override-dialog.tsx').then((m) => ({ default: m.OverrideDialog })));

const statusTemplate = '{"400": "500"}';
const overrideTemplate = '{"temperature": 0}';

export function AdvancedFields({ form }: { readonly form: ContractForm<ChannelDraft> }) {
  const { t } = useTranslation('channel-editor');
  const type = form.useWatchValue('type');
  const setting = form.useWatchValue('setting');
  const [isOpen, setOpen] = useState(false);
  return (
    <FormSection title={t('section.advanced')}>
      <JsonEditor
        key={form.key('status_code_mapping')}
        {...form.getInputProps('status_code_mapping')}
        label={t('field.statusCodes')}
        description={t('statusCodesHelp')}
        template={statusTemplate}
      />
      <Suspense fallback={null}>
        <SettingEditor
          type={type}
          value={setting}
          onChange={(text) => form.setFieldValue('setting', text)}
          error={form.errors.setting}
        />
      </Suspense>
      <JsonEditor
        key={form.key('param_override')}
        {...form.getInputProps('param_override')}
        label={t('field.override')}
        description={t('overrideHelp')}
        template={overrideTemplate}
      />
      <div>
        <Button size="xs" variant="default" onClick={() => setOpen(true)}>
          {t('overrideOperations')}
        </Button>
      </div>
      {isOpen && (
        <Suspense fallback={null}>
          <OverrideDialog
            text={form.getValues().param_override}
            model={form.getValues().models[0] ?? ''}
            onApply={(text) => form.setFieldValue('param_override', text)}
            onClose={() => setOpen(false)}
          />
        </Suspense>
      )}
    </FormSection>
  );
}
