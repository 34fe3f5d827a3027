/** Conditions of channel lists and searches (management-api.md 3.10). */
import type { Knex } from 'knex';
import type { Engine } from './dialect.ts';
import { containsPattern, orWhereId, orWhereLike, whereLike, whereMember } from './like-pattern.ts';

export interface ChannelFilter {
  /** `disabled` by whomever, `auto` by the daemon. */
  readonly status?: 'enabled' | 'disabled' | 'auto' | undefined;
  readonly type?: number | undefined;
  /** A member of the channel's groups. */
  readonly group?: string | undefined;
  readonly tag?: string | undefined;
  /** These alone. */
  readonly ids?: readonly number[] | undefined;
}

export interface ChannelSearch {
  /** Equals the id, or is contained in name or base address. */
  readonly keyword?: string | undefined;
  /** Hash of the keyword: a channel with such a key is found too. */
  readonly keyHash?: string | undefined;
  readonly group?: string | undefined;
  /** Contained in the list of models. */
  readonly model?: string | undefined;
}

export function filterChannels(query: Knex.QueryBuilder, engine: Engine, filter: ChannelFilter): Knex.QueryBuilder {
  if (filter.status === 'enabled') query.where('status', 1);
  if (filter.status === 'disabled') query.whereNot('status', 1);
  if (filter.status === 'auto') query.where('status', 3);
  if (filter.type !== undefined) query.where('type', filter.type);
  if (filter.tag !== undefined) query.where('tag', filter.tag);
  if (filter.ids !== undefined) query.whereIn('id', filter.ids);
  return inGroup(query, engine, filter.group);
}

export function searchChannels(query: Knex.QueryBuilder, engine: Engine, search: ChannelSearch): Knex.QueryBuilder {
  const { keyword, keyHash, model } = search;
  if (keyword) {
    query.where((any) => {
      const pattern = containsPattern(keyword);
      for (const column of ['name', 'base_url']) orWhereLike(any, engine, { column, pattern });
      orWhereId(any, keyword);
      if (keyHash) {
        any.orWhereIn('id', (keys: Knex.QueryBuilder) => {
          keys.select('channel_id').from('channel_keys').where('key_hash', keyHash);
        });
      }
    });
  }
  if (model) whereLike(query, engine, { column: 'models', pattern: containsPattern(model) });
  return inGroup(query, engine, search.group);
}

function inGroup(query: Knex.QueryBuilder, engine: Engine, group: string | undefined): Knex.QueryBuilder {
  return group ? whereMember(query, engine, { column: 'group', member: group }) : query;
}
