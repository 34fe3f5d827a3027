/** Explains where a call would go and why (REQ-18), by the rules that live requests follow; calls and charges nobody. */
import { autoGroup } from '../domain/groups.ts';
import { type Price, priceBookOf } from '../domain/pricing.ts';
import { type RateRule, rateTableOf } from '../domain/rate-rules.ts';
import { explainRouting, type RoutingExplanation } from '../domain/routing-explanation.ts';
import { refusalOfToken } from '../domain/token-state.ts';
import { TollgateError } from '../errors.ts';
import { providerOf } from '../relay/providers/index.ts';
import type { ChannelKeyView, ChannelView } from '../snapshots/channel-view.ts';
import type { Identity } from '../snapshots/identities.ts';
import type { Snapshot } from '../snapshots/snapshots.ts';
import { routedModel } from './admit.ts';
import { groupsOf, isActive, usingGroup } from './authenticate.ts';
import type { Endpoint } from './exchange.ts';
import { chooseLane } from './lane-choice.ts';
import { isPayable, listedPrice } from './listed-price.ts';
import { aliasesOf, modelBehind } from './model-aliases.ts';
import { acceptsUnpriced } from './model-list.ts';

type Token = Identity['token'];
type User = Identity['user'];

export interface DryRunDeps {
  readonly view: () => Snapshot;
  readonly findUser: (id: number) => Promise<User | undefined>;
  /** Relay keys that were deleted are not found. */
  readonly findToken: (id: number) => Promise<Token | undefined>;
  /** What is served under a path of the relay; undefined when nothing is. */
  readonly endpointAt: (path: string) => Endpoint | undefined;
  /** Milliseconds until the key may be used for the model; 0 = now. */
  readonly coolingMs: (channelId: number, keyId: number, model: string) => number;
  /** Milliseconds until a limited key has room for another call, as far as is known; 0 = it has. */
  readonly fullMs: (key: ChannelKeyView) => number;
  /** Milliseconds until the channel has a budget again; 0 = it has one, or none is set. */
  readonly spentMs: (channel: ChannelView) => number;
  /** Unix seconds. */
  readonly nowSeconds: () => number;
}

export interface DryRunQuestion {
  /** Whose call it would be; the owner of the key when a key is named. */
  readonly userId: number | undefined;
  /** The relay key it would be made with. */
  readonly tokenId: number | undefined;
  /** Undefined takes the group of the key, else of the user, else `default`. */
  readonly group: string | undefined;
  /** As the client writes it. */
  readonly model: string;
  /** Path, such as `/v1/chat/completions`. */
  readonly endpoint: string;
}

export interface DryRun extends RoutingExplanation {
  /** The using group. */
  readonly group: string;
  /** The name routed by: the client's, what its key takes that for, or a stand-in. */
  readonly model: string;
  /** Why the call would be refused whoever could serve it; undefined when it would not. */
  readonly refusal: TollgateError | undefined;
  /** Undefined when the model has no price. */
  readonly price: Price | undefined;
  /** What stands for the ratio of every group, for this user and key; undefined where no rule fits. */
  readonly rate: RateRule | undefined;
  /** The factor of a group, for this user. */
  readonly ratioOf: (group: string) => number;
}

/** Answers what-if questions about routing. */
export class RoutingDryRun {
  readonly #deps: DryRunDeps;

  constructor(deps: DryRunDeps) {
    this.#deps = deps;
  }

