/** What holds for all of DashScope's speakers, over whichever of its sockets they speak. */
import type { Test } from 'uvu';
import * as assert from 'uvu/assert';
import { type ListeningWorld, rowOf, type SocketWorld, secret } from '../support/listening-world.ts';
import type { OpenedSocket, Rest, ScriptedSockets } from '../support/scripted-sockets.ts';
import { resolvesWithin } from '../support/until.ts';

type SpeakingWorld<Step> = SocketWorld<
  ScriptedSockets<OpenedSocket & { readonly finished: boolean }, { readonly answer: readonly (Step | Rest)[] }>
>;

interface Speaker<Step> {
  readonly speak: Speak;
  /** A piece of sound, and the event that counts seven characters. */
  readonly spoke: Step;
  readonly counted: Step;
  readonly failed: Step;
}

type Speak = (world: ListeningWorld, asked: object, signal?: AbortSignal) => Promise<Response>;

/** Of sound. */
export const piece = (fill: number) => Buffer.alloc(400, fill);

/** Asks for speech; what is not asked for otherwise is as given here. */
export function speaker(usual: { readonly model: string; readonly voice: string }): Speak {
  return ({ daemon, key }, asked, signal) =>
    fetch(`${daemon.url}/v1/audio/speech`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ input: 'hello', ...usual, ...asked }),
      ...(signal === undefined ? {} : { signal }),
    });
}

/** Adds the tests to a suite. */
export function addSpeechCases<Step, World extends SpeakingWorld<Step>>(
  test: Test<World>,
  { speak, spoke, counted, failed }: Speaker<Step>,
): void {
  test('a refused handshake says that the key is wrong, and names nothing of it', async (world) => {
    world.sockets.refuse(401, { code: 'InvalidApiKey', message: `Invalid API-key ${secret} at ${world.sockets.url}` });
    const response = await speak(world, {});
    const text = await response.text();
    assert.ok(response.status >= 400, text);
    assert.is(text.includes(secret) || text.includes('127.0.0.1'), false);
  });

  /** How sound ends that should have gone on. */
  const cuts: Readonly<Record<string, readonly (Step | Rest)[]>> = {
    'a socket that breaks': [{ end: 'break' }],
    'a socket that is closed too early': [{ end: 'close' }],
    'an error event': [failed],
    'silence for too long': [],
  };
  for (const [name, ending] of Object.entries(cuts)) {
    test(`${name} in the middle breaks the connection, and what was spoken by then is paid for`, async (world) => {
      world.sockets.script({ answer: [spoke, counted, { waitMs: 30 }, ...ending] });
      const response = await (ending.length === 0 ? world.impatiently(() => speak(world, {})) : speak(world, {}));
      assert.is(response.status, 200);
      const end = await response.arrayBuffer().catch(() => 'broken');
      assert.is(end, 'broken');
      assert.is((await rowOf(world, response)).quota, 7);
      await resolvesWithin(2000, world.sockets.requests.at(-1)?.closed);
    });
  }

  test('sound that was never counted is paid for by the vendor’s own rule', async (world) => {
    world.sockets.script({ answer: [spoke, { end: 'break' }] });
    const response = await speak(world, { input: '你好 ab' });
    await response.arrayBuffer().catch(() => undefined);
    assert.is((await rowOf(world, response)).quota, 7);
  });

  test('a client that leaves closes the socket, before the first sound and after it', async (world) => {
    for (const answer of [[], [spoke]]) {
      world.sockets.script({ answer });
      const abort = new AbortController();
      const asking = speak(world, {}, abort.signal).catch(() => undefined);
      if (answer.length > 0) await (await asking)?.body?.getReader().read();
      while (world.sockets.requests.at(-1)?.finished !== true) await new Promise((resolve) => setTimeout(resolve, 10));
      abort.abort();
      await asking;
      await resolvesWithin(2000, world.sockets.requests.at(-1)?.closed);
      world.sockets.requests.length = 0;
    }
  });
}
