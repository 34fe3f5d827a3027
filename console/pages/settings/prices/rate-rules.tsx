/** Ratios of their own for users, groups and keys, and which of them a call meets (console.md 6.22, N17). */
import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Suspense, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import '@mantine/core/styles/Button.css';
import type { RateRuleView } from '../../../../daemon/contract/rate-rules.ts';
import { showFailure } from '../../../api/failures.ts';
import { confirm } from '../../../components/confirm.tsx';
import { DataTable } from '../../../components/data-table.tsx';
import type { Column } from '../../../components/data-table-types.ts';
import { lazyPart } from '../../../components/late-part.tsx';
import { Time } from '../../../components/quota.tsx';
import { GroupTag, RatioTag, Tag } from '../../../components/tag.tsx';
import { toast } from '../../../components/toast.ts';
import classes from './prices.module.css';
import { rateRules, rulesQuery, subjectText } from './rate-rule-calls.ts';
import { RateTester } from './rate-tester.tsx';

const RateRuleDialog = lazyPart(() =>
  import('./rate-rule-dialog.tsx').then((module) => ({ default: module.RateRuleDialog })),
);

export function RateRules() {
  const { t } = useTranslation(['settings-price-work', 'settings-prices', 'frame']);
  const queryClient = useQueryClient();
  const rules = useQuery(rulesQuery);
  const [page, setPage] = useState(1);
  const [size, setSize] = useState(10);
  const [open, setOpen] = useState<{ readonly rule?: RateRuleView }>();
  const columns = useMemo(
    (): Column<RateRuleView>[] => [
      {
        key: 'who',
        title: t('rates.who'),
        card: 'title',
        cell: (rule) => (
          <span className={classes.name}>
            <Tag>{t(`kind.${rule.subject_kind}`)}</Tag>
            {rule.subject_kind === 'group' ? <GroupTag name={rule.subject} /> : subjectText(rule)}
          </span>
        ),
      },
      {
        key: 'model',
        title: t('rates.model'),
        card: 'figure',
        cell: ({ model }) => <code className={classes.model}>{model}</code>,
      },
      {
        key: 'ratio',
        title: t('rates.ratio'),
        align: 'right',
        card: 'status',
        cell: ({ ratio }) => <RatioTag ratio={ratio} />,
      },
      { key: 'by', title: t('rates.by'), card: 'meta', cell: ({ updated_by }) => updated_by },
      {
        key: 'at',
        title: t('rates.at'),
        width: 176,
        card: 'meta',
        cell: ({ updated_at }) => <Time seconds={updated_at} />,
      },
    ],
    [t],
  );
  const remove = async (rule: RateRuleView) => {
    const isSure = await confirm({
      kind: 'danger',
      title: t('rates.deleteTitle', { who: subjectText(rule), model: rule.model }),
      text: t('rates.deleteText'),
      verb: t('frame:action.delete'),
    });
    if (!isSure) return;
    try {
      await rateRules.delete({ id: rule.id });
      toast.success(t('rates.deleted'));
    } catch (error) {
      showFailure(error);
    }
    await queryClient.invalidateQueries(rulesQuery);
  };
  const rows = rules.data ?? [];
  return (
    <>
      <p className={classes.hint}>{t('rates.help')}</p>
      <div className={classes.acts}>
        <Button
          variant="default"
          leftSection={<IconPlus size={16} stroke={1.75} aria-hidden />}
          onClick={() => setOpen({})}
        >
          {t('rates.add')}
        </Button>
      </div>
      <DataTable
        label={t('settings-prices:tab.rates')}
        rows={rows.slice((page - 1) * size, page * size)}
        rowKey={({ id }) => String(id)}
        columns={columns}
        total={rows.length}
        page={page}
        size={size}
        onPage={setPage}
        onSize={(next) => {
          setSize(next);
          setPage(1);
        }}
        rowActions={(rule) => [
          { key: 'edit', label: t('frame:action.edit'), isDirect: true, onAct: () => setOpen({ rule }) },
          { key: 'delete', label: t('frame:action.delete'), isDanger: true, onAct: () => void remove(rule) },
        ]}
        state={{
          isLoading: rules.isPending,
          isStale: rules.isFetching,
          error: rules.error,
          onRetry: () => void rules.refetch(),
        }}
        empty={t('rates.empty')}
        storageKey="columns:rate-rules"
      />
      <RateTester />
      <Suspense fallback={null}>
        {open && <RateRuleDialog {...(open.rule ? { rule: open.rule } : {})} onClose={() => setOpen(undefined)} />}
      </Suspense>
    </>
  );
}
