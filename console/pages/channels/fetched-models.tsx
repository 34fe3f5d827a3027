/** What an upstream offers beside what the channel has; nothing is taken over before it is confirmed. */
import { Button, Checkbox, Tabs, TextInput } from '@mantine/core';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/Checkbox.css';
import '@mantine/core/styles/InlineInput.css';
import '@mantine/core/styles/Input.css';
import '@mantine/core/styles/Loader.css';
import '@mantine/core/styles/Tabs.css';
import '@mantine/core/styles/UnstyledButton.css';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { isMatch } from '../../components/model-options.ts';
import { Dialog } from '../../components/section.tsx';
import classes from './editor.module.css';
import type { Comparison } from './model-list.ts';

export interface FetchedModelsProps {
  readonly found: Comparison;
  readonly onClose: () => void;
  readonly onApply: (change: { readonly added: readonly string[]; readonly removed: readonly string[] }) => void;
}

export function FetchedModels({ found, onClose, onApply }: FetchedModelsProps) {
  const { t } = useTranslation(['channel-editor', 'frame']);
  const [search, setSearch] = useState('');
  const [added, setAdded] = useState<ReadonlySet<string>>(() => new Set(found.fresh));
  const [removed, setRemoved] = useState<ReadonlySet<string>>(new Set());
  const list = { search };
  return (
    <Dialog
      opened
      onClose={onClose}
      title={t('fetched.title')}
      size={640}
      footer={
        <>
          <Button variant="default" onClick={onClose}>
            {t('frame:action.cancel')}
          </Button>
          <Button
            onClick={() => onApply({ added: [...added], removed: [...removed] })}
            disabled={added.size === 0 && removed.size === 0}
          >
            {t('fetched.apply', { added: added.size, removed: removed.size })}
          </Button>
        </>
      }
    >
      <TextInput
        className={classes.fetched ?? ''}
        aria-label={t('frame:action.search')}
        placeholder={t('frame:action.search')}
        value={search}
        onChange={(event) => setSearch(event.currentTarget.value)}
        data-autofocus
        mb={8}
      />
      <Tabs defaultValue="fresh">
        <Tabs.List>
          <Tabs.Tab value="fresh">{t('fetched.fresh', { count: found.fresh.length })}</Tabs.Tab>
          <Tabs.Tab value="present">{t('fetched.present', { count: found.present.length })}</Tabs.Tab>
          <Tabs.Tab value="gone">{t('fetched.gone', { count: found.gone.length })}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="fresh">
          <ModelChecks {...list} models={found.fresh} chosen={added} onChange={setAdded} />
        </Tabs.Panel>
        <Tabs.Panel value="present">
          <ModelChecks {...list} models={found.present} />
        </Tabs.Panel>
        <Tabs.Panel value="gone">
          <p className={classes.hint}>{t('fetched.goneHelp')}</p>
          <ModelChecks {...list} models={found.gone} chosen={removed} onChange={setRemoved} />
        </Tabs.Panel>
      </Tabs>
    </Dialog>
  );
}

interface ModelChecksProps {
  readonly models: readonly string[];
  readonly search: string;
  readonly chosen?: ReadonlySet<string>;
  /** Absent for a list that is only shown. */
  readonly onChange?: (chosen: ReadonlySet<string>) => void;
}

function ModelChecks({ models, search, chosen, onChange }: ModelChecksProps) {
  const { t } = useTranslation('channel-editor');
  const shown = models.filter((model) => isMatch(model, search));
  if (shown.length === 0) return <p className={classes.hint}>{t('fetched.none')}</p>;
  if (!onChange || !chosen) {
    return (
      <ul className={classes.checks}>
        {shown.map((model) => (
          <li key={model}>{model}</li>
        ))}
      </ul>
    );
  }
  const toggle = (names: readonly string[], isOn: boolean) => {
    const next = new Set(chosen);
    for (const name of names) {
      if (isOn) next.add(name);
      else next.delete(name);
    }
    onChange(next);
  };
  const count = shown.filter((model) => chosen.has(model)).length;
  return (
    <>
      <Checkbox
        label={t('fetched.all')}
        checked={count === shown.length}
        indeterminate={count > 0 && count < shown.length}
        onChange={() => toggle(shown, count < shown.length)}
        my={8}
      />
      <ul className={classes.checks}>
        {shown.map((model) => (
          <li key={model}>
            <label>
              <input
                type="checkbox"
                checked={chosen.has(model)}
                onChange={(event) => toggle([model], event.currentTarget.checked)}
              />
              {model}
            </label>
          </li>
        ))}
      </ul>
    </>
  );
}
