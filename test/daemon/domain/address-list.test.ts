/** From which addresses a token may be used. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { AddressList } from '../../../daemon/domain/address-list.ts';

const addresses = suite('domain/address-list');

addresses('opens only for what it lists', () => {
  const list = new AddressList('10.0.0.0/8\n192.168.1.7, 2001:db8::/32  bad-entry');
  assert.is(list.admits('10.200.3.4'), true);
  assert.is(list.admits('::ffff:10.1.1.1'), true);
  assert.is(list.admits('192.168.1.7'), true);
  assert.is(list.admits('192.168.1.8'), false);
  assert.is(list.admits('2001:db8:1::5'), true);
  assert.is(list.admits('unreadable'), false);
});
addresses('is open when empty, and shut when nothing in it can be read', () => {
  assert.is(new AddressList(' \n ').admits('1.2.3.4'), true);
  assert.is(new AddressList('nonsense').admits('1.2.3.4'), false);
});
addresses.run();
