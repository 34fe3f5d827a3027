/**
 * What a request of each chat format says, read without the codecs, and what its vendor would refuse in it.
 */
import type { FormatId } from '../../../daemon/relay/format.ts';
import type { Json } from '../../../daemon/relay/json.ts';
import { at, canonicalInput, list, text } from './answer.ts';

export interface Said {
  problems: string[];
  /** Words of system, user and assistant, in order, white space aside. */
  words: string;
  calls: { name: string; input: string }[];
  /** Words of the tools' results, in order. */
  results: string;
  tools: string[];
  /** Images, documents, audio and video, counted. */
  media: number;
}

function nothing(): Said {
  return { problems: [], words: '', calls: [], results: '', tools: [], media: 0 };
}

/** Words without what formats may add or leave out between them. */
function squeeze(words: string): string {
  return words.replace(/\s+/g, '');
}

function partsOf(content: Json | undefined): Json[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : list(content);
}

function textsOf(content: Json | undefined): string {
  return squeeze(
    partsOf(content)
      .map((part) => text(at(part, 'text')) + text(at(part, 'refusal')))
      .join(''),
  );
}

function readChat(body: Json): Said {
  const said = nothing();
  const open = new Set<string>();
  for (const message of list(at(body, 'messages'))) {
    const role = text(at(message, 'role'));
    const content = at(message, 'content');
    if (role === 'tool') {
      const id = text(at(message, 'tool_call_id'));
      if (!open.delete(id)) said.problems.push(`result ${id} answers no call`);
      said.results += resultOf(textsOf(content));
    } else {
      if (open.size > 0) said.problems.push(`${role} speaks while calls ${[...open].join()} wait`);
      open.clear();
      said.words += textsOf(content);
    }
    said.media += partsOf(content).filter((part) => !['text', 'refusal'].includes(text(at(part, 'type')))).length;
    const calls = list(at(message, 'tool_calls'));
    for (const call of calls) {
      open.add(text(at(call, 'id')));
      said.calls.push({
        name: text(at(call, 'function', 'name')),
        input: canonicalInput(text(at(call, 'function', 'arguments'))),
      });
    }
    const isEmpty = content === '' || content === null || (Array.isArray(content) && content.length === 0);
    if (isEmpty && role === 'user') said.problems.push('empty user message');
    if (isEmpty && role === 'assistant' && calls.length === 0) said.problems.push('empty assistant message');
  }
  for (const tool of list(at(body, 'tools'))) {
    if (at(tool, 'type') === 'function') said.tools.push(text(at(tool, 'function', 'name')));
  }
  for (const tool of list(at(body, 'functions'))) said.tools.push(text(at(tool, 'name')));
  return said;
}

function readMessages(body: Json): Said {
  const said = nothing();
  said.words += textsOf(at(body, 'system'));
  let previous = 'assistant';
  let open: string[] = [];
  const messages = list(at(body, 'messages'));
  if (typeof at(body, 'max_tokens') !== 'number') said.problems.push('max_tokens missing');
  for (const message of messages) {
    const role = text(at(message, 'role'));
    if (role === previous) said.problems.push(`two ${role} turns`);
    previous = role;
    const blocks = partsOf(at(message, 'content'));
    if (blocks.length === 0) said.problems.push(`empty ${role} turn`);
    const results = blocks.filter((block) => at(block, 'type') === 'tool_result');
    const answered = results.map((block) => text(at(block, 'tool_use_id')));
    for (const id of open)
      if (!answered.includes(id)) said.problems.push(`call ${id} is not answered in the next turn`);
    for (const id of answered) if (!open.includes(id)) said.problems.push(`result ${id} answers no call`);
    if (blocks.slice(0, results.length).some((block) => at(block, 'type') !== 'tool_result')) {
      said.problems.push('results do not come first');
    }
    open = [];
    for (const block of blocks) readBlock(said, block, open);
  }
  for (const tool of list(at(body, 'tools'))) {
    // A dated type names a tool of the vendor.
    const type = at(tool, 'type');
    if (type === undefined || type === 'custom') said.tools.push(text(at(tool, 'name')));
  }
  return said;
}

