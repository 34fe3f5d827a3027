/**
 * A generateContent body as the canonical request. Model and streaming stand in the path on this wire: the gateway
 * gives them as members `model` and `stream` of the body, or sets them on the result.
 */
import type {
  ChatItem,
  ChatRequest,
  ChatTool,
  HostedToolKind,
  OutputFormat,
  ReasoningControl,
  Sampling,
  ToolChoice,
  WebSearchOptions,
} from '../../canonical/chat.ts';
import type { Json, JsonObject } from '../../json.ts';
import {
  asFlag,
  asNumber,
  asObject,
  asText,
  asTexts,
  asWord,
  entryOf,
  invalid,
  onlyObjects,
  present,
  remainder,
} from '../fields.ts';
import { unread, wordRead } from '../unread.ts';
import { decodeDomains, ownOfSearch } from '../web-search.ts';
import { ContentReader, decodePart } from './decode-contents.ts';
import { toJsonSchema } from './schema.ts';
import { camelKeys, everyPartIn, knownCalling, knownConfig, knownFields, knownFunctionFields } from './wire.ts';

/** Throws `invalid_request` with the field that is missing or of the wrong type. */
export function decodeRequest(body: Json): ChatRequest {
  if (asObject(body) === undefined) throw invalid('body', 'must be a JSON object');
  const fields = camelKeys(body);
  const contents = Array.isArray(fields.contents) ? fields.contents : undefined;
  if (contents === undefined || contents.length === 0) throw invalid('contents', 'must be a non-empty array');
  const config = camelKeys(fields.generationConfig);
  const rest = remainder(fields, knownFields);
  const sampling = decodeSampling(config);
  const restConfig = { ...remainder(config, knownConfig), ...unread(config, readOf(config, sampling)) };
  const { functionCallingConfig, ...restChoice } = camelKeys(fields.toolConfig);
  const calling = camelKeys(functionCallingConfig);
  const toolChoice = decodeToolChoice(calling);
  const restCalling = { ...remainder(calling, knownCalling), ...unread(calling, { mode: toolChoice }) };
  if (Object.keys(restCalling).length > 0) restChoice.functionCallingConfig = restCalling;
  if (Object.keys(restChoice).length > 0) rest.toolConfig = restChoice;
  if (Object.keys(restConfig).length > 0) rest.generationConfig = restConfig;
  const tools = decodeTools(fields.tools);
  const reader = new ContentReader();
  const stop = asTexts(config.stopSequences);
  const cached = asWord(fields.cachedContent);
  return present({
    dialect: 'gemini-generate',
    model: (asWord(fields.model) ?? '').replace(/^models\//, ''),
    items: [
      ...decodeSystem(fields.systemInstruction),
      ...contents.flatMap((entry, at) => reader.read(entry, `contents[${at}]`)),
    ],
    stream: fields.stream === true,
    streamUsage: true,
    tools,
    toolChoice,
    maxTokens: asNumber(config.maxOutputTokens),
    sampling,
    stop: stop.length === 0 ? undefined : stop,
    n: asNumber(config.candidateCount),
    output: decodeOutputFormat(config),
    reasoning: decodeReasoning(config.thinkingConfig),
    modalities: Array.isArray(config.responseModalities)
      ? asTexts(config.responseModalities).map((word) => word.toLowerCase())
      : undefined,
    audio: decodeVoice(config.speechConfig),
    webSearch: decodeWebSearch(tools),
    stored: cached === undefined ? undefined : { cachedContent: cached },
    extensions: Object.keys(rest).length > 0 ? { 'gemini-generate': rest } : {},
  });
}

/** A number; the vendor's protocol buffers take one in quotes as well. */
function protoNumber(value: Json | undefined): number | undefined {
  if (typeof value !== 'string' || value.trim() === '') return asNumber(value);
  const number = Number(value);
  return Number.isFinite(number) ? number : undefined;
}

function decodeSampling(config: JsonObject): Sampling {
  return present({
    temperature: protoNumber(config.temperature),
    topP: protoNumber(config.topP),
    topK: protoNumber(config.topK),
    seed: protoNumber(config.seed),
    presencePenalty: protoNumber(config.presencePenalty),
    frequencyPenalty: protoNumber(config.frequencyPenalty),
    logprobs: asFlag(config.responseLogprobs),
    topLogprobs: protoNumber(config.logprobs),
  });
}

/** What was made of each member of the configuration, by its wire name. */
function readOf(config: JsonObject, sampling: Sampling): Record<string, unknown> {
  return {
    temperature: sampling.temperature,
    topP: sampling.topP,
    topK: sampling.topK,
    seed: sampling.seed,
    presencePenalty: sampling.presencePenalty,
    frequencyPenalty: sampling.frequencyPenalty,
    responseLogprobs: sampling.logprobs,
    logprobs: sampling.topLogprobs,
    // A choice among words is more than a schema of text.
    responseMimeType: wordRead(config.responseMimeType, ['application/json', 'text/plain']),
    responseSchema: asObject(config.responseSchema),
    responseJsonSchema: asObject(config.responseJsonSchema),
    responseModalities: Array.isArray(config.responseModalities) ? true : undefined,
    speechConfig: decodeVoice(config.speechConfig),
    thinkingConfig: asObject(config.thinkingConfig),
  };
}

/** The voice of an answer; undefined where more is said of it than its name, for which other dialects have no word. */
function decodeVoice(value: Json | undefined): ChatRequest['audio'] {
  const { voiceConfig, ...more } = camelKeys(value);
  const { prebuiltVoiceConfig, ...others } = camelKeys(voiceConfig);
  const voice = asWord(camelKeys(prebuiltVoiceConfig).voiceName);
  const isAll = Object.keys(more).length === 0 && Object.keys(others).length === 0;
  return voice !== undefined && isAll ? { voice } : undefined;
}

function decodeSystem(value: Json | undefined): ChatItem[] {
  if (value === undefined || value === null) return [];
  const parts = typeof value === 'string' ? [{ text: value }] : everyPartIn(value, 'systemInstruction').map(camelKeys);
  const decoded = parts.flatMap((part) => decodePart(part, 'systemInstruction') ?? []);
  return decoded.length === 0 ? [] : [{ type: 'system', role: 'system', parts: decoded, apart: true }];
}

const hostedKinds: Readonly<Record<string, HostedToolKind>> = {
  googleSearch: 'web-search',
  googleSearchRetrieval: 'web-search',
  enterpriseWebSearch: 'web-search',
  codeExecution: 'code-execution',
  urlContext: 'web-fetch',
  googleMaps: 'maps',
  fileSearch: 'file-search',
  computerUse: 'computer-use',
};

/** Each entry holds function declarations, built-in tools by name, or both. */
function decodeTools(value: Json | undefined): ChatTool[] {
  return onlyObjects(value, 'tools').flatMap((entry, at) => {
    const tool = camelKeys(entry);
    const functions = onlyObjects(tool.functionDeclarations, `tools[${at}].functionDeclarations`);
    const tools: ChatTool[] = functions.map((declaration) => decodeFunction(camelKeys(declaration)));
    for (const name in tool) {
      const settings = tool[name];
      if (name === 'functionDeclarations' || settings === undefined) continue;
      const hosted = entryOf(hostedKinds, name) ?? 'other';
      tools.push({ kind: 'hosted', hosted, dialect: 'gemini-generate', name, settings: { [name]: settings } });
    }
    return tools;
  });
}

/** Its search has no knobs that others know but the hosts to leave out, and that on Vertex alone. */
function decodeWebSearch(tools: readonly ChatTool[]): WebSearchOptions | undefined {
  const tool = tools.find((entry) => entry.kind === 'hosted' && entry.hosted === 'web-search');
  if (tool?.kind !== 'hosted') return undefined;
  const settings = camelKeys(tool.settings[tool.name]);
  return present({
    blockedDomains: decodeDomains(settings.excludeDomains),
    own: ownOfSearch(settings, ['excludeDomains']),
  });
}

function decodeFunction(declaration: JsonObject): ChatTool {
  const name = asWord(declaration.name);
  if (name === undefined) throw invalid('tools.functionDeclarations.name', 'is required');
  const schema = asObject(declaration.parameters);
  const plain = asObject(declaration.parametersJsonSchema);
  const rest = remainder(declaration, knownFunctionFields);
  return present({
    kind: 'function',
    name,
    description: asText(declaration.description),
    parameters: plain ?? (schema === undefined ? undefined : toJsonSchema(schema)),
    extensions: Object.keys(rest).length > 0 ? { 'gemini-generate': rest } : undefined,
  });
}

function decodeToolChoice(config: JsonObject): ToolChoice | undefined {
  const names = asTexts(config.allowedFunctionNames);
  const some = names.length === 0 ? {} : { names };
  switch (asText(config.mode)?.toUpperCase()) {
    case 'AUTO':
    case 'VALIDATED':
      return { mode: 'auto', ...some };
    case 'NONE':
      return { mode: 'none' };
    case 'ANY':
      return { mode: 'required', ...some };
    default:
      return undefined;
  }
}

function decodeOutputFormat(config: JsonObject): OutputFormat | undefined {
  const schema = asObject(config.responseSchema);
  const plain = asObject(config.responseJsonSchema);
  if (plain !== undefined) return { kind: 'json-schema', schema: plain };
  if (schema !== undefined) return { kind: 'json-schema', schema: toJsonSchema(schema), strict: false };
  return config.responseMimeType === 'application/json' ? { kind: 'json-object' } : undefined;
}

function decodeReasoning(value: Json | undefined): ReasoningControl | undefined {
  if (asObject(value) === undefined) return undefined;
  const thinking = camelKeys(value);
  const level = asText(thinking.thinkingLevel)?.toLowerCase();
  const budget = protoNumber(thinking.thinkingBudget);
  return present({
    mode: budget === 0 ? ('disabled' as const) : undefined,
    effort: level === 'minimal' || level === 'low' || level === 'medium' || level === 'high' ? level : effortOf(budget),
    // -1 leaves it to the model.
    budgetTokens: budget === undefined || budget < 0 ? undefined : budget,
    show: asFlag(thinking.includeThoughts),
    raw: { dialect: 'gemini-generate' as const, value: thinking },
  });
}

/** The effort that a budget of this vendor comes to (relay.md 13.4). */
function effortOf(budget: number | undefined): 'none' | 'low' | 'medium' | 'high' | undefined {
  if (budget === undefined || budget < 0) return undefined;
  if (budget === 0) return 'none';
  if (budget <= 1024) return 'low';
  return budget <= 8192 ? 'medium' : 'high';
}
