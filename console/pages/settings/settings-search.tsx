/** Finds an option by label, help or key, in all tabs and both languages; choosing one leads to it. */
import { Select } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import '@mantine/core/styles/Combobox.css';
import '@mantine/core/styles/Input.css';
import '@mantine/core/styles/Popover.css';
import '@mantine/core/styles/ScrollArea.css';
import classes from './settings-search.module.css';
import { useSettingPlaces } from './use-setting-places.ts';

export function SettingsSearch() {
  const { t } = useTranslation('settings');
  const navigate = useNavigate();
  const [search, setSearch] = useState('');
  const places = useSettingPlaces(search !== '');
  const sought = search.trim().toLowerCase();
  const found = sought === '' || !places ? [] : places.filter(({ words }) => words.includes(sought)).slice(0, 30);
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
        items: found.filter((place) => place.group === group).map(({ id, label }) => ({ value: id, label })),
      }))}
      // What was found is found already, in the help as well.
      filter={({ options }) => options}
      renderOption={({ option }) => (
        <span className={classes.option}>
          <span>{option.label}</span>
          {!option.value.startsWith('section:') && <code className={classes.key}>{option.value}</code>}
        </span>
      )}
      nothingFoundMessage={sought === '' || !places ? null : t('search.none')}
      onChange={(value) => {
        const place = places?.find(({ id }) => id === value);
        setSearch('');
        if (place) navigate(place.query);
      }}
      comboboxProps={{ width: 360, position: 'bottom-end' }}
    />
  );
}
