/** Columns of the usage log (console.md 6.14). */
import type { TFunction } from 'i18next';
import type { LogView } from '../../../daemon/contract/logs.ts';
import { cachedShare, factsOf } from '../../billing/bill.ts';
import { Avatar } from '../../components/avatar.tsx';
import type { Column } from '../../components/data-table-types.ts';
import { formatCount, formatDuration, formatPercent, formatTime } from '../../components/format.ts';
import { Quota, Time } from '../../components/quota.tsx';
import { GroupTag, StatusTag, Tag } from '../../components/tag.tsx';
import { firstTokenTone, totalTimeTone } from '../../components/tones.ts';
import { billLine } from './bill-words.ts';
import { numberAt, textAt, triedChannels } from './log-facts.ts';
import classes from './logs-page.module.css';

/** Rows of the other types have no call behind them. */
const hasCall = (row: LogView) => row.type === 0 || row.type === 2;

export interface ColumnsDeps {
  readonly t: TFunction<['logs', 'frame']>;
  readonly isAdmin: boolean;
  /** Little room: what is read in the opened row as well takes less. */
  readonly isNarrow: boolean;
  readonly quotaPerUnit: number;
  readonly onCopy: (text: string) => void;
  readonly onUser: (id: number) => void;
}

export function logColumns({
  t,
  isAdmin,
  isNarrow,
  quotaPerUnit,
  onCopy,
  onUser,
}: ColumnsDeps): readonly Column<LogView>[] {
  // What is cut is read in the tip, which the keyboard reaches too; that a click copies, one learns from the first.
  const copied = (text: string, tip = text) => (
    <button type="button" className={classes.copied} data-tip={tip} onClick={() => onCopy(text)}>
      {text}
    </button>
  );
  const columns: Column<LogView>[] = [
    {
      key: 'time',
      title: t('column.time'),
      cell: ({ created_at }) => <Time seconds={created_at} />,
      width: isNarrow ? 164 : 184,
      pin: 'start',
      card: 'title',
      export: ({ created_at }) => formatTime(created_at),
    },
    {
      key: 'token',
      title: t('column.token'),
      cell: ({ token_name }) => (token_name === '' ? null : copied(token_name)),
      // A long name must not push figures out of sight.
      width: isNarrow ? 88 : 104,
      card: 'meta',
      export: ({ token_name }) => token_name,
    },
    {
      key: 'group',
      title: t('column.group'),
      cell: (row) => {
        const group = textAt(factsOf(row.other), 'group') ?? row.group;
        return group === '' ? null : <GroupTag name={group} room={20} />;
      },
      card: 'meta',
      export: ({ group }) => group,
    },
    {
      key: 'type',
      title: t('column.type'),
      cell: ({ type, failed }) => <StatusTag kind="logType" value={failed ? 'failed' : type} />,
      card: 'status',
      export: ({ type }) => type,
    },
    {
      key: 'model',
      title: t('column.model'),
      cell: (row) => (hasCall(row) && row.model_name !== '' ? <Model row={row} t={t} button={copied} /> : null),
      card: 'figure',
      export: ({ model_name }) => model_name,
    },
    {
      key: 'duration',
      title: t('column.duration'),
      cell: (row) => (hasCall(row) && row.model_name !== '' ? <Durations row={row} t={t} /> : null),
      export: ({ use_time }) => use_time,
    },
    {
      key: 'prompt',
      title: t('column.prompt'),
      cell: (row) => (hasCall(row) && row.model_name !== '' ? <Prompt row={row} t={t} /> : null),
      align: 'right',
      export: ({ prompt_tokens }) => prompt_tokens,
    },
    {
      key: 'completion',
      title: t('column.completion'),
      cell: (row) => (hasCall(row) && row.model_name !== '' ? formatCount(row.completion_tokens) : null),
      align: 'right',
      export: ({ completion_tokens }) => completion_tokens,
    },
    {
      key: 'cost',
      title: t('column.cost'),
      cell: (row) => (hasCall(row) ? <Cost row={row} t={t} /> : null),
      align: 'right',
      // What administrators see beside it would push it out of sight.
      pin: 'end',
      card: 'figure',
      export: ({ quota }) => quota,
    },
    {
      key: 'details',
      title: t('column.details'),
      cell: (row) => (
        // On the card of a call it would say how its figures came about; elsewhere it is all there is to say.
        <span className={classes.line} data-off-card={hasCall(row) || undefined}>
          {billLine(row, { quotaPerUnit, t })}
        </span>
      ),
      width: isNarrow && isAdmin ? 48 : 260,
      card: 'meta',
      export: ({ content }) => content,
    },
    {
      key: 'request',
      title: t('column.request'),
      cell: ({ request_id }) => (request_id === '' ? null : copied(request_id)),
      isOptional: true,
      export: ({ request_id }) => request_id,
    },
  ];
  return isAdmin ? withAdminColumns(columns, { t, isNarrow, onUser }) : columns;
}

