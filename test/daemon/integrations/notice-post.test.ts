import { createHmac } from 'node:crypto';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { DeliveryFailure, type RobotDialect, type WebNotice } from '../../../daemon/domain/notice-delivery.ts';
import { guardedFetch } from '../../../daemon/integrations/guarded-fetch.ts';
import { NoticePost } from '../../../daemon/integrations/notice-post.ts';
import { AddressGuard } from '../../../daemon/upstream/address-guard.ts';
import { patienceMs } from '../../support/until.ts';
import { startWebServer } from '../../support/web-server.ts';

const post = suite('posting notices');

const nowMs = 1_800_000_000_123;
const message: WebNotice = {
  id: 'delivery-1',
  type: 'quota_exceed',
  title: 'your balance is low',
  content: 'The balance is $0.10 “now”\n你好',
  values: ['$0.10'],
};

function poster(worker = { url: '', key: '' }, timeoutMs = patienceMs): NoticePost {
  const open = new AddressGuard({ allow: ['127.0.0.0/8'], channelAllowPrivate: false });
  const strict = new AddressGuard({
    allow: [],
    channelAllowPrivate: false,
    resolve: (host, callback) =>
      callback(null, [{ address: host === 'example.org' ? '93.184.216.34' : '127.0.0.1', family: 4 }]),
  });
  return new NoticePost({
    exempt: guardedFetch(open, { timeoutMs }),
    guarded: guardedFetch(strict, { timeoutMs }),
    checkTarget: (url) => strict.checkTarget(url, 'guarded'),
    worker: () => worker,
    now: () => nowMs,
  });
}

async function failureOf(attempt: Promise<void>): Promise<DeliveryFailure> {
  try {
    await attempt;
  } catch (error) {
    if (error instanceof DeliveryFailure) return error;
    throw error;
  }
  throw new Error('it arrived');
}

post('signs the very bytes of the body, which name the delivery and its time; the secret does not travel', async () => {
  const server = await startWebServer(() => ({}));
  try {
    const to = { by: 'webhook', url: `${server.url}/hook`, secret: 'the secret', standing: 'exempt' } as const;
    await poster().webhook(to, message);
    const [asked] = server.asked;
    assert.ok(asked);
    assert.equal(JSON.parse(asked.body), {
      type: 'quota_exceed',
      title: message.title,
      content: message.content,
      values: ['$0.10'],
      timestamp: 1_800_000_000,
      id: 'delivery-1',
    });
    const expected = createHmac('sha256', 'the secret').update(asked.body).digest('hex');
    assert.is(asked.headers['x-webhook-signature'], expected);
    assert.is(asked.headers['x-webhook-id'], 'delivery-1');
    assert.is(asked.headers['x-webhook-timestamp'], '1800000000');
    assert.is(asked.headers['content-type'], 'application/json');
    assert.not.ok(JSON.stringify(asked).includes('the secret'));
    await poster().webhook({ ...to, secret: '' }, message);
    assert.is(server.asked[1]?.headers['x-webhook-signature'], undefined);
  } finally {
    await server.stop();
  }
});

post(
  'tells what may arrive later from what never will, follows no redirect, and waits no longer than it may',
  async () => {
    const server = await startWebServer(({ url }, response) => {
      if (url === '/hang') return undefined;
      response.statusCode = Number(url.slice(1));
      if (response.statusCode === 302) response.setHeader('Location', '/200');
      return { secret: 'text of a remote answer' };
    });
    try {
      const again: Record<string, string> = {};
      for (const path of ['302', '400', '404', '408', '429', '500', '503', 'hang']) {
        const to = { by: 'webhook', url: `${server.url}/${path}`, secret: '', standing: 'exempt' } as const;
        const failure = await failureOf(poster(undefined, path === 'hang' ? 200 : patienceMs).webhook(to, message));
        again[path] = failure.again;
        assert.not.match(failure.message, /text of a remote answer/);
      }
      const never = { '302': 'never', '400': 'never', '404': 'never' };
      assert.equal(again, { ...never, '408': 'later', '429': 'later', '500': 'later', '503': 'later', hang: 'later' });
      assert.is(server.asked.length, 8);
    } finally {
      await server.stop();
    }
  },
);

