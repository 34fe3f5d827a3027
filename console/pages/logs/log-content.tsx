/** Prompt and answer of a call. Others' are shown to administrators on demand only, and every look is audited. */
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import '@mantine/core/styles/Button.css';
import type { LogView } from '../../../daemon/contract/logs.ts';
import { logs as endpoints } from '../../../daemon/contract/logs.ts';
import { callsFor } from '../../api/client.ts';
import { factsOf } from '../../billing/bill.ts';
import { ErrorPanel } from '../../components/section.tsx';
import classes from './log-details.module.css';
import { LoggedText } from './log-details.tsx';
import { isFacts, textAt } from './log-facts.ts';

const logs = callsFor(endpoints);

export function LogContent({ row, isAdmin }: { readonly row: LogView; readonly isAdmin: boolean }) {
  const [isAsked, setAsked] = useState(false);
  const { t } = useTranslation('logs');
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['logs', 'content', row.request_id],
    queryFn: ({ signal }) => logs.list({ request_id: row.request_id, with_content: true, page_size: 100 }, { signal }),
    enabled: isAdmin && isAsked,
  });
  const facts = factsOf(isAdmin ? (data?.items.find(({ type }) => type === 2)?.other ?? '') : row.other);
  const parts = contentOf(facts);
  if (parts.length > 0) {
    return (
      <dl className={classes.details}>
        {parts.map(({ name, value }) => (
          <LoggedText key={name} name={t(`detail.${name}`)} value={value} />
        ))}
      </dl>
    );
  }
  if (!isAdmin || row.request_id === '') return null;
  if (error) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  if (data) return <p className={classes.remarks}>{t('detail.none')}</p>;
  return (
    <div className={classes.tools}>
      <Button variant="default" size="xs" loading={isFetching} onClick={() => setAsked(true)}>
        {t('detail.load')}
      </Button>
      <span className={classes.remarks}>{t('detail.loadHint')}</span>
    </div>
  );
}

type PartName = 'system' | 'context' | 'input' | 'output';

function contentOf(facts: Readonly<Record<string, unknown>>): readonly { name: PartName; value: string }[] {
  const parts: { name: PartName; value: string }[] = [];
  const add = (name: PartName, value: string | undefined) => {
    if (value !== undefined && value !== '') parts.push({ name, value });
  };
  add('system', textAt(facts, 'system_prompt'));
  const { context, input_content: input } = facts;
  if (Array.isArray(context)) {
    add(
      'context',
      context
        .filter(isFacts)
        .map((turn) => `${textAt(turn, 'role') ?? ''}: ${textAt(turn, 'content') ?? ''}`)
        .join('\n'),
    );
  }
  add(
    'input',
    typeof input === 'string'
      ? input
      : input === undefined || input === null
        ? undefined
        : JSON.stringify(input, null, 2),
  );
  add('output', textAt(facts, 'output_content'));
  return parts;
}
