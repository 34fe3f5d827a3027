/** Finds what changed in the health of channels between two looks: disabled, recovered, cooling, resumed. */
import { statusReasonOf } from '../contract/status-reason.ts';
import type { ChannelIndex } from '../snapshots/channel-index.ts';
import type { ChannelKeyView, ChannelView } from '../snapshots/channel-view.ts';
import { type ChannelCooling, coolingSeconds } from './channel-cooling.ts';
import { enabled } from './channel-statuses.ts';

export interface ChannelChange {
  readonly channelId: number;
  readonly channelName: string;
  readonly change: 'disabled' | 'recovered' | 'cooling' | 'resumed';
  /** "" for the whole channel. */
  readonly keyHash: string;
  /** Of the channel or key now. */
  readonly status: number;
  /** Seconds; 0 = not cooling. */
  readonly cooling: number;
  /** Why it was disabled automatically; "" where that is not known. */
  readonly reason: string;
}

export interface ChannelWatchDeps {
  /** The index in force; another one after every change of a channel. */
  readonly channels: () => Pick<ChannelIndex, 'all' | 'get'>;
  readonly cooling: Pick<ChannelCooling, 'channelLeftMs' | 'keyLeftMs' | 'pausedChannels'>;
}

/** What a change is about: a channel, or one of its keys. */
interface Subject {
  readonly channel: ChannelView;
  readonly key: ChannelKeyView | undefined;
}

export class ChannelWatch {
  readonly #deps: ChannelWatchDeps;
  #index: Pick<ChannelIndex, 'all' | 'get'> | undefined;
  /** By name: the status of every channel and key. */
  #statuses = new Map<string, number>();
  /** By name: what was cooling. */
  #cooling = new Map<string, Subject>();

  constructor(deps: ChannelWatchDeps) {
    this.#deps = deps;
  }

  /** Takes the present state as known. */
  begin(): void {
    this.#index = undefined;
    this.#statuses.clear();
    this.#cooling.clear();
    this.look();
  }

  /** What has changed since the look before. */
  look(): ChannelChange[] {
    return [...this.#switches(), ...this.#pauses()];
  }

  #switches(): ChannelChange[] {
    const index = this.#deps.channels();
    if (index === this.#index) return [];
    this.#index = index;
    const subjects = [...index.all()].flatMap(subjectsOf);
    const switched = subjects.flatMap((subject) => this.#switched(subject));
    this.#statuses = new Map(subjects.map((subject) => [nameOf(subject), statusOf(subject)]));
    return switched;
  }

  #pauses(): ChannelChange[] {
    const before = this.#cooling;
    const paused = this.#deps.cooling.pausedChannels().flatMap((id) => this.#index?.get(id) ?? []);
    this.#cooling = new Map(paused.flatMap((channel) => this.#pausesOf(channel)).map((one) => [nameOf(one), one]));
    const began = [...this.#cooling].filter(([name]) => !before.has(name));
    const ended = [...before].filter(([name]) => !this.#cooling.has(name));
    return [
      ...began.map(([, subject]) => this.#changeOf(subject, 'cooling')),
      ...ended.flatMap(([, { channel, key }]) => {
        const now = this.#index?.get(channel.record.id);
        return now ? [this.#changeOf({ channel: now, key }, 'resumed')] : [];
      }),
    ];
  }

  #switched(subject: Subject): ChannelChange[] {
    const before = this.#statuses.get(nameOf(subject));
    const now = statusOf(subject);
    if (before === undefined || (before === enabled) === (now === enabled)) return [];
    return [this.#changeOf(subject, now === enabled ? 'recovered' : 'disabled')];
  }

  /** The channel where all of it cools, else those of its keys that do. */
  #pausesOf(channel: ChannelView): Subject[] {
    if (coolingSeconds(this.#deps.cooling, channel) > 0) return [{ channel, key: undefined }];
    return channel.keys
      .filter(({ id }) => this.#deps.cooling.keyLeftMs(channel.record.id, id) > 0)
      .map((key) => ({ channel, key }));
  }

  #changeOf(subject: Subject, change: ChannelChange['change']): ChannelChange {
    const { channel, key } = subject;
    const { id, name, otherInfo } = channel.record;
    const { cooling } = this.#deps;
    return {
      channelId: id,
      channelName: name,
      change,
      keyHash: key?.hash ?? '',
      status: statusOf(subject),
      cooling: key ? Math.ceil(cooling.keyLeftMs(id, key.id) / 1000) : coolingSeconds(cooling, channel),
      reason: change === 'disabled' && !key ? (statusReasonOf(otherInfo)?.reason ?? '') : '',
    };
  }
}

/** The channel and, where it has several, its keys: a single key goes with its channel. */
function subjectsOf(channel: ChannelView): Subject[] {
  const keys = channel.keys.length > 1 ? channel.keys : [];
  return [{ channel, key: undefined }, ...keys.map((key) => ({ channel, key }))];
}

function nameOf({ channel, key }: Subject): string {
  return `${channel.record.id}:${key?.id ?? ''}`;
}

function statusOf({ channel, key }: Subject): number {
  return key?.status ?? channel.record.status;
}