post('takes the status of a webhook for its word, however much it says after it, or never ends saying', async () => {
  const server = await startWebServer(({ url }, response) => {
    response.writeHead(url === '/gone' ? 404 : 200);
    response.write('a'.repeat(2 << 20));
    return url === '/long' ? response.end() && undefined : undefined;
  });
  try {
    const to = { by: 'webhook', secret: '', standing: 'exempt' } as const;
    for (const path of ['/long', '/endless'])
      await poster(undefined, 5000).webhook({ ...to, url: server.url + path }, message);
    const failure = await failureOf(poster(undefined, 5000).webhook({ ...to, url: `${server.url}/gone` }, message));
    assert.is(failure.message, 'the address answered 404');
    assert.is(server.asked.length, 3);
  } finally {
    await server.stop();
  }
});

post(
  "keeps normal users' webhooks from private addresses, and tells a name that leads there as one that leads nowhere",
  async () => {
    const server = await startWebServer(() => ({}));
    try {
      for (const [url, reason] of [
        [server.url, 'the address is not allowed'],
        [server.url.replace('127.0.0.1', 'localhost'), 'the address was not reached in time'],
      ] as const) {
        const failure = await failureOf(
          poster().webhook({ by: 'webhook', url, secret: '', standing: 'guarded' }, message),
        );
        assert.is(failure.message, reason);
        assert.is(failure.again, 'never');
      }
      assert.is(server.asked.length, 0);
    } finally {
      await server.stop();
    }
  },
);

post('goes through the worker for https targets alone, which gets the call and its key', async () => {
  const worker = await startWebServer(() => ({}));
  const target = await startWebServer(() => ({}));
  try {
    const through = poster({ url: worker.url, key: 'worker key' });
    const to = { by: 'webhook', url: 'https://example.org/hook', secret: 's', standing: 'guarded' } as const;
    await through.webhook(to, message);
    const wrapped: unknown = JSON.parse(worker.asked[0]?.body ?? '');
    assert.ok(typeof wrapped === 'object' && wrapped !== null && 'body' in wrapped && 'headers' in wrapped);
    const signature = createHmac('sha256', 's').update(JSON.stringify(wrapped.body)).digest('hex');
    const headers: unknown = wrapped.headers;
    assert.ok(typeof headers === 'object' && headers !== null && 'X-Webhook-Signature' in headers);
    assert.is(headers['X-Webhook-Signature'], signature, 'what the worker writes has the signed bytes');
    assert.is(worker.asked[0]?.url, '/');
    assert.is(Reflect.get(wrapped, 'url'), to.url);
    assert.is(Reflect.get(wrapped, 'key'), 'worker key');
    await through.webhook({ ...to, url: 'HTTPS://example.org/hook' }, message);
    assert.is(worker.asked.length, 2, 'a scheme is the same however it is written');
    await through.webhook({ ...to, url: target.url, standing: 'exempt' }, message);
    assert.is(target.asked.length, 1);
    assert.is(worker.asked.length, 2);
    for (const [url, reason] of [
      ['https://10.0.0.1/hook', 'the address is not allowed'],
      ['https://inside.test/hook', 'the address was not reached in time'],
      ['https://nowhere.test/hook', 'the address was not reached in time'],
    ] as const) {
      const inside = await failureOf(through.webhook({ ...to, url }, message));
      assert.is(inside.message, reason, url);
    }
    assert.is(worker.asked.length, 2);
  } finally {
    await worker.stop();
    await target.stop();
  }
});

/** What the robots of each product are sent; signatures worked out by the products' own formulas. */
const robots: readonly {
  readonly dialect: RobotDialect;
  readonly secret: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly query: string;
}[] = [
  { dialect: 'slack', secret: '', body: { text: `${message.title}\n${message.content}` }, query: '' },
  {
    dialect: 'discord',
    secret: '',
    body: { content: `${message.title}\n${message.content}`, allowed_mentions: { parse: [] } },
    query: '',
  },
  {
    dialect: 'wecom',
    secret: '',
    body: { msgtype: 'text', text: { content: `${message.title}\n${message.content}` } },
    query: '',
  },
  {
    dialect: 'feishu',
    secret: 'bot',
    body: {
      timestamp: '1800000000',
      sign: createHmac('sha256', '1800000000\nbot').digest('base64'),
      msg_type: 'text',
      content: { text: `${message.title}\n${message.content}` },
    },
    query: '',
  },
  {
    dialect: 'dingtalk',
    secret: 'bot',
    body: { msgtype: 'text', text: { content: `${message.title}\n${message.content}` } },
    query: `?${new URLSearchParams({
      timestamp: String(nowMs),
      sign: createHmac('sha256', 'bot').update(`${nowMs}\nbot`).digest('base64'),
    })}`,
  },
];

