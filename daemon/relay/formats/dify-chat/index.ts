/**
 * Applications on Dify: chats, text generators and workflows, which are always asked for a stream.
 * Source: providers/dify.md, read 2026-11.
 */
import type { TollgateError, UpstreamFailure } from '../../../errors.ts';
import type { ChatEvent } from '../../canonical/chat.ts';
import { ThinkTagSplitter, type ThoughtMarks } from '../../canonical/think-tags.ts';
import type { Machine, Scope, UpstreamFormat, WireEvent } from '../../format.ts';
import type { Json, JsonObject } from '../../json.ts';
import { asNumber, asObject, asObjects, asText, asWord, inexpressible, parseJson, some } from '../fields.ts';
import {
  type ChunkReader,
  chunkOf,
  completionOf,
  errorOf,
  payloadOf,
  textOfContent,
  usageChunk,
  usageOf,
  vendorChat,
} from '../vendor-chat.ts';
import { AgentWords } from './agent-words.ts';
import { difyUploads, encodeFiles } from './files.ts';

const speakers: Readonly<Record<string, string>> = {
  system: 'SYSTEM',
  developer: 'SYSTEM',
  assistant: 'ASSISTANT',
  user: 'USER',
};

/** The whole conversation as one text, or the bare text of the only message that counts. */
function queryOf(messages: readonly JsonObject[], reach: 'all' | 'last'): string {
  const last = messages.findLast(({ role }) => role === 'user');
  if (messages.length <= 1 || reach === 'last') return textOfContent((last ?? messages[0])?.content);
  return messages
    .map(({ role, content }) => `${speakers[asWord(role) ?? ''] ?? 'USER'}: \n${textOfContent(content)}\n`)
    .join('');
}

function encode(body: JsonObject, scope: Scope): JsonObject {
  const messages = asObjects(body.messages);
  const conversation = asWord(body.conversation_id) ?? asWord(scope.ofHeaders?.conversation_id);
  const last = messages.findLast(({ role }) => role === 'user');
  const isAlone = scope.traits?.lastQuestionOnly === true;
  const instructions = isAlone ? instructionsIn(messages, scope) : {};
  const reach = isAlone || conversation !== undefined ? 'last' : 'all';
  return {
    inputs: { ...instructions, ...inputsOf(asObject(body.metadata) ?? {}, scope), ...asObject(body.inputs) },
    query: queryOf(messages, reach),
    response_mode: 'streaming',
    conversation_id: conversation ?? '',
    // Dify refuses a call without one, and lets nobody else go on with a conversation.
    user: asWord(body.user) ?? scope.endUser ?? 'tollgate',
    // Those of earlier turns it has already, or reads as little as their words.
    files: encodeFiles((reach === 'all' ? messages : some(last)).flatMap(({ content }) => asObjects(content))),
    auto_generate_name: false,
  };
}

/** What a workflow gets beside its question, as an input of its own; notes the turns that it does not read. */
function instructionsIn(messages: readonly JsonObject[], scope: Scope): JsonObject {
  const isInstruction = ({ role }: JsonObject) => role === 'system' || role === 'developer';
  const system = messages.filter(isInstruction).map(({ content }) => textOfContent(content));
  const turns = messages.length - system.length;
  if (turns > 1) scope.lose(`messages[..${turns - 1}]`);
  return system.length === 0 ? {} : { system: system.join('\n\n') };
}

/** An application's variables among the client's own pairs, whose values are objects or, as OpenAI asks, texts. */
function inputsOf({ dify_inputs: inputs, ...others }: JsonObject, scope: Scope): JsonObject {
  if (Object.keys(others).length > 0) scope.lose('metadata');
  if (inputs === undefined) return {};
  const found = asObject(typeof inputs === 'string' ? parseJson(inputs) : inputs);
  if (found === undefined) throw inexpressible('metadata.dify_inputs', 'must be an object');
  return found;
}

function readUsage(body: JsonObject): JsonObject | undefined {
  const usage = asObject(asObject(body.metadata)?.usage);
  return usage === undefined ? undefined : usageOf(usage.prompt_tokens, usage.completion_tokens);
}

/** A run tells only how much it was in all. */
function usageOfRun(run: JsonObject): JsonObject | undefined {
  const total = asNumber(run.total_tokens) ?? 0;
  return total > 0 ? { total_tokens: total } : undefined;
}

/** The conversation's own id, by which the client goes on with it; a run's where nothing is kept. */
function idOf(body: JsonObject): Json | undefined {
  return asWord(body.conversation_id) ?? body.message_id ?? body.workflow_run_id;
}

/** The text among a workflow's results. */
function outputOf(outputs: Json | undefined): string {
  const fields = asObject(outputs) ?? {};
  for (const name of ['text', 'answer', 'output', 'result']) if (typeof fields[name] === 'string') return fields[name];
  const texts = Object.values(fields).filter((value) => typeof value === 'string');
  return texts.length === 1 ? (texts[0] ?? '') : JSON.stringify(fields);
}

