/**
 * What of an account's own serves a model in its place: application inference profiles, provisioned throughput,
 * deployments of custom models. Their names say nothing of the model, which is why they are not mapped like one.
 * Source: providers/bedrock.md, read 2026-11.
 */
import { asWord } from '../../formats/fields.ts';
import { isObject } from '../../json.ts';
import type { UpstreamCall } from '../../provider.ts';

/** Whose ARN is wanted: the client's name of the model counts before the one that the upstream knows. */
export type ArnQuestion = Pick<UpstreamCall, 'setting'> & Partial<Pick<UpstreamCall, 'origin' | 'model'>>;

/** `setting.bedrock_arns`: the ARN for a model; undefined for one that is called by its own id. */
export function arnOf({ setting, origin, model }: ArnQuestion): string | undefined {
  const arns = setting.bedrock_arns;
  if (!isObject(arns)) return undefined;
  const name = [origin, model].find((one) => one !== undefined && Object.hasOwn(arns, one));
  return name === undefined ? undefined : asWord(arns[name]);
}

/** The region that an ARN stands in: no other answers to it. */
export function regionOfArn(arn: string | undefined): string | undefined {
  return asWord(arn?.split(':')[3]);
}
