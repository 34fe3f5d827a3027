/** Where DashScope's interfaces stand on a channel's address. Source: providers/ali.md, and the vendor's overviews of WebSocket connections and workspace domains, read 2026-11. */
import type { UpstreamCall } from '../../provider.ts';

/** The root of the compatible mode; coding plans have a host of their own where it stands at `/v1`. */
export function compatibleRoot(baseUrl: string): string {
  if (pasted.test(baseUrl)) {
    const root = baseUrl.replace(pasted, '');
    return root + compatibleRoot(root);
  }
  if (/\/v1\/?$/.test(baseUrl)) return '';
  return baseUrl.includes('coding.dashscope') || baseUrl.endsWith('/compatible-mode') ? '/v1' : '/compatible-mode/v1';
}

/** The vendor shows the addresses of its other interfaces too; elsewhere `/api/v1` may be anything. */
const pasted = /(?:(?<=aliyuncs\.com)\/api\/v1|\/apps\/anthropic(?:\/v1)?)$/;

/** The root of the vendor's own interface, for an address that may be that of another. */
export function ownRoot(baseUrl: string): string {
  return baseUrl.replace(pasted, '').replace(/\/(?:compatible-mode|(?:compatible-mode\/)?v1)$/, '');
}

/** The regions of the hosts that all workspaces share. */
const regions: Readonly<Record<string, string>> = {
  'https://dashscope.aliyuncs.com': 'cn-beijing',
  'https://dashscope-intl.aliyuncs.com': 'ap-southeast-1',
  'https://dashscope-us.aliyuncs.com': 'us-east-1',
  'https://cn-hongkong.dashscope.aliyuncs.com': 'cn-hongkong',
};
const workspaceId = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i;

/**
 * The root of what is spoken over sockets: the workspace's own host in the region of the address, where the channel names
 * a workspace. Newer realtime models stand nowhere else. An address of the operator's own is left as it is.
 */
export function socketRoot({ baseUrl, setting }: Pick<UpstreamCall, 'baseUrl' | 'setting'>): string {
  const root = ownRoot(baseUrl);
  const workspace = workspaceOf(setting);
  const region = regions[root];
  const host =
    workspace === undefined || region === undefined ? root : `https://${workspace}.${region}.maas.aliyuncs.com`;
  return host.replace(/^http/, 'ws');
}

function workspaceOf(setting: UpstreamCall['setting']): string | undefined {
  const { dashscope_workspace: named } = setting;
  return typeof named === 'string' && workspaceId.test(named.trim()) ? named.trim() : undefined;
}
