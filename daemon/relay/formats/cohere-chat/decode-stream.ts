/** Cohere's stream events as chunks of chat completions. */
import type { WireEvent } from '../../format.ts';
import type { Json, JsonObject } from '../../json.ts';
import { asObject, asWord } from '../fields.ts';
import { type ChunkReader, chunkOf, errorOf, payloadOf, usageChunk } from '../vendor-chat.ts';
import { finishOf, readLogprobs, readUsage } from './decode-answer.ts';

export class CohereReader implements ChunkReader {
  #id: Json | undefined;
  /** Calls begun so far: text and calls have counters of their own on this wire. */
  #calls = 0;

  push(event: WireEvent): JsonObject[] {
    const body = payloadOf(event);
    if (body === undefined) return [];
    const delta = asObject(body.delta);
    const message = asObject(delta?.message);
    switch (body.type ?? event.event) {
      case 'message-start':
        this.#id = body.id;
        return [this.#chunk({ role: 'assistant' })];
      case 'content-start':
      case 'content-delta':
        return this.#content(asObject(message?.content), body.logprobs);
      case 'tool-plan-delta':
        return this.#say('reasoning_content', message?.tool_plan);
      case 'tool-call-start':
        this.#calls += 1;
        return this.#call(asObject(message?.tool_calls));
      case 'tool-call-delta':
        return this.#call(asObject(message?.tool_calls));
      case 'message-end':
        return this.#end(delta ?? {});
      default:
        // A refusal may stand where the stream was due.
        return body.type === undefined && asWord(body.message) !== undefined ? [errorOf(undefined, body.message)] : [];
    }
  }

  #content(content: JsonObject | undefined, odds: Json | undefined): JsonObject[] {
    const said = this.#say('content', content?.text);
    const logprobs = said.length === 0 || odds === undefined ? undefined : readLogprobs([odds]);
    if (logprobs !== undefined) said.push({ choices: [{ index: 0, delta: {}, finish_reason: null, logprobs }] });
    return [...this.#say('reasoning_content', content?.thinking), ...said];
  }

  #say(member: string, text: Json | undefined): JsonObject[] {
    return typeof text === 'string' && text !== '' ? [this.#chunk({ [member]: text })] : [];
  }

  #call(call: JsonObject | undefined): JsonObject[] {
    return call === undefined ? [] : [this.#chunk({ tool_calls: [{ ...call, index: this.#calls - 1 }] })];
  }

  #end(delta: JsonObject): JsonObject[] {
    const finish = finishOf(delta.finish_reason);
    if (delta.error !== undefined || finish === undefined) {
      return [errorOf(delta.finish_reason, delta.error ?? 'the answer failed', 502)];
    }
    const usage = readUsage(delta.usage);
    const known = { id: this.#id };
    return [chunkOf(known, {}, finish), ...(usage === undefined ? [] : [usageChunk(known, usage)])];
  }

  #chunk(delta: JsonObject): JsonObject {
    return chunkOf({ id: this.#id }, delta);
  }
}
