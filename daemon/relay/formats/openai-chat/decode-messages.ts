/**
 * Messages of the chat wire as conversation items.
 */
import { argumentsText } from '../../canonical/arguments.ts';
import type {
  Annotation,
  CacheMark,
  ChatItem,
  ContentPart,
  ReasoningItem,
  ToolCallItem,
} from '../../canonical/chat.ts';
import { OpenCalls } from '../../canonical/open-calls.ts';
import { unwrapSeal } from '../../canonical/seal.ts';
import type { Json, JsonObject } from '../../json.ts';
import { decodeRedacted } from '../anthropic-messages/decode-blocks.ts';
import { readCacheMark } from '../cache-mark.ts';
import { asList, asNumber, asObject, asObjects, asText, asWord, invalid, present } from '../fields.ts';
import { formatOfAudioType, sourceOfUrl, typeOfAudioFormat, typeOfFileName } from '../media.ts';
import { mediaTypeOf } from '../media-type.ts';
import { ownMembers } from '../own-members.ts';
import { decodeAnswerImages, placeImages } from './answer-images.ts';
import { decodeThoughtSignature } from './thought-signature.ts';
import { ownMediaMembers, ownPartMembers, ownTurnMembers } from './wire.ts';

/** Reads a whole conversation. Throws `invalid_request` with the path of the message at fault. */
export function decodeMessages(messages: readonly Json[]): ChatItem[] {
  const items: ChatItem[] = [];
  const open = new OpenCalls();
  messages.forEach((entry, at) => {
    const message = asObject(entry);
    const path = `messages[${at}]`;
    if (message === undefined) throw invalid(path, 'must be an object');
    switch (message.role ?? 'user') {
      case 'system':
      case 'developer':
        items.push({
          type: 'system',
          role: message.role === 'developer' ? 'developer' : 'system',
          parts: decodeContent(message, path),
        });
        break;
      case 'user':
        items.push(present({ type: 'user', parts: decodeContent(message, path), name: asWord(message.name) }));
        break;
      case 'assistant':
        for (const item of decodeAssistant(message, path, `call_${at}`)) {
          items.push(item);
          if (item.type === 'tool-call') open.add(item, ['', `id ${item.callId}`, `name ${item.name}`]);
        }
        break;
      case 'tool':
      case 'function': {
        const name = asWord(message.name);
        const id = asWord(message.tool_call_id);
        // By its id, else the first of its name, else the first at all.
        const call = open.take(id === undefined ? (name === undefined ? '' : `name ${name}`) : `id ${id}`);
        const callId = id ?? call?.callId ?? name;
        if (callId === undefined) throw invalid(`${path}.tool_call_id`, 'is missing, and no call waits for a result');
        const cache = readCacheMark(message.cache_control);
        const parts = decodeContent({ ...message, cache_control: null }, path);
        items.push(present({ type: 'tool-result', kind: call?.kind ?? 'function', callId, name, parts, cache }));
        break;
      }
      default:
        throw invalid(`${path}.role`, 'must be system, developer, user, assistant, tool or function');
    }
  });
  return items;
}

/**
 * What an assistant message holds, in the order in which the model produced it: reasoning, text, calls.
 * Also reads the `message` of an answer. `spareId` names calls that came without an id.
 */
export function decodeAssistant(message: JsonObject, path: string, spareId: string): (ChatItem & ReasonedItem)[] {
  const items: (ChatItem & ReasonedItem)[] = [...decodeReasoning(message)];
  const parts = placeImages(decodeContent(message, path, items), decodeAnswerImages(message));
  const refusal = asWord(message.refusal);
  if (refusal !== undefined) parts.push({ type: 'refusal', text: refusal });
  annotate(parts, message);
  const audio = decodeAudioAnswer(asObject(message.audio));
  if (audio !== undefined) parts.push(audio);
  if (parts.length > 0) {
    const extensions = ownMembers(
      message,
      'openai-chat',
      ownTurnMembers.filter((member) => message[member] !== false),
    );
    items.push(present({ type: 'assistant', parts, name: asWord(message.name), extensions }));
  }
  asObjects(message.tool_calls).forEach((call, at) => {
    items.push(decodeCall(call, path, `${spareId}_${at}`));
  });
  const legacy = asObject(message.function_call);
  const legacyName = asWord(legacy?.name);
  if (legacyName !== undefined) {
    const input = argumentsText(legacy?.arguments) ?? '';
    items.push({ type: 'tool-call', kind: 'function', callId: spareId, name: legacyName, input });
  }
  return items;
}

type ReasonedItem = { readonly type: 'assistant' | 'reasoning' | 'tool-call' };

function decodeCall(call: JsonObject, path: string, spareId: string): ToolCallItem {
  const custom = asObject(call.custom);
  const spoken = custom ?? asObject(call.function);
  const name = asWord(spoken?.name);
  if (spoken === undefined || name === undefined) throw invalid(`${path}.tool_calls`, 'a call needs a name');
  return present({
    type: 'tool-call',
    kind: custom === undefined ? 'function' : 'custom',
    // Servers that number calls only by position leave the id out.
    callId: asWord(call.id) ?? spareId,
    name,
    input: (custom === undefined ? argumentsText(spoken.arguments) : asText(spoken.input)) ?? '',
    seal: decodeThoughtSignature(call),
    cache: readCacheMark(call.cache_control),
  });
}

