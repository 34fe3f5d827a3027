/** Past charges by other prices (N17): first what they would come to, then, confirmed by their number, that they do. */
import { Button, SegmentedControl, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/FloatingIndicator.css';
import '@mantine/core/styles/Input.css';
import '@mantine/core/styles/Loader.css';
import '@mantine/core/styles/SegmentedControl.css';
import type { RerateReport } from '../../../../daemon/contract/price-rerate.ts';
import { confirm } from '../../../components/confirm.tsx';
import { formatInteger, formatQuota } from '../../../components/format.ts';
import { useMoneyUnits } from '../../../components/quota.tsx';
import { Dialog } from '../../../components/section.tsx';
import { TimeRange } from '../../../components/time-range.tsx';
import { rangeToSeconds } from '../../../components/time-range-text.ts';
import { toast } from '../../../components/toast.ts';
import classes from './prices.module.css';
import { RerateReportView } from './rerate-report.tsx';
import { sumOf } from './rerate-sum.ts';
import { type ReratePrices, type RerateQuestion, rerateKeys, useRerate } from './use-rerate.ts';

interface Outcome {
  /** As it stood in its field. */
  readonly range: string;
  readonly question: RerateQuestion;
  readonly report: RerateReport;
  readonly isBooked: boolean;
}

interface RerateDialogProps {
  readonly prices: ReratePrices;
  readonly onClose: () => void;
}

export function RerateDialog({ prices, onClose }: RerateDialogProps) {
  const { t } = useTranslation(['settings-price-work', 'frame']);
  const units = useMoneyUnits();
  const [range, setRange] = useState('24h');
  const [by, setBy] = useState<RerateQuestion['by']>('user');
  const [note, setNote] = useState('');
  const [found, setFound] = useState<Outcome>();
  // The answer about a range or a key that was changed meanwhile is none to what is asked now, and must not be booked for it.
  const outcome = found?.range === range && found.question.by === by ? found : undefined;
  const { underWay, problem, preview, book, stop } = useRerate(prices);
  const isDraft = 'draft' in prices;
  const isBookable = !isDraft && outcome !== undefined && !outcome.isBooked && outcome.report.differing > 0;

  const compare = async () => {
    const { from = 0, to = Math.floor(Date.now() / 1000) } = rangeToSeconds(range);
    const question = { start_timestamp: from, end_timestamp: to, by };
    const report = await preview(question);
    if (report) setFound({ range, question, report, isBooked: false });
  };
  const confirmAndBook = async ({ question, report, ...asked }: Outcome) => {
    const { charged, would_be } = sumOf(report.rows);
    const count = report.differing;
    const isSure = await confirm({
      kind: 'typed',
      title: t('rerate.bookTitle', counted(count)),
      text: t(would_be < charged ? 'rerate.refundText' : 'rerate.chargeText', {
        before: formatQuota(charged, units),
        after: formatQuota(would_be, units),
        amount: formatQuota(Math.abs(would_be - charged), units),
      }),
      verb: t('rerate.book', counted(count)),
      typed: String(count),
    });
    if (!isSure) return;
    const { report: booked, isWhole } = await book(question, note.trim());
    if (!isWhole) {
      toast.info(t('rerate.partly', counted(booked.differing)), { isLasting: true });
      return setFound(undefined);
    }
    setFound({ ...asked, question, report: booked, isBooked: true });
    toast.success(t('rerate.booked', counted(booked.differing)));
  };
  return (
    <Dialog
      opened
      onClose={onClose}
      title={isDraft ? t('rerate.draftTitle') : t('rerate.title', { version: prices.version })}
      size={860}
      // Books are not left in the middle by a key that was meant for something else.
      isClosedByButtonsOnly={underWay !== undefined}
      footer={
        <>
          <Button variant="default" onClick={underWay ? stop : onClose}>
            {underWay ? t('rerate.stop') : t('frame:action.close')}
          </Button>
          <Button variant={isBookable ? 'default' : 'filled'} loading={!!underWay} onClick={() => void compare()}>
            {t('rerate.compare')}
          </Button>
          {isBookable && (
            <Button color="red" loading={!!underWay} onClick={() => void confirmAndBook(outcome)}>
              {t('rerate.book', counted(outcome.report.differing))}
            </Button>
          )}
        </>
      }
    >
      <div className={classes.form}>
        <p className={classes.hint}>{isDraft ? t('rerate.draftHelp') : t('rerate.help')}</p>
        <div className={classes.pair}>
          <TimeRange value={range} label={t('rerate.range')} hasLabel isRequired onChange={setRange} />
          <SegmentedControl
            className={classes.low ?? ''}
            aria-label={t('rerate.by.label')}
            value={by}
            data={rerateKeys.map((value) => ({ value, label: t(`rerate.by.${value}`) }))}
            onChange={setBy}
          />
        </div>
        {!isDraft && (
          <TextInput
            label={t('rerate.note')}
            maxLength={500}
            value={note}
            onChange={(event) => setNote(event.currentTarget.value)}
          />
        )}
        {problem !== undefined && (
          <p className={classes.problem} role="alert">
            {problem}
          </p>
        )}
        {underWay ? (
          <p className={classes.hint} role="status">
            {t('rerate.underWay', { requests: formatInteger(sumOf(underWay.rows).requests) })}
          </p>
        ) : (
          outcome && (
            <RerateReportView
              title={t(outcome.isBooked ? 'rerate.bookedReport' : 'rerate.report')}
              report={outcome.report}
              by={outcome.question.by}
            />
          )
        )}
      </div>
    </Dialog>
  );
}

/** A number of rows within a text. */
function counted(count: number) {
  return { count, replace: { count: formatInteger(count) } };
}
