/** Turns of a Gemini conversation as Vertex AI takes them. Source: providers/vertex.md, read 2026-11. */
import { asList, asObject, asWord } from '../../formats/fields.ts';
import { isObject, type Json, type JsonObject } from '../../json.ts';

const calls = ['functionCall', 'function_call'] as const;
const results = ['functionResponse', 'function_response'] as const;

/** Members that the counter here knows. Source: Vertex AI's reference of CountTokensRequest, read 2026-11. */
const counted: ReadonlySet<string> = new Set([
  'contents',
  'generationConfig',
  'generation_config',
  'systemInstruction',
  'system_instruction',
  'tools',
]);

/** What is to be counted: Google's other interface lets a whole request stand in one member, this host does not. */
export function countable(body: Json): Json {
  const whole = isObject(body) ? (body.generateContentRequest ?? body.generate_content_request) : undefined;
  if (!isObject(whole)) return fitContents(body);
  return fitContents(Object.fromEntries(Object.entries(whole).filter(([name]) => counted.has(name))));
}

/** Every turn has to say whose it is here, and neither calls nor results may have ids: their order pairs them. */
export function fitContents(body: Json): Json {
  if (!isObject(body) || !Array.isArray(body.contents)) return body;
  const { contents } = body;
  /** Of the calls before, in their order. */
  let called: readonly string[] = [];
  const fitted = contents.map((turn) => {
    const parts = isObject(turn) ? asList(turn.parts) : [];
    const placed = placedAtCalls(parts, called);
    const ids = parts.flatMap((part) => idIn(part, calls) ?? []);
    if (ids.length > 0) called = ids;
    return fitTurn(turn, { parts, placed });
  });
  return fitted.every((turn, at) => turn === contents[at]) ? body : { ...body, contents: fitted };
}

/** The parts with their results in the order of the calls that they name; as they are where one names none of these. */
function placedAtCalls(parts: readonly Json[], called: readonly string[]): readonly Json[] {
  const answers = parts.flatMap((part) => {
    const id = idIn(part, results);
    return id === undefined ? [] : [{ part, place: called.indexOf(id) }];
  });
  if (answers.length < 2 || answers.some(({ place }) => place < 0)) return parts;
  const sorted = answers.toSorted((one, other) => one.place - other.place).values();
  return parts.map((part) => (idIn(part, results) === undefined ? part : (sorted.next().value?.part ?? part)));
}

function fitTurn(turn: Json, { parts, placed }: { parts: readonly Json[]; placed: readonly Json[] }): Json {
  if (!isObject(turn)) return turn;
  const fitted = placed.map(withoutId);
  const isChanged = fitted.some((part, at) => part !== parts[at]);
  if (!isChanged) return turn.role === undefined ? { role: 'user', ...turn } : turn;
  return { role: 'user', ...turn, parts: fitted };
}

function idIn(part: Json, members: readonly string[]): string | undefined {
  if (!isObject(part)) return undefined;
  for (const member of members) {
    const id = asWord(asObject(part[member])?.id);
    if (id !== undefined) return id;
  }
  return undefined;
}

function withoutId(part: Json): Json {
  if (!isObject(part)) return part;
  for (const member of [...calls, ...results]) {
    const { id, ...rest }: JsonObject = asObject(part[member]) ?? {};
    if (id !== undefined) return { ...part, [member]: rest };
  }
  return part;
}
