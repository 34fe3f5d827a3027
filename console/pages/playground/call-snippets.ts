/** A conversation as a program that makes the same call; the key is read from the environment. Pure. */
import * as z from 'zod/mini';
import type { ContentPart, RequestBody, WireMessage } from './request-body.ts';

export const snippetKinds = ['curl', 'python', 'node', 'anthropic', 'json'] as const;
export type SnippetKind = (typeof snippetKinds)[number];

/** Proper names; the same in every language. */
export const snippetNames: Readonly<Record<SnippetKind, string>> = {
  curl: 'curl',
  python: 'Python',
  node: 'Node',
  anthropic: 'Anthropic SDK',
  json: 'JSON',
};

/** @param origin of the gateway, without a slash at the end */
export function callSnippet(kind: SnippetKind, origin: string, body: RequestBody): string {
  if (kind === 'json') return JSON.stringify(body, null, 2);
  // The group of a call with a key is that of the key.
  const { group: _, ...call } = body;
  if (kind === 'curl') return curl(origin, call);
  const { stream: __, stream_options: ___, ...whole } = call;
  if (kind === 'python') return python(origin, whole);
  if (kind === 'node') return node(origin, whole);
  return anthropic(origin, whole);
}

/** Linux gives an argument 128 KiB; a picture is longer. */
const longestArgument = 100_000;

function curl(origin: string, call: Record<string, unknown>): string {
  const body = JSON.stringify(call, null, 2);
  const head = `curl -N ${origin}/v1/chat/completions \\
  -H "Authorization: Bearer $TOLLGATE_KEY" \\
  -H "Content-Type: application/json" \\`;
  // No line of JSON is such a word.
  if (new Blob([body]).size > longestArgument) return `${head}\n  --data-binary @- <<'END'\n${body}\nEND`;
  return `${head}\n  -d '${body.replaceAll("'", "'\\''")}'`;
}

function python(origin: string, call: Record<string, unknown>): string {
  return `import os
from openai import OpenAI

client = OpenAI(
    base_url="${origin}/v1",
    api_key=os.environ["TOLLGATE_KEY"],
)
answer = client.chat.completions.create(
${pythonArguments(call)}
)
print(answer.choices[0].message.content)`;
}

function node(origin: string, call: Record<string, unknown>): string {
  return `import OpenAI from 'openai';

const client = new OpenAI({
  baseURL: '${origin}/v1',
  apiKey: process.env.TOLLGATE_KEY,
});
const answer = await client.chat.completions.create(${JSON.stringify(call, null, 2)});
console.log(answer.choices[0].message.content);`;
}

/** Anthropic demands a limit. */
const anthropicMaxTokens = 1024;

function anthropic(origin: string, call: Record<string, unknown> & Pick<RequestBody, 'messages'>): string {
  const system = call.messages.find(({ role }) => role === 'system')?.content;
  const shared = {
    model: call.model,
    max_tokens: call.max_tokens ?? anthropicMaxTokens,
    ...(system !== undefined && { system }),
    messages: call.messages.filter(({ role }) => role !== 'system').map(anthropicMessage),
    // Its scale ends at 1.
    ...(typeof call.temperature === 'number' && { temperature: Math.min(1, call.temperature) }),
    ...(call.top_p !== undefined && { top_p: call.top_p }),
    ...(call.stop !== undefined && { stop_sequences: call.stop }),
    ...(Array.isArray(call.tools) && { tools: call.tools.map(anthropicTool) }),
  };
  return `import os
from anthropic import Anthropic

client = Anthropic(
    base_url="${origin}",
    api_key=os.environ["TOLLGATE_KEY"],
)
answer = client.messages.create(
${pythonArguments(shared)}
)
print("".join(block.text for block in answer.content if block.type == "text"))`;
}

function anthropicMessage({ role, content }: WireMessage) {
  return { role, content: typeof content === 'string' ? content : content.map(anthropicPart) };
}

function anthropicPart(part: ContentPart) {
  if (part.type === 'text') return part;
  const [, mediaType, data] = /^data:([^;,]+);base64,(.*)$/s.exec(part.image_url.url) ?? [];
  return {
    type: 'image',
    source:
      data === undefined ? { type: 'url', url: part.image_url.url } : { type: 'base64', media_type: mediaType, data },
  };
}

const FunctionTool = z.object({
  type: z.literal('function'),
  function: z.object({ name: z.string(), description: z.optional(z.string()), parameters: z.optional(z.unknown()) }),
});

/** What is no function of OpenAI's stands as it was typed. */
function anthropicTool(tool: unknown): unknown {
  const parsed = z.safeParse(FunctionTool, tool);
  if (!parsed.success) return tool;
  const { name, description, parameters } = parsed.data.function;
  return {
    name,
    ...(description !== undefined && { description }),
    // Anthropic demands one.
    input_schema: parameters ?? { type: 'object' },
  };
}

function pythonArguments(values: Record<string, unknown>): string {
  return Object.entries(values)
    .map(([name, value]) => `    ${name}=${pythonLiteral(value, '    ')},`)
    .join('\n');
}

/** A value of JSON as Python writes it. */
export function pythonLiteral(value: unknown, indent = ''): string {
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value !== 'object') return JSON.stringify(value);
  const deeper = `${indent}    `;
  const isList = Array.isArray(value);
  const inner = isList
    ? value.map((each) => `${deeper}${pythonLiteral(each, deeper)},`)
    : Object.entries(value).map(([name, each]) => `${deeper}${JSON.stringify(name)}: ${pythonLiteral(each, deeper)},`);
  if (inner.length === 0) return isList ? '[]' : '{}';
  return [isList ? '[' : '{', ...inner, `${indent}${isList ? ']' : '}'}`].join('\n');
}
