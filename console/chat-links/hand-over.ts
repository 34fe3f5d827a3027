/** Fills a chat link with a key of the user, who is asked before it is handed to somebody new (console.md 6.19). */
import { tokens as endpoints, type TokenView } from '../../daemon/contract/tokens.ts';
import { callsFor } from '../api/client.ts';
import { randomId } from '../components/random-id.ts';
import { userStore } from '../session/session.ts';
import { statusStore } from '../session/status.ts';
import type { ChatLink } from './chat-links.ts';
import { askConsent } from './consent.tsx';
import { hasConsented, rememberConsent } from './consents.ts';
import { filledLink, hasKeyInQuery, receiverOf, takesKey } from './filled-link.ts';

const calls = callsFor({ list: endpoints.list, create: endpoints.create });
const enabled = 1;
const limitedSeconds = 86_400;
const nameLength = 50;

export type HandOver =
  | { readonly kind: 'url'; readonly url: string }
  | { readonly kind: 'noToken' | 'refused' | 'unusable' };

/** @param given the token of a row; the first one that is enabled when absent */
export async function handOver(link: ChatLink, given?: TokenView): Promise<HandOver> {
  const user = userStore.get();
  const receiver = receiverOf(link);
  if (user === undefined || receiver === undefined) return { kind: 'unusable' };
  const token = given ?? (await firstEnabled());
  if (token === undefined) return { kind: 'noToken' };
  const handed = takesKey(link) ? await agreedToken(link, receiver, token, user.id) : token;
  return handed ? { kind: 'url', url: filledLink(link, fillingOf(handed)) } : { kind: 'refused' };
}

async function firstEnabled(): Promise<TokenView | undefined> {
  const { items } = await calls.list({ page: 1, page_size: 100 });
  return items.find(({ status }) => status === enabled);
}

function fillingOf({ key }: TokenView) {
  const status = statusStore.get();
  return {
    address: status?.server_address || window.location.origin,
    key: `sk-${key}`,
    siteName: status?.system_name ?? 'Tollgate',
  };
}

/** The token that the user agrees to hand over; undefined for none. */
async function agreedToken(
  link: ChatLink,
  receiver: string,
  token: TokenView,
  userId: number,
): Promise<TokenView | undefined> {
  // Where keys are shown once only, the list has stars instead.
  const canUseToken = /^[0-9A-Za-z]+$/.test(token.key);
  if (canUseToken && hasConsented(userId, receiver, token.id)) return token;
  const consent = await askConsent({
    tokenName: token.name,
    receiver,
    isPage: link.isPage,
    hasKeyInQuery: hasKeyInQuery(link),
    canUseToken,
  });
  if (consent === undefined) return undefined;
  const handed = consent === 'limited' ? await limitedToken(receiver, token) : token;
  rememberConsent(userId, receiver, handed.id);
  return handed;
}

/** Good for a day and a dollar, in the group of the token that it stands for. */
function limitedToken(receiver: string, { group }: TokenView): Promise<TokenView> {
  return calls.create(
    {
      name: receiver.slice(0, nameLength),
      expired_time: Math.floor(Date.now() / 1000) + limitedSeconds,
      remain_quota: statusStore.get()?.quota_per_unit ?? 500_000,
      unlimited_quota: false,
      group,
    },
    { idempotencyKey: randomId() },
  );
}
