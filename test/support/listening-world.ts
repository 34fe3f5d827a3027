/** A whole daemon with a channel of DashScope's for its speakers and listeners, and files that are posted to be heard. */
import type { Test } from 'uvu';
import type { JsonObject } from '../../daemon/relay/json.ts';
import { startTestDaemon, type TestDaemon } from './daemon.ts';
import type { ScriptedSockets } from './scripted-sockets.ts';
import * as sounds from './sound-files.ts';
import { untilThere } from './until.ts';

export interface ListeningWorld {
  daemon: TestDaemon;
  key: string;
  /** Ends the pauses that failures brought. */
  free: () => Promise<unknown>;
  /** Does what is to be done while the vendor may be silent for no more than a second. */
  impatiently: <T>(work: () => Promise<T>) => Promise<T>;
}

/** A world whose vendor answers over sockets. */
export interface SocketWorld<Sockets> extends ListeningWorld {
  sockets: Sockets;
}

/** One world for all tests of the suite: each finds sockets without a past, and a channel without a pause. */
export function allWithSockets<
  Sockets extends Pick<ScriptedSockets<unknown, unknown>, 'requests' | 'refuse' | 'close'>,
>(
  test: Test<SocketWorld<Sockets>>,
  open: () => Promise<Sockets>,
  begin: (world: SocketWorld<Sockets>) => Promise<void>,
): void {
  test.before(async (world) => {
    world.sockets = await open();
    await begin(world);
  });
  test.before.each(async ({ sockets, free }) => {
    sockets.requests.length = 0;
    sockets.refuse(undefined);
    await free();
  });
  test.after(async ({ daemon, sockets }) => {
    await daemon.stop();
    await sockets.close();
  });
}

/** What channels send upstream. */
export const secret = 'sk-upstream-secret';
/** Half a minute, 8 kHz. */
export const talk = sounds.wav(30);

/** Starts the daemon with one channel. */
export async function startListeningWorld(
  world: ListeningWorld,
  { models, ...channel }: { base_url: string; models: readonly string[]; param_override?: string },
): Promise<void> {
  world.daemon = await startTestDaemon({
    config: { 'limits.search.enabled': false, 'limits.per_user.enabled': false },
    options: {
      ModelRatio: JSON.stringify(Object.fromEntries(models.map((model) => [model, 1]))),
      AutomaticDisableChannelEnabled: 'false',
      RetryTimes: '0',
    },
  });
  const { daemon } = world;
  const id = await daemon.addChannel({ type: 17, key: secret, models: models.join(','), ...channel });
  world.free = () => daemon.root.channels.clearCooling({ id });
  world.impatiently = async (work) => {
    await daemon.root.channels.update({ id, setting: '{"timeout_idle":1}' });
    try {
      return await work();
    } finally {
      await daemon.root.channels.update({ id, setting: '' });
    }
  };
  world.key = await daemon.addKey();
}

export interface Asked {
  readonly model: string;
  readonly response_format?: string;
  readonly [field: string]: string | undefined;
}

/** Posts a form with the file and the other fields. */
export async function listen(
  { daemon, key }: ListeningWorld,
  asked: Asked,
  { path = 'transcriptions', file = talk, type = 'audio/wav', signal }: ListenOptions = {},
): Promise<Response> {
  const form = new FormData();
  for (const [name, value] of Object.entries(asked)) if (value !== undefined) form.append(name, value);
  form.append('file', new Blob([Uint8Array.from(file)], { type }), 'talk');
  return fetch(`${daemon.url}/v1/audio/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: form,
    ...(signal === undefined ? {} : { signal }),
  });
}

export interface ListenOptions {
  readonly path?: 'transcriptions' | 'translations';
  readonly file?: Buffer;
  readonly type?: string;
  readonly signal?: AbortSignal;
}

/** The row that a call left; it is written after the answer. */
export async function rowOf({ daemon }: ListeningWorld, response: Response) {
  const request_id = response.headers.get('x-request-id') ?? '';
  return untilThere(async () => (await daemon.root.logs.list({ request_id })).items[0]);
}

/** What a call has cost once its books are closed; refusals of our own leave no row. */
export async function paidFor({ daemon }: ListeningWorld, response: Response): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, 100));
  const { items } = await daemon.root.logs.list({ request_id: response.headers.get('x-request-id') ?? '' });
  return items.reduce((sum, { quota }) => sum + quota, 0);
}

/** A word and a sentence as the vendor times them. */
export const word = (begin_time: number, text: string, punctuation: string) => ({
  begin_time,
  end_time: begin_time + 300,
  text,
  punctuation,
});
export const sentence = (begin_time: number, text: string, rest: JsonObject = {}): JsonObject => ({
  begin_time,
  end_time: begin_time + 1250,
  text,
  heartbeat: false,
  sentence_end: true,
  words: [],
  ...rest,
});
