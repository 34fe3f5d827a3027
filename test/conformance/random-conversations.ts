/**
 * Conversations by chance, and the facts in them: every word, picture and file has a name of its own, so that what a
 * conversion loses, doubles or moves can be told.
 */
import * as fc from 'fast-check';
import type {
  ChatItem,
  ChatRequest,
  ContentPart,
  CustomTool,
  Dialect,
  FunctionTool,
  OutputFormat,
  ToolChoice,
} from '../../daemon/relay/canonical/chat.ts';

/** What a conversation may hold that not every pair of dialects can say: names of the request probes. */
export const features = [
  'cache marks',
  'failed tool results',
  'function tools',
  'image by address',
  'image, inline',
  'images in tool results',
  'name of a file',
  'parallel tool calls and their results',
  'PDF, inline',
  'reasoning of an earlier turn, unsigned',
  'strict tools',
  'system prompt',
  'text beside tool calls',
  'text document',
] as const;
export type Feature = (typeof features)[number];

/** One thing that a conversation says. */
export interface Fact {
  readonly what: string;
  readonly feature: Feature;
  /** Fields under which its loss may be noted. */
  readonly note: RegExp;
}

type Piece = 'text' | 'image' | 'address' | 'pdf' | 'document';

interface UserTurn {
  readonly kind: 'user';
  readonly pieces: readonly { readonly piece: Piece; readonly isMarked: boolean }[];
}

interface Call {
  readonly result: 'text' | 'texts' | 'json' | 'image' | 'mixed' | 'file' | 'failed' | 'empty';
  readonly isMarked: boolean;
  /** Its id has letters that not every vendor takes. */
  readonly isOdd: boolean;
}

interface ModelTurn {
  readonly kind: 'model';
  readonly thought: 'none' | 'unsigned' | 'own' | 'of-target';
  readonly words: number;
  readonly calls: readonly Call[];
  /** The order in which the results stand. */
  readonly order: readonly number[];
  /** Something is said between the calls and their results. */
  readonly isInterrupted: boolean;
}

/** Names with dots are changed for some vendors and changed back; free text is a function's one argument elsewhere. */
type ToolSketch = 'plain' | 'dotted' | 'strict' | 'free' | 'marked';

export interface Sketch {
  readonly system: number;
  readonly turns: readonly (UserTurn | ModelTurn)[];
  readonly tools: readonly ToolSketch[];
  readonly choice: 'open' | 'none' | 'required' | 'one';
  readonly output: 'open' | 'object' | 'schema';
}

const pieces: fc.Arbitrary<Piece> = fc.constantFrom('text', 'text', 'image', 'address', 'pdf', 'document');
const mark = fc.integer({ min: 0, max: 5 }).map((chance) => chance === 0);
const userTurn: fc.Arbitrary<UserTurn> = fc.record({
  kind: fc.constant('user'),
  pieces: fc.array(fc.record({ piece: pieces, isMarked: mark }), { minLength: 1, maxLength: 3 }),
});
const call: fc.Arbitrary<Call> = fc.record({
  result: fc.constantFrom('text', 'texts', 'json', 'image', 'mixed', 'file', 'failed', 'empty'),
  isMarked: mark,
  isOdd: mark,
});
const modelTurn: fc.Arbitrary<ModelTurn> = fc.record({
  kind: fc.constant('model'),
  thought: fc.constantFrom('none', 'none', 'unsigned', 'own', 'of-target'),
  words: fc.integer({ min: 0, max: 2 }),
  calls: fc.array(call, { maxLength: 3 }),
  order: fc.shuffledSubarray([0, 1, 2], { minLength: 3, maxLength: 3 }),
  isInterrupted: mark,
});

export const sketches: fc.Arbitrary<Sketch> = fc.record({
  system: fc.integer({ min: 0, max: 2 }),
  turns: fc.array(fc.oneof(userTurn, modelTurn), { minLength: 1, maxLength: 6 }),
  tools: fc.array(fc.constantFrom('plain', 'plain', 'dotted', 'strict', 'free', 'marked'), {
    minLength: 1,
    maxLength: 3,
  }),
  choice: fc.constantFrom('open', 'open', 'none', 'required', 'one'),
  output: fc.constantFrom('open', 'open', 'object', 'schema'),
});

