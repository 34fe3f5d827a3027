/** Everything by its name (console.md 1.5): pages, actions, settings, and after two characters channels, users, tokens, codes. */
import { useDebouncedValue } from '@mantine/hooks';
import { createSpotlight, Spotlight } from '@mantine/spotlight';
import { IconSearch } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import '@mantine/core/styles/Input.css';
import '@mantine/core/styles/ModalBase.css';
import '@mantine/core/styles/Modal.css';
import '@mantine/core/styles/Overlay.css';
import '@mantine/core/styles/Paper.css';
import '@mantine/core/styles/ScrollArea.css';
import '@mantine/core/styles/UnstyledButton.css';
import '@mantine/spotlight/styles.css';
import { useStore } from '../session/store.ts';
import classes from './palette.module.css';
import { usePaletteEntries } from './palette-entries.tsx';
import { type PaletteEntry, ranked, remember } from './palette-ranking.ts';
import { useSettingEntries } from './palette-settings.ts';
import { isPaletteOpen } from './palette-state.ts';

const pauseMs = 250;
const shownSettings = 8;
const [store, spotlight] = createSpotlight();

/** The library marks the first entry while somebody types; what comes later has to be marked as well, or Enter does nothing. */
function markFirst(): void {
  const state = store.getState();
  const list = document.getElementById(state.listId);
  if (!list || list.querySelector('[data-selected]')) return;
  list.querySelector('[data-action]')?.setAttribute('data-selected', 'true');
  store.setState({ ...state, selected: 0 });
}

function grouped(entries: readonly PaletteEntry[]): readonly { group: string; members: readonly PaletteEntry[] }[] {
  const groups = [...new Set(entries.map(({ group }) => group))];
  return groups.map((group) => ({ group, members: entries.filter((entry) => entry.group === group) }));
}

export function Palette() {
  const { t } = useTranslation();
  const isOpen = useStore(isPaletteOpen);
  const [query, setQuery] = useState('');
  const [searched] = useDebouncedValue(query.trim(), pauseMs);
  const { fixed, found } = usePaletteEntries(isOpen ? searched : '');
  const settings = useSettingEntries(isOpen ? searched : '');
  useEffect(() => {
    if (isOpen) spotlight.open();
    else spotlight.close();
  }, [isOpen]);
  const nearest = ranked(settings, query, true).slice(0, shownSettings);
  // Enter opens the first entry: what was found for words that no longer stand there must not be it.
  const isSearched = searched === query.trim();
  const entries = [...ranked([...fixed, ...nearest], query), ...(isSearched ? found : [])];
  const shownIds = entries.map(({ id }) => id).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: other entries are drawn with other ids
  useEffect(() => {
    if (query.trim() !== '') markFirst();
  }, [shownIds, query]);
  return (
    <Spotlight.Root
      store={store}
      query={query}
      onQueryChange={setQuery}
      shortcut={null}
      lockScroll={false}
      onSpotlightClose={() => isPaletteOpen.set(false)}
      scrollable
      maxHeight={420}
      overlayProps={{ backgroundOpacity: 0.4, blur: 0 }}
      attributes={{ content: { 'aria-label': t('frame.palette') } }}
    >
      <Spotlight.Search
        placeholder={t('palette.placeholder')}
        aria-label={t('palette.placeholder')}
        leftSection={<IconSearch size={18} stroke={1.75} />}
      />
      <Spotlight.ActionsList>
        {grouped(entries).map(({ group, members }) => (
          <Spotlight.ActionsGroup key={group} label={group}>
            {members.map((entry) => (
              <Spotlight.Action
                key={entry.id}
                label={entry.label}
                className={classes.action ?? ''}
                {...(entry.description ? { description: entry.description } : {})}
                onClick={() => {
                  remember(entry.id);
                  entry.run();
                }}
              />
            ))}
          </Spotlight.ActionsGroup>
        ))}
        {entries.length === 0 && isSearched && <Spotlight.Empty>{t('palette.nothing')}</Spotlight.Empty>}
      </Spotlight.ActionsList>
    </Spotlight.Root>
  );
}
