/**
 * What an agent on Dify says and thinks. It tells the same words more than once: a step's thought again with the tool that
 * came of it, words said aloud again as the thought of their step, and the whole answer again at the end (the "New Agent").
 * Source: docs.dify.ai, guides/agent, and the stream of providers/dify.md, read 2026-11.
 */
import type { JsonObject } from '../../json.ts';
import { asText } from '../fields.ts';

export class AgentWords {
  /** By the thought's id, how many characters of it are told. */
  readonly #told = new Map<string, number>();
  /** Said aloud since the last thought. */
  #step: string[] = [];
  #hasSpoken = false;

  say(text: string): void {
    if (text === '') return;
    this.#step.push(text);
    this.#hasSpoken = true;
  }

  /** Whether a message only repeats what was said piece by piece. */
  get isSaid(): boolean {
    return this.#hasSpoken;
  }

  /** The part of a thought that is new; empty for none. */
  newOf(event: JsonObject): string {
    const thought = asText(event.thought) ?? '';
    if (thought === '') return '';
    const id = asText(event.id) ?? '';
    const told = this.#told.get(id) ?? 0;
    this.#told.set(id, Math.max(told, thought.length));
    const step = this.#step.join('');
    this.#step = [];
    return step.trim() === thought.trim() ? '' : thought.slice(told);
  }
}
