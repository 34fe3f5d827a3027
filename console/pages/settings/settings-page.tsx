/** The settings: five tabs of sections, a search over all of them, and what is not saved yet (console.md 6.22). */
import { Skeleton, Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Suspense, use, useEffect, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation, useSearchParams } from 'react-router-dom';
import '@mantine/core/styles/Skeleton.css';
import '@mantine/core/styles/Tabs.css';
import '@mantine/core/styles/UnstyledButton.css';
import { MissingPart } from '../../components/late-part.tsx';
import { ErrorPanel, PageHeader } from '../../components/section.tsx';
import { rowsByKey } from './option-draft.ts';
import { OptionsTransfer } from './options-transfer.tsx';
import { optionCalls, optionsQuery } from './save-options.ts';
import { type SettingsTab, settingsTabs } from './section-entry.ts';
import { SectionNav } from './section-nav.tsx';
import { askForPartsAgain, partsOf } from './section-parts.ts';
import { sections, sectionsOf } from './sections.ts';
import { SettingsProvider, useSettings } from './settings-context.tsx';
import classes from './settings-page.module.css';
import { SettingsSearch } from './settings-search.tsx';
import { SettingsSection } from './settings-section.tsx';
import { UnsavedBar } from './unsaved-bar.tsx';

const nothing = new Map();

export function Page() {
  const { t } = useTranslation(['settings', 'settings-fields', 'frame']);
  const { data, error, refetch } = useQuery({
    ...optionsQuery,
    queryFn: ({ signal }) => optionCalls.list({}, { signal }),
  });
  const [address] = useSearchParams();
  const tab = tabOf(address);
  // Beside the options, not after them.
  useEffect(() => void partsOf(tab), [tab]);
  const rows = useMemo(() => (data ? rowsByKey(data) : nothing), [data]);
  if (data) {
    return (
      <SettingsProvider rows={rows}>
        <Settings />
      </SettingsProvider>
    );
  }
  return (
    <>
      <PageHeader title={t('frame:page.settings')} />
      {error ? <ErrorPanel error={error} onRetry={() => void refetch()} /> : <SettingsSkeleton />}
    </>
  );
}

function SettingsSkeleton() {
  return (
    <div className={classes.skeleton}>
      <Skeleton height={36} />
      {[0, 1, 2, 3, 4, 5].map((place) => (
        <Skeleton key={place} height={56} maw={640} />
      ))}
    </div>
  );
}

function isTab(text: string | null): text is SettingsTab {
  return settingsTabs.some((tab) => tab === text);
}

/** The audit trail names an option alone. */
function tabOf(address: URLSearchParams): SettingsTab {
  const asked = address.get('tab');
  if (isTab(asked)) return asked;
  const section = sectionWith(address.get('option') ?? undefined);
  return sections.find(({ id }) => id === section)?.tab ?? 'operation';
}

function sectionWith(option: string | undefined): string | undefined {
  return sections.find(({ fields }) => fields.some(({ key }) => key === option))?.id;
}

function Settings() {
  const { t } = useTranslation(['settings', 'frame']);
  const [address, setAddress] = useSearchParams();
  const tab = tabOf(address);
  return (
    <>
      <PageHeader
        title={t('frame:page.settings')}
        secondary={
          <>
            <SettingsSearch />
            <OptionsTransfer />
          </>
        }
      />
      <Tabs value={tab} onChange={(next) => setAddress(next === null ? {} : { tab: next })}>
        <Tabs.List className={classes.tabs ?? ''}>
          {settingsTabs.map((name) => (
            <Tabs.Tab key={name} value={name}>
              {t(`tab.${name}`)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {settingsTabs.map((name) => (
          <Tabs.Panel key={name} value={name}>
            {name === tab && (
              <Suspense fallback={<SettingsSkeleton />}>
                <TabSections tab={tab} address={address} />
              </Suspense>
            )}
          </Tabs.Panel>
        ))}
      </Tabs>
      <UnsavedBar />
    </>
  );
}

function TabSections({ tab, address }: { readonly tab: SettingsTab; readonly address: URLSearchParams }) {
  const { isRoot } = useSettings();
  const { key: visit } = useLocation();
  const [, setTries] = useState(0);
  const parts = use(partsOf(tab));
  const option = address.get('option') ?? undefined;
  const section = address.get('section') ?? sectionWith(option);
  const shown = sectionsOf(tab).filter(({ isForRoot }) => isRoot || !isForRoot);

  // `visit` changes with each click, also on the link of the section that one is in.
  useEffect(() => {
    if (visit === '') return undefined;
    // A frame later: on phones the section opens first.
    const frame = requestAnimationFrame(() => {
      const field = option === undefined ? null : document.getElementById(`option-${option}`);
      // What stands in a table has no field of its own.
      if (field) field.scrollIntoView({ block: 'center' });
      else document.getElementById(`section-${section}`)?.scrollIntoView({ block: 'start' });
    });
    return () => cancelAnimationFrame(frame);
  }, [section, option, visit]);

  if (!parts) {
    const retry = () => {
      askForPartsAgain(tab);
      setTries((tries) => tries + 1);
    };
    return <MissingPart onRetry={retry} />;
  }
  return (
    <div className={classes.body}>
      <SectionNav sections={shown} tab={tab} current={section} />
      <div className={classes.sections}>
        {shown.map((entry, place) => (
          <SettingsSection
            key={entry.id}
            section={entry}
            parts={parts.get(entry.id)}
            sought={option}
            isOpenAtFirst={section === undefined ? place === 0 : section === entry.id}
          />
        ))}
      </div>
    </div>
  );
}
