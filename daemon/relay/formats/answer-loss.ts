/**
 * What of an answer the client's dialect cannot say, noted as its events pass: one place for whole answers and streams.
 * A request's losses are noted by the encoder that makes them (`loss.ts`).
 */
import type { Annotation, ChatEvent, ChatResponse, Dialect, HostedItem } from '../canonical/chat.ts';
import type { FormatId, Scope } from '../format.ts';
import { listsPages } from './openai-chat/search-results.ts';

/** Dialects that have more than one answer, and those that tell log probabilities. */
const manyChoices: ReadonlySet<FormatId> = new Set<Dialect>(['openai-chat', 'gemini-generate']);
const tokenOdds: ReadonlySet<FormatId> = new Set<Dialect>(['openai-chat', 'openai-responses', 'gemini-generate']);
/** Dialects that carry sound; the others are given its transcript. */
const sound: ReadonlySet<FormatId> = new Set<Dialect>(['openai-chat', 'gemini-generate']);

/** Items whose whole content is a picture, which stands beside them and is carried on its own. */
const pictured: ReadonlySet<string> = new Set(['image_generation_call']);

/** Watches one answer on its way to a client. */
export class AnswerLosses {
  readonly #client: FormatId;
  readonly #scope: Pick<Scope, 'lose'>;

  constructor(client: FormatId, scope: Pick<Scope, 'lose'>) {
    this.#client = client;
    this.#scope = scope;
  }

  /** Parts of a whole answer that its events leave out, as no dialect's answers have them. */
  seeParts({ choices }: ChatResponse): void {
    for (const { items } of choices) {
      for (const item of items) {
        if (item.type !== 'assistant') continue;
        for (const part of item.parts) {
          if (part.type === 'foreign') this.#scope.lose(`answer.${part.name}`);
          else if (part.type === 'document' || part.type === 'video') this.#scope.lose(`answer.${part.type}`);
        }
      }
    }
  }

  see(event: ChatEvent): void {
    switch (event.type) {
      case 'text-delta':
      case 'reasoning-delta':
      case 'tool-call-delta':
        // By far the most events; of their choices the `finish` tells.
        return;
      case 'finish':
        if (event.choice > 0 && !manyChoices.has(this.#client)) this.#scope.lose('answer.choices');
        return;
      case 'logprobs':
        if (!tokenOdds.has(this.#client)) this.#scope.lose('answer.logprobs');
        return;
      case 'audio-delta':
        if (event.data !== undefined && !sound.has(this.#client)) this.#scope.lose('answer.audio');
        return;
      case 'annotation':
        if (!this.#says(event.annotation)) this.#scope.lose('answer.annotations');
        return;
      case 'hosted':
        if (!this.#tells(event.item)) {
          this.#scope.lose(`answer.${event.item.name}`);
        }
        return;
      case 'usage':
        if (this.#client === 'gemini-generate' && event.usage.cacheCreation5m + event.usage.cacheCreation1h > 0) {
          this.#scope.lose('answer.usage.cache_creation');
        }
    }
  }

  #tells(item: HostedItem): boolean {
    // Addresses alone, which stand with the text as its sources.
    if (item.dialect === 'openai-chat' && item.name === 'citations') return true;
    if (item.dialect === this.#client || item.text !== undefined || pictured.has(item.name)) return true;
    return this.#client === 'openai-chat' && listsPages(item);
  }

  #says(annotation: Annotation): boolean {
    return annotation.kind === 'url' || annotation.raw.dialect === this.#client;
  }
}
