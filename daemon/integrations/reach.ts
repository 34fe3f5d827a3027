/** Whether an address of a channel answers at all: name, connection, TLS and HTTP, without any credential. */
import { Agent, buildConnector, request } from 'undici';
import type { Reach } from '../domain/system-state.ts';
import type { AddressGuard } from '../upstream/address-guard.ts';
import { networkCode } from './network-code.ts';

const timeoutMs = 5000;

export function reachThrough(guard: AddressGuard): Reach {
  return async (address) => {
    const target = new URL(address);
    const port = target.port || (target.protocol === 'https:' ? '443' : '80');
    const connect = buildConnector({ timeout: timeoutMs, lookup: guard.lookup('channel', port) });
    const dispatcher = new Agent({ connect, pipelining: 0 });
    try {
      guard.checkUrl(target, 'channel');
      const signal = AbortSignal.timeout(timeoutMs);
      const answer = await request(target, {
        dispatcher,
        method: 'HEAD',
        signal,
        headers: { 'user-agent': 'tollgate' },
      });
      return { status: answer.statusCode };
    } catch (error) {
      return { reason: networkCode(error) ?? 'FAILED' };
    } finally {
      await dispatcher.destroy();
    }
  };
}
