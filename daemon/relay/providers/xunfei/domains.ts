/** What Spark calls its models, and where each answers on a socket. Source: providers/xunfei.md, read 2026-11. */
import { entryOf } from '../../formats/fields.ts';
import type { OtherQuestion } from '../../provider.ts';

/** One version of the socket interface. `most` is the largest limit of output tokens. */
interface Version {
  readonly path: string;
  readonly domain: string;
  readonly most: number;
  /** Versions before 3.5 know no system role. */
  readonly system: boolean;
}

/** Versions as channels name them in `other`, and as old model names end. */
const versions: Readonly<Record<string, Version>> = {
  'v1.1': { path: '/v1.1/chat', domain: 'lite', most: 4096, system: false },
  'v2.1': { path: '/v2.1/chat', domain: 'generalv2', most: 4096, system: false },
  'v3.1': { path: '/v3.1/chat', domain: 'generalv3', most: 8192, system: false },
  'v3.1-128k': { path: '/chat/pro-128k', domain: 'pro-128k', most: 4096, system: false },
  'v3.5': { path: '/v3.5/chat', domain: 'generalv3.5', most: 8192, system: true },
  'v3.5-32k': { path: '/chat/max-32k', domain: 'max-32k', most: 8192, system: true },
  'v4.0': { path: '/v4.0/chat', domain: '4.0Ultra', most: 32_768, system: true },
  x1: { path: '/v1/x1', domain: 'spark-x', most: 65_535, system: true },
};

const byName: Readonly<Record<string, string>> = {
  'spark-lite': 'v1.1',
  'spark-pro': 'v3.1',
  'spark-pro-128k': 'v3.1-128k',
  'spark-max': 'v3.5',
  'spark-max-32k': 'v3.5-32k',
  'spark-4.0-ultra': 'v4.0',
  'spark-x1': 'x1',
  'spark-x1.5': 'x1',
};

/** The version that a name says; undefined for a name that says none. */
function versionIn(model: string): string | undefined {
  const name = model.toLowerCase();
  return entryOf(byName, name) ?? /^sparkdesk-(v\d+\.\d+(?:-\w+)?|x1)$/.exec(name)?.[1];
}

/** The name to send over HTTP: of a model, or of the channel's version for the model that has none. */
export function domainOf(model: string, other: string): string {
  if (model.toLowerCase() === 'sparkdesk') return entryOf(versions, other.toLowerCase())?.domain ?? 'lite';
  return entryOf(versions, versionIn(model) ?? '')?.domain ?? model;
}

/** Where a model answers on a socket: by its own name, else by the channel's version. */
export function socketVersion(model: string, other: string): Version {
  const name = versionIn(model) ?? (other.trim().toLowerCase() || 'v1.1');
  if (name === 'kjwx') return { path: '/v1.1/chat_kjwx', domain: 'kjwx', most: 4096, system: true };
  return entryOf(versions, name) ?? { path: `/${name}/chat`, domain: `general${name}`, most: 8192, system: true };
}

/** A version without an entry is part of a path; where a model was trained, the id of its patch stands here. */
export function versionProblem({ other }: OtherQuestion): string | undefined {
  return other === '' || /^\w[\w.-]*$/.test(other) ? undefined : 'must be a version such as v3.5';
}

/** The largest limit of output tokens that a domain takes; undefined for one that is no version's. */
export function mostTokensOf(domain: string): number | undefined {
  return Object.values(versions).find((version) => version.domain === domain)?.most;
}

/** The newest families have no socket. */
export function isHttpOnly(model: string): boolean {
  return /^spark-x$|^spark-x2/i.test(model);
}
