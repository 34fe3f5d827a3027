/** What an upstream may keep of an answer, to be referred to by id later (relay.md 5.10). */
import { asFlag, asObject, asObjects, asWord } from './formats/fields.ts';
import type { JsonObject } from './json.ts';

/** By what an item of an answer can be referred to. */
export interface ItemNames {
  readonly id: string | undefined;
  /** Where its tool worked, which a later call may go on with. */
  readonly container: string | undefined;
}

export interface StoredAnswer {
  readonly id: string;
  /** What the upstream says of it; undefined where it says nothing. */
  readonly isKept: boolean | undefined;
  /** The conversation that it belongs to, where the upstream names one. */
  readonly conversation: string | undefined;
  /** Ids of the answer's items; reads them when asked. */
  readonly itemIds: () => readonly string[];
  /** Ids of the containers that its tools worked in; reads the items when asked. */
  readonly containerIds: () => readonly string[];
}

type Items = () => readonly ItemNames[];

/** Read from a response object; undefined for one without an id. */
export function storedAnswer(
  response: JsonObject,
  items: Items = () => asObjects(response.output).map(itemNames),
): StoredAnswer | undefined {
  const id = asWord(response.id);
  if (id === undefined) return undefined;
  const conversation = asWord(asObject(response.conversation)?.id);
  return { id, isKept: asFlag(response.store), conversation, ...namesOf(items) };
}

/** An answer of which only the id and the items are known. */
export function storedUnder(id: string, items: Items): StoredAnswer {
  return { id, isKept: undefined, conversation: undefined, ...namesOf(items) };
}

function namesOf(items: Items): Pick<StoredAnswer, 'itemIds' | 'containerIds'> {
  return {
    itemIds: () => items().flatMap(({ id }) => id ?? []),
    containerIds: () => items().flatMap(({ container }) => container ?? []),
  };
}

export function itemNames(item: JsonObject): ItemNames {
  return { id: asWord(item.id), container: containerOf(item) };
}

/** The container of a hosted tool's call: its own member, or that of the shell's surroundings. */
export function containerOf(item: JsonObject): string | undefined {
  return asWord(item.container_id) ?? asWord(asObject(item.environment)?.container_id);
}
