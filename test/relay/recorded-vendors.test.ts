/**
 * The vendors with chat formats of their own, and those that sign, through a whole daemon: what they sent when somebody
 * recorded them reaches a client as chunks or as one body, and costs in every dialect what they reported.
 * Runs once: what is sent to a vendor, and made of its answer, is the same on every database.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { providerOf } from '../../daemon/relay/providers/index.ts';
import { readStream, recordedCases } from '../conformance/cases.ts';
import {
  ask,
  billed,
  modelOf,
  otherDialects,
  played,
  recorded,
  startVendorWorld,
  stopVendorWorld,
  usageIn,
  type VendorWorld,
  vendorOf,
} from '../support/vendor-world.ts';

const test = suite<VendorWorld>('recorded vendors');
test.before(startVendorWorld);
test.after(stopVendorWorld);

for (const one of recordedCases()) {
  const found = vendorOf(one);
  const usage = usageIn(one);
  if (found === undefined || one.status >= 400 || usage === undefined) continue;
  const { name, vendor } = found;
  // An answer that came in another manner than this vendor is asked for.
  const isStream = readStream(one) !== undefined;

  test(`${one.name} is read and billed as reported`, async (world) => {
    const { upstream } = world;
    upstream.script(played(recorded(one)));
    const told = await ask(world, modelOf(name), isStream);
    assert.is(told.status, 200, told.text);
    assert.ok(told.content !== '', told.text);
    assert.ok(told.finish !== undefined, told.text);
    assert.equal(told.bill.slice(0, 2), usage);
    assert.is(told.bill[2], usage[0] + usage[1]);
    const sent = upstream.requests.at(-1);
    assert.match(sent?.url ?? '', vendor.url);
    if (vendor.authorization === undefined) assert.is(sent?.headers.authorization, undefined);
    else assert.match(sent?.headers.authorization ?? '', vendor.authorization);
    for (const dialect of otherDialects) {
      const call = dialect(modelOf(name), isStream);
      // What the vendor answers in that dialect was recorded elsewhere.
      if (providerOf(vendor.type)?.speaks.chat?.includes(call.format)) continue;
      assert.equal(await billed(world, call), told.bill, call.format);
    }
  });
}

test.run();
