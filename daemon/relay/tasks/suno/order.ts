/** What a client of music tasks may ask, and how it goes on to the upstream (relay.md 9). */
import { asText } from '../../formats/fields.ts';
import type { Json, JsonObject } from '../../json.ts';
import { oneSpelling } from '../one-spelling.ts';

export type SongAction = 'MUSIC' | 'LYRICS';

/** A request that can be sent. */
export interface SongWish {
  readonly action: SongAction;
  /** As it goes on: unknown members stay as they are. */
  readonly body: JsonObject;
  /** The task that it goes on with; undefined for a new one. */
  readonly parentId: string | undefined;
}

/** What is wrong with a request, in words. */
export interface SongRefusal {
  readonly refusal: string;
}

/** The voice of servers that are asked for none. */
const DEFAULT_VERSION = 'chirp-v3-0';

/** The members by which a request is judged. */
const songBody = oneSpelling([
  'gpt_description_prompt',
  'prompt',
  'title',
  'tags',
  'negative_tags',
  'task_id',
  'continue_clip_id',
]);

/** @param action of the path, in any case */
export function readSongOrder(action: string, asked: JsonObject): SongWish | SongRefusal {
  const body = songBody(asked);
  switch (action.toUpperCase()) {
    case 'MUSIC':
      return readMusic(body);
    case 'LYRICS':
      if (isBlank(body.prompt)) return { refusal: 'prompt_empty' };
      return { action: 'LYRICS', body, parentId: undefined };
    default:
      return { refusal: 'invalid_action' };
  }
}

function readMusic(body: JsonObject): SongWish | SongRefusal {
  if (!isText(body.task_id) || !isText(body.continue_clip_id)) {
    return { refusal: 'task_id and continue_clip_id must be strings' };
  }
  const parentId = isBlank(body.task_id) ? undefined : asText(body.task_id)?.trim();
  const continues = !isBlank(body.continue_clip_id);
  if (continues && parentId === undefined) return { refusal: 'task_id is required with continue_clip_id' };
  // A tune without words is described by its style alone.
  const isTune = body.make_instrumental === true && !isBlank(body.tags);
  if (!continues && !isTune && isBlank(body.prompt) && isBlank(body.gpt_description_prompt)) {
    return { refusal: 'one of prompt, gpt_description_prompt and continue_clip_id is required' };
  }
  const version = isBlank(body.mv) ? DEFAULT_VERSION : (body.mv ?? DEFAULT_VERSION);
  const sent = { ...body, mv: version, make_instrumental: body.make_instrumental ?? false };
  return { action: 'MUSIC', body: sent, parentId };
}

/** What was asked for, as lists show it. */
export function wordsOf({ body }: SongWish): string {
  const { gpt_description_prompt: description, prompt, tags } = body;
  return [description, prompt, tags].map((text) => asText(text)?.trim() ?? '').find((text) => text !== '') ?? '';
}

/** Or absent. */
function isText(value: Json | undefined): boolean {
  return value === undefined || value === null || typeof value === 'string';
}

function isBlank(value: Json | undefined): boolean {
  return (asText(value)?.trim() ?? '') === '';
}
