/** What can be done to one channel from its row: shown at once where it can be undone, asked first where it cannot. */
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import type { TFunction } from 'i18next';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { ChannelView } from '../../../daemon/contract/channels.ts';
import { ApiError } from '../../../daemon/contract/client.ts';
import { failureText, showFailure } from '../../api/failures.ts';
import { confirm } from '../../components/confirm.tsx';
import { toast } from '../../components/toast.ts';
import { channels, upstreamWait } from './channel-calls.ts';
import { markRow, noteTest, setTesting } from './row-notes.ts';
import { patchRows, refreshRows } from './use-channels.ts';

export interface ChannelActs {
  readonly setStatus: (channel: ChannelView, status: 1 | 2) => Promise<void>;
  readonly setNumber: (channel: ChannelView, member: 'priority' | 'weight', value: number) => Promise<void>;
  readonly test: (channel: ChannelView) => Promise<void>;
  readonly updateBalance: (channel: ChannelView) => Promise<void>;
  readonly clearCooling: (channel: ChannelView) => Promise<void>;
  readonly copy: (channel: ChannelView) => Promise<void>;
  readonly remove: (channel: ChannelView) => Promise<void>;
}

type Text = TFunction<readonly ['channels', 'components']>;

/** @param onRemoved told the id of a channel that was deleted; the same function each time */
export function useChannelActs(onRemoved: (id: number) => void): ChannelActs {
  const { t } = useTranslation(['channels', 'components']);
  const client = useQueryClient();
  return useMemo(() => {
    const change = changer(client);
    return {
      setStatus: (channel, status) => setStatus({ channel, status, change, t }),
      setNumber: (channel, member, value) => setNumber({ channel, member, value, change, t }),
      test: (channel) => testChannel(channel, client, t),
      updateBalance: async (channel) => {
        const answer = await orFailure(channels.updateBalance({ id: channel.id }, upstreamWait));
        if (!answer) return;
        patchRows(client, new Set([channel.id]), { balance: answer.balance, balance_updated_time: now() });
        markRow(channel.id);
        toast.success(t('done.balance', { name: channel.name }));
      },
      clearCooling: async (channel) => {
        const before = channel.cooling;
        patchRows(client, new Set([channel.id]), { cooling: 0 });
        try {
          await channels.clearCooling({ id: channel.id });
          toast.success(t('done.cooling', { name: channel.name }));
        } catch (error) {
          patchRows(client, new Set([channel.id]), { cooling: before });
          showFailure(error);
        }
      },
      copy: (channel) => copyChannel(channel, client, t),
      remove: async (channel) => {
        const isSure = await confirm({
          kind: 'danger',
          title: t('confirm.deleteTitle', { name: channel.name }),
          text: t('confirm.delete', { name: channel.name }),
          verb: t('confirm.deleteVerb'),
        });
        if (!isSure || (await orFailure(channels.delete({ id: channel.id }))) === undefined) return;
        toast.success(t('done.deleted'));
        onRemoved(channel.id);
        await refreshRows(client);
      },
    };
  }, [client, onRemoved, t]);
}

const now = () => Math.floor(Date.now() / 1000);

/** The answer; undefined once the failure was told. */
async function orFailure<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    showFailure(error);
    return undefined;
  }
}

type Change = (
  channel: ChannelView,
  wish: Partial<Pick<ChannelView, 'status' | 'priority' | 'weight'>>,
) => Promise<boolean>;

/** Shows the new value, sends it, and shows the old one again where it is refused. */
function changer(client: QueryClient): Change {
  return async (channel, wish) => {
    const ids = new Set([channel.id]);
    patchRows(client, ids, wish);
    try {
      const { key: _, ...row } = await channels.update({ id: channel.id, ...wish });
      patchRows(client, ids, row);
      markRow(channel.id);
      return true;
    } catch (error) {
      const { status, priority, weight } = channel;
      patchRows(client, ids, { status, priority, weight });
      showFailure(error);
      return false;
    }
  };
}

async function setStatus(act: { channel: ChannelView; status: 1 | 2; change: Change; t: Text }): Promise<void> {
  const { channel, status, change, t } = act;
  if (!(await change(channel, { status }))) return;
  const undo = () => change(channel, { status: status === 1 ? 2 : 1 }).then(() => undefined);
  toast.success(t(status === 1 ? 'done.enabled' : 'done.disabled', { name: channel.name }), { undo });
}

async function setNumber(act: {
  channel: ChannelView;
  member: 'priority' | 'weight';
  value: number;
  change: Change;
  t: Text;
}): Promise<void> {
  const { channel, member, value, change, t } = act;
  const before = channel[member];
  if (value === before || !(await change(channel, { [member]: value }))) return;
  const undo = () => change({ ...channel, [member]: value }, { [member]: before }).then(() => undefined);
  toast.success(t(`done.${member}`, { name: channel.name, before, value }), { undo });
}

async function testChannel(channel: ChannelView, client: QueryClient, t: Text): Promise<void> {
  setTesting(channel.id, true);
  try {
    const answer = await channels.test({ id: channel.id }, upstreamWait);
    noteTest(channel.id, answer.success ? undefined : answer.message);
    if (answer.success) toast.success(t('done.tested', { name: channel.name, time: answer.time.toFixed(2) }));
  } catch (error) {
    noteTest(channel.id, error instanceof ApiError ? failureText(error, t) : String(error));
  } finally {
    setTesting(channel.id, false);
    void refreshRows(client);
  }
}

/** Channels that are being copied: chosen again before the copy is there, one is wanted and not two. */
const copying = new Set<number>();

async function copyChannel(channel: ChannelView, client: QueryClient, t: Text): Promise<void> {
  if (copying.has(channel.id)) return;
  copying.add(channel.id);
  try {
    const { id } = await channels.copy({ id: channel.id, suffix: t('copySuffix') });
    toast.success(t('done.copied'));
    await refreshRows(client);
    markRow(id);
  } catch (error) {
    if (error instanceof ApiError && error.code === 'channel_not_found') toast.error(t('copyGone'));
    else toast.error(t('copyFailed', { message: error instanceof ApiError ? error.message : '' }));
  } finally {
    copying.delete(channel.id);
  }
}
