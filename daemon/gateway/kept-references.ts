/**
 * What a body says by id alone, because an upstream keeps it (relay.md 5.10), and what an upstream keeps.
 *
 * What users make through Tollgate is theirs: responses and their items, the turns that a conversation or a thread has
 * heard, the containers that a tool worked in, and the files that it made there. Other files, vector stores and stored prompts
 * never come this way, since their own surfaces answer 501 (2.6): an operator put them there for anybody, so they are
 * passed on as any id that is not known, and only asked for first where they have been found before; so are the caches
 * of Gemini's users.
 */
import type { AffinityTarget, KeptReference, ResponseAffinity } from '../domain/affinity.ts';
import type { SettleReason } from '../domain/settlement.ts';
import { partsIn } from '../relay/formats/gemini-generate/wire.ts';
import { standsForKept } from '../relay/formats/openai-responses/kept-items.ts';
import { isObject, type Json, type JsonObject } from '../relay/json.ts';
import { containerOf, type StoredAnswer } from '../relay/stored-answer.ts';
import { refuse } from './check-calls.ts';
import type { KeptOfAnswer } from './lane.ts';

const NONE: readonly KeptReference[] = [];
const MAX_REFERENCES = 4096;

type Found = KeptReference[] | undefined;

/**
 * Of a Responses body, in the order of their weight: tools, items, conversation, the response before. Throws `invalid_request` for more than
 * can be looked up.
 */
export function keptReferences(body: JsonObject): readonly KeptReference[] {
  const { tools, input, prompt, previous_response_id: previous } = body;
  let found: Found;
  if (Array.isArray(tools)) for (const [at, tool] of tools.entries()) found = inTool(found, tool, at);
  if (Array.isArray(input)) for (const [at, item] of input.entries()) found = inItem(found, item, at);
  found = bounded(found, 'input');
  if (isObject(prompt)) found = addShared(found, prompt.id, 'prompt');
  found = add(found, conversationOf(body), 'conversation');
  return add(found, previous, 'previous_response_id') ?? NONE;
}

/**
 * The container that a message's tools go on in, by its id or by an object that may name skills beside it, the files
 * that its turns name, and the answer from which a thread goes on. Throws as `keptReferences`.
 */
export function messageReferences({ container, messages, thread }: JsonObject): readonly KeptReference[] {
  let found: Found;
  if (Array.isArray(messages)) for (const [at, turn] of messages.entries()) found = inTurn(found, turn, at);
  found = bounded(found, 'messages');
  if (container !== undefined) found = add(found, isObject(container) ? container.id : container, 'container');
  if (isObject(thread)) found = add(found, thread.previous_message_id, 'thread');
  return found ?? NONE;
}

/**
 * What an assistant said aloud before, of which a chat's messages have the ids alone, and files by theirs. Throws as
 * `keptReferences`.
 */
export function chatReferences(messages: readonly Json[]): readonly KeptReference[] {
  let found: Found;
  for (const [at, message] of messages.entries()) {
    if (!isObject(message)) continue;
    const { audio, content } = message;
    if (isObject(audio)) found = add(found, audio.id, `messages.${at}.audio`);
    if (!Array.isArray(content)) continue;
    for (const part of content) if (isObject(part)) found = addFile(found, part.file, `messages.${at}.content`);
  }
  return bounded(found, 'messages') ?? NONE;
}

/** The prepared context that a question to Gemini builds on, and files that were uploaded before. Throws as `keptReferences`. */
export function generateReferences(body: JsonObject, contents: readonly Json[]): readonly KeptReference[] {
  let found: Found;
  for (const [at, content] of contents.entries()) {
    for (const part of partsIn(content)) found = inPart(found, part, `contents.${at}.parts`);
  }
  found = bounded(found, 'contents');
  return addShared(found, body.cachedContent ?? body.cached_content, 'cachedContent') ?? NONE;
}

/** Images of an edit that were uploaded before. */
export function imageReferences({ images, mask }: JsonObject): readonly KeptReference[] {
  let found = addFile(undefined, mask, 'mask');
  if (Array.isArray(images)) for (const [at, image] of images.entries()) found = addFile(found, image, `images.${at}`);
  return found ?? NONE;
}

/** A file of the upstream's own store; other addresses can be read from anywhere. */
const UPLOADED = /(?:^|\/v\d\w*\/)files\/[\w-]+$/;

function inPart(found: Found, part: Json, field: string): Found {
  if (!isObject(part)) return found;
  const file = part.fileData ?? part.file_data;
  if (!isObject(file)) return found;
  const address = file.fileUri ?? file.file_uri;
  return typeof address === 'string' && UPLOADED.test(address) ? addShared(found, address, field) : found;
}

function inTurn(found: Found, turn: Json, at: number): Found {
  const content = isObject(turn) ? turn.content : undefined;
  return Array.isArray(content) ? inBlocks(found, content, `messages.${at}.content`) : found;
}

/** Blocks stand in turns, in results of tools and in documents. */
function inBlocks(found: Found, blocks: readonly Json[], field: string): Found {
  let more = found;
  for (const block of blocks) {
    if (!isObject(block)) continue;
    const { type, source, content } = block;
    if (type === 'container_upload') more = addOwnOrShared(more, block.file_id, field);
    else if (type === 'tool_result' && Array.isArray(content)) more = inBlocks(more, content, field);
    else if (isObject(source)) {
      if (source.type === 'file') more = addOwnOrShared(more, source.file_id, field);
      else if (Array.isArray(source.content)) more = inBlocks(more, source.content, field);
    }
  }
  return more;
}

