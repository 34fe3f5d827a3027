/** The calls of music tasks (relay.md 9): orders, and what their owners ask about them. */
import type { Songs } from '../../domain/songs.ts';
import { TollgateError } from '../../errors.ts';
import { asList, asWord } from '../../relay/formats/fields.ts';
import type { Json } from '../../relay/json.ts';
import { success } from '../../relay/tasks/suno/envelope.ts';
import { songView } from '../../relay/tasks/suno/news.ts';
import { readSongOrder, type SongWish } from '../../relay/tasks/suno/order.ts';
import type { Caller } from '../authenticate.ts';
import { readBody } from '../body.ts';
import type { Exchange } from '../exchange.ts';
import { SongOrder } from './song-order.ts';
import { originOf } from './task-origin.ts';
import { askedByKey } from './task-question.ts';
import { TaskRefused } from './task-refused.ts';
import { type ReadOrder, runTask, type TaskRunDeps } from './task-run.ts';

/** What a path of the music tasks asks for. */
export type SongCall =
  | { readonly does: 'submit'; readonly action: string }
  | { readonly does: 'fetch'; readonly id: string }
  | { readonly does: 'list' };

export interface SongCallsDeps extends TaskRunDeps {
  readonly songs: Songs;
  /** Unix milliseconds. */
  readonly now: () => number;
}

const MAX_IDS = 100;
const WORDS = { gone: 'channel_not_found', disabled: 'task_channel_disable' } as const;
const UNKNOWN = 'task_not_exist';

export class SongCalls {
  readonly #deps: SongCallsDeps;

  constructor(deps: SongCallsDeps) {
    this.#deps = deps;
  }

  /** Never throws: every failure has been answered when it resolves. */
  run(exchange: Exchange, call: SongCall): Promise<void> {
    const { pipeline } = this.#deps;
    switch (call.does) {
      case 'submit':
        return runTask(this.#deps, exchange, this.#orders(call.action));
      case 'fetch':
        return askedByKey(pipeline, exchange, (caller) => this.#fetch(exchange, caller, call.id));
      case 'list':
        return askedByKey(pipeline, exchange, (caller) => this.#list(exchange, caller));
    }
  }

  #orders(action: string): ReadOrder {
    return async ({ exchange, caller, said }) => {
      const wish = readSongOrder(action, said.json);
      if ('refusal' in wish) throw new TollgateError('invalid_request', { reason: wish.refusal });
      return new SongOrder(this.#deps, wish, await this.#origin(exchange, caller, wish));
    };
  }

  /** Where the task is known that it goes on with. Throws `TaskRefused` where that is not the caller's, or not to be asked. */
  async #origin({ view }: Exchange, caller: Caller, { parentId }: SongWish) {
    if (parentId === undefined) return undefined;
    const parent = await this.#deps.songs.findOwned(parentId, caller.user.id);
    if (parent === undefined) throw new TaskRefused(404, UNKNOWN);
    return originOf(view, { channelId: parent.channelId, keyHash: parent.channelKeyHash }, WORDS);
  }

  async #fetch(exchange: Exchange, caller: Caller, id: string): Promise<void> {
    const song = await this.#deps.songs.findOwned(id, caller.user.id);
    if (song === undefined) throw new TaskRefused(404, UNKNOWN);
    answer(exchange, songView(song));
  }

  /** In the order of the ids; unknown and foreign ones are left out. */
  async #list(exchange: Exchange, caller: Caller): Promise<void> {
    const { bodies, body } = this.#deps.pipeline;
    const { json } = await bodies.parse(await readBody(exchange, body));
    const ids = asList(json.ids).flatMap((id) => asWord(id) ?? []);
    if (ids.length > MAX_IDS) {
      throw new TollgateError('invalid_request', { reason: `ids must not be more than ${MAX_IDS}` }, { field: 'ids' });
    }
    const action = asWord(json.action)?.toUpperCase();
    const songs = await this.#deps.songs.findManyOwned(ids, caller.user.id);
    const found = ids.flatMap((id) => songs.get(id) ?? []);
    answer(exchange, found.filter((song) => action === undefined || song.action === action).map(songView));
  }
}

function answer(exchange: Exchange, data: Json): void {
  exchange.sink.answer(200, 'application/json', JSON.stringify(success(data)));
}
