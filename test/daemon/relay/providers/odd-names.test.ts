/** Models, efforts and roles that are called like what every object has. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Json } from '../../../../daemon/relay/json.ts';
import { providers } from '../../../../daemon/relay/providers/index.ts';
import { socketVersion } from '../../../../daemon/relay/providers/xunfei/domains.ts';
import { adapterOf, callOf } from '../../../support/adapter-calls.ts';

const test = suite('odd names');

const names = ['constructor', '__proto__', 'toString'];

test('a model is asked for by its name, whatever that is', () => {
  for (const adapter of providers) {
    for (const model of names) {
      const formats = adapter.formatsFor?.({}, model, {}) ?? Object.values(adapter.speaks).flat();
      for (const format of formats) {
        const call = callOf(adapter, { format, model, settings: { project: 'p' } });
        const path = adapter.path(call);
        assert.not.match(path, /undefined|function|object/i, `${adapter.id} ${format}`);
        const body: Json = { model, reasoning_effort: model, messages: [{ role: model, content: 'u' }] };
        const sent = adapter.amendBody?.(body, call);
        if (sent === undefined) continue;
        assert.equal(JSON.parse(JSON.stringify(sent)), sent, `${adapter.id} ${format}`);
        assert.not.match(JSON.stringify(sent), /function|native code/, `${adapter.id} ${format}`);
      }
    }
  }
  const model = 'constructor';
  const vertex = adapterOf('vertex');
  const other = '{"default":"us-central1"}';
  const path = vertex.path(callOf(vertex, { format: 'gemini-generate', model, other, settings: { project: 'p' } }));
  assert.match(path, '/locations/us-central1/');
  assert.is(socketVersion(model, 'v3.5').path, '/v3.5/chat');
});

test.run();
