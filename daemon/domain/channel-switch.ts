/**
 * Moves channels and keys out of routing and back by themselves: conditionally, once, in one transaction with their
 * abilities, and with a notice (relay.md 12.8, 12.9). Status 2, set by hand, is never touched.
 */
import type { Bus } from '../cluster/bus.ts';
import type { OptionsView } from '../contract/options.ts';
import { allKeysDisabled } from '../contract/status-reason.ts';
import type { ChannelRecord } from '../store/channels.ts';
import type { Database, Stores } from '../store/database.ts';
import { auditBy } from './audits.ts';
import { abilitiesOf } from './channel-abilities.ts';
import { disabledBySystem, enabled } from './channel-statuses.ts';

/** What happened to a channel by itself; handed on by mail or webhook. */
export interface ChannelNotice {
  /** `channel_update_<id>_<status>`: notices of one kind are limited together. */
  readonly kind: string;
  readonly channelId: number;
  readonly channelName: string;
  /** Status of the channel now. */
  readonly status: 1 | 3;
  /** The one key that changed; undefined when the whole channel did. */
  readonly keyId: number | undefined;
  /** Masked; at most 500 characters. */
  readonly reason: string;
}

export interface ChannelSwitchDeps {
  readonly database: Database;
  readonly bus: Pick<Bus, 'announce'>;
  readonly options: () => OptionsView;
  /** Unix seconds. */
  readonly nowSeconds: () => number;
  /** Does not wait and does not throw. */
  readonly notify: (notice: ChannelNotice) => void;
}

export interface Disabling {
  readonly channelId: number;
  /** The failing key; undefined means the channel as a whole. */
  readonly keyId?: number | undefined;
  /** Masked. */
  readonly reason: string;
  readonly requestId: string;
}

export interface Enabling {
  readonly channelId: number;
  /** The key whose test succeeded. */
  readonly keyId: number;
  readonly requestId: string;
}

interface Change {
  readonly channel: ChannelRecord;
  /** The channel's own status changed, not only a key's. */
  readonly isWhole: boolean;
  readonly revision: number;
}

/** Reason of a channel whose last usable key was disabled. */
const longestReason = 500;
const system = { userId: 0, username: '', ip: '' } as const;

export class ChannelSwitch {
  readonly #deps: ChannelSwitchDeps;

  constructor(deps: ChannelSwitchDeps) {
    this.#deps = deps;
  }

  /**
   * Disables the key where the channel has several, and the channel with its last usable one. Does nothing while
   * automatic disabling is off, when the channel forbids it, or when somebody was faster. True when something changed.
   */
  async disable(disabling: Disabling): Promise<boolean> {
    if (!this.#deps.options().get('AutomaticDisableChannelEnabled')) return false;
    const reason = disabling.reason.slice(0, longestReason);
    const change = await this.#deps.database.transaction((stores) => this.#disable(stores, { ...disabling, reason }));
    if (!change) return false;
    await this.#announce(change, { status: disabledBySystem, keyId: disabling.keyId, reason });
    return true;
  }

  /**
   * Enables a key and its channel after a successful test; only what was disabled automatically, and only while
   * automatic enabling is on. True when something changed.
   */
  async enable(enabling: Enabling): Promise<boolean> {
    if (!this.#deps.options().get('AutomaticEnableChannelEnabled')) return false;
    const change = await this.#deps.database.transaction((stores) => this.#enable(stores, enabling));
    if (!change) return false;
    await this.#announce(change, { status: enabled, keyId: enabling.keyId, reason: '' });
    return true;
  }

  async #disable(stores: Stores, disabling: Disabling): Promise<Change | undefined> {
    const { channelId, keyId, reason } = disabling;
    // The bump comes first: its row lock makes two failing keys of one channel wait for each other.
    const revision = await stores.revisions.bump('channels');
    const channel = await stores.channels.find(channelId);
    if (channel?.status !== enabled || channel.autoBan === 0) return undefined;
    const keys = await stores.channelKeys.all([channelId]);
    const statusTime = this.#deps.nowSeconds();
    if (keyId !== undefined && keys.length > 1) {
      const change = { from: enabled, to: disabledBySystem, reason, statusTime };
      if (!(await stores.channelKeys.moveStatus(keyId, change))) return undefined;
      const detail = { key: keyId, reason, request_id: disabling.requestId };
      await this.#audit(stores, { action: 'channel.key_disable', channelId, detail });
      if (keys.some((key) => key.id !== keyId && key.status === enabled)) return { channel, isWhole: false, revision };
      await this.#moveChannel(stores, channel, { ...disabling, reason: allKeysDisabled });
      return { channel, isWhole: true, revision };
    }
    return (await this.#moveChannel(stores, channel, disabling)) ? { channel, isWhole: true, revision } : undefined;
  }

  async #moveChannel(stores: Stores, channel: ChannelRecord, { reason, requestId }: Disabling): Promise<boolean> {
    const otherInfo = JSON.stringify({
      status_reason: reason,
      status_time: this.#deps.nowSeconds(),
      status_request_id: requestId,
    });
    const change = { from: enabled, to: disabledBySystem, otherInfo };
    if (!(await stores.channels.moveStatus(channel.id, change))) return false;
    await stores.abilities.update([channel.id], { enabled: false });
    const detail = { reason, request_id: requestId };
    await this.#audit(stores, { action: 'channel.disable', channelId: channel.id, detail });
    return true;
  }

  async #enable(stores: Stores, { channelId, keyId, requestId }: Enabling): Promise<Change | undefined> {
    const revision = await stores.revisions.bump('channels');
    const channel = await stores.channels.find(channelId);
    if (!channel || (channel.status !== enabled && channel.status !== disabledBySystem)) return undefined;
    const statusTime = this.#deps.nowSeconds();
    const keyChange = { from: disabledBySystem, to: enabled, reason: '', statusTime };
    const key = await stores.channelKeys.moveStatus(keyId, keyChange);
    // A key that somebody switched off brings nothing back.
    if (!key && (await stores.channelKeys.find(keyId))?.status !== enabled) return undefined;
    const moved = await stores.channels.moveStatus(channelId, { from: disabledBySystem, to: enabled, otherInfo: '' });
    if (!key && !moved) return undefined;
    if (moved) await stores.abilities.replace(channelId, abilitiesOf(moved));
    const detail = { ...(key ? { key: keyId } : {}), request_id: requestId };
    await this.#audit(stores, { action: moved ? 'channel.enable' : 'channel.key_enable', channelId, detail });
    return { channel, isWhole: moved !== undefined, revision };
  }

  async #audit(
    stores: Stores,
    event: { action: string; channelId: number; detail: Readonly<Record<string, unknown>> },
  ): Promise<void> {
    const { action, channelId, detail } = event;
    await stores.audits.append(
      auditBy(system, { action, target: `channel:${channelId}`, detail }, this.#deps.nowSeconds()),
    );
  }

  async #announce(
    { channel, isWhole, revision }: Change,
    move: { status: 1 | 3; keyId: number | undefined; reason: string },
  ): Promise<void> {
    await this.#deps.bus.announce('channels', revision, String(channel.id));
    const status = isWhole ? move.status : enabled;
    this.#deps.notify({
      kind: `channel_update_${channel.id}_${move.status}`,
      channelId: channel.id,
      channelName: channel.name,
      status,
      keyId: isWhole ? undefined : move.keyId,
      reason: move.reason,
    });
  }
}
