/** Prices of models in tabs: as JSON, as a table, the models that have none, what prices were, and rate rules (6.22). */
import { Skeleton, Tabs } from '@mantine/core';
import { Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import '@mantine/core/styles/Skeleton.css';
import '@mantine/core/styles/Tabs.css';
import { useAddress, withMembers } from '../../../api/use-address.ts';
import { lazyPart } from '../../../components/late-part.tsx';
import type { SectionBodyProps } from '../section-part.ts';
import { JsonPrices } from './json-prices.tsx';
import classes from './prices.module.css';
import { UnsetPrices } from './unset-prices.tsx';
import { usePriceEdits } from './use-price-edits.ts';
import { VisualPrices } from './visual-prices.tsx';

// Work that is done now and then: loaded with its tab.
const PriceVersions = lazyPart(() =>
  import('./price-versions.tsx').then((module) => ({ default: module.PriceVersions })),
);
const RateRules = lazyPart(() => import('./rate-rules.tsx').then((module) => ({ default: module.RateRules })));

const tabs = ['json', 'visual', 'unset', 'versions', 'rates'] as const;

export function PricesSection({ section, sought }: SectionBodyProps) {
  const { t } = useTranslation('settings-prices');
  const [address, setAddress] = useAddress();
  const editing = usePriceEdits();
  const asked = address.get('price');
  const tab = tabs.find((name) => name === asked) ?? 'json';
  const open = (name: string | null) =>
    setAddress((now) => withMembers(now, { section: section.id, price: name ?? 'json', option: '' }));
  return (
    <Tabs value={tab} onChange={open}>
      <Tabs.List>
        {tabs.map((name) => (
          <Tabs.Tab key={name} value={name}>
            {t(`tab.${name}`)}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {tabs.map((name) => (
        <Tabs.Panel key={name} value={name} className={classes.panel ?? ''}>
          {name === tab && name === 'json' && <JsonPrices section={section} sought={sought} />}
          {name === tab && name === 'visual' && <VisualPrices editing={editing} />}
          {name === tab && name === 'unset' && <UnsetPrices editing={editing} />}
          <Suspense fallback={<Skeleton height={240} />}>
            {name === tab && name === 'versions' && <PriceVersions />}
            {name === tab && name === 'rates' && <RateRules />}
          </Suspense>
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
