/**
 * Takes a request apart into what is counted: texts, media, and the fixed frame around them (relay.md 14.3). Reads
 * each wire's body as the client sent it; whatever has another shape counts nothing.
 */
import type { FormatId } from '../format.ts';
import { asList, asObject, asObjects, asText } from '../formats/fields.ts';
import { partsIn } from '../formats/gemini-generate/wire.ts';
import { wordsToAgent } from '../formats/openai-responses/wire.ts';
import { isObject, type Json, type JsonObject } from '../json.ts';
import { audioPartTokens } from './audio-tokens.ts';
import { sizeOfDataUrl } from './image-size.ts';
import type { PromptImage } from './image-tokens.ts';

export interface PromptParts {
  /** Everything that a tokenizer must see. */
  readonly texts: string[];
  readonly images: PromptImage[];
  /** Tokens that do not depend on any text: separators, media by count, inputs that came as token ids. */
  fixed: number;
}

const perMessage = 3;
const perName = 1;
const perRequest = 3;
const perToolList = 8;
const perVideo = 8192;
const perFile = 4096;
const perAnthropicMessage = 2;
const perAnthropicTool = 3;

type Reader = (body: JsonObject, parts: PromptParts) => void;

const readers: Partial<Record<FormatId, Reader>> = {
  'openai-chat': readChat,
  'openai-responses': readResponses,
  'openai-responses-compact': readResponses,
  'anthropic-messages': readAnthropic,
  'openai-completions': (body, parts) => readInput(body.prompt, parts),
  'openai-edits': (body, parts) => addText(parts, body.instruction, body.input),
  'openai-embeddings': (body, parts) => readInput(body.input, parts),
  // Images are looked at and counted by nobody.
  'openai-moderations': ({ input }, parts) => {
    for (const entry of Array.isArray(input) ? input : [input ?? '']) addText(parts, asObject(entry)?.text ?? entry);
  },
  'gemini-generate': readGemini,
  'gemini-embeddings': (body, parts) => {
    for (const request of [body, ...asObjects(body.requests)]) readGeminiContent(request.content, parts);
  },
  'openai-images': (body, parts) => addText(parts, body.prompt),
  'openai-image-edits': (body, parts) => addText(parts, body.prompt),
  'openai-image-variations': (body, parts) => addText(parts, body.prompt),
  'openai-speech': (body, parts) => addText(parts, body.input, body.instructions),
  'openai-transcription': (body, parts) => addText(parts, body.prompt),
  'openai-translation': (body, parts) => addText(parts, body.prompt),
  'gemini-predict': (body, parts) => {
    for (const instance of asObjects(body.instances)) addText(parts, instance.prompt);
  },
  rerank: (body, parts) => {
    addText(parts, body.query);
    for (const document of asList(body.documents)) readAnything(document, parts);
  },
};

/** Parts of a request; of a format without a reader, all its text. */
export function readPrompt(format: FormatId, body: JsonObject): PromptParts {
  const parts: PromptParts = { texts: [], images: [], fixed: 0 };
  const read = readers[format];
  if (read === undefined) readAnything(body, parts);
  else read(body, parts);
  return parts;
}

function addText(parts: PromptParts, ...values: (Json | undefined)[]): void {
  for (const value of values) if (typeof value === 'string' && value !== '') parts.texts.push(value);
}

/** A text, a list of texts or token ids, or lists of token ids. */
function readInput(input: Json | undefined, parts: PromptParts): void {
  if (typeof input === 'string') addText(parts, input);
  else if (typeof input === 'number') parts.fixed += 1;
  else if (Array.isArray(input)) for (const entry of input) readInput(entry, parts);
  else readContent(input === undefined ? [] : [input], parts);
}

function readChat(body: JsonObject, parts: PromptParts): void {
  parts.fixed += perRequest;
  for (const message of asObjects(body.messages)) {
    parts.fixed += perMessage;
    addText(parts, message.role, message.name, message.reasoning_content, message.refusal);
    if (typeof message.name === 'string') parts.fixed += perName;
    readContent(message.content, parts);
    for (const call of [...asObjects(message.tool_calls), asObject(message.function_call)]) {
      const named = asObject(call?.function) ?? asObject(call?.custom) ?? call;
      addText(parts, named?.name, named?.arguments, named?.input);
    }
  }
  readTools([...asObjects(body.tools), ...asObjects(body.functions)], parts);
}

/** A text, or parts of every dialect: their `type` says enough. */
function readContent(content: Json | undefined, parts: PromptParts): void {
  if (typeof content === 'string') addText(parts, content);
  for (const part of asObjects(content)) readPart(part, parts);
}

function readPart(part: JsonObject, parts: PromptParts): void {
  switch (part.type) {
    case 'image_url':
    case 'input_image': {
      const image = asObject(part.image_url);
      addImage(asText(part.image_url) ?? asText(image?.url), asText(image?.detail) ?? asText(part.detail), parts);
      break;
    }
    case 'image': {
      const source = asObject(part.source);
      const isInline = source?.type === 'base64';
      addImage(isInline ? `data:;base64,${asText(source.data) ?? ''}` : asText(source?.url), undefined, parts);
      break;
    }
    case 'input_audio':
    case 'audio': {
      const sound = asObject(part.input_audio) ?? part;
      parts.fixed += audioPartTokens(asText(sound.data) ?? asText(part.input_audio));
      break;
    }
    case 'encrypted_content':
      addText(parts, wordsToAgent(part));
      break;
    case 'video_url':
    case 'input_video':
      parts.fixed += perVideo;
      break;
    case 'file':
    case 'input_file':
    case 'document':
      parts.fixed += perFile;
      break;
    case 'tool_use':
    case 'server_tool_use':
    case 'mcp_tool_use':
      addText(parts, part.name, JSON.stringify(part.input ?? {}));
      break;
    case 'tool_result':
    case 'mcp_tool_result':
      readContent(part.content, parts);
      break;
    case 'search_result':
      addText(parts, part.title);
      readContent(part.content, parts);
      break;
    default:
      // What a shell said has no type.
      addText(parts, part.text, part.thinking, part.refusal, part.stdout, part.stderr);
  }
}