  /** Throws `channel_endpoint_unknown`, `token_not_found`, `user_not_found`. */
  async explain(question: DryRunQuestion): Promise<DryRun> {
    const endpoint = this.#deps.endpointAt(question.endpoint);
    if (!endpoint) {
      throw new TollgateError('channel_endpoint_unknown', { endpoint: question.endpoint }, { field: 'endpoint' });
    }
    const { token, user } = await this.#caller(question);
    const view = this.#deps.view();
    const group = question.group ?? (token?.group || user?.group || 'default');
    const asked = modelBehind(question.model, token && aliasesOf(token));
    const model = routedModel(view, asked);
    const groups = groupsTried(view, user, group);
    const canServe = (channel: ChannelView) => serves(channel, endpoint);
    const { coolingMs, fullMs, spentMs } = this.#deps;
    const explained = explainRouting({ groups, model }, view, { canServe, coolingMs, fullMs, spentMs });
    const book = priceBookOf(view.options);
    const offering = groups.flatMap((name) => view.channels.candidates(name, model)).filter((a) => canServe(a.channel));
    const listed = listedPrice(book, { model, priceEnding: endpoint.priceEnding }, offering);
    const price = listed && isPayable(listed, endpoint) ? listed : undefined;
    const rate = rateOfQuestion(view, { user, token, group, model });
    return {
      ...explained,
      group,
      model,
      price,
      refusal: this.#refusal(view, { user, token, group, asked, endpoint, isPriced: price !== undefined }),
      rate,
      ratioOf: (name) => (rate ?? book.groupRatio(user?.group ?? name, name)).ratio,
    };
  }

  async #caller({ userId, tokenId }: DryRunQuestion): Promise<{ token: Token | undefined; user: User | undefined }> {
    const token = tokenId === undefined ? undefined : await this.#deps.findToken(tokenId);
    if (tokenId !== undefined && !token) throw new TollgateError('token_not_found', {}, { field: 'token_id' });
    const owner = token?.userId ?? userId;
    const user = owner === undefined ? undefined : await this.#deps.findUser(owner);
    if (owner !== undefined && !user) throw new TollgateError('user_not_found', {}, { field: 'user_id' });
    return { token, user };
  }

  /** What is checked before a channel is looked for, in the order of live requests. */
  #refusal(
    view: Snapshot,
    call: {
      user: User | undefined;
      token: Token | undefined;
      group: string;
      asked: string;
      endpoint: Endpoint;
      isPriced: boolean;
    },
  ): TollgateError | undefined {
    const { user, token, group, asked, endpoint } = call;
    const bad = token && refusalOfToken(token, this.#deps.nowSeconds());
    if (bad) return new TollgateError(bad);
    if (user && !isActive(user)) return new TollgateError('user_disabled');
    const unusable = user && refusalOfGroup(view, user, group);
    if (unusable) return unusable;
    if (token && !allows(token, asked)) return new TollgateError('model_not_allowed', { model: asked });
    const unpriced = acceptsUnpriced(view, user && callerOf(user, group), endpoint);
    return call.isPriced || unpriced ? undefined : new TollgateError('model_not_priced', { model: asked });
  }
}

/** A question about nobody in particular is one about whoever has the group for their own. */
function rateOfQuestion(
  { rateRules }: Snapshot,
  call: { user: User | undefined; token: Token | undefined; group: string; model: string },
): RateRule | undefined {
  if (rateRules === undefined) return undefined;
  const { user, token, group, model } = call;
  return rateTableOf(rateRules).find({
    tokenId: token?.id,
    userId: user?.id ?? 0,
    userGroup: user?.group ?? group,
    model,
  });
}

function serves(channel: ChannelView, endpoint: Endpoint): boolean {
  const adapter = providerOf(channel.record.type);
  return adapter !== undefined && chooseLane(adapter, channel, endpoint) !== undefined;
}

function groupsTried(view: Snapshot, user: User | undefined, group: string): readonly string[] {
  if (user) return groupsOf(view, callerOf(user, group));
  return group === autoGroup ? view.options.get('AutoGroups') : [group];
}

function callerOf(user: User, group: string) {
  return { user, group, token: undefined, allowedModels: undefined, aliases: undefined, pinnedChannelId: undefined };
}

function refusalOfGroup(view: Snapshot, user: User, group: string): TollgateError | undefined {
  try {
    usingGroup(view, user, group === user.group ? '' : group);
    return undefined;
  } catch (error) {
    if (error instanceof TollgateError) return error;
    throw error;
  }
}

function allows(token: Token, model: string): boolean {
  if (!token.modelLimitsEnabled) return true;
  return (token.modelLimits ?? '').split(',').some((name) => name.trim() === model);
}
