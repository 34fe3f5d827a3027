/** A channel as it would be saved, for a test before saving (console.md 9, N8). Nothing is written. */
import { TollgateError } from '../errors.ts';
import { type ChannelView, toChannelView } from '../snapshots/channel-view.ts';
import type { ChannelRecord } from '../store/channels.ts';
import type { Database } from '../store/database.ts';
import { checkConfiguration } from './channel-configuration.ts';
import {
  type ChannelFields,
  type ChannelInput,
  completeChannel,
  emptyChannel,
  knownType,
  readChannelInput,
} from './channel-input.ts';
import { firstKeys } from './channel-keys.ts';
import type { ChannelWriter } from './channel-writer.ts';
import { keyReaders } from './key-readers.ts';

export interface ChannelDraftsDeps {
  readonly database: Database;
  readonly writer: Pick<ChannelWriter, 'openKeys'>;
  /** The egress guard's answer for the base address of a channel. */
  readonly acceptsBaseUrl: (url: string) => boolean;
}

/** What a row that was never saved holds beside the writable columns. */
const unsaved = {
  id: 0,
  createdTime: 0,
  testTime: 0,
  responseTime: 0,
  balance: 0,
  balanceUpdatedTime: 0,
  usedQuota: 0,
  otherInfo: '',
  budgets: '[]',
  openaiOrganization: null,
  testModel: null,
  ...emptyChannel,
} satisfies Omit<ChannelRecord, 'type' | 'name' | 'models'>;

export class ChannelDrafts {
  readonly #deps: ChannelDraftsDeps;

  constructor(deps: ChannelDraftsDeps) {
    this.#deps = deps;
  }

  /**
   * The draft as routing would see it. With an id it starts from that channel, whose keys are taken where none are sent
   * and nobody else would read them (S15). Throws `channel_not_found`, `channel_key_required` and the codes of the input.
   */
  async view(input: ChannelInput, id?: number): Promise<ChannelView> {
    const { stores } = this.#deps.database;
    const saved = id === undefined ? undefined : await stores.channels.find(id);
    if (id !== undefined && !saved) throw new TollgateError('channel_not_found');
    const patch = readChannelInput(input);
    const base = saved ?? { ...unsaved, type: knownType(input.type).type, name: 'draft', models: '' };
    checkConfiguration(patch, saved);
    const record = completeChannel({ ...base, ...patch }, saved);
    this.#checkBaseUrl(saved, record);
    const stored = input.key ? [] : await this.#savedKeys(saved, record);
    const keys = stored.length > 0 ? stored : firstKeys(input.key ?? '', knownType(record.type));
    if (keys.length === 0) throw new TollgateError('channel_key_required', {}, { field: 'key' });
    return toChannelView({
      record,
      keys: keys.map((key, position) => draftKey(record.id, key, position)),
      unseal: (_context, key) => key,
      report: () => undefined,
    });
  }

  #checkBaseUrl(saved: ChannelRecord | undefined, { baseUrl }: Pick<ChannelFields, 'baseUrl'>): void {
    const url = baseUrl ?? '';
    if (url === '' || url === saved?.baseUrl || this.#deps.acceptsBaseUrl(url)) return;
    throw new TollgateError('channel_base_url_refused', {}, { field: 'base_url' });
  }

  async #savedKeys(saved: ChannelRecord | undefined, draft: ChannelRecord): Promise<string[]> {
    // A stored key is never sent to somebody else without an audit row of somebody having read or moved it.
    if (!saved || keyReaders(saved) !== keyReaders(draft) || saved.type !== draft.type) return [];
    return this.#deps.writer.openKeys(await this.#deps.database.stores.channelKeys.all([saved.id]));
  }
}

/** A key row that holds its key in the open: it lives as long as the call. */
function draftKey(channelId: number, key: string, position: number) {
  return {
    id: -1 - position,
    channelId,
    position,
    keyHash: '',
    keySealed: key,
    status: 1,
    reason: '',
    statusTime: 0,
    lastUsed: 0,
    lastError: '',
    cap: 0,
    tpm: 0,
    concurrency: 0,
  };
}