function addJson(parts: PromptParts, value: Json | undefined): void {
  if (isObject(value)) parts.texts.push(JSON.stringify(value));
}

function addImage(url: string | undefined, detail: string | undefined, parts: PromptParts): void {
  const size = url === undefined ? undefined : sizeOfDataUrl(url);
  const isRemote = url !== undefined && /^https?:/i.test(url);
  parts.images.push({ size, detail, ...(isRemote ? { url } : {}) });
}

function readTools(tools: readonly JsonObject[], parts: PromptParts): void {
  if (tools.length > 0) parts.fixed += perToolList;
  for (const tool of tools) {
    const own = asObject(tool.function) ?? asObject(tool.custom) ?? tool;
    addText(parts, own.name, own.description);
    addJson(parts, own.parameters ?? own.input_schema ?? own.parametersJsonSchema ?? own.parameters_json_schema);
    addJson(parts, own.format);
  }
}

function readResponses(body: JsonObject, parts: PromptParts): void {
  parts.fixed += perRequest;
  addText(parts, body.instructions);
  if (typeof body.input === 'string') {
    parts.fixed += perMessage;
    addText(parts, body.input);
  }
  for (const item of asObjects(body.input)) {
    parts.fixed += perMessage;
    addText(parts, item.role, item.name, item.arguments, item.input);
    addJson(parts, item.action ?? item.operation);
    readContent(item.content, parts);
    readContent(item.output, parts);
    for (const summary of asObjects(item.summary)) addText(parts, summary.text);
  }
  // Tools may come among the items, too, and by several in a namespace: the newest Codex gives all of its own so.
  const lists = [body, ...asObjects(body.input)].flatMap(({ tools }) => asObjects(tools));
  readTools(
    lists.flatMap((tool) => [tool, ...(tool.type === 'namespace' ? asObjects(tool.tools) : [])]),
    parts,
  );
}

function readAnthropic(body: JsonObject, parts: PromptParts): void {
  readContent(body.system, parts);
  for (const message of asObjects(body.messages)) {
    parts.fixed += perAnthropicMessage;
    readContent(message.content, parts);
  }
  const tools = asObjects(body.tools);
  readTools(tools, parts);
  parts.fixed += perAnthropicTool * tools.length - (tools.length > 0 ? perToolList : 0);
}

function readGemini(body: JsonObject, parts: PromptParts): void {
  const asked = asObject(body.generateContentRequest) ?? asObject(body.generate_content_request) ?? body;
  const system = asked.systemInstruction ?? asked.system_instruction;
  addText(parts, system);
  readGeminiContent(system, parts);
  for (const content of asObjects(asked.contents)) readGeminiContent(content, parts);
  const declared = asObjects(asked.tools).flatMap((tool) =>
    asObjects(tool.functionDeclarations ?? tool.function_declarations),
  );
  readTools(declared, parts);
}

function readGeminiContent(content: Json | undefined, parts: PromptParts): void {
  for (const part of partsIn(content)) {
    addText(parts, part.text);
    const call = asObject(part.functionCall) ?? asObject(part.function_call);
    if (call !== undefined) addText(parts, call.name, JSON.stringify(call.args ?? {}));
    const result = asObject(part.functionResponse) ?? asObject(part.function_response);
    if (result !== undefined) addText(parts, result.name, JSON.stringify(result.response ?? {}));
    // Pictures that a function answers with stand inside its answer.
    if (result !== undefined) readGeminiContent(result, parts);
    const code = asObject(part.executableCode) ?? asObject(part.executable_code);
    const ran = asObject(part.codeExecutionResult) ?? asObject(part.code_execution_result);
    addText(parts, code?.code, ran?.output);
    readGeminiMedium(asObject(part.inlineData) ?? asObject(part.inline_data), parts);
    readGeminiMedium(asObject(part.fileData) ?? asObject(part.file_data), parts);
  }
}

function readGeminiMedium(medium: JsonObject | undefined, parts: PromptParts): void {
  if (medium === undefined) return;
  const type = asText(medium.mimeType) ?? asText(medium.mime_type) ?? '';
  const data = asText(medium.data);
  const address = asText(medium.fileUri) ?? asText(medium.file_uri);
  if (type.startsWith('image/')) addImage(data ? `data:${type};base64,${data}` : address, undefined, parts);
  else if (type.startsWith('audio/')) parts.fixed += audioPartTokens(data);
  else if (type.startsWith('video/')) parts.fixed += perVideo;
  else parts.fixed += perFile;
}

/** Texts wherever they stand, without member names and without files. */
function readAnything(value: Json, parts: PromptParts): void {
  if (typeof value === 'string') {
    if (!value.startsWith('data:')) addText(parts, value);
  } else if (Array.isArray(value)) {
    for (const entry of asList(value)) readAnything(entry, parts);
  } else if (isObject(value)) {
    for (const entry of Object.values(value)) readAnything(entry, parts);
  }
}
