/** A plan for one call to an embeddings upstream, for tests of the attempts that carry plans out. */
import type { Lane } from '../../daemon/gateway/lane.ts';
import type { Plan } from '../../daemon/gateway/plan.ts';
import { cohere } from '../../daemon/relay/providers/cohere/index.ts';

/** @param lane reads the answer */
export function embeddingPlan(lane: Lane): Plan {
  return {
    adapter: cohere,
    call: {
      capability: 'embeddings',
      format: 'cohere-embeddings',
      model: 'embed-v4.0',
      stream: false,
      baseUrl: 'https://upstream.example',
      other: '',
      organization: undefined,
      setting: {},
      settings: {},
      options: {},
    },
    names: {
      bare: 'embed-v4.0',
      upstream: 'embed-v4.0',
      isMapped: false,
      isLiteral: false,
      reasoningEffort: undefined,
    },
    lane,
    request: {
      method: 'POST',
      destination: { url: 'https://upstream.example/v2/embed', proxy: undefined, egress: 'channel', connectMs: 0 },
      headers: [],
      body: Buffer.from('{}'),
      timeouts: { headersMs: 0, firstTokenMs: 0, idleMs: 0, totalMs: 0 },
    },
    droppedFields: [],
    hasStreamOptions: false,
    isPseudoStream: false,
  };
}
