/** Runs once: what happens to the daemon of a terminal that is closed, which is told by SIGHUP, and more than once. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startStreamingProgram } from '../support/streaming-program.ts';
import { until } from '../support/until.ts';

const terminal = suite('a daemon whose terminal is closed');

terminal('lets running streams end and stops as by SIGTERM, however often it is told', async () => {
  const { stream, lines, said, kill, letEnd, ended, close } = await startStreamingProgram();
  try {
    assert.is(stream.status, 200);
    kill('SIGHUP');
    await until(() => said(/^SIGHUP: no new calls/));
    kill('SIGHUP');
    letEnd();
    assert.match(await stream.text(), /second[\s\S]*\[DONE\]/);
    assert.is(await ended, 0, lines.join('\n'));
    assert.ok(said(/^stopped$/));
  } finally {
    await close();
  }
});

terminal.run();
