/** What a parameter override would make of a sample body (relay.md 12.5), by the code of live calls; calls nobody. */
import { checkConfiguration, jsonObject } from '../domain/channel-configuration.ts';
import { TollgateError } from '../errors.ts';
import type { JsonObject } from '../relay/json.ts';
import { type OverrideFacts, type OverrideResult, ParamOverride } from '../relay/param-override.ts';

/** Characters of the JSON that is shown; a sample that becomes longer is no sample. */
const mostShown = 4 * 1024 * 1024;

export interface OverrideSample {
  /** JSON, as a channel stores it; empty changes nothing. */
  readonly override: string;
  /** JSON of a body, as it would go upstream without the override. */
  readonly body: string;
  /** What conditions read beside the body. */
  readonly facts: OverrideFacts;
}

/**
 * Throws `channel_json_invalid` and `channel_rule_invalid`, with the members that lead to what is wrong as their field,
 * such as `param_override.operations.0.path`.
 */
export function previewOverride({ override, body, facts }: OverrideSample): OverrideResult {
  checkConfiguration({ paramOverride: override });
  const sample = jsonObject('body', body) as JsonObject;
  const rules = override === '' ? undefined : jsonObject('param_override', override);
  const result = unlessTooLong(() => new ParamOverride(rules).apply(sample, facts));
  if (result.kind === 'body' && JSON.stringify(result.body).length > mostShown) throw tooLong();
  return result;
}

function unlessTooLong(apply: () => OverrideResult): OverrideResult {
  try {
    return apply();
  } catch (error) {
    // Its rules are judged by now, so that only its growth is left to be refused.
    if (error instanceof TollgateError && error.code === 'channel:param_override_invalid') throw tooLong();
    throw error;
  }
}

function tooLong(): TollgateError {
  const place = 'param_override';
  const reason = 'makes more of the body than a preview shows';
  return new TollgateError('channel_rule_invalid', { place, reason }, { field: place });
}
