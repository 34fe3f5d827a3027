/** Finds an option by label, help or key, in all tabs and both languages; choosing one leads to it. */
import { Select } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import '@mantine/core/styles/Combobox.css';
import '@mantine/core/styles/Input.css';
import '@mantine/core/styles/Popover.css';
import '@mantine/core/styles/ScrollArea.css';
import classes from './settings-search.module.css';

export function SettingsSearch({ isRoot }: { isRoot: boolean }) {
  const { t, i18n } = useTranslation('settings');
  const navigate = useNavigate();
  const [search, setSearch] = useState('');
  const language = i18n.language === 'en' ? 'en' : 'zh';
  // The palette looks through the same.
  const { data: entries, isPending } = useQuery({
    queryKey: ['palette', 'settings', language, isRoot],
    enabled: search !== '',
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async () => (await import('./setting-places.ts')).placesOf(language, isRoot),
  });
  const sought = search.trim().toLowerCase();
  const found = sought === '' || !entries ? [] : entries.filter(({ words }) => words.includes(sought)).slice(0, 30);
  const groups = [...new Set(found.map(({ group }) => group))];
  return (
    <Select
      className={classes.search ?? ''}
      aria-label={t('search.label')}
      placeholder={t('search.label')}
      leftSection={<IconSearch size={16} stroke={1.75} aria-hidden />}
      rightSection={<span />}
      searchable
      searchValue={search}
      onSearchChange={setSearch}
      value={null}
      data={groups.map((group) => ({
        group,
        items: found.filter((entry) => entry.group === group).map(({ id, label }) => ({ value: id, label })),
      }))}
      // What was found is found already, in the help as well.
      filter={({ options }) => options}
      renderOption={({ option }) => (
        <span className={classes.option}>
          <span>{option.label}</span>
          {!option.value.startsWith('section:') && <code className={classes.key}>{option.value}</code>}
        </span>
      )}
      nothingFoundMessage={sought === '' || isPending ? null : t('search.none')}
      onChange={(value) => {
        const entry = entries?.find(({ id }) => id === value);
        setSearch('');
        if (entry) navigate(entry.query);
      }}
      comboboxProps={{ width: 360, position: 'bottom-end' }}
    />
  );
}
