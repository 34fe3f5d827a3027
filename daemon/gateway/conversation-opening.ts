/** By what a conversation is known that no rule of the operator names (relay.md 11.9). */
import { isObject, type Json } from '../relay/json.ts';
import type { Inspection } from './inspect.ts';

/** Where a dialect has its turns, and the instructions that stand beside them. */
const PLACES: readonly { readonly turns: string; readonly instructions: readonly string[] }[] = [
  { turns: 'messages', instructions: ['system'] },
  { turns: 'contents', instructions: ['systemInstruction', 'system_instruction'] },
  { turns: 'input', instructions: ['instructions'] },
];
const MODEL_ROLES: ReadonlySet<unknown> = new Set(['assistant', 'model']);
const INSTRUCTING_ROLES: ReadonlySet<unknown> = new Set(['system', 'developer']);
/** Items of Responses that the model wrote and that have no role. */
const MODEL_ITEMS: ReadonlySet<unknown> = new Set(['function_call', 'custom_tool_call', 'reasoning']);

/** Characters; what is longer is known by its ends and its length. */
const LONGEST_WHOLE = 2048;

/** System text and first user message of a conversation that has gone on for at least one turn; else undefined. */
export function openingOf({ json }: Pick<Inspection, 'json'>): { system: string; firstUser: string } | undefined {
  const place = PLACES.find(({ turns }) => Array.isArray(json[turns]));
  const turns = place && json[place.turns];
  if (place === undefined || !Array.isArray(turns) || turns.length < 3 || !turns.some(isOfModel)) return undefined;
  const first = turns.find((turn) => roleOf(turn) === 'user');
  if (!isObject(first)) return undefined;
  const beside = place.instructions.flatMap((name) => json[name] ?? []);
  const within = turns.filter((turn) => INSTRUCTING_ROLES.has(roleOf(turn)));
  return {
    system: JSON.stringify([...beside, ...within], withEndsOnly),
    firstUser: JSON.stringify(first.content ?? first.parts ?? '', withEndsOnly),
  };
}

/** Hashing all of an agent's instructions costs as much as the rest of a call, all of a picture holds up the others. */
function withEndsOnly(_member: string, value: Json): Json {
  if (typeof value !== 'string' || value.length <= LONGEST_WHOLE) return value;
  return [value.slice(0, LONGEST_WHOLE / 2), value.length, value.slice(-LONGEST_WHOLE / 2)];
}

function isOfModel(turn: Json): boolean {
  return MODEL_ROLES.has(roleOf(turn)) || (isObject(turn) && MODEL_ITEMS.has(turn.type));
}

function roleOf(turn: Json): Json | undefined {
  return isObject(turn) ? turn.role : undefined;
}
