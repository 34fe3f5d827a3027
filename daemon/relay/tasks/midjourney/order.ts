/** What a client asks the drawing proxy to do: checked as far as its clients rely on it, and as it goes on (relay.md 8.2). */
import { asList, asObject, asText, asWord } from '../../formats/fields.ts';
import type { Json, JsonObject } from '../../json.ts';
import { oneSpelling } from '../one-spelling.ts';
import { readButton } from './custom-id.ts';

/** The paths below `/mj` that begin a task or go on with one. */
export const drawingKinds = [
  'imagine',
  'blend',
  'describe',
  'shorten',
  'change',
  'simple-change',
  'action',
  'modal',
  'upload-discord-images',
  'edits',
  'video',
  'swap',
] as const;
export type DrawingKind = (typeof drawingKinds)[number];

export interface DrawingWish {
  readonly kind: DrawingKind;
  /** IMAGINE, UPSCALE, ...: decides model and price. */
  readonly action: string;
  /** The task that it goes on with; undefined for one that begins. */
  readonly parentId: string | undefined;
}

/** The published word for what is wrong with a request. */
export interface DrawingRefusal {
  readonly refusal: string;
  readonly details?: string;
}

/** What the operator lets through to the upstream. */
export interface ForwardRules {
  readonly accountFilter: 'kept' | 'removed';
  /** Of the path's prefix: FAST, TURBO, RELAX. */
  readonly mode: string | undefined;
  /** The site's own hook; undefined: none may be named. */
  readonly notifyHook: string | undefined;
  readonly modeFlags: 'kept' | 'cut';
}

const CHANGES: ReadonlySet<string> = new Set(['UPSCALE', 'VARIATION', 'REROLL']);
const SIMPLE_CHANGE = /^(\S+) +(?:([UV])([1-4])|(R))$/i;
const MODE_FLAGS = /--(?:fast|relax|turbo)/g;
const MODES: ReadonlyMap<string, string> = new Map([
  ['mj-fast', 'FAST'],
  ['mj-turbo', 'TURBO'],
  ['mj-relax', 'RELAX'],
]);

/** The speed that a path's prefix names; undefined for any other prefix. */
export function modeOf(prefix: string | undefined): string | undefined {
  return prefix === undefined ? undefined : MODES.get(prefix);
}

/** Where the upstream takes it, below `/mj`. */
export function operationOf(kind: DrawingKind): string {
  return kind === 'swap' ? 'insight-face/swap' : `submit/${kind}`;
}

/** The body by whose members a request is judged, without others that its upstream might take for them. */
export const drawingBody = oneSpelling([
  'prompt',
  'taskId',
  'task_id',
  'action',
  'index',
  'content',
  'customId',
  'accountFilter',
  'notifyHook',
]);

/** Reads a request. Everything that is not checked here is the upstream's to judge. */
export function readDrawing(kind: DrawingKind, body: JsonObject): DrawingWish | DrawingRefusal {
  switch (kind) {
    case 'imagine':
    case 'shorten':
    case 'edits':
      return isBlank(body.prompt) ? { refusal: 'prompt_is_required' } : begins(kind);
    case 'blend': {
      const { length } = asList(body.base64Array);
      if (length >= 2 && length <= 5) return begins(kind);
      return { refusal: 'bind_request_body_failed', details: 'base64Array must hold 2 to 5 images' };
    }
    case 'describe':
      if (!isBlank(body.base64) || !isBlank(body.link)) return begins(kind);
      return { refusal: 'bind_request_body_failed', details: 'base64 or link is required' };
    case 'upload-discord-images':
      if (asList(body.base64Array).length > 0) return { kind, action: 'UPLOAD', parentId: undefined };
      return { refusal: 'bind_request_body_failed', details: 'base64Array is required' };
    case 'swap':
      if (!isBlank(body.sourceBase64) && !isBlank(body.targetBase64)) {
        return { kind, action: 'SWAP_FACE', parentId: undefined };
      }
      return { refusal: 'sour_base64_and_target_base64_is_required' };
    case 'video': {
      // Either may be the one that its upstream goes by.
      const ids = [body.taskId, body.task_id].filter((id) => id !== undefined && id !== null && id !== '');
      const parentId = idOf(ids[0]);
      if (ids.some((id) => idOf(id) === undefined || idOf(id) !== parentId)) {
        return { refusal: 'task_id_is_required', details: 'as one text' };
      }
      if (parentId === undefined && isBlank(body.prompt) && isBlank(body.image)) {
        return { refusal: 'prompt_is_required' };
      }
      return { kind, action: 'VIDEO', parentId };
    }
    case 'change':
      return readChange(body);
    case 'simple-change':
      return readSimpleChange(body);
    case 'action':
      return readAction(body);
    case 'modal': {
      const parentId = idOf(body.taskId);
      return parentId === undefined ? { refusal: 'task_id_is_required' } : { kind, action: 'MODAL', parentId };
    }
  }
}

