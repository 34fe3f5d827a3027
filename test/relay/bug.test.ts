/** Runs once: a bug in a step that nobody watches, a timer or a listener, in a process of its own. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startStreamingProgram } from '../support/streaming-program.ts';
import { until } from '../support/until.ts';

const bug = suite('a bug in the daemon');
const onSignal = 'process.on("SIGUSR2",()=>{setImmediate(()=>{throw(new(Error)("a-bug-in-a-timer"))})})';

bug('is logged, and takes with it neither the calls that run nor those that come', async () => {
  const environment = { NODE_OPTIONS: `--import=data:text/javascript,${onSignal.replaceAll('"', '%22')}` };
  const { stream, lines, said, kill, ask, letEnd, ended, close } = await startStreamingProgram(environment);
  try {
    assert.is(stream.status, 200);
    kill('SIGUSR2');
    await until(() => said(/"level":"error".*a-bug-in-a-timer/));
    letEnd();
    assert.match(await stream.text(), /second[\s\S]*\[DONE\]/);
    assert.match(await (await ask()).text(), /second[\s\S]*\[DONE\]/);
    kill('SIGTERM');
    assert.is(await ended, 0, lines.join('\n'));
  } finally {
    await close();
  }
});

bug.run();
