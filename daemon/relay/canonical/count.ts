/** Counting between the formats: a request for an answer in, its tokens out (relay.md 6.4). */
import type { JsonObject } from '../json.ts';

export interface CountRequest {
  readonly model: string;
  /** What would be asked, in the client's own dialect and without the model's name. */
  readonly body: JsonObject;
}

export interface CountAnswer {
  readonly tokens: number;
}
