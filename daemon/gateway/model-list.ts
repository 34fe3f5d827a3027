/** Model lists in the three shapes that clients expect (relay.md 5.1). Free, not logged, answered from memory. */
import { priceBookOf } from '../domain/pricing.ts';
import { TollgateError } from '../errors.ts';
import type { Json } from '../relay/json.ts';
import { providerOf } from '../relay/providers/index.ts';
import type { Snapshot } from '../snapshots/snapshots.ts';
import { type Caller, groupsOf } from './authenticate.ts';
import type { Endpoint } from './exchange.ts';
import { listedPrice } from './listed-price.ts';
import { modelBehind } from './model-aliases.ts';

/** Which vendor's shape to answer in. */
export type ListShape = 'openai' | 'anthropic' | 'gemini';

/** Where a page of a list begins and how long it is; undefined means the vendor's default. */
export interface ListPage {
  readonly limit?: number;
  readonly afterId?: string;
  readonly beforeId?: string;
  /** Google's token, as an earlier answer gave it. */
  readonly pageToken?: string;
}

/** A fixed moment long ago: consoles sort by it, and it must not change between calls. */
const CREATED = 1_626_777_600;
const CREATED_TEXT = '2021-07-20T10:40:00Z';
const MAX_PAGE = 1000;

const PERMISSION: Json = {
  id: 'modelperm-tollgate',
  object: 'model_permission',
  created: CREATED,
  allow_create_engine: true,
  allow_sampling: true,
  allow_logprobs: true,
  allow_search_indices: false,
  allow_view: true,
  allow_fine_tuning: false,
  organization: '*',
  group: null,
  is_blocking: false,
};

/** Names this caller may use, sorted. */
function modelsFor(view: Snapshot, caller: Caller): string[] {
  const offered = new Set(groupsOf(view, caller).flatMap((group) => view.channels.modelsOf(group)));
  const names = new Set([...offered, ...(caller.aliases?.keys() ?? [])]);
  return [...names].filter(isListedFor(view, caller, (model) => offered.has(model))).sort();
}

/**
 * Tells whether this caller may use a name: that of a model, prefix included, which is offered to the group, within the
 * key's limits and priced, or the key's own for such a model.
 * @param isOffered whether a channel of the caller's groups lists this very name
 */
function isListedFor(view: Snapshot, caller: Caller, isOffered: (model: string) => boolean): (name: string) => boolean {
  const { aliases, allowedModels: limits } = caller;
  const book = priceBookOf(view.options);
  const unpriced = acceptsUnpriced(view, caller);
  const groups = groupsOf(view, caller);
  const isAvailable = (model: string) => {
    if (!isOffered(model) || (limits !== undefined && !limits.has(model))) return false;
    if (unpriced) return true;
    const offering = groups.flatMap((group) => view.channels.candidates(group, model));
    return listedPrice(book, { model, priceEnding: undefined }, offering) !== undefined;
  };
  if (aliases === undefined) return isAvailable;
  return (name) => {
    const model = modelBehind(name, aliases);
    if (name === '*' || !isAvailable(model)) return false;
    return model === name || aliases.has(name) || isAvailable(name);
  };
}

/**
 * True when this caller may use models without a price (relay.md 15.2). No wish of a user's is enough for tasks: they have
 * no tokens to be charged by.
 */
export function acceptsUnpriced(
  view: Snapshot,
  caller: Pick<Caller, 'user'> | undefined,
  endpoint?: Pick<Endpoint, 'capability'>,
): boolean {
  if (view.options.get('SelfUseModeEnabled')) return true;
  return endpoint?.capability !== 'tasks' && caller !== undefined && userAccepts(caller.user.setting);
}

function userAccepts(setting: string | null): boolean {
  // Nearly every user has no such wish: the text is only parsed when it names one.
  if (setting === null || !setting.includes('accept_unset_model_ratio_model')) return false;
  try {
    const parsed: unknown = JSON.parse(setting);
    return (
      typeof parsed === 'object' && parsed !== null && Reflect.get(parsed, 'accept_unset_model_ratio_model') === true
    );
  } catch {
    // A setting that cannot be read grants nothing.
    return false;
  }
}

