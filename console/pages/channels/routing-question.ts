/** A question about routing as the address carries it. */

export interface RoutingQuestion {
  readonly model: string;
  /** "" = that of the token or the user. */
  readonly group: string;
  readonly endpoint: string;
  /** Digits, or "". */
  readonly user_id: string;
  readonly token_id: string;
}

/** Where clients call. */
export const explainEndpoints = [
  '/v1/chat/completions',
  '/v1/responses',
  '/v1/messages',
  '/v1/completions',
  '/v1/embeddings',
  '/v1/rerank',
  '/v1/images/generations',
  '/v1/images/edits',
  '/v1/images/variations',
  '/v1/audio/speech',
  '/v1/audio/transcriptions',
  '/v1/moderations',
  '/v1/realtime',
  '/mj/submit/imagine',
  '/suno/submit/music',
] as const;

const members = ['model', 'group', 'endpoint', 'user_id', 'token_id'] as const;

/** The question as one parameter of the address. */
export function questionText(question: RoutingQuestion): string {
  const text = new URLSearchParams();
  for (const member of members) {
    if (question[member].trim() !== '') text.set(member, question[member].trim());
  }
  return text.toString();
}

/** Undefined for a text that asks for no model. */
export function questionOf(text: string): RoutingQuestion | undefined {
  const read = new URLSearchParams(text);
  const id = (name: string) => (/^[1-9]\d{0,9}$/.test(read.get(name) ?? '') ? (read.get(name) ?? '') : '');
  const model = read.get('model') ?? '';
  if (model === '') return undefined;
  return {
    model,
    group: read.get('group') ?? '',
    endpoint: read.get('endpoint') ?? '/v1/chat/completions',
    user_id: id('user_id'),
    token_id: id('token_id'),
  };
}
