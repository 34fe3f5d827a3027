/** Personal settings (console.md 6.20); the tab is in the address. */
import { Skeleton, Tabs } from '@mantine/core';
import '@mantine/core/styles/Skeleton.css';
import '@mantine/core/styles/Tabs.css';
import { Suspense, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router-dom';
import type { SelfView } from '../../../daemon/contract/account.ts';
import { useSelf } from '../../api/use-self.ts';
import { lazyPart } from '../../components/late-part.tsx';
import { ErrorPanel, PageHeader } from '../../components/section.tsx';
import { OverviewTab } from './overview-tab.tsx';
import classes from './personal-page.module.css';

// The first tab comes with the page, the others when they are opened.
const BindingsTab = lazyPart(() => import('./bindings-tab.tsx').then((module) => ({ default: module.BindingsTab })));
const SecurityTab = lazyPart(() => import('./security-tab.tsx').then((module) => ({ default: module.SecurityTab })));
const NotificationsTab = lazyPart(() =>
  import('./notifications-tab.tsx').then((module) => ({ default: module.NotificationsTab })),
);
const PriceTab = lazyPart(() => import('./price-tab.tsx').then((module) => ({ default: module.PriceTab })));
const PreferencesTab = lazyPart(() =>
  import('./preferences-tab.tsx').then((module) => ({ default: module.PreferencesTab })),
);

const tabs = ['overview', 'bindings', 'security', 'notifications', 'price', 'preferences'] as const;
type Tab = (typeof tabs)[number];

export function Page() {
  const { t } = useTranslation(['personal', 'frame']);
  const [query, setQuery] = useSearchParams();
  const self = useSelf();
  const asked = query.get('tab');
  const tab = tabs.find((name) => name === asked) ?? 'overview';
  const list = useRef<HTMLDivElement>(null);
  // On phones the tabs do not fit: the chosen one is brought into sight.
  // biome-ignore lint/correctness/useExhaustiveDependencies: looks again when another tab is chosen
  useEffect(() => {
    list.current?.querySelector('[data-active]')?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [tab]);
  const choose = (name: string | null) =>
    setQuery(name === null || name === 'overview' ? {} : { tab: name }, { preventScrollReset: true });
  return (
    <>
      <PageHeader title={t('frame:page.personal')} />
      <Tabs value={tab} onChange={choose}>
        <Tabs.List ref={list} className={classes.tabs}>
          {tabs.map((name) => (
            <Tabs.Tab key={name} value={name} className={classes.tab}>
              {t(`tab.${name}`)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value={tab} className={classes.panel}>
          {self.data ? (
            <Suspense fallback={<Skeleton height={240} radius={8} />}>
              <Body tab={tab} self={self.data} />
            </Suspense>
          ) : self.isError ? (
            <ErrorPanel error={self.error} onRetry={() => void self.refetch()} />
          ) : (
            <Skeleton height={240} radius={8} />
          )}
        </Tabs.Panel>
      </Tabs>
    </>
  );
}

function Body({ tab, self }: { tab: Tab; self: SelfView }) {
  switch (tab) {
    case 'overview':
      return <OverviewTab self={self} />;
    case 'bindings':
      return <BindingsTab self={self} />;
    case 'security':
      return <SecurityTab self={self} />;
    case 'notifications':
      return <NotificationsTab self={self} />;
    case 'price':
      return <PriceTab self={self} />;
    case 'preferences':
      return <PreferencesTab />;
  }
}
