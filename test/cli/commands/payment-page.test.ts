import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { servePaymentPage } from '../../../cli/commands/payment-page.ts';

const page = suite('the page that posts a payment');

const form = {
  url: 'https://pay.example/submit.php?a=1&b=2',
  fields: { name: '"><script>alert(1)</script>', pid: '7' },
};

page('carries the form, with nothing in it that a browser would run', async () => {
  const served = await servePaymentPage(form, 10_000);
  try {
    const response = await fetch(served.address);
    const html = await response.text();
    assert.is(response.headers.get('cache-control'), 'no-store');
    assert.match(html, 'action="https://pay.example/submit.php?a=1&#38;b=2"');
    assert.match(html, 'name="pid" value="7"');
    assert.not.match(html, '<script>alert');
    assert.is(await served.fetched, 'fetched');
  } finally {
    served.close();
  }
});

page('is served on this machine alone, under an address that cannot be guessed', async () => {
  const served = await servePaymentPage(form, 10_000);
  try {
    assert.match(served.address, /^http:\/\/127\.0\.0\.1:\d+\/[0-9a-f]{32}$/);
    assert.is((await fetch(new URL('/', served.address))).status, 404);
    assert.is((await fetch(`${served.address}0`)).status, 404);
  } finally {
    served.close();
  }
});

page('is not waited for without end', async () => {
  const served = await servePaymentPage(form, 20);
  try {
    assert.is(await served.fetched, 'timeout');
  } finally {
    served.close();
  }
});

page.run();