/** A tool may have made it for this user or another, or an operator put it there. */
function addOwnOrShared(found: Found, id: Json | undefined, field: string): Found {
  return addShared(add(found, id, field), id, field);
}

function bounded(found: Found, field: string): Found {
  if (found !== undefined && found.length > MAX_REFERENCES) {
    refuse(field, `must have at most ${MAX_REFERENCES} entries that are named by their id alone`);
  }
  return found;
}

function add(found: Found, id: Json | undefined, field: string): Found {
  if (typeof id !== 'string' || id === '') return found;
  if (found === undefined) return [{ id, field }];
  found.push({ id, field });
  return found;
}

function addShared(found: Found, id: Json | undefined, field: string): Found {
  if (typeof id !== 'string' || id === '') return found;
  const reference = { id, field, isShared: true } as const;
  if (found === undefined) return [reference];
  found.push(reference);
  return found;
}

function inTool(found: Found, tool: Json, at: number): Found {
  if (!isObject(tool)) return found;
  const { type, container, environment } = tool;
  switch (type) {
    case 'code_interpreter':
      if (typeof container === 'string') return add(found, container, `tools.${at}.container`);
      return isObject(container) ? addFiles(found, container.file_ids, `tools.${at}.container.file_ids`) : found;
    case 'shell': {
      if (!isObject(environment)) return found;
      const field = `tools.${at}.environment`;
      return addFiles(add(found, environment.container_id, field), environment.file_ids, field);
    }
    case 'file_search':
      return addFiles(found, tool.vector_store_ids, `tools.${at}.vector_store_ids`);
    case 'image_generation':
      return addFile(found, tool.input_image_mask, `tools.${at}.input_image_mask`);
    default:
      return found;
  }
}

function inItem(found: Found, item: Json, at: number): Found {
  if (!isObject(item)) return found;
  const { content, output } = item;
  let more = found;
  for (const parts of [content, output]) {
    if (Array.isArray(parts)) for (const part of parts) more = addFile(more, part, `input.${at}`);
    else more = addFile(more, parts, `input.${at}`);
  }
  more = add(more, containerOf(item), `input.${at}`);
  return standsForKept(item) ? add(more, item.id, `input.${at}`) : more;
}

function addFile(found: Found, part: Json | undefined, field: string): Found {
  return isObject(part) ? addShared(found, part.file_id, field) : found;
}

function addFiles(found: Found, ids: Json | undefined, field: string): Found {
  return Array.isArray(ids) ? ids.reduce<Found>((list, id) => addShared(list, id, field), found) : found;
}

/** A conversation is named by its id, or by an object that has nothing else. */
function conversationOf({ conversation }: JsonObject): Json | undefined {
  return isObject(conversation) ? conversation.id : conversation;
}

/** The request, as far as its answer may be kept. */
interface KeepingRequest {
  readonly json: JsonObject;
  readonly references: readonly KeptReference[];
}

export interface KeptAnswer {
  readonly answer: KeptOfAnswer;
  readonly inspection: KeepingRequest;
  /** Of the channel that answered. */
  readonly setting: Readonly<Record<string, unknown>>;
  readonly userId: number;
}

/** True where there may be something to note after an answer, however it ended; almost always there is not. */
export function keepsAnything(answer: KeptOfAnswer, { json, references }: KeepingRequest, end: SettleReason): boolean {
  if (isObject(json.thread)) return true;
  if (answer.stored !== undefined || answer.handedOut !== undefined || references.length > 0) return true;
  // Files are told of before the container that they lie in: what broke off in between has handed them out.
  return end !== 'complete' && answer.madeFiles !== undefined;
}

/** Notes where an answer and what it worked with can be found again. */
export function noteKept(affinity: ResponseAffinity, kept: KeptAnswer, target: AffinityTarget): void {
  const { stored, handedOut } = kept.answer;
  if (stored !== undefined) affinity.keep(kept.userId, keptIds(kept, stored), target);
  const handed = new Set(kept.answer.madeFiles?.());
  if (handedOut !== undefined) handed.add(handedOut);
  const told = isObject(kept.inspection.json.thread) ? kept.answer.messageId : undefined;
  if (told !== undefined) handed.add(told);
  if (handed.size > 0) affinity.keep(kept.userId, [...handed], target);
  const shared = kept.inspection.references.filter(({ isShared }) => isShared === true);
  if (shared.length > 0) affinity.keepShared(shared, target);
}

/**
 * Ids under which the user can refer to parts of an answer, and to what it went into. Whether it is kept its upstream
 * says; one that says nothing is believed about the response, and about its items where it was let to keep them.
 */
function keptIds({ setting, inspection: { json } }: KeptAnswer, stored: StoredAnswer): readonly string[] {
  const conversation = stored.conversation ?? conversationOf(json);
  const ids = typeof conversation === 'string' ? [conversation] : [];
  // A conversation keeps what it hears, whatever becomes of the response.
  const keepsItems = ids.length > 0 || (stored.isKept ?? (setting.allow_store === true && json.store !== false));
  if (stored.isKept !== false) ids.push(stored.id);
  if (keepsItems) ids.push(...stored.itemIds());
  // Containers outlive an answer that is not stored.
  if (worksInContainers(json.tools)) ids.push(...new Set(stored.containerIds()));
  return ids;
}

function worksInContainers(tools: Json | undefined): boolean {
  return (
    Array.isArray(tools) &&
    tools.some((tool) => isObject(tool) && (tool.type === 'code_interpreter' || tool.type === 'shell'))
  );
}