class DifyReader implements ChunkReader {
  #hasText = false;
  readonly #agent = new AgentWords();

  push(event: WireEvent): JsonObject[] {
    const body = payloadOf(event);
    if (body === undefined) return [];
    const known = { id: idOf(body), created: body.created_at };
    switch (body.event) {
      case 'message':
        return this.#agent.isSaid ? [] : this.#say(known, body.answer);
      case 'agent_message':
        this.#agent.say(asText(body.answer) ?? '');
        return this.#say(known, body.answer);
      case 'text_chunk':
        return this.#say(known, asObject(body.data)?.text);
      case 'text_replace':
        return this.#replace(known, asObject(body.data)?.text);
      case 'agent_thought': {
        const thought = this.#agent.newOf(body);
        return thought === '' ? [] : [chunkOf(known, { reasoning_content: thought })];
      }
      case 'message_file':
        return body.type === 'image' ? this.#say(known, `![image](${asText(body.url) ?? ''})`) : [];
      case 'message_replace':
        return this.#replace(known, body.answer);
      case 'message_end': {
        const usage = readUsage(body);
        return [chunkOf(known, {}, 'stop'), ...(usage === undefined ? [] : [usageChunk(known, usage)])];
      }
      case 'workflow_finished':
        return this.#finishWorkflow(known, asObject(body.data) ?? {}, body.message_id !== undefined);
      case 'human_input_required':
      case 'workflow_paused':
        return [errorOf('dify_human_input_required', 'the workflow waits for a person')];
      case 'error':
        return [errorOf(body.code, body.message, asNumber(body.status))];
      default:
        return [];
    }
  }

  #say(known: { id: Json | undefined; created: Json | undefined }, text: Json | undefined): JsonObject[] {
    if (typeof text !== 'string' || text === '') return [];
    this.#hasText = true;
    return [chunkOf(known, { content: text })];
  }

  /** A filter has put its own words in the place of all that was said. */
  #replace(known: { id: Json | undefined; created: Json | undefined }, text: Json | undefined): JsonObject[] {
    this.#hasText = true;
    return [chunkOf(known, { content: asText(text) ?? '' }, 'content_filter')];
  }

  /** A chat that runs a workflow ends with its message, not with the workflow. */
  #finishWorkflow(
    known: { id: Json | undefined; created: Json | undefined },
    run: JsonObject,
    isChat: boolean,
  ): JsonObject[] {
    if (run.status === 'failed') return [errorOf('workflow_failed', run.error, 400)];
    if (isChat) return [];
    const said = this.#hasText ? [] : this.#say(known, outputOf(run.outputs));
    const usage = some(usageOfRun(run)).map((total) => usageChunk(known, total));
    return [...said, chunkOf(known, {}, 'stop'), ...usage];
  }
}

function readAnswer(body: JsonObject): JsonObject {
  const run = asObject(body.data);
  if (asText(body.answer) === undefined && run === undefined) return errorOf(body.code, body.message);
  if (run?.status === 'failed') return errorOf('workflow_failed', run.error, 400);
  const content = run === undefined ? (asText(body.answer) ?? '') : outputOf(run.outputs);
  const known = { id: idOf(body), created: body.created_at };
  const usage = run === undefined ? readUsage(body) : usageOfRun(run);
  return completionOf(known, { content }, { finish: 'stop', usage });
}

const asSent = vendorChat({
  id: 'dify-chat',
  inlines: ['document', 'audio'],
  takes: ['inputs', 'conversation_id', 'metadata', 'user'],
  reads: { parts: ['image_url', 'input_audio', 'file'], members: [] },
  encode,
  uploads: difyUploads,
  answer: readAnswer,
  reader: () => new DifyReader(),
});

/** Some servers put thoughts into a part that can be folded up, and unfold it. */
const unfolded =
  '<details style="color:gray;background-color: #f8f8f8;padding: 8px;border-radius: 4px;" open> <summary> Thinking... </summary>';
const thoughts: ThoughtMarks = {
  tags: [
    ['<think>', '</think>'],
    [unfolded, '</details>'],
  ],
};

/** Applications write the thoughts of their models into the text. */
export const difyChat: UpstreamFormat = {
  ...asSent,
  decodeStream: (scope) => new ThoughtfulStream(asSent.decodeStream(scope)),
};

class ThoughtfulStream implements Machine<WireEvent, ChatEvent> {
  readonly #inner: Machine<WireEvent, ChatEvent>;
  readonly #splitter = new ThinkTagSplitter(thoughts);

  constructor(inner: Machine<WireEvent, ChatEvent>) {
    this.#inner = inner;
  }

  push(event: WireEvent): ChatEvent[] {
    return this.#split(this.#inner.push(event));
  }

  end(): ChatEvent[] {
    return this.#split(this.#inner.end());
  }

  fail(error: TollgateError | UpstreamFailure): ChatEvent[] {
    return this.#split(this.#inner.fail(error));
  }

  #split(events: readonly ChatEvent[]): ChatEvent[] {
    return events.flatMap((event) => this.#splitter.push(event));
  }
}