/** Signed blocks where the message has them, between what only its plain reasoning text says. */
function decodeReasoning(message: JsonObject): ReasoningItem[] {
  const plain = asWord(message.reasoning_content) ?? asWord(message.reasoning);
  const blocks = asObjects(message.thinking_blocks);
  if (blocks.length === 0) {
    if (plain !== undefined) return [{ type: 'reasoning', texts: [plain], form: 'full' }];
    return decodeDetails(asObjects(message.reasoning_details));
  }
  const shown = blocks.filter((block) => block.type !== 'redacted_thinking');
  const items = blocks.map((block): ReasoningItem => {
    if (block.type === 'redacted_thinking') {
      return { type: 'reasoning', texts: [], form: 'full', seal: decodeRedacted(block) };
    }
    // A client that joined the deltas of a stream holds the text beside the block and not in it.
    const thought = asText(block.thinking) ?? (shown.length === 1 ? plain : undefined);
    const signature = asWord(block.signature);
    return present({
      type: 'reasoning' as const,
      texts: thought === undefined ? [] : [thought],
      form: 'full' as const,
      seal: signature === undefined ? undefined : unwrapSeal(signature, 'anthropic-messages'),
    });
  });
  return plain === undefined ? items : withUnsigned(items, plain);
}

/**
 * One thought of the `reasoning_details` of OpenRouter and MiniMax. What is encrypted among them only their hosts can read, so
 * that a thought of nothing else has no words here. Source: their pages on reasoning, read 2026-11.
 */
function decodeDetails(details: readonly JsonObject[]): ReasoningItem[] {
  if (details.length === 0) return [];
  const text = details.map((detail) => asText(detail.text) ?? asText(detail.summary) ?? '').join('');
  return [{ type: 'reasoning', texts: text === '' ? [] : [text], form: 'full' }];
}

/** The blocks amid the rest of the text that they are part of; alone, where it does not have their words in order. */
function withUnsigned(blocks: readonly ReasoningItem[], plain: string): ReasoningItem[] {
  const items: ReasoningItem[] = [];
  const add = (text: string) => {
    if (text.trim() !== '') items.push({ type: 'reasoning', texts: [text], form: 'full' });
  };
  let rest = plain;
  for (const block of blocks) {
    const [thought = ''] = block.texts;
    const at = rest.indexOf(thought);
    // Blocks without their words: nobody can tell which are theirs.
    if (at < 0 || (thought === '' && block.seal?.redacted !== true)) return [...blocks];
    add(rest.slice(0, at));
    items.push(block);
    rest = rest.slice(at + thought.length);
  }
  add(rest);
  return items;
}

/** `content` as parts. Reasoning that Mistral writes among the parts is put to `reasoning` where that is given. */
function decodeContent(message: JsonObject, path: string, reasoning: (ChatItem & ReasonedItem)[] = []): ContentPart[] {
  const { content } = message;
  const mark = readCacheMark(message.cache_control);
  const seal = decodeThoughtSignature(message);
  if (typeof content === 'string') {
    return content === '' ? [] : [withMark(present({ type: 'text', text: content, seal }), mark)];
  }
  if (content === undefined || content === null) return [];
  if (!Array.isArray(content)) throw invalid(`${path}.content`, 'must be a string or an array');
  const parts: ContentPart[] = [];
  content.forEach((entry, at) => {
    if (typeof entry === 'string') {
      parts.push({ type: 'text', text: entry });
      return;
    }
    const part = asObject(entry);
    if (part === undefined) throw invalid(`${path}.content[${at}]`, 'must be an object');
    if (part.type === 'thinking') {
      const thought = readThinkingPart(part);
      if (thought !== '') reasoning.push({ type: 'reasoning', texts: [thought], form: 'full' });
      return;
    }
    const decoded = decodePart(part, `${path}.content[${at}]`);
    if (decoded !== undefined) parts.push(withOwn(withMark(decoded, readCacheMark(part.cache_control)), part));
  });
  const last = parts.pop();
  if (last !== undefined) parts.push(withMark(last, mark));
  const end = parts.at(-1);
  if (seal !== undefined && end?.type === 'text') parts[parts.length - 1] = { ...end, seal };
  return parts;
}

/** Mistral writes `{type:'thinking', thinking:[{type:'text',text}]}`. Source: its API reference, read 2026-08. */
export function readThinkingPart(part: JsonObject): string {
  if (typeof part.thinking === 'string') return part.thinking;
  return asObjects(part.thinking)
    .map((piece) => asText(piece.text) ?? '')
    .join('');
}

function withMark(part: ContentPart, cache: CacheMark | undefined): ContentPart {
  if (cache === undefined || part.type === 'refusal' || part.type === 'foreign') return part;
  return { ...part, cache };
}

