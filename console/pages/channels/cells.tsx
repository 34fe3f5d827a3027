/** Cells of the channel table that say more than one text. Native elements: a table has many of them. */
import { IconLoader2 } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { ChannelView } from '../../../daemon/contract/channels.ts';
import { splitCommaList } from '../../../daemon/contract/comma-list.ts';
import { reasonIn, statusReasonOf } from '../../../daemon/contract/status-reason.ts';
import { formatDollars, formatDuration, formatTime } from '../../components/format.ts';
import { parseObject } from '../../components/mapping-rows.ts';
import { Quota } from '../../components/quota.tsx';
import { GroupTag, ResponseTimeTag, StatusTag, Tag, Tipped } from '../../components/tag.tsx';
import { currentLanguage } from '../../i18n/index.ts';
import { useStore } from '../../session/store.ts';
import classes from './cells.module.css';
import { failedTests, testingRows } from './row-notes.ts';
import { specialFieldsOf } from './special-fields.ts';

/** Name, host, what is special about the way there, and what the last test said where it failed. */
export function NameCell({ channel }: { readonly channel: ChannelView }) {
  const { t } = useTranslation('channels');
  const failed = useStore(failedTests).get(channel.id);
  const keys = channel.keys_total;
  const hasProxy = Boolean(parseObject(channel.setting)?.proxy);
  return (
    <span className={classes.name}>
      <span className={classes.nameLine}>
        <span className={classes.nameText} title={channel.name} dir="auto">
          {channel.name}
        </span>
        {keys > 1 && <Tag title={t('keysTitle')}>{`${channel.keys_enabled}/${keys}`}</Tag>}
        {channel.model_prefix !== '' && <Tag title={t('prefixTitle')}>{channel.model_prefix}</Tag>}
        {hasProxy && <Tag>{t('proxy')}</Tag>}
      </span>
      {channel.base_url !== '' && (
        <span className={classes.muted} title={channel.base_url}>
          {hostOf(channel.base_url)}
        </span>
      )}
      {failed && (
        <span className={classes.failed} title={failed.message}>
          {t('testFailed', { time: formatTime(failed.at).slice(11), message: failed.message })}
        </span>
      )}
    </span>
  );
}

function hostOf(address: string): string {
  return URL.canParse(address) ? new URL(address).host : address;
}

/** The first three, or as many of them as the column has room for. */
function countShown(groups: readonly string[]): number {
  const roomFor = (count: number): boolean =>
    groups.slice(0, count).join('').length + 3 * count + (count < groups.length ? 4 : 0) <= 16;
  return [3, 2].find((count) => count <= groups.length && roomFor(count)) ?? 1;
}

export function GroupsCell({ groups }: { readonly groups: readonly string[] }) {
  const shownGroups = countShown(groups);
  const rest = groups.slice(shownGroups);
  return (
    <span className={classes.tags}>
      {groups.slice(0, shownGroups).map((name) => (
        <GroupTag key={name} name={name} room={rest.length > 0 ? 9 : 12} />
      ))}
      {rest.length > 0 && (
        <Tipped tip={rest.join(', ')}>
          <span className={classes.rest}>+{rest.length}</span>
        </Tipped>
      )}
    </span>
  );
}

export function StatusCell({ channel }: { readonly channel: ChannelView }) {
  const { t } = useTranslation('channels');
  const why = channel.status === 3 ? statusReasonOf(channel.other_info) : undefined;
  const title =
    why &&
    t('statusReason', {
      reason: reasonIn(currentLanguage(), why.reason),
      time: why.time > 0 ? formatTime(why.time) : '–',
    });
  return (
    <span className={classes.status}>
      <StatusTag kind="channelStatus" value={channel.status} title={title} dot />
      {channel.cooling > 0 && (
        <Tag tone="cyan" title={t('coolingTitle')}>
          {t('cooling', { seconds: channel.cooling })}
        </Tag>
      )}
    </span>
  );
}

export function ResponseTimeCell({ channel }: { readonly channel: ChannelView }) {
  const { t } = useTranslation('channels');
  const isTesting = useStore(testingRows).has(channel.id);
  if (isTesting) {
    return (
      <span className={classes.testing} role="status">
        <IconLoader2 size={14} stroke={1.75} aria-hidden="true" />
        {t('testing')}
      </span>
    );
  }
  const title = channel.test_time > 0 ? t('testedAt', { time: formatTime(channel.test_time) }) : undefined;
  return <ResponseTimeTag ms={channel.response_time} {...(title === undefined ? {} : { title })} />;
}

interface MoneyCellProps {
  readonly channel: ChannelView;
  readonly onUpdate: (channel: ChannelView) => void;
}

/** What was used of the balance; the balance is asked for anew at a click. */
export function MoneyCell({ channel, onUpdate }: MoneyCellProps) {
  const { t } = useTranslation('channels');
  const { balance, balance_updated_time: updated } = channel;
  const { hasBalance } = specialFieldsOf(channel.type);
  const shown = updated > 0 ? formatDollars(Math.round(balance * 100), 100) : t('balance.ask');
  return (
    <span className={classes.money}>
      <span>
        <Quota value={channel.used_quota} />
        <span className={classes.slash}>{' / '}</span>
        {!hasBalance && (
          <span className={classes.slash} title={t('balance.unsupported')}>
            –
          </span>
        )}
      </span>
      {hasBalance && (
        <button
          type="button"
          className={classes.balance}
          // By the word that is seen, too: whoever speaks to the browser says that.
          aria-label={`${shown}: ${t('balance.update', { name: channel.name })}`}
          title={
            updated > 0
              ? t('balance.age', { age: formatDuration(Math.max(0, Date.now() / 1000 - updated)) })
              : t('balance.never')
          }
          onClick={() => onUpdate(channel)}
        >
          {shown}
        </button>
      )}
    </span>
  );
}

export function modelCount(channel: ChannelView): number {
  return splitCommaList(channel.models).length;
}