function withAdminColumns(
  columns: readonly Column<LogView>[],
  { t, isNarrow, onUser }: Pick<ColumnsDeps, 't' | 'isNarrow' | 'onUser'>,
): Column<LogView>[] {
  const channel: Column<LogView> = {
    key: 'channel',
    title: t('column.channel'),
    cell: ({ channel: id, channel_name }) =>
      id > 0 ? (
        <Tag tone={channel_name === '' ? 'grey' : 'blue'} title={channel_name}>
          #{id}
        </Tag>
      ) : null,
    card: 'hidden',
    export: ({ channel: id }) => id,
  };
  const user: Column<LogView> = {
    key: 'user',
    title: t('column.user'),
    cell: ({ username, user_id }) =>
      username === '' ? null : (
        <button type="button" className={classes.user} onClick={() => onUser(user_id)}>
          {isNarrow ? null : <Avatar name={username} isSmall />}
          {username}
        </button>
      ),
    card: 'meta',
    export: ({ username }) => username,
  };
  const retry: Column<LogView> = {
    key: 'retry',
    title: t('column.retry'),
    cell: (row) => {
      const tried = triedChannels(factsOf(row.other));
      return tried.length === 0 ? null : <span data-several={tried.length > 1 || undefined}>{tried.join('→')}</span>;
    },
    export: (row) => triedChannels(factsOf(row.other)).join('→'),
  };
  const [time, ...rest] = columns;
  const at = rest.findIndex(({ key }) => key === 'details');
  return [...(time ? [time] : []), channel, user, ...rest.slice(0, at), retry, ...rest.slice(at)];
}

interface CellProps {
  readonly row: LogView;
  readonly t: ColumnsDeps['t'];
}

function Model({ row, t, button }: CellProps & { readonly button: (text: string, tip: string) => React.ReactNode }) {
  const facts = factsOf(row.other);
  const requested = textAt(facts, 'requested_model_name');
  const actual = textAt(facts, 'upstream_model_name') ?? (requested === undefined ? undefined : row.model_name);
  const tip = actual ? t('row.mapped', { requested: requested ?? row.model_name, actual }) : row.model_name;
  return (
    <span className={classes.model} data-tip={tip}>
      {button(row.model_name, tip)}
      {actual === undefined ? null : <span aria-hidden="true"> →</span>}
    </span>
  );
}

function Durations({ row, t }: CellProps) {
  const first = numberAt(factsOf(row.other), 'frt') ?? -1;
  return (
    <span className={classes.tags}>
      <Tag tone={totalTimeTone(row.use_time)}>{formatDuration(row.use_time)}</Tag>
      {row.is_stream && first > 0 ? (
        <Tag tone={firstTokenTone(first / 1000)}>{formatDuration(first / 1000)}</Tag>
      ) : null}
      <Tag tone={row.is_stream ? 'blue' : 'purple'}>{row.is_stream ? t('row.stream') : t('row.whole')}</Tag>
    </span>
  );
}

function Prompt({ row, t }: CellProps) {
  const cached = numberAt(factsOf(row.other), 'cache_tokens') ?? 0;
  const share = cachedShare(row);
  if (share === 0) return formatCount(row.prompt_tokens);
  return (
    <span
      className={classes.withBar}
      title={t('row.cached', { count: cached, percent: formatPercent(share) })}
      style={{ '--share': `${share * 100}%` } as React.CSSProperties}
    >
      {formatCount(row.prompt_tokens)}
    </span>
  );
}

function Cost({ row, t }: CellProps) {
  if (row.failed) return null;
  if (row.quota === 0) return <span className={classes.dim}>{t('row.free')}</span>;
  return <Quota value={row.quota} />;
}