post('calls nobody in a chat by what users name their keys', async () => {
  const server = await startWebServer(() => ({ code: 0 }));
  const title = 'quota of <!channel> & <https://spy.example|Top up> <at user_id="all">all</at>';
  try {
    const said = async (dialect: RobotDialect) => {
      await poster().robot({ by: 'robot', url: server.url, secret: '', dialect }, { ...message, title });
      return JSON.parse(server.asked.at(-1)?.body ?? '');
    };
    const { text } = await said('slack');
    assert.is(
      text.split('\n')[0],
      'quota of &lt;!channel&gt; &amp; &lt;https://spy.example|Top up&gt; &lt;at user_id="all"&gt;all&lt;/at&gt;',
    );
    const { content } = await said('feishu');
    assert.is(content.text.split('\n')[0], title.replaceAll('<at', '＜at').replaceAll('</at', '＜/at'));
  } finally {
    await server.stop();
  }
});

post('speaks to the robot of each chat in its own form, and sees refusals inside a 200', async () => {
  let answer: unknown = { code: 0, errcode: 0, ok: true };
  const server = await startWebServer(() => answer);
  try {
    for (const { dialect, secret, body, query } of robots) {
      await poster().robot({ by: 'robot', url: `${server.url}/robot`, secret, dialect }, message);
      const asked = server.asked.at(-1);
      assert.equal(JSON.parse(asked?.body ?? ''), body, dialect);
      assert.is(asked?.url, `/robot${query}`, dialect);
    }
    answer = { errcode: 93_000, errmsg: 'invalid webhook' };
    const failure = await failureOf(
      poster().robot({ by: 'robot', url: server.url, secret: '', dialect: 'wecom' }, message),
    );
    assert.is(failure.message, 'the robot refused the message (93000)');
    assert.is(failure.again, 'never');
  } finally {
    await server.stop();
  }
});

post('sends Discord what it takes of a long message, without half an emoji at the end', async () => {
  const server = await startWebServer(() => ({}));
  try {
    for (const [length, kept] of [
      [1998, 2000],
      [1999, 1999],
    ] as const) {
      const content = `${'x'.repeat(length - 2)}😀😀`;
      const to = { by: 'robot', url: server.url, secret: '', dialect: 'discord' } as const;
      await poster().robot(to, { ...message, title: 'T', content });
      const said = JSON.parse(server.asked.at(-1)?.body ?? '').content;
      assert.is(said, `T\n${content}`.slice(0, kept));
    }
  } finally {
    await server.stop();
  }
});

post('sends WeCom as many bytes as it takes of a long message, in whole characters', async () => {
  const server = await startWebServer(() => ({ errcode: 0 }));
  try {
    const to = { by: 'robot', url: server.url, secret: '', dialect: 'wecom' } as const;
    for (const [content, kept] of [
      ['余'.repeat(682), 682],
      ['余'.repeat(700), 682],
      [`a${'余'.repeat(700)}`, 683],
    ] as const) {
      await poster().robot(to, { ...message, title: '', content });
      assert.is(JSON.parse(server.asked.at(-1)?.body ?? '').text.content, `\n${content.slice(0, kept)}`);
    }
  } finally {
    await server.stop();
  }
});

post('tries a robot again later that has been given too many messages for now, as it says inside a 200', async () => {
  let answer: unknown;
  const server = await startWebServer(() => answer);
  const busy = [
    { dialect: 'wecom', answered: { errcode: 45_009, errmsg: 'api freq out of limit' } },
    { dialect: 'feishu', answered: { code: 11_232, msg: 'frequency limited' } },
    { dialect: 'dingtalk', answered: { errcode: 130_101, errmsg: 'send too fast, exceed 20 times per minute' } },
    { dialect: 'dingtalk', answered: { errcode: 410_100, errmsg: '发送速度太快而限流' } },
  ] as const;
  try {
    for (const { dialect, answered } of busy) {
      answer = answered;
      const to = { by: 'robot', url: server.url, secret: '', dialect } as const;
      const failure = await failureOf(poster().robot(to, message));
      assert.is(failure.again, 'later', dialect);
    }
  } finally {
    await server.stop();
  }
});

post.run();
