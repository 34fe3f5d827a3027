/** What Spark calls its models. Source: providers/xunfei.md, read 2026-11. */

/** Versions as channels name them in `other`, and as old model names end. */
const byVersion: Readonly<Record<string, string>> = {
  'v1.1': 'lite',
  'v2.1': 'generalv2',
  'v3.1': 'generalv3',
  'v3.1-128k': 'pro-128k',
  'v3.5': 'generalv3.5',
  'v3.5-32k': 'max-32k',
  'v4.0': '4.0Ultra',
  x1: 'spark-x',
};

const byName: Readonly<Record<string, string>> = {
  'spark-lite': 'lite',
  'spark-pro': 'generalv3',
  'spark-pro-128k': 'pro-128k',
  'spark-max': 'generalv3.5',
  'spark-max-32k': 'max-32k',
  'spark-4.0-ultra': '4.0Ultra',
  'spark-x1.5': 'spark-x',
};

/** The name to send: of a model, or of the channel's version for the model that has none. */
export function domainOf(model: string, other: string): string {
  const name = model.toLowerCase();
  if (name === 'sparkdesk') return byVersion[other.toLowerCase()] ?? 'lite';
  return byName[name] ?? byVersion[name.replace(/^sparkdesk-/, '')] ?? model;
}
