/** How the command line asks for the token of a device (RFC 8628, 3.5). Runs once: a scripted server, no database. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { polledToken } from '../../cli/console-sign-in.ts';
import { ApiError } from '../../daemon/contract/client.ts';
import type { NewMachineTokenView } from '../../daemon/contract/machine-tokens.ts';

const polling = suite('asking for the token of a device');

const begun = { device_code: 'device', interval: 5, expires_in: 60 };
const made: NewMachineTokenView = {
  id: 1,
  name: 'tollgate on build-7',
  scopes: [],
  allow_ips: '',
  role: 1,
  created_at: 0,
  expires_at: 1,
  last_used_at: 0,
  previous_until: 0,
  secret: 'tgm_secret',
};

/** Asks a server that answers with these codes, "" with the token; the pauses before each question. */
async function pausesBefore(...codes: string[]): Promise<{ pauses: number[]; end: string }> {
  const pauses: number[] = [];
  const token = async () => {
    const code = codes.shift() ?? '';
    if (code !== '') throw new ApiError({ code, message: code, status: 200 });
    return made;
  };
  const pause = async (seconds: number) => pauses.push(seconds);
  const end = await polledToken({ token }, begun, { pause }).catch((error: ApiError) => error.code);
  return { pauses, end };
}

polling('waits as long as the server says, and longer each time it was too fast', async () => {
  const found = await pausesBefore('authorization_pending', 'slow_down', 'authorization_pending', 'slow_down', '');
  assert.equal(found, { pauses: [5, 5, 10, 10, 15], end: 'tgm_secret' });
});

polling('asks a server that is away less and less often, until the code is over', async () => {
  const back = await pausesBefore('network_error', 'timeout', 'authorization_pending', '');
  assert.equal(back, { pauses: [5, 10, 20, 20], end: 'tgm_secret' });
  const away = await pausesBefore(...Array(9).fill('network_error'));
  assert.equal(away, { pauses: [5, 10, 20, 40], end: 'network_error' });
});

polling('takes a proxy whose server is away for the same', async () => {
  const answers = [502, 503, 504];
  const pauses: number[] = [];
  const token = async () => {
    const status = answers.shift();
    if (status !== undefined) throw new ApiError({ code: 'invalid_answer', message: `HTTP ${status}`, status });
    return made;
  };
  const pause = async (seconds: number) => pauses.push(seconds);
  assert.is(await polledToken({ token }, begun, { pause }), 'tgm_secret');
  assert.equal(pauses, [5, 10, 20, 40]);
});

polling('ends when the sign-in was refused or is over, and with what the server cannot give', async () => {
  for (const code of ['authorization_denied', 'authorization_expired', 'machine_token_limit']) {
    assert.equal(await pausesBefore('authorization_pending', code), { pauses: [5, 5], end: code });
  }
});

polling.run();
