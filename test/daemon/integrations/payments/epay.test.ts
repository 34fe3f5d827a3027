/** The epay protocol: signatures, forms, notifications, and the order query through the egress guard. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { guardedFetch } from '../../../../daemon/integrations/guarded-fetch.ts';
import { epayProvider, signEpay } from '../../../../daemon/integrations/payments/epay.ts';
import { AddressGuard } from '../../../../daemon/upstream/address-guard.ts';
import { startWebServer } from '../../../support/web-server.ts';

const epay = suite('epay');

const guard = (allow: string[]) => guardedFetch(new AddressGuard({ allow, channelAllowPrivate: false }));
const settings = { address: 'https://pay.example', merchantId: '1001', merchantKey: 'secretKEY' };

epay('signs the sorted, unescaped, non-empty parameters with the key behind them', () => {
  const params = { pid: '1001', out_trade_no: 'T1', money: '1.00', empty: '', b: 'x y', a: '1' };
  // printf 'a=1&b=x y&money=1.00&out_trade_no=T1&pid=1001secretKEY' | md5sum
  assert.is(signEpay(params, 'secretKEY'), 'eb4eed86702be9039e4f6d591e653793');
  assert.is(signEpay({ ...params, sign: 'x', sign_type: 'MD5' }, 'secretKEY'), 'eb4eed86702be9039e4f6d591e653793');
  assert.is.not(signEpay({ ...params, a: '2' }, 'secretKEY'), 'eb4eed86702be9039e4f6d591e653793');
});

epay('sorts the parameters by the bytes of their names, not as people would', () => {
  // printf 'Z=4&a1=3&aB=2&a_b=1secretKEY' | md5sum
  assert.is(signEpay({ a_b: '1', aB: '2', a1: '3', Z: '4' }, 'secretKEY'), 'c4bfb38f710ecb64049072724d1d99f9');
});

epay('makes the form that the payment page expects', () => {
  const order = { tradeNo: 'T1', title: 'TUC10', money: '73.00', method: 'zfb', notifyUrl: 'n', returnUrl: 'r' };
  const { url, fields } = epayProvider(guard([])).checkout(order, settings);
  const { sign, sign_type, ...rest } = fields;
  assert.equal(
    [url, rest, sign_type],
    [
      'https://pay.example/submit.php',
      {
        pid: '1001',
        type: 'alipay',
        out_trade_no: 'T1',
        notify_url: 'n',
        return_url: 'r',
        name: 'TUC10',
        money: '73.00',
        device: 'pc',
      },
      'MD5',
    ],
  );
  assert.is(sign, signEpay(rest, 'secretKEY'));
  assert.is(epayProvider(guard([])).checkout({ ...order, method: 'wx' }, settings).fields.type, 'wxpay');
});

epay('keeps known parameters of a notification, cut and without the signature', () => {
  const params = { out_trade_no: 'T1', name: 'x'.repeat(500), sign: 's', secret: 'y', ['__proto__']: 'z' };
  const { fields } = epayProvider(guard([])).readNotice(params, settings);
  assert.equal(fields, { out_trade_no: 'T1', name: 'x'.repeat(200) });
});

epay('reads an order, and nothing from answers about another one', async () => {
  let answer: unknown = {};
  const server = await startWebServer(() => answer);
  const provider = epayProvider(guard(['127.0.0.1']));
  const here = { ...settings, address: server.url };
  try {
    answer = { code: 1, out_trade_no: 'T1', trade_no: 202611, money: '73.00', status: 1 };
    const paid = { found: true, paid: true, providerTradeNo: '202611', money: '73.00' };
    assert.equal(await provider.query('T1', here), paid);
    assert.is(server.asked.at(-1)?.url, '/api.php?act=order&pid=1001&key=secretKEY&out_trade_no=T1');
    assert.is((await provider.query('T2', here)).found, false);
    answer = { code: '1', out_trade_no: 'T1', money: 73, status: '0' };
    assert.equal(await provider.query('T1', here), { ...paid, paid: false, providerTradeNo: '', money: '73' });
    answer = { code: -1, msg: 'no such order' };
    assert.is((await provider.query('T1', here)).found, false);
    answer = 'no object';
    await assertRejects(provider.query('T1', here));
    await assertRejects(epayProvider(guard([])).query('T1', here));
  } finally {
    await server.stop();
  }
});

async function assertRejects(promise: Promise<unknown>): Promise<void> {
  const outcome = await promise.then(
    () => 'resolved',
    () => 'rejected',
  );
  assert.is(outcome, 'rejected');
}

epay.run();