/** The request as it goes on: everything that is not the operator's business stays as it is. */
export function forwarded(body: JsonObject, wish: DrawingWish, rules: ForwardRules): JsonObject {
  const { accountFilter, notifyHook: _, ...rest } = body;
  const sent: JsonObject = rest;
  const isKept = rules.accountFilter === 'kept' && asObject(accountFilter) !== undefined;
  if (isKept && accountFilter !== undefined) sent.accountFilter = accountFilter;
  // A task that goes on stays with the account that has it.
  else if (rules.mode !== undefined && wish.parentId === undefined) sent.accountFilter = { modes: [rules.mode] };
  if (rules.notifyHook !== undefined) sent.notifyHook = rules.notifyHook;
  if (rules.modeFlags === 'cut' && typeof sent.prompt === 'string') sent.prompt = sent.prompt.replace(MODE_FLAGS, '');
  return sent;
}

function begins(kind: 'imagine' | 'shorten' | 'edits' | 'blend' | 'describe'): DrawingWish {
  return { kind, action: kind.toUpperCase(), parentId: undefined };
}

function readChange(body: JsonObject): DrawingWish | DrawingRefusal {
  const parentId = idOf(body.taskId);
  if (parentId === undefined) return { refusal: 'task_id_is_required' };
  const action = asWord(body.action)?.toUpperCase();
  if (action === undefined) return { refusal: 'action_is_required' };
  if (!CHANGES.has(action)) return { refusal: 'unknown_relay_action', details: action };
  if (action !== 'REROLL') {
    const { index } = body;
    if (index === undefined || index === null || index === 0) return { refusal: 'index_is_required' };
    if (!/^[1-4]$/.test(String(index))) return { refusal: 'index_parse_failed' };
  }
  return { kind: 'change', action, parentId };
}

function readSimpleChange(body: JsonObject): DrawingWish | DrawingRefusal {
  const content = asText(body.content)?.trim() ?? '';
  if (content === '') return { refusal: 'content_is_required' };
  const [, parentId, letter] = SIMPLE_CHANGE.exec(content) ?? [];
  if (parentId === undefined) return { refusal: 'content_parse_failed' };
  const action = letter === undefined ? 'REROLL' : letter.toUpperCase() === 'U' ? 'UPSCALE' : 'VARIATION';
  return { kind: 'simple-change', action, parentId };
}

function readAction(body: JsonObject): DrawingWish | DrawingRefusal {
  const parentId = idOf(body.taskId);
  if (parentId === undefined) return { refusal: 'task_id_is_required' };
  const customId = asWord(body.customId);
  if (customId === undefined) return { refusal: 'custom_id_is_required' };
  const button = readButton(customId);
  return 'refusal' in button ? button : { kind: 'action', action: button.action, parentId };
}

/** Ids are digits, and too long for a number: they are texts on both sides. */
function idOf(value: Json | undefined): string | undefined {
  const text = asText(value)?.trim();
  return text === '' ? undefined : text;
}

function isBlank(value: Json | undefined): boolean {
  return (asText(value)?.trim() ?? '') === '';
}
