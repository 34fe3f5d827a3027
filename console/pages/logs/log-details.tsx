/** What a row says beside its columns (console.md 6.14, Details): texts only, never HTML. */
import type { TFunction } from 'i18next';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { LogView } from '../../../daemon/contract/logs.ts';
import { billOf, factsOf } from '../../billing/bill.ts';
import { CopyButton, CopyText } from '../../components/copy.tsx';
import { Quota, useMoneyUnits } from '../../components/quota.tsx';
import { BillTable } from './bill-table.tsx';
import classes from './log-details.module.css';
import { attemptsOf, endReasons, listOf, numberAt, textAt } from './log-facts.ts';

export function LogDetails({ row, content }: { readonly row: LogView; readonly content: ReactNode }) {
  const { t } = useTranslation('logs');
  const facts = factsOf(row.other);
  const { quotaPerUnit } = useMoneyUnits();
  if (row.type !== 2) {
    return (
      <dl className={classes.details}>
        <Item name={t('detail.content')}>{row.content}</Item>
        {row.quota === 0 ? null : (
          <Item name={t('detail.amount')}>
            {row.quota > 0 && '+'}
            <Quota value={row.quota} />
          </Item>
        )}
        <Text name={t('detail.failReason')} value={textAt(facts.admin_info, 'fail_reason')} />
      </dl>
    );
  }
  const bill = row.failed ? undefined : billOf(row, quotaPerUnit);
  const error = textAt(facts.error, 'code');
  const short = numberAt(facts, 'cache_creation_tokens_5m');
  const long = numberAt(facts, 'cache_creation_tokens_1h');
  const creation = numberAt(facts, 'cache_creation_tokens') ?? 0;
  const requestedModel = textAt(facts, 'requested_model_name');
  const upstreamModel = textAt(facts, 'upstream_model_name') ?? (requestedModel && row.model_name);
  return (
    <>
      <dl className={classes.details}>
        {row.channel > 0 ? (
          <Item name={t('detail.channel')}>
            {row.channel}
            {row.channel_name === '' ? '' : ` - ${row.channel_name}`}
          </Item>
        ) : null}
        <Attempts facts={facts} />
        {error === undefined ? null : (
          <Item name={t('detail.error')}>
            {error} · {row.content}
          </Item>
        )}
        {numberAt(facts, 'audio_input') === undefined ? null : (
          <Item name={t('detail.audio')}>
            {t('detail.audioText', {
              textIn: numberAt(facts, 'text_input') ?? 0,
              textOut: numberAt(facts, 'text_output') ?? 0,
              audioIn: numberAt(facts, 'audio_input') ?? 0,
              audioOut: numberAt(facts, 'audio_output') ?? 0,
            })}
          </Item>
        )}
        {numberAt(facts, 'image_ratio') === undefined ? null : (
          <Item name={t('detail.image')}>
            {t('detail.imageText', {
              input: numberAt(facts, 'image') ?? 0,
              output: numberAt(facts, 'image_output') ?? 0,
            })}
          </Item>
        )}
        {(numberAt(facts, 'cache_tokens') ?? 0) > 0 ? (
          <Item name={t('detail.cache')}>{(numberAt(facts, 'cache_tokens') ?? 0).toLocaleString('en-US')}</Item>
        ) : null}
        {creation > 0 ? (
          <Item name={t('detail.creation')}>
            {short === undefined
              ? creation.toLocaleString('en-US')
              : t('detail.creationSplit', { total: creation, short, long: long ?? 0 })}
          </Item>
        ) : null}
        {bill === undefined ? null : (
          <Item name={t('detail.billing')}>
            <BillTable bill={bill} requestId={row.request_id} other={row.other} />
            <Remarks facts={facts} />
          </Item>
        )}
        {bill?.agreement === 'waived' ? <Item name={t('detail.content')}>{row.content}</Item> : null}
        {upstreamModel === undefined ? null : (
          <Item name={t('detail.mapping')}>
            {t('detail.mappingText', { requested: requestedModel ?? row.model_name, actual: upstreamModel })}
          </Item>
        )}
        <Text name={t('detail.effort')} value={textAt(facts, 'reasoning_effort')} />
        <Text name={t('detail.priceVersion')} value={(numberAt(facts, 'price_version') || undefined)?.toString()} />
        <Text name={t('detail.settlement')} value={endText(t, textAt(facts, 'settle_reason'))} />
        <Text name={t('detail.dropped')} value={listOf(facts.dropped_fields)} />
        <Text name={t('detail.conversion')} value={listOf(facts.request_conversion, ' → ')} />
        <Text name={t('detail.stream')} value={endText(t, textAt(facts.stream_status, 'end_reason'))} />
        <Text name={t('detail.path')} value={textAt(facts, 'request_path')} />
        {row.cost === undefined ? null : (
          <Item name={t('detail.operatorCost')}>
            <Quota value={row.cost} />
          </Item>
        )}
        <Text name={t('detail.ip')} value={row.ip ?? undefined} />
        <Text name={t('detail.clientRequest')} value={textAt(facts, 'client_request_id')} />
        {row.request_id === '' ? null : (
          <Item name={t('detail.request')}>
            <CopyText value={row.request_id} />
          </Item>
        )}
      </dl>
      {content}
    </>
  );
}

