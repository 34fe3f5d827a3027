/** Where DashScope's sockets stand: at the hosts that all share, or at the workspace's own. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { socketRoot } from '../../../../../daemon/relay/providers/ali/addresses.ts';

const test = suite('addresses of DashScope');

const rootAt = (baseUrl: string, dashscope_workspace?: unknown) =>
  socketRoot({ baseUrl, setting: { dashscope_workspace } });

test('sockets stand at the channel’s own address, whatever interface of it is named', () => {
  const own = 'https://llm-1.cn-beijing.maas.aliyuncs.com';
  for (const address of [own, `${own}/v1`, `${own}/compatible-mode/v1`]) {
    assert.is(rootAt(address), 'wss://llm-1.cn-beijing.maas.aliyuncs.com');
  }
  assert.is(rootAt('http://127.0.0.1:8080'), 'ws://127.0.0.1:8080');
});

test('a workspace’s own host stands in the region of the address', () => {
  const regions: readonly (readonly [address: string, region: string])[] = [
    ['https://dashscope.aliyuncs.com', 'cn-beijing'],
    ['https://dashscope.aliyuncs.com/compatible-mode/v1', 'cn-beijing'],
    ['https://dashscope-intl.aliyuncs.com', 'ap-southeast-1'],
    ['https://dashscope-us.aliyuncs.com', 'us-east-1'],
    ['https://cn-hongkong.dashscope.aliyuncs.com', 'cn-hongkong'],
  ];
  for (const [address, region] of regions) {
    assert.is(rootAt(address, ' llm-1a2b3c '), `wss://llm-1a2b3c.${region}.maas.aliyuncs.com`);
  }
});

test('an address of the operator’s own stays, and so does one without a workspace that can be a host’s name', () => {
  assert.is(rootAt('https://proxy.example/dashscope', 'llm-1'), 'wss://proxy.example/dashscope');
  for (const workspace of [undefined, '', 7, 'evil.example/', 'a b', '-a', 'a'.repeat(64)]) {
    assert.is(rootAt('https://dashscope.aliyuncs.com', workspace), 'wss://dashscope.aliyuncs.com');
  }
});

test.run();
