/**
 * What the gateway is measured against in the same run: the mock upstream itself, nginx as a bare proxy (the
 * machine's limit) and a bare Node proxy on undici (the runtime's limit). Mock and load share core 1.
 */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { answers, type Child, freePort, start } from './processes.ts';

export type Kind = 'json' | 'stream';

export interface References {
  /** Base addresses of the mock by kind. */
  readonly upstream: Record<Kind, string>;
  /** Targets to measure, by kind: name and whole URL. */
  readonly targets: Record<Kind, { name: string; url: string }[]>;
  /** Files with the request bodies; `translated` asks for the stream in Anthropic's dialect. */
  readonly bodies: Record<Kind | 'translated', string>;
  stop(): Promise<void>;
}

const path = '/v1/chat/completions';
const model = 'gpt-4o-mini';
const chunkBase = {
  id: 'chatcmpl-bench',
  object: 'chat.completion.chunk',
  created: 1_760_000_000,
  model,
  system_fingerprint: 'fp_bench',
};

/** An event of a streamed answer. */
export function chunkOf(members: object): string {
  return `data: ${JSON.stringify({ ...chunkBase, ...members })}\n\n`;
}

export function deltaChunk(delta: object, finish: string | null): string {
  return chunkOf({ choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }], usage: null });
}

function streamedAnswer(): string {
  let text = deltaChunk({ role: 'assistant', content: '', refusal: null }, null);
  for (let index = 0; index < 200; index += 1) text += deltaChunk({ content: ` token${index}` }, null);
  text += deltaChunk({}, 'stop');
  text += chunkOf({ choices: [], usage: { prompt_tokens: 21, completion_tokens: 200, total_tokens: 221 } });
  return `${text}data: [DONE]\n\n`;
}

const jsonAnswer = {
  id: 'chatcmpl-bench',
  object: 'chat.completion',
  created: 1_760_000_000,
  model,
  choices: [
    {
      index: 0,
      message: {
        role: 'assistant',
        content: 'The quick brown fox jumps over the lazy dog. '.repeat(3),
        refusal: null,
      },
      logprobs: null,
      finish_reason: 'stop',
    },
  ],
  usage: {
    prompt_tokens: 21,
    completion_tokens: 33,
    total_tokens: 54,
    prompt_tokens_details: { cached_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: 0 },
  },
  system_fingerprint: 'fp_bench',
};

const requestBody = {
  model,
  messages: [
    { role: 'system', content: 'You are a helpful assistant.' },
    { role: 'user', content: 'Say the pangram three times. '.repeat(8) },
  ],
  temperature: 0.7,
};

function nginxHead(folder: string, name: string): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((kind) => `${kind}_temp_path ${folder}/${name}-${kind};`)
    .join(' ');
  return `worker_processes 1; daemon off; pid ${folder}/${name}.pid; error_log ${folder}/${name}.log;
events { worker_connections 16384; }
http { access_log off; keepalive_requests 100000000; client_max_body_size 64m; client_body_buffer_size 1m; ${temporary}
`;
}

const local = (port: number | undefined) => `http://127.0.0.1:${port}`;

/** The runtime's limit, on the gateway's core. */
export function startBareProxy(
  root: string,
  { port, upstream }: { port: number | undefined; upstream: string },
): Child {
  return start([process.execPath, join(root, 'test/bench/bare-node-proxy.mjs')], {
    core: 0,
    environment: { PORT: String(port), UPSTREAM: upstream },
  });
}

/** Writes configurations and bodies into `folder` and starts all references. */
export async function startReferences(folder: string, root: string): Promise<References> {
  mkdirSync(join(folder, 'www'));
  writeFileSync(join(folder, 'www/stream.sse'), streamedAnswer());
  const bodies = {
    json: join(folder, 'json.body'),
    stream: join(folder, 'stream.body'),
    translated: join(folder, 'translated.body'),
  };
  const [system, user] = requestBody.messages;
  writeFileSync(
    bodies.translated,
    JSON.stringify({ model, system: system?.content, messages: [user], max_tokens: 1000, stream: true }),
  );
  writeFileSync(bodies.json, JSON.stringify(requestBody));
  writeFileSync(
    bodies.stream,
    JSON.stringify({ ...requestBody, stream: true, stream_options: { include_usage: true } }),
  );
  const [mockJson, mockStream, proxyJson, proxyStream, nodeJson, nodeStream] = await Promise.all(
    Array.from({ length: 6 }, freePort),
  );
  writeFileSync(
    join(folder, 'mock.conf'),
    `${nginxHead(folder, 'mock')}
server { listen 127.0.0.1:${mockJson} backlog=4096; location / { default_type application/json; return 200 '${JSON.stringify(jsonAnswer)}'; } }
server { listen 127.0.0.1:${mockStream} backlog=4096; root ${folder}/www; location / { types {} default_type text/event-stream; error_page 405 =200 $uri; try_files /stream.sse =404; } } }`,
  );
  writeFileSync(
    join(folder, 'proxy.conf'),
    `${nginxHead(folder, 'proxy')}
upstream json { server 127.0.0.1:${mockJson}; keepalive 256; keepalive_requests 100000000; }
upstream sse { server 127.0.0.1:${mockStream}; keepalive 256; keepalive_requests 100000000; }
server { listen 127.0.0.1:${proxyJson} backlog=4096; location / { proxy_pass http://json; proxy_http_version 1.1; proxy_set_header Connection ""; } }
server { listen 127.0.0.1:${proxyStream} backlog=4096; location / { proxy_pass http://sse; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_buffering off; } } }`,
  );
  chmodSync(folder, 0o755);
  const children = [
    start(['nginx', '-c', join(folder, 'mock.conf')], { core: 1 }),
    start(['nginx', '-c', join(folder, 'proxy.conf')], { core: 0 }),
    startBareProxy(root, { port: nodeJson, upstream: local(mockJson) }),
    startBareProxy(root, { port: nodeStream, upstream: local(mockStream) }),
  ];
  const targets = (mock: number | undefined, proxy: number | undefined, node: number | undefined) => [
    { name: 'direct', url: local(mock) + path },
    { name: 'nginx', url: local(proxy) + path },
    { name: 'node', url: local(node) + path },
  ];
  const all = {
    json: targets(mockJson, proxyJson, nodeJson),
    stream: targets(mockStream, proxyStream, nodeStream),
  };
  await Promise.all([...all.json, ...all.stream].map((target) => answers(target.url)));
  return {
    upstream: { json: local(mockJson), stream: local(mockStream) },
    targets: all,
    bodies,
    async stop() {
      await Promise.all(children.map((child) => child.stop()));
    },
  };
}