/** The conversation of a sketch; `owner` and `target` seal thoughts. */
export function requestOf(sketch: Sketch, owner: Dialect, target: Dialect): ChatRequest {
  let count = 0;
  const word = () => `w${count++}w`;
  const items: ChatItem[] = [];
  for (let at = 0; at < sketch.system; at += 1) {
    items.push({ type: 'system', role: 'system', parts: [{ type: 'text', text: word() }], apart: true });
  }
  const tools = sketch.tools.map((kind, at) => toolOf(kind, at, word));
  const toolAt = (at: number) => tools[at % tools.length] ?? toolOf('plain', at, word);
  for (const turn of sketch.turns) {
    if (turn.kind === 'user') items.push({ type: 'user', parts: turn.pieces.map((piece) => partOf(piece, word)) });
    else items.push(...modelItems(turn, { owner, target, word, toolAt }));
  }
  // A conversation is asked something in the end.
  items.push({ type: 'user', parts: [{ type: 'text', text: word() }] });
  const request: ChatRequest = {
    dialect: owner,
    model: 'asked-model',
    items,
    stream: false,
    streamUsage: true,
    tools,
    sampling: {},
    extensions: {},
    maxTokens: 4000,
  };
  const output = outputOf(sketch, word);
  return {
    ...request,
    ...(sketch.choice === 'open' ? {} : { toolChoice: choiceOf(sketch.choice, toolAt(0)) }),
    ...(output === undefined ? {} : { output }),
  };
}

function toolOf(kind: ToolSketch, at: number, word: () => string): FunctionTool | CustomTool {
  const name = kind === 'dotted' ? `tool.${at}` : `tool_${at}`;
  const description = word();
  if (kind === 'free') return { kind: 'custom', name, description };
  const parameters = { type: 'object', properties: { [word()]: { type: 'string', description: word() } } };
  const strict = kind === 'strict' ? { strict: true } : {};
  return { kind: 'function', name, description, parameters, ...strict, ...(kind === 'marked' ? { cache: {} } : {}) };
}

function choiceOf(choice: 'none' | 'required' | 'one', { name }: { readonly name: string }): ToolChoice {
  return choice === 'one' ? { mode: 'required', names: [name] } : { mode: choice };
}

function outputOf({ output }: Sketch, word: () => string): OutputFormat | undefined {
  if (output === 'open') return undefined;
  if (output === 'object') return { kind: 'json-object' };
  const schema = { type: 'object', properties: { [word()]: { type: 'string' } } };
  return { kind: 'json-schema', name: 'output', schema };
}

const base64 = (text: string) => Buffer.from(text.padEnd(9, '.')).toString('base64');

function partOf({ piece, isMarked }: UserTurn['pieces'][number], word: () => string): ContentPart {
  const cache = isMarked ? { cache: {} } : {};
  switch (piece) {
    case 'text':
      return { type: 'text', text: word(), ...cache };
    case 'image':
      return { type: 'image', source: { kind: 'inline', mediaType: 'image/png', data: base64(word()) }, ...cache };
    case 'address':
      return { type: 'image', source: { kind: 'url', url: `https://example.com/${word()}.png` }, ...cache };
    case 'pdf': {
      const source = { kind: 'inline', mediaType: 'application/pdf', data: base64(word()) } as const;
      return { type: 'document', source, title: `${word()}.pdf`, ...cache };
    }
    case 'document':
      return { type: 'document', source: { kind: 'text', text: word() }, title: `${word()}.txt`, ...cache };
  }
}

interface Telling {
  readonly owner: Dialect;
  readonly target: Dialect;
  readonly word: () => string;
  readonly toolAt: (at: number) => FunctionTool | CustomTool;
}

function modelItems(turn: ModelTurn, { owner, target, word, toolAt }: Telling): ChatItem[] {
  const items: ChatItem[] = [];
  if (turn.thought !== 'none') {
    const origin = turn.thought === 'own' ? owner : target;
    const sealed = turn.thought === 'unsigned' ? {} : { seal: { origin, data: base64(word()) } };
    items.push({ type: 'reasoning', texts: [word()], form: 'full', ...sealed });
  }
  for (let at = 0; at < turn.words; at += 1) {
    items.push({ type: 'assistant', parts: [{ type: 'text', text: word() }] });
  }
  const calls = turn.calls.map(({ isOdd }, at) => {
    const { kind, name } = toolAt(at);
    return { kind, callId: isOdd ? `call:${word()}/é` : `call_${word()}`, name };
  });
  for (const call of calls) {
    const input = call.kind === 'custom' ? `do ${word()}` : JSON.stringify({ at: word() });
    items.push({ type: 'tool-call', ...call, input });
  }
  if (turn.isInterrupted && calls.length > 0) items.push({ type: 'user', parts: [{ type: 'text', text: word() }] });
  for (const at of turn.order) {
    const made = calls[at];
    const { result, isMarked } = turn.calls[at] ?? {};
    if (made === undefined || result === undefined) continue;
    items.push({
      type: 'tool-result',
      ...made,
      parts: resultParts(result, word),
      ...(result === 'failed' ? { isError: true } : {}),
      ...(isMarked === true ? { cache: {} } : {}),
    });
  }
  return items;
}

