/** Commands that run beside the daemon. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { checkConfig } from '../../../daemon/maintenance.ts';
import { runProgram } from '../../support/command-line.ts';

const test = suite('cli: config');

function check(environment: Record<string, string>) {
  return runProgram(['config', 'check'], {
    environment,
    local: { checkConfig: (options) => checkConfig(options, environment) },
  });
}

test('tells what is set in vain and finds nothing wrong with it', async () => {
  const ended = await check({ BATCH_UPDATE_ENABLED: 'true' });
  assert.is(ended.code, 0, ended.stderr);
  assert.match(ended.stderr, /jobs\.batch_update_enabled: has no effect: .+ \(BATCH_UPDATE_ENABLED\)/);
  assert.match(ended.stderr, 'the configuration is valid');
  assert.not.match((await check({ BATCH_UPDATE_ENABLED: 'false' })).stderr, 'no effect');
});

test('ends with 12 and a list of what is wrong', async () => {
  const ended = await check({ BATCH_UPDATE_INTERVAL: 'soon' });
  assert.is(ended.code, 12);
  assert.match(ended.stdout, /jobs\.batch_update_interval_seconds\s+expected a whole number/);
});

test.run();