function readBlock(said: Said, block: Json, open: string[]): void {
  switch (at(block, 'type')) {
    case 'text':
      if (text(at(block, 'text')).trim() === '') said.problems.push('blank text block');
      said.words += squeeze(text(at(block, 'text')));
      break;
    case 'tool_use':
      open.push(text(at(block, 'id')));
      if (!/^[A-Za-z0-9_-]{1,64}$/.test(text(at(block, 'id')))) said.problems.push('illegal call id');
      said.calls.push({ name: text(at(block, 'name')), input: canonicalInput(JSON.stringify(at(block, 'input'))) });
      break;
    case 'tool_result': {
      const content = partsOf(at(block, 'content')).map(inWords);
      said.results += resultOf(textsOf(content));
      said.media += content.filter((part) => at(part, 'type') !== 'text').length;
      break;
    }
    case 'image':
    case 'document':
      said.media += 1;
  }
}

/** A tool that a search has found, as other dialects are told of it. */
function inWords(part: Json): Json {
  if (at(part, 'type') !== 'tool_reference') return part;
  return { type: 'text', text: `The tool ${text(at(part, 'tool_name'))} can be called now.` };
}

function readResponses(body: Json): Said {
  const said = nothing();
  said.words += squeeze(text(at(body, 'instructions')));
  const called = new Set<string>();
  const input = at(body, 'input');
  const items: Json[] = typeof input === 'string' ? [{ role: 'user', content: input }] : list(input);
  for (const item of items) {
    const type = text(at(item, 'type')) || 'message';
    if (type === 'message') {
      said.words += textsOf(at(item, 'content'));
      said.media += countMedia(at(item, 'content'));
    } else if (type === 'function_call') {
      called.add(text(at(item, 'call_id')));
      said.calls.push({ name: text(at(item, 'name')), input: canonicalInput(text(at(item, 'arguments'))) });
    } else if (type === 'function_call_output') {
      if (!called.has(text(at(item, 'call_id')))) said.problems.push('output answers no call');
      said.results += resultOf(textsOf(at(item, 'output')));
      said.media += countMedia(at(item, 'output'));
    }
  }
  for (const tool of list(at(body, 'tools'))) {
    if (at(tool, 'type') === 'function') said.tools.push(text(at(tool, 'name')));
  }
  return said;
}

function countMedia(content: Json | undefined): number {
  return list(content).filter((part) => /image|file|audio/.test(text(at(part, 'type')))).length;
}

function readGemini(body: Json): Said {
  const said = nothing();
  for (const part of list(at(body, 'systemInstruction', 'parts'))) said.words += squeeze(text(at(part, 'text')));
  let previous = 'model';
  let waiting = 0;
  for (const content of list(at(body, 'contents'))) {
    const role = text(at(content, 'role')) || 'user';
    if (role === previous) said.problems.push(`two ${role} turns`);
    previous = role;
    const parts = list(at(content, 'parts'));
    if (parts.length === 0) said.problems.push(`empty ${role} turn`);
    const responses = parts.filter((part) => at(part, 'functionResponse') !== undefined);
    if (responses.length !== waiting) said.problems.push(`${responses.length} results for ${waiting} calls`);
    waiting = 0;
    for (const part of parts) {
      if (at(part, 'thought') === true) continue;
      said.words += squeeze(text(at(part, 'text')));
      if ((at(part, 'inlineData') ?? at(part, 'fileData')) !== undefined) said.media += 1;
      const call = at(part, 'functionCall');
      if (call !== undefined) {
        waiting += 1;
        said.calls.push({
          name: text(at(call, 'name')),
          input: canonicalInput(JSON.stringify(at(call, 'args') ?? {})),
        });
      }
      const response = at(part, 'functionResponse');
      if (response === undefined) continue;
      said.media += list(at(response, 'parts')).length;
      said.results += resultOf(squeeze(JSON.stringify(at(response, 'response') ?? null)));
    }
  }
  for (const tool of list(at(body, 'tools'))) {
    for (const declaration of list(at(tool, 'functionDeclarations'))) said.tools.push(text(at(declaration, 'name')));
  }
  return said;
}

/** The words of a result, out of the object that one wire puts them in. */
function resultOf(words: string): string {
  let value: Json;
  try {
    value = JSON.parse(words);
  } catch {
    return words.replace(/^Error:/, '');
  }
  for (const key of ['result', 'output', 'error']) {
    const inner = at(value, key);
    if (inner !== undefined) return resultOf(squeeze(typeof inner === 'string' ? inner : JSON.stringify(inner)));
  }
  return words;
}

export const requestReaders: Partial<Record<FormatId, (body: Json) => Said>> = {
  'openai-chat': readChat,
  'openai-responses': readResponses,
  'anthropic-messages': readMessages,
  'gemini-generate': readGemini,
};
