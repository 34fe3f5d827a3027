/** Step 3 for forms: read as they arrive, their fields checked like the members of a body. */
import { TollgateError } from '../errors.ts';
import { AudioMeter } from '../relay/audio/audio-meter.ts';
import type { AudioFacts } from '../relay/audio/length.ts';
import type { Deadlines } from '../upstream/deadlines.ts';
import type { Caller } from './authenticate.ts';
import { RECORDING } from './check-audio.ts';
import { refuse } from './check-calls.ts';
import { checkRequest } from './check-request.ts';
import type { Exchange } from './exchange.ts';
import { discardForm, type Form, isForm, readForm } from './form.ts';
import { membersOf } from './form-body.ts';
import type { Gates } from './gates.ts';
import { type Inspection, readModel } from './inspect.ts';
import { modelBehind } from './model-aliases.ts';

export interface FormConfig {
  /** All parts of a form together. */
  readonly maxBytes: number;
  readonly maxImageBytes: number;
  readonly maxAudioBytes: number;
  /** Where large files wait for their request's end. */
  readonly folder: string;
}

export interface FormInspectorDeps extends FormConfig {
  /** Counts what all bodies have in memory. */
  readonly room: Pick<Gates, 'hold'>;
  readonly deadlines: Deadlines;
  readonly idleMs: number;
  readonly totalMs: number;
}

const NO_BODY = Buffer.alloc(0);

/** True where the client sent a form to a path that takes one. */
export function sendsForm({ endpoint, request }: Exchange): boolean {
  return endpoint.form !== undefined && isForm(request);
}

/** The form as a request. Throws what `readForm` and `checkRequest` throw. */
export async function inspectForm(deps: FormInspectorDeps, exchange: Exchange, caller: Caller): Promise<Inspection> {
  const { endpoint } = exchange;
  const { idleMs, totalMs, maxBytes, room, deadlines, folder } = deps;
  const maxFileBytes = endpoint.form === 'audio' ? deps.maxAudioBytes : deps.maxImageBytes;
  const meter = endpoint.form === 'audio' ? new AudioMeter('file') : undefined;
  const form = await readForm(exchange, {
    limits: { maxBytes, maxFileBytes, idleMs, totalMs },
    room,
    deadlines,
    folder,
    // Files of other names are nothing that is heard: what stands in one would be billed in place of the recording.
    seen: (chunk, name) => (name === RECORDING ? meter?.push(chunk) : undefined),
  });
  try {
    return inspected(exchange, { form, caller, audio: meter?.facts() });
  } catch (error) {
    await discardForm(form);
    throw error;
  }
}

/** Fields that decide route, price, delivery or what is let through: of two, an upstream might read the other. */
const SINGLE = ['model', 'n', 'size', 'quality', 'stream', 'response_format', 'prompt', 'negative_prompt'];
/** Files that upstreams read. */
const READ_FILES = new Set([RECORDING, 'image', 'image[]', 'mask']);

/** Refuses what would be read here in one way and by an upstream in another, and files that hold nothing. */
function refuseUnclear({ parts }: Form): void {
  for (const name of SINGLE) {
    const found = parts.filter((part) => part.name === name || part.name === `${name}[]`);
    if (found.length > 1) refuse(name, 'is repeated');
    if (found[0]?.kind === 'file') refuse(name, 'must be a string');
  }
  for (const part of parts) {
    if (part.kind === 'file' && READ_FILES.has(part.name) && part.content.size === 0) {
      refuse(part.name, 'must not be an empty file');
    }
  }
}

function inspected(
  exchange: Exchange,
  { form, caller, audio }: { form: Form; caller: Caller; audio: AudioFacts | undefined },
): Inspection {
  refuseUnclear(form);
  const json = membersOf(form);
  const askedModel = readModel(exchange, json, caller);
  const model = modelBehind(askedModel, caller.aliases);
  const wishes = checkRequest(exchange.endpoint, json, { model, form });
  return { ...wishes, body: NO_BODY, repeatsMembers: false, json, askedModel, model, form, audio };
}

/** A path that takes nothing but forms was sent something else. */
export function refuseOther(exchange: Exchange): void {
  if (exchange.endpoint.form !== 'audio') return;
  throw new TollgateError('invalid_request', { reason: 'the body must be multipart/form-data' });
}
