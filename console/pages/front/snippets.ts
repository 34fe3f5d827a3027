/** First calls to copy, by dialect and language; the key is read from the environment, never written out. */

export const dialects = ['openai', 'anthropic', 'gemini'] as const;
export type Dialect = (typeof dialects)[number];

export const languages = ['curl', 'python', 'js'] as const;
export type SnippetLanguage = (typeof languages)[number];

/** Proper names; the same in every language. */
export const dialectNames: Readonly<Record<Dialect, string>> = {
  openai: 'OpenAI',
  anthropic: 'Anthropic',
  gemini: 'Gemini',
};
export const languageNames: Readonly<Record<SnippetLanguage, string>> = {
  curl: 'curl',
  python: 'Python',
  js: 'JavaScript',
};

/** Where the clients of a dialect are pointed: those of OpenAI want the version in the address. */
export function baseUrlOf(dialect: Dialect, origin: string): string {
  return dialect === 'openai' ? `${origin}/v1` : origin;
}

/** A call that works as it stands once `TOLLGATE_KEY` is set. */
export function snippetOf(dialect: Dialect, language: SnippetLanguage, origin: string): string {
  return snippets[dialect][language](baseUrlOf(dialect, origin));
}

const snippets: Readonly<Record<Dialect, Readonly<Record<SnippetLanguage, (baseUrl: string) => string>>>> = {
  openai: {
    curl: (baseUrl) => `curl ${baseUrl}/chat/completions \\
  -H "Authorization: Bearer $TOLLGATE_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{
    "model": "gpt-4o-mini",
    "messages": [{"role": "user", "content": "Hello"}]
  }'`,
    python: (baseUrl) => `import os
from openai import OpenAI

client = OpenAI(
    base_url="${baseUrl}",
    api_key=os.environ["TOLLGATE_KEY"],
)
answer = client.chat.completions.create(
    model="gpt-4o-mini",
    messages=[{"role": "user", "content": "Hello"}],
)
print(answer.choices[0].message.content)`,
    js: (baseUrl) => `import OpenAI from 'openai';

const client = new OpenAI({
  baseURL: '${baseUrl}',
  apiKey: process.env.TOLLGATE_KEY,
});
const answer = await client.chat.completions.create({
  model: 'gpt-4o-mini',
  messages: [{ role: 'user', content: 'Hello' }],
});
console.log(answer.choices[0].message.content);`,
  },
  anthropic: {
    curl: (baseUrl) => `curl ${baseUrl}/v1/messages \\
  -H "x-api-key: $TOLLGATE_KEY" \\
  -H "anthropic-version: 2023-06-01" \\
  -H "Content-Type: application/json" \\
  -d '{
    "model": "claude-sonnet-4-5",
    "max_tokens": 1024,
    "messages": [{"role": "user", "content": "Hello"}]
  }'`,
    python: (baseUrl) => `import os
from anthropic import Anthropic

client = Anthropic(
    base_url="${baseUrl}",
    api_key=os.environ["TOLLGATE_KEY"],
)
answer = client.messages.create(
    model="claude-sonnet-4-5",
    max_tokens=1024,
    messages=[{"role": "user", "content": "Hello"}],
)
print("".join(block.text for block in answer.content if block.type == "text"))`,
    js: (baseUrl) => `import Anthropic from '@anthropic-ai/sdk';

const client = new Anthropic({
  baseURL: '${baseUrl}',
  apiKey: process.env.TOLLGATE_KEY,
});
const answer = await client.messages.create({
  model: 'claude-sonnet-4-5',
  max_tokens: 1024,
  messages: [{ role: 'user', content: 'Hello' }],
});
console.log(answer.content.map((block) => (block.type === 'text' ? block.text : '')).join(''));`,
  },
  gemini: {
    curl: (baseUrl) => `curl ${baseUrl}/v1beta/models/gemini-2.5-flash:generateContent \\
  -H "x-goog-api-key: $TOLLGATE_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{
    "contents": [{"parts": [{"text": "Hello"}]}]
  }'`,
    python: (baseUrl) => `import os
from google import genai

client = genai.Client(
    api_key=os.environ["TOLLGATE_KEY"],
    http_options={"base_url": "${baseUrl}"},
)
answer = client.models.generate_content(
    model="gemini-2.5-flash",
    contents="Hello",
)
print(answer.text)`,
    js: (baseUrl) => `import { GoogleGenAI } from '@google/genai';

const client = new GoogleGenAI({
  apiKey: process.env.TOLLGATE_KEY,
  httpOptions: { baseUrl: '${baseUrl}' },
});
const answer = await client.models.generateContent({
  model: 'gemini-2.5-flash',
  contents: 'Hello',
});
console.log(answer.text);`,
  },
};