function ownerOf(view: Snapshot, caller: Caller, model: string): string {
  for (const group of groupsOf(view, caller)) {
    const first = view.channels.candidates(group, model)[0];
    if (first !== undefined) return providerOf(first.channel.record.type)?.owner ?? 'custom';
  }
  return 'custom';
}

function openaiModel(view: Snapshot, caller: Caller, name: string): Json {
  const model = modelBehind(name, caller.aliases);
  return {
    id: name,
    object: 'model',
    created: CREATED,
    owned_by: ownerOf(view, caller, model),
    permission: [PERMISSION],
    root: name,
    parent: null,
    supported_endpoint_types: endpointTypes(view, caller, model),
  };
}

function endpointTypes(view: Snapshot, caller: Caller, model: string): string[] {
  const types = new Set<string>();
  for (const group of groupsOf(view, caller)) {
    for (const { channel } of view.channels.candidates(group, model)) {
      const speaks = providerOf(channel.record.type)?.speaks ?? {};
      for (const formats of Object.values(speaks)) for (const format of formats) types.add(endpointType(format));
    }
  }
  return [...types].sort();
}

/** Short words that consoles know: `openai`, `anthropic`, `gemini`, else the format's own name. */
function endpointType(format: string): string {
  if (format === 'openai-chat') return 'openai';
  if (format === 'anthropic-messages') return 'anthropic';
  return format === 'gemini-generate' ? 'gemini' : format;
}

function anthropicModel(name: string): Json {
  return { type: 'model', id: name, display_name: name, created_at: CREATED_TEXT };
}

function geminiModel(name: string): Json {
  return {
    name: `models/${name}`,
    baseModelId: name,
    version: '001',
    displayName: name,
    inputTokenLimit: 1_048_576,
    outputTokenLimit: 65_536,
    supportedGenerationMethods: ['generateContent', 'countTokens'],
  };
}

/** The whole list, or the page of it that the vendor's own parameters ask for. */
export function listModels(view: Snapshot, caller: Caller, wanted: { shape: ListShape; page: ListPage }): Json {
  const names = modelsFor(view, caller);
  const { shape, page } = wanted;
  if (shape === 'openai') {
    return { success: true, object: 'list', data: names.map((name) => openaiModel(view, caller, name)) };
  }
  const size = Math.min(MAX_PAGE, Math.max(1, page.limit ?? MAX_PAGE));
  if (shape === 'gemini') {
    const start = Math.max(0, Number(page.pageToken ?? 0) || 0);
    const shown = names.slice(start, start + size);
    const models = shown.map(geminiModel);
    return start + size < names.length ? { models, nextPageToken: String(start + size) } : { models };
  }
  const after = page.afterId === undefined ? 0 : names.indexOf(page.afterId) + 1;
  const before = page.beforeId === undefined ? names.length : names.indexOf(page.beforeId);
  const range = names.slice(after, before < 0 ? names.length : before);
  const shown = page.beforeId === undefined ? range.slice(0, size) : range.slice(-size);
  return {
    data: shown.map(anthropicModel),
    has_more: shown.length < range.length,
    first_id: shown[0] ?? null,
    last_id: shown.at(-1) ?? null,
  };
}

/** One model. Throws `model_not_found`. */
export function getModel(view: Snapshot, caller: Caller, wanted: { shape: ListShape; model: string }): Json {
  const name = wanted.model.replace(/^models\//, '');
  const groups = groupsOf(view, caller);
  const isOffered = (wantedName: string) => groups.some((group) => view.channels.modelsOf(group).includes(wantedName));
  if (!isListedFor(view, caller, isOffered)(name)) {
    throw new TollgateError('model_unknown', { model: name }, { field: 'model' });
  }
  if (wanted.shape === 'anthropic') return anthropicModel(name);
  return wanted.shape === 'gemini' ? geminiModel(name) : openaiModel(view, caller, name);
}
