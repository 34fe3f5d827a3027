/** What an upstream may keep of an answer, to be referred to by id later (relay.md 5.10). */
import { asFlag, asObjects, asWord } from './formats/fields.ts';
import type { JsonObject } from './json.ts';

export interface StoredAnswer {
  readonly id: string;
  /** What the upstream says of it; undefined where it says nothing. */
  readonly isKept: boolean | undefined;
  /** Ids of the answer's items; reads them when asked. */
  readonly itemIds: () => readonly string[];
}

/** Read from a response object; undefined for one without an id. */
export function storedAnswer(
  response: JsonObject,
  itemIds: StoredAnswer['itemIds'] = () => asObjects(response.output).flatMap(({ id }) => asWord(id) ?? []),
): StoredAnswer | undefined {
  const id = asWord(response.id);
  return id === undefined ? undefined : { id, isKept: asFlag(response.store), itemIds };
}
