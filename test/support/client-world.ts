/**
 * A whole daemon before upstreams of four kinds, as the client cases C1 to C41 of requirements.md need it: the same
 * call reaches a model in the client's own dialect, or through a conversion, by the name of the model.
 */
import OpenAI from 'openai';
import type { JsonObject } from '../../daemon/relay/json.ts';
import { startTestDaemon, type TestDaemon } from './daemon.ts';
import { type FakeUpstream, startFakeUpstream } from './fake-upstream.ts';
import { untilPasses } from './until.ts';

/** What the channel of each model speaks. OpenAI's own serves two dialects, 01.AI chat alone. */
export const models = {
  chat: 'on-chat',
  openai: 'on-openai',
  messages: 'on-messages',
  gemini: 'on-gemini',
} as const;

export const everyModel: readonly string[] = Object.values(models);

export const channelTypes: Readonly<Record<string, number>> = {
  [models.chat]: 31,
  [models.openai]: 1,
  [models.messages]: 14,
  [models.gemini]: 24,
};

/** What set-up gives to root. */
const FIRST_BALANCE = 100_000_000;

export interface ClientWorld {
  daemon: TestDaemon;
  upstream: FakeUpstream;
  key: string;
}

/** @param config keys of the daemon's configuration */
export async function startClientWorld(config: Readonly<Record<string, string | boolean>> = {}): Promise<ClientWorld> {
  const upstream = await startFakeUpstream();
  const daemon = await startTestDaemon({
    config,
    options: {
      SelfUseModeEnabled: 'true',
      ModelRatio: JSON.stringify(Object.fromEntries(everyModel.map((model) => [model, 1]))),
    },
  });
  for (const model of everyModel) {
    await daemon.addChannel({ base_url: upstream.url, type: channelTypes[model], models: model, name: model });
  }
  return { daemon, upstream, key: await daemon.addKey() };
}

export async function stopClientWorld({ daemon, upstream }: ClientWorld): Promise<void> {
  await daemon.stop();
  await upstream.close();
}

/** OpenAI's official client, with the key of the world. */
export function openAiOf({ daemon, key }: ClientWorld, maxRetries = 0): OpenAI {
  return new OpenAI({ baseURL: `${daemon.url}/v1`, apiKey: key, maxRetries });
}

/** Posts JSON with the key of the world. */
export function post(
  { daemon, key }: ClientWorld,
  path: string,
  body: JsonObject | string,
  headers = {},
): Promise<Response> {
  return fetch(daemon.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

/** What the caller has, once nothing is held any more for calls that ended a moment ago. */
export async function balanceOf({ daemon }: ClientWorld): Promise<number> {
  return untilPasses(async () => {
    const { quota, used_quota: used } = await daemon.root.account.get();
    if (quota + used !== FIRST_BALANCE) throw new Error(`${FIRST_BALANCE - quota - used} units are still held`);
    return quota;
  });
}

/** Log rows of consumption, newest first, once all calls are in the books and there are as many as expected. */
export async function rowsOf(world: ClientWorld, model: string, expected: number) {
  await balanceOf(world);
  return untilPasses(async () => {
    const { items } = await world.daemon.root.logs.list({ type: 2, model_name: model, page_size: 1000 });
    if (items.length < expected) throw new Error(`${items.length} rows for ${model}, not ${expected}`);
    return items;
  });
}