function resultParts(result: Call['result'], word: () => string): ContentPart[] {
  const image = (): ContentPart => ({
    type: 'image',
    source: { kind: 'inline', mediaType: 'image/png', data: base64(word()) },
  });
  switch (result) {
    case 'empty':
      return [];
    case 'image':
      return [image()];
    case 'texts':
      return [
        { type: 'text', text: word() },
        { type: 'text', text: word() },
      ];
    case 'mixed':
      return [{ type: 'text', text: word() }, image()];
    case 'file': {
      const source = { kind: 'inline', mediaType: 'application/pdf', data: base64(word()) } as const;
      return [{ type: 'document', source, title: `${word()}.pdf` }];
    }
    case 'json':
      return [{ type: 'text', text: JSON.stringify({ found: word(), list: [word()] }) }];
    default:
      return [{ type: 'text', text: word() }];
  }
}

const never = /(?!)/;

/** All that a conversation says, in its order. */
export function factsOf(request: ChatRequest): Fact[] {
  const inputs = new Map<string, string>();
  const facts: Fact[] = [];
  const tell = (what: string, feature: Feature, note = never) => facts.push({ what, feature, note });
  for (const item of request.items) {
    switch (item.type) {
      case 'system':
        for (const found of words(textIn(item.parts))) tell(`system ${found}`, 'system prompt');
        break;
      case 'user':
        for (const part of item.parts) tellPart(part, 'user', tell);
        break;
      case 'assistant':
        for (const part of item.parts) tellPart(part, 'model', tell);
        break;
      case 'reasoning': {
        const sealed = item.seal === undefined ? '' : ` sealed ${item.seal.origin} ${item.seal.data}`;
        for (const found of words(item.texts.join(' '))) {
          tell(`thought ${found}${sealed}`, 'reasoning of an earlier turn, unsigned', /^reasoning$/);
        }
        break;
      }
      case 'tool-call': {
        const [input = ''] = words(item.input);
        inputs.set(item.callId, input);
        tell(`call ${input}`, 'parallel tool calls and their results');
        break;
      }
      case 'tool-result': {
        const caller = inputs.get(item.callId) ?? 'nobody';
        for (const found of words(textIn(item.parts))) {
          tell(`result of ${caller}: ${found}`, 'parallel tool calls and their results');
        }
        tell(`result of ${caller}`, 'parallel tool calls and their results');
        for (const part of item.parts) {
          if (part.type === 'image') tell(`image ${placeOf(part)}`, 'images in tool results');
          if (part.type === 'document') tellPart(part, 'result', tell);
        }
        if (item.isError === true) tell(`failure of ${caller}`, 'failed tool results');
        if (item.cache !== undefined) tell(`mark on result of ${caller}`, 'cache marks', /cache_control/);
        break;
      }
      case 'hosted':
        tell(`hosted ${item.name}`, 'function tools');
    }
  }
  for (const tool of request.tools) {
    if (tool.kind !== 'function' && tool.kind !== 'custom') continue;
    const [about = ''] = words(tool.description ?? '');
    tell(`tool ${about}`, 'function tools');
    if (tool.kind === 'custom') continue;
    const parameters = JSON.stringify(tool.parameters ?? {});
    if (words(parameters).length > 0) tell(`arguments of ${about}: ${parameters}`, 'function tools');
    if (tool.strict === true) tell(`strictness of ${about}`, 'strict tools', /tools\.strict/);
    if (tool.cache !== undefined) tell(`mark on tool ${about}`, 'cache marks', /tools\.cache_control/);
  }
  return facts;
}

function tellPart(part: ContentPart, by: string, tell: (what: string, feature: Feature, note?: RegExp) => void): void {
  const [first = ''] = [...(part.type === 'text' ? words(part.text) : []), placeOf(part)];
  if ('cache' in part && part.cache !== undefined) tell(`mark on ${first}`, 'cache marks', /cache_control/);
  switch (part.type) {
    case 'text':
      for (const found of words(part.text)) tell(`${by} ${found}`, 'text beside tool calls');
      break;
    case 'image':
      tell(`image ${placeOf(part)}`, part.source.kind === 'url' ? 'image by address' : 'image, inline');
      break;
    case 'document': {
      // Other dialects have no text documents: theirs is the user's text, under its title.
      if (part.source.kind === 'text') {
        for (const found of words(`${part.title} ${placeOf(part)}`)) tell(`${by} ${found}`, 'text document');
        break;
      }
      tell(`file ${placeOf(part)}`, 'PDF, inline');
      for (const found of words(part.title ?? '')) tell(`name ${found}`, 'name of a file', /^document\.title$/);
      break;
    }
    default:
      break;
  }
}

function placeOf(part: ContentPart): string {
  if (!('source' in part)) return '';
  const { source } = part;
  switch (source.kind) {
    case 'inline':
      return source.data;
    case 'url':
      return source.url;
    case 'text':
      return source.text;
    case 'file-id':
      return source.id;
  }
}

function textIn(parts: readonly ContentPart[]): string {
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join(' ');
}

function words(text: string): string[] {
  return text.match(/w\d+w/g) ?? [];
}
