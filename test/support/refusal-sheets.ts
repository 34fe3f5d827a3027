/** The table of documented refusals, read, and each of them put into the words of its vendor. */
import type { Json } from '../../daemon/relay/json.ts';
import { documentedRefusals } from './documented-refusals.ts';

const refusalKinds = [
  /** The key is tried no more, and speaks against its channel. */
  'key',
  /** As a wrong key: its account is empty. */
  'credit',
  /** What the key was traded for is no longer valid. */
  'stale',
  /** This key may not, others may: nothing is disabled. */
  'forbidden',
  /** Another channel may have it. */
  'model',
  /** A pause, and the next key. */
  'limit',
  /** The client's own fault. */
  'request',
  /** As `request`: the conversation is too long, and clients learn it by OpenAI's code for that. */
  'context',
  /** As `request`: its words or its pictures offend. */
  'content',
  /** As `content`, where the sheet says that it is told as `content_filter`. */
  'filtered',
  /** The vendor's own fault: the next channel. */
  'trouble',
] as const;

export type RefusalKind = (typeof refusalKinds)[number];

export interface DocumentedRefusal {
  readonly kind: RefusalKind;
  readonly status: number;
  /** Empty where the vendor gives none. */
  readonly code: string;
  readonly message: string;
}

type Shape = (refusal: DocumentedRefusal) => Json;

const openai: Shape = ({ code, message }) => ({
  error: { message, type: 'invalid_request_error', param: null, code: code === '' ? null : code },
});
const worded: Shape = ({ message }) => ({ error: message });
const described: Shape = ({ code, message }) => ({ code: Number(code), description: message, result: '' });
const detailed: Shape = ({ message }) => ({ detail: message });
const numbered: Shape = ({ code, message }) => ({ error_code: Number(code), error_msg: message });
/** A reason stands behind a slash. */
const google: Shape = ({ status, code, message }) => {
  const [name = '', reason] = code.split('/');
  const details = reason === undefined ? {} : { details: [{ reason }] };
  return { error: { code: status, message, status: name, ...details } };
};

/** How vendors write what went wrong; OpenAI's form is the rule. */
const shapes: Readonly<Record<string, Shape>> = {
  // As its format reads it.
  'aiproxy-library': ({ status, code, message }) => ({
    error: { code, message, status: status === 200 ? 400 : status },
  }),
  ali: ({ code, message }) => ({ code, message, request_id: 'r' }),
  anthropic: ({ code, message }) => ({ type: 'error', error: { type: code, message } }),
  baidu: numbered,
  // The kind stands before a slash.
  'baidu-v2': ({ code, message }) => ({
    error: { code: code.split('/')[1] ?? '', message, type: code.split('/')[0] ?? '' },
  }),
  bedrock: ({ code, message }) => ({ message, __type: code }),
  cerebras: ({ code, message }) => ({ message, type: 'x', param: '', code }),
  cloudflare: ({ code, message }) => ({ success: false, errors: [{ code: Number(code), message }], result: null }),
  cohere: ({ message }) => ({ message }),
  coze: ({ code, message }) => ({ code: Number(code), msg: message, detail: { logid: 'l' } }),
  dify: ({ status, code, message }) => ({ code, message, status }),
  fastgpt: ({ status, code, message }) => ({
    code: status === 200 ? 403 : status,
    statusText: code,
    message,
    data: null,
  }),
  gemini: google,
  huggingface: worded,
  jina: detailed,
  'midjourney-proxy': described,
  'midjourney-proxy-plus': described,
  minimax: ({ code, message }) => ({ base_resp: { status_code: Number(code), status_msg: message } }),
  mistral: ({ code, message }) => ({ object: 'error', message, type: 'invalid_request_error', param: null, code }),
  moka: numbered,
  moonshot: ({ code, message }) => ({ error: { type: code, message } }),
  'nvidia-nim': ({ status, message }) => ({ status, title: 't', detail: message }),
  ollama: worded,
  openrouter: ({ status, message }) => ({ error: { code: status, message } }),
  perplexity: ({ status, code, message }) => ({ error: { message, type: code, code: status } }),
  replicate: ({ status, message }) => ({ title: 't', detail: message, status }),
  siliconflow: ({ code, message }) => ({ code: Number(code), message, data: null }),
  suno: ({ code, message }) => ({ code: code === '' ? 'fail' : code, message, data: null }),
  tencent: ({ code, message }) => ({ Response: { Error: { Code: code, Message: message }, RequestId: 'r' } }),
  vertex: google,
  xai: ({ message }) => ({ code: 'Client specified an invalid argument', error: message }),
  xinference: detailed,
  xunfei: ({ code, message }) => ({ header: { code: Number(code), message, sid: 's' } }),
  zhipu: ({ code, message }) => ({ code: Number(code), msg: message, success: false }),
};

/** The body that a vendor sends with a refusal. */
export function refusalBody(provider: string, refusal: DocumentedRefusal): string {
  return JSON.stringify((shapes[provider] ?? openai)(refusal));
}

const refusalForm = /^(\d{3})(?: ([^: ]+))?(?:: (.+))?$/;

/** What a vendor's sheet names. Throws for a line that cannot be read. */
export function refusalsOf(provider: string): readonly DocumentedRefusal[] {
  const lines = (documentedRefusals[provider] ?? '').trim().split('\n');
  return lines.flatMap((line) => {
    const [, word = '', rest = ''] = /^\s*(\w+)\s+(.+)$/.exec(line) ?? [];
    const kind = refusalKinds.find((known) => known === word);
    if (kind === undefined) throw new Error(`${provider}: ${line}`);
    return rest.split(' | ').map((text) => {
      const [, status, code = '', message = 'no further words'] = refusalForm.exec(text) ?? [];
      if (status === undefined) throw new Error(`${provider}: ${text}`);
      return { kind, status: Number(status), code, message };
    });
  });
}