/** The part with what stands beside its content. */
function withOwn(decoded: ContentPart, part: JsonObject): ContentPart {
  const medium = asObject(part.video_url) ?? asObject(part.image_url);
  const extensions =
    medium === undefined
      ? ownMembers(part, 'openai-chat', ownPartMembers)
      : ownMembers({ ...medium, ...part }, 'openai-chat', [...ownPartMembers, ...ownMediaMembers]);
  if (extensions === undefined || decoded.type === 'refusal' || decoded.type === 'foreign') return decoded;
  return { ...decoded, extensions };
}

function decodePart(part: JsonObject, path: string): ContentPart | undefined {
  switch (part.type) {
    case 'text':
    case 'input_text':
    case 'output_text': {
      const text = asText(part.text) ?? '';
      return text === '' ? undefined : { type: 'text', text };
    }
    case 'refusal':
      return { type: 'refusal', text: asText(part.refusal) ?? '' };
    case 'image_url':
    case 'input_image': {
      const holder = asObject(part.image_url);
      const url = asWord(holder?.url) ?? asWord(part.image_url);
      if (url === undefined) throw invalid(`${path}.image_url`, 'needs a url');
      return present({ type: 'image', source: sourceOfUrl(url), detail: asWord(holder?.detail ?? part.detail) });
    }
    case 'input_audio': {
      const holder = asObject(part.input_audio);
      // Mistral writes the data, or an address, in place of the object.
      const data = asWord(holder?.data) ?? asWord(part.input_audio);
      if (data === undefined) throw invalid(`${path}.input_audio.data`, 'is missing');
      const source = sourceOfUrl(data);
      if (source.kind === 'inline') return { type: 'audio', source, format: formatOfAudioType(source.mediaType) };
      const format = asWord(holder?.format) ?? 'wav';
      if (/^https?:/.test(data)) return { type: 'audio', source, format };
      return { type: 'audio', source: { kind: 'inline', mediaType: typeOfAudioFormat(format), data }, format };
    }
    case 'video_url': {
      const url = asWord(asObject(part.video_url)?.url) ?? asWord(part.video_url);
      if (url === undefined) throw invalid(`${path}.video_url`, 'needs a url');
      return { type: 'video', source: sourceOfUrl(url) };
    }
    case 'file':
    case 'input_file':
      return decodeFile(asObject(part.file) ?? part, path);
    case 'tool_use':
    case 'tool_result':
      throw invalid(path, `${part.type} is a block of the Messages API: send it to /v1/messages`);
    default:
      return { type: 'foreign', dialect: 'openai-chat', name: asText(part.type) ?? 'unknown', raw: part };
  }
}

function decodeFile(file: JsonObject, path: string): ContentPart {
  const title = asWord(file.filename);
  const detail = asWord(file.detail);
  const id = asWord(file.file_id);
  if (id !== undefined) {
    return present({ type: 'document', source: { kind: 'file-id', id, owner: 'openai-chat' }, title, detail });
  }
  const data = asWord(file.file_data) ?? asWord(file.file_url);
  if (data === undefined) throw invalid(`${path}.file`, 'needs file_data or file_id');
  const source = sourceOfUrl(data);
  if (source.kind === 'inline' || /^https?:/.test(data)) return present({ type: 'document', source, title, detail });
  const mediaType = typeOfFileName(title) ?? 'application/pdf';
  return present({ type: 'document', source: { kind: 'inline', mediaType, data }, title, detail });
}

function decodeAudioAnswer(audio: JsonObject | undefined): ContentPart | undefined {
  if (audio === undefined) return undefined;
  const data = asText(audio.data) ?? '';
  // The answer does not repeat the container that the request asked for.
  const head = { bytes: Buffer.from(data.slice(0, 24), 'base64'), contentType: '', name: '' };
  return present({
    type: 'audio',
    source: { kind: 'inline', mediaType: mediaTypeOf(head), data },
    transcript: asWord(audio.transcript),
    id: asWord(audio.id),
    expiresAt: asNumber(audio.expires_at),
  });
}

/** Annotations stand beside the content; they belong to its text. */
function annotate(parts: ContentPart[], message: JsonObject): void {
  const annotations = asList(message.annotations).flatMap((entry) => decodeAnnotation(entry) ?? []);
  const at = parts.findIndex((part) => part.type === 'text');
  const part = parts[at];
  if (annotations.length > 0 && part?.type === 'text') parts[at] = { ...part, annotations };
}

/** `{type:'url_citation', url_citation:{...}}`; other kinds are kept for this dialect alone. */
export function decodeAnnotation(entry: Json): Annotation | undefined {
  const annotation = asObject(entry);
  if (annotation === undefined) return undefined;
  const raw = { dialect: 'openai-chat' as const, value: annotation };
  const citation = asObject(annotation.url_citation);
  const url = asWord(citation?.url);
  if (citation === undefined || url === undefined) return { kind: 'other', raw };
  return present({
    kind: 'url',
    url,
    title: asWord(citation.title),
    start: asNumber(citation.start_index),
    end: asNumber(citation.end_index),
    citedText: asWord(citation.content),
    raw,
  });
}