/** Why a call ended, in words; as the row says it where another version of the daemon had more to say. */
function endText(t: TFunction<'logs'>, said: string | undefined): string | undefined {
  const reason = endReasons.find((known) => known === said);
  return reason === undefined ? said : t(`ended.${reason}`);
}

function Item({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div className={classes.item}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Text({ name, value }: { readonly name: string; readonly value: string | undefined }) {
  return value === undefined || value === '' ? null : <Item name={name}>{value}</Item>;
}

/** Each upstream that was tried, in order; administrators only, since nobody else is sent them. */
function Attempts({ facts }: { readonly facts: Readonly<Record<string, unknown>> }) {
  const { t } = useTranslation('logs');
  const attempts = attemptsOf(facts);
  if (attempts.length === 0) return null;
  return (
    <Item name={t('detail.attempts')}>
      <ol className={classes.attempts}>
        {attempts.map((attempt, at) => (
          // The same channel and key may be tried twice, with the same outcome.
          // biome-ignore lint/suspicious/noArrayIndexKey: the list of a row never changes
          <li key={at}>
            {attempt.status < 400 && attempt.status > 0
              ? t('detail.attemptOk', { ...attempt })
              : t('detail.attempt', { ...attempt })}
          </li>
        ))}
      </ol>
    </Item>
  );
}

function Remarks({ facts }: { readonly facts: Readonly<Record<string, unknown>> }) {
  const { t } = useTranslation('logs');
  const rerated: unknown = Array.isArray(facts.rerated) ? facts.rerated.at(-1) : undefined;
  const remarks = [
    facts.usage_estimated === true ? `≈ ${t('bill.estimated')}` : undefined,
    facts.unpriced === true ? t('bill.unpriced') : undefined,
    rerated === undefined
      ? undefined
      : t('bill.rerated', { from: numberAt(rerated, 'from') ?? 0, to: numberAt(rerated, 'to') ?? 0 }),
    facts.is_test === true ? t('bill.test') : undefined,
  ].filter((remark) => remark !== undefined);
  return remarks.length === 0 ? null : <p className={classes.remarks}>{remarks.join(' · ')}</p>;
}

/** A long text, cut to some lines until asked for. */
export function LoggedText({ name, value }: { readonly name: string; readonly value: string }) {
  const { t } = useTranslation('logs');
  const [isOpen, setOpen] = useState(false);
  const isLong = value.length > 800 || value.split('\n').length > 12;
  return (
    <Item name={name}>
      <pre className={isLong && !isOpen ? classes.cut : classes.text}>{value}</pre>
      <div className={classes.tools}>
        {isLong ? (
          <button type="button" className={classes.link} onClick={() => setOpen(!isOpen)} aria-expanded={isOpen}>
            {isOpen ? t('detail.collapse') : t('detail.expand')}
          </button>
        ) : null}
        <CopyButton value={value} name={`${t('frame:action.copy')} ${name}`} label={name} />
      </div>
    </Item>
  );
}
